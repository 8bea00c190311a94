/*
 * Writes the body of a request in the format of Google Gemini.
 */
#include "model/gemini.h"

#define METHOD ":streamGenerateContent"
// Google's own word for a call that it has not signed, such as another model's
#define UNSIGNED_CALL  "skip_thought_signature_validator"
#define BUDGET_DYNAMIC (-1)
#define LEVELS_SINCE   3 // this generation thinks by level, the one before by budget
#define BUDGETS_SINCE  2
#define PUBLISHER      "/publishers/google"

/* 3 of "gemini-3.1-pro"; 0: it does not say. */
static int model_generation(const Model *model)
{
    const char *at = strstr(model->id, "gemini-");
    at = at ? at + strlen("gemini-") : "";
    return g_ascii_isdigit(*at) ? (int)g_ascii_strtoll(at, NULL, 10) : 0;
}

static char *make_url(const Model *model, const char *place)
{
    g_autofree char *id = g_uri_escape_string(model->id, "/", FALSE);
    g_autofree char *path = g_strconcat(place, "/models/", id, METHOD, NULL);
    g_autofree char *url = wire_join_url(model->base_url, path);
    return g_strconcat(url, strchr(url, '?') ? "&" : "?", "alt=sse", NULL);
}

char *gemini_make_url(const Model *model)
{
    return make_url(model, "");
}

char *vertex_make_url(const Model *model)
{
    return make_url(model, strstr(model->base_url, PUBLISHER) ? "" : PUBLISHER);
}

void gemini_add_headers(const ProviderRequest *request, GPtrArray *headers)
{
    if (request->model->has_bearer_auth)
        wire_add_bearer(request, headers);
    else if (request->api_key)
        g_ptr_array_add(headers, g_strconcat("x-goog-api-key: ", request->api_key, NULL));
}

static json_t *text_part(const char *text)
{
    return json_make("text:%s", text);
}

static void append_image(json_t *parts, const json_t *block)
{
    json_t *data = json_object();
    const char *mime = json_get_text(block, "mimeType");
    json_set_text(data, "mimeType", mime ? mime : "image/png");
    json_set_text(data, "data", json_get_text(block, "data"));
    json_append_take(parts, json_make("inlineData:%p", data));
}

static void append_content(json_t *out, const char *role, json_t *parts)
{
    if (json_array_size(parts) == 0) {
        json_decref(parts);
        return;
    }
    json_append_take(out, json_make("role:%s parts:%p", role, parts));
}

void gemini_write_user(const Model *model G_GNUC_UNUSED, const json_t *message,
                       bool is_after_tool G_GNUC_UNUSED, json_t *out)
{
    json_t *parts = json_array();
    json_each (json_get_array(message, "content"), i, block) {
        if (wire_block_is(block, "text"))
            json_append_take(parts, text_part(json_get_text(block, "text")));
        else if (wire_block_is(block, "image"))
            append_image(parts, block);
    }
    append_content(out, "user", parts);
}

static bool is_base64(const char *text)
{
    size_t size = strlen(text);
    size_t letters =
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    size_t padding = strspn(text + letters, "=");
    return size > 0 && size % 4 == 0 && letters + padding == size && padding <= 2;
}

/* True when there is one to replay. */
static bool set_signature(json_t *part, const char *signature)
{
    if (!signature || !is_base64(signature))
        return false;
    json_set_text(part, "thoughtSignature", signature);
    return true;
}

static void append_call(json_t *parts, const json_t *block, bool wants_signature)
{
    json_t *arguments = json_get_object(block, "arguments");
    json_t *call = json_make("name:%s args:%p", json_get_text(block, "name"),
                             arguments ? json_incref(arguments) : json_object());
    json_t *part = json_make("functionCall:%p", call);
    if (!set_signature(part, json_get_text(block, "thoughtSignature")) && wants_signature)
        json_set_text(part, "thoughtSignature", UNSIGNED_CALL);
    json_append_take(parts, part);
}

/* This generation refuses a turn whose first call is not signed. */
static bool needs_signed_calls(const Model *model)
{
    return json_get_bool(model->compat, "requiresSkipThoughtSignature",
                         model_generation(model) >= LEVELS_SINCE);
}

void gemini_write_assistant(const Model *model, const json_t *message, json_t *out)
{
    json_t *parts = json_array();
    bool is_first_call = true;
    json_each (json_get_array(message, "content"), i, block) {
        if (wire_block_is(block, "toolCall")) {
            append_call(parts, block, is_first_call && needs_signed_calls(model));
            is_first_call = false;
            continue;
        }
        bool is_thinking = wire_block_is(block, "thinking");
        const char *text = json_get_text(block, is_thinking ? "thinking" : "text");
        if (!is_thinking && !wire_block_is(block, "text"))
            continue;
        json_t *part = text_part(text ? text : "");
        bool is_signed = set_signature(
            part, json_get_text(block, is_thinking ? "thinkingSignature" : "textSignature"));
        if (is_thinking)
            json_set_bool(part, "thought", true);
        if (is_signed || (text && *text))
            json_append_take(parts, part);
        else
            json_decref(part);
    }
    append_content(out, "model", parts);
}

