/*
 * Where sessions lie and how one is found again (agent-core §4.1, §4.9, §1.6).
 */
#pragma once

#include "base/error.h"

/* <sessions root>/<encoded cwd>; `sessions_root` is <agent dir>/sessions. Caller frees. */
char *session_dir_for_cwd(const char *sessions_root, const char *cwd);

typedef struct SessionPlace {
    const char *agent_dir;
    const char *cwd;
    const char *session_dir; // --session-dir; NULL: by cwd
} SessionPlace;

/* The directory new sessions of this place go to. Caller frees. */
char *session_place_dir(const SessionPlace *place);

/* --continue: breadcrumb of this terminal, else the newest file; NULL when there is none. Caller
 * frees. */
char *session_find_recent(const SessionPlace *place);

/* --resume VALUE: a path, or a case-insensitive id prefix, this directory first, then all projects.
 *ret_is_elsewhere: found, but with another cwd (*ret_cwd; caller frees). NOT_FOUND: `Session "x"
 *not found.`, of a path `Session file not found: PATH` or `Not a session file: PATH`. */
bool session_find(const SessionPlace *place, const char *value, char **ret_path,
                  bool *ret_is_elsewhere, char **ret_cwd, GError **error);

/* The same for what cannot be taken back: USAGE, with the candidates, when more than one session of
   all projects fits. */
bool session_find_only(const SessionPlace *place, const char *value, char **ret_path,
                       GError **error);

/* Remembers the session of this terminal, best effort. */
void session_write_breadcrumb(const SessionPlace *place, const char *session_path);
