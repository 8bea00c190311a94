/*
 * tui/term/keymap.c: names of keys, the default map (agent-core §7.4), and keybindings.json.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "tui/term/keymap_reference.h"

#include <glib/gstdio.h>
#include <string.h>

static void test_names(void **state)
{
    static const struct {
        const char *name, *shown; // NULL: no key
        KeyPress key;
    } cases[] = {
        { "ctrl+p", "ctrl+p", { .code = 'p', .mods = MOD_CTRL } },
        { "Ctrl+P", "ctrl+p", { .code = 'p', .mods = MOD_CTRL } },
        { "shift+ctrl+p", "ctrl+shift+p", { .code = 'p', .mods = MOD_CTRL | MOD_SHIFT } },
        { "alt+shift+l", "alt+shift+l", { .code = 'l', .mods = MOD_ALT | MOD_SHIFT } },
        { "ctrl+alt+]", "ctrl+alt+]", { .code = ']', .mods = MOD_CTRL | MOD_ALT } },
        { "option+x", "alt+x", { .code = 'x', .mods = MOD_ALT } },
        { "cmd+x", "super+x", { .code = 'x', .mods = MOD_SUPER } },
        { "shift+l", "shift+l", { .code = 'L' } },
        { "L", "shift+l", { .code = 'L' } },
        { "l", "l", { .code = 'l' } },
        { "?", "?", { .code = '?' } },
        { "ctrl+-", "ctrl+-", { .code = '-', .mods = MOD_CTRL } },
        { "ctrl+_", "ctrl+-", { .code = '-', .mods = MOD_CTRL } },
        { "ctrl++", "ctrl++", { .code = '+', .mods = MOD_CTRL } },
        { "ctrl+plus", "ctrl++", { .code = '+', .mods = MOD_CTRL } },
        { "+", "+", { .code = '+' } },
        { "alt+é", "alt+é", { .code = 0xe9, .mods = MOD_ALT } },
        { "shift+é", "shift+é", { .code = 0xc9 } },
        { "enter", "enter", { .code = KEY_ENTER } },
        { "return", "enter", { .code = KEY_ENTER } },
        { "shift+enter", "shift+enter", { .code = KEY_ENTER, .mods = MOD_SHIFT } },
        { "esc", "escape", { .code = KEY_ESCAPE } },
        { "pageup", "pageUp", { .code = KEY_PAGE_UP } },
        { "space", "space", { .code = ' ' } },
        { "shift+space", "space", { .code = ' ' } },
        { "ctrl+space", "ctrl+space", { .code = ' ', .mods = MOD_CTRL } },
        { "f12", "f12", { .code = KEY_F12 } },
        { "ctrl+f1", "ctrl+f1", { .code = KEY_F1, .mods = MOD_CTRL } },
        { "", NULL, { 0 } },
        { "ctrl+", NULL, { 0 } },
        { "ctrl", NULL, { 0 } },
        { "hyper+x", NULL, { 0 } },
        { "ctrl+xy", NULL, { 0 } },
        { "f13", NULL, { 0 } },
        { "shift+1", NULL, { 0 } },
        { "ctrl+shift+1", NULL, { 0 } },
        { "\x01", NULL, { 0 } },
        { "\xff", NULL, { 0 } },
        { " ", NULL, { 0 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        KeyPress key = { .code = 'X' };
        bool is_key = key_parse(cases[i].name, &key);
        if (is_key != (cases[i].shown != NULL))
            fail_msg("'%s': %s", cases[i].name, is_key ? "a key" : "no key");
        if (!is_key)
            continue;
        g_autofree char *shown = key_name(key);
        if (key.code != cases[i].key.code || key.mods != cases[i].key.mods ||
            strcmp(shown, cases[i].shown) != 0)
            fail_msg("'%s': got '%s' (%x, %d)", cases[i].name, shown, key.code, key.mods);
        KeyPress again = { 0 };
        assert_true(key_parse(shown, &again));
        assert_memory_equal(&again, &key, sizeof(key));
    }
}

static void test_characters(void **state)
{
    assert_int_equal(key_character((KeyPress) { .code = 'x' }), 'x');
    assert_int_equal(key_character((KeyPress) { .code = 0x1f600 }), 0x1f600);
    assert_int_equal(key_character((KeyPress) { .code = 'x', .mods = MOD_CTRL }), 0);
    assert_int_equal(key_character((KeyPress) { .code = 'x', .mods = MOD_ALT }), 0);
    assert_int_equal(key_character((KeyPress) { .code = 'x', .mods = MOD_SUPER }), 0);
    assert_int_equal(key_character((KeyPress) { .code = KEY_ENTER }), 0);
}

/* The map, as "group key" → id; "" is none. */
static const struct {
    KeyGroup group;
    const char *key, *id;
} meanings[] = {
    { KEYS_EDITOR, "enter", "tui.input.submit" },
    { KEYS_EDITOR, "shift+enter", "tui.input.newLine" },
    { KEYS_EDITOR, "alt+enter", "tui.input.newLine" },
    { KEYS_EDITOR, "ctrl+j", "tui.input.newLine" },
    { KEYS_EDITOR, "up", "tui.editor.cursorUp" },
    { KEYS_EDITOR, "down", "tui.editor.cursorDown" },
    { KEYS_EDITOR, "left", "tui.editor.cursorLeft" },
    { KEYS_EDITOR, "ctrl+b", "tui.editor.cursorLeft" },
    { KEYS_EDITOR, "right", "tui.editor.cursorRight" },
    { KEYS_EDITOR, "ctrl+f", "tui.editor.cursorRight" },
    { KEYS_EDITOR, "alt+left", "tui.editor.cursorWordLeft" },
    { KEYS_EDITOR, "ctrl+left", "tui.editor.cursorWordLeft" },
    { KEYS_EDITOR, "alt+b", "tui.editor.cursorWordLeft" },
    { KEYS_EDITOR, "alt+right", "tui.editor.cursorWordRight" },
    { KEYS_EDITOR, "ctrl+right", "tui.editor.cursorWordRight" },
    { KEYS_EDITOR, "alt+f", "tui.editor.cursorWordRight" },
    { KEYS_EDITOR, "home", "tui.editor.cursorLineStart" },
    { KEYS_EDITOR, "ctrl+a", "tui.editor.cursorLineStart" },
    { KEYS_EDITOR, "end", "tui.editor.cursorLineEnd" },
    { KEYS_EDITOR, "ctrl+e", "tui.editor.cursorLineEnd" },
    { KEYS_EDITOR, "backspace", "tui.editor.deleteCharBackward" },
    { KEYS_EDITOR, "shift+backspace", "tui.editor.deleteCharBackward" },
    { KEYS_EDITOR, "delete", "tui.editor.deleteCharForward" },
    { KEYS_EDITOR, "ctrl+d", "tui.editor.deleteCharForward" },
    { KEYS_EDITOR, "ctrl+w", "tui.editor.deleteWordBackward" },
    { KEYS_EDITOR, "alt+backspace", "tui.editor.deleteWordBackward" },
    { KEYS_EDITOR, "alt+d", "tui.editor.deleteWordForward" },
    { KEYS_EDITOR, "alt+delete", "tui.editor.deleteWordForward" },
    { KEYS_EDITOR, "ctrl+u", "tui.editor.deleteToLineStart" },
    { KEYS_EDITOR, "ctrl+k", "tui.editor.deleteToLineEnd" },
    { KEYS_EDITOR, "ctrl+y", "tui.editor.yank" },
    { KEYS_EDITOR, "alt+y", "tui.editor.yankPop" },
    { KEYS_EDITOR, "ctrl+-", "tui.editor.undo" },
    { KEYS_EDITOR, "pageUp", "tui.editor.pageUp" },
    { KEYS_EDITOR, "pageDown", "tui.editor.pageDown" },
    { KEYS_EDITOR, "ctrl+]", "tui.editor.jumpForward" },
    { KEYS_EDITOR, "ctrl+alt+]", "tui.editor.jumpBackward" },
    { KEYS_EDITOR, "tab", "tui.input.tab" },
    { KEYS_EDITOR, "ctrl+h", "tui.editor.deleteCharBackward" }, // as on old terminals
    { KEYS_EDITOR, "ctrl+m", "tui.input.submit" },
    { KEYS_EDITOR, "ctrl+i", "tui.input.tab" },
    { KEYS_APP, "ctrl+[", "app.interrupt" },
    { KEYS_LIST, "ctrl+[", "tui.select.cancel" },
    { KEYS_EDITOR, "ctrl+alt+h", "" },
    { KEYS_EDITOR, "shift+tab", "" },
    { KEYS_EDITOR, "escape", "" },
    { KEYS_EDITOR, "a", "" },
    { KEYS_APP, "escape", "app.interrupt" },
    { KEYS_APP, "ctrl+c", "app.clear" },
    { KEYS_APP, "ctrl+d", "app.exit" },
    { KEYS_APP, "ctrl+z", "app.suspend" },
    { KEYS_APP, "shift+tab", "app.thinking.cycle" },
    { KEYS_APP, "ctrl+t", "app.thinking.toggle" },
    { KEYS_APP, "alt+m", "" },
    { KEYS_APP, "ctrl+p", "app.model.cycleForward" },
    { KEYS_APP, "shift+ctrl+p", "app.model.cycleBackward" },
    { KEYS_APP, "ctrl+l", "app.model.select" },
    { KEYS_APP, "alt+p", "app.model.selectTemporary" },
    { KEYS_APP, "ctrl+o", "app.tools.expand" },
    { KEYS_APP, "ctrl+g", "app.editor.external" },
    { KEYS_APP, "ctrl+enter", "app.message.followUp" },
    { KEYS_APP, "ctrl+q", "app.message.followUp" },
    { KEYS_APP, "alt+up", "app.message.dequeue" },
    { KEYS_APP, "ctrl+v", "app.clipboard.pasteImage" },
    { KEYS_APP, "alt+shift+l", "app.clipboard.copyLine" },
    { KEYS_APP, "alt+shift+c", "app.clipboard.copyPrompt" },
    { KEYS_APP, "ctrl+r", "app.history.search" },
    { KEYS_APP, "alt+shift+p", "app.plan.toggle" },
    { KEYS_LIST, "up", "tui.select.up" },
    { KEYS_LIST, "down", "tui.select.down" },
    { KEYS_LIST, "pageUp", "tui.select.pageUp" },
    { KEYS_LIST, "pageDown", "tui.select.pageDown" },
    { KEYS_LIST, "home", "tui.select.first" },
    { KEYS_LIST, "end", "tui.select.last" },
    { KEYS_LIST, "enter", "tui.select.confirm" },
    { KEYS_LIST, "escape", "tui.select.cancel" },
    { KEYS_LIST, "ctrl+c", "tui.select.cancel" },
    { KEYS_LIST, "tab", "tui.select.tab" },
    { KEYS_LIST, "ctrl+r", "app.session.rename" },
    { KEYS_LIST, "ctrl+d", "app.session.delete" },
    { KEYS_LIST, "ctrl+o", "app.tree.filter.cycleForward" },
    { KEYS_LIST, "shift+ctrl+o", "app.tree.filter.cycleBackward" },
    { KEYS_LIST, "shift+l", "app.tree.editLabel" },
};

