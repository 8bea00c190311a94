/*
 * Slash commands that show lists, and those that copy (slash.h).
 */
#include "base/str.h"
#include "tui/slash/slash_private.h"

#include "model/message.h"

// ---- lists: a door that has none says where else the same is ----

static bool show_or_say(SlashDoor *door, SlashList list, const char *elsewhere)
{
    if (!slash_show(door, list))
        slash_say(door, "%s", elsewhere);
    return true;
}

SLASH(tree)
{
    return show_or_say(door, SLASH_LIST_TREE,
                       "The tree is drawn only without --plain. /branch goes on from before a "
                       "message.");
}

SLASH(settings)
{
    return show_or_say(door, SLASH_LIST_SETTINGS,
                       "`kedge config list` shows the settings, `kedge config set` changes one.");
}

SLASH(theme)
{
    return show_or_say(door, SLASH_LIST_THEMES, "Nothing is coloured here.");
}

SLASH(hotkeys)
{
    return show_or_say(door, SLASH_LIST_KEYS,
                       "Ctrl+C stops what runs, Ctrl+D leaves; the terminal edits the line.");
}

// ---- the clipboard ----

static bool copy(SlashDoor *door, const char *text, const char *what, GError **error)
{
    if (!door->copy)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "there is no clipboard here; /export writes a file");
    if (!door->copy(text, door->user_data))
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "%s is too long for the terminal's clipboard; /export writes a file",
                         what);
    slash_say(door, "Sent to the terminal's clipboard: %s.", what);
    return true;
}

/* The insides of its fences, the last one alone or all of them; NULL: there is none. */
static char *code_of(const char *text, bool has_all)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) code = g_string_new(NULL);
    bool is_inside = false, has_any = false;
    for (char **line = lines; *line; line++) {
        const char *start = *line + strspn(*line, " ");
        if (str_has_prefix(start, "```")) {
            is_inside = !is_inside;
            if (is_inside && !has_all)
                g_string_truncate(code, 0);
            has_any = true;
        } else if (is_inside) {
            g_string_append_printf(code, "%s\n", *line);
        }
    }
    return has_any ? g_strdup(code->str) : NULL;
}

SLASH(copy)
{
    const json_t *answer = agent_session_last_answer(door->session);
    g_autofree char *text = answer ? message_text(answer) : NULL;
    const char *output = door->last_output(door->user_data);
    bool wants_code = g_str_equal(argument, "code"), wants_all = g_str_equal(argument, "all");
    if (g_str_equal(argument, "cmd"))
        return output ? copy(door, output, "what the last command gave", error)
                      : fail_with(error, KEDGE_ERROR_USAGE, "there is no output yet");
    if (*argument && !wants_code && !wants_all && !g_str_equal(argument, "last"))
        return fail_with(error, KEDGE_ERROR_USAGE, "/copy takes last, code, all or cmd, not \"%s\"",
                         argument);
    if (!text)
        return fail_with(error, KEDGE_ERROR_USAGE, "there is no answer yet");
    g_autofree char *code = wants_code || wants_all ? code_of(text, wants_all) : NULL;
    if ((wants_code || wants_all) && !code)
        return fail_with(error, KEDGE_ERROR_USAGE, "the last answer has no code");
    return copy(door, code ? code : text, code ? "its code" : "the last answer", error);
}

SLASH(dump)
{
    g_autoptr(json_t) messages = agent_session_messages(door->session);
    g_autoptr(GString) all = g_string_new(NULL);
    json_each (messages, i, message) {
        g_autofree char *text = message_text(message);
        g_string_append_printf(all, "%s:\n%s\n\n", message_role(message), text);
    }
    if (all->len == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "No messages to dump yet.");
    return copy(door, all->str, "the conversation", error);
}
