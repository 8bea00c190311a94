/*
 * The key map for readers: as a page of the documentation, as text, as JSON.
 */
#include "tui/term/keymap_reference.h"
#include "tui/term/keymap_private.h"

static const char *const headings[] = {
    [KEYS_EDITOR] = "In the input",
    [KEYS_APP] = "Anywhere",
    [KEYS_LIST] = "In lists, questions and the viewer",
};
static const char *const groups[] = {
    [KEYS_EDITOR] = "editor",
    [KEYS_APP] = "app",
    [KEYS_LIST] = "list",
};

/* `ctrl+p`, `alt+n` in a cell of a table. */
static void append_cell(GString *out, const ActionKeys *keys)
{
    if (keys->count == 0)
        g_string_append(out, "none");
    for (unsigned i = 0; i < keys->count; i++) {
        g_autofree char *name = key_name(keys->keys[i]);
        g_string_append_printf(out, "%s`", i > 0 ? ", " : "");
        for (const char *at = name; *at; at++)
            g_string_append_printf(out, "%s%c", *at == '|' ? "\\" : "", *at);
        g_string_append_c(out, '`');
    }
}

char *keymap_markdown(const Keymap *self)
{
    GString *out = g_string_new(NULL);
    for (unsigned group = 0; group < G_N_ELEMENTS(headings); group++) {
        g_string_append_printf(out, "%s### %s\n\n| Keys | | Action |\n|---|---|---|\n",
                               group > 0 ? "\n" : "", headings[group]);
        for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
            if (action_group(action) != group)
                continue;
            g_string_append(out, "| ");
            append_cell(out, &self->of[action]);
            g_string_append_printf(out, " | %s | `%s` |\n", action_help(action), action_id(action));
        }
    }
    return g_string_free(out, FALSE);
}

char *keymap_text(const Keymap *self)
{
    GString *out = g_string_new(NULL);
    for (unsigned group = 0; group < G_N_ELEMENTS(headings); group++) {
        g_string_append_printf(out, "%s%s\n", group > 0 ? "\n" : "", headings[group]);
        for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
            if (action_group(action) != group)
                continue;
            g_autofree char *keys = keymap_keys(self, action);
            g_string_append_printf(out, "  %-32s %-32s %s\n", action_id(action),
                                   *keys ? keys : "none", action_help(action));
        }
    }
    return g_string_free(out, FALSE);
}

json_t *keymap_json(const Keymap *self)
{
    json_t *object = json_object();
    for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        json_t *entry = json_object(), *keys = json_array();
        for (unsigned i = 0; i < self->of[action].count; i++) {
            g_autofree char *name = key_name(self->of[action].keys[i]);
            json_append_take(keys, json_text(name));
        }
        json_add(entry, "keys:%p group:%s description:%s", keys, groups[action_group(action)],
                 action_help(action));
        json_set_take(object, action_id(action), entry);
    }
    return object;
}
