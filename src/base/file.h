/*
 * Files: bounded reads, atomic replacement, private directories. Thread safe.
 */
#pragma once

#include "base/error.h"

#include <fcntl.h> // O_NOFOLLOW
#include <sys/stat.h>
#include <sys/types.h>

/*
 * To read a regular file, or /dev/null: nothing else is opened, so nothing waits and nothing is
 * without an end. -1 with errno: EISDIR for a directory, ENOTSUP for a FIFO, a device and the like.
 * `flags`: 0 or O_NOFOLLOW. Every file that others could have put there is read through it, also by
 * the functions below.
 */
int file_open_regular(const char *path, int flags, struct stat *ret_info);
int file_open_regular_at(int dir, const char *path, int flags,
                         struct stat *ret_info);   // relative to `dir`
bool file_is_null_device(const struct stat *info); // /dev/null, also under another name
/* "cannot read <path>: …", from errno after one of these; NOT_FOUND when absent. Returns false. */
bool file_fail_open(const char *path, GError **error);

/* The whole file, NUL-terminated; LIMIT when it is larger than `max_bytes`, NOT_FOUND when absent.
   `ret_size` may be NULL. */
bool file_read(const char *path, size_t max_bytes, char **ret_data, size_t *ret_size,
               GError **error);

/* A reader sees the old bytes or the new ones, and no temporary file stays behind, whenever this
   process ends. Symlinks are followed to their target. An existing file keeps its mode, owner,
   attributes and access lists; a new one gets `mode` less the umask. What cannot be replaced
   without losing something (several hard links, a mount point, a directory where we may not write)
   is written in place, after room for it was found. A file that we may not write is refused. On
   failure the old file is intact. */
bool file_write_atomic(const char *path, const void *data, size_t size, mode_t mode,
                       GError **error);

/* As file_write_atomic(), but nothing is followed: `path` is absolute, as path_resolved() made it,
   and DENIED when a link has come to be on its way since. */
bool file_write_exact(const char *path, const void *data, size_t size, mode_t mode, GError **error);

/* As file_write_atomic(), but it does not wait for the disk: when the machine goes down at once,
   the file may be the old one, or empty. For what is written at every start and can be done
   without. */
bool file_write_volatile(const char *path, const void *data, size_t size, mode_t mode,
                         GError **error);

/* As file_write_atomic(), but what cannot be replaced is an error: for what a write that is broken
 * off ruins. */
bool file_replace(const char *path, const void *data, size_t size, mode_t mode, GError **error);

/* mkdir -p; directories made get `mode`. */
bool file_make_dirs(const char *path, mode_t mode, GError **error);

bool file_exists(const char *path);       // anything, dangling links included
bool file_is_directory(const char *path); // following links
/* Never follows links. Directories of ours that may not be changed are removed, too. A path that
   does not exist is removed already. */
bool file_remove_tree(const char *path, GError **error);
