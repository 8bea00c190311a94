/*
 * on.stop-after: a task that ends by itself (task-engine §10.3). An absolute time is in the
 * task; what a relative one (`+7d`) means is settled once, by compile, in .wm/stop-after.json,
 * where `resolve` finds it (gates.c). Pure but for reading that file.
 */
#pragma once

#include "wm/task/project.h"

#define WM_STOP_AFTER_PATH ".wm/stop-after.json"

/* `2026-05-01`, `2026-05-01T10:00Z`, `+1d12h`, counted from `from_ms`. PROTOCOL: none of these. */
bool wm_stop_after_parse(const char *text, int64_t from_ms, bool *ret_is_relative,
                         int64_t *ret_deadline_ms, GError **error);

/* The stored deadlines of a repository: {"<task>": {"expr": "+7d", "deadline": "…"}}; {} without a
   file. */
bool wm_stop_after_read(const char *root, json_t **ret_stored, GError **error);

/* What is to be stored for these tasks: an expression that has not changed keeps its deadline
   unless `refreshes`. An expression that is none is an error. New reference. */
bool wm_stop_after_settle(const WmProject *project, const json_t *stored, bool refreshes,
                          int64_t now_ms, json_t **ret_stored, GError **error);
