/*
 * The body of a request, joined of pieces of text: what comes before the messages, each message as
 * it was serialised when it came into the conversation, what follows them.
 *
 * So the bytes of earlier messages are the same in every request (agent-core §2.4 "Stable bodies"),
 * and what a request costs grows with what is new in it. A message is known again by its address:
 * messages do not change once they are in a conversation. One thread.
 */
#pragma once

#include "model/repair_notes.h"

/* The messages of one conversation as one model is sent them; another model begins again. */
typedef struct BodyCache BodyCache;

BodyCache *body_cache_new(void);
void body_cache_free(BodyCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BodyCache, body_cache_free)

/* What has no place in requests for their size: images, results of tools. */
typedef struct LeftOut {
    size_t images, results;
} LeftOut;
LeftOut body_cache_left_out(const BodyCache *self);

/* The bytes of the newest request. */
size_t body_cache_size(const BodyCache *self);
/* It was larger than the `limit` of its server: what is old gives way in the next one. False: there
   is nothing that could. *ret_missing: the bytes that are too many still. */
bool body_cache_make_room(BodyCache *self, const json_t *messages, size_t limit,
                          size_t *ret_missing);

/* How many messages of the conversation were serialised so far. */
size_t body_cache_written(const BodyCache *self);

/* What the newest request needed repaired: notes of the messages by their places in it. Caller
   frees. */
RepairNotes *body_cache_repairs(const BodyCache *self);

struct ProviderRequest;

/* The JSON text for `request`, by way of request->bodies where that is not NULL. Caller frees. */
char *body_make(const struct ProviderRequest *request, size_t *ret_size);
