/*
 * What a request with a stored conversation would need to be taken by its server (safety §8.3).
 * The request is made and thrown away; nothing is sent, nothing written. Thread safe.
 */
#pragma once

#include "model/model.h"
#include "session/session_read.h"

/* As if a person went on there with a prompt, thinking at that level (NULL: as the session does):
   {"rules":{"R11":1},
   "entries":[{"id":"a1b2c3d4","rules":{"R11":1}}]}, both empty when nothing is needed. New
   reference. */
json_t *request_check(const SessionCopy *copy, const Model *model, const ThinkingLevel *level);
/* The lines of such a report, with the "target" and the "api" that were put into it; for people. */
void request_check_append(GString *out, const json_t *report);
/* The newest answer on the way to the leaf that says who gave it; borrowed, NULL: there is none. */
const json_t *request_check_last_answer(const SessionCopy *copy);
