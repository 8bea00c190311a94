/*
 * JSON that json_parse() is not the reader for: lines of session files, which have to be read fast,
 * what a model has written so far, and JSON5. One reader knows the three dialects. Pure; thread
 * safe.
 */
#pragma once

#include "base/json.h"

/* As json_parse(), in a quarter of the time where the text is plain, as nearly all is. NULL: it is
   no JSON. New reference. */
json_t *json_parse_line(const char *text, size_t size);

/* The fast part of it: NULL for anything unusual (invalid text, surrogates, \u0000, huge numbers,
   deep nesting), which json_parse() has to look at. */
json_t *json_parse_plain(const char *text, size_t size);

/* Tool arguments that are still arriving, or that a model wrote badly (agent-core §2.3): always
   gives an object. The whole text when it is valid; else what can be read of it from its start: an
   unfinished string keeps its beginning, an unfinished key, number or word is left out, open lists
   and objects are closed, bad escapes and raw control characters are taken as they are. {} when
   there is nothing. *ret_is_complete (may be NULL): nothing was left out or closed; only such
   arguments may be acted on, since what was cut in the middle is another command. Blank text and
   `null` are a complete {}. New reference. */
json_t *json_parse_partial(const char *text, size_t size, bool *ret_is_complete);

/* One value as a model or a person writes it: unquoted keys, single quotes, comments, trailing
   commas, numbers such as .5, +1 and 0xff, but no Infinity and no NaN, which JSON cannot hold.
   PROTOCOL "line 1 column 6: expected ':'", or LIMIT. */
bool json_parse_json5(const char *text, json_t **ret_value, GError **error);
