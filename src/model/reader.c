/*
 * What the decoders of the wire formats share.
 */
#include "model/reader.h"

#include "model/transport.h"

#define REFUSAL_BYTES 800 // more than is shown

bool reader_parse(const char *data, size_t size, const char *prefix, json_t **ret_event,
                  GError **error)
{
    if (json_parse(data, size, ret_event, error))
        return true;
    g_prefix_error(error, "%s", prefix);
    return false;
}

bool reader_fail(const json_t *event, GError **error)
{
    g_autofree char *message = transport_error_message(event);
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", message ? message : "unknown error");
}

const char *reader_stop_reason(const ReaderReason *table, const char *word)
{
    for (const ReaderReason *row = table; row->word; row++) {
        if (strcmp(row->word, word) == 0)
            return row->reason;
    }
    return NULL;
}

bool reader_append(ModelStream *stream, size_t block, const json_t *text, GError **error)
{
    return !json_is_string(text) || model_stream_append(stream, block, json_string_value(text),
                                                        json_string_length(text), error);
}

void reader_note_refusal(GString **refusal, const json_t *text)
{
    if (json_string_length(text) == 0)
        return;
    if (!*refusal)
        *refusal = g_string_new(NULL);
    if ((*refusal)->len < REFUSAL_BYTES)
        g_string_append(*refusal, json_string_value(text));
}

void open_blocks_init(OpenBlocks *self, ModelStream *stream)
{
    self->stream = stream;
    self->text = STREAM_NO_BLOCK;
    self->thinking = STREAM_NO_BLOCK;
}

static void close_block(OpenBlocks *self, size_t *block)
{
    if (*block != STREAM_NO_BLOCK)
        model_stream_close(self->stream, *block);
    *block = STREAM_NO_BLOCK;
}

bool open_blocks_text(OpenBlocks *self, const json_t *text, GError **error)
{
    close_block(self, &self->thinking);
    if (self->text == STREAM_NO_BLOCK && !model_stream_open_text(self->stream, &self->text, error))
        return false;
    return reader_append(self->stream, self->text, text, error);
}

bool open_blocks_thinking(OpenBlocks *self, const json_t *text, GError **error)
{
    close_block(self, &self->text);
    if (self->thinking == STREAM_NO_BLOCK &&
        !model_stream_open_thinking(self->stream, &self->thinking, error))
        return false;
    return reader_append(self->stream, self->thinking, text, error);
}

void open_blocks_close(OpenBlocks *self)
{
    close_block(self, &self->text);
    close_block(self, &self->thinking);
}
