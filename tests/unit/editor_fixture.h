/*
 * Scaffolding for tests of the editor: keys as text, and the text with its cursor.
 */
#pragma once

#include "unit.h"

#include "tui/edit/editor.h"

#include <string.h>

/* "ab<left><enter>": characters are typed, names are actions. What the last one came to. */
static inline EditorResult editor_play(Editor *editor, const char *keys, gint64 now_ms)
{
    static const struct {
        const char *name;
        Action action;
    } names[] = {
        { "left", ACTION_CURSOR_LEFT },
        { "right", ACTION_CURSOR_RIGHT },
        { "up", ACTION_CURSOR_UP },
        { "down", ACTION_CURSOR_DOWN },
        { "pageup", ACTION_PAGE_UP },
        { "pagedown", ACTION_PAGE_DOWN },
        { "wordleft", ACTION_WORD_LEFT },
        { "wordright", ACTION_WORD_RIGHT },
        { "home", ACTION_LINE_START },
        { "end", ACTION_LINE_END },
        { "back", ACTION_DELETE_BACKWARD },
        { "del", ACTION_DELETE_FORWARD },
        { "wordback", ACTION_DELETE_WORD_BACKWARD },
        { "worddel", ACTION_DELETE_WORD_FORWARD },
        { "cutstart", ACTION_DELETE_TO_LINE_START },
        { "cutend", ACTION_DELETE_TO_LINE_END },
        { "yank", ACTION_YANK },
        { "yankpop", ACTION_YANK_POP },
        { "undo", ACTION_UNDO },
        { "jump", ACTION_JUMP_FORWARD },
        { "jumpback", ACTION_JUMP_BACKWARD },
        { "enter", ACTION_SUBMIT },
        { "newline", ACTION_NEW_LINE },
        { "tab", ACTION_TAB },
    };
    EditorResult result = EDITOR_MOVED;
    while (*keys != '\0') {
        const char *end = *keys == '<' ? strchr(keys, '>') : NULL;
        if (!end) {
            result = editor_type(editor, g_utf8_get_char(keys), now_ms);
            keys = g_utf8_next_char(keys);
            continue;
        }
        g_autofree char *name = g_strndup(keys + 1, (gsize)(end - keys - 1));
        size_t i = 0;
        while (i < G_N_ELEMENTS(names) && strcmp(names[i].name, name) != 0)
            i++;
        if (i == G_N_ELEMENTS(names))
            fail_msg("no key <%s>", name);
        result = editor_act(editor, names[i].action, now_ms);
        keys = end + 1;
    }
    return result;
}

/* The text as shown, with "|" where the cursor is. Caller frees. */
static inline char *editor_seen(Editor *editor)
{
    size_t cursor;
    const char *shown = editor_shown(editor, &cursor);
    return g_strdup_printf("%.*s|%s", (int)cursor, shown, shown + cursor);
}

static inline void editor_expect(const char *name, Editor *editor, const char *want)
{
    g_autofree char *got = editor_seen(editor);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, got, want);
}
