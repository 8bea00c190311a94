/*
 * A fast reader for the JSON of session files: a resumed session is tens of megabytes of mostly
 * plain strings, which jansson reads byte by byte. Internal to session. Pure.
 *
 * It reads only what is plain. For anything unusual (invalid text, surrogates, \u0000, huge
 * numbers, deep nesting) it gives NULL, and the caller asks json_parse(), which gives the same
 * value for all the rest.
 */
#pragma once

#include "base/json.h"

/* `text` is followed by a byte that ends a number: NUL or LF. New reference or NULL. */
json_t *line_json_parse(const char *text, size_t size);
