/*
 * OpenAI Responses: writing the request. Nothing is kept at the server: reasoning comes back
 * encrypted and is sent again as it came.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "model/message.h"
#include "model/responses.h"

#define MAX_CACHE_KEY 64 // characters of prompt_cache_key
#define MAX_ITEM_ID   64

char *responses_make_url(const Model *model)
{
    return wire_join_url(model->base_url, "/responses");
}

void responses_add_azure_headers(const ProviderRequest *request, GPtrArray *headers)
{
    if (request->api_key)
        g_ptr_array_add(headers, g_strconcat("api-key: ", request->api_key, NULL));
}

static json_t *text_part(const char *type, const char *text)
{
    return json_make("type:%s text:%s", type, text);
}

static json_t *write_content(const json_t *blocks)
{
    json_t *parts = json_array();
    json_each (blocks, i, block) {
        if (wire_block_is(block, "text")) {
            json_append_take(parts, text_part("input_text", json_get_text(block, "text")));
        } else if (wire_block_is(block, "image")) {
            g_autofree char *url = wire_image_url(block);
            json_append_take(
                parts, json_make("type:%s detail:%s image_url:%s", "input_image", "auto", url));
        }
    }
    return parts;
}

static json_t *item_new(const char *type)
{
    return json_make("type:%s", type);
}

void responses_write_system(const ProviderRequest *request, json_t *out)
{
    const char *role = request->model->is_reasoning ? "developer" : "system";
    const char *const *blocks = request->system_blocks;
    for (size_t i = 0; blocks && blocks[i]; i++) {
        if (*blocks[i])
            wire_append_message(out, role, json_text(blocks[i]));
    }
}

void responses_write_user(const Model *model, const json_t *message,
                          bool is_after_tool G_GNUC_UNUSED, json_t *out)
{
    bool is_developer = strcmp(message_role(message), "developer") == 0 && model->is_reasoning;
    wire_append_message(out, is_developer ? "developer" : "user",
                        write_content(json_get_array(message, "content")));
}

/* Nothing is stored at the server: what it thought is in the item, encrypted or (open models)
 * plain. */
static bool has_thoughts(const json_t *item)
{
    const char *encrypted = json_get_text(item, "encrypted_content");
    return (encrypted && *encrypted) || json_array_size(json_get_array(item, "content")) > 0;
}

/* NULL when the signature is none of this format. */
static json_t *reasoning_item(const json_t *block)
{
    const char *signature = json_get_text(block, "thinkingSignature");
    json_t *item = NULL;
    if (!signature || !json_parse_text(signature, &item, NULL))
        return NULL;
    if (wire_block_is(item, "reasoning") && has_thoughts(item))
        return item;
    json_decref(item);
    return NULL;
}

/* Reasoning that cannot be replayed: the items that came of it must not name themselves, or the
   server misses it. */
static bool has_lost_reasoning(const json_t *blocks)
{
    json_each (blocks, i, block) {
        if (!wire_block_is(block, "thinking"))
            continue;
        g_autoptr(json_t) item = reasoning_item(block);
        if (!item)
            return true;
    }
    return false;
}

bool responses_has_lost(const json_t *message)
{
    return has_lost_reasoning(json_get_array(message, "content"));
}

static bool is_item_id(const char *id, const char *prefix)
{
    return id && str_has_prefix(id, prefix) && strlen(id) <= MAX_ITEM_ID;
}

/* As the server made it; one without an id cannot be that, and is a plain message. */
static json_t *text_item(const char *text, const char *id)
{
    json_t *item = item_new("message");
    json_set_text(item, "role", "assistant");
    if (!is_item_id(id, "msg")) {
        json_set_text(item, "content", text);
        return item;
    }
    json_t *part = text_part("output_text", text);
    json_set_take(part, "annotations", json_array());
    json_t *content = json_array();
    json_append_take(content, part);
    json_add(item, "content:%p status:%s id:%s", content, "completed", id);
    return item;
}

static void append_text(json_t *out, const json_t *block, bool has_ids)
{
    const char *text = json_get_text(block, "text");
    const char *signature = json_get_text(block, "textSignature");
    if (!text || utf8_is_blank(text))
        return;
    g_autoptr(json_t) form = NULL;
    bool has_form = signature && *signature == '{' && json_parse_text(signature, &form, NULL);
    const char *id = has_form ? json_get_text(form, "id") : signature;
    const char *phase = json_get_text(form, "phase");
    json_t *item = text_item(text, has_ids ? id : NULL);
    if (phase)
        json_set_text(item, "phase", phase);
    json_append_take(out, item);
}

