/*
 * OpenAI Responses: reading the stream of events.
 */
#include "model/responses.h"

#include "model/reader.h"

typedef enum { ITEM_OTHER, ITEM_REASONING, ITEM_MESSAGE, ITEM_CALL } ItemKind;

typedef struct Item {
    ItemKind kind;
    size_t block;
    bool has_text; // something of it has arrived
} Item;

typedef struct Decoder {
    ModelStream *stream;
    GHashTable *items; // output_index → Item
    Item *last;        // borrowed; of servers that number nothing
    GString *refusal;  // NULL: none
    bool is_complete;
    const char *reason;
    char *failure;
} Decoder;

static void *decoder_new(ModelStream *stream)
{
    Decoder *self = g_new0(Decoder, 1);
    self->stream = stream;
    self->items = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return self;
}

static void decoder_free(void *decoder)
{
    Decoder *self = decoder;
    g_hash_table_unref(self->items);
    if (self->refusal)
        g_string_free(self->refusal, TRUE);
    g_free(self->failure);
    g_free(self);
}

static const bool *decoder_is_complete(const void *decoder)
{
    return &((const Decoder *)decoder)->is_complete;
}

static gpointer item_key(const json_t *event)
{
    return GSIZE_TO_POINTER((gsize)json_get_int(event, "output_index", -1));
}

static Item *find_item(Decoder *self, const json_t *event)
{
    if (!json_object_get(event, "output_index"))
        return self->last;
    return g_hash_table_lookup(self->items, item_key(event));
}

static char *call_id(const json_t *item)
{
    const char *call = json_get_text(item, "call_id");
    const char *id = json_get_text(item, "id");
    if (!call || !*call)
        return g_strdup(id ? id : "");
    return id && *id ? g_strconcat(call, "|", id, NULL) : g_strdup(call);
}

static bool open_item(Decoder *self, const json_t *event, const json_t *json, Item **ret_item,
                      GError **error)
{
    Item item = { 0 };
    if (wire_block_is(json, "reasoning")) {
        item.kind = ITEM_REASONING;
        if (!model_stream_open_thinking(self->stream, &item.block, error))
            return false;
    } else if (wire_block_is(json, "message")) {
        item.kind = ITEM_MESSAGE;
        if (!model_stream_open_text(self->stream, &item.block, error))
            return false;
    } else if (wire_block_is(json, "function_call")) {
        g_autofree char *id = call_id(json);
        const char *name = json_get_text(json, "name");
        item.kind = ITEM_CALL;
        if (!model_stream_open_tool_call(self->stream, id, name ? name : "", &item.block, error))
            return false;
    } else {
        return true; // of tools that run at the server: none were offered
    }
    self->last = g_memdup2(&item, sizeof(item));
    g_hash_table_insert(self->items, item_key(event), self->last);
    *ret_item = self->last;
    return true;
}

static bool add_text(Decoder *self, Item *item, const json_t *text, GError **error)
{
    if (json_string_length(text) > 0)
        item->has_text = true;
    return reader_append(self->stream, item->block, text, error);
}

/* The texts of `parts`, when no piece of them came before. */
static bool add_parts(Decoder *self, Item *item, const json_t *parts, GError **error)
{
    json_each (parts, i, part) {
        const json_t *refusal = json_object_get(part, "refusal");
        if (item->has_text && i > 0 && item->kind == ITEM_REASONING &&
            !model_stream_append(self->stream, item->block, "\n\n", 2, error))
            return false;
        reader_note_refusal(&self->refusal, refusal);
        if (!add_text(self, item, refusal ? refusal : json_object_get(part, "text"), error))
            return false;
    }
    return true;
}

static bool end_reasoning(Decoder *self, Item *item, const json_t *json, GError **error)
{
    g_autofree char *text = json_to_text(json);
    if (!item->has_text && !add_parts(self, item, json_get_array(json, "summary"), error))
        return false;
    return model_stream_set_signature(self->stream, item->block, text, error);
}

