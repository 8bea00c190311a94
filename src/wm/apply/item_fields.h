/*
 * The fields of each kind of item (task-engine §6.1, §6.3–6.5), as the files of item.h share them.
 * Pure.
 */
#pragma once

#include "wm/task/policy.h"

bool wm_kind_has_target(WmKind kind);
bool wm_kind_is_of_pull_request(WmKind kind);
bool wm_kind_has_temporary_id(WmKind kind);

/* task-engine §6.1: a JSON number, truncated, or digits; 0 otherwise. */
int64_t wm_item_integer(const json_t *raw, const char *name);
/* The fields of `raw` that its kind has, as they are to be read, and its type; without `target`.
   New reference. */
json_t *wm_item_normal(WmKind kind, const json_t *raw);