static const char *meaning(const Keymap *keymap, KeyGroup group, const char *name)
{
    KeyPress key = { 0 };
    assert_true(key_parse(name, &key));
    Action action = keymap_find(keymap, group, key);
    return action == ACTION_NONE ? "" : action_id(action);
}

static void test_defaults(void **state)
{
    g_autoptr(Keymap) keymap = keymap_load(NULL, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(meanings); i++) {
        const char *got = meaning(keymap, meanings[i].group, meanings[i].key);
        if (strcmp(got, meanings[i].id) != 0)
            fail_msg("%s: '%s', not '%s'", meanings[i].key, got, meanings[i].id);
    }
    g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
    for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        assert_true(g_hash_table_add(ids, (void *)action_id(action))); // each its own
        assert_true(strlen(action_help(action)) > 3);
        g_autofree char *keys = keymap_keys(keymap, action);
        bool is_unbound = action >= ACTION_SESSION_NEW && action <= ACTION_SESSION_RESUME;
        assert_int_equal(*keys == '\0', is_unbound);
        g_auto(GStrv) names = g_strsplit(keys, ", ", -1); // no two have one key
        for (char **name = names; *name; name++)
            assert_string_equal(meaning(keymap, action_group(action), *name), action_id(action));
    }
    g_autofree char *submit = keymap_keys(keymap, ACTION_FOLLOW_UP);
    assert_string_equal(submit, "ctrl+enter, ctrl+q");
}

