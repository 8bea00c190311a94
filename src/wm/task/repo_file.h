/*
 * Files that kedge writes into a repository: whole or not at all, and through no symlink that leads
 * out of it, since what is checked out may be anybody's (task-engine §9.5). Blocks; thread safe.
 */
#pragma once

#include "base/error.h"

/* `path` is below `root`, with /; directories on the way are made. A file that holds `text` already
   is left alone (*ret_changed, which may be NULL, tells). DENIED: a link leads out. */
bool wm_repo_file_write(const char *root, const char *path, const char *text, bool *ret_changed,
                        GError **error);
/* The same rule; *ret_text is NULL when there is no such file. */
bool wm_repo_file_read(const char *root, const char *path, size_t max_bytes, char **ret_text,
                       GError **error);
