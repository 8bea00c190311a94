/*
 * `safe-outputs:` of a task: which writes it may ask for, how many, on what (task-engine §2.6,
 * §6.3). Immutable; pure.
 */
#pragma once

#include "base/json.h"

typedef enum WmKind {
    WM_CREATE_PULL_REQUEST,
    WM_ADD_COMMENT,
    WM_ADD_LABELS,
    WM_REMOVE_LABELS,
    WM_CREATE_ISSUE,
    WM_UPDATE_PULL_REQUEST,
    WM_UPDATE_ISSUE,
    WM_CLOSE_ISSUE,
    WM_CLOSE_PULL_REQUEST,
    WM_ADD_REVIEWER,
    WM_CREATE_REVIEW_COMMENT,
    WM_SUBMIT_REVIEW,
    WM_REPLY_TO_REVIEW_COMMENT,
    WM_RESOLVE_REVIEW_THREAD,
    WM_PUSH_TO_PULL_REQUEST_BRANCH,
    WM_NOOP,
    WM_MISSING_TOOL,
    WM_MISSING_DATA,
    WM_KINDS, // how many; also: unknown
} WmKind;     // in the order of the prompt's list (task-engine §5.4)

typedef struct WmKindDef {
    const char *type;    // "add_comment"
    const char *handler; // "add-comment", also the sub-command of emit
    int64_t default_max; // 0: not counted
} WmKindDef;
extern const WmKindDef wm_kind_table[WM_KINDS];
/* Either spelling, any case, trimmed; WM_KINDS: unknown. */
WmKind wm_kind_of(const char *type);

typedef struct WmHandler {
    bool is_enabled;
    int64_t max;
    bool is_staged;
    /* An object, names with dashes; borrowed from the policy; never NULL. Of two names for one
       thing only these stand in it: `required-title-prefix` and `required-labels` of
       push-to-pull-request-branch, `allowed-reviewers` of add-reviewer. A list in place of options
       of add-labels and remove-labels is `allowed`. */
    const json_t *options;
} WmHandler;

typedef struct WmPolicy {
    WmHandler handlers[WM_KINDS];
    bool has_keys;  // anything at all stands under safe-outputs
    bool is_staged; // of all kinds
    const char *run_started, *run_success, *run_failure, *footer; // messages; NULL: unset; borrowed
    json_t *options;       // private: what the rest borrows from
    const json_t *threats; // threat-detection as written; NULL
    bool keeps_mentions;   // false: safe-outputs.mentions: false
} WmPolicy;

/* `safe_outputs` as written; NULL: nothing is allowed but the kinds that always are. `warnings`
   gets what `validate` says (char *); NULL: no one wants it. */
WmPolicy *wm_policy_new(const json_t *safe_outputs, GPtrArray *warnings);
void wm_policy_free(WmPolicy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmPolicy, wm_policy_free)

/* An option of a handler as list of strings (trimmed, no empties, no duplicates; NULL when absent:
   new reference) or as text (trimmed, of title prefixes at the beginning only; NULL when absent or
   empty; borrowed). */
json_t *wm_handler_list(const WmHandler *self, const char *option);
const char *wm_handler_text(const WmHandler *self, const char *option);
/* An option that is a list of what is allowed, in any case of letters: absent, null or empty it
   allows everything; a value that is no list of strings, nothing. */
bool wm_handler_admits(const WmHandler *self, const char *option, const char *text);
/* task-engine §6.7: `add-labels` and `remove-labels`, and names GitHub would refuse; of other kinds
   the names only. `label "x" not allowed by policy`. */
bool wm_policy_allows_label(const WmPolicy *self, WmKind kind, const char *label, GError **error);