/* The warnings as lines, without the path. Caller frees. */
static char *load_text(const char *text, Keymap **ret_keymap)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-keymap-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "keybindings.json", NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    *ret_keymap = keymap_load(path, warnings);
    g_unlink(path);
    g_rmdir(dir);
    GString *out = g_string_new(NULL);
    for (unsigned i = 0; i < warnings->len; i++) {
        const char *line = warnings->pdata[i];
        if (!str_has_prefix(line, path))
            fail_msg("no path: %s", line);
        g_string_append_printf(out, "%s%s", i > 0 ? "\n" : "", line + strlen(path) + 2);
    }
    return g_string_free(out, FALSE);
}

static void test_file(void **state)
{
    static const struct {
        const char *text;
        KeyGroup group;
        const char *key, *id, *warnings; // a key and what it means now
    } cases[] = {
        { "{}", KEYS_APP, "ctrl+l", "app.model.select", "" },
        { "{\"app.model.select\":\"ctrl+x\"}", KEYS_APP, "ctrl+x", "app.model.select", "" },
        { "{\"app.model.select\":\"ctrl+x\"}", KEYS_APP, "ctrl+l", "", "" },
        { "{\"tui.editor.undo\":[\"ctrl+-\",\"alt+u\"]}", KEYS_EDITOR, "alt+u", "tui.editor.undo",
          "" },
        { "{\"app.suspend\":[]}", KEYS_APP, "ctrl+z", "", "" },
        { "{\"app.suspend\":null}", KEYS_APP, "ctrl+z", "", "" },
        { "{\"app.suspend\":\"\"}", KEYS_APP, "ctrl+z", "", "" },
        // names from before the prefixes
        { "{\"undo\":\"alt+u\"}", KEYS_EDITOR, "alt+u", "tui.editor.undo", "" },
        { "{\"editor.undo\":\"alt+u\"}", KEYS_EDITOR, "alt+u", "tui.editor.undo", "" },
        { "{\"selectModel\":\"alt+u\"}", KEYS_APP, "alt+u", "app.model.select", "" },
        { "{\"pageUp\":\"alt+u\"}", KEYS_EDITOR, "alt+u", "tui.editor.pageUp", "" },
        { "{\"followUp\":\"alt+u\"}", KEYS_APP, "alt+u", "app.message.followUp", "" },
        { "{\"toggle\":\"alt+u\"}", KEYS_APP, "alt+u", "",
          "\"toggle\" may be \"app.thinking.toggle\" or \"app.plan.toggle\": write the whole "
          "name" },
        { "{\"undo\":\"alt+u\",\"tui.editor.undo\":\"alt+i\"}", KEYS_EDITOR, "alt+i",
          "tui.editor.undo", "" },
        // what is wrong
        { "{\"app.modle.select\":\"ctrl+x\"}", KEYS_APP, "ctrl+x", "",
          "there is no action \"app.modle.select\": did you mean \"app.model.select\"?" },
        { "{\"paint\":\"ctrl+x\"}", KEYS_APP, "ctrl+x", "",
          "there is no action \"paint\": `kedge config keys` shows them all" },
        { "{\"\":\"ctrl+x\"}", KEYS_APP, "ctrl+x", "",
          "there is no action \"\": `kedge config keys` shows them all" },
        { "{\"a\\u001b[31m\":\"ctrl+x\"}", KEYS_APP, "ctrl+x", "",
          "there is no action \"a\\x1b[31m\": `kedge config keys` shows them all" },
        { "{\"app.suspend\":\"ctrl+entre\"}", KEYS_APP, "ctrl+z", "app.suspend",
          "\"app.suspend\": there is no key \"ctrl+entre\": did you mean \"ctrl+enter\"?" },
        { "{\"app.suspend\":\"ctl+x\"}", KEYS_APP, "ctrl+z", "app.suspend",
          "\"app.suspend\": there is no key \"ctl+x\": did you mean \"ctrl+x\"?" },
        { "{\"app.suspend\":\"whatever\"}", KEYS_APP, "ctrl+z", "app.suspend",
          "\"app.suspend\": there is no key \"whatever\": keys are written as \"ctrl+alt+x\"" },
        { "{\"app.suspend\":[\"zzz\",\"alt+z\"]}", KEYS_APP, "alt+z", "app.suspend",
          "\"app.suspend\": there is no key \"zzz\": keys are written as \"ctrl+alt+x\"" },
        { "{\"app.suspend\":7}", KEYS_APP, "ctrl+z", "app.suspend",
          "\"app.suspend\": a key is a text, such as \"ctrl+l\"" },
        { "{\"app.suspend\":\"z\"}", KEYS_APP, "z", "",
          "\"app.suspend\": the key \"z\" types a character: use ctrl or alt with it" },
        { "{\"tree.editLabel\":\"e\"}", KEYS_LIST, "e", "app.tree.editLabel", "" },
        // conflicts: the later one holds, defaults give way
        { "{\"app.suspend\":\"ctrl+x\",\"app.exit\":\"ctrl+x\"}", KEYS_APP, "ctrl+x", "app.exit",
          "\"ctrl+x\" is for \"app.suspend\" and for \"app.exit\": the later one holds" },
        { "{\"app.exit\":\"ctrl+x\",\"app.suspend\":\"ctrl+x\"}", KEYS_APP, "ctrl+x", "app.suspend",
          "\"ctrl+x\" is for \"app.exit\" and for \"app.suspend\": the later one holds" },
        { "{\"app.exit\":\"ctrl+z\"}", KEYS_APP, "ctrl+z", "app.exit", "" },
        { "{\"app.exit\":[\"ctrl+x\",\"ctrl+x\"]}", KEYS_APP, "ctrl+x", "app.exit", "" },
        { "{\"app.exit\":\"ctrl+k\"}", KEYS_EDITOR, "ctrl+k", "tui.editor.deleteToLineEnd", "" },
        { "{\"app.exit\":\"ctrl+h\"}", KEYS_EDITOR, "ctrl+h", "", "" },
        { "[]", KEYS_APP, "ctrl+z", "app.suspend",
          "an object of actions and their keys is expected: the default keys hold" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Keymap) keymap = NULL;
        g_autofree char *warnings = load_text(cases[i].text, &keymap);
        const char *got = meaning(keymap, cases[i].group, cases[i].key);
        if (strcmp(warnings, cases[i].warnings) != 0)
            fail_msg("%s: '%s'", cases[i].text, warnings);
        if (strcmp(got, cases[i].id) != 0)
            fail_msg("%s: %s is '%s'", cases[i].text, cases[i].key, got);
    }
}

