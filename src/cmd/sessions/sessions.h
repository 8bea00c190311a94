/*
 * What the files of `kedge sessions` share.
 */
#pragma once

#include "cmd/cli/cmd.h"

/* A session by path or by the beginning of its id, of this directory first. Caller frees. */
bool sessions_find_file(const char *name, const char *session_dir, char **ret_path, GError **error);

extern const Command command_sessions_check;
extern const Command command_sessions_export;
extern const Command command_sessions_import;

/* Writes the session as HTML and prints `Exported to: OUT`; `out` NULL: a name of its own, here. */
bool sessions_export(const char *name, const char *out, const char *session_dir, GError **error);
