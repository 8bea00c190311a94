/* todo_write: its operations, what is told of them, and where the list is kept. */
#include "base/str.h"
#include "tool_fixture.h"

#include "tools/tools.h"

#define BUILD "{'phase':'Build','items':['Read spec','Write parser']}"
#define SHIP  "{'phase':'Ship','items':['Tag']}"
#define INIT  "{'op':'init','list':[" BUILD "," SHIP "]}"

static char *told(const ToolFixture *fixture, const char *ops)
{
    g_autofree char *arguments = g_strdup_printf("{'ops':[%s]}", ops);
    return tool_fixture_text(fixture, &tool_todo_write, json_of(arguments));
}

/* The list behind the line on what remains: "→ Read spec, ○ Write parser; ○ Tag". */
static char *marks_of(const char *text)
{
    GString *marks = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (str_has_prefix(*line, "    "))
            g_string_append_printf(marks, "%s%s", marks->len > 0 ? ", " : "", *line + 4);
    }
    return g_string_free(marks, FALSE);
}

/* tools-T82 */
static void test_layout(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_autofree char *text = told(
        fixture, "{'op':'init','list':[{'phase':'Build','items':['Read spec','Write parser']}]},"
                 "{'op':'done','task':'Read spec'},"
                 "{'op':'note','task':'Write parser','text':'keep it small\\n\\nand fast \\n'},"
                 "{'op':'note','task':'Write parser','text':'no regex'}");
    assert_string_equal(text, "Remaining items (1):\n"
                              "  - Write parser [in_progress] (Build)\n"
                              "Phase 1/1 \"Build\" — 1/2 tasks complete\n"
                              "  Build:\n"
                              "    ✓ Read spec\n"
                              "    → Write parser (+2 notes)\n"
                              "        keep it small\n"
                              "\n"
                              "        and fast\n"
                              "        ---\n"
                              "        no regex");
    g_autofree char *done = told(fixture, "{'op':'done'}");
    assert_string_equal(done, "Remaining items: none.\n"
                              "Phase 1/1 \"Build\" — 2/2 tasks complete\n"
                              "  Build:\n"
                              "    ✓ Read spec\n"
                              "    ✓ Write parser (+2 notes)");
    g_autofree char *cleared = told(fixture, "{'op':'rm'}");
    assert_string_equal(cleared, "Todo list cleared.");
}

static void test_operations(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *ops, *want;
    } cases[] = {
        { "{'op':'start','task':'Tag'}", "○ Read spec, ○ Write parser, → Tag" },
        { "{'op':'done','phase':'Build'}", "✓ Read spec, ✓ Write parser, → Tag" },
        { "{'op':'drop','task':'Read spec'},{'op':'done'}",
          "✗ Read spec, ✓ Write parser, ✓ Tag" }, // what was given up was not done
        { "{'op':'drop'}", "✗ Read spec, ✗ Write parser, ✗ Tag" },
        { "{'op':'done','task':'Read spec'},{'op':'start','task':'Read spec'}",
          "→ Read spec, ○ Write parser, ○ Tag" },
        { "{'op':'rm','task':'Read spec'}", "→ Write parser, ○ Tag" },
        { "{'op':'rm','phase':'Build'}", "→ Tag" },
        { "{'op':'append','phase':'Build','items':['Fuzz']}",
          "→ Read spec, ○ Write parser, ○ Fuzz, ○ Tag" },
        { "{'op':'append','phase':'Later','items':['Rest']}",
          "→ Read spec, ○ Write parser, ○ Tag, ○ Rest" },
        { "{'op':'init','list':[{'phase':'P','items':['A','A']}]},{'op':'done','task':'A'},"
          "{'op':'done','task':'A'}",
          "✓ A, ✓ A" }, // each of those that look alike can be reached
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autofree char *ops = g_strconcat(INIT ",", cases[i].ops, NULL);
        g_autofree char *text = told(fixture, ops);
        g_autofree char *marks = marks_of(text);
        assert_false(str_has_prefix(text, "Errors"));
        assert_text(cases[i].ops, marks, cases[i].want);
    }
}

static void test_problems(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *ops, *want;
    } cases[] = {
        { "{'op':'init'}", "Missing list for init operation" },
        { "{'op':'init','list':[]}", "Missing list for init operation" },
        { "{'op':'start'}", "Missing task content" },
        { "{'op':'done','task':''}", "Missing task content" },
        { "{'op':'done','task':'read spec'}", "Task \"read spec\" not found" },
        { "{'op':'rm','task':'Nope'}", "Task \"Nope\" not found" },
        { "{'op':'drop','phase':''}", "Missing phase name" },
        { "{'op':'rm','phase':'Nope'}", "Phase \"Nope\" not found" },
        { "{'op':'append','items':['A']}", "Missing phase name for append operation" },
        { "{'op':'append','phase':'Build'}", "Missing items for append operation" },
        { "{'op':'append','phase':'New','items':['Tag']}", "Task \"Tag\" already exists" },
        { "{'op':'note','task':'Tag','text':' \\n'}", "Missing text for note operation" },
        { "{'op':'start','task':'X'},{'op':'start'}",
          "Task \"X\" not found; Missing task content" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autofree char *before = told(fixture, INIT);
        g_autofree char *text = told(fixture, cases[i].ops);
        // nothing has changed, and the list is there to be seen
        g_autofree char *want = g_strdup_printf("Errors: %s\n%s", cases[i].want, before);
        assert_text(cases[i].ops, text, want);
    }
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *rest = told(fixture, INIT ",{'op':'done','task':'X'},"
                                               "{'op':'done','task':'Tag'}");
    assert_true(str_has_prefix(rest, "Errors: Task \"X\" not found\nRemaining items (2):"));
}

