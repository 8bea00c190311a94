/*
 * Files whose text must not reach a model, or must not be lost on the way back (safety §7.4, §7.5).
 * Thread safe.
 */
#pragma once

#include "base/error.h"

/* DENIED for what shows the environment or the memory of a process, by whatever path: keys of the
   user's other programs are in it. `path` is absolute, `shown` is for the message. */
bool secret_file_check(const char *path, const char *shown, GError **error);
/* A directory of processes, which a search would read whole. */
bool secret_file_is_proc(const char *path);

/* DENIED when `after`, the new content of the file, holds more masks than `before` and `before`
   holds a known secret: a mask that a model copied would replace the value. */
bool secret_file_check_masks(const char *before, size_t size, const char *after, GError **error);
