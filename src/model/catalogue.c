/*
 * Providers that work without a models file, and the reader of the models' rows. Prices are US
 * dollars per million tokens.
 */
#include "model/catalogue.h"

#include "base/str.h"

#define ANTHROPIC MODEL_API_ANTHROPIC_MESSAGES
#define OPENAI    MODEL_API_OPENAI_COMPLETIONS
#define RESPONSES MODEL_API_OPENAI_RESPONSES
#define GEMINI    MODEL_API_GOOGLE_GENERATIVE_AI

// clang-format off
const CatalogueProvider catalogue_providers[] = {
    { "anthropic", "https://api.anthropic.com", ANTHROPIC,
      { "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY" }, "claude-sonnet-5" },
    { "openai", "https://api.openai.com/v1", RESPONSES, { "OPENAI_API_KEY" }, "gpt-5.2" },
    { "google", "https://generativelanguage.googleapis.com/v1beta", GEMINI,
      { "GEMINI_API_KEY" }, "gemini-3.8-flash" },
    { "openrouter", "https://openrouter.ai/api/v1", OPENAI, { "OPENROUTER_API_KEY" },
      "anthropic/claude-sonnet-5" },
    { "groq", "https://api.groq.com/openai/v1", OPENAI, { "GROQ_API_KEY" },
      "openai/gpt-oss-120b" },
    { "mistral", "https://api.mistral.ai/v1", OPENAI, { "MISTRAL_API_KEY" },
      "devstral-medium-latest" },
    { "xai", "https://api.x.ai/v1", OPENAI, { "XAI_API_KEY" }, "grok-4.7" },
    { "deepseek", "https://api.deepseek.com/v1", OPENAI, { "DEEPSEEK_API_KEY" },
      "deepseek-v4-pro" },
    { "cerebras", "https://api.cerebras.ai/v1", OPENAI, { "CEREBRAS_API_KEY" }, "zai-glm-4.7" },
    { "together", "https://api.together.xyz/v1", OPENAI, { "TOGETHER_API_KEY" },
      "zai-org/GLM-5.3" },
    { "fireworks", "https://api.fireworks.ai/inference/v1", OPENAI, { "FIREWORKS_API_KEY" },
      "accounts/fireworks/models/glm-5p3" },
    { "zai", "https://api.z.ai/api/anthropic", ANTHROPIC, { "ZAI_API_KEY" }, "glm-5.3" },
    { "huggingface", "https://router.huggingface.co/v1", OPENAI,
      { "HUGGINGFACE_HUB_TOKEN", "HF_TOKEN" }, "zai-org/GLM-5.3" },
    { "azure-openai", NULL, OPENAI, { "AZURE_OPENAI_API_KEY" }, NULL },
    { "ollama", NULL, OPENAI, { "OLLAMA_API_KEY" }, NULL },
    { "llama.cpp", NULL, OPENAI, { "LLAMA_CPP_API_KEY" }, NULL },
    { "lm-studio", NULL, OPENAI, { "LM_STUDIO_API_KEY" }, NULL },
    { "vllm", NULL, OPENAI, { "VLLM_API_KEY" }, NULL },
};
// clang-format on
const size_t catalogue_provider_count = G_N_ELEMENTS(catalogue_providers);

static const char *next_text(const char **position)
{
    const char *text = *position;
    *position += strlen(text) + 1;
    return text;
}

static int64_t next_count(const char **position)
{
    int64_t count = 0;
    return str_parse_int(next_text(position), &count) ? count : 0;
}

static double next_price(const char **position)
{
    return g_ascii_strtod(next_text(position), NULL);
}

/* "low,high,xhigh" */
static unsigned next_levels(const char **position)
{
    unsigned levels = 0;
    const char *text = next_text(position);
    while (*text) {
        size_t size = strcspn(text, ",");
        g_autofree char *name = g_strndup(text, size);
        ThinkingLevel level;
        if (thinking_level_parse(name, &level))
            levels |= 1U << level;
        text += size + (text[size] == ',');
    }
    return levels;
}

static const char *rows_of(const char *provider)
{
    const CatalogueRows *rows = catalogue_rows;
    while (rows->provider && strcmp(rows->provider, provider) != 0)
        rows++;
    return rows->provider ? rows->text : "";
}

bool catalogue_next(const char *provider, const char **position, CatalogueModel *ret_model)
{
    if (!*position)
        *position = rows_of(provider);
    if (!**position) // no id is empty: the end of the text
        return false;
    CatalogueModel model = { .id = next_text(position) };
    model.name = next_text(position);
    model.context_window = next_count(position);
    model.max_tokens = next_count(position);
    model.accepts_images = strcmp(next_text(position), "image") == 0;
    model.cost.input = next_price(position);
    model.cost.output = next_price(position);
    model.cost.cache_read = next_price(position);
    model.cost.cache_write = next_price(position);
    const char *thinking = next_text(position);
    model.is_reasoning = strcmp(thinking, "-") != 0;
    thinking_mode_parse(thinking, &model.thinking_mode);
    model.thinking_levels = next_levels(position);
    model.compat = next_text(position);
    model.successor = next_text(position);
    *ret_model = model;
    return true;
}

const CatalogueProvider *catalogue_find_provider(const char *name)
{
    for (size_t i = 0; i < catalogue_provider_count; i++) {
        if (g_strcmp0(name, catalogue_providers[i].name) == 0)
            return &catalogue_providers[i];
    }
    return NULL;
}

ModelApi catalogue_api(const CatalogueProvider *provider, const char *base_url)
{
    g_autoptr(GUri) own = g_uri_parse(provider->base_url, G_URI_FLAGS_NONE, NULL);
    g_autoptr(GUri) uri = base_url ? g_uri_parse(base_url, G_URI_FLAGS_NONE, NULL) : NULL;
    if (provider->api == RESPONSES && uri && strcmp(g_uri_get_host(uri), g_uri_get_host(own)) != 0)
        return OPENAI;
    if (provider->api == GEMINI && uri && g_str_has_suffix(g_uri_get_path(uri), "/openai"))
        return OPENAI;
    return provider->api;
}

bool catalogue_is_default(const Model *model)
{
    const CatalogueProvider *provider = catalogue_find_provider(model->provider);
    return provider && g_strcmp0(provider->default_id, model->id) == 0;
}
