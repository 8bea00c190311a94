/*
 * Files of a repository that hold up or flood whatever reads them: a FIFO that no one writes to, a
 * device, a link to one. ripgrep and git open some files of a tree unasked: ignore files and
 * attributes in any folder, and all of a git directory.
 *
 * The trees are walked in pieces, so that who waits for such a program can look meanwhile. One
 * thread at a time.
 */
#pragma once

#include "base/error.h"

#include <sys/stat.h>

/* Neither a regular file nor a directory, a socket (nobody can open one) or /dev/null. */
bool special_file_is(const struct stat *info);

/* PROTOCOL: "sub/.gitignore is a FIFO (…): remove it". Returns false. */
bool special_file_fail(const char *path, GError **error);

typedef struct SpecialSearch SpecialSearch;

/* Of each tree, and of the folders above it. `trees` is NULL-terminated, relative to `cwd`. */
SpecialSearch *special_search_new(const char *const *trees, const char *cwd);
void special_search_free(SpecialSearch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SpecialSearch, special_search_free)

/* Goes on for about `budget_ms`. True when it is over: *ret_path is the first such file, or NULL.
   Caller frees. */
bool special_search_step(SpecialSearch *self, int64_t budget_ms, char **ret_path);
