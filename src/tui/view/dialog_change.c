/*
 * The change that a call would make to files, made of its arguments alone (dialog_private.h): no
 * file is read, so what is shown is what was asked for.
 */
#include "base/mask.h"
#include "base/str.h"
#include "tui/view/dialog_private.h"

#define MAX_CHANGE_BYTES (64 * 1024)

static const struct {
    const char *tool, *key;
} covered[] = {
    { "edit", "edits" },
    { "edit", "input" },
    { "write", "content" },
};

bool dialog_change_covers(const json_t *question, const char *key)
{
    const char *tool = json_get_text(question, "tool");
    for (size_t i = 0; i < G_N_ELEMENTS(covered); i++) {
        if (g_strcmp0(tool, covered[i].tool) == 0 && g_str_equal(key, covered[i].key))
            return true;
    }
    return false;
}

static void append_marked(GString *diff, const char *text, char mark)
{
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (size_t i = 0; lines[i]; i++) {
        bool is_end = !lines[i + 1] && *lines[i] == '\0'; // after the last line end
        if (!is_end && diff->len < MAX_CHANGE_BYTES)
            g_string_append_printf(diff, "%c%s\n", mark, lines[i]);
    }
}

static void append_edit(GString *diff, const json_t *edit)
{
    const char *hunks = json_get_text(edit, "diff");
    if (hunks) {
        g_string_append_printf(diff, "%s\n", hunks);
        return;
    }
    append_marked(diff, json_get_text(edit, "old_text"), '-');
    append_marked(diff, json_get_text(edit, "new_text"), '+');
}

static void append_edits(GString *diff, const json_t *edits)
{
    json_each (edits, i, edit) {
        if (diff->len >= MAX_CHANGE_BYTES)
            return;
        if (diff->len > 0)
            g_string_append(diff, "@@\n");
        append_edit(diff, edit);
    }
}

char *dialog_change(const json_t *question, int tab_width)
{
    const char *tool = json_get_text(question, "tool");
    json_t *given = json_get_object(question, "arguments");
    // masked first: what is cut may not leave half a secret after
    g_autoptr(json_t) arguments = given ? mask_json(given) : NULL;
    g_autoptr(GString) diff = g_string_new(NULL);
    if (g_strcmp0(tool, "write") == 0)
        append_marked(diff, json_get_text(arguments, "content"), '+');
    if (g_strcmp0(tool, "edit") == 0 && json_get_text(arguments, "input"))
        g_string_append(diff, json_get_text(arguments, "input"));
    else if (g_strcmp0(tool, "edit") == 0)
        append_edits(diff, json_get_array(arguments, "edits"));
    if (diff->len == 0)
        return NULL;
    g_autofree char *cut = str_truncate(diff->str, MAX_CHANGE_BYTES);
    g_autofree char *clean = dialog_clean(cut, tab_width);
    return strlen(cut) < diff->len
               ? g_strconcat(clean, "\n… the rest is too long to be shown", NULL)
               : g_steal_pointer(&clean);
}
