/*
 * Anthropic Messages: reading the stream of events.
 */
#include "model/anthropic.h"
#include "base/str.h"
#include "model/reader.h"

#define ENVELOPE "Anthropic stream envelope error: "

typedef struct Decoder {
    ModelStream *stream;
    GHashTable *blocks; // the wire's index → contentIndex + 1; kinds we do not know are missing
    Usage usage;
    bool has_started; // message_start came
    bool is_complete; // message_stop came
    const char *reason;
    char *failure; // what the stop reason means, when that is an error
} Decoder;

static void *decoder_new(ModelStream *stream)
{
    Decoder *self = g_new0(Decoder, 1);
    self->stream = stream;
    self->blocks = g_hash_table_new(NULL, NULL);
    return self;
}

static void decoder_free(void *decoder)
{
    Decoder *self = decoder;
    g_hash_table_unref(self->blocks);
    g_free(self->failure);
    g_free(self);
}

static const bool *decoder_is_complete(const void *decoder)
{
    return &((const Decoder *)decoder)->is_complete;
}

static void *block_key(const json_t *event)
{
    return GSIZE_TO_POINTER((gsize)json_get_int(event, "index", -1));
}

static size_t find_block(const Decoder *self, const json_t *event)
{
    gsize found = GPOINTER_TO_SIZE(g_hash_table_lookup(self->blocks, block_key(event)));
    return found > 0 ? found - 1 : STREAM_NO_BLOCK;
}

/* Values that are there replace earlier ones. */
static void read_usage(Decoder *self, const json_t *usage)
{
    Usage *u = &self->usage;
    u->input = usage_count(usage, "input_tokens", u->input);
    u->output = usage_count(usage, "output_tokens", u->output);
    u->cache_read = usage_count(usage, "cache_read_input_tokens", u->cache_read);
    u->cache_write = usage_count(usage, "cache_creation_input_tokens", u->cache_write);
    model_stream_set_usage(self->stream, u);
}

static bool append_text(Decoder *self, size_t block, const json_t *object, const char *key,
                        GError **error)
{
    return reader_append(self->stream, block, json_object_get(object, key), error);
}

static bool append_signature(Decoder *self, size_t block, const json_t *object, GError **error)
{
    const char *text = json_get_text(object, "signature");
    return !text || !*text || model_stream_append_signature(self->stream, block, text, error);
}

static bool open_tool_use(Decoder *self, const json_t *content, size_t *ret_block, GError **error)
{
    const char *id = json_get_text(content, "id");
    const char *name = json_get_text(content, "name");
    if (!model_stream_open_tool_call(self->stream, id ? id : "", name ? name : "", ret_block,
                                     error))
        return false;
    const json_t *input = json_get_object(content, "input");
    if (json_object_size(input) > 0) // some gateways send it whole
        model_stream_set_arguments(self->stream, *ret_block, input);
    return true;
}

static bool on_block_start(Decoder *self, const json_t *event, GError **error)
{
    const json_t *content = json_get_object(event, "content_block");
    size_t block = STREAM_NO_BLOCK;
    bool is_ok = true;
    if (wire_block_is(content, "text")) {
        is_ok = model_stream_open_text(self->stream, &block, error) &&
                append_text(self, block, content, "text", error);
    } else if (wire_block_is(content, "thinking")) {
        is_ok = model_stream_open_thinking(self->stream, &block, error) &&
                append_text(self, block, content, "thinking", error) &&
                append_signature(self, block, content, error);
    } else if (wire_block_is(content, "tool_use")) {
        is_ok = open_tool_use(self, content, &block, error);
    } else if (wire_block_is(content, "redacted_thinking")) {
        const char *data = json_get_text(content, "data");
        return model_stream_add_redacted(self->stream, data ? data : "", error);
    }
    if (block != STREAM_NO_BLOCK)
        g_hash_table_insert(self->blocks, block_key(event), GSIZE_TO_POINTER(block + 1));
    return is_ok;
}

static bool on_block_delta(Decoder *self, const json_t *event, GError **error)
{
    size_t block = find_block(self, event);
    const json_t *delta = json_get_object(event, "delta");
    if (block == STREAM_NO_BLOCK)
        return true;
    if (wire_block_is(delta, "text_delta"))
        return append_text(self, block, delta, "text", error);
    if (wire_block_is(delta, "thinking_delta"))
        return append_text(self, block, delta, "thinking", error);
    if (wire_block_is(delta, "input_json_delta"))
        return append_text(self, block, delta, "partial_json", error);
    if (wire_block_is(delta, "signature_delta"))
        return append_signature(self, block, delta, error);
    return true;
}

