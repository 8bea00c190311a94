/*
 * Which session file a person means (sessions.h).
 */
#include "base/dirs.h"
#include "cmd/sessions/sessions.h"
#include "session/session_find.h"

bool sessions_find_file(const char *name, const char *session_dir, char **ret_path, GError **error)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *cwd = g_get_current_dir();
    g_autofree char *there = NULL;
    const SessionPlace place = { .agent_dir = agent_dir, .cwd = cwd, .session_dir = session_dir };
    bool is_elsewhere = false;
    return session_find(&place, name, ret_path, &is_elsewhere, &there, error);
}
