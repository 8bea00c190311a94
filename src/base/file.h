/*
 * Files: bounded reads, atomic replacement, private directories. Thread safe.
 */
#pragma once

#include "base/error.h"

#include <sys/types.h>

/* The whole file, NUL-terminated; LIMIT when it is larger than `max_bytes`, NOT_FOUND when absent.
   `ret_size` may be NULL. */
bool file_read(const char *path, size_t max_bytes, char **ret_data, size_t *ret_size,
               GError **error);

/* Writes a temporary file in the same directory, fsyncs, renames. Symlinks are followed to their
   target; the mode bits of an existing file are kept, else `mode` is used. Falls back to writing in
   place when the directory does not allow a new file, or a rename would change the owner. A file
   that we may not write is refused. On failure the old file is intact. */
bool file_write_atomic(const char *path, const void *data, size_t size, mode_t mode,
                       GError **error);

/* mkdir -p; directories made get `mode`. */
bool file_make_dirs(const char *path, mode_t mode, GError **error);

bool file_exists(const char *path);       // anything, dangling links included
bool file_is_directory(const char *path); // following links
/* Never follows links. A path that does not exist is removed already. */
bool file_remove_tree(const char *path, GError **error);
