/*
 * git as kedge itself starts it: the one function for every room (common §6). Looking at a
 * repository runs no program that its configuration or attributes name, and connects to nothing.
 *
 * Reading commands are all but those that change something (git.c has the list). They get no hooks,
 * no filters and no transport; content is compared as it is on disk. Names that come from outside
 * stand after --end-of-options or `--`; the caller sees to that. Blocks; thread safe.
 */
#pragma once

#include "base/cancel.h"

#include <stdint.h>

typedef struct GitSpec {
    const char *dir;
    const char *const *args; // without "git", NULL-terminated
    const char *const *env;  // what is built upon; NULL: env_for_child(NULL)
    const char *index_file;  // absolute, in place of the repository's index; NULL: that
    int64_t timeout_ms;      // 0: one minute
    size_t max_output_bytes; // 0: LIMIT_GIT_OUTPUT_BYTES
    bool is_bytes;           // output byte for byte, for -z and paths
    bool may_fetch_missing;  // of a partial clone: a work tree cannot be filled otherwise
} GitSpec;

typedef struct GitResult {
    char *output;       // trimmed UTF-8; with is_bytes as it came, NUL-terminated besides
    size_t output_size; // in bytes
    char *error_output; // trimmed UTF-8
    int exit_status;
} GitResult;

void git_result_clear(GitResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GitResult, git_result_clear)

/* Never fails on exit status. NOT_FOUND `git is not installed.`; LIMIT for too much output, or too
   many filters in the configuration. */
bool git_start(const GitSpec *spec, Cancel *cancel, GitResult *ret_result, GError **error);
