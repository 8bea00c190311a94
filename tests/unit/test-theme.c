/*
 * tui/text/theme.c and theme_file.c: themes of a directory, good and bad.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "base/json.h"
#include "tui/text/style.h"
#include "tui/text/themes.h"

#include <string.h>
#include <sys/stat.h>

static char *dir;

static int set_up(void **state G_GNUC_UNUSED)
{
    dir = g_dir_make_tmp("kedge-themes-XXXXXX", NULL);
    return dir ? 0 : 1;
}

static int tear_down(void **state G_GNUC_UNUSED)
{
    assert_true(file_remove_tree(dir, NULL));
    g_free(dir);
    return 0;
}

static void put(const char *name, const char *text)
{
    g_autofree char *path = g_strdup_printf("%s/%s.json", dir, name);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* Caller unrefs. */
static json_t *good(void)
{
    json_t *root = NULL;
    assert_true(json_parse_text(kedge_dark_json, &root, NULL));
    json_set_text(root, "name", "mine");
    return root;
}

static void put_json(const char *name, const json_t *root)
{
    g_autofree char *text = json_to_text(root);
    put(name, text);
}

static char *looks(const Theme *theme, ThemeToken token)
{
    GString *out = g_string_new(NULL);
    theme_switch(theme, DEPTH_TRUE, (Style) { 0 }, (Style) { .fg = token }, out);
    return g_string_free(out, FALSE);
}

static void assert_looks(const Theme *theme, ThemeToken token, const char *want)
{
    g_autofree char *got = looks(theme, token);
    assert_string_equal(got, want);
}

static void test_values(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) root = good();
    json_t *colours = json_get_object(root, "colors");
    json_t *vars = json_get_object(root, "vars");
    json_set_text(vars, "one", "two");
    json_set_text(vars, "two", "three");
    json_set_text(vars, "three", "#0A0b0c");
    json_set_int(vars, "number", 208);
    json_set_text(colours, "accent", "one");
    json_set_text(colours, "border", "#010203");
    json_set_int(colours, "success", 0);
    json_set_int(colours, "error", 15);
    json_set_int(colours, "warning", 255);
    json_set_text(colours, "muted", "number");
    json_set_text(colours, "dim", "");
    put_json("mine", root);

    char *problem = NULL;
    g_autoptr(Theme) theme = theme_load(&(ThemeSpec) { .dir = dir, .name = "mine" }, &problem);
    assert_null(problem);
    assert_looks(theme, TOKEN_ACCENT, "\x1b[38;2;10;11;12m");
    assert_looks(theme, TOKEN_BORDER, "\x1b[38;2;1;2;3m");
    assert_looks(theme, TOKEN_SUCCESS, "\x1b[30m");
    assert_looks(theme, TOKEN_ERROR, "\x1b[97m");
    assert_looks(theme, TOKEN_WARNING, "\x1b[38;5;255m");
    assert_looks(theme, TOKEN_MUTED, "\x1b[38;5;208m");
    assert_looks(theme, TOKEN_DIM, "");
    g_autofree char *path = g_strdup_printf("%s/mine.json", dir);
    assert_string_equal(theme_path(theme), path);
}

static void test_symbols(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) root = good();
    json_set_take(root, "symbols",
                  json_pack("{s:s, s:{s:s, s:s, s:s, s:s, s:i, s:s}}", "preset", "ascii",
                            "overrides", "success", "OK", "cursor", "\x1b]0;evil\x07>>", "warning",
                            "\xe2\x9a\xa0\xef\xb8\x8f", "error", "much too long", "bullet", 3,
                            "noSuch", "x"));
    json_set_take(root, "export", json_pack("{s:s}", "pageBg", "#ffffff"));
    put_json("symbols", root);
    ThemeSpec spec = { .dir = dir, .name = "symbols", .symbols = "nerd" };
    g_autofree char *problem = NULL;
    g_autoptr(Theme) theme = theme_load(&spec, &problem);
    // what cannot be used is said; the rest is used
    assert_string_equal(theme_symbol(theme, SYMBOL_SUCCESS), "OK");
    assert_string_equal(theme_symbol(theme, SYMBOL_CURSOR), ">>");
    assert_string_equal(theme_symbol(theme, SYMBOL_WARNING), "!");
    assert_string_equal(theme_symbol(theme, SYMBOL_ERROR), "x");
    assert_string_equal(theme_symbol(theme, SYMBOL_RULE), "-"); // the theme's preset wins
    assert_non_null(strstr(problem, "overrides.warning is empty, wider"));
    assert_non_null(strstr(problem, "overrides.error is empty, wider"));
    assert_non_null(strstr(problem, "overrides.bullet is no text"));
    assert_non_null(strstr(problem, "overrides.noSuch is not known"));
    assert_null(strstr(problem, "kedge-dark"));
    assert_null(strchr(problem, '\x1b'));
    assert_looks(theme, TOKEN_ACCENT, "\x1b[38;2;127;168;220m");
}

