/*
 * Several commits of one change, as a model plans them: what it is asked, and what of its answer
 * can be used. Pure.
 */
#pragma once

#include "base/error.h"

extern const char commit_plan_system[];

typedef struct PlannedCommit {
    char *message;
    GArray *parts; // of unsigned, from 0
} PlannedCommit;

/* The commits in order, a GPtrArray of PlannedCommit that owns them: each of the `part_count` parts
   is in exactly one. USAGE says what is wrong, for the model. */
bool commit_plan_read(const char *answer, unsigned part_count, GPtrArray **ret_commits,
                      GError **error);
