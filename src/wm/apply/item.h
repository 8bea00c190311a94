/*
 * Items: one JSON object each, a GitHub write that an agent asks for (task-engine §6.1, §6.3–6.5).
 * What emit checks and what is checked again before an item is applied is one function. No network.
 */
#pragma once

#include "wm/task/policy.h"

#define WM_MAX_ITEM_BYTES   ((size_t)1024 * 1024)
#define WM_MAX_OUTPUT_BYTES ((size_t)16 * 1024 * 1024)
#define WM_MAX_ITEMS        1000

/*
 * Temporary ids. An item create_issue or create_pull_request may carry `temporary_id`, by which
 * later items of the same file speak of what it makes: as `"target": "tmp_1"` and as `#tmp_1` in
 * their titles, bodies and comments. An id has 3 to 32 letters, digits and `_`, a letter first, and
 * at least one digit or `_`; case makes no difference. Whoever applies items keeps one object
 * `made`, at first empty: after each such item it sets made[temporary_id of the checked item] to
 * the new number, or to 0 when nothing was made (staged, no changes). wm_item_check() puts the
 * numbers in; an id that is not in `made` is an error, one with 0 leaves `number` 0 with a
 * `target_id`, which only a staged item may have.
 */
typedef struct WmItemScope { // all borrowed: what an item is measured against
    const WmPolicy *policy;
    const char *task_name;
    const char *repo;    // slug; NULL: unknown
    const char *root;    // of the repository; NULL: unknown
    int64_t issue, pull; // of the event; 0: none
    const json_t *made;  // numbers by temporary id, in lower case; NULL: none
    bool is_emit;        // fields stay as the agent gave them where applying decides
} WmItemScope;

typedef struct WmItem {
    WmKind kind;
    /* Normalised, with the fields of the kind's row in task-engine §6.4 alone: strings trimmed,
       lists of strings without duplicates, "type" as in the kind table, title with its prefix,
       labels and assignees merged with the policy's, `operation` "replace", "append", "prepend" or
       "replace_island" (absent: replace), `side`, `event` in capitals; `target` 0 where the item
       names none. When applying, `state_reason` is there, too. */
    json_t *fields;
    int64_t number;        // resolved target; 0: none
    const char *target_id; // its temporary id; NULL: none; borrowed from `fields`
} WmItem;
void wm_item_clear(WmItem *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmItem, wm_item_clear)

/* Kind, prefix, labels, target and the rules of its kind. `raw` is an object with a known type,
   whose kind is enabled. Errors have the kind before them: `add_comment: empty body`. A known
   secret in any of its strings: `add_comment: text contains a secret`. */
bool wm_item_check(const WmItemScope *scope, const json_t *raw, WmItem *ret_item, GError **error);

/* In lower case; NULL when `text` is none. Caller frees. */
char *wm_temporary_id(const char *text);

/* All items of an output file, in order, as written (objects); lines that are none are skipped and
   told (wm_log), and so are items after the WM_MAX_ITEMS-th. No file: no items. A symlink, what is
   no regular file, and more than WM_MAX_OUTPUT_BYTES are errors. New reference. */
bool wm_items_read(const char *path, json_t **ret_items, GError **error);

/* What emit does with an item (task-engine §6.4): under the file's lock it reads what is there,
   looks whether the kind is enabled and below its maximum, checks the item and appends its line,
   whole or not at all. `path` is WM_SAFE_OUTPUT_FILE. `scope->made` is of no account here. Waits 30
   s at most for the lock. Errors as of wm_item_check(), and `kind "x" not permitted by
   safe-outputs:`, `policy: max 2 for add_comment exceeded`, `item too large (N bytes; limit N)`,
   `too many items (limit N)`. USAGE: `raw` has no known type. */
bool wm_items_append(const char *path, const WmItemScope *scope, const json_t *raw, GError **error);

/* The line of the file (task-engine §5.3): compact, keys sorted, < > & escaped; no line end. Caller
 * frees. */
char *wm_item_line(const json_t *item);
