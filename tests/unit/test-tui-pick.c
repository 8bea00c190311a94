/*
 * What pickers are made of: the lines of a session's tree (agent-core §7.9), and the panel that
 * takes a key and does not show it.
 */
#include "unit.h"

#include "tui/control/key_panel.h"
#include "tui/control/tree_rows.h"

// ---- the tree ----

#define USER(id, parent, text)                                                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent                                 \
    ",\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}"
#define ANSWER(id, parent, text)                                                                   \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent                                 \
    ",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" text        \
    "\"}]}}"
#define CALLS(id, parent)                                                                          \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent                                 \
    ",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"id\":\"t\","       \
    "\"name\":\"read\",\"arguments\":{}}]}}"
#define RESULT(id, parent, text)                                                                   \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent                                 \
    ",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"t\",\"toolName\":\"read\","            \
    "\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}"

#define EXECUTION(id, parent, role, key, text)                                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent                                 \
    ",\"message\":{\"role\":\"" role "\",\"" key "\":\"" text "\",\"output\":\"x\"}}"

/* Two branches behind the first answer; the leaf is the end of the second. */
static const char two_branches[] =
    "{\"leafId\":\"f\",\"labels\":{\"b\":\"good\"},\"entries\":["
    "{\"type\":\"model_change\",\"id\":\"m\",\"parentId\":null,\"model\":\"x/"
    "y\"}," USER("a", "\"m\"", "one") "," ANSWER("b", "\"a\"", "first") "," USER(
        "c", "\"b\"", "two") "," CALLS("d", "\"c\"") "," RESULT("e", "\"d\"",
                                                                "content") "," USER("f", "\"b\"",
                                                                                    "three") "]}";

static char *shown(const char *json, TreeFilter filter)
{
    g_autoptr(json_t) tree = json_loads(json, 0, NULL);
    assert_non_null(tree);
    g_autoptr(GPtrArray) lines = tree_lines(tree, filter);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < lines->len; i++) {
        const TreeLine *line = lines->pdata[i];
        g_string_append_printf(out, "%s%s\n", line->text, line->is_leaf ? " <" : "");
    }
    return g_string_free(out, false);
}

static void test_filters(void **state G_GNUC_UNUSED)
{
    static const struct {
        TreeFilter filter;
        const char *want;
    } cases[] = {
        { TREE_DEFAULT, "• user: one\n"
                        "• [good] assistant: first\n"
                        "    user: two\n"
                        "    toolResult: content\n"
                        "  • user: three <\n" },
        { TREE_NO_TOOLS, "• user: one\n"
                         "• [good] assistant: first\n"
                         "    user: two\n"
                         "  • user: three <\n" },
        { TREE_USER_ONLY, "• user: one\n"
                          "    user: two\n"
                          "  • user: three <\n" },
        { TREE_LABELED_ONLY, "• [good] assistant: first\n" },
        { TREE_ALL, "• model_change: x/y\n"
                    "• user: one\n"
                    "• [good] assistant: first\n"
                    "    user: two\n"
                    "    assistant: \n"
                    "    toolResult: content\n"
                    "  • user: three <\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = shown(two_branches, cases[i].filter);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got\n%swant\n%s", tree_filter_name(cases[i].filter), got, cases[i].want);
        assert_int_equal(tree_filter_parse(tree_filter_name(cases[i].filter)), cases[i].filter);
    }
    assert_int_equal(tree_filter_parse("nothing like it"), TREE_DEFAULT);
}

/* A file may hold anything: parents that are not there, that are each other's, ids twice. */
static void test_odd_files(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        { "{}", "" },
        { "{\"leafId\":\"nowhere\",\"entries\":[]}", "" },
        { "{\"entries\":[" USER("a", "\"gone\"", "x") "]}", "  user: x\n" },
        { "{\"leafId\":\"a\",\"entries\":[" USER("a", "\"b\"", "x") "," USER("b", "\"a\"",
                                                                             "y") "]}",
          "" },
        { "{\"leafId\":\"a\",\"entries\":[" USER("a", "\"a\"", "x") "]}", "" },
        { "{\"entries\":[" USER("a", "null", "x") "," USER("a", "null", "again") "]}",
          "  user: x\n" },
        { "{\"entries\":[{\"type\":\"message\"},{\"id\":7},3,null]}", "" },
        { "{\"entries\":[" EXECUTION("a", "null", "bashExecution", "command",
                                     "make test") "," EXECUTION("b", "\"a\"", "pythonExecution",
                                                                "code", "1 + 1") "]}",
          "  bashExecution: make test\n  pythonExecution: 1 + 1\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = shown(cases[i].json, TREE_DEFAULT);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("case %zu: got\n%swant\n%s", i, got, cases[i].want);
    }
}

