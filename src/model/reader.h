/*
 * What the decoders of the wire formats share. Private to this room.
 */
#pragma once

#include "model/wire.h"

/* The JSON of one event. `prefix` (may be "") begins the error. */
bool reader_parse(const char *data, size_t size, const char *prefix, json_t **ret_event,
                  GError **error);

/* Always false: *error is what an event that reports a failure says. */
bool reader_fail(const json_t *event, GError **error);

/* A word of the format and the stop reason it stands for. */
typedef struct ReaderReason {
    const char *word, *reason;
} ReaderReason;

/* NULL when the word is not in the table, which ends with an empty row. */
const char *reader_stop_reason(const ReaderReason *table, const char *word);

/* `text` put behind what the block has; what is no string is nothing. */
bool reader_append(ModelStream *stream, size_t block, const json_t *text, GError **error);

/* What a model says when it refuses: the beginning is kept for the error. */
void reader_note_refusal(GString **refusal, const json_t *text);

/* Of formats that tell text and thinking apart by their fields alone: the block of each that is
   open, or STREAM_NO_BLOCK. */
typedef struct OpenBlocks {
    ModelStream *stream;
    size_t text;
    size_t thinking;
} OpenBlocks;

void open_blocks_init(OpenBlocks *self, ModelStream *stream);
/* Close the other one, open this one when it is not, and put `text` behind it. */
bool open_blocks_text(OpenBlocks *self, const json_t *text, GError **error);
bool open_blocks_thinking(OpenBlocks *self, const json_t *text, GError **error);
void open_blocks_close(OpenBlocks *self);
