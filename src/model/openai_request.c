/*
 * OpenAI Chat Completions: writing the request.
 */
#include "model/message.h"
#include "model/openai.h"

#define TOOL_IMAGES   "Attached image(s) from tool result:"
#define AFTER_RESULTS "I have processed the tool results."

char *openai_make_url(const Model *model)
{
    return wire_join_url(model->base_url, "/chat/completions");
}

static void append_image(json_t *parts, const json_t *block)
{
    g_autofree char *url = wire_image_url(block);
    json_t *image = json_make("url:%s", url);
    json_append_take(parts, json_make("type:%s image_url:%p", "image_url", image));
}

/* A string, or parts when there are images. */
static json_t *write_user_content(const json_t *blocks)
{
    if (!wire_has_images(blocks)) {
        g_autofree char *text = wire_join_text(blocks, "\n");
        return json_text(text);
    }
    json_t *parts = json_array();
    json_each (blocks, i, block) {
        if (wire_block_is(block, "text"))
            json_append_take(parts, message_text_block(json_get_text(block, "text")));
        else if (wire_block_is(block, "image"))
            append_image(parts, block);
    }
    return parts;
}

static json_t *write_tool_call(const json_t *block)
{
    g_autofree char *arguments = wire_arguments_text(block);
    json_t *function = json_make("name:%s arguments:%s", json_get_text(block, "name"), arguments);
    return json_make("id:%s type:%s function:%p", json_get_text(block, "id"), "function", function);
}

/* The reasoning of one assistant message, and the field it goes into. */
typedef struct Reasoning {
    GString *text;
    const char *field; // borrowed; NULL: none that can be replayed
} Reasoning;

static void gather_reasoning(const json_t *blocks, const OpenaiCompat *compat, Reasoning *reasoning)
{
    json_each (blocks, i, block) {
        if (!wire_block_is(block, "thinking"))
            continue;
        const char *field = json_get_text(block, "thinkingSignature");
        const char *text = json_get_text(block, "thinking");
        if (field && g_strv_contains(openai_reasoning_fields, field) && !reasoning->field)
            reasoning->field = field;
        if (!text || !*text)
            continue;
        if (reasoning->text->len > 0)
            g_string_append_c(reasoning->text, '\n');
        g_string_append(reasoning->text, text);
    }
    if (reasoning->field && compat->reasoning_content_field)
        reasoning->field = compat->reasoning_content_field;
}

void openai_write_assistant(const Model *model, const json_t *message, json_t *out)
{
    OpenaiCompat compat_ = openai_compat(model);
    const OpenaiCompat *compat = &compat_;
    const json_t *blocks = json_get_array(message, "content");
    g_autofree char *text = wire_join_text(blocks, "\n");
    json_t *calls = json_array();
    json_each (blocks, i, block) {
        if (wire_block_is(block, "toolCall"))
            json_append_take(calls, write_tool_call(block));
    }
    bool has_calls = json_array_size(calls) > 0;
    Reasoning reasoning = { .text = g_string_new(NULL) };
    gather_reasoning(blocks, compat, &reasoning);
    GString *content = g_string_new(text);
    if (compat->requires_thinking_as_text && reasoning.text->len > 0) {
        g_string_prepend(content, content->len > 0 ? "\n\n" : "");
        g_string_prepend(content, reasoning.text->str);
        reasoning.field = NULL;
    }

    if (content->len > 0 || has_calls || reasoning.field) {
        bool is_null =
            content->len == 0 && has_calls && !compat->requires_assistant_content_for_tool_calls;
        json_t *answer =
            wire_append_message(out, "assistant", is_null ? json_null() : json_text(content->str));
        if (!reasoning.field && has_calls && compat->requires_reasoning_content_for_tool_calls)
            reasoning.field = compat->reasoning_content_field ? compat->reasoning_content_field
                                                              : "reasoning_content";
        if (reasoning.field)
            json_set_text(answer, reasoning.field, reasoning.text->str);
        if (has_calls)
            json_object_set(answer, "tool_calls", calls);
    }
    json_decref(calls);
    g_string_free(reasoning.text, TRUE);
    g_string_free(content, TRUE);
}

/* Images cannot be in a tool message: they are gathered in `images`. */
static void append_tool_result(json_t *out, const json_t *message, const OpenaiCompat *compat,
                               json_t *images)
{
    const json_t *blocks = json_get_array(message, "content");
    g_autofree char *text = wire_join_text(blocks, "\n");
    json_each (blocks, i, block) {
        if (wire_block_is(block, "image"))
            append_image(images, block);
    }
    bool is_image_only = *text == '\0' && wire_has_images(blocks);
    json_t *result =
        wire_append_message(out, "tool", json_text(is_image_only ? WIRE_IMAGE_ONLY : text));
    json_set_text(result, "tool_call_id", json_get_text(message, "toolCallId"));
    if (compat->requires_tool_result_name)
        json_set_text(result, "name", json_get_text(message, "toolName"));
}

/* Some servers want a word of the assistant between results and one of the user. */
static void end_results(json_t *out, const OpenaiCompat *compat)
{
    if (compat->requires_assistant_after_tool_result)
        wire_append_message(out, "assistant", json_text(AFTER_RESULTS));
}

