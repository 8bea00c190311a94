/*
 * What a server had to be told in another form stays in that form (safety §8.2): the session
 * remembers it, in custom entries "kedge.repair", and every time the conversation is loaded it is
 * applied again, so that no second request is refused.
 */
#pragma once

#include "model/repair_strong.h"
#include "session/session.h"

/* The form in which a request was answered: `problem` is what the refusal said, `up_to` the last
   entry that it was about. */
void repair_memory_note(Session *session, StrongRepair how, const char *problem, const char *up_to);
/* `messages` are those of the entries of `path` (json_t *), which ends with the leaf. Takes the
   reference, returns a new one, with as many messages. */
json_t *repair_memory_apply(const GPtrArray *path, json_t *messages);
/* S1, S2 */
const char *repair_memory_name(StrongRepair how);
