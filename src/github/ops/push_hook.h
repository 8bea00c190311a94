/*
 * The pre-push hook of the person's repository, run before pr_push instead of by it (github-tool
 * §3.7): a hook that git starts could read the token that the push needs. Blocks.
 */
#pragma once

#include "base/cancel.h"

typedef struct PushHook {
    const char *primary_root; // where it runs: a worktree has a stranger's files
    const char *remote, *url;
    const char *local_ref, *local_commit;
    const char *remote_ref;
    const char *remote_commit; // NULL: there is none
    int64_t timeout_ms;
} PushHook;

/* *ret_path: the hook's file; NULL: there is none, or it may not run, and *ret_left_off says why.
   Caller frees both. */
bool push_hook_find(const PushHook *self, Cancel *cancel, char **ret_path, char **ret_left_off,
                    GError **error);
/* FAILED: it said no, in its own words. */
bool push_hook_run(const PushHook *self, const char *path, Cancel *cancel, GError **error);