/* tools-T83, tools-T186 */
static void test_empty(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *none = told(fixture, "{'op':'start','task':'x'}");
    assert_string_equal(none, "Errors: Task \"x\" not found (todo list is empty — was it replaced "
                              "or not yet created?)");
    g_autofree char *two = told(fixture, "{'op':'init','list':[" BUILD "]}");
    g_autofree char *still = told(fixture, "{'op':'init'}");
    g_autofree char *want = g_strconcat("Errors: Missing list for init operation\n", two, NULL);
    assert_string_equal(still, want);
}

static void test_bounds(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *first = told(fixture, INIT);
    assert_non_null(first);
    g_autofree char *word = g_strnfill(1001, 'x');
    g_autofree char *ops =
        g_strdup_printf("{'op':'append','phase':'Build','items':['%s','ok']}", word);
    g_autofree char *long_task = told(fixture, ops);
    assert_contains("long", long_task, "x…\" is longer than 1000 characters\nRemaining items (4)");

    g_autoptr(GString) items = g_string_new(NULL);
    for (int i = 0; i < 200; i++)
        g_string_append_printf(items, "%s'%d-N'", i > 0 ? "," : "", i);
    g_autoptr(GString) many = g_string_new(NULL);
    for (int i = 0; i < 6; i++) {
        g_autofree char *number = g_strdup_printf("%d'", i);
        g_autoptr(GString) own = g_string_new(items->str);
        g_string_replace(own, "N'", number, 0);
        g_string_append_printf(many, "%s{'op':'append','phase':'Many','items':[%s]}",
                               i > 0 ? "," : "", own->str);
    }
    g_autofree char *full = told(fixture, many->str);
    assert_contains("many", full, "No room from task \"196-4\" on: the list has 1000 already");
    assert_contains("many", full, "Remaining items (1000):");

    g_autoptr(GString) notes = g_string_new(NULL);
    for (int i = 0; i < 51; i++)
        g_string_append_printf(notes, "%s{'op':'note','task':'Tag','text':'%d'}", i > 0 ? "," : "",
                               i);
    g_autofree char *noted = told(fixture, notes->str);
    assert_true(str_has_prefix(noted, "Errors: Task \"Tag\" has 50 notes already\n"));
}

static void test_storage(void **state G_GNUC_UNUSED)
{
    static const bool is_stored[] = { false, true };
    for (size_t i = 0; i < G_N_ELEMENTS(is_stored); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, is_stored[i]);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_todo_write, json_of("{'ops':[" INIT "]}"), &result);
        g_autofree char *details = json_to_text(result.details);
        assert_contains("details", details,
                        "{\"phases\":[{\"name\":\"Build\",\"tasks\":[{\"content\":\"Read spec\","
                        "\"status\":\"in_progress\"},");
        assert_string_equal(json_get_text(result.details, "storage"),
                            is_stored[i] ? "session" : "memory");
        g_autofree char *path = g_build_filename(fixture->root, "session", "todos.json", NULL);
        g_autoptr(json_t) saved = NULL;
        assert_int_equal(json_read_file(path, &saved, NULL), is_stored[i]);
        if (is_stored[i])
            assert_true(json_equal(saved, json_get_array(result.details, "phases")));
    }
}

/* What cannot be written has not happened. */
static void test_unwritable(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_autofree char *dir = g_build_filename(fixture->root, "session", NULL);
    g_autofree char *before = told(fixture, INIT);
    assert_true(file_remove_tree(dir, NULL));
    assert_true(file_write_atomic(dir, "", 0, 0600, NULL));
    g_autofree char *problem =
        tool_fixture_error(fixture, &tool_todo_write, json_of("{'ops':[{'op':'rm'}]}"));
    assert_contains("error", problem, dir);
    assert_int_equal(unlink(dir), 0);
    g_autofree char *after = told(fixture, "{'op':'start','task':'Read spec'}");
    assert_string_equal(after, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),     cmocka_unit_test(test_operations),
        cmocka_unit_test(test_problems),   cmocka_unit_test(test_empty),
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_storage),
        cmocka_unit_test(test_unwritable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
