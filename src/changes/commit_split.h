/*
 * `kedge commit --split`: one change as several commits, as a model divides it. Either all commits
 * are made, and together they are the change to the byte, or none is: the branch, the index and the
 * work tree are then as they were. Blocks; for a worker.
 */
#pragma once

#include "agent/summary.h"

typedef struct CommitSplit { // all borrowed
    const char *root;
    const char *recent, *context; // as for DiffQuestion
    const SummaryContext *model;
    bool wants_all, is_dry_run;
    bool is_foreign; // a pull request is checked out: no hook of its files runs
} CommitSplit;

/* *ret_said is for the person: the plan, or what git says of each commit. It may be set beside an
   error. */
bool commit_split(const CommitSplit *self, Cancel *cancel, char **ret_said, GError **error);
