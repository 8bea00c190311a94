/*
 * `on:` of a task in its normal form (task-engine §2.4): an object of trigger keys, each with an
 * object of options. Pure.
 */
#pragma once

#include "base/json.h"

#define WM_GATES "gates"

/* `on` may be NULL. `id` is the task's path, for words that are schedules. `warnings` gets what is
   inert (char *); NULL: no one wants it. New reference. A schedule is {"schedule": {"entries":
   ["daily", …]}}, slash_command {"name": [..] (absent: the task's name; empty: never), "events":
   [..] (never absent; `*` stands for all)}, label_command the same with "remove_label"; all lists
   are arrays of trimmed strings, absent when they filter nothing; gates and `reaction` keep the
   value as written under their key, with dashes, in WM_GATES, which is no trigger. */
json_t *wm_triggers_normal(const json_t *on, const char *id, GPtrArray *warnings);

/* The lists that are read under on.KEY, NULL-terminated; NULL: no trigger of that name. */
const char *const *wm_trigger_options(const char *key);
/* str_did_you_mean() with the keys that may stand under `on:`. Caller frees. */
char *wm_trigger_did_you_mean(const char *key);
