/*
 * Files that steer the program: settings, `.env`, rules, context files (common §3). What
 * others could have put there is not read: a file of another user than ours or root, and one in a
 * directory that everybody can write to. Thread safe.
 */
#pragma once

#include "base/error.h"

#include <sys/stat.h>

/* As file_read(). DENIED: "not read, it belongs to uid 1002: PATH", "not read, everybody can write
   to its directory: PATH", "not read, it is no regular file: PATH". */
bool own_file_read(const char *path, size_t max_bytes, char **ret_data, size_t *ret_size,
                   GError **error);

/* The same judgement of a file that is open. */
bool own_file_check(const char *path, const struct stat *info, GError **error);
