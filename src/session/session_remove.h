/*
 * Removes a session for good, for the commands that delete one.
 */
#pragma once

#include "base/error.h"

/* The file and the directory of its artifacts. DENIED while a process is in it. Blobs stay: other
   sessions may have them, too. */
bool session_remove(const char *path, GError **error);
