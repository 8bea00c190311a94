/*
 * What the files that apply items share: one function for each group of kinds, and the two ways to
 * write: a call that may be repeated, and a POST that must not happen twice. Not for others.
 */
#pragma once

#include "wm/apply/apply.h"
#include "wm/apply/apply_record.h"
#include "wm/task/body.h"
#include "wm/workspace/quarantine.h"

typedef enum { APPLIED, APPLY_SKIPPED, APPLY_STAGED } ApplyStatus;

typedef struct Applier {
    const WmApply *spec; // borrowed, as all but what is said to be owned
    Cancel *cancel;
    WmItemScope scope;
    WmGit git;
    json_t *made;          // owned: numbers by temporary id
    json_t *labels;        // owned: names that the repository has; NULL: not asked yet
    ApplyRecord *record;   // owned; NULL: everything so far is staged
    const json_t *outputs; // of the items before this one

    // of the item that is being applied
    int64_t index;
    char *hash;      // owned
    WmItem item;     // owned
    char target[40]; // its number; of a staged one it may be a temporary id
    const WmHandler *handler;
    bool is_staged;
    bool is_open;     // an earlier attempt at it may have written something
    bool is_doubtful; // a step failed, and no one knows whether it happened
    json_t *calls;    // owned, of a staged one: {"method","path","body"}

    // what came out
    ApplyStatus status;
    int64_t number;
    int64_t id;
    char *url;    // owned; NULL
    char *reason; // owned; NULL
} Applier;

/* False: the item failed; the error has no kind before it. */
typedef bool ApplyFunc(Applier *self, GError **error);

/* apply_comment.c */
ApplyFunc apply_add_comment, apply_review_comment, apply_reply;
/* apply_labels.c */
ApplyFunc apply_add_labels, apply_remove_labels;
/* apply_issue.c: create_issue, and update_ and close_ of both */
ApplyFunc apply_create_issue, apply_update, apply_close;
/* apply_review.c */
ApplyFunc apply_add_reviewer, apply_submit_review, apply_resolve_thread;
/* apply_pull.c */
ApplyFunc apply_create_pull_request;
/* apply_branch.c */
ApplyFunc apply_push_to_branch;

/* apply_threats.c: DENIED `threat detection: …`; with continue-on-error the same is *ret_warning
   (caller frees), else NULL. */
bool apply_look_for_threats(Applier *self, const json_t *items, char **ret_warning, GError **error);

/* apply_write.c */

const char *apply_text(const Applier *self, const char *field); // of the item; "" when absent
/* "/repos/o/r" and the formatted rest. Caller frees. */
char *apply_path(const Applier *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Was what has this address (NULL: nothing has) made by an earlier item of this run and kind? */
bool apply_is_of_run(const Applier *self, const char *url);

/* A call that may happen twice. Staged: it is noted, and *ret_answer is NULL. */
bool apply_call(Applier *self, const char *method, const char *path, const json_t *body,
                json_t **ret_answer, GError **error);

typedef struct ApplyPost { // all borrowed
    const char *step;      // unique within the item: "comment"
    const char *path;
    const json_t *body;
    /* Where it is looked for when an earlier attempt may have made it: a list, whose first element
       that `is_it` says yes to, made since then, is it. NULL list: there is nothing to look at. */
    const char *list;
    bool (*is_it)(const json_t *element, const json_t *body);
} ApplyPost;

/* *ret_answer (may be NULL) is GitHub's answer, or what was found, or {"number","url","id"} of the
   record; NULL when staged. */
bool apply_post(Applier *self, const ApplyPost *post, json_t **ret_answer, GError **error);

/* A read that a check needs. Staged without a token, or on what is not made: *ret_answer is NULL,
   with a note. */
bool apply_get(Applier *self, const char *path, json_t **ret_answer, GError **error);

/* What came out of the item: from an answer with `number`, `html_url`, `id`. */
void apply_take(Applier *self, const json_t *answer);
void apply_skip(Applier *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* `warning: <kind>: …`. */
void apply_warn(const Applier *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Texts of the agent, as they go to GitHub. Callers free. */
char *apply_comment_text(const Applier *self, const char *text, bool has_footer);
char *apply_plain_text(const Applier *self, const char *text);
char *apply_made_text(const Applier *self, const char *text); // of what the item opens
char *apply_title(const Applier *self);

/* "#42" or "https://…": of progress lines. Caller frees. */
char *apply_place(const Applier *self);

/* apply_review.c; `pull` is a number, or stands for one */
bool apply_request_reviewers(Applier *self, const char *pull, const json_t *reviewers,
                             GError **error);
bool apply_post_review(Applier *self, const char *pull, const json_t *body, json_t **ret_answer,
                       GError **error);

/* apply_labels.c: task-engine §6.7, with what is known of the repository's labels. */
bool apply_ensure_labels(Applier *self, const json_t *labels, GError **error);

/* Does an issue or a pull request, as GitHub answers it, have the label? */
bool apply_has_label(const json_t *issue, const char *label);

/* apply_git.c: what both kinds that push share. Branches are names that git accepts. */

/* The repository's. What an agent's .git says of it is not believed: where the event does not say,
   GitHub does. Caller frees. */
bool apply_default_branch(Applier *self, char **ret_branch, GError **error);
/* Asks origin for the branch, so that what is compared with is not what an agent says. */
bool apply_fetch(Applier *self, const char *branch, GError **error);
/* In a quarantined .git: every object has the content of its name, so that what git says of the
   difference between two commits is true. Reads all of them. */
bool apply_check_objects(Applier *self, GError **error);
/* Refuses commits since origin/BASE (NULL: those that nothing of origin has) with files of a run.
 */
bool apply_check_run_files(Applier *self, const char *base, GError **error);
/* Follows if-no-changes: `text` goes on "no commits ahead of origin/main". */
bool apply_no_changes(Applier *self, const char *base, const char *text, GError **error);
/* HEAD to the branch of origin. *ret_has_changed false: it was there already. */
bool apply_push(Applier *self, const char *branch, bool sets_upstream, bool *ret_has_changed,
                GError **error);

/* apply_files.c: the options protected-files (task-engine §10.8), allowed-files and excluded-files.
 */
typedef enum { PROTECTED_NONE, PROTECTED_ISSUE, PROTECTED_REVIEW } ApplyProtected;
bool apply_guards_files(const Applier *self);
/* *ret_files: the protected ones among those that HEAD changes against the branch of origin, as a
   list in Markdown (caller frees); NULL with PROTECTED_NONE. DENIED: one may not be changed. */
bool apply_check_files(Applier *self, const char *base, ApplyProtected *ret_action,
                       char **ret_files, GError **error);
/* An issue with the title of `body`: for ApplyPost. */
bool apply_is_titled(const json_t *element, const json_t *body);
/* The issue in place of a push. */
bool apply_files_issue(Applier *self, const char *title, const char *files, GError **error);
/* The review that lists them; a failure is a warning. */
void apply_files_review(Applier *self, int64_t number, const char *files);
