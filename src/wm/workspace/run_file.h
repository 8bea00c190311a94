/*
 * One file of a run's directory, read and written whole (task-engine §5.3). The directory is opened
 * for itself and not through a link, a file is a regular one and never a link: an agent may have
 * exchanged either. Thread safe; what a killed process leaves is a `.NAME.….tmp` and never half of
 * the file.
 */
#pragma once

#include "base/json.h"

#include <sys/types.h>

/* NOT_FOUND when the file or the directory is absent, LIMIT when it is larger. Caller frees. */
bool run_file_read(const char *dir, const char *name, size_t max_bytes, char **ret_data,
                   size_t *ret_size, GError **error);
/* A new file of 0644 takes its place; a link of that name is replaced, not followed. */
bool run_file_write(const char *dir, const char *name, const void *data, size_t size,
                    GError **error);

/* A regular file of that name, not a link? */
bool run_file_exists(const char *dir, const char *name);

/* Of the text of a JSON value: < > & as \u003c \u003e \u0026. Caller frees. */
char *run_file_escape(const char *json);
