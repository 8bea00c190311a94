/*
 * Slash commands, and what is as short, that have something run: the model once more, a person's
 * own code (slash.h).
 */
#include "tui/slash/slash_private.h"

#include "base/utf8.h"

bool slash_is_go_on(const char *line)
{
    return g_str_equal(line, ".") || g_str_equal(line, "c");
}

bool slash_python(SlashDoor *door, const char *line, GError **error)
{
    bool is_excluded = line[1] == '$';
    g_autofree char *code = utf8_trim(line + 1 + is_excluded);
    if (*code == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "$ takes Python code after it");
    return agent_session_python(door->session, code, is_excluded, SLASH_SHELL_ID, error);
}
