/* What edit does not do: overwrite what others save meanwhile or what was never read, change the
 * ends of other lines, work on without end. */
#include "tool_fixture.h"

#include "tools/edit/edit_mode.h"
#include "tools/edit/edit_target.h"
#include "tools/tools.h"

#include <unistd.h>

static char *path_of(const ToolFixture *fixture, const char *name)
{
    return g_build_filename(fixture->cwd, name, NULL);
}

static void assert_file(const ToolFixture *fixture, const char *name, const char *want)
{
    g_autofree char *path = path_of(fixture, name);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        text = g_strdup("-");
    assert_text(name, text, want);
}

/* The body of a patch, without its first and last line. */
static json_t *input_of(const char *body)
{
    json_t *arguments = json_object();
    g_autofree char *input = g_strconcat("*** Begin Patch\n", body, "*** End Patch\n", NULL);
    json_set_text(arguments, "input", input);
    return arguments;
}

// ---- saved between reading and writing ----

typedef struct Meanwhile {
    const char *name;
    const char *before, *saved; // NULL: no file
    bool is_refused;
    const char *after;
} Meanwhile;

static struct {
    const ToolFixture *fixture;
    const Meanwhile *meanwhile;
    Cancel *cancel;
} play;

static bool run_meanwhile(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                          GError **error)
{
    g_autoptr(EditTarget) target = NULL;
    g_autofree char *path = path_of(play.fixture, "f");
    if (!edit_target_open(call, "f", true, &target, error))
        return false;
    edit_target_take_text(target, g_strdup("edited\n"), NULL);
    if (!edit_target_prepare(target, error))
        return false;
    if (play.meanwhile->saved)
        tool_fixture_put(play.fixture, "f", play.meanwhile->saved);
    else
        unlink(path);
    if (!edit_target_write(call, target, error))
        return false;
    edit_target_take_text(target, g_strdup("edited again\n"), NULL);
    tool_result_add_text(result, "written");
    return edit_target_prepare(target, error) && edit_target_write(call, target, error);
}

static void test_saved_meanwhile(void **state G_GNUC_UNUSED)
{
    static const Meanwhile cases[] = {
        { "saved", "one\n", "one\nmine\n", true, "one\nmine\n" },
        { "saved, of the same size", "one\n", "two\n", true, "two\n" },
        { "made", NULL, "mine\n", true, "mine\n" },
        { "deleted", "one\n", NULL, false, "edited again\n" },
        { "not there", NULL, NULL, false, "edited again\n" },
    };
    static const FieldDef no_fields[] = { { 0 } };
    static const ToolDef tool = {
        EDIT_TOOL,
        .flags = EDIT_FLAGS,
        .fields = no_fields,
        .run = run_meanwhile,
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        if (cases[i].before)
            tool_fixture_put(fixture, "f", cases[i].before);
        play.fixture = fixture;
        play.meanwhile = &cases[i];
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool, json_object(), &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(cases[i].name, text,
                    cases[i].is_refused ? "f changed while the edit was worked out; read it again"
                                        : "written");
        assert_file(fixture, "f", cases[i].after);
    }
}

/* Two names of one file: what is done by the one is not undone by the other. */
static void test_hard_links(void **state G_GNUC_UNUSED)
{
    static const char *const bodies[] = {
        "*** Update File: a\n@@\n-one\n+ONE\n*** Update File: b\n@@\n-two\n+TWO\n",
        "*** Update File: a\n@@\n-one\n+ONE\n*** Delete File: b\n",
    };
    static const char *const wants[] = { "Not done: write b", "Not done: delete b" };
    for (size_t i = 0; i < G_N_ELEMENTS(bodies); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "a", "one\ntwo\n");
        g_autofree char *a = path_of(fixture, "a");
        g_autofree char *b = path_of(fixture, "b");
        assert_int_equal(link(a, b), 0);
        g_autofree char *text =
            tool_fixture_error(fixture, &tool_edit_apply_patch, input_of(bodies[i]));
        assert_contains("why", text, "b changed while the edit was worked out; read it again");
        assert_contains("done", text, "Done before that: wrote a\n");
        assert_contains("left", text, wants[i]);
        assert_file(fixture, "a", "ONE\ntwo\n");
        assert_file(fixture, "b", "ONE\ntwo\n");
    }
}

/* What replaces all of a file that was never shown is refused once, by a model; not what it has
   read, written or deleted in the same call, and nothing that is empty. */
