/*
 * One message made fit for sending, whatever an old session, another program or a crash left in it
 * (safety §8.1, the rules that look at one message: R01, R02, R03, R05, R23). Pure and idempotent.
 */
#pragma once

#include "model/repair_notes.h"

/* New reference: the message itself when nothing is wrong with it; NULL when it cannot be sent.
   What was done is noted (NULL: no one asks) as of the message at `place`. */
json_t *repair_message(json_t *message, RepairNotes *notes, size_t place);

/* Is it what a server gave (base64)? A damaged one is worse than none. */
bool repair_is_signature(const char *text);
