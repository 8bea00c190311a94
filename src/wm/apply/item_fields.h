/*
 * The fields of each kind of item (task-engine §6.1, §6.3–6.5), as the files of item.h share them.
 * Pure.
 */
#pragma once

#include "wm/task/policy.h"

typedef enum { WM_FIELD_TEXT, WM_FIELD_LIST, WM_FIELD_INTEGER, WM_FIELD_BOOLEAN } WmFieldType;

typedef struct WmFieldDef {
    const char *name;
    WmFieldType type;
    bool is_always; // stands in the line also when it is empty
    const char *alias;
} WmFieldDef;

/* Ends with one without a name. `temporary_id` and `target` are not among them. */
const WmFieldDef *wm_item_fields(WmKind kind);
bool wm_kind_has_target(WmKind kind);
bool wm_kind_is_of_pull_request(WmKind kind);
bool wm_kind_has_temporary_id(WmKind kind);

/* task-engine §6.1: a JSON number, truncated, or digits; 0 otherwise. */
int64_t wm_item_integer(const json_t *raw, const char *name);
/* The fields of `raw` that its kind has, as they are to be read, and its type; without `target`.
   New reference. */
json_t *wm_item_normal(WmKind kind, const json_t *raw);
