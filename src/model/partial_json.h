/*
 * Tool arguments that are still arriving, or that a model wrote badly (agent-core §2.3): always
 * gives an object. Pure; thread safe.
 */
#pragma once

#include "base/json.h"

/* The whole text when it is valid; else what can be read of it from its start: an unfinished string
   keeps its beginning, an unfinished key, number or word is left out, open lists and objects are
   closed, bad escapes and raw control characters are taken as they stand. {} when there is nothing.
   *ret_is_complete (may be NULL): nothing was left out or closed; only such arguments may be acted
   on, since what was cut in the middle is another command. Blank text and `null` are a complete {}.
   New reference. */
json_t *partial_json_parse(const char *text, size_t size, bool *ret_is_complete);
