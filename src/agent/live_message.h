/*
 * The assistant message that is arriving: the run writes it, readers follow it each at their own
 * pace (agent-core §3.9).
 *
 * The text is kept once. A reader's cursor remembers how much of each block it was told, so what
 * one reader left lying is one longer delta when it comes back, and an answer costs time and
 * output in proportion to its length. Known secrets are masked in all that is told, also one that
 * comes in two pieces (base/mask.h): what may be the beginning of one waits. Thread safe: one
 * writer, many readers; a cursor belongs to its reader.
 */
#pragma once

#include "model/provider.h"

typedef struct LiveMessage LiveMessage;

/* `start` is the message of message_start: everything but the content. Copied. */
LiveMessage *live_message_new(const json_t *start);
LiveMessage *live_message_ref(LiveMessage *self);
void live_message_unref(LiveMessage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LiveMessage, live_message_unref)

/* The writer's: an event of the provider (text_start … toolcall_end). */
void live_message_feed(LiveMessage *self, const json_t *event, ModelStream *stream);

typedef struct LiveCursor {
    GArray *told; // of each block
    size_t first; // blocks before it were told whole
    size_t bytes; // of all blocks
} LiveCursor;

void live_cursor_init(LiveCursor *self);
void live_cursor_clear(LiveCursor *self);

/* What is new since the last time: message_update events, in order, a new array. `is_whole`: each
   also has the message so far, and the content of a block that ended. */
json_t *live_message_read(LiveMessage *self, LiveCursor *cursor, bool is_whole);
