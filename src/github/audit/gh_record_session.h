/*
 * The records of gh calls that a session keeps with their results (gh-policy §11.2). Thread safe;
 * the session may be in use.
 */
#pragma once

#include "base/json.h"

/* Of the session file `path`: newest first, at most GH_RECORD_KEPT; empty when there are none. New
 * reference. */
bool gh_record_load_session(const char *path, json_t **ret_records, GError **error);

/* Both lists are newest first, and so is the answer. New reference. */
json_t *gh_record_merge(const json_t *a, const json_t *b);

/* Those of a session (NULL, or a file that is not there: none) and those of calls outside of
   sessions, newest first, at most GH_RECORD_KEPT. New reference. */
bool gh_record_load_all(const char *session, json_t **ret_records, GError **error);