static bool end_message(Decoder *self, Item *item, const json_t *json, GError **error)
{
    const char *id = json_get_text(json, "id");
    const char *phase = json_get_text(json, "phase");
    if (!item->has_text && !add_parts(self, item, json_get_array(json, "content"), error))
        return false;
    if (!id || !*id)
        return true;
    if (!phase)
        return model_stream_set_signature(self->stream, item->block, id, error);
    g_autoptr(json_t) form = json_make("v:%d id:%s phase:%s", 1, id, phase);
    g_autofree char *signature = json_to_text(form);
    return model_stream_set_signature(self->stream, item->block, signature, error);
}

static bool end_call(Decoder *self, Item *item, const json_t *json, GError **error)
{
    g_autofree char *id = call_id(json);
    model_stream_name_tool_call(self->stream, item->block, id, json_get_text(json, "name"));
    return item->has_text || add_text(self, item, json_object_get(json, "arguments"), error);
}

static bool on_item_done(Decoder *self, const json_t *event, const json_t *json, GError **error)
{
    Item *item = find_item(self, event);
    if (!item && !open_item(self, event, json, &item, error))
        return false;
    if (!item)
        return true;
    bool is_ok = item->kind == ITEM_REASONING ? end_reasoning(self, item, json, error)
                 : item->kind == ITEM_MESSAGE ? end_message(self, item, json, error)
                                              : end_call(self, item, json, error);
    if (is_ok)
        model_stream_close(self->stream, item->block);
    return is_ok;
}

static bool on_delta(Decoder *self, const char *type, const json_t *event, GError **error)
{
    static const struct {
        const char *type;
        ItemKind kind;
        const char *field;
    } rows[] = {
        { "response.reasoning_summary_text.delta", ITEM_REASONING, "delta" },
        { "response.reasoning_text.delta", ITEM_REASONING, "delta" },
        { "response.output_text.delta", ITEM_MESSAGE, "delta" },
        { "response.refusal.delta", ITEM_MESSAGE, "delta" },
        { "response.function_call_arguments.delta", ITEM_CALL, "delta" },
        { "response.function_call_arguments.done", ITEM_CALL, "arguments" },
    };
    Item *item = find_item(self, event);
    if (strcmp(type, "response.reasoning_summary_part.added") == 0)
        return !item || !item->has_text || item->kind != ITEM_REASONING ||
               model_stream_append(self->stream, item->block, "\n\n", 2, error);
    for (size_t i = 0; item && i < G_N_ELEMENTS(rows); i++) {
        if (strcmp(type, rows[i].type) != 0 || item->kind != rows[i].kind)
            continue;
        const json_t *text = json_object_get(event, rows[i].field);
        if (g_str_has_suffix(type, ".done") && item->has_text)
            return true; // the pieces came
        if (strstr(type, "refusal"))
            reader_note_refusal(&self->refusal, text);
        return add_text(self, item, text, error);
    }
    return true;
}

static void on_usage(Decoder *self, const json_t *usage)
{
    if (!json_is_object(usage))
        return;
    const json_t *input = json_get_object(usage, "input_tokens_details");
    const json_t *output = json_get_object(usage, "output_tokens_details");
    Usage u = { 0 };
    u.cache_read = usage_count(input, "cached_tokens", 0);
    u.cache_write = usage_count(input, "cache_write_tokens", 0);
    u.input = MAX(usage_count(usage, "input_tokens", 0) - u.cache_read - u.cache_write, 0);
    u.output = usage_count(usage, "output_tokens", 0);
    u.reasoning = usage_count(output, "reasoning_tokens", 0);
    u.total = usage_count(usage, "total_tokens", 0);
    model_stream_set_usage(self->stream, &u);
}

static char *failure_text(const json_t *response, const char *status)
{
    const json_t *failure = json_get_object(response, "error");
    const char *code = json_get_text(failure, "code");
    const char *message = json_get_text(failure, "message");
    if (code && message)
        return g_strdup_printf("%s: %s", code, message);
    return g_strdup_printf("Provider status %s%s%s", status, message ? ": " : "",
                           message ? message : "");
}

