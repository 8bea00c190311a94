/*
 * A session that goes on in another directory (agent-core §4.6, moveTo).
 */
#pragma once

#include "session/session_find.h"

/* The file and the directory of its artifacts become the ones of a session of `to`, with its cwd in
   the header; *ret_path is the new file's, the caller's. All of it, or nothing. DENIED while a
   process is in it, or when a file of that name is there already. Blocks for as long as copying
   takes. */
bool session_relocate(const char *path, const SessionPlace *to, char **ret_path, GError **error);
