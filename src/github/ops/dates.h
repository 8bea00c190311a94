/*
 * `since` and `until` of the searches: relative, date or datetime, as a bound that GitHub's search
 * understands (github-tool §5.1). Pure but for the local time zone.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* *ret_bound is NULL for no or an empty text. USAGE: E36, E37. */
bool dates_parse_bound(const char *text, int64_t now_ms, char **ret_bound, GError **error);

/* "created:>=2026-01-01", "created:A..B", "created:<=B"; NULL without bounds. An error begins with
   the name of the bound: "since: ". */
bool dates_qualifier(const char *field, const char *since, const char *until, int64_t now_ms,
                     char **ret_qualifier, GError **error);