/* What came of an answer of which no item was sent by itself. */
static bool add_output(Decoder *self, const json_t *response, GError **error)
{
    json_each (json_get_array(response, "output"), i, item) {
        g_autoptr(json_t) event = json_make("output_index:%jd", (int64_t)i);
        if (!on_item_done(self, event, item, error))
            return false;
    }
    return true;
}

static bool on_end(Decoder *self, const json_t *response, const char *type, GError **error)
{
    const char *status = json_get_text(response, "status");
    status = status ? status : type + strlen("response.");
    if (model_stream_is_empty(self->stream) && !add_output(self, response, error))
        return false;
    self->is_complete = true;
    on_usage(self, json_object_get(response, "usage"));
    const json_t *details = json_get_object(response, "incomplete_details");
    const char *cause = json_get_text(details, "reason");
    if (strcmp(status, "completed") == 0)
        self->reason = "stop";
    else if (strcmp(status, "incomplete") == 0 && g_strcmp0(cause, "content_filter") != 0)
        self->reason = "length";
    else if (strcmp(status, "incomplete") == 0)
        self->failure = g_strdup("Provider incomplete_details.reason: content_filter");
    else
        self->failure = failure_text(response, status);
    return true;
}

static bool on_event(const char *name G_GNUC_UNUSED, const char *data, size_t size, void *decoder,
                     GError **error)
{
    static const char *const ends[] = { "response.completed", "response.incomplete",
                                        "response.failed", "response.cancelled", NULL };
    Decoder *self = decoder;
    if (self->is_complete || size == 0 || strcmp(data, "[DONE]") == 0)
        return true;
    g_autoptr(json_t) event = NULL;
    if (!reader_parse(data, size, "the stream broke: ", &event, error))
        return false;
    const char *type = json_get_text(event, "type");
    const json_t *response = json_get_object(event, "response");
    const json_t *json = json_get_object(event, "item");
    if (!type) // some servers send errors without one
        return json_object_get(event, "error") ? reader_fail(event, error) : true;
    if (strcmp(type, "error") == 0) {
        const char *code = json_get_text(event, "code");
        const char *message = json_get_text(event, "message");
        if (!message)
            return reader_fail(event, error);
        return fail_with(error, KEDGE_ERROR_FAILED, "%s%s%s", code ? code : "", code ? ": " : "",
                         message);
    }
    if (g_strv_contains(ends, type))
        return on_end(self, response, type, error);
    Item *item = NULL;
    if (strcmp(type, "response.output_item.added") == 0)
        return find_item(self, event) && json_object_get(event, "output_index")
                   ? true
                   : open_item(self, event, json, &item, error);
    if (strcmp(type, "response.output_item.done") == 0)
        return on_item_done(self, event, json, error);
    if (strcmp(type, "response.created") == 0)
        model_stream_set_response_id(self->stream, json_get_text(response, "id"));
    return on_delta(self, type, event, error);
}

static bool decoder_finish(void *decoder, const char **ret_reason, GError **error)
{
    Decoder *self = decoder;
    if (self->failure)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", self->failure);
    if (!self->is_complete)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "the stream ended early: no response.completed");
    if (self->refusal) {
        g_autofree char *text = wire_refusal_text(self->refusal->str);
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", text);
    }
    *ret_reason = self->reason;
    if (model_stream_has_tool_calls(self->stream) && strcmp(*ret_reason, "stop") == 0)
        *ret_reason = "toolUse";
    return true;
}

#define RESPONSES                                                                                  \
    .make_url = responses_make_url, .messages_key = "input", .write_head = responses_write_head,   \
    .write_tail = responses_write_tail, .write_system = responses_write_system,                    \
    .write_user = responses_write_user, .write_assistant = responses_write_assistant,              \
    .has_lost = responses_has_lost, .write_results = responses_write_results,                      \
    .decoder_new = decoder_new, .decoder_free = decoder_free, .on_event = on_event,                \
    .is_complete = decoder_is_complete, .finish = decoder_finish

const WireFormat wire_responses = { RESPONSES, .add_headers = wire_add_bearer };
const WireFormat wire_azure_responses = { RESPONSES, .add_headers = responses_add_azure_headers };
