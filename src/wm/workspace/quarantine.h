/*
 * A work tree that an agent left: nothing of its .git may run code or redirect a push (task-engine
 * §9.3 rule 6), and the git commands of the engine (task-engine §8.6).
 */
#pragma once

#include "base/git.h"

/* Before any git command in `root`. `origin_url` is written as the only remote. Refuses a .git that
   is no directory, and one with symlinks where git itself makes none. May be called again. */
bool wm_quarantine(const char *root, const char *origin_url, GError **error);

typedef struct WmGit { // all borrowed
    const char *root;
    bool is_quarantined;
    const char *server_url; // "https://github.com": the host for which the token goes along; NULL
    bool in_actions;        // the token goes along only there
    bool is_local;          // it connects to this machine's files alone: no token, no other way
} WmGit;

/* git with the environment of task-engine §8.6 and, quarantined, of task-engine §9.3. A status
   other than 0 is an error `git <command>: <reason>` of KEDGE_ERROR_FAILED. *ret_output is trimmed;
   may be NULL. */
bool wm_git(const WmGit *self, const char *const *args, int64_t timeout_ms, Cancel *cancel,
            char **ret_output, GError **error);
/* The same; a failure of git is "git <tried>: …". */
bool wm_git_named(const WmGit *self, const char *const *args, const char *tried, Cancel *cancel,
                  GError **error);
/* The same; *ret_status is git's, and what it printed to standard error is in `ret_errors` (both
   may be NULL): a status is no error. */
bool wm_git_ask(const WmGit *self, const char *const *args, int64_t timeout_ms, Cancel *cancel,
                int *ret_status, char **ret_output, char **ret_errors, GError **error);
/* What `range` changes, without context, also where .gitattributes of the work tree call a text
   binary: what an agent's say is no reason not to look. Caller frees. */
bool wm_git_diff(const WmGit *self, const char *range, int64_t timeout_ms, Cancel *cancel,
                 char **ret_diff, GError **error);
/* The same for each commit of `range` by itself, files that are no text too: what a later one takes
   away is pushed as well. Or what they say, and by whom. */
typedef enum { WM_GIT_LOG_PATCHES, WM_GIT_LOG_WORDS } WmGitLog;
bool wm_git_log(const WmGit *self, const char *range, WmGitLog what, int64_t timeout_ms,
                Cancel *cancel, char **ret_text, GError **error);
/* task-engine §5.5, §6.10: names of branches. Callers free. `default` never fails: "main" at last.
   HEAD when detached. */
bool wm_git_branch(const WmGit *self, Cancel *cancel, char **ret_branch, GError **error);
char *wm_git_default_branch(const WmGit *self, const char *of_payload, Cancel *cancel);
bool wm_git_branch_name_is_valid(const WmGit *self, const char *name, Cancel *cancel);
/* To origin; never forced: a refspec with + is refused. *ret_output: what git said; may be NULL.
   The error `git push: <reason>: <output>` ends with what to do, where git's answer is a known one.
 */
bool wm_git_push(const WmGit *self, const char *refspec, bool sets_upstream, Cancel *cancel,
                 char **ret_output, GError **error);
/* The clean tree of task-engine §3.11. */
bool wm_git_is_clean(const WmGit *self, Cancel *cancel, GError **error);
