/*
 * Reading the environment, and what of it children get.
 */
#include "base/env.h"

// agent-core §2.11, then the search providers of agent-tools §11.7
static const char *const provider_keys[] = {
    "ANTHROPIC_OAUTH_TOKEN",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "DEEPSEEK_API_KEY",
    "CEREBRAS_API_KEY",
    "TOGETHER_API_KEY",
    "FIREWORKS_API_KEY",
    "ZAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "HUGGINGFACE_HUB_TOKEN",
    "HF_TOKEN",
    "OLLAMA_API_KEY",
    "LLAMA_CPP_API_KEY",
    "LM_STUDIO_API_KEY",
    "VLLM_API_KEY",
    "KEDGE_API_KEY",
    "PERPLEXITY_COOKIES",
    "PERPLEXITY_API_KEY",
    "BRAVE_API_KEY",
    "JINA_API_KEY",
    "MOONSHOT_SEARCH_API_KEY",
    "KIMI_SEARCH_API_KEY",
    "MOONSHOT_API_KEY",
    "ANTHROPIC_SEARCH_API_KEY",
    "EXA_API_KEY",
    "TAVILY_API_KEY",
    "KAGI_API_KEY",
    "SYNTHETIC_API_KEY",
    NULL,
};

const char *env_get_raw(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *env_get(const char *name)
{
    g_autofree char *own = g_strconcat("KEDGE_", name, NULL);
    const char *value = env_get_raw(own);
    if (value != NULL)
        return value;
    g_autofree char *older = g_strconcat("PI_", name, NULL);
    return env_get_raw(older);
}

bool env_is_name(const char *name)
{
    if (!g_ascii_isalpha(*name) && *name != '_')
        return false;
    while (g_ascii_isalnum(*name) || *name == '_')
        name++;
    return *name == '\0';
}

bool env_flag(const char *name)
{
    static const char *const words[] = { "1", "y", "yes", "true", "on" };
    const char *value = env_get(name);
    for (size_t i = 0; value != NULL && i < G_N_ELEMENTS(words); i++) {
        if (g_ascii_strcasecmp(value, words[i]) == 0)
            return true;
    }
    return false;
}

gint64 env_int(const char *name, gint64 fallback)
{
    const char *value = env_get(name);
    guint64 number = 0;
    if (value == NULL || !g_ascii_string_to_unsigned(value, 10, 0, G_MAXINT64, &number, NULL))
        return fallback;
    return (gint64)number;
}

bool env_is_provider_key(const char *name)
{
    return g_strv_contains(provider_keys, name);
}

static bool is_secret(const char *name)
{
    if (env_is_provider_key(name))
        return true;
    if (!g_str_has_prefix(name, "KEDGE_") && !g_str_has_prefix(name, "PI_"))
        return false;
    return g_str_has_suffix(name, "_KEY") || g_str_has_suffix(name, "_TOKEN") ||
           g_str_has_suffix(name, "_SECRET");
}

char **env_for_child(const char *const *pass)
{
    GPtrArray *kept = g_ptr_array_new();
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *equals = strchr(*entry, '=');
        if (equals == NULL)
            continue;
        g_autofree char *name = g_strndup(*entry, (gsize)(equals - *entry));
        if (!is_secret(name) || (pass != NULL && g_strv_contains(pass, name)))
            g_ptr_array_add(kept, g_strdup(*entry));
    }
    g_ptr_array_add(kept, NULL);
    return (char **)g_ptr_array_free(kept, FALSE);
}