typedef struct Change { // of a good file
    const char *in;     // "colors", "vars"; NULL: the file itself
    const char *key;
    const char *value; // JSON; NULL: taken out
    const char *want;  // in the problem
} Change;

static const Change bad[] = {
    { NULL, "name", NULL, "name is missing" },
    { NULL, "name", "7", "name is missing" },
    { NULL, "colors", NULL, "colors is missing" },
    { NULL, "colors", "[]", "colors is missing, or no object" },
    { NULL, "vars", "[]", "vars is no object" },
    { NULL, "vars", NULL, "colors.accent is \"blue\", and there is no such variable" },
    { "colors", "toolDiffAdded", NULL, "colors.toolDiffAdded is missing" },
    { "colors", "statusLineSep", "null", "colors.statusLineSep is neither" },
    { "colors", "accent", "1.5", "colors.accent is neither a text nor a whole number" },
    { "colors", "accent", "256", "colors.accent is 256, not 0 to 255" },
    { "colors", "accent", "-1", "not 0 to 255" },
    { "colors", "accent", "\"#12345\"", "\"#12345\", not of the form #rrggbb" },
    { "colors", "accent", "\"#12345g\"", "not of the form" },
    { "colors", "accent", "\"#1234567\"", "not of the form" },
    { "colors", "accent", "\"nosuch\"", "\"nosuch\", and there is no such variable" },
    { "colors", "accent", "\"a\\u001b[2Jb\"", "\"a\\x1b[2Jb\", and" },
    { "vars", "blue", "\"blue\"", "vars.blue goes in circles" },
    { "vars", "blue", "[]", "vars.blue is neither" },
    { "vars", "unused", "\"nosuch\"", "vars.unused is \"nosuch\"" },
};

static void change(json_t *root, const Change *change)
{
    json_t *object = change->in ? json_get_object(root, change->in) : root;
    json_t *value = NULL;
    if (change->value)
        assert_true(json_parse_text(change->value, &value, NULL));
    if (value)
        json_set_take(object, change->key, value);
    else
        json_object_del(object, change->key);
}

static void test_bad(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        for (int is_light = 0; is_light < 2; is_light++) {
            g_autoptr(json_t) root = good();
            change(root, &bad[i]);
            put_json("bad", root);
            ThemeSpec spec = { .dir = dir, .name = "bad", .is_light = is_light };
            g_autofree char *problem = NULL;
            g_autoptr(Theme) theme = theme_load(&spec, &problem);
            if (!problem || !strstr(problem, bad[i].want))
                fail_msg("%s %s: '%s'", bad[i].key, bad[i].value, problem);
            assert_non_null(
                strstr(problem, is_light ? "kedge-light is used" : "kedge-dark is used"));
            assert_looks(theme, TOKEN_ACCENT,
                         is_light ? "\x1b[38;2;42;90;154m" : "\x1b[38;2;127;168;220m");
            assert_non_null(theme_path(theme)); // so that mending it is noticed
            theme_free(theme_load(&spec, NULL));
        }
    }
}

