/*
 * OpenAI Chat Completions: reading the stream of chunks.
 *
 * The format has no block borders: text, reasoning and calls are told apart by the fields they come
 * in. Calls may interleave, so they stay open until the end.
 */
#include "model/openai.h"
#include "model/reader.h"

typedef struct Call {
    json_int_t index; // the wire's; -1: none was sent
    size_t block;
} Call;

typedef struct Decoder {
    ModelStream *stream;
    OpenBlocks blocks;
    GArray *calls;    // of Call
    GString *refusal; // NULL: none
    bool has_id;      // responseId is set
    bool is_complete; // [DONE]
    bool has_finish_reason;
    const char *reason;
    char *failure; // what the finish reason means, when that is an error
} Decoder;

static void *decoder_new(ModelStream *stream)
{
    Decoder *self = g_new0(Decoder, 1);
    self->stream = stream;
    open_blocks_init(&self->blocks, stream);
    self->calls = g_array_new(FALSE, FALSE, sizeof(Call));
    return self;
}

static void decoder_free(void *decoder)
{
    Decoder *self = decoder;
    g_array_unref(self->calls);
    if (self->refusal)
        g_string_free(self->refusal, TRUE);
    g_free(self->failure);
    g_free(self);
}

static const bool *decoder_is_complete(const void *decoder)
{
    return &((const Decoder *)decoder)->is_complete;
}

static bool on_text(Decoder *self, const json_t *text, GError **error)
{
    return json_string_length(text) == 0 || open_blocks_text(&self->blocks, text, error);
}

/* A string, or (Mistral) an array of parts. */
static bool on_content(Decoder *self, const json_t *content, GError **error)
{
    if (json_is_string(content))
        return on_text(self, content, error);
    json_each (content, i, part) {
        if (wire_block_is(part, "text") && !on_text(self, json_object_get(part, "text"), error))
            return false;
    }
    return true;
}

static bool on_reasoning(Decoder *self, const json_t *delta, GError **error)
{
    for (size_t i = 0; openai_reasoning_fields[i]; i++) {
        const json_t *text = json_object_get(delta, openai_reasoning_fields[i]);
        if (json_string_length(text) == 0)
            continue;
        bool is_new = self->blocks.thinking == STREAM_NO_BLOCK;
        return open_blocks_thinking(&self->blocks, text, error) &&
               (!is_new || model_stream_append_signature(self->stream, self->blocks.thinking,
                                                         openai_reasoning_fields[i], error));
    }
    return true;
}

/* The call that a piece belongs to: the newest with its index, else with its id, else the newest. A
   new id starts a new call, even under an index that was used before; so does a name at a new
   index, even under an id that was used before. */
static size_t find_call(const Decoder *self, json_int_t index, const char *id, const char *name)
{
    for (guint i = self->calls->len; i > 0; i--) {
        const Call *call = &g_array_index(self->calls, Call, i - 1);
        const char *have = model_stream_tool_call_id(self->stream, call->block);
        bool is_same_id = *id && strcmp(have, id) == 0;
        bool is_other_index = index >= 0 && call->index != index;
        if (is_other_index && (!is_same_id || (*name && call->index >= 0)))
            continue;
        if (!*id || !*have || is_same_id)
            return call->block;
        if (index >= 0)
            return STREAM_NO_BLOCK; // its index, but another id
    }
    return STREAM_NO_BLOCK;
}

static bool on_call(Decoder *self, const json_t *piece, GError **error)
{
    const json_t *function = json_get_object(piece, "function");
    const char *id = json_get_text(piece, "id");
    const char *name = json_get_text(function, "name");
    json_int_t index = json_get_int(piece, "index", -1);
    id = id ? id : "";
    name = name ? name : "";
    size_t block = find_call(self, index, id, name);
    if (block == STREAM_NO_BLOCK) {
        open_blocks_close(&self->blocks);
        if (!model_stream_open_tool_call(self->stream, id, name, &block, error))
            return false;
        g_array_append_val(self->calls, ((Call) { index, block }));
    } else {
        model_stream_name_tool_call(self->stream, block, id, name);
    }
    const json_t *arguments = json_object_get(function, "arguments");
    if (json_is_object(arguments))
        model_stream_set_arguments(self->stream, block, arguments);
    if (!json_is_string(arguments))
        return true;
    return model_stream_append(self->stream, block, json_string_value(arguments),
                               json_string_length(arguments), error);
}

