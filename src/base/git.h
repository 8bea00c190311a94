/*
 * git as kedge itself starts it: the one function for every room (common §6). Looking at a
 * repository runs no program that its configuration or attributes name, and connects to nothing.
 *
 * Reading commands are all but those that change something (git.c has the list). They get no
 * filters and no transport; content is compared as it is on disk. Commands that change something
 * may write files of a stranger, or stand in them: no hook runs, and of the programs that the
 * configuration names only those do that such a file cannot replace (git_command.h). A token of
 * GitHub goes to commands that connect to another machine, and to no other. `is_own` is for what
 * the person would else type: then git does what it always does. Names that come from outside stand
 * after
 * --end-of-options or `--`; the caller sees to that. Blocks; thread safe.
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
    bool only_looks;         // a command that changes something, for show: no filter at all runs
    bool is_own;             // a commit or a push of the person's own: with hooks and filters
    const char *tree;  // that a stranger wrote, or that is written: nothing of it is run; NULL
    const char *input; // of standard input; NULL: none
} GitSpec;

typedef struct GitResult {
    char *output;       // trimmed UTF-8; with is_bytes as it came; always NUL-terminated
    size_t output_size; // in bytes
    char *error_output; // trimmed UTF-8
    char *left_off;     // "filter.x.smudge (./x.sh), …", which did not run; NULL: nothing
    int exit_status;
} GitResult;

void git_result_clear(GitResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GitResult, git_result_clear)

/* Variables that git is started without; NULL-terminated. */
extern const char *const git_misleading[];

/* Never fails on exit status. NOT_FOUND `git is not installed.`; LIMIT for too much output, or too
   many programs in the configuration; DENIED for one of those that can neither run nor be closed.
 */
bool git_start(const GitSpec *spec, Cancel *cancel, GitResult *ret_result, GError **error);

/* For another program that starts git itself in `dir`: its environment gets an entry for each
   filter that the configuration there names, and git runs none of them; with `writes_tree`, none
   that a file of the tree could replace. Nothing to do where there is no git. */
bool git_close_filters(const char *dir, bool writes_tree, Cancel *cancel, char ***env,
                       GError **error);