void openai_write_results(const Model *model, const json_t *results, json_t *out)
{
    OpenaiCompat compat = openai_compat(model);
    json_t *images = json_array();
    json_each (results, i, message)
        append_tool_result(out, message, &compat, images);
    if (json_array_size(images) > 0) {
        end_results(out, &compat);
        json_array_insert_new(images, 0, message_text_block(TOOL_IMAGES));
    }
    wire_append_message(out, "user", images);
}

void openai_write_user(const Model *model, const json_t *message, bool is_after_tool, json_t *out)
{
    OpenaiCompat compat = openai_compat(model);
    bool is_developer = strcmp(message_role(message), "developer") == 0 &&
                        compat.supports_developer_role && model->is_reasoning;
    if (is_after_tool)
        end_results(out, &compat);
    wire_append_message(out, is_developer ? "developer" : "user",
                        write_user_content(json_get_array(message, "content")));
}

void openai_write_system(const ProviderRequest *request, json_t *out)
{
    OpenaiCompat compat = openai_compat(request->model);
    const char *const *blocks = request->system_blocks;
    bool is_developer = compat.supports_developer_role && request->model->is_reasoning;
    const char *role = is_developer ? "developer" : "system";
    GString *joined = g_string_new(NULL);
    for (size_t i = 0; blocks && blocks[i]; i++) {
        if (!*blocks[i])
            continue;
        if (compat.supports_multiple_system_messages) {
            wire_append_message(out, role, json_text(blocks[i]));
            continue;
        }
        if (joined->len > 0)
            g_string_append(joined, "\n\n");
        g_string_append(joined, blocks[i]);
    }
    if (joined->len > 0)
        wire_append_message(out, role, json_text(joined->str));
    g_string_free(joined, TRUE);
}

static json_t *write_tools(const json_t *tools)
{
    json_t *out = json_array();
    json_each (tools, i, tool) {
        json_t *function = json_make("name:%s description:%s", json_get_text(tool, "name"),
                                     json_get_text(tool, "description"));
        json_object_set(function, "parameters", json_object_get(tool, "parameters"));
        json_append_take(out, json_make("type:%s function:%p", "function", function));
    }
    return out;
}

static json_t *effort_word(const OpenaiCompat *compat, ThinkingLevel level)
{
    const char *name = thinking_level_name(level);
    const char *mapped = json_get_text(compat->reasoning_effort_map, name);
    return json_text(mapped ? mapped : name);
}

static void set_thinking(json_t *body, const ProviderRequest *request, const OpenaiCompat *compat)
{
    if (!request->model->is_reasoning)
        return;
    bool is_on = request->thinking != THINKING_OFF;
    json_t *object;
    switch (compat->thinking) {
    case OPENAI_THINKING_EFFORT:
        if (is_on && compat->supports_reasoning_effort)
            json_set_take(body, "reasoning_effort", effort_word(compat, request->thinking));
        return;
    case OPENAI_THINKING_OPENROUTER:
        object = json_make("effort:%p",
                           is_on ? effort_word(compat, request->thinking) : json_text("none"));
        json_set_take(body, "reasoning", object);
        return;
    case OPENAI_THINKING_ZAI:
        object = json_make("type:%s", is_on ? "enabled" : "disabled");
        json_set_take(body, "thinking", object);
        return;
    case OPENAI_THINKING_QWEN:
        json_set_bool(body, "enable_thinking", is_on);
        return;
    case OPENAI_THINKING_QWEN_CHAT_TEMPLATE:
        object = json_make("enable_thinking:%i", is_on);
        json_set_take(body, "chat_template_kwargs", object);
        return;
    }
}

void openai_write_head(const ProviderRequest *request, const BodyFacts *facts, json_t *head)
{
    OpenaiCompat compat = openai_compat(request->model);
    json_add(head, "model:%s stream:%i", request->model->id, true);
    if (compat.supports_usage_in_streaming) {
        json_set_take(head, "stream_options", json_make("include_usage:%i", true));
    }
    if (compat.supports_store)
        json_set_bool(head, "store", false);
    if (compat.supports_cache_key && request->session_id &&
        wire_cache_retention() != WIRE_CACHE_NONE)
        json_set_text(head, "prompt_cache_key", request->session_id);
    // a history with calls and no tools field is refused by several servers
    if (json_array_size(request->tools) > 0 || facts->has_calls)
        json_set_take(head, "tools", write_tools(request->tools));
}

void openai_write_tail(const ProviderRequest *request, const BodyFacts *facts G_GNUC_UNUSED,
                       json_t *tail)
{
    OpenaiCompat compat = openai_compat(request->model);
    const json_t *flags = request->model->compat;
    bool is_forced = request->forced_tool && json_get_bool(flags, "supportsToolChoice", true);
    json_set_int(tail, compat.max_tokens_field, wire_max_tokens(request));
    if (!is_forced || !json_get_bool(flags, "disableReasoningOnForcedToolChoice", false))
        set_thinking(tail, request, &compat);
    if (is_forced)
        json_set_take(tail, "tool_choice",
                      json_pack("{s:s, s:{s:s}}", "type", "function", "function", "name",
                                request->forced_tool));
    if (compat.supports_service_tier && request->service_tier)
        json_set_text(tail, "service_tier", request->service_tier);
    if (compat.routing)
        json_set_take(tail, "provider", json_deep_copy(compat.routing));
}
