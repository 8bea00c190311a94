/*
 * Items: one JSON object each, a GitHub write that an agent asks for (task-engine §6.1, §6.3–6.5).
 * What emit checks and what is checked again before an item is applied is one function. No network.
 */
#pragma once

#include "workflow/policy.h"

#define WM_MAX_ITEM_BYTES   ((size_t)1024 * 1024)
#define WM_MAX_OUTPUT_BYTES ((size_t)16 * 1024 * 1024)
#define WM_MAX_ITEMS        1000

typedef struct WmItemScope { // all borrowed: what an item is measured against
    const WmPolicy *policy;
    const char *task_name;
    const char *repo;    // slug; NULL: unknown
    const char *root;    // of the repository; NULL: unknown
    int64_t issue, pull; // of the event; 0: none
    bool is_emit;        // texts of emit name what is missing in its environment
} WmItemScope;

typedef struct WmItem {
    WmKind kind;
    json_t *fields; // normalised: strings trimmed, lists of strings, "type" as in the kind table
    int64_t number; // resolved target; 0: none
} WmItem;
void wm_item_clear(WmItem *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmItem, wm_item_clear)

/* All items of an output file, in order, as written (objects); lines that are none are skipped and
   told (wm_log). No file: no items. A symlink or what is no regular file: an error. */
bool wm_items_read(const char *path, json_t **ret_items, GError **error);

/* Kind, prefix, labels, target and the rules of its kind. `raw` is an object with a known type.
   Errors have the kind before them: `add_comment: empty body`. */
bool wm_item_check(const WmItemScope *scope, const json_t *raw, WmItem *ret_item, GError **error);

/* The line of the file (§5.3): compact, keys sorted, < > & escaped; no line end. Caller frees. */
char *wm_item_line(const json_t *item);

/* Under the file's lock: counts, appends one line with one write. `path` is WM_SAFE_OUTPUT_FILE.
   Errors: `policy: max 2 for add_comment exceeded`, `item too large (…)`, `too many items (…)`. */
bool wm_items_append(const char *path, const WmPolicy *policy, WmKind kind, const json_t *item,
                     GError **error);
