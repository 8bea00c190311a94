/*
 * Providers and models that work without a models file. Within a provider the newest of a family
 * comes first, because the first match of a short name wins. Prices are US dollars per million
 * tokens.
 */
#include "model/catalogue.h"

#define ANTHROPIC MODEL_API_ANTHROPIC_MESSAGES
#define OPENAI    MODEL_API_OPENAI_COMPLETIONS

// clang-format off
const CatalogueProvider catalogue_providers[] = {
    { "anthropic", "https://api.anthropic.com", ANTHROPIC,
      { "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY" } },
    { "openai", "https://api.openai.com/v1", OPENAI, { "OPENAI_API_KEY" } },
    { "google", "https://generativelanguage.googleapis.com/v1beta/openai", OPENAI,
      { "GEMINI_API_KEY" } },
    { "openrouter", "https://openrouter.ai/api/v1", OPENAI, { "OPENROUTER_API_KEY" } },
    { "groq", "https://api.groq.com/openai/v1", OPENAI, { "GROQ_API_KEY" } },
    { "mistral", "https://api.mistral.ai/v1", OPENAI, { "MISTRAL_API_KEY" } },
    { "xai", "https://api.x.ai/v1", OPENAI, { "XAI_API_KEY" } },
    { "deepseek", "https://api.deepseek.com/v1", OPENAI, { "DEEPSEEK_API_KEY" } },
    { "cerebras", "https://api.cerebras.ai/v1", OPENAI, { "CEREBRAS_API_KEY" } },
    { "together", "https://api.together.xyz/v1", OPENAI, { "TOGETHER_API_KEY" } },
    { "fireworks", "https://api.fireworks.ai/inference/v1", OPENAI, { "FIREWORKS_API_KEY" } },
    { "zai", "https://api.z.ai/api/paas/v4", OPENAI, { "ZAI_API_KEY" } },
    { "azure-openai", NULL, OPENAI, { "AZURE_OPENAI_API_KEY" } },
    { "huggingface", NULL, OPENAI, { "HUGGINGFACE_HUB_TOKEN", "HF_TOKEN" } },
    { "ollama", NULL, OPENAI, { "OLLAMA_API_KEY" } },
    { "llama.cpp", NULL, OPENAI, { "LLAMA_CPP_API_KEY" } },
    { "lm-studio", NULL, OPENAI, { "LM_STUDIO_API_KEY" } },
    { "vllm", NULL, OPENAI, { "VLLM_API_KEY" } },
};
const size_t catalogue_provider_count = G_N_ELEMENTS(catalogue_providers);

#define IMAGES .accepts_images = true
#define BUDGET                                                                                     \
    .is_reasoning = true, .thinking_mode = THINKING_MODE_BUDGET, .min_thinking = THINKING_MINIMAL, \
    .max_thinking = THINKING_XHIGH
#define EFFORT(least, most)                                                                        \
    .is_reasoning = true, .thinking_mode = THINKING_MODE_EFFORT, .min_thinking = THINKING_##least, \
    .max_thinking = THINKING_##most
#define DEFAULT .is_default = true