static char *refusal_text(const json_t *delta)
{
    const json_t *details = json_get_object(delta, "stop_details");
    const char *category = json_get_text(details, "category");
    const char *explanation = json_get_text(details, "explanation");
    GString *text = g_string_new("Refusal");
    if (category && *category)
        g_string_append_printf(text, " (%s)", category);
    if (explanation && *explanation)
        g_string_append_printf(text, ": %s", explanation);
    return g_string_free(text, FALSE);
}

static void on_stop_reason(Decoder *self, const json_t *delta)
{
    static const ReaderReason reasons[] = {
        { "end_turn", "stop" },     { "pause_turn", "stop" },  { "stop_sequence", "stop" },
        { "max_tokens", "length" }, { "tool_use", "toolUse" }, { 0 },
    };
    const char *wire = json_get_text(delta, "stop_reason");
    if (!wire)
        return;
    g_clear_pointer(&self->failure, g_free);
    const char *reason = reader_stop_reason(reasons, wire);
    if (reason) {
        self->reason = reason;
        return;
    }
    if (strcmp(wire, "refusal") == 0 || strcmp(wire, "sensitive") == 0)
        self->failure = refusal_text(delta);
    else
        self->failure = g_strdup_printf("Anthropic stop_reason: %s", wire);
}

static void on_message_start(Decoder *self, const json_t *event)
{
    if (self->has_started)
        return;
    self->has_started = true;
    const json_t *message = json_get_object(event, "message");
    model_stream_set_response_id(self->stream, json_get_text(message, "id"));
    read_usage(self, json_get_object(message, "usage"));
}

static bool on_content(Decoder *self, const char *type, const json_t *event, GError **error)
{
    if (!self->has_started)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, ENVELOPE "%s before message_start", type);
    if (strcmp(type, "content_block_start") == 0)
        return on_block_start(self, event, error);
    if (strcmp(type, "content_block_delta") == 0)
        return on_block_delta(self, event, error);
    size_t block = find_block(self, event);
    if (strcmp(type, "content_block_stop") == 0 && block != STREAM_NO_BLOCK)
        model_stream_close(self->stream, block);
    return true;
}

static bool on_event(const char *name G_GNUC_UNUSED, const char *data, size_t size, void *decoder,
                     GError **error)
{
    Decoder *self = decoder;
    if (self->is_complete)
        return true;
    g_autoptr(json_t) event = NULL;
    if (!reader_parse(data, size, ENVELOPE, &event, error))
        return false;
    const char *type = json_get_text(event, "type");
    if (!type)
        return true;
    if (strcmp(type, "error") == 0)
        return reader_fail(event, error);
    if (str_has_prefix(type, "content_block_"))
        return on_content(self, type, event, error);
    if (strcmp(type, "message_start") == 0) {
        on_message_start(self, event);
    } else if (strcmp(type, "message_delta") == 0) {
        read_usage(self, json_get_object(event, "usage"));
        on_stop_reason(self, json_get_object(event, "delta"));
    } else if (strcmp(type, "message_stop") == 0) {
        self->is_complete = self->has_started;
    }
    return true; // pings and events of tomorrow
}

static bool decoder_finish(void *decoder, const char **ret_reason, GError **error)
{
    Decoder *self = decoder;
    if (!self->is_complete)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, ENVELOPE "the stream ended before %s",
                         self->has_started ? "message_stop" : "message_start");
    if (self->failure)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", self->failure);
    *ret_reason = self->reason ? self->reason : "stop";
    if (model_stream_has_tool_calls(self->stream) && strcmp(*ret_reason, "stop") == 0)
        *ret_reason = "toolUse";
    return true;
}

static void explain_cut(const void *decoder, GError **error)
{
    if (((const Decoder *)decoder)->has_started)
        g_prefix_error(error, ENVELOPE);
}

const WireFormat wire_anthropic = {
    .make_url = anthropic_make_url,
    .add_headers = anthropic_add_headers,
    .messages_key = "messages",
    .write_head = anthropic_write_head,
    .write_tail = anthropic_write_tail,
    .write_user = anthropic_write_user,
    .write_assistant = anthropic_write_assistant,
    .write_results = anthropic_write_results,
    .is_strict = true,
    .marker_place = anthropic_marker_place,
    .make_marker = anthropic_make_marker,
    .decoder_new = decoder_new,
    .decoder_free = decoder_free,
    .on_event = on_event,
    .is_complete = decoder_is_complete,
    .finish = decoder_finish,
    .explain_cut = explain_cut,
};
