/* bash on a terminal of its own: what the command sees, what comes through, and how it ends. */
#include "proc_fixture.h"
#include "tool_fixture.h"

#include "base/worker.h"
#include "tool/tool_set.h"
#include "tools/tools.h"

#define WITH_PTY "{'bash':{'virtualTerminal':true}}"

static ToolResult call_bash(const ToolFixture *fixture, const char *command, double timeout,
                            Cancel *cancel)
{
    g_autoptr(json_t) arguments =
        json_pack("{s:s,s:b,s:f}", "command", command, "pty", 1, "timeout", timeout);
    const ToolCallSpec spec = {
        .tool = &tool_bash,
        .arguments = arguments,
        .context = fixture->context,
        .door = &agent_door,
        .cancel = cancel,
    };
    ToolResult result = { 0 };
    tool_call(&spec, &result);
    return result;
}

static char *text_of(const ToolFixture *fixture, const char *command, bool is_error)
{
    g_auto(ToolResult) result = call_bash(fixture, command, 60, NULL);
    char *text = tool_result_text(&result);
    if (result.is_error != is_error)
        fail_msg("%s: %s: '%s'", command, is_error ? "no error" : "error", text);
    return text;
}

static void test_results(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *command, *want;
        bool is_error;
    } cases[] = {
        { "all three are it", "for fd in 0 1 2; do test -t $fd && echo $fd; done", "0\n1\n2\n",
          false },
        { "it is that of the session", "(: </dev/tty) && echo ok", "ok\n", false },
        { "its size", "stty size", "40 120\n", false },
        { "its type", "echo $TERM", "xterm-256color\n", false },
        { "no pager and no questions", "echo $PAGER $GIT_TERMINAL_PROMPT", "cat 0\n", false },
        { "lines", "echo a; echo b >&2", "a\nb\n", false },
        { "status", "exit 3", "(no output)\n\nCommand exited with code 3", true },
        { "no control sequences",
          "printf '\\033[31mred\\033[0m\\033]0;title\\007\\n\\033[2J\\033[1;1Hhome\\033[?25l\\n'",
          "red\nhome\n", false },
        { "lines that are drawn again", "printf '1%%\\r50%%\\r100%%\\n'", "1%\n50%\n100%\n",
          false },
        { "a return at the end", "printf 'a\\r'", "a\n", false },
        { "a return, and then the line's end", "printf 'a\\r\\n'", "a\n", false },
        { "no descriptors of ours", "ls /proc/self/fd | wc -w", "4\n", false },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(WITH_PTY, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = text_of(fixture, cases[i].command, cases[i].is_error);
        assert_text(cases[i].name, got, cases[i].want);
    }
    // tools-T68
    g_autofree char *device = text_of(fixture, "tty", false);
    assert_true(g_str_has_prefix(device, "/dev/"));
}

static void test_apart(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(WITH_PTY, false);
    g_free(tool_fixture_text(fixture, &tool_bash, json_of("{'command':'X=1'}")));
    g_autofree char *on_terminal = text_of(fixture, "echo [$X]; X=2", false);
    assert_string_equal(on_terminal, "[]\n");
    g_autofree char *after = tool_fixture_text(
        fixture, &tool_bash, json_of("{'command':'echo $X; test -t 1 || echo no'}"));
    assert_string_equal(after, "1\nno\n");
    g_autofree char *with_env = tool_fixture_text(
        fixture, &tool_bash,
        json_of("{'command':'echo $Y $TERM','pty':true,'env':{'Y':'y','TERM':'vt100'}}"));
    assert_string_equal(with_env, "y vt100\n");
}

/* Output that the terminal holds when the command ends is not lost. */
static void test_whole(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(WITH_PTY, true);
    for (int i = 0; i < 5; i++) {
        g_autofree char *few = text_of(fixture, "seq 1 500", false);
        assert_true(g_str_has_prefix(few, "1\n2\n"));
        assert_true(g_str_has_suffix(few, "\n499\n500\n"));
    }
    g_autofree char *got = text_of(fixture, "seq 1 20000", false);
    assert_true(g_str_has_suffix(got, "[Showing lines 11467-20001 of 20001 (50.0KB limit). Read "
                                      "artifact://0 for full output]"));
}

/* Nothing is left, also of what has made groups and sessions of its own. */
static void test_timeout(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(WITH_PTY, false);
    g_auto(ToolResult) result =
        call_bash(fixture,
                  "set -m; echo begun; sleep 600 & echo $! >job.new; setsid sleep 600 & echo $! "
                  ">own.new; mv job.new job; mv own.new own; read answer",
                  1, NULL);
    g_autofree char *text = tool_result_text(&result);
    assert_true(result.is_error);
    assert_contains("late", text, "[Command timed out after 1 seconds]\nbegun\n");
    assert_true(is_dead(written_pid(fixture->cwd, "job")));
    assert_true(is_dead(written_pid(fixture->cwd, "own")));
    g_autofree char *next = text_of(fixture, "echo ok", false);
    assert_string_equal(next, "ok\n");
}

static void fire_when_begun(void *data)
{
    void **pair = data;
    written_pid(((const ToolFixture *)pair[0])->cwd, "pid");
    cancel_fire(pair[1]);
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(WITH_PTY, false);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    void *pair[] = { fixture, cancel };
    Worker *worker = worker_start("test-cancel", fire_when_begun, pair);
    g_auto(ToolResult) result =
        call_bash(fixture, "echo begun; echo $$ >new; mv new pid; exec sleep 60", 300, cancel);
    worker_join(worker);
    g_autofree char *text = tool_result_text(&result);
    assert_text("cancelled", text, "[Command cancelled]\nbegun\n");
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    assert_true(is_dead(written_pid(fixture->cwd, "pid")));
}

static bool has_field(const Settings *settings, const char *name)
{
    static const ToolDef *const table[] = { &tool_bash, NULL };
    g_autoptr(ToolSet) all = tool_set_new(table);
    g_autoptr(ToolSet) offered = tool_set_select(all, settings, NULL, NULL);
    g_autoptr(json_t) schema = tool_schema(tool_set_at(offered, 0));
    return json_object_get(json_get_object(schema, "properties"), name) != NULL;
}

static void test_offered(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) plain = tool_fixture_new(NULL, false);
    g_autoptr(ToolFixture) fixture = tool_fixture_new(WITH_PTY, false);
    g_autoptr(ToolFixture) both =
        tool_fixture_new("{'bash':{'virtualTerminal':true},'async':{'enabled':true}}", false);
    assert_false(has_field(tool_context_settings(plain->context), "pty"));
    assert_true(has_field(tool_context_settings(fixture->context), "pty"));
    assert_false(has_field(tool_context_settings(fixture->context), "async"));
    assert_true(has_field(tool_context_settings(both->context), "pty"));
    assert_true(has_field(tool_context_settings(both->context), "async"));
    g_setenv("KEDGE_NO_PTY", "1", TRUE);
    assert_false(has_field(tool_context_settings(fixture->context), "pty"));
    g_autofree char *got = text_of(fixture, "test -t 1 || echo none", false);
    g_unsetenv("KEDGE_NO_PTY");
    assert_text("none", got, "none\n\n\n[There was no terminal: KEDGE_NO_PTY is set.]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results), cmocka_unit_test(test_apart),
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_cancel),  cmocka_unit_test(test_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
