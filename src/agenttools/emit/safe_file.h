/*
 * Files by their real path (agent-tools-cli §5.5 rule 5): resolving links first, then opening
 * without following any, so that nothing that is swapped in between leads elsewhere. Regular files
 * only. Thread safe.
 *
 * Errors of answer.h: NOT_FOUND, PERMISSION (a link where none was, no regular file, no right),
 * VALIDATION (too large), CONFLICT, IO. `name` is what messages call the file.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The absolute path with links resolved as far as it exists, the rest as text; a link that leads
   nowhere counts as its target. NULL: the links go in a circle. Caller frees. */
char *safe_file_resolve(const char *path);

/* `real_path` holds no links (safe_file_resolve). The data are also NUL-terminated. */
bool safe_file_read(const char *real_path, const char *name, size_t max_bytes, char **ret_data,
                    size_t *ret_size, GError **error);

/* 64 hexadecimal digits of the content. */
bool safe_file_sha256(const char *real_path, const char *name, char **ret_sha256, GError **error);

/* Replaces an existing file: temporary file beside it, owner and mode of the old one, fsync,
   rename. `expected_sha256` (may be NULL) must be that of the old content right before the rename.
 */
bool safe_file_replace(const char *real_path, const char *name, const char *data, size_t size,
                       const char *expected_sha256, GError **error);