/* A long conversation stays straight: nothing recurses, and nothing moves to the right. */
static void test_a_long_conversation(void **state G_GNUC_UNUSED)
{
    json_t *entries = json_array();
    for (int i = 0; i < 30000; i++) {
        g_autofree char *id = g_strdup_printf("%d", i), *parent = g_strdup_printf("%d", i - 1);
        json_t *entry =
            json_pack("{s:s, s:s, s:s?, s:{s:s, s:s}}", "type", "message", "id", id, "parentId",
                      i > 0 ? parent : NULL, "message", "role", "user", "content", "x");
        json_array_append_new(entries, entry);
    }
    g_autoptr(json_t) tree = json_pack("{s:s, s:o}", "leafId", "29999", "entries", entries);
    g_autoptr(GPtrArray) lines = tree_lines(tree, TREE_DEFAULT);
    assert_int_equal(lines->len, 30000);
    assert_string_equal(((TreeLine *)lines->pdata[29999])->text, "• user: x");
}

// ---- the key ----

typedef struct Given {
    int count;
    char *key; // NULL: none
} Given;

static void on_given(const char *provider, const char *key, void *given_)
{
    Given *given = given_;
    assert_string_equal(provider, "acme");
    given->count++;
    given->key = g_strdup(key);
}

static PanelResult press(Panel *panel, uint32_t code, uint8_t mods, Action action)
{
    return panel->class->key(panel, (KeyPress) { code, mods, false }, action, 0);
}

static void type(Panel *panel, const char *text)
{
    for (; *text; text++)
        press(panel, (uint32_t)*text, 0, ACTION_NONE);
}

static char *rows_of(Panel *panel)
{
    g_autoptr(GPtrArray) rows = rows_new();
    GString *out = g_string_new(NULL);
    int row = -1, column = 0;
    panel->class->rows(panel, 60, 10, rows, &row, &column);
    for (guint i = 0; i < rows->len; i++)
        g_string_append_printf(out, "%s\n", ((const Row *)rows->pdata[i])->text);
    return g_string_free(out, false);
}

static void test_a_key_is_not_shown(void **state G_GNUC_UNUSED)
{
    Given given = { 0 };
    const KeyPanelSpec spec = { .provider = "acme", .given = on_given, .user_data = &given };
    Panel *panel = key_panel_new(&spec);
    type(panel, "wrong");
    press(panel, 'u', MOD_CTRL, ACTION_NONE);
    type(panel, "sk-");
    panel_paste(panel, "secret\n1", 8, true);
    type(panel, "x");
    press(panel, KEY_BACKSPACE, 0, ACTION_NONE);
    g_autofree char *text = rows_of(panel);
    assert_non_null(strstr(text, "**********")); // as many as it has
    assert_null(strstr(text, "***********"));
    assert_null(strstr(text, "secret"));
    assert_int_equal(press(panel, KEY_ENTER, 0, ACTION_LIST_ACCEPT), PANEL_DONE);
    assert_string_equal(given.key, "sk-secret1");
    panel_free(panel);
    g_free(given.key);
}

static void test_no_key(void **state G_GNUC_UNUSED)
{
    static const Action ends[] = { ACTION_LIST_CANCEL, ACTION_LIST_ACCEPT };
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        Given given = { 0 };
        const KeyPanelSpec spec = { .provider = "acme", .given = on_given, .user_data = &given };
        Panel *panel = key_panel_new(&spec);
        if (ends[i] == ACTION_LIST_CANCEL)
            type(panel, "sk-not-meant");
        assert_int_equal(press(panel, KEY_ESCAPE, 0, ends[i]), PANEL_DONE);
        assert_int_equal(given.count, 1);
        assert_null(given.key);
        panel_free(panel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_odd_files),
        cmocka_unit_test(test_a_long_conversation),
        cmocka_unit_test(test_a_key_is_not_shown),
        cmocka_unit_test(test_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