static void test_bounds(void **state)
{
    g_autoptr(GString) text = g_string_new("{");
    for (int i = 0; i < 1000; i++)
        g_string_append_printf(text, "\"nothing-%d\":\"ctrl+x\",", i);
    g_string_append(text, "\"app.exit\":[");
    for (char c = 'a'; c <= 'z'; c++)
        g_string_append_printf(text, "\"ctrl+alt+%c\"%s", c, c < 'z' ? "," : "]}");
    g_autoptr(Keymap) keymap = NULL;
    g_autofree char *warnings = load_text(text->str, &keymap);
    g_auto(GStrv) lines = g_strsplit(warnings, "\n", -1);
    assert_int_equal(g_strv_length(lines), 20);
    assert_true(g_str_has_suffix(lines[19], "; and perhaps more"));
    assert_string_equal(meaning(keymap, KEYS_APP, "ctrl+alt+h"), "app.exit");
    assert_string_equal(meaning(keymap, KEYS_APP, "ctrl+alt+i"), "");

    g_autofree char *large = g_strnfill(2 * 1024 * 1024, ' ');
    g_autoptr(Keymap) second = NULL;
    g_autofree char *refused = load_text(large, &second);
    assert_true(g_str_has_suffix(refused, ": the default keys hold"));
    assert_string_equal(meaning(second, KEYS_APP, "ctrl+z"), "app.suspend");

    g_autoptr(Keymap) third = NULL;
    g_autofree char *broken = load_text("{\"app.exit\":", &third);
    assert_true(g_str_has_suffix(broken, ": the default keys hold"));

    g_autoptr(GPtrArray) none = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Keymap) fourth = keymap_load("/nonexistent/keybindings.json", none);
    assert_int_equal(none->len, 0);
    assert_string_equal(meaning(fourth, KEYS_APP, "ctrl+z"), "app.suspend");
    g_autoptr(Keymap) fifth = keymap_load("/", NULL); // not a file, and nobody to tell
    assert_string_equal(meaning(fifth, KEYS_APP, "ctrl+z"), "app.suspend");
}

