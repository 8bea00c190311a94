/*
 * The tool `wm_emit`, and the environment that says whose policy counts (task-engine §6.4). Rows:
 * task-E16.
 */
#include "wm_fixture.h"

#include "wm/apply/emit.h"

static void set_environment(const WmFixture *fixture, const char *task)
{
    g_autofree char *output = wm_fixture_path(fixture, "output.jsonl");
    g_setenv("WM_REPO_ROOT", fixture->root, TRUE);
    g_setenv("WM_TASK", task, TRUE);
    g_setenv("WM_SAFE_OUTPUT_FILE", output, TRUE);
    g_setenv("WM_ISSUE_NUMBER", "7", TRUE);
    g_setenv("WM_PR_NUMBER", "x", TRUE);
    g_setenv("KEDGE_WM_RUN_ID", "fix-1", TRUE);
}

static WmFixture fixture_of(const char *front)
{
    WmFixture fixture = wm_fixture_new(NULL, front, "b");
    g_autofree char *text = g_strdup_printf("---\n%s\n---\nb\n", front);
    wm_fixture_write(&fixture, WM_TASKS_DIR "/fix.md", text, 0644);
    set_environment(&fixture, "fix");
    return fixture;
}

static void check_fails(const char *name, const char *expected)
{
    g_auto(WmEmit) emit = { 0 };
    g_autoptr(GError) error = NULL;
    if (wm_emit_open(&emit, &error) || !strstr(error->message, expected))
        fail_msg("%s: %s", name, error ? error->message : "it opened");
    g_autoptr(DynamicTool) tool = wm_emit_tool_new();
    assert_null(tool);
}

static void test_environment(void **state G_GNUC_UNUSED)
{
    WmFixture fixture = fixture_of("safe-outputs: {add-comment: }");
    g_auto(WmEmit) emit = { 0 };
    g_autoptr(GError) error = NULL;
    if (!wm_emit_open(&emit, &error))
        fail_msg("%s", error->message);
    assert_string_equal(emit.scope.task_name, "fix");
    assert_int_equal(emit.scope.issue, 7);
    assert_int_equal(emit.scope.pull, 0);
    assert_true(emit.scope.policy->handlers[WM_ADD_COMMENT].is_enabled);

    static const char *const names[] = { "WM_REPO_ROOT", "WM_TASK", "WM_SAFE_OUTPUT_FILE" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *expected = g_strdup_printf("%s is not set", names[i]);
        set_environment(&fixture, "fix");
        g_unsetenv(names[i]);
        check_fails(names[i], expected);
    }
    set_environment(&fixture, "y");
    check_fails("an unknown task", "task not found: y");
    wm_fixture_end(&fixture);
}

/* What was noted before the agent began counts, whatever is in the tree that it moves by then. */
static void test_note(void **state G_GNUC_UNUSED)
{
    WmFixture fixture = fixture_of("safe-outputs: {add-comment: }");
    g_autoptr(GError) error = NULL;
    assert_true(wm_emit_note(fixture.root, fixture.task, NULL, NULL, &error));
    g_autofree char *tasks = wm_fixture_path(&fixture, ".wm");
    for (int i = 0; i < 2; i++) { // another policy, then no task at all
        wm_fixture_write(&fixture, WM_TASKS_DIR "/fix.md",
                         "---\nsafe-outputs: {create-issue: }\n---\nb\n", 0644);
        if (i == 1)
            assert_true(file_remove_tree(tasks, NULL));
        g_auto(WmEmit) emit = { 0 };
        if (!wm_emit_open(&emit, &error))
            fail_msg("%s", error->message);
        assert_string_equal(emit.scope.task_name, "fix");
        assert_true(emit.scope.policy->handlers[WM_ADD_COMMENT].is_enabled);
        assert_false(emit.scope.policy->handlers[WM_CREATE_ISSUE].is_enabled);
    }
    wm_fixture_write(&fixture, "policy.json", "{", 0644);
    check_fails("half a note", "policy.json");
    wm_fixture_end(&fixture);
}

static void test_tool(void **state G_GNUC_UNUSED)
{
    WmFixture fixture = fixture_of("safe-outputs: {add-comment: , create-issue: false}");
    g_autoptr(DynamicTool) tool = wm_emit_tool_new();
    assert_non_null(tool);
    g_autofree char *schema = json_to_text(dynamic_tool_def(tool)->schema);
    assert_non_null(
        strstr(schema, "\"enum\":[\"add_comment\",\"noop\",\"missing_tool\",\"missing_data\"]"));
    g_unsetenv("KEDGE_WM_RUN_ID");
    assert_null(wm_emit_tool_new());
    wm_fixture_end(&fixture);

    WmFixture silent = fixture_of("a: 1"); // nothing stands under safe-outputs
    assert_null(wm_emit_tool_new());
    wm_fixture_end(&silent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_note),
        cmocka_unit_test(test_tool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