static void append_call(json_t *out, const json_t *block, bool has_ids)
{
    const char *id = json_get_text(block, "id");
    g_auto(GStrv) ids = g_strsplit(id ? id : "", "|", 2);
    g_autofree char *arguments = wire_arguments_text(block);
    json_t *item = item_new("function_call");
    if (has_ids && ids[0] && is_item_id(ids[1], "fc"))
        json_set_text(item, "id", ids[1]);
    json_add(item, "call_id:%s name:%s arguments:%s", ids[0] ? ids[0] : "",
             json_get_text(block, "name"), arguments);
    json_append_take(out, item);
}

void responses_write_assistant(const Model *model G_GNUC_UNUSED, const json_t *message, json_t *out)
{
    const json_t *blocks = json_get_array(message, "content");
    bool has_ids = !has_lost_reasoning(blocks);
    json_each (blocks, i, block) {
        if (wire_block_is(block, "text")) {
            append_text(out, block, has_ids);
        } else if (wire_block_is(block, "toolCall")) {
            append_call(out, block, has_ids);
        } else if (wire_block_is(block, "thinking")) {
            // one item alone, with nothing that came of it, is refused
            json_t *item = i + 1 < json_array_size(blocks) ? reasoning_item(block) : NULL;
            if (item)
                json_append_take(out, item);
        }
    }
}

void responses_write_results(const Model *model G_GNUC_UNUSED, const json_t *results, json_t *out)
{
    json_each (results, i, result) {
        const json_t *blocks = json_get_array(result, "content");
        const char *id = json_get_text(result, "toolCallId");
        g_autofree char *call_id = g_strndup(id ? id : "", strcspn(id ? id : "", "|"));
        g_autofree char *text = wire_join_text(blocks, "\n");
        json_t *item = item_new("function_call_output");
        json_add(item, "call_id:%s output:%p", call_id,
                 wire_has_images(blocks) ? write_content(blocks) : json_text(text));
        json_append_take(out, item);
    }
}

static json_t *write_tools(const json_t *tools)
{
    json_t *out = json_array();
    json_each (tools, i, tool) {
        json_t *entry = item_new("function");
        json_add(entry, "name:%s description:%s", json_get_text(tool, "name"),
                 json_get_text(tool, "description"));
        json_object_set(entry, "parameters", json_object_get(tool, "parameters"));
        json_set_bool(entry, "strict", json_get_bool(tool, "strict", false));
        json_append_take(out, entry);
    }
    return out;
}

static void set_cache(const ProviderRequest *request, json_t *head)
{
    WireCache retention = wire_cache_retention();
    if (!request->session_id || retention == WIRE_CACHE_NONE)
        return;
    g_autofree char *key = g_strndup(request->session_id, MAX_CACHE_KEY);
    json_set_text(head, "prompt_cache_key", key);
    if (retention == WIRE_CACHE_LONG)
        json_set_text(head, "prompt_cache_retention", "24h");
}

void responses_write_head(const ProviderRequest *request, const BodyFacts *facts, json_t *head)
{
    json_add(head, "model:%s stream:%i store:%i", request->model->id, true, false);
    set_cache(request, head);
    if (request->model->is_reasoning) {
        json_t *include = json_array();
        json_append_take(include, json_text("reasoning.encrypted_content"));
        json_set_take(head, "include", include);
    }
    if (json_array_size(request->tools) > 0 || facts->has_calls)
        json_set_take(head, "tools", write_tools(request->tools));
}

/* The word for the level; for `off` "none" where the model knows it, else its lowest. */
static const char *effort_word(const Model *model, ThinkingLevel level)
{
    const char *disabling = json_get_text(model->compat, "reasoningDisableMode");
    if (level == THINKING_OFF && g_strcmp0(disabling, "none-effort") == 0)
        return "none";
    if (level == THINKING_OFF)
        level = model_clamp_thinking(model, THINKING_MINIMAL);
    const char *name = thinking_level_name(level);
    const char *word = json_get_text(json_get_object(model->compat, "reasoningEffortMap"), name);
    return word ? word : name;
}

void responses_write_tail(const ProviderRequest *request, const BodyFacts *facts G_GNUC_UNUSED,
                          json_t *tail)
{
    const Model *model = request->model;
    json_set_int(tail, "max_output_tokens", wire_max_tokens(request));
    if (request->service_tier)
        json_set_text(tail, "service_tier", request->service_tier);
    if (request->forced_tool)
        json_set_take(tail, "tool_choice",
                      json_pack("{s:s, s:s}", "type", "function", "name", request->forced_tool));
    if (!model->is_reasoning)
        return;
    json_t *reasoning = json_make("effort:%s", effort_word(model, request->thinking));
    if (request->thinking != THINKING_OFF)
        json_set_text(reasoning, "summary", "auto");
    json_set_take(tail, "reasoning", reasoning);
}