const CatalogueModel catalogue_models[] = {
    { "anthropic", "claude-sonnet-4-6", "Claude Sonnet 4.6", 200000, 64000,
      { 3, 15, 0.3, 3.75 }, IMAGES, EFFORT(LOW, XHIGH) },
    { "anthropic", "claude-sonnet-4-5", "Claude Sonnet 4.5", 200000, 64000,
      { 3, 15, 0.3, 3.75 }, IMAGES, BUDGET, DEFAULT },
    { "anthropic", "claude-opus-4-6", "Claude Opus 4.6", 200000, 128000, { 5, 25, 0.5, 6.25 },
      IMAGES, EFFORT(LOW, XHIGH) },
    { "anthropic", "claude-opus-4-5", "Claude Opus 4.5", 200000, 64000, { 5, 25, 0.5, 6.25 },
      IMAGES, BUDGET },
    { "anthropic", "claude-opus-4-1", "Claude Opus 4.1", 200000, 32000, { 15, 75, 1.5, 18.75 },
      IMAGES, BUDGET },
    { "anthropic", "claude-haiku-4-5", "Claude Haiku 4.5", 200000, 64000, { 1, 5, 0.1, 1.25 },
      IMAGES, BUDGET },

    { "openai", "gpt-5.2", "GPT-5.2", 400000, 128000, { 1.75, 14, 0.175, 0 }, IMAGES,
      EFFORT(LOW, XHIGH), DEFAULT },
    { "openai", "gpt-5.1", "GPT-5.1", 400000, 128000, { 1.25, 10, 0.125, 0 }, IMAGES,
      EFFORT(LOW, HIGH) },
    { "openai", "gpt-5", "GPT-5", 400000, 128000, { 1.25, 10, 0.125, 0 }, IMAGES,
      EFFORT(MINIMAL, HIGH) },
    { "openai", "gpt-5-mini", "GPT-5 mini", 400000, 128000, { 0.25, 2, 0.025, 0 }, IMAGES,
      EFFORT(MINIMAL, HIGH) },
    { "openai", "gpt-5-nano", "GPT-5 nano", 400000, 128000, { 0.05, 0.4, 0.005, 0 }, IMAGES,
      EFFORT(MINIMAL, HIGH) },
    { "openai", "gpt-4.1", "GPT-4.1", 1047576, 32768, { 2, 8, 0.5, 0 }, IMAGES },
    { "openai", "gpt-4.1-mini", "GPT-4.1 mini", 1047576, 32768, { 0.4, 1.6, 0.1, 0 }, IMAGES },
    { "openai", "gpt-4o", "GPT-4o", 128000, 16384, { 2.5, 10, 1.25, 0 }, IMAGES },
    { "openai", "o3", "o3", 200000, 100000, { 2, 8, 0.5, 0 }, IMAGES, EFFORT(LOW, HIGH) },
    { "openai", "o4-mini", "o4-mini", 200000, 100000, { 1.1, 4.4, 0.275, 0 }, IMAGES,
      EFFORT(LOW, HIGH) },

    { "google", "gemini-2.5-pro", "Gemini 2.5 Pro", 1048576, 65536, { 1.25, 10, 0.125, 0 },
      IMAGES, EFFORT(LOW, HIGH), DEFAULT },
    { "google", "gemini-2.5-flash", "Gemini 2.5 Flash", 1048576, 65536, { 0.3, 2.5, 0.03, 0 },
      IMAGES, EFFORT(LOW, HIGH) },

    { "openrouter", "anthropic/claude-sonnet-4.5", "Claude Sonnet 4.5", 1000000, 64000,
      { 3, 15, 0.3, 3.75 }, IMAGES, EFFORT(LOW, HIGH), DEFAULT },
    { "openrouter", "openai/gpt-5.2", "GPT-5.2", 400000, 128000, { 1.75, 14, 0.175, 0 }, IMAGES,
      EFFORT(LOW, XHIGH) },
    { "openrouter", "google/gemini-2.5-pro", "Gemini 2.5 Pro", 1048576, 65536,
      { 1.25, 10, 0.31, 0 }, IMAGES, EFFORT(LOW, HIGH) },
    { "openrouter", "qwen/qwen3-coder", "Qwen3 Coder", 262144, 65536, { 0.22, 0.95, 0, 0 } },
    { "openrouter", "z-ai/glm-4.6", "GLM 4.6", 202752, 65536, { 0.4, 1.75, 0, 0 },
      EFFORT(LOW, HIGH) },

    { "groq", "openai/gpt-oss-120b", "GPT OSS 120B", 131072, 65536, { 0.15, 0.6, 0.075, 0 },
      EFFORT(LOW, HIGH), DEFAULT },
    { "groq", "openai/gpt-oss-20b", "GPT OSS 20B", 131072, 65536, { 0.075, 0.3, 0.0375, 0 },
      EFFORT(LOW, HIGH) },
    { "groq", "llama-3.3-70b-versatile", "Llama 3.3 70B", 131072, 32768, { 0.59, 0.79, 0, 0 } },

    { "mistral", "devstral-medium-latest", "Devstral Medium", 131072, 32768, { 0.4, 2, 0, 0 },
      DEFAULT },
    { "mistral", "mistral-medium-latest", "Mistral Medium", 131072, 32768, { 0.4, 2, 0, 0 },
      IMAGES },
    { "mistral", "codestral-latest", "Codestral", 256000, 32768, { 0.3, 0.9, 0, 0 } },

    { "xai", "grok-4", "Grok 4", 256000, 64000, { 3, 15, 0.75, 0 }, IMAGES, EFFORT(LOW, HIGH),
      DEFAULT },
    { "xai", "grok-code-fast-1", "Grok Code Fast 1", 256000, 10000, { 0.2, 1.5, 0.02, 0 },
      EFFORT(LOW, HIGH) },

    { "deepseek", "deepseek-chat", "DeepSeek Chat", 128000, 8192, { 0.28, 0.42, 0.028, 0 },
      DEFAULT },
    { "deepseek", "deepseek-reasoner", "DeepSeek Reasoner", 128000, 65536,
      { 0.28, 0.42, 0.028, 0 }, EFFORT(LOW, HIGH) },

    { "cerebras", "gpt-oss-120b", "GPT OSS 120B", 131072, 40960, { 0.35, 0.75, 0, 0 },
      EFFORT(LOW, HIGH), DEFAULT },
    { "cerebras", "zai-glm-4.6", "GLM 4.6", 131072, 40960, { 2.25, 2.75, 0, 0 } },

    { "together", "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", "Qwen3 Coder 480B", 262144, 65536,
      { 2, 2, 0, 0 }, DEFAULT },
    { "together", "openai/gpt-oss-120b", "GPT OSS 120B", 131072, 65536, { 0.15, 0.6, 0, 0 },
      EFFORT(LOW, HIGH) },

    { "fireworks", "accounts/fireworks/models/kimi-k2-instruct-0905", "Kimi K2 0905", 262144,
      32768, { 0.6, 2.5, 0, 0 }, DEFAULT },

    { "zai", "glm-4.6", "GLM 4.6", 204800, 131072, { 0.6, 2.2, 0.11, 0 }, EFFORT(LOW, HIGH),
      DEFAULT },
    { "zai", "glm-4.5-air", "GLM 4.5 Air", 131072, 98304, { 0.2, 1.1, 0.03, 0 },
      EFFORT(LOW, HIGH) },
};
// clang-format on
const size_t catalogue_model_count = G_N_ELEMENTS(catalogue_models);

const CatalogueProvider *catalogue_find_provider(const char *name)
{
    for (size_t i = 0; i < catalogue_provider_count; i++) {
        if (g_strcmp0(name, catalogue_providers[i].name) == 0)
            return &catalogue_providers[i];
    }
    return NULL;
}

bool catalogue_is_default(const Model *model)
{
    for (size_t i = 0; i < catalogue_model_count; i++) {
        const CatalogueModel *entry = &catalogue_models[i];
        if (entry->is_default && strcmp(entry->provider, model->provider) == 0 &&
            strcmp(entry->id, model->id) == 0)
            return true;
    }
    return false;
}
