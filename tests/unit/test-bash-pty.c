/* bash on a terminal of its own: what the command sees, what comes through, and how it ends;
   programs that want a screen; and the parent of a shell, with a terminal and without. */
#include "base/str.h"
#include "proc_fixture.h"
#include "tool_fixture.h"

#include "base/worker.h"
#include "tool/tool_set.h"
#include "tools/shell/screen_watch.h"
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
    assert_true(str_has_prefix(device, "/dev/"));
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
        assert_true(str_has_prefix(few, "1\n2\n"));
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

// ---- a screen ----

static void test_screen_watch(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *pieces[3];
        bool has_terminal, is_painting;
    } cases[] = {
        { "vim, nano", { "\x1b[?1000h\x1b[?1049h" }, true, true },
        { "in pieces", { "x\x1b[?10", "49h" }, true, true },
        { "top, less -X", { "\x1b[?1h\x1b=\x1b[H" }, true, true },
        { "more", { "line\r\n\x1b[7m--More--(5%)" }, true, true },
        { "given back", { "\x1b[?1049h", "…", "\x1b[?1049l" }, true, false },
        { "and taken once more", { "\x1b[?1049h", "\x1b[?1049l", "\x1b[?1049h" }, true, true },
        { "colours, a title, a progress bar",
          { "\x1b[31mred\x1b[0m\x1b]0;t\a", "\x1b[1;1H50%\r" },
          true,
          false },
        { "text about a terminal", { "Vim: Warning: Output is not to a terminal\n" }, true, false },
        { "vim without one", { "Vim: Warning: Output", " is not to a terminal\n" }, false, true },
        { "vim, later", { "ready\n", "Vim: Warning: Output is not to a terminal\n" }, false, true },
        { "a log about vim", { "see Vim: Warning: Output is not to a terminal\n" }, false, false },
        { "a recording", { "\x1b[?1049h" }, false, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ScreenWatch watch = { .has_terminal = cases[i].has_terminal };
        for (size_t k = 0; k < 3 && cases[i].pieces[k]; k++)
            screen_watch_take(&watch, cases[i].pieces[k], strlen(cases[i].pieces[k]));
        if ((watch.end_at > 0) != cases[i].is_painting)
            fail_msg("%s: %d", cases[i].name, watch.end_at > 0);
    }
}

static void test_screen(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(WITH_PTY, false);
    g_autofree char *text =
        text_of(fixture, "printf '\\033[?1049hmenu\\n'; sleep 600; echo not", true);
    assert_contains("kept", text, "menu\n");
    assert_contains("said", text, "[The program wants a screen and someone who types");
    assert_null(strstr(text, "not\n"));
    assert_null(strstr(text, "timed out"));
    g_autofree char *brief =
        text_of(fixture, "printf '\\033[?1049hmenu\\033[?1049l'; echo fine", false);
    assert_string_equal(brief, "menufine\n");
}

// ---- the parent of a shell ----

static char *run_plain(const ToolFixture *fixture, const char *command)
{
    g_autoptr(json_t) arguments = json_pack("{s:s}", "command", command);
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_bash, json_incref(arguments), &result);
    return tool_result_text(&result);
}

/* A model that ends the parent of its shell, or stops it, ends neither us nor the shell. */
static void test_parent(void **state G_GNUC_UNUSED)
{
#define NOTE "[The parent process of the shell was ended."
    g_autoptr(ToolFixture) fixture = tool_fixture_new(WITH_PTY, false);
    g_autofree char *own = g_strdup_printf("[ $PPID = %d ] || echo other", (int)getpid());
    g_autofree char *parent = run_plain(fixture, own);
    assert_text("the parent is not we", parent, "other\n");
    g_autofree char *on_terminal = text_of(fixture, own, false);
    assert_text("nor on a terminal", on_terminal, "other\n");
    g_autofree char *killed = run_plain(
        fixture, "x=kept; kill -9 $PPID; while ! grep -q '^State:.*Z' /proc/$PPID/status; do :; "
                 "done; echo on");
    assert_true(str_has_prefix(killed, "on\n"));
    assert_contains("said", killed, NOTE);
    g_autofree char *after = run_plain(fixture, "echo $x; kill -9 $PPID 2>/dev/null");
    assert_true(str_has_prefix(after, "kept\n") && !strstr(after, NOTE)); // once
    g_autofree char *ended = run_plain(fixture, "kill -9 $$");
    assert_contains("the shell itself", ended, "[The shell ended: ");
    g_autofree char *stopped = run_plain(fixture, "kill -STOP $PPID; exit 4");
    assert_contains("stopped", stopped, "[The shell ended: ");
    g_autofree char *apart = text_of(fixture, "kill -9 $PPID; sleep 600", true);
    assert_text("apart", apart, "(no output)\n\nCommand exited with code 137");
    g_autofree char *level = run_plain(fixture, "echo $SHLVL");
    const char *ours = g_getenv("SHLVL");
    g_autofree char *want =
        g_strdup_printf("%d\n", ours ? (int)g_ascii_strtoll(ours, NULL, 10) + 1 : 1);
    assert_text("no shell between is counted", level, want);
#undef NOTE
}

static void test_environment_is_whole(void **state G_GNUC_UNUSED)
{
    g_setenv("odd.name", "a b", TRUE);
    g_setenv("BASH_FUNC_greet%%", "() { echo hello; }", TRUE);
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *text = run_plain(fixture, "greet; env | grep odd; (exit 7)");
    g_unsetenv("odd.name");
    g_unsetenv("BASH_FUNC_greet%%");
    assert_true(str_has_prefix(text, "hello\nodd.name=a b\n"));
    assert_contains("its status", text, "code 7");
}

static void test_aliases(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_free(run_plain(fixture, "alias greet='echo hello' exit=false printf=false builtin=false "
                              "eval=false cd=false command=false"));
    g_autofree char *text = run_plain(fixture, "greet you; false");
    assert_text("an alias lives on", text, "hello you\n\n\nCommand exited with code 1");
    g_autofree char *more = run_plain(fixture, "unalias -a; echo $?; type greet || echo gone");
    assert_true(str_has_prefix(more, "0\n") && strstr(more, "gone\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),      cmocka_unit_test(test_apart),
        cmocka_unit_test(test_whole),        cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_cancel),       cmocka_unit_test(test_offered),
        cmocka_unit_test(test_screen_watch), cmocka_unit_test(test_screen),
        cmocka_unit_test(test_parent),       cmocka_unit_test(test_environment_is_whole),
        cmocka_unit_test(test_aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
