/* A person's own Python, in the kernel that the model's cells have (agent-core §7.4). */
#include "base/str.h"
#include "eval_fixture.h"

#include "tools/eval/eval_user.h"

typedef struct Case {
    const char *code, *want; // how the output begins
    int exit_code;
} Case;

static UserShellResult run(const ToolFixture *fixture, const char *code)
{
    UserShellResult result = { 0 };
    g_autoptr(GError) error = NULL;
    if (!eval_run_for_user(fixture->context, code, NULL, NULL, &result, &error))
        fail_msg("%s: %s", code, error->message);
    return result;
}

static void prepare(const ToolFixture *fixture, const char *code)
{
    g_auto(UserShellResult) result = run(fixture, code);
    assert_int_equal(result.exit_code, 0);
}

static void test_what_code_says(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "x = 41", "", 0 },
        { "x + 1", "42\n", 0 },
        { "print('a')\nprint('b')", "a\nb\n", 0 },
        { "display({'a': 1})", "{\n  \"a\": 1\n}\n", 0 },
        { "1/0", "Traceback (most recent call last):", 1 },
        { "tool.read({'path': 'a.txt'})", "Traceback (most recent call last):", 1 },
        { "x", "41\n", 0 },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(UserShellResult) result = run(fixture, cases[i].code);
        if (!str_has_prefix(result.output, cases[i].want) ||
            (*cases[i].want == '\0' && *result.output) || result.exit_code != cases[i].exit_code)
            fail_msg("%s: %d '%s'", cases[i].code, result.exit_code, result.output);
        assert_false(result.is_cancelled);
    }
    g_auto(UserShellResult) refused = run(fixture, "tool.read({'path': 'a.txt'})");
    assert_non_null(strstr(refused.output, "tools are not at hand in code that a person runs"));
}

static void test_one_kernel_with_the_model(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *made = run_code(fixture, "python", "shared = 'by the model'", false);
    assert_string_equal(made, "(no output)");
    prepare(fixture, "mine = 7");
    g_auto(UserShellResult) value = run(fixture, "shared");
    assert_string_equal(value.output, "'by the model'\n");
    g_autofree char *text = run_code(fixture, "python", "mine", false);
    assert_string_equal(text, "7");
}

static void test_long_output(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_auto(UserShellResult) result = run(fixture, "for i in range(100000): print(i)");
    assert_true(result.is_truncated);
    assert_int_equal(result.total_lines, 100000);
    assert_non_null(result.artifact_id);
}

static void test_a_stop(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    prepare(fixture, "kept = 1");
    g_autoptr(Cancel) cancel = cancel_new_timed(NULL, 300);
    g_auto(UserShellResult) result = { 0 };
    assert_true(eval_run_for_user(fixture->context,
                                  "print('begun', flush=True)\nimport time\n"
                                  "time.sleep(600)",
                                  NULL, cancel, &result, NULL));
    assert_true(result.is_cancelled);
    g_auto(UserShellResult) after = run(fixture, "kept");
    assert_string_equal(after.output, "1\n");
}

static void test_it_is_off(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new("{'eval': {'py': false}}", false);
    UserShellResult result = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(eval_run_for_user(fixture->context, "1", NULL, NULL, &result, &error));
    assert_string_equal(error->message, "Python backend is disabled (eval.py = false).");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_code_says), cmocka_unit_test(test_one_kernel_with_the_model),
        cmocka_unit_test(test_long_output),    cmocka_unit_test(test_a_stop),
        cmocka_unit_test(test_it_is_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
