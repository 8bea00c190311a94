/*
 * Paths that a search was asked for and that do not exist: an error when nothing else was asked
 * for, else said behind the result (agent-tools §3.6, §3.8). Lists of char *. Pure.
 */
#pragma once

#include "base/json.h"

/* "Path not found: a, b". Returns false. */
bool missing_fail(const GPtrArray *missing, GError **error);

/* The last line of a result: "Skipped missing paths: a, b", behind an empty line when something
   was found. Nothing when none is missing. */
void missing_append_line(const GPtrArray *missing, bool is_empty_result, GString *out);

/* Sets details.missingPaths unless none is missing. */
void missing_set_details(const GPtrArray *missing, json_t *details);
