/*
 * Anthropic Messages: writing the request.
 */
#include "base/env.h"
#include "base/secrets.h"
#include "model/anthropic.h"
#include "model/message.h"

#define ANTHROPIC_HOST          "api.anthropic.com"
#define ANTHROPIC_ANSWER_TOKENS 4000 // what is left for the answer beside a thinking budget
#define ANTHROPIC_MIN_BUDGET    1024
#define ANTHROPIC_OAUTH_PREFIX  "sk-ant-oat"
#define ANTHROPIC_BETA_OAUTH    "oauth-2025-04-20"
#define ANTHROPIC_BETA_THINKING "interleaved-thinking-2025-05-14"

static bool is_first_party(const Model *model)
{
    g_autoptr(GUri) uri = g_uri_parse(model->base_url, G_URI_FLAGS_NONE, NULL);
    return uri && g_strcmp0(g_uri_get_host(uri), ANTHROPIC_HOST) == 0;
}

static bool is_oauth_token(const char *key)
{
    return g_str_has_prefix(key, ANTHROPIC_OAUTH_PREFIX) ||
           g_strcmp0(key, secrets_get("ANTHROPIC_OAUTH_TOKEN")) == 0;
}

/* The tokens to think with; 0 when this request does not think by budget. Leaves room for an answer
   within *max_tokens, which is raised when the model allows it. */
static int64_t thinking_budget(const ProviderRequest *request, int64_t *max_tokens)
{
    const Model *model = request->model;
    if (!model->is_reasoning || request->thinking == THINKING_OFF ||
        model->thinking_mode != THINKING_MODE_BUDGET)
        return 0;
    int64_t budget = wire_thinking_budget(request->thinking_budgets, request->thinking);
    *max_tokens = MAX(*max_tokens, budget + ANTHROPIC_ANSWER_TOKENS);
    if (model->max_tokens > 0)
        *max_tokens = MIN(*max_tokens, model->max_tokens);
    budget = MIN(budget, *max_tokens - ANTHROPIC_ANSWER_TOKENS);
    return budget >= ANTHROPIC_MIN_BUDGET ? budget : 0;
}

char *anthropic_make_url(const Model *model)
{
    g_autofree char *base = wire_join_url(model->base_url, "");
    return g_strconcat(base, g_str_has_suffix(base, "/v1") ? "/messages" : "/v1/messages", NULL);
}

void anthropic_add_headers(const ProviderRequest *request, GPtrArray *headers)
{
    const char *key = request->api_key;
    const char *betas[3] = { NULL };
    size_t beta_count = 0;
    int64_t max_tokens = wire_max_tokens(request);
    if (json_array_size(request->tools) > 0 && thinking_budget(request, &max_tokens) > 0)
        betas[beta_count++] = ANTHROPIC_BETA_THINKING;
    if (key) {
        bool is_oauth = is_oauth_token(key);
        if (is_oauth)
            betas[beta_count++] = ANTHROPIC_BETA_OAUTH;
        else
            g_ptr_array_add(headers, g_strconcat("x-api-key: ", key, NULL));
        // other hosts that speak this format want one or the other, few say which
        if (is_oauth || request->model->has_bearer_auth || !is_first_party(request->model))
            g_ptr_array_add(headers, g_strconcat("authorization: Bearer ", key, NULL));
    }
    g_ptr_array_add(headers, g_strdup("anthropic-version: 2023-06-01"));
    if (beta_count > 0) {
        g_autofree char *list = g_strjoinv(",", (char **)betas);
        g_ptr_array_add(headers, g_strconcat("anthropic-beta: ", list, NULL));
    }
}

/* Text and images of a user message or a tool result. */
static json_t *write_content(const json_t *blocks)
{
    json_t *content = json_array();
    bool has_text = false;
    size_t i;
    json_t *block;
    json_array_foreach (blocks, i, block) {
        if (wire_block_is(block, "text")) {
            json_append_take(content, message_text_block(json_get_text(block, "text")));
            has_text = true;
        } else if (wire_block_is(block, "image")) {
            json_t *source = json_object();
            json_set_text(source, "type", "base64");
            json_set_text(source, "media_type", json_get_text(block, "mimeType"));
            json_set_text(source, "data", json_get_text(block, "data"));
            json_t *image = json_object();
            json_set_text(image, "type", "image");
            json_set_take(image, "source", source);
            json_append_take(content, image);
        }
    }
    if (!has_text && json_array_size(content) > 0)
        json_array_insert_new(content, 0, message_text_block("(see attached image)"));
    return content;
}

