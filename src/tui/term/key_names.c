/*
 * Keys by name, as keybindings.json and the key reference have them: `ctrl+alt+]`, `shift+tab`.
 */
#include "base/str.h"
#include "tui/term/input_keys.h"
#include "tui/term/keymap_private.h"

#include <string.h>

/* The first name of a code is the one that is shown. */
static const struct {
    const char *name;
    uint32_t code;
} names[] = {
    { "enter", KEY_ENTER },    { "return", KEY_ENTER },
    { "tab", KEY_TAB },        { "backspace", KEY_BACKSPACE },
    { "escape", KEY_ESCAPE },  { "esc", KEY_ESCAPE },
    { "up", KEY_UP },          { "down", KEY_DOWN },
    { "left", KEY_LEFT },      { "right", KEY_RIGHT },
    { "home", KEY_HOME },      { "end", KEY_END },
    { "pageUp", KEY_PAGE_UP }, { "pageDown", KEY_PAGE_DOWN },
    { "insert", KEY_INSERT },  { "delete", KEY_DELETE },
    { "space", ' ' },          { "plus", '+' },
    { "f1", KEY_F1 },          { "f2", KEY_F1 + 1 },
    { "f3", KEY_F1 + 2 },      { "f4", KEY_F1 + 3 },
    { "f5", KEY_F1 + 4 },      { "f6", KEY_F1 + 5 },
    { "f7", KEY_F1 + 6 },      { "f8", KEY_F1 + 7 },
    { "f9", KEY_F1 + 8 },      { "f10", KEY_F1 + 9 },
    { "f11", KEY_F1 + 10 },    { "f12", KEY_F12 },
};

/* In the order in which they are shown. */
static const struct {
    const char *name;
    uint8_t mod;
} mods[] = {
    { "super", MOD_SUPER }, { "ctrl", MOD_CTRL },    { "alt", MOD_ALT },    { "shift", MOD_SHIFT },
    { "cmd", MOD_SUPER },   { "control", MOD_CTRL }, { "option", MOD_ALT }, { "meta", MOD_ALT },
};
enum { SHOWN_MODS = 4 };

uint32_t key_character(KeyPress key)
{
    bool is_typed = key.code < KEY_ENTER && !(key.mods & (MOD_CTRL | MOD_ALT | MOD_SUPER));
    return is_typed ? key.code : 0;
}

char *key_name(KeyPress key)
{
    GString *out = g_string_new(NULL);
    uint32_t c = key_character(key);
    if (c && g_unichar_isupper(c) && g_unichar_tolower(c) != c) {
        key.mods |= MOD_SHIFT; // "L" is easily read as the key that types "l"
        key.code = g_unichar_tolower(c);
    }
    for (size_t i = 0; i < SHOWN_MODS; i++)
        if (key.mods & mods[i].mod)
            g_string_append_printf(out, "%s+", mods[i].name);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (names[i].code == key.code && key.code != '+') {
            g_string_append(out, names[i].name);
            return g_string_free(out, FALSE);
        }
    }
    g_string_append_unichar(out, key.code);
    return g_string_free(out, FALSE);
}

/* Takes "ctrl+" from the head of *name. */
static bool take_mod(const char **name, uint8_t *ret_mod)
{
    const char *plus = strchr(*name, '+');
    if (!plus || plus == *name)
        return false;
    g_autofree char *word = g_strndup(*name, (gsize)(plus - *name));
    for (size_t i = 0; i < G_N_ELEMENTS(mods); i++) {
        if (str_equal_nocase(mods[i].name, word)) {
            *ret_mod |= mods[i].mod;
            *name = plus + 1;
            return true;
        }
    }
    return false;
}

bool key_parse(const char *name, KeyPress *ret_key)
{
    uint8_t mod = 0;
    while (take_mod(&name, &mod))
        ;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (str_equal_nocase(names[i].name, name)) {
            bool is_character = names[i].code < KEY_ENTER;
            *ret_key = is_character ? input_key_of_typed(names[i].code, 0, mod)
                                    : (KeyPress) { .code = names[i].code, .mods = mod };
            return true;
        }
    }
    gunichar c = g_utf8_get_char_validated(name, -1);
    if (*name == '\0' || c >= 0x110000 || *g_utf8_next_char(name) != '\0' || !g_unichar_isgraph(c))
        return false;
    if (mod & ~MOD_SHIFT)
        c = g_unichar_tolower(c); // Ctrl+P is ctrl+p
    if (mod & MOD_SHIFT && g_unichar_toupper(c) == g_unichar_tolower(c))
        return false; // shift+1 is another character in each layout: that is its name
    *ret_key = input_key_of_typed(c, 0, mod);
    return true;
}

static const char *nearest_mod(const char *word)
{
    const char *words[G_N_ELEMENTS(mods) + 1] = { NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(mods); i++)
        words[i] = mods[i].name;
    return str_nearest(word, words);
}

static const char *nearest_key(const char *word)
{
    const char *words[G_N_ELEMENTS(names) + 1] = { NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        words[i] = names[i].name;
    return str_nearest(word, words);
}

char *key_name_nearest(const char *name)
{
    KeyPress key;
    g_auto(GStrv) parts = g_strsplit(name, "+", -1);
    for (char **part = parts; *part; part++) {
        bool is_key = !part[1];
        const char *nearest = is_key ? nearest_key(*part) : nearest_mod(*part);
        if (!nearest || (is_key && key_parse(*part, &key)))
            continue;
        g_free(*part);
        *part = g_strdup(nearest);
    }
    g_autofree char *found = g_strjoinv("+", parts);
    return key_parse(found, &key) ? g_steal_pointer(&found) : NULL;
}
