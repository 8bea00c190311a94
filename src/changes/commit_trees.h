/*
 * The trees of several commits that together make one change, built beside the repository's index:
 * nothing that a person sees changes, only objects are added. Blocks; one thread at a time.
 */
#pragma once

#include "changes/commit_parts.h"

#include "base/cancel.h"

typedef struct CommitTrees CommitTrees;

/* What is staged in the repository at `root`; with `wants_all` all changes of tracked files. The
   index is copied, and not touched yet. `only_looks`: nothing is to be committed, so not even the
   filters run that say how files are stored. Nothing has changed: commit_trees_parts() has none. */
bool commit_trees_open(const char *root, bool wants_all, bool only_looks, Cancel *cancel,
                       CommitTrees **ret_self, GError **error);
void commit_trees_free(CommitTrees *self); // removes what it has written beside the repository
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CommitTrees, commit_trees_free)

const char *commit_trees_head(const CommitTrees *self); // NULL: there is no commit yet
const CommitParts *commit_trees_parts(const CommitTrees *self);

/* The tree after each of `commits` (PlannedCommit) as a NULL-terminated list; the last one is the
   whole change, to the byte. USAGE names a commit that would change nothing, for the model. */
bool commit_trees_build(CommitTrees *self, const GPtrArray *commits, Cancel *cancel,
                        char ***ret_trees, GError **error);

/* The path of an index that holds `tree`, for the commit. Borrowed. */
bool commit_trees_use_index(CommitTrees *self, const char *tree, Cancel *cancel,
                            const char **ret_index, GError **error);
/* With wants_all, before the first commit: the repository's index holds the whole change, as it
   does without. FAILED when another program has changed what it holds. */
bool commit_trees_begin(CommitTrees *self, GError **error);
/* The repository's index as it was before; what another program has staged meanwhile stays, and is
   FAILED. */
bool commit_trees_restore(CommitTrees *self, GError **error);
