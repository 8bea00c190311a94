/*
 * The guard for files that a program has written: they are not edited by hand (agent-tools §1.8).
 * Thread safe.
 */
#pragma once

#include "tool/settings.h"

/* The mark that shows that the file at `path` is generated, or NULL. `head` is how it begins (the
   first GENERATED_HEAD_BYTES are enough). Caller frees. */
char *generated_marker(const char *path, const char *head, size_t head_size);

#define GENERATED_HEAD_BYTES 1024

/* False (FAILED) when the setting forbids to change generated files and this is one. `shown` is the
   path in the message. */
bool generated_check(const Settings *settings, const char *path, const char *shown,
                     const char *head, size_t head_size, GError **error);

/* The same of the file at `path`; one that cannot be read has no head. */
bool generated_check_file(const Settings *settings, const char *path, const char *shown,
                          GError **error);
