/*
 * The slash command that gives this session to another directory (slash.h).
 */
#include "tui/slash/slash_private.h"

#include "base/file.h"
#include "base/path.h"
#include "session/session_relocate.h"

/* Directory, tools, context files and trust of a conversation are those that it was started with:
   so it is the session that moves, and the program begins another one. */
SLASH(move)
{
    g_autofree char *expanded = path_expand_home(argument);
    g_autofree char *path = path_absolute(expanded, door->place.cwd);
    g_autofree char *dir = path_real(path);
    if (!*argument)
        return fail_with(error, KEDGE_ERROR_USAGE, "/move takes a directory");
    if (!dir || !file_is_directory(dir))
        return fail_with(error, KEDGE_ERROR_USAGE, "%s is no directory", path);
    if (g_str_equal(dir, door->place.cwd))
        return fail_with(error, KEDGE_ERROR_USAGE, "this session belongs to %s already", dir);
    g_autoptr(json_t) state = agent_session_state(door->session), moved = json_object();
    json_add(moved, "from:%s id:%s cwd:%s agentDir:%s sessionDir:%s",
             json_get_text(state, "sessionFile"), json_get_text(state, "sessionId"), dir,
             door->place.agent_dir, door->place.session_dir);
    if (!slash_command(door, "new_session", NULL, SLASH_ID "move", error))
        return false;
    json_decref(door->moved);
    door->moved = g_steal_pointer(&moved);
    return true;
}

static bool relocate(Aside *aside G_GNUC_UNUSED, const char *text, json_t **ret_data,
                     GError **error)
{
    g_autoptr(json_t) moved = NULL;
    g_autofree char *path = NULL;
    if (!json_parse_text(text, &moved, error))
        return false;
    const SessionPlace to = {
        .agent_dir = json_get_text(moved, "agentDir"),
        .cwd = json_get_text(moved, "cwd"),
        .session_dir = json_get_text(moved, "sessionDir"),
    };
    if (!session_relocate(json_get_text(moved, "from"), &to, &path, error)) {
        g_prefix_error(error, "the session stays where it was: ");
        return false;
    }
    g_autofree char *quoted = g_shell_quote(to.cwd);
    g_autofree char *said =
        g_strdup_printf("The session belongs to %s now. This goes on with it:\n  cd %s && kedge "
                        "--resume %s",
                        to.cwd, quoted, json_get_text(moved, "id"));
    *ret_data = json_object();
    json_set_text(*ret_data, "shown", said);
    return true;
}

void slash_move_end(SlashDoor *door, bool is_done)
{
    g_autoptr(json_t) moved = g_steal_pointer(&door->moved);
    g_autoptr(GError) error = NULL;
    const char *from = json_get_text(moved, "from");
    if (!is_done)
        return;
    slash_say(door, "A new session has begun.");
    if (!from || !file_exists(from)) {
        slash_say(door, "Nothing of the old one was stored, so nothing has moved.");
        return;
    }
    g_autofree char *text = json_to_text(moved);
    if (!agent_session_aside(door->session, relocate, text, SLASH_ID "moved", &error))
        slash_say(door, "The session stays where it was: %s", error->message);
}