static void test_never_read(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const table[] = { &tool_read, &tool_write, &tool_edit_apply_patch, NULL };
    static const struct {
        const ToolDef *tool;
        const char *before, *arguments;
        bool is_read, is_refused;
    } cases[] = {
        { &tool_write, "one\n", "{'path':'a','content':'new\\n'}", false, true },
        { &tool_edit_patch, "one\n", "{'path':'a','edits':[{'op':'create','diff':'new'}]}", false,
          true },
        { &tool_edit_apply_patch, "one\n",
          "{'input':'*** Begin Patch\\n*** Add File: a\\n+new\\n*** End Patch'}", false, true },
        { &tool_edit_apply_patch, "one\n",
          "{'input':'*** Begin Patch\\n*** Delete File: a\\n*** Add File: a\\n+new\\n*** End "
          "Patch'}",
          false, false },
        { &tool_write, "one\n", "{'path':'a','content':'new\\n'}", true, false },
        { &tool_write, "", "{'path':'a','content':'new\\n'}", false, false },
        { &tool_edit_apply_patch, "one\n",
          "{'input':'*** Begin Patch\\n*** Add File: a\\n+new\\n*** End Patch'}", true, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        fixture->tools = tool_set_new(table);
        tool_fixture_put(fixture, "a", cases[i].before);
        if (cases[i].is_read)
            g_free(tool_fixture_text(fixture, &tool_read, json_of("{'path':'a'}")));
        if (cases[i].is_refused) {
            g_autofree char *text =
                tool_fixture_error(fixture, cases[i].tool, json_of(cases[i].arguments));
            assert_contains("why", text, "Refused: a is there, and you have not read it");
            assert_file(fixture, "a", cases[i].before);
        }
        g_free(tool_fixture_text(fixture, cases[i].tool, json_of(cases[i].arguments)));
        assert_file(fixture, "a", "new\n");
    }
}

/* Two entries on one file, the second of which moves it, too. */
static void test_mixed_ends(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a", "\ufeffone\r\ntwo\nthree\r\nfour\nfive");
    g_free(tool_fixture_text(fixture, &tool_edit_apply_patch,
                             input_of("*** Update File: a\n@@\n-two\n+2\n+2b\n three\n"
                                      "*** Update File: a\n*** Move to: d\n@@\n one\n-2\n"
                                      "@@\n-five\n+5\n")));
    assert_file(fixture, "d", "\ufeffone\r\n2b\nthree\r\nfour\n5");
}

// ---- without end ----

static bool run_cancelled(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    cancel_fire(play.cancel);
    const ToolDef *tool = tool_call_tool(call)->user_data;
    return tool->run(call, args, result, error);
}

/* A person can stop what only looks, though what writes is not cut short. */
static void test_cancelled(void **state G_GNUC_UNUSED)
{
    static const struct {
        const ToolDef *tool;
        const char *arguments;
    } cases[] = {
        { &tool_edit_replace, "{'path':'a','edits':[{'old_text':'one','new_text':'ONE'}]}" },
        { &tool_edit_patch, "{'path':'a','edits':[{'diff':'@@\\n-one\\n+ONE'}]}" },
        { &tool_edit_apply_patch, "{'input':'*** Begin Patch\\n*** Update File: a\\n@@\\n-one\\n"
                                  "+ONE\\n*** End Patch'}" },
        { &tool_edit_hashline, "{'input':'@@ a\\n< BOF\\n~ONE'}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autoptr(Cancel) cancel = cancel_new(NULL);
        g_autoptr(json_t) arguments = json_of(cases[i].arguments);
        ToolDef tool = *cases[i].tool;
        tool.user_data = (void *)cases[i].tool;
        tool.run = run_cancelled;
        play.cancel = cancel;
        tool_fixture_put(fixture, "a", "one\ntwo\n");
        const ToolCallSpec spec = {
            .tool = &tool,
            .arguments = arguments,
            .context = fixture->context,
            .door = &agent_door,
            .cancel = cancel,
        };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        g_autofree char *text = tool_result_text(&result);
        if (result.failure != KEDGE_ERROR_CANCELLED)
            fail_msg("%zu: %d: %s", i, (int)result.failure, text);
        assert_file(fixture, "a", "one\ntwo\n");
    }
}

static void test_many_edits(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    json_t *arguments = json_of("{'path':'a','edits':[]}");
    for (int i = 0; i < 1001; i++)
        json_append_take(json_object_get(arguments, "edits"),
                         json_of("{'old_text':'a','new_text':'b'}"));
    g_autofree char *text = tool_fixture_error(fixture, &tool_edit_replace, arguments);
    assert_contains("too many", text, "edits: must NOT have more than 1000 items");
}

static void test_many_lines(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *lines = g_strnfill(4 * 1000 * 1000, '\n');
    tool_fixture_put(fixture, "a", lines);
    g_autofree char *text =
        tool_fixture_error(fixture, &tool_edit_replace,
                           json_of("{'path':'a','edits':[{'old_text':'one','new_text':'ONE'}]}"));
    assert_text("too many", text, "a has more than 4000000 lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved_meanwhile), cmocka_unit_test(test_hard_links),
        cmocka_unit_test(test_never_read),      cmocka_unit_test(test_mixed_ends),
        cmocka_unit_test(test_cancelled),       cmocka_unit_test(test_many_edits),
        cmocka_unit_test(test_many_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
