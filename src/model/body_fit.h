/*
 * What is in a request for messages that would make it larger than its server takes
 * (safety §8.1, R16 and R20): the oldest images give way first, then tool results, then images of
 * what is worked on now. The conversation keeps what it has. What was replaced once stays so, that
 * the bytes of earlier messages stay the same. Of one conversation and one thread.
 */
#pragma once

#include "model/body.h"
#include "model/model.h"
#include "model/repair_notes.h"

typedef struct BodyFit BodyFit;

BodyFit *body_fit_new(void);
void body_fit_free(BodyFit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BodyFit, body_fit_free)

/* The messages as they are to be sent. New reference. */
json_t *body_fit_apply(const BodyFit *self, const json_t *messages);

/* Which rule has put another message into the place of this one. */
RepairRule body_fit_rule(const BodyFit *self, const json_t *message);

/* A request of `size` bytes with so many `images` was made of `messages`. True: its server would
   refuse it, and what it is made of has become smaller. */
bool body_fit_make_smaller(BodyFit *self, const Model *model, const json_t *messages, size_t images,
                           size_t size);
/* A request of `size` bytes, made of `messages`, is to become one of at most `limit`: *ret_missing
   is by how much it cannot. False: there is nothing that could give way. */
bool body_fit_make_room(BodyFit *self, const json_t *messages, size_t size, size_t limit,
                        size_t *ret_missing);

/* What has given way for the size. */
LeftOut body_fit_left_out(const BodyFit *self);
