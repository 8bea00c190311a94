/*
 * The assistant message while it arrives: wire formats put pieces in, listeners get events
 * (agent-core §2.3). Private to this room.
 *
 * Text is kept in growing buffers; JSON is made of it only when model_stream_message() asks, so an
 * answer of many pieces costs time in proportion to its length. All blocks together are bounded by
 * LIMIT_MODEL_TEXT_BYTES. One thread.
 *
 * Blocks are named by their contentIndex. `start` goes out before the first other event.
 */
#pragma once

#include "model/provider.h"
#include "model/usage.h"

#define STREAM_NO_BLOCK SIZE_MAX

ModelStream *model_stream_new(const Model *model, ProviderEventFunc func, void *user_data);
void model_stream_free(ModelStream *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModelStream, model_stream_free)

/* Who names the tool calls; borrowed, and outlives the stream. Without it a table of the stream's
   own does. */
void model_stream_set_call_ids(ModelStream *self, CallIds *call_ids);

/* Each emits its *_start. False: the answer is too large (LIMIT). */
bool model_stream_open_text(ModelStream *self, size_t *ret_block, GError **error);
bool model_stream_open_thinking(ModelStream *self, size_t *ret_block, GError **error);
/* `id` and `name` may be "" and come later. */
bool model_stream_open_tool_call(ModelStream *self, const char *id, const char *name,
                                 size_t *ret_block, GError **error);
/* A block that is kept for replay only: no events. */
bool model_stream_add_redacted(ModelStream *self, const char *data, GError **error);

/* Text, thinking or the JSON text of arguments; emits a *_delta. An empty piece, and one for a
   closed block, is ignored. */
bool model_stream_append(ModelStream *self, size_t block, const char *text, size_t size,
                         GError **error);
/* Of a thinking block; appends, no event. */
bool model_stream_append_signature(ModelStream *self, size_t block, const char *text,
                                   GError **error);
/* What the block is to be replayed with, as a whole: textSignature, thinkingSignature or
   thoughtSignature of a call. No event. */
bool model_stream_set_signature(ModelStream *self, size_t block, const char *text, GError **error);
/* A tool call's name or id that came late; NULL or "" leaves what is there. */
void model_stream_name_tool_call(ModelStream *self, size_t block, const char *id, const char *name);
const char *model_stream_tool_call_id(const ModelStream *self, size_t block);
/* Arguments that came as a value, not as text. */
void model_stream_set_arguments(ModelStream *self, size_t block, const json_t *arguments);

/* Emits *_end; a second close does nothing. A tool call gets its final id here, and the mark
   `incomplete` when its arguments are no whole JSON object. */
void model_stream_close(ModelStream *self, size_t block);

/* Grows with each piece of text, thinking and arguments: not with a block that only begins, an
   empty piece, a signature or what is not to be read. Borrowed; lives as long as the stream. */
const size_t *model_stream_received(const ModelStream *self);

bool model_stream_has_tool_calls(const ModelStream *self);
bool model_stream_is_empty(const ModelStream *self); // no block yet

void model_stream_set_response_id(ModelStream *self, const char *id);
void model_stream_set_usage(ModelStream *self, const Usage *usage);

/* The last event, `done` or `error`. New reference to the message; the stream is only freed
   afterwards. finish: `reason` is stop, length or toolUse. fail: whatever arrived is kept. */
json_t *model_stream_finish(ModelStream *self, const char *reason);
json_t *model_stream_fail(ModelStream *self, bool is_aborted, const char *error_message);
