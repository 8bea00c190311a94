/*
 * `kedge commit`: a change, a message for it that a model writes (or several, of its parts), and
 * the commits. What is committed, by which hooks and signed by whom, is git's business as ever;
 * only in the checkout of a pull request no hook runs. Blocks.
 */
#pragma once

#include "agent/summary.h"

typedef struct ChangeCommit {
    // what is wanted; borrowed
    const char *cwd;
    const char *context; // what the model should know apart from the diff; NULL
    bool wants_all, wants_split, wants_push, is_dry_run;
    // what came of it
    char *message; // of a single commit; NULL: none was written
    char *said;    // by git, or the plan of --split; NULL
    // between the two steps
    char *root, *diff;
    bool is_foreign; // the branch is a pull request's: its files are somebody else's
} ChangeCommit;

void change_commit_clear(ChangeCommit *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ChangeCommit, change_commit_clear)

/* Reads the change, before a model is looked for. NOT_FOUND: there is none. */
bool change_commit_read(ChangeCommit *self, Cancel *cancel, GError **error);
/* The message and the commits, unless it is a dry run, and the push. What git said is there also
   with an error. */
bool change_commit_make(ChangeCommit *self, const SummaryContext *model, Cancel *cancel,
                        GError **error);
