/*
 * ripgrep, behind grep and find: the one place that runs it. Blocks; thread safe.
 *
 * Ignore files always count unless said otherwise, in repositories and outside; `.git` and
 * `node_modules` are not entered unless named.
 */
#pragma once

#include "base/cancel.h"

typedef struct RgFiles { // rg --files
    const char *cwd;     // the directory to list
    bool excludes_hidden;
    bool enters_all; // .git and node_modules too
    int64_t timeout_ms;
} RgFiles;

/* Called for each path, relative to cwd. False: stop, that was enough. */
typedef bool (*RgPathFunc)(const char *path, void *user_data);

/* TIMEOUT after some paths were given; NOT_FOUND when ripgrep is not installed. */
bool rg_files(const RgFiles *search, Cancel *cancel, RgPathFunc func, void *user_data,
              GError **error);

/* rg with these arguments (NULL-terminated, without "rg"), each line of its output given to `func`
   without the newline. LIMIT for a line over 64 MiB. `ret_error_text` is its standard error. Exit
   status 1 means nothing was found; a run that `func` stopped counts as 0. */
typedef bool (*RgLineFunc)(const char *line, size_t size, void *user_data);
bool rg_run(const char *const *args, const char *cwd, int64_t timeout_ms, Cancel *cancel,
            RgLineFunc func, void *user_data, int *ret_exit_status, char **ret_error_text,
            GError **error);