static json_t *write_tool_result(const json_t *message)
{
    g_autoptr(json_t) content = write_content(json_get_array(message, "content"));
    json_t *result = json_object();
    json_set_text(result, "type", "tool_result");
    json_set_text(result, "tool_use_id", json_get_text(message, "toolCallId"));
    const json_t *first = json_array_get(content, 0);
    if (json_array_size(content) == 1)
        json_set_text(result, "content", json_get_text(first, "text"));
    else if (first)
        json_object_set(result, "content", content);
    else
        json_set_text(result, "content", "");
    json_set_bool(result, "is_error", json_get_bool(message, "isError", false));
    return result;
}

static json_t *write_thinking(const json_t *block)
{
    const char *text = json_get_text(block, "thinking");
    const char *signature = json_get_text(block, "thinkingSignature");
    if (!signature || !*signature)
        return text && *text ? message_text_block(text) : NULL;
    json_t *thinking = json_object();
    json_set_text(thinking, "type", "thinking");
    json_set_text(thinking, "thinking", text ? text : "");
    json_set_text(thinking, "signature", signature);
    return thinking;
}

static json_t *write_assistant_block(const json_t *block)
{
    if (wire_block_is(block, "text"))
        return message_text_block(json_get_text(block, "text"));
    if (wire_block_is(block, "thinking"))
        return write_thinking(block);
    json_t *out = NULL;
    if (wire_block_is(block, "redactedThinking")) {
        out = json_object();
        json_set_text(out, "type", "redacted_thinking");
        json_set_text(out, "data", json_get_text(block, "data"));
    } else if (wire_block_is(block, "toolCall")) {
        json_t *input = json_get_object(block, "arguments");
        out = json_object();
        json_set_text(out, "type", "tool_use");
        json_set_text(out, "id", json_get_text(block, "id"));
        json_set_text(out, "name", json_get_text(block, "name"));
        json_set_take(out, "input", input ? json_incref(input) : json_object());
    }
    return out;
}

static void append_message(json_t *messages, const char *role, json_t *content)
{
    if (json_array_size(content) == 0) {
        json_decref(content);
        return;
    }
    json_t *message = json_object();
    json_set_text(message, "role", role);
    json_set_take(message, "content", content);
    json_append_take(messages, message);
}

static json_t *write_messages(const json_t *messages)
{
    json_t *out = json_array();
    json_t *results =
        NULL; // content of the user message that tool results are gathered in; borrowed
    size_t i;
    json_t *message;
    json_array_foreach (messages, i, message) {
        const char *role = message_role(message);
        const json_t *blocks = json_get_array(message, "content");
        if (strcmp(role, "toolResult") == 0) {
            json_t *result = write_tool_result(message);
            if (results) {
                json_append_take(results, result);
                continue;
            }
            results = json_array();
            json_append_take(results, result);
            append_message(out, "user", results);
            continue;
        }
        results = NULL;
        if (strcmp(role, "assistant") != 0) {
            append_message(out, "user", write_content(blocks));
            continue;
        }
        json_t *content = json_array();
        size_t j;
        json_t *block;
        json_array_foreach (blocks, j, block)
            json_append_take(content, write_assistant_block(block));
        append_message(out, "assistant", content);
    }
    const json_t *last = json_array_get(out, json_array_size(out) - 1);
    if (last && strcmp(message_role(last), "assistant") == 0) {
        json_t *content = json_array();
        json_append_take(content, message_text_block("Continue."));
        append_message(out, "user", content);
    }
    return out;
}

static json_t *write_system(const char *const *blocks)
{
    json_t *system = json_array();
    for (size_t i = 0; blocks && blocks[i]; i++) {
        if (*blocks[i])
            json_append_take(system, message_text_block(blocks[i]));
    }
    return system;
}

static json_t *write_tools(const json_t *tools)
{
    json_t *out = json_array();
    size_t i;
    json_t *tool;
    json_array_foreach (tools, i, tool) {
        json_t *copy = json_object();
        json_set_text(copy, "name", json_get_text(tool, "name"));
        json_set_text(copy, "description", json_get_text(tool, "description"));
        json_object_set(copy, "input_schema", json_object_get(tool, "parameters"));
        json_append_take(out, copy);
    }
    return out;
}

/* What marks the end of a cached prefix, or NULL when nothing is to be kept. */
static json_t *cache_marker(const Model *model)
{
    const char *retention = env_get("CACHE_RETENTION");
    if (g_strcmp0(retention, "none") == 0)
        return NULL;
    json_t *marker = json_object();
    json_set_text(marker, "type", "ephemeral");
    if (g_strcmp0(retention, "long") == 0 && is_first_party(model))
        json_set_text(marker, "ttl", "1h"); // on all markers: a 1h one must not follow a 5m one
    return marker;
}

static void mark_last(json_t *array, const json_t *marker)
{
    json_t *last = json_array_get(array, json_array_size(array) - 1);
    if (last)
        json_object_set_new(last, "cache_control", json_deep_copy(marker));
}

