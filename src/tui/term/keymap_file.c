/*
 * keybindings.json: {"app.model.select": "ctrl+l", "tui.editor.undo": ["ctrl+-"], "app.suspend":
 * []}. Whatever is wrong in it is told, and the rest holds.
 */
#include "base/json.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "tui/term/keymap_private.h"

#include <string.h>

enum { MAX_WARNINGS = 20, SHOWN_CHARS = 60 };

typedef struct Loader {
    Keymap *keymap;
    const char *path;
    GPtrArray *warnings;          // may be NULL
    unsigned count;               // of warnings
    Action entries[ACTION_COUNT]; // that the file names, in its order
    unsigned entry_count;
} Loader;

static G_GNUC_PRINTF(2, 3) void keymap_file_warn(Loader *self, const char *format, ...)
{
    if (++self->count > MAX_WARNINGS || !self->warnings)
        return;
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    bool is_last = self->count == MAX_WARNINGS;
    g_ptr_array_add(self->warnings, g_strdup_printf("%s: %s%s", self->path, text,
                                                    is_last ? "; and perhaps more" : ""));
}

/* A word of the file, in a message. Caller frees. */
static char *keymap_file_shown(const char *text)
{
    g_autofree char *head = utf8_ellipsize(text, SHOWN_CHARS);
    GString *out = g_string_new(NULL);
    visible_append(out, head);
    return g_string_free(out, FALSE);
}

/* "undo" and "editor.undo" end "tui.editor.undo". */
static bool is_end_of(const char *id, const char *name)
{
    size_t id_size = strlen(id), size = strlen(name);
    return size > 0 && size < id_size && id[id_size - size - 1] == '.' &&
           strcmp(id + id_size - size, name) == 0;
}

static void warn_unknown(Loader *self, const char *name)
{
    const char *ids[ACTION_COUNT] = { NULL };
    for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
        ids[action - 1] = action_id(action);
    const char *nearest = str_nearest(name, ids);
    g_autofree char *text = keymap_file_shown(name);
    if (nearest)
        keymap_file_warn(self, "there is no action \"%s\": did you mean \"%s\"?", text, nearest);
    else
        keymap_file_warn(self, "there is no action \"%s\": `kedge config keys` shows them all",
                         text);
}

/* ACTION_NONE: there is none, which is told. */
static Action find_action(Loader *self, const char *name)
{
    Action found = ACTION_NONE;
    for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        const ActionRow *row = action_row(action);
        if (strcmp(row->id, name) == 0 || g_strcmp0(row->old, name) == 0)
            return action;
        if (!is_end_of(row->id, name))
            continue;
        if (found != ACTION_NONE) {
            g_autofree char *text = keymap_file_shown(name);
            keymap_file_warn(self, "\"%s\" may be \"%s\" or \"%s\": write the whole name", text,
                             action_id(found), row->id);
            return ACTION_NONE;
        }
        found = action;
    }
    if (found == ACTION_NONE)
        warn_unknown(self, name);
    return found;
}

/* False: it is not to be used, which is told. */
static bool parse_one(Loader *self, Action action, const json_t *value, ActionKeys *keys)
{
    const char *name = json_string_value(value);
    if (!name) {
        keymap_file_warn(self, "\"%s\": a key is a text, such as \"ctrl+l\"", action_id(action));
        return false;
    }
    KeyPress key = { 0 };
    g_autofree char *text = keymap_file_shown(name);
    if (!key_parse(name, &key)) {
        g_autofree char *nearest = key_name_nearest(name);
        if (nearest)
            keymap_file_warn(self, "\"%s\": there is no key \"%s\": did you mean \"%s\"?",
                             action_id(action), text, nearest);
        else
            keymap_file_warn(self,
                             "\"%s\": there is no key \"%s\": keys are written as \"ctrl+alt+x\"",
                             action_id(action), text);
        return false;
    }
    if (key_character(key) && action_group(action) != KEYS_LIST) {
        keymap_file_warn(self, "\"%s\": the key \"%s\" types a character: use ctrl or alt with it",
                         action_id(action), text);
        return false;
    }
    if (keys->count == KEYMAP_KEYS) {
        keymap_file_warn(self, "\"%s\": more than %d keys", action_id(action), KEYMAP_KEYS);
        return false;
    }
    if (!action_keys_have(keys, key))
        keys->keys[keys->count++] = key;
    return true;
}

/* An action of which every key was refused keeps its own. */
static void apply_entry(Loader *self, Action action, const json_t *value)
{
    ActionKeys keys = { 0 };
    bool is_none = json_is_null(value) || json_is_false(value) ||
                   (json_is_string(value) && *json_string_value(value) == '\0') ||
                   (json_is_array(value) && json_array_size(value) == 0);
    if (json_is_array(value)) {
        size_t i;
        json_t *item;
        json_array_foreach (value, i, item)
            parse_one(self, action, item, &keys);
    } else if (!is_none) {
        parse_one(self, action, value, &keys);
    }
    if (keys.count == 0 && !is_none)
        return;
    self->keymap->of[action] = keys;
    unsigned kept = 0;
    for (unsigned i = 0; i < self->entry_count; i++)
        if (self->entries[i] != action) // by another name
            self->entries[kept++] = self->entries[i];
    self->entries[kept++] = action;
    self->entry_count = kept;
}

/* Its place in the file; -1: the defaults. */
static int place_of(const Loader *self, Action action)
{
    for (unsigned i = 0; i < self->entry_count; i++)
        if (self->entries[i] == action)
            return (int)i;
    return -1;
}

/* Of two entries with one key the later holds; a default gives way in silence. */
static void take_key(Loader *self, Action mine, KeyPress key)
{
    int place = place_of(self, mine);
    for (Action other = ACTION_NONE + 1; other < ACTION_COUNT; other++) {
        int other_place = place_of(self, other);
        if (other == mine || action_group(other) != action_group(mine) || other_place > place ||
            !action_keys_have(&self->keymap->of[other], key))
            continue;
        action_keys_remove(&self->keymap->of[other], key);
        g_autofree char *name = key_name(key);
        if (other_place >= 0)
            keymap_file_warn(self, "\"%s\" is for \"%s\" and for \"%s\": the later one holds", name,
                             action_id(other), action_id(mine));
    }
}

static void settle_conflicts(Loader *self)
{
    for (unsigned i = 0; i < self->entry_count; i++) {
        const ActionKeys keys = self->keymap->of[self->entries[i]];
        for (unsigned j = 0; j < keys.count; j++)
            take_key(self, self->entries[i], keys.keys[j]);
    }
}

void keymap_apply_file(Keymap *self, const char *path, GPtrArray *warnings)
{
    Loader loader = { .keymap = self, .path = path, .warnings = warnings };
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) root = NULL;
    if (!json_read_file(path, &root, &error)) {
        if (warnings)
            g_ptr_array_add(warnings, g_strdup_printf("%s: the default keys hold", error->message));
        return;
    }
    if (!json_is_object(root)) {
        keymap_file_warn(&loader,
                         "an object of actions and their keys is expected: the default keys hold");
        return;
    }
    json_each_member (root, name, value) {
        Action action = find_action(&loader, name);
        if (action != ACTION_NONE)
            apply_entry(&loader, action, value);
    }
    settle_conflicts(&loader);
}
