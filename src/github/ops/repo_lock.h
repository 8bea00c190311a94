/*
 * The lock of a repository: one git mutation at a time (github-tool §3.6).
 *
 * Worktrees of one repository share configuration, packed refs and worktree metadata, and git's own
 * lock files fail instead of waiting. Inside the process: first come, first served, by primary
 * root. Between processes: flock on <git common dir>/omp-worktree.lock (the file stays; its name is
 * shared with the other tools of this family). Thread safe. Not re-entrant.
 */
#pragma once

#include "base/cancel.h"

#include <stdint.h>

#define REPO_LOCK_MAX_WAIT_MS (10 * 60 * 1000) // for another process

typedef struct RepoLock RepoLock;

/* Blocks. CANCELLED: the waiter has left the queue. TIMEOUT after `max_wait_ms` for another
   process; the wait inside this one has no limit of its own, since each holder's git commands have
   theirs. */
bool repo_lock_acquire(const char *primary_root, const char *common_dir, int64_t max_wait_ms,
                       Cancel *cancel, RepoLock **ret_lock, GError **error);
void repo_lock_release(RepoLock *self); // NULL is allowed
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RepoLock, repo_lock_release)
