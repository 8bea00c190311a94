/*
 * What a key means: the default keys, changed by keybindings.json.
 */
#include "tui/term/keymap.h"
#include "base/file.h"
#include "tui/term/keymap_private.h"

static void set_defaults(Keymap *self)
{
    for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        g_auto(GStrv) names = g_strsplit(action_row(action)->keys, " ", -1);
        ActionKeys *keys = &self->of[action];
        for (char **name = names; *name && **name; name++) {
            bool is_key = keys->count < KEYMAP_KEYS && key_parse(*name, &keys->keys[keys->count]);
            g_assert(is_key);
            keys->count++;
        }
    }
}

char *keymap_path(const char *agent_dir)
{
    return g_build_filename(agent_dir, "keybindings.json", NULL);
}

Keymap *keymap_load(const char *path, GPtrArray *warnings)
{
    Keymap *self = g_new0(Keymap, 1);
    set_defaults(self);
    if (path && file_exists(path))
        keymap_apply_file(self, path, warnings);
    return self;
}

void keymap_free(Keymap *self)
{
    g_free(self);
}

static Action find_exact(const Keymap *self, KeyGroup group, KeyPress key)
{
    for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
        if (action_group(action) == group && action_keys_have(&self->of[action], key))
            return action;
    return ACTION_NONE;
}

static bool is_bound(const Keymap *self, KeyPress key)
{
    for (KeyGroup group = KEYS_EDITOR; group <= KEYS_LIST; group++)
        if (find_exact(self, group, key) != ACTION_NONE)
            return true;
    return false;
}

/* What hands expect of a key that nothing is bound to: on old terminals these are the same. */
static KeyPress stand_in_of(KeyPress key)
{
    static const struct {
        uint32_t code, is;
    } same[] = {
        { '[', KEY_ESCAPE }, { 'm', KEY_ENTER }, { 'i', KEY_TAB }, { 'h', KEY_BACKSPACE }
    };
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++)
        if (key.mods == MOD_CTRL && key.code == same[i].code)
            return (KeyPress) { .code = same[i].is, .is_repeat = key.is_repeat };
    if (key.code == KEY_BACKSPACE || key.code == KEY_DELETE)
        key.mods &= (uint8_t)~MOD_SHIFT; // a finger that still rests there
    return key;
}

Action keymap_find(const Keymap *self, KeyGroup group, KeyPress key)
{
    return find_exact(self, group, is_bound(self, key) ? key : stand_in_of(key));
}

char *keymap_keys(const Keymap *self, Action action)
{
    GString *out = g_string_new(NULL);
    const ActionKeys *keys = &self->of[action];
    for (unsigned i = 0; i < keys->count; i++) {
        g_autofree char *name = key_name(keys->keys[i]);
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", name);
    }
    return g_string_free(out, FALSE);
}
