/*
 * What servers of the chat completions format do differently. Unknown hosts get the least.
 */
#include "model/openai.h"

typedef struct Known {
    const char *provider; // NULL: by host alone
    const char *host;     // the host or the end of it; NULL: by provider alone
    OpenaiCompat compat;
} Known;

#define USUAL     .supports_usage_in_streaming = true, .supports_reasoning_effort = true
#define NEW_FIELD .max_tokens_field = "max_completion_tokens"
#define OLD_FIELD .max_tokens_field = "max_tokens"

static const Known known_servers[] = {
    { "openai",
      "api.openai.com",
      { USUAL, NEW_FIELD, .supports_store = true, .supports_cache_key = true,
        .supports_service_tier = true, .supports_developer_role = true } },
    { "openrouter", "openrouter.ai", { USUAL, OLD_FIELD, .thinking = OPENAI_THINKING_OPENROUTER } },
    { "groq", "api.groq.com", { USUAL, NEW_FIELD } },
    { "cerebras", "api.cerebras.ai", { USUAL, NEW_FIELD } },
    { "xai", "api.x.ai", { .supports_usage_in_streaming = true, NEW_FIELD } },
    { "mistral",
      "api.mistral.ai",
      { .supports_usage_in_streaming = true,
        OLD_FIELD,
        .requires_tool_result_name = true,
        .requires_thinking_as_text = true,
        .requires_mistral_tool_ids = true } },
    { "deepseek",
      "api.deepseek.com",
      { .supports_usage_in_streaming = true,
        OLD_FIELD,
        .requires_reasoning_content_for_tool_calls = true } },
    { "together", "api.together.xyz", { USUAL, OLD_FIELD } },
    { "fireworks", "api.fireworks.ai", { USUAL, OLD_FIELD } },
    { "zai",
      "api.z.ai",
      { .supports_usage_in_streaming = true, OLD_FIELD, .thinking = OPENAI_THINKING_ZAI } },
    { "google", "generativelanguage.googleapis.com", { USUAL, OLD_FIELD } },
    { "ollama", NULL, { USUAL, OLD_FIELD } },
    { "llama.cpp", NULL, { USUAL, OLD_FIELD } },
    { "lm-studio", NULL, { USUAL, OLD_FIELD } },
};
static const OpenaiCompat unknown_server = { USUAL, NEW_FIELD };

static bool host_is(const char *host, const char *wanted)
{
    if (!host || !wanted || !g_str_has_suffix(host, wanted))
        return false;
    size_t more = strlen(host) - strlen(wanted);
    return more == 0 || host[more - 1] == '.';
}

static OpenaiCompat guess(const Model *model)
{
    g_autoptr(GUri) uri = g_uri_parse(model->base_url, G_URI_FLAGS_NONE, NULL);
    const char *host = uri ? g_uri_get_host(uri) : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(known_servers); i++) {
        if (host_is(host, known_servers[i].host))
            return known_servers[i].compat;
    }
    // a provider's own name at another host is a proxy of it; OpenAI's is borrowed by everybody
    for (size_t i = 1; i < G_N_ELEMENTS(known_servers); i++) {
        if (g_strcmp0(model->provider, known_servers[i].provider) == 0)
            return known_servers[i].compat;
    }
    return unknown_server;
}

static void read_thinking_format(const json_t *json, OpenaiThinking *thinking)
{
    static const char *const names[] = {
        [OPENAI_THINKING_EFFORT] = "openai",
        [OPENAI_THINKING_OPENROUTER] = "openrouter",
        [OPENAI_THINKING_ZAI] = "zai",
        [OPENAI_THINKING_QWEN] = "qwen",
        [OPENAI_THINKING_QWEN_CHAT_TEMPLATE] = "qwen-chat-template",
    };
    const char *name = json_get_text(json, "thinkingFormat");
    for (size_t i = 0; name && i < G_N_ELEMENTS(names); i++) {
        if (strcmp(name, names[i]) == 0)
            *thinking = (OpenaiThinking)i;
    }
}

static void read_text(const json_t *json, const char *key, const char **text)
{
    const char *value = json_get_text(json, key);
    if (value && *value)
        *text = value;
}

OpenaiCompat openai_compat(const Model *model)
{
    static const struct {
        const char *name;
        size_t offset;
    } flags[] = {
        { "supportsStore", offsetof(OpenaiCompat, supports_store) },
        { "supportsDeveloperRole", offsetof(OpenaiCompat, supports_developer_role) },
        { "supportsMultipleSystemMessages",
          offsetof(OpenaiCompat, supports_multiple_system_messages) },
        { "supportsReasoningEffort", offsetof(OpenaiCompat, supports_reasoning_effort) },
        { "supportsUsageInStreaming", offsetof(OpenaiCompat, supports_usage_in_streaming) },
        { "requiresToolResultName", offsetof(OpenaiCompat, requires_tool_result_name) },
        { "requiresAssistantAfterToolResult",
          offsetof(OpenaiCompat, requires_assistant_after_tool_result) },
        { "requiresThinkingAsText", offsetof(OpenaiCompat, requires_thinking_as_text) },
        { "requiresMistralToolIds", offsetof(OpenaiCompat, requires_mistral_tool_ids) },
        { "requiresReasoningContentForToolCalls",
          offsetof(OpenaiCompat, requires_reasoning_content_for_tool_calls) },
        { "requiresAssistantContentForToolCalls",
          offsetof(OpenaiCompat, requires_assistant_content_for_tool_calls) },
    };
    OpenaiCompat self = guess(model);
    const json_t *json = model->compat;
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        bool *flag = (bool *)((char *)&self + flags[i].offset);
        *flag = json_get_bool(json, flags[i].name, *flag);
    }
    read_text(json, "maxTokensField", &self.max_tokens_field);
    read_text(json, "reasoningContentField", &self.reasoning_content_field);
    read_thinking_format(json, &self.thinking);
    self.reasoning_effort_map = json_get_object(json, "reasoningEffortMap");
    self.routing = json_get_object(json, "openRouterRouting");
    return self;
}

const char *const openai_reasoning_fields[] = { "reasoning_content", "reasoning", "reasoning_text",
                                                NULL };