static void test_unreadable(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want;
    } files[] = {
        { "", "bad.json" },
        { "{\"name\": ", "bad.json" },
        { "[]", "it is no object" },
        { "7", "it is no object" },
        { "{}", "name is missing; colors is missing" },
        { "\xff\xfe{}", "bad.json" },
        { "{\"name\":\"x\",\"vars\":{\"a\":\"b\",\"b\":\"a\"},\"colors\":{\"accent\":\"a\"}}",
          "vars.a goes in circles, or over more than 32 variables; vars.b goes" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        put("bad", files[i].text);
        g_autofree char *problem = NULL;
        g_autoptr(Theme) theme = theme_load(&(ThemeSpec) { .dir = dir, .name = "bad" }, &problem);
        if (!problem || !strstr(problem, files[i].want))
            fail_msg("%s: '%s'", files[i].text, problem);
        assert_looks(theme, TOKEN_ACCENT, "\x1b[38;2;127;168;220m");
    }
    // the first few of very many
    g_autofree char *problem = NULL;
    put("bad", "{\"name\":\"x\",\"colors\":{}}");
    theme_free(theme_load(&(ThemeSpec) { .dir = dir, .name = "bad" }, &problem));
    assert_true(str_has_prefix(problem, "theme \"bad\": colors.accent is missing; "));
    assert_non_null(strstr(problem, "; and 61 more; kedge-dark is used"));
}

static void test_unknown_keys(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) root = good();
    json_set_text(json_get_object(root, "colors"), "acent", "blue");
    json_set_text(json_get_object(root, "colors"), "accent", "#111213");
    json_set_text(root, "colours", "x");
    json_set_take(root, "symbols", json_pack("{s:s, s:s}", "preset", "emoji", "sets", "x"));
    put_json("keys", root);
    g_autofree char *problem = NULL;
    g_autoptr(Theme) theme = theme_load(&(ThemeSpec) { .dir = dir, .name = "keys" }, &problem);
    assert_looks(theme, TOKEN_ACCENT, "\x1b[38;2;17;18;19m");
    assert_string_equal(problem, "theme \"keys\": colours is not known; colors.acent is not known; "
                                 "symbols.sets is not known; symbols.preset is \"emoji\", not "
                                 "unicode, nerd or ascii");
}

static void test_names(void **state G_GNUC_UNUSED)
{
    static const char *const refused[] = { "",         ".",           "..",
                                           "../mine",  "/etc/passwd", "a/b",
                                           ".hidden",  "a\nb",        "\xff",
                                           "a\x1b[2J", " x",          "a\xe2\x80\xaez" };
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autofree char *problem = NULL;
        g_autoptr(Theme) theme =
            theme_load(&(ThemeSpec) { .dir = dir, .name = refused[i] }, &problem);
        assert_non_null(strstr(problem, "that is no name of a theme"));
        assert_null(theme_path(theme));
        assert_null(strpbrk(problem, "\x1b\n"));
    }
    g_autofree char *absent = NULL;
    theme_free(theme_load(&(ThemeSpec) { .dir = dir, .name = "absent" }, &absent));
    assert_non_null(strstr(absent, "absent.json"));
    g_autofree char *nowhere = NULL;
    theme_free(theme_load(&(ThemeSpec) { .name = "mine" }, &nowhere));
    assert_non_null(strstr(nowhere, "there is none of that name"));
}

/* A built-in theme wins over a file of its name; files that cannot be themes are left out. */
static void test_list(void **state G_GNUC_UNUSED)
{
    g_autofree char *own = g_strdup_printf("%s/list", dir);
    assert_int_equal(mkdir(own, 0700), 0);
    g_autoptr(json_t) root = good();
    json_set_text(json_get_object(root, "colors"), "accent", "#111213");
    static const char *const files[] = { "list/kedge-dark", "list/zebra", "list/amber",
                                         "list/.hidden", "list/bad\nname" };
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        put_json(files[i], root);
    g_autofree char *other = g_strdup_printf("%s/notes.txt", own);
    assert_true(g_file_set_contents(other, "x", 1, NULL));

    g_auto(GStrv) names = theme_names(own);
    g_autofree char *joined = g_strjoinv(" ", names);
    assert_string_equal(joined, "amber kedge-dark kedge-light zebra");
    char *problem = NULL;
    g_autoptr(Theme) theme =
        theme_load(&(ThemeSpec) { .dir = own, .name = "kedge-dark" }, &problem);
    assert_null(problem);
    assert_null(theme_path(theme));
    assert_looks(theme, TOKEN_ACCENT, "\x1b[38;2;127;168;220m");

    g_auto(GStrv) built_in = theme_names(NULL);
    assert_int_equal(g_strv_length(built_in), 2);
    g_auto(GStrv) no_dir = theme_names("/nonexistent/themes");
    assert_int_equal(g_strv_length(no_dir), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),       cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_bad),          cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_unknown_keys), cmocka_unit_test(test_names),
        cmocka_unit_test(test_list),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
