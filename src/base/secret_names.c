/*
 * Names of variables that hold secrets (secret_names.h).
 */
#include "base/secret_names.h"

#include "base/str.h"

#include <glib.h>

// agent-core §2.11, then those of search providers
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

static const char *const github_tokens[] = {
    "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", NULL,
};

bool secret_is_provider_key(const char *name)
{
    return g_strv_contains(provider_keys, name);
}

static bool is_of_actions(const char *name)
{
    if (g_strcmp0(g_getenv("GITHUB_ACTIONS"), "true") != 0)
        return false;
    return g_str_equal(name, "ACTIONS_RUNTIME_TOKEN") || g_str_equal(name, "ACTIONS_RESULTS_URL") ||
           str_has_prefix(name, "ACTIONS_ID_TOKEN_REQUEST_");
}

SecretKind secret_kind(const char *name)
{
    if (secret_is_provider_key(name))
        return SECRET_KEY;
    if (g_strv_contains(github_tokens, name))
        return SECRET_TOKEN;
    if (str_has_prefix(name, "KEDGE_") || str_has_prefix(name, "PI_"))
        return g_str_has_suffix(name, "_KEY") || g_str_has_suffix(name, "_TOKEN") ||
                       g_str_has_suffix(name, "_SECRET")
                   ? SECRET_KEY
                   : SECRET_NONE;
    return str_has_prefix(name, "ACTIONS_") && is_of_actions(name) ? SECRET_ACTIONS : SECRET_NONE;
}