static void mark_user_message(json_t *message, const json_t *marker)
{
    json_t *content = json_get_array(message, "content");
    for (size_t i = json_array_size(content); i > 0; i--) {
        json_t *block = json_array_get(content, i - 1);
        if (wire_block_is(block, "text")) {
            json_object_set_new(block, "cache_control", json_deep_copy(marker));
            return;
        }
    }
    mark_last(content, marker);
}

/* At most four: last tool, last system block, and the last two user messages. */
static void mark_cache(const Model *model, json_t *tools, json_t *system, json_t *messages)
{
    g_autoptr(json_t) marker = cache_marker(model);
    if (!marker)
        return;
    mark_last(tools, marker);
    mark_last(system, marker);
    int left = 2;
    for (size_t i = json_array_size(messages); i > 0 && left > 0; i--) {
        json_t *message = json_array_get(messages, i - 1);
        if (strcmp(message_role(message), "user") == 0) {
            mark_user_message(message, marker);
            left--;
        }
    }
}

static void set_thinking(json_t *body, const ProviderRequest *request, int64_t budget)
{
    static const char *const efforts[] = {
        [THINKING_MINIMAL] = "low", [THINKING_LOW] = "low",   [THINKING_MEDIUM] = "medium",
        [THINKING_HIGH] = "high",   [THINKING_XHIGH] = "max",
    };
    const Model *model = request->model;
    if (!model->is_reasoning)
        return;
    json_t *thinking = json_object();
    if (request->thinking != THINKING_OFF && model->thinking_mode == THINKING_MODE_EFFORT) {
        json_t *output = json_object();
        json_set_text(thinking, "type", "adaptive");
        json_set_text(output, "effort", efforts[request->thinking]);
        json_set_take(body, "output_config", output);
    } else if (budget > 0) {
        json_set_text(thinking, "type", "enabled");
        json_set_int(thinking, "budget_tokens", budget);
    } else {
        json_set_text(thinking, "type", "disabled");
    }
    json_set_take(body, "thinking", thinking);
}

static bool is_of_user(const json_t *messages, size_t index)
{
    const char *role = message_role(json_array_get(messages, index));
    return strcmp(role, "user") == 0 || strcmp(role, "developer") == 0;
}

/* Where the model's last turn begins: behind the last message of the user that answers no tool
   call. One that stands behind tool results goes into the same message on the wire. */
static size_t last_turn_start(const json_t *messages)
{
    for (size_t i = json_array_size(messages); i > 0; i--) {
        const char *before = i > 1 ? message_role(json_array_get(messages, i - 2)) : "";
        if (is_of_user(messages, i - 1) && strcmp(before, "toolResult") != 0)
            return i;
    }
    return 0;
}

static bool is_signed_thinking(const json_t *block)
{
    const char *signature = json_get_text(block, "thinkingSignature");
    return wire_block_is(block, "redactedThinking") ||
           (wire_block_is(block, "thinking") && signature && *signature);
}

/* With thinking on, the server refuses a turn that has tool calls and did not begin with thinking:
   one that another model began, or that was begun with thinking off. */
static bool lacks_thinking(const json_t *messages)
{
    size_t start = last_turn_start(messages);
    bool has_first = false, begins_with_thinking = false;
    for (size_t i = start; i < json_array_size(messages); i++) {
        const json_t *message = json_array_get(messages, i);
        if (strcmp(message_role(message), "assistant") != 0)
            continue;
        const json_t *content = json_get_array(message, "content");
        if (!has_first)
            begins_with_thinking = is_signed_thinking(json_array_get(content, 0));
        has_first = true;
        g_autoptr(json_t) calls = message_tool_calls(message);
        if (json_array_size(calls) > 0)
            return !begins_with_thinking;
    }
    return false;
}

json_t *anthropic_make_body(const ProviderRequest *request, const json_t *messages)
{
    const Model *model = request->model;
    bool is_thinking = !lacks_thinking(messages);
    int64_t max_tokens = wire_max_tokens(request);
    int64_t budget = is_thinking ? thinking_budget(request, &max_tokens) : 0;
    json_t *system = write_system(request->system_blocks);
    json_t *tools = write_tools(request->tools);
    json_t *list = write_messages(messages);
    mark_cache(model, tools, system, list);

    json_t *body = json_object();
    json_set_text(body, "model", model->id);
    json_set_int(body, "max_tokens", max_tokens);
    json_set_bool(body, "stream", true);
    if (json_array_size(system) > 0)
        json_object_set(body, "system", system);
    if (json_array_size(tools) > 0)
        json_object_set(body, "tools", tools);
    json_set_take(body, "messages", list);
    if (is_thinking)
        set_thinking(body, request, budget);
    json_decref(system);
    json_decref(tools);
    return body;
}
