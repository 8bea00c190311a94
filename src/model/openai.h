/*
 * The request half of the OpenAI Chat Completions format (agent-core §2.5), and what its many
 * servers do differently. Private to this room.
 */
#pragma once

#include "model/wire.h"

typedef enum {
    OPENAI_THINKING_EFFORT,             // reasoning_effort: "high"
    OPENAI_THINKING_OPENROUTER,         // reasoning: {effort}
    OPENAI_THINKING_ZAI,                // thinking: {type}
    OPENAI_THINKING_QWEN,               // enable_thinking
    OPENAI_THINKING_QWEN_CHAT_TEMPLATE, // chat_template_kwargs.enable_thinking
} OpenaiThinking;

/* Strings and JSON are borrowed from the model or static. */
typedef struct OpenaiCompat {
    bool supports_store;
    bool supports_developer_role;
    bool supports_multiple_system_messages;
    bool supports_reasoning_effort;
    bool supports_usage_in_streaming;
    bool requires_tool_result_name;
    bool requires_assistant_after_tool_result;
    bool requires_thinking_as_text;
    bool requires_mistral_tool_ids;
    bool requires_reasoning_content_for_tool_calls;
    bool requires_assistant_content_for_tool_calls;
    const char *max_tokens_field;
    const char *reasoning_content_field; // NULL: the one the reasoning came in
    OpenaiThinking thinking;
    const json_t *reasoning_effort_map; // {"high":"max"}; may be NULL
    const json_t *routing;              // OpenRouter's `provider`; may be NULL
    const json_t *extra_body;           // may be NULL
} OpenaiCompat;

/* Guessed from provider and base URL, then what the model's compat object says. */
OpenaiCompat openai_compat(const Model *model);

/* True for the field names that reasoning comes in and is replayed under. */
bool openai_is_reasoning_field(const char *name);

char *openai_make_url(const Model *model);
void openai_add_headers(const ProviderRequest *request, GPtrArray *headers);
json_t *openai_make_body(const ProviderRequest *request, const json_t *messages);
