/*
 * git's failures as errors, and what git says about a repository (github-tool §3.1). Started by
 * base/git.h. Blocks; thread safe.
 */
#pragma once

#include "base/git.h"

/* `args` without "git", NULL-terminated. Never fails on exit status. `timeout_ms` 0: one minute.
   NOT_FOUND `git is not installed.` */
bool git_run(const char *dir, const char *const *args, int64_t timeout_ms, Cancel *cancel,
             GitResult *ret_result, GError **error);
/* Non-zero exit fails with git's trimmed stderr, else stdout, else "git <args> failed with exit
   code <n>" (redacted). `ret_output` may be NULL. */
bool git_must(const char *dir, const char *const *args, int64_t timeout_ms, Cancel *cancel,
              char **ret_output, GError **error);

/* The same for what git has said to `args`. */
bool git_check(const char *const *args, const GitResult *result, GError **error);
/* As git_must(), with all that a GitSpec can say. */
bool git_must_spec(const GitSpec *spec, Cancel *cancel, char **ret_output, GError **error);
/* As git_must(), one minute; stdout byte for byte (and NUL-terminated), for -z and paths. */
bool git_must_bytes(const char *dir, const char *const *args, Cancel *cancel, char **ret_data,
                    size_t *ret_size, GError **error);

bool git_repo_root(const char *dir, Cancel *cancel, char **ret_root, GError **error); // E15
bool git_primary_root(const char *root, Cancel *cancel, char **ret_root, GError **error);
/* Absolute: a linked worktree may hold another `core.hooksPath`'s files. `primary_root` as above.
 */
bool git_hooks_path(const char *primary_root, Cancel *cancel, char **ret_path, GError **error);
bool git_common_dir(const char *root, Cancel *cancel, char **ret_dir, GError **error);
bool git_current_branch(const char *root, Cancel *cancel, char **ret_branch, GError **error); // E16
/* Is a branch checked out that pr_checkout made, so that the files are a stranger's? True in doubt.
 */
bool git_is_pull_checkout(const char *root, Cancel *cancel);
bool git_head_sha(const char *root, Cancel *cancel, char **ret_sha, GError **error); // E34
bool git_ref_exists(const char *root, const char *ref, Cancel *cancel, bool *ret_exists,
                    GError **error);
bool git_ref_value(const char *root, const char *ref, Cancel *cancel, char **ret_sha,
                   GError **error);

/* The raw and the effective URL of a remote (after insteadOf); NULL when there is no such remote.
 */
bool git_remote_urls(const char *root, const char *name, Cancel *cancel, char **ret_raw,
                     char **ret_effective, GError **error);
/* One value of git's configuration, trimmed; NULL when unset or empty. */
bool git_config_get(const char *root, const char *key, Cancel *cancel, char **ret_value,
                    GError **error);
bool git_config_set(const char *root, const char *key, const char *value, Cancel *cancel,
                    GError **error);
/* Not being there is no error. */
bool git_config_unset(const char *root, const char *key, Cancel *cancel, GError **error);
