/*
 * What a person asked before, in every session: <agent dir>/history.db (agent-core §4.11). For
 * people, so nothing here is worth an error: what cannot be read gives an empty list, what cannot
 * be written is not remembered. Thread safe: each call opens the database for itself.
 */
#pragma once

#include "base/json.h"

/* Trimmed; not when it is empty or equal to the last one. Secrets are masked. `cwd` may be NULL. */
void prompt_history_add(const char *agent_dir, const char *prompt, const char *cwd);

/* {"prompt","created" (unix seconds),"cwd"?}, the newest first; `limit` is kept in 0 to 1000. New
   array. */
json_t *prompt_history_recent(const char *agent_dir, int64_t limit);
/* Those that hold every word of `query`, its beginnings first found, then inside of words. */
json_t *prompt_history_search(const char *agent_dir, const char *query, int64_t limit);
