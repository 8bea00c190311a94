/*
 * The todo list of a session, `todos.json` beside its artifacts (agent-core §3.10, §4.10, §7.11):
 * [{"name":"Build","tasks":[{"content":"Write parser","status":"in_progress"}]}]. Statuses are
 * pending, in_progress, completed, abandoned; a flat array of tasks is one phase.
 */
#pragma once

#include "base/json.h"

/* The phases; an empty array when there are none, or nothing usable. `dir` may be NULL. New. */
json_t *todo_load(const char *dir);
/* Whether it is a list of phases or of tasks, of which nothing would be passed over. USAGE. */
bool todo_check(const json_t *list, GError **error);
/* Returns what was saved, normalised; NULL on failure. New. */
json_t *todo_save(const char *dir, const json_t *phases, GError **error);

/* {"content","status"} of what is pending or in progress. New array. */
json_t *todo_open_tasks(const json_t *phases);
/* What a model that stopped is told. Caller frees. */
char *todo_reminder(const json_t *phases, int64_t attempt, int64_t max_attempts);
