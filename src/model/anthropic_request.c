/*
 * Writes the body of a request in the format of Anthropic Messages.
 */
#include "base/secrets.h"
#include "base/str.h"
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

static bool is_anthropics(const Model *model)
{
    return is_first_party(model) || strcmp(model->provider, "anthropic") == 0;
}

static bool is_oauth_token(const char *key)
{
    return str_has_prefix(key, ANTHROPIC_OAUTH_PREFIX) ||
           g_strcmp0(key, secrets_get("ANTHROPIC_OAUTH_TOKEN")) == 0;
}

/* The tokens to think with; 0 when this request does not think by budget. Leaves room for an answer
   within *max_tokens, which is raised when the model allows it. */
static int64_t thinking_budget(const ProviderRequest *request, int64_t *max_tokens)
{
    const Model *model = request->model;
    if (!model->is_reasoning || request->thinking == THINKING_OFF ||
        model->thinking_mode == THINKING_MODE_EFFORT)
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
    bool is_oauth = key && is_oauth_token(key);
    size_t beta_count = 0;
    int64_t max_tokens = wire_max_tokens(request);
    if (json_array_size(request->tools) > 0 && thinking_budget(request, &max_tokens) > 0)
        betas[beta_count++] = ANTHROPIC_BETA_THINKING;
    if (is_oauth)
        betas[beta_count++] = ANTHROPIC_BETA_OAUTH;
    // one of the two, never both: Anthropic's own provider at any address (a proxy hands it on), or
    // another that speaks this format
    if (is_oauth || request->model->has_bearer_auth || !is_anthropics(request->model))
        wire_add_bearer(request, headers);
    else if (key)
        g_ptr_array_add(headers, g_strconcat("x-api-key: ", key, NULL));
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
    json_each (blocks, i, block) {
        if (wire_block_is(block, "text")) {
            json_append_take(content, message_text_block(json_get_text(block, "text")));
            has_text = true;
        } else if (wire_block_is(block, "image")) {
            json_t *source =
                json_make("type:%s media_type:%s data:%s", "base64",
                          json_get_text(block, "mimeType"), json_get_text(block, "data"));
            json_t *image = json_object();
            json_set_text(image, "type", "image");
            json_set_take(image, "source", source);
            json_append_take(content, image);
        }
    }
    if (!has_text && json_array_size(content) > 0)
        json_array_insert_new(content, 0, message_text_block(WIRE_IMAGE_ONLY));
    return content;
}

static json_t *write_tool_result(const json_t *message)
{
    g_autoptr(json_t) content = write_content(json_get_array(message, "content"));
    json_t *result =
        json_make("type:%s tool_use_id:%s", "tool_result", json_get_text(message, "toolCallId"));
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
    json_add(thinking, "thinking:%s signature:%s", text ? text : "", signature);
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
        out = json_make("type:%s data:%s", "redacted_thinking", json_get_text(block, "data"));
    } else if (wire_block_is(block, "toolCall")) {
        json_t *input = json_get_object(block, "arguments");
        out = json_make("type:%s id:%s name:%s input:%p", "tool_use", json_get_text(block, "id"),
                        json_get_text(block, "name"), input ? json_incref(input) : json_object());
    }
    return out;
}

void anthropic_write_user(const Model *model G_GNUC_UNUSED, const json_t *message,
                          bool is_after_tool G_GNUC_UNUSED, json_t *out)
{
    wire_append_message(out, "user", write_content(json_get_array(message, "content")));
}

void anthropic_write_assistant(const Model *model G_GNUC_UNUSED, const json_t *message, json_t *out)
{
    json_t *content = json_array();
    json_each (json_get_array(message, "content"), i, block)
        json_append_take(content, write_assistant_block(block));
    wire_append_message(out, "assistant", content);
}

void anthropic_write_results(const Model *model G_GNUC_UNUSED, const json_t *results, json_t *out)
{
    json_t *content = json_array();
    json_each (results, i, result)
        json_append_take(content, write_tool_result(result));
    wire_append_message(out, "user", content);
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
    json_each (tools, i, tool) {
        json_t *copy = json_make("name:%s description:%s", json_get_text(tool, "name"),
                                 json_get_text(tool, "description"));
        json_object_set(copy, "input_schema", json_object_get(tool, "parameters"));
        json_append_take(out, copy);
    }
    return out;
}

/* What marks the end of a cached prefix, or NULL when nothing is to be kept. There are at most
   four: last tool, last system block, and the last two messages of the user. */
