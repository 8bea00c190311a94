/*
 * Google Gemini: reading the stream of partial answers.
 *
 * There are no block borders: text and thought are told apart by a flag of each part, and a call is
 * one part. A signature belongs to the part that it came with.
 */
#include "model/gemini.h"

#include "model/reader.h"

typedef struct Decoder {
    OpenBlocks blocks;
    bool has_id;
    bool has_finish_reason;
    bool is_complete; // never: the answer ends with the stream
    const char *reason;
    char *failure;
} Decoder;

static void *decoder_new(ModelStream *stream)
{
    Decoder *self = g_new0(Decoder, 1);
    open_blocks_init(&self->blocks, stream);
    return self;
}

static void decoder_free(void *decoder)
{
    Decoder *self = decoder;
    g_free(self->failure);
    g_free(self);
}

static const bool *decoder_is_complete(const void *decoder)
{
    return &((const Decoder *)decoder)->is_complete;
}

static bool decoder_sign(Decoder *self, size_t block, const json_t *part, GError **error)
{
    const char *signature = json_get_text(part, "thoughtSignature");
    return !signature || !*signature ||
           model_stream_set_signature(self->blocks.stream, block, signature, error);
}

/* A whole call in one part. */
static bool on_call(Decoder *self, const json_t *part, const json_t *call, GError **error)
{
    ModelStream *stream = self->blocks.stream;
    const char *id = json_get_text(call, "id");
    const char *name = json_get_text(call, "name");
    const json_t *arguments = json_get_object(call, "args");
    g_autofree char *text = arguments ? json_to_text(arguments) : g_strdup("{}");
    size_t block;
    open_blocks_close(&self->blocks);
    if (!model_stream_open_tool_call(stream, id ? id : "", name ? name : "", &block, error) ||
        !model_stream_append(stream, block, text, strlen(text), error) ||
        !decoder_sign(self, block, part, error))
        return false;
    model_stream_close(stream, block);
    return true;
}

static bool on_part(Decoder *self, const json_t *part, GError **error)
{
    const json_t *call = json_get_object(part, "functionCall");
    const json_t *text = json_object_get(part, "text");
    if (call)
        return on_call(self, part, call, error);
    if (!json_is_string(text))
        return true; // a kind that was not asked for
    const char *signature = json_get_text(part, "thoughtSignature");
    if (json_string_length(text) == 0 && (!signature || !*signature))
        return true;
    if (json_get_bool(part, "thought", false))
        return open_blocks_thinking(&self->blocks, text, error) &&
               decoder_sign(self, self->blocks.thinking, part, error);
    return open_blocks_text(&self->blocks, text, error) &&
           decoder_sign(self, self->blocks.text, part, error);
}

static void on_finish_reason(Decoder *self, const json_t *candidate)
{
    static const ReaderReason reasons[] = {
        { "STOP", "stop" },
        { "MAX_TOKENS", "length" },
        { "FUNCTION_CALL", "stop" }, // of servers beside Google's
        { 0 },
    };
    const char *word = json_get_text(candidate, "finishReason");
    const char *message = json_get_text(candidate, "finishMessage");
    if (!word || !*word)
        return;
    self->has_finish_reason = true;
    g_clear_pointer(&self->failure, g_free);
    self->reason = reader_stop_reason(reasons, word);
    if (!self->reason)
        self->failure = g_strdup_printf("Provider finishReason: %s%s%s", word, message ? ": " : "",
                                        message ? message : "");
}

static void on_usage(Decoder *self, const json_t *usage)
{
    if (!json_is_object(usage))
        return;
    Usage u = { 0 };
    u.cache_read = usage_count(usage, "cachedContentTokenCount", 0);
    u.input = MAX(usage_count(usage, "promptTokenCount", 0) - u.cache_read, 0);
    u.reasoning = usage_count(usage, "thoughtsTokenCount", 0);
    u.output = usage_count(usage, "candidatesTokenCount", 0) + u.reasoning;
    u.total = usage_count(usage, "totalTokenCount", 0);
    model_stream_set_usage(self->blocks.stream, &u);
}

/* A prompt that was refused gets no candidate. */
static bool check_prompt(const json_t *chunk, GError **error)
{
    const json_t *feedback = json_get_object(chunk, "promptFeedback");
    const char *reason = json_get_text(feedback, "blockReason");
    const char *message = json_get_text(feedback, "blockReasonMessage");
    if (!reason || !*reason)
        return true;
    return fail_with(error, KEDGE_ERROR_FAILED, "Provider blockReason: %s%s%s", reason,
                     message ? ": " : "", message ? message : "");
}

static bool on_event(const char *name G_GNUC_UNUSED, const char *data, size_t size, void *decoder,
                     GError **error)
{
    Decoder *self = decoder;
    if (size == 0 || strcmp(data, "[DONE]") == 0)
        return true;
    g_autoptr(json_t) chunk = NULL;
    if (!reader_parse(data, size, "the stream broke: ", &chunk, error))
        return false;
    const json_t *failure = json_object_get(chunk, "error");
    if (failure && !json_is_null(failure))
        return reader_fail(chunk, error);
    if (!check_prompt(chunk, error))
        return false;
    const char *id = json_get_text(chunk, "responseId");
    if (id && *id && !self->has_id) {
        self->has_id = true;
        model_stream_set_response_id(self->blocks.stream, id);
    }
    const json_t *candidate = json_array_get(json_get_array(chunk, "candidates"), 0);
    const json_t *content = json_get_object(candidate, "content");
    json_each (json_get_array(content, "parts"), i, part) {
        if (!on_part(self, part, error))
            return false;
    }
    on_usage(self, json_object_get(chunk, "usageMetadata"));
    on_finish_reason(self, candidate);
    return true;
}

static bool decoder_finish(void *decoder, const char **ret_reason, GError **error)
{
    Decoder *self = decoder;
    if (self->failure)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", self->failure);
    if (!self->has_finish_reason)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "the stream ended early: no finishReason");
    *ret_reason = self->reason;
    if (model_stream_has_tool_calls(self->blocks.stream) && strcmp(*ret_reason, "stop") == 0)
        *ret_reason = "toolUse";
    return true;
}

#define GEMINI                                                                                     \
    .messages_key = "contents", .write_head = gemini_write_head, .write_tail = gemini_write_tail,  \
    .write_user = gemini_write_user, .write_assistant = gemini_write_assistant,                    \
    .write_results = gemini_write_results, .is_strict = true, .decoder_new = decoder_new,          \
    .decoder_free = decoder_free, .on_event = on_event, .is_complete = decoder_is_complete,        \
    .finish = decoder_finish

const WireFormat wire_gemini = { GEMINI, .make_url = gemini_make_url,
                                 .add_headers = gemini_add_headers };
const WireFormat wire_vertex = { GEMINI, .make_url = vertex_make_url,
                                 .add_headers = wire_add_bearer };
