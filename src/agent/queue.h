/*
 * Messages of a person that wait for their turn: steering and follow-ups (agent-core §3.2).
 *
 * First in, first out. Thread safe: whoever steers pushes, the run takes.
 */
#pragma once

#include "base/json.h"

typedef struct MessageQueue MessageQueue;

/* `mode`: "all", or NULL and anything else for one at a time. */
MessageQueue *message_queue_new(const char *mode);
void message_queue_free(MessageQueue *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MessageQueue, message_queue_free)

void message_queue_set_mode(MessageQueue *self, const char *mode);
const char *message_queue_mode(MessageQueue *self); // "all" or "one-at-a-time"

/* `message` is shared, not taken. LIMIT when LIMIT_QUEUED_MESSAGES wait already. */
bool message_queue_push(MessageQueue *self, json_t *message, GError **error);
/* One message or all, as the mode says: a new array, possibly empty. */
json_t *message_queue_take(MessageQueue *self);
/* Puts messages that were taken but not delivered back at the front, in their order. */
void message_queue_return(MessageQueue *self, const json_t *messages);

size_t message_queue_size(MessageQueue *self);
/* What waits, in order: a new array of the same messages, or of their texts. */
json_t *message_queue_peek(MessageQueue *self);
json_t *message_queue_texts(MessageQueue *self);
void message_queue_clear(MessageQueue *self);
