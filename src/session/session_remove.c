/*
 * Removing a session (session_remove.h): under its lock, artifacts first, so that what is left
 * after a crash is still a session that can be removed.
 */
#include "session/session_remove.h"

#include "base/file.h"
#include "session/session_load.h"
#include "session/store.h"

#include <errno.h>
#include <unistd.h>

bool session_remove(const char *path, GError **error)
{
    g_autoptr(json_t) header = session_file_header(path);
    if (!header)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Not a session file: %s", path);
    g_autoptr(Store) store = NULL;
    StoreState state = STORE_BUSY;
    if (!store_open(path, &store, &state, error))
        return false;
    if (state != STORE_LOCKED)
        return fail_with(error, KEDGE_ERROR_DENIED, "%s: %s", path,
                         state == STORE_BUSY ? "another process is in this session"
                                             : "no permission to write");
    bool has_suffix = g_str_has_suffix(path, ".jsonl");
    g_autofree char *artifacts =
        has_suffix ? g_strndup(path, strlen(path) - strlen(".jsonl")) : NULL;
    if (artifacts && !file_remove_tree(artifacts, error))
        return false;
    return unlink(path) == 0 || fail_with_errno(error, errno, "cannot remove %s", path);
}