static void test_reference(void **state)
{
    g_autoptr(Keymap) keymap = keymap_load(NULL, NULL);
    g_autofree char *page = keymap_markdown(keymap);
    g_autofree char *text = keymap_text(keymap);
    g_autoptr(json_t) json = keymap_json(keymap);
    for (Action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        assert_non_null(strstr(page, action_id(action)));
        assert_non_null(strstr(text, action_id(action)));
        const json_t *entry = json_object_get(json, action_id(action));
        assert_string_equal(json_get_text(entry, "description"), action_help(action));
    }
    assert_non_null(strstr(page, "| `ctrl+y` | Insert what was deleted last | "
                                 "`tui.editor.yank` |\n"));
    assert_non_null(strstr(page, "| none | A new session | `app.session.new` |\n"));
    assert_int_equal(json_array_size(json_get_path(json, "x")), 0);
    const json_t *undo = json_object_get(json, "tui.editor.undo");
    assert_string_equal(json_string_value(json_array_get(json_get_array(undo, "keys"), 0)),
                        "ctrl+-");
    assert_string_equal(json_get_text(undo, "group"), "editor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),    cmocka_unit_test(test_characters),
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_file),
        cmocka_unit_test(test_bounds),   cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests_name("keymap", tests, NULL, NULL);
}