static void on_finish_reason(Decoder *self, const json_t *choice)
{
    static const ReaderReason reasons[] = {
        { "stop", "stop" },
        { "end", "stop" },
        { "length", "length" },
        { "tool_calls", "toolUse" },
        { "function_call", "toolUse" },
        { 0 },
    };
    const char *wire = json_get_text(choice, "finish_reason");
    if (!wire || !*wire)
        return;
    self->has_finish_reason = true;
    g_clear_pointer(&self->failure, g_free);
    const char *reason = reader_stop_reason(reasons, wire);
    if (reason)
        self->reason = reason;
    else
        self->failure = g_strdup_printf("Provider finish_reason: %s", wire);
}

static void on_usage(Decoder *self, const json_t *usage)
{
    if (!json_is_object(usage))
        return;
    const json_t *prompt = json_get_object(usage, "prompt_tokens_details");
    const json_t *completion = json_get_object(usage, "completion_tokens_details");
    Usage u = { 0 };
    u.cache_read = usage_count(usage, "cached_tokens", usage_count(prompt, "cached_tokens", 0));
    u.cache_write = usage_count(prompt, "cache_write_tokens", 0);
    u.input = MAX(usage_count(usage, "prompt_tokens", 0) - u.cache_read - u.cache_write, 0);
    u.output = usage_count(usage, "completion_tokens", 0);
    u.reasoning = usage_count(completion, "reasoning_tokens", 0);
    u.total = usage_count(usage, "total_tokens", 0);
    model_stream_set_usage(self->stream, &u);
}

static bool on_choice(Decoder *self, const json_t *choice, GError **error)
{
    const json_t *delta = json_get_object(choice, "delta");
    if (!delta)
        delta = json_get_object(choice, "message"); // servers that send it all at once
    const json_t *refusal = json_object_get(delta, "refusal");
    reader_note_refusal(&self->refusal, refusal);
    if (!on_reasoning(self, delta, error) ||
        !on_content(self, json_object_get(delta, "content"), error) ||
        !on_text(self, refusal, error))
        return false;
    json_each (json_get_array(delta, "tool_calls"), i, piece) {
        if (!on_call(self, piece, error))
            return false;
    }
    on_usage(self, json_object_get(choice, "usage"));
    on_finish_reason(self, choice);
    return true;
}

static bool on_event(const char *name G_GNUC_UNUSED, const char *data, size_t size, void *decoder,
                     GError **error)
{
    Decoder *self = decoder;
    if (self->is_complete || size == 0)
        return true;
    if (strcmp(data, "[DONE]") == 0) {
        self->is_complete = true;
        return true;
    }
    g_autoptr(json_t) chunk = NULL;
    if (!reader_parse(data, size, "the stream broke: ", &chunk, error))
        return false;
    const json_t *failure = json_object_get(chunk, "error");
    if (failure && !json_is_null(failure))
        return reader_fail(chunk, error);
    const char *id = json_get_text(chunk, "id");
    if (id && *id && !self->has_id) {
        self->has_id = true;
        model_stream_set_response_id(self->stream, id);
    }
    on_usage(self, json_object_get(chunk, "usage"));
    return on_choice(self, json_array_get(json_get_array(chunk, "choices"), 0), error);
}

static bool decoder_finish(void *decoder, const char **ret_reason, GError **error)
{
    Decoder *self = decoder;
    if (self->failure)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", self->failure);
    if (!self->is_complete && !self->has_finish_reason)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "the stream ended early: neither a finish_reason nor [DONE]");
    if (self->refusal) {
        g_autofree char *text = wire_refusal_text(self->refusal->str);
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", text);
    }
    *ret_reason = self->reason ? self->reason : "stop";
    // several local servers say "stop", or nothing, after calls
    if (self->calls->len > 0 && strcmp(*ret_reason, "stop") == 0)
        *ret_reason = "toolUse";
    return true;
}

const WireFormat wire_openai_chat = {
    .make_url = openai_make_url,
    .add_headers = wire_add_bearer,
    .messages_key = "messages",
    .write_head = openai_write_head,
    .write_tail = openai_write_tail,
    .write_system = openai_write_system,
    .write_user = openai_write_user,
    .write_assistant = openai_write_assistant,
    .write_results = openai_write_results,
    .decoder_new = decoder_new,
    .decoder_free = decoder_free,
    .on_event = on_event,
    .is_complete = decoder_is_complete,
    .finish = decoder_finish,
};
