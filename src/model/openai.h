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
    bool supports_cache_key;    // OpenAI's own: prompt_cache_key
    bool supports_service_tier; // likewise
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
} OpenaiCompat;

/* Guessed from provider and base URL, then what the model's compat object says. */
OpenaiCompat openai_compat(const Model *model);

/* The fields that reasoning comes in and is replayed under; NULL-terminated. */
extern const char *const openai_reasoning_fields[];

char *openai_make_url(const Model *model);
void openai_write_head(const ProviderRequest *request, const BodyFacts *facts, json_t *head);
void openai_write_tail(const ProviderRequest *request, const BodyFacts *facts, json_t *tail);
void openai_write_system(const ProviderRequest *request, json_t *out);
void openai_write_user(const Model *model, const json_t *message, bool is_after_tool, json_t *out);
void openai_write_assistant(const Model *model, const json_t *message, json_t *out);
void openai_write_results(const Model *model, const json_t *results, json_t *out);
