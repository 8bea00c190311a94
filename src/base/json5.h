/*
 * JSON5 from a model or a person: unquoted keys, single quotes, comments, trailing commas, numbers
 * such as .5, +1 and 0xff. Pure.
 */
#pragma once

#include "base/json.h"

/* One value, with nothing behind it. Infinity and NaN, which JSON cannot hold, are refused.
   PROTOCOL "line 1 column 6: expected ':'", or LIMIT. */
bool json5_parse(const char *text, json_t **ret_value, GError **error);