static json_t *cache_marker(const Model *model)
{
    WireCache retention = wire_cache_retention();
    if (retention == WIRE_CACHE_NONE)
        return NULL;
    json_t *marker = json_make("type:%s", "ephemeral");
    if (retention == WIRE_CACHE_LONG && is_first_party(model))
        json_set_text(marker, "ttl", "1h"); // on all markers: a 1h one must not follow a 5m one
    return marker;
}

char *anthropic_make_marker(const Model *model)
{
    g_autoptr(json_t) marker = cache_marker(model);
    g_autofree char *text = marker ? json_to_text(marker) : NULL;
    return text ? g_strconcat(",\"cache_control\":", text, NULL) : NULL;
}

/* In the last text block, else in the last block: before its brace. The content is the message's
   last member. */
size_t anthropic_marker_place(const json_t *wire_message)
{
    const json_t *content = json_get_array(wire_message, "content");
    size_t count = json_array_size(content);
    size_t marked = count;
    for (size_t i = count; i > 0 && marked == count; i--) {
        if (wire_block_is(json_array_get(content, i - 1), "text"))
            marked = i - 1;
    }
    size_t from_end = strlen("}]}");
    for (size_t i = marked + 1; i < count; i++) {
        g_autofree char *text = json_to_text(json_array_get(content, i));
        from_end += strlen(text) + strlen(",");
    }
    return count > 0 ? from_end : 0;
}

static void mark_last(json_t *array, const json_t *marker)
{
    json_t *last = json_array_get(array, json_array_size(array) - 1);
    if (last && marker)
        json_object_set_new(last, "cache_control", json_deep_copy(marker));
}

static void set_thinking(json_t *body, const ProviderRequest *request, int64_t budget)
{
    static const char *const efforts[] = {
        [THINKING_MINIMAL] = "low", [THINKING_LOW] = "low",   [THINKING_MEDIUM] = "medium",
        [THINKING_HIGH] = "high",   [THINKING_XHIGH] = "max",
    };
    const Model *model = request->model;
    bool is_on = request->thinking != THINKING_OFF;
    bool is_adaptive = is_on && model->thinking_mode == THINKING_MODE_EFFORT;
    json_t *thinking = json_make("type:%s", is_adaptive  ? "adaptive"
                                            : budget > 0 ? "enabled"
                                                         : "disabled");
    if (budget > 0)
        json_set_int(thinking, "budget_tokens", budget);
    json_set_take(body, "thinking", thinking);
    if (is_adaptive || (budget > 0 && model->thinking_mode == THINKING_MODE_BUDGET_EFFORT)) {
        const json_t *words = json_get_object(model->compat, "reasoningEffortMap");
        const char *word = json_get_text(words, thinking_level_name(request->thinking));
        json_set_take(body, "output_config",
                      json_make("effort:%s", word ? word : efforts[request->thinking]));
    }
}

void anthropic_write_head(const ProviderRequest *request, const BodyFacts *facts G_GNUC_UNUSED,
                          json_t *head)
{
    g_autoptr(json_t) marker = cache_marker(request->model);
    g_autoptr(json_t) system = write_system(request->system_blocks);
    g_autoptr(json_t) tools = write_tools(request->tools);
    mark_last(tools, marker);
    mark_last(system, marker);
    json_add(head, "model:%s stream:%i", request->model->id, true);
    if (json_array_size(system) > 0)
        json_object_set(head, "system", system);
    if (json_array_size(tools) > 0)
        json_object_set(head, "tools", tools);
}

/* With thinking on, the server refuses a turn that has tool calls and did not begin with thinking,
   and one whose tool is chosen already. */
void anthropic_write_tail(const ProviderRequest *request, const BodyFacts *facts, json_t *tail)
{
    int64_t max_tokens = wire_max_tokens(request);
    bool may_think = !facts->lacks_thinking && !request->forced_tool;
    int64_t budget = may_think ? thinking_budget(request, &max_tokens) : 0;
    json_set_int(tail, "max_tokens", max_tokens);
    if (facts->has_stub_tools)
        json_set_take(tail, "tool_choice", json_pack("{s:s}", "type", "none"));
    else if (request->forced_tool)
        json_set_take(tail, "tool_choice",
                      json_pack("{s:s, s:s}", "type", "tool", "name", request->forced_tool));
    if (request->model->is_reasoning && may_think)
        set_thinking(tail, request, budget);
}
