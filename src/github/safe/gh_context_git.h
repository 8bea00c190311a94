/*
 * What git says about a directory, for the context of gh (gh-policy §1.3, §1.4): branch, remotes,
 * and what they lead to. Blocks; reading commands only, 2 s each. A GhClone is immutable and shared
 * by reference.
 */
#pragma once

#include "github/safe/gh_remote.h"

typedef struct GhClone {
    int ref_count;
    bool is_clone; // false: everything else is empty
    char *branch;  // NULL: no branch is checked out
    GPtrArray
        *remotes; // GhRemote *, in gh's order: upstream, github, origin, others as git has them
} GhClone;

/* Never fails but when cancelled: what git cannot tell is empty. The answer for a directory is
   remembered in `cache` (NULL: not) until git's config or HEAD changes, at most 5 s. */
typedef struct GhCloneCache GhCloneCache;
bool gh_clone_read(GhCloneCache *cache, const char *dir, const Settings *settings, Cancel *cancel,
                   GhClone **ret_clone, GError **error);
void gh_clone_unref(GhClone *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GhClone, gh_clone_unref)

/* For one set of settings. Thread safe. */
GhCloneCache *gh_clone_cache_new(void);
void gh_clone_cache_free(GhCloneCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GhCloneCache, gh_clone_cache_free)
