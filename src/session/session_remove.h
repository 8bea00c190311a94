/*
 * Removing a session, and bringing it back: for the commands that delete one. What is removed goes
 * to `.trash/TIME-NAME/` beside it, file and artifacts, and is deleted for good when a later
 * removal or list finds it older than SESSION_TRASH_DAYS. Blobs stay: other sessions may have them,
 * too.
 */
#pragma once

#include "session/session_find.h"

#include "base/json.h"

#define SESSION_TRASH_DAYS 30
#define SESSION_TRASH_HINT "for 30 days, `kedge sessions restore` brings it back"

/* The file and the directory of its artifacts. DENIED while a process is in it. */
bool session_remove(const char *path, GError **error);
bool session_remove_for_good(const char *path, GError **error);

/* What is in the trash of all projects, or of `session_dir`: an array of {"id","title"?,"cwd",
   "path": where it was,"deletedAt": Unix seconds}, the last removed first. New reference. */
json_t *session_trash_list(const SessionPlace *place);

/* The one in the trash whose id begins so goes back to where it was. NOT_FOUND; USAGE: several fit,
   or something is at its place. *ret_path: caller frees. */
bool session_restore(const SessionPlace *place, const char *id, char **ret_path, GError **error);