/* `images` (may be NULL) gets what cannot be in the response. */
static json_t *write_result(const json_t *result, json_t *images)
{
    const json_t *blocks = json_get_array(result, "content");
    g_autofree char *text = wire_join_text(blocks, "\n");
    bool is_image_only = *text == '\0' && wire_has_images(blocks);
    json_t *response = json_object();
    json_set_text(response, json_get_bool(result, "isError", false) ? "error" : "output",
                  is_image_only ? WIRE_IMAGE_ONLY : text);
    json_t *function =
        json_make("name:%s response:%p", json_get_text(result, "toolName"), response);
    json_t *own_images = json_array();
    json_each (blocks, i, block) {
        if (wire_block_is(block, "image"))
            append_image(images ? images : own_images, block);
    }
    if (json_array_size(own_images) > 0)
        json_object_set(function, "parts", own_images);
    json_decref(own_images);
    return json_make("functionResponse:%p", function);
}

void gemini_write_results(const Model *model, const json_t *results, json_t *out)
{
    json_t *parts = json_array();
    json_t *images = json_array();
    bool is_multimodal = model_generation(model) >= LEVELS_SINCE;
    json_each (results, i, result)
        json_append_take(parts, write_result(result, is_multimodal ? NULL : images));
    append_content(out, "user", parts);
    if (json_array_size(images) > 0)
        json_array_insert_new(images, 0, text_part("Attached image(s) from tool result:"));
    append_content(out, "user", images);
}

static json_t *write_tools(const json_t *tools)
{
    json_t *declarations = json_array();
    json_each (tools, i, tool) {
        json_t *entry = json_make("name:%s description:%s", json_get_text(tool, "name"),
                                  json_get_text(tool, "description"));
        json_object_set(entry, "parametersJsonSchema", json_object_get(tool, "parameters"));
        json_append_take(declarations, entry);
    }
    json_t *set = json_make("functionDeclarations:%p", declarations);
    json_t *out = json_array();
    json_append_take(out, set);
    return out;
}

void gemini_write_head(const ProviderRequest *request, const BodyFacts *facts G_GNUC_UNUSED,
                       json_t *head)
{
    const char *const *blocks = request->system_blocks;
    json_t *parts = json_array();
    for (size_t i = 0; blocks && blocks[i]; i++) {
        if (*blocks[i])
            json_append_take(parts, text_part(blocks[i]));
    }
    json_t *system = json_make("parts:%p", parts);
    if (json_array_size(parts) > 0)
        json_object_set(head, "systemInstruction", system);
    json_decref(system);
    if (json_array_size(request->tools) > 0)
        json_set_take(head, "tools", write_tools(request->tools));
}

static int64_t budget_of(const ProviderRequest *request)
{
    static const int64_t budgets[] = {
        [THINKING_OFF] = 0,       [THINKING_MINIMAL] = 128, [THINKING_LOW] = 2048,
        [THINKING_MEDIUM] = 8192, [THINKING_HIGH] = 24576,  [THINKING_XHIGH] = 24576,
    };
    const char *id = request->model->id;
    bool is_pro = strstr(id, "pro") != NULL;
    ThinkingLevel level = request->thinking;
    int64_t wanted = json_get_int(request->thinking_budgets, thinking_level_name(level), 0);
    if (level == THINKING_OFF)
        return is_pro && model_generation(request->model) > 0 ? 128
                                                              : 0; // a pro model cannot be without
    if (wanted > 0)
        return wanted;
    if (model_generation(request->model) < BUDGETS_SINCE)
        return BUDGET_DYNAMIC;
    return is_pro && level >= THINKING_HIGH ? 32768 : budgets[level];
}

static const char *level_word(const Model *model, ThinkingLevel level)
{
    static const char *const words[] = {
        [THINKING_MINIMAL] = "MINIMAL", [THINKING_LOW] = "LOW",    [THINKING_MEDIUM] = "MEDIUM",
        [THINKING_HIGH] = "HIGH",       [THINKING_XHIGH] = "HIGH",
    };
    // it always thinks: `off` is as little as it can
    return words[model_clamp_thinking(model, level == THINKING_OFF ? THINKING_MINIMAL : level)];
}

static json_t *thinking_config(const ProviderRequest *request)
{
    json_t *config = json_object();
    if (request->thinking != THINKING_OFF)
        json_set_bool(config, "includeThoughts", true);
    if (request->model->thinking_mode == THINKING_MODE_EFFORT)
        json_set_text(config, "thinkingLevel", level_word(request->model, request->thinking));
    else
        json_set_int(config, "thinkingBudget", budget_of(request));
    return config;
}

void gemini_write_tail(const ProviderRequest *request, const BodyFacts *facts, json_t *tail)
{
    if (facts->has_stub_tools)
        json_set_take(tail, "toolConfig",
                      json_pack("{s:{s:s}}", "functionCallingConfig", "mode", "NONE"));
    else if (request->forced_tool)
        json_set_take(tail, "toolConfig",
                      json_pack("{s:{s:s, s:[s]}}", "functionCallingConfig", "mode", "ANY",
                                "allowedFunctionNames", request->forced_tool));
    json_t *config = json_make("maxOutputTokens:%jd", wire_max_tokens(request));
    if (request->model->is_reasoning)
        json_set_take(config, "thinkingConfig", thinking_config(request));
    json_set_take(tail, "generationConfig", config);
}
