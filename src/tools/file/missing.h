/*
 * Paths that a search was asked for and that do not exist: an error when nothing else was asked
 * for, else said behind the result (agent-tools §3.6, §3.8). Lists of char *. Pure.
 */
#pragma once

#include "base/json.h"
#include "tools/file/search_notes.h"

/* "Path not found: a, b", and what else would have matched. Returns false. */
bool missing_fail(const GPtrArray *missing, const SearchNotes *notes, GError **error);

/* The last lines of a result, after an empty one when something was found: "Skipped missing paths:
   a, b", unless none is, and what `notes` say. */
void missing_append_line(const GPtrArray *missing, const SearchNotes *notes, bool is_empty_result,
                         GString *out);

/* Sets details.missingPaths unless none is missing. */
void missing_set_details(const GPtrArray *missing, json_t *details);
