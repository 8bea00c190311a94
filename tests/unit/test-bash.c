/* The bash tool: what a command sees, what its result says, and what is left when it is over. */
#include "base/str.h"
#include "proc_fixture.h"
#include "url_fixture.h"

#include "base/path.h"
#include "base/timefmt.h"
#include "base/worker.h"
#include "tools/shell/bash_command.h"
#include "tools/tools.h"

#include <signal.h>
#include <sys/stat.h>

/* Arguments are JSON text. */
static ToolResult call_bash(const ToolFixture *fixture, const char *arguments, Cancel *cancel)
{
    g_autoptr(json_t) decoded = NULL;
    assert_true(json_parse_text(arguments, &decoded, NULL));
    const ToolCallSpec spec = {
        .tool = &tool_bash,
        .arguments = decoded,
        .context = fixture->context,
        .door = &agent_door,
        .cancel = cancel,
    };
    ToolResult result = { 0 };
    tool_call(&spec, &result);
    return result;
}

static char *text_of(const ToolFixture *fixture, const char *arguments, bool is_error)
{
    g_auto(ToolResult) result = call_bash(fixture, arguments, NULL);
    char *text = tool_result_text(&result);
    if (result.is_error != is_error)
        fail_msg("%s: %s: '%s'", arguments, is_error ? "no error" : "error", text);
    return text;
}

static char *file_text(const ToolFixture *fixture, const char *name)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    char *text = NULL;
    g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

static char *run_command(const ToolFixture *fixture, const char *command, bool is_error)
{
    g_autoptr(json_t) arguments = json_object();
    json_set_text(arguments, "command", command);
    g_autofree char *text = json_to_text(arguments);
    return text_of(fixture, text, is_error);
}

static void expect_text(const ToolFixture *fixture, const char *name, const char *arguments,
                        bool is_error, const char *want)
{
    g_autofree char *got = text_of(fixture, arguments, is_error);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, got, want);
}

static void test_results(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
        bool is_error;
    } cases[] = {
        { "output", "{\"command\":\"echo hi\"}", "hi\n", false },
        { "tools-T8: timeout as a string", "{\"command\":\"echo a\",\"timeout\":\"5\"}", "a\n",
          false },
        { "nothing printed", "{\"command\":\"true\"}", "(no output)", false },
        { "stderr in order", "{\"command\":\"echo a; echo b >&2; echo c\"}", "a\nb\nc\n", false },
        { "output and status", "{\"command\":\"echo a; (exit 3)\"}",
          "a\n\n\nCommand exited with code 3", true },
        { "not found", "{\"command\":\"no-such-command-here\"}",
          "bash: line 1: no-such-command-here: command not found\n\n\nCommand exited with code 127",
          true },
        { "line of an error", "{\"command\":\"true\\nno-such-command-here\\ntrue\"}",
          "bash: line 2: no-such-command-here: command not found\n", false },
        { "unclosed quote", "{\"command\":\"echo 'a\"}",
          "bash: eval: line 1: unexpected EOF while looking for matching `''\n\n\nCommand exited "
          "with "
          "code 2",
          true },
        { "quotes", "{\"command\":\"echo \\\"it's\\\" '$HOME'\"}", "it's $HOME\n", false },
        { "several lines", "{\"command\":\"cat <<E\\na b\\nE\\necho x # y\"}", "a b\nx\n", false },
        { "stdin is empty", "{\"command\":\"cat; read x || echo end\"}", "end\n", false },
        { "no terminal", "{\"command\":\"test -t 0 || (: </dev/tty) 2>&- || echo none\"}", "none\n",
          false },
        { "no descriptors of ours", "{\"command\":\"ls /proc/self/fd | wc -l\"}", "4\n", false },
        { "control sequences", "{\"command\":\"printf '\\\\033[31mred\\\\033[0m\\\\r\\\\n'\"}",
          "red\n", false },
        { "invalid UTF-8", "{\"command\":\"printf 'a\\\\377b'\"}",
          "a\xef\xbf\xbd"
          "b",
          false },
        { "unknown field", "{\"command\":\"true\",\"tty\":true}",
          "(no output)\n\n[Ignored unknown arguments: tty]", false },
        { "no terminal where none is offered",
          "{\"command\":\"test -t 1 || echo no\",\"pty\":true}",
          "no\n\n\n[There was no terminal: bash.virtualTerminal is off.]", false },
        { "tools-T62: env name", "{\"command\":\"true\",\"env\":{\"A-B\":\"1\"}}",
          "Invalid bash env name: A-B", true },
        { "tools-T65: timeout clamped", "{\"command\":\"echo a\",\"timeout\":99999}",
          "a\n\n\nTimeout clamped to 3600s (requested 99999s; allowed range 1-3600s).", false },
        { "timeout 0 is absent", "{\"command\":\"true\",\"timeout\":0}", "(no output)", false },
        { "negative timeout", "{\"command\":\"true\",\"timeout\":-1}",
          "(no output)\n\nTimeout clamped to 1s (requested -1s; allowed range 1-3600s).", false },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect_text(fixture, cases[i].name, cases[i].arguments, cases[i].is_error, cases[i].want);
}

/* Two calls each; the second sees what the first left behind. */
static void test_session(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *first, *second, *want;
        bool is_first_error;
    } cases[] = {
        { "tools-T57: variables stay, the directory does not", "FOO=1; cd /",
          "echo $FOO; [ $PWD = \"$(pwd -P)\" ] && basename $PWD", "1\nw\n", false },
        { "tools-T58: exit ends the shell, not the session", "exit 7", "echo ok", "ok\n", true },
        { "tools-T61: killed", "kill -9 $$", "echo ok", "ok\n", true },
        { "exec of a program", "exec true", "echo ok", "ok\n", false },
        { "functions and options", "f() { echo fn; }; set -f", "f; echo *", "fn\n*\n", false },
        { "arrays and exports", "declare -A m=([k]=v); export E=e", "echo ${m[k]}; sh -c 'echo $E'",
          "v\ne\n", false },
        { "aliases", "shopt -s expand_aliases; alias hi='echo alias'", "hi", "alias\n", false },
        { "errexit", "set -e; false", "echo ok", "ok\n", true },
        { "nounset", "set -u", "echo ok", "ok\n", false },
        { "trace", "set -x", "echo ok", "++ command eval 'echo ok'\n+++ echo ok\nok\n", false },
        { "output redirected for good", "exec >/dev/null 2>&1", "echo ok", "ok\n", false },
        { "input and descriptors closed", "exec <&- 3>&- 4>&- 5>&-", "echo ok", "ok\n", false },
        { "our words taken",
          "eval() { echo no; }; cd() { echo no; }; printf() { echo no; }; read() { :; }", "echo ok",
          "ok\n", false },
        { "aliases for our words", "shopt -s expand_aliases; alias eval=no cd=no printf=no read=no",
          "echo ok", "ok\n", false },
        { "break", "break", "echo ok", "ok\n", false },
        { "continue", "continue 9", "echo ok", "ok\n", false },
        { "return", "return 3", "echo ok", "ok\n", true },
        { "last status is not ours to keep", "true", "echo ok", "ok\n", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autoptr(json_t) arguments = json_object();
        json_set_text(arguments, "command", cases[i].first);
        g_autofree char *text = json_to_text(arguments);
        g_auto(ToolResult) result = call_bash(fixture, text, NULL);
        if (cases[i].want && result.is_error != cases[i].is_first_error)
            fail_msg("%s: first call", cases[i].name);
        g_autofree char *got = run_command(fixture, cases[i].second, false);
        if (cases[i].want ? strcmp(got, cases[i].want) != 0 : !g_str_has_suffix(got, "ok\n"))
            fail_msg("%s: got '%s'", cases[i].name, got);
    }
}

#define SHELL_ENDED "The shell ended: variables, functions and options of earlier calls are gone."

static void test_exit_texts(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    expect_text(fixture, "tools-T58", "{\"command\":\"exit 7\"}", true,
                "(no output)\n\nCommand exited with code 7\n\n[" SHELL_ENDED "]");
    expect_text(fixture, "tools-T61", "{\"command\":\"echo a; kill -9 $$\"}", true,
                "a\n\n\nCommand exited with code 137\n\n[" SHELL_ENDED "]");
    expect_text(fixture, "exit with a background child", "{\"command\":\"sleep 60 & exit 3\"}",
                true,
                "(no output)\n\nCommand exited with code 3\n\n[" SHELL_ENDED
                " Background processes that still run: 1.]");
}

/* tools-T169: what runs in the background survives the end of its shell, not of the conversation.
 */
static void test_exit_keeps_background_processes(void **state G_GNUC_UNUSED)
{
    ToolFixture *fixture = tool_fixture_new(NULL, false);
    g_autofree char *started = run_command(fixture, "X=1; sleep 60 & echo $!", false);
    pid_t pid = (pid_t)g_ascii_strtoll(started, NULL, 10);
    g_autofree char *ended = run_command(fixture, "exit 3", true);
    assert_contains("tools-T169", ended, "Background processes that still run: 1.]");
    g_autofree char *command = g_strdup_printf("kill -0 %d; echo \"[$X]\"", (int)pid);
    g_autofree char *there = run_command(fixture, command, false);
    assert_string_equal(there, "[]\n");
    // what it prints goes nowhere, and does not end it
    g_autofree char *noisy =
        run_command(fixture, "(while :; do echo tick; sleep 0.01; done) & exit 0", false);
    assert_contains("tools-T169: another", noisy, "Background processes that still run: ");
    g_autofree char *quiet = run_command(fixture, "echo ok", false);
    assert_string_equal(quiet, "ok\n");
    tool_fixture_free(fixture);
    assert_true(is_dead(pid));
}

static void test_env(void **state G_GNUC_UNUSED)
{
    g_setenv("ANTHROPIC_API_KEY", "secret", TRUE);
    g_setenv("HF_TOKEN", "passed", TRUE);
    g_autoptr(ToolFixture) fixture = tool_fixture_new("{\"env\":{\"pass\":[\"HF_TOKEN\"]}}", false);
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "tools-T67", "{\"command\":\"echo $PAGER $TERM $CI\"}", "cat dumb 1\n" },
        { "no credentials", "{\"command\":\"echo [$ANTHROPIC_API_KEY] $HF_TOKEN\"}",
          "[] passed\n" },
        { "tools-T62: in this call",
          "{\"command\":\"echo [$X]; sh -c 'echo $X'\",\"env\":{\"X\":\"1\"}}", "[1]\n1\n" },
        { "tools-T62: not in the next", "{\"command\":\"echo [$X]\"}", "[]\n" },
        { "set X", "{\"command\":\"X=old; echo\"}", "\n" },
        { "overrides",
          "{\"command\":\"echo $X; X=changed\",\"env\":{\"X\":\"it's \\\"new\\\"\\n\"}}",
          "it's \"new\"\n" },
        { "and is put back, not exported", "{\"command\":\"echo $X; sh -c 'echo [$X]'\"}",
          "old\n[]\n" },
        { "overrides the quiet set",
          "{\"command\":\"sh -c 'echo $PAGER'\",\"env\":{\"PAGER\":\"less\"}}", "less\n" },
        { "PATH of the call", "{\"command\":\"ls\",\"env\":{\"PATH\":\"bin:/bin:/usr/bin\"}}",
          "mine\n" },
        { "PATH afterwards", "{\"command\":\"ls bin\"}", "ls\n" },
    };
    tool_fixture_put(fixture, "bin/ls", "#!/bin/sh\necho mine\n");
    g_autofree char *program = g_build_filename(fixture->cwd, "bin", "ls", NULL);
    assert_int_equal(chmod(program, 0700), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect_text(fixture, cases[i].name, cases[i].arguments, false, cases[i].want);
    g_unsetenv("ANTHROPIC_API_KEY");
    g_unsetenv("HF_TOKEN");
}

static void test_cwd(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "sub dir/file", "");
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "cwd", "{\"command\":\"basename \\\"$PWD\\\"\",\"cwd\":\"sub dir\"}", "sub dir\n" },
        { "tools-T64: cd prefix", "{\"command\":\"cd 'sub dir' && pwd\"}", "sub dir\n" },
        { "blank escaped", "{\"command\":\"cd sub\\\\ dir && pwd\"}", "sub dir\n" },
        { "the shell's own", "{\"command\":\"D='sub dir'; cd \\\"$D\\\" && pwd\"}", "sub dir\n" },
        { "a list is no directory", "{\"command\":\"cd 'sub dir'; true && pwd\"}", "sub dir\n" },
        { "the root is no workspace", "{\"command\":\"cd / && echo \\\"at $PWD\\\"\"}", "at /\n" },
        { "with cwd given", "{\"command\":\"cd .. && pwd\",\"cwd\":\"sub dir\"}", "/w\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = text_of(fixture, cases[i].arguments, false);
        if (!g_str_has_suffix(got, cases[i].want))
            fail_msg("%s: got '%s'", cases[i].name, got);
    }
    g_autofree char *missing =
        g_strdup_printf("Working directory does not exist: %s/no", fixture->cwd);
    expect_text(fixture, "tools-T64: missing", "{\"command\":\"pwd\",\"cwd\":\"no\"}", true,
                missing);
    expect_text(fixture, "missing in a prefix", "{\"command\":\"cd no && pwd\"}", true, missing);
    g_autofree char *file =
        g_strdup_printf("Working directory is not a directory: %s/sub dir/file", fixture->cwd);
    expect_text(fixture, "a file", "{\"command\":\"pwd\",\"cwd\":\"sub dir/file\"}", true, file);
}

static void test_details(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new("{\"tools\":{\"maxTimeout\":600}}", false);
    g_auto(ToolResult) plain = call_bash(fixture, "{\"command\":\"true\"}", NULL);
    g_autofree char *details = json_to_text(plain.details);
    assert_string_equal(details, "{\"timeoutSeconds\":300}");
    g_auto(ToolResult) clamped =
        call_bash(fixture, "{\"command\":\"true\",\"timeout\":1000.5}", NULL);
    g_autofree char *more = json_to_text(clamped.details);
    assert_string_equal(more, "{\"timeoutSeconds\":600,\"requestedTimeoutSeconds\":1000.5}");
    g_autofree char *text = tool_result_text(&clamped);
    assert_string_equal(text, "(no output)\n\nTimeout clamped to 600s (requested 1000.5s; allowed "
                              "range 1-600s).");
}

/* More than a pipe holds, and more than one argument of a program may be. */
static void test_long_command(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *body = g_strnfill(300 * 1000, 'x');
    g_autofree char *command = g_strconcat("wc -c <<E\n", body, "\nE", NULL);
    g_autofree char *text = run_command(fixture, command, false);
    assert_string_equal(text, "300001\n");
}

static void test_long_output(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = url_fixture_new(NULL, true);
    g_autofree char *text = run_command(fixture, "seq 1 20000", false);
    static const char notice[] =
        "\n20000\n\n\n[Showing lines 11467-20001 of 20001 (50.0KB limit). Read "
        "artifact://0 for full output]";
    if (!g_str_has_suffix(text, notice))
        fail_msg("tools-T18: ends with '%s'", text + strlen(text) - 120);
    g_autofree char *path = g_build_filename(fixture->root, "session", "0.bash.log", NULL);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 108894);

    g_autofree char *used = run_command(fixture, "tail -n 1 artifact://0", false);
    assert_string_equal(used, "20000\n");
    g_autofree char *unknown = run_command(fixture, "cat artifact://9", true);
    if (!str_has_prefix(unknown,
                        "Failed to resolve artifact:// URL in bash command: artifact://9\n"))
        fail_msg("unknown artifact: '%s'", unknown);

    g_autofree char *failed = run_command(fixture, "seq 1 20000; exit 4", true);
    if (!g_str_has_suffix(failed, "\n\nCommand exited with code 4\n\n[Showing lines 11467-20001 of "
                                  "20001 (50.0KB limit). Read artifact://1 for full output]\n"
                                  "[" SHELL_ENDED "]"))
        fail_msg("an error keeps its notice: '%s'", failed + strlen(failed) - 160);
}

static void test_long_output_without_session(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *text = run_command(fixture, "seq 1 20000", false);
    if (!g_str_has_suffix(text, "[Showing lines 11467-20001 of 20001 (50.0KB limit)]") ||
        strstr(text, "artifact://"))
        fail_msg("tools-T20: ends with '%s'", text + strlen(text) - 120);
    assert_true(strlen(text) < 51200 + 200);
}

static void test_timeout(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    expect_text(fixture, "tools-T59",
                "{\"command\":\"echo $$ >pid; echo a; sleep 60\",\"timeout\":1}", true,
                "[Command timed out after 1 seconds]\na\n");
    assert_true(is_dead(written_pid(fixture->cwd, "pid")));
    expect_text(fixture, "tools-T59: the next call", "{\"command\":\"echo ok\"}", false, "ok\n");
    expect_text(fixture, "stopped", "{\"command\":\"kill -STOP $$\",\"timeout\":1}", true,
                "[Command timed out after 1 seconds]\n");
}

static void test_background(void **state G_GNUC_UNUSED)
{
    pid_t child;
    {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        int64_t start = time_monotonic_ms();
        g_autofree char *text = run_command(fixture, "sleep 60 & echo $! >pid; echo hi", false);
        assert_string_equal(text, "hi\n"); // tools-T60
        assert_true(time_monotonic_ms() - start < 30 * 1000);
        child = written_pid(fixture->cwd, "pid");

        g_autofree char *alive = run_command(fixture, "kill -0 $(cat pid) && echo alive", false);
        assert_string_equal(alive, "alive\n");
        g_autofree char *daemon = run_command(fixture, "(setsid sleep 1 &)", false);
        assert_string_equal(daemon, "(no output)");
    }
    assert_true(is_dead(child)); // with the context

    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *late = run_command(fixture, "(sleep 0.2; echo late) & echo a", false);
    assert_string_equal(late, "a\n");
    g_autofree char *gone G_GNUC_UNUSED = run_command(fixture, "wait; sleep 0.1", false);
    g_autofree char *next = run_command(fixture, "echo b", false);
    assert_string_equal(next, "b\n");
    g_autofree char *tee = run_command(fixture, "echo c > >(cat)", false);
    assert_string_equal(tee, "c\n");
}

static void fire_soon(void *data)
{
    g_usleep(300 * 1000);
    cancel_fire(data);
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Worker *worker = worker_start("fire", fire_soon, cancel);
    g_auto(ToolResult) result =
        call_bash(fixture, "{\"command\":\"echo $$ >pid; echo a; sleep 60\"}", cancel);
    worker_join(worker);
    g_autofree char *text = tool_result_text(&result);
    assert_string_equal(text, "[Command cancelled]\na\n");
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    assert_true(is_dead(written_pid(fixture->cwd, "pid")));

    // a token that has fired runs nothing
    g_auto(ToolResult) nothing = call_bash(fixture, "{\"command\":\"touch made\"}", cancel);
    assert_int_equal(nothing.failure, KEDGE_ERROR_CANCELLED);
    g_autofree char *made = file_text(fixture, "made");
    assert_null(made);
    expect_text(fixture, "the next call", "{\"command\":\"echo ok\"}", false, "ok\n");
}

static void test_cancel_long_output(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Worker *worker = worker_start("fire", fire_soon, cancel);
    g_auto(ToolResult) result =
        call_bash(fixture, "{\"command\":\"while :; do seq 1 20000; done\"}", cancel);
    worker_join(worker);
    g_autofree char *text = tool_result_text(&result);
    assert_true(str_has_prefix(text, "[Command cancelled]\n"));
    assert_non_null(strstr(text, "Read artifact://0 for full output]"));
    assert_true(strlen(text) < 25000);
}

typedef struct Parallel {
    const ToolFixture *fixture;
    char *text;
} Parallel;

static void run_parallel(void *data)
{
    Parallel *self = data;
    self->text = run_command(
        self->fixture, "A=1; touch started; while [ ! -e done ]; do sleep 0.02; done; echo one",
        false);
}

static void test_two_at_once(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    Parallel first = { .fixture = fixture };
    Worker *worker = worker_start("first", run_parallel, &first);
    for (int i = 0; i < 1000; i++) {
        g_autofree char *started = file_text(fixture, "started");
        if (started)
            break;
        g_usleep(5 * 1000);
    }
    expect_text(fixture, "a shell of its own",
                "{\"command\":\"echo [$A] $X; touch done\",\"env\":{\"X\":\"x\"}}", false,
                "[] x\n\n\n[The conversation's shell is busy with another command: this one ran in "
                "a shell of its own, without the variables and functions of earlier calls.]");
    worker_join(worker);
    assert_string_equal(first.text, "one\n");
    g_free(first.text);
}

static void count_update(const char *text, const json_t *details G_GNUC_UNUSED, void *user_data)
{
    GString *last = user_data;
    g_string_assign(last, text);
}

static void test_progress(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(GString) last = g_string_new(NULL);
    g_autoptr(json_t) arguments = json_object();
    // the second line comes right after the first, and must be shown although nothing follows
    json_set_text(arguments, "command", "echo one; echo two; sleep 0.5");
    const ToolCallSpec spec = {
        .tool = &tool_bash,
        .arguments = arguments,
        .context = fixture->context,
        .door = &agent_door,
        .on_update = count_update,
        .user_data = last,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    assert_string_equal(last->str, "one\ntwo\n");
}

static void test_intercept(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command, *tool; // tool NULL: let through
    } cases[] = {
        { "cat a.txt", "read" },       { "cd sub && head -5 x", "read" },
        { "grep foo x", "grep" },      { "echo a | grep a", NULL },
        { "find . -name x", "find" },  { "find .", NULL },
        { "sed -i s/a/b/ x", "edit" }, { "sed s/a/b/ x", NULL },
        { "perl -pi -e 1 x", "edit" }, { "awk -i inplace 1 x", "edit" },
        { "echo a > x", "write" },     { "echo a", NULL },
    };
    g_autoptr(json_t) on = NULL;
    assert_true(json_parse_text("{\"bashInterceptor\":{\"enabled\":true}}", &on, NULL));
    g_autoptr(Settings) settings = settings_new(on);
    g_autoptr(Settings) off = settings_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *dir = NULL;
        g_autofree char *rest = NULL;
        bash_split_cd(cases[i].command, &dir, &rest);
        g_autoptr(GError) error = NULL;
        bool is_free = bash_check_intercept(settings, cases[i].command,
                                            rest ? rest : cases[i].command, &error);
        g_autofree char *want =
            g_strdup_printf("Blocked: Use the `%s` tool", cases[i].tool ? cases[i].tool : "");
        if (is_free != (cases[i].tool == NULL) || (error && !str_has_prefix(error->message, want)))
            fail_msg("%s: %s", cases[i].command, error ? error->message : "let through");
        assert_true(bash_check_intercept(off, cases[i].command, cases[i].command, NULL));
    }

    static const ToolHook *const hooks[] = { &bash_interceptor, NULL };
    g_autoptr(ToolFixture) fixture =
        tool_fixture_new("{\"bashInterceptor\":{\"enabled\":true}}", false);
    tool_context_add_hooks(fixture->context, hooks);
    expect_text(
        fixture, "tools-T63", "{\"command\":\"cat a.txt\"}", true,
        "Blocked: Use the `read` tool instead of cat/head/tail. It provides better context and "
        "handles binary files.\n\nOriginal command: cat a.txt");
    g_autoptr(ToolFixture) own = tool_fixture_new(
        "{\"grep\":{\"enabled\":false},\"bashInterceptor\":{\"enabled\":true,\"patterns\":["
        "{\"pattern\":\"(\",\"tool\":\"read\",\"message\":\"bad\"},"
        "{\"pattern\":\"^echo\",\"tool\":\"grep\",\"message\":\"not offered\"},"
        "{\"pattern\":\"^TRUE\",\"flags\":\"i\",\"tool\":\"read\",\"message\":\"no\"}]}}",
        false);
    tool_context_add_hooks(own->context, hooks);
    expect_text(own, "own rules", "{\"command\":\"true\"}", true,
                "Blocked: no\n\nOriginal command: true");
    expect_text(own, "a tool that is not offered", "{\"command\":\"echo a\"}", false, "a\n");
}

static void test_shell_path(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) missing = tool_fixture_new("{\"shellPath\":\"/no/such/shell\"}", false);
    g_autofree char *text = run_command(missing, "true", true);
    if (!str_has_prefix(text,
                        "Custom shell path not found: /no/such/shell\nPlease update shellPath in "))
        fail_msg("missing: '%s'", text);

    g_autoptr(ToolFixture) broken = tool_fixture_new("{\"shellPath\":\"/bin/false\"}", false);
    expect_text(broken, "no shell at all", "{\"command\":\"true\"}", true,
                "cannot start /bin/false: it exited with code 1");

    g_autoptr(ToolFixture) posix = tool_fixture_new("{\"shellPath\":\"/bin/sh\"}", false);
    expect_text(posix, "sh",
                "{\"command\":\"A=1; echo $X; exec >/dev/null\",\"env\":{\"X\":\"x\"}}", false,
                "x\n");
    expect_text(posix, "sh keeps variables", "{\"command\":\"echo $A [$X]; (exit 3)\"}", true,
                "1 []\n\n\nCommand exited with code 3");
    expect_text(posix, "sh restarts", "{\"command\":\"exit 4\"}", true,
                "(no output)\n\nCommand exited with code 4\n\n[" SHELL_ENDED "]");
    expect_text(posix, "sh starts anew", "{\"command\":\"echo [$A]\"}", false, "[]\n");
}

/* HOME with an rc file: its definitions are there, its output and its whims are not. */
static void test_snapshot(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *old_home = g_strdup(g_getenv("HOME"));
    g_setenv("HOME", fixture->cwd, TRUE);
    g_setenv("TMPDIR", fixture->root, TRUE);
    g_setenv("SHELL", "/bin/bash", TRUE);
    tool_fixture_put(
        fixture, ".bashrc",
        "echo noise\ngreet() { echo \"hello $1\"; }\n_private() { :; }\nls() { echo no; }\n"
        "alias hi='greet \"it'\\''s\"'\nalias cat='echo no'\nshopt -s globstar\n"
        "PATH=\"$PATH:/it's here\"\nread line\nset -o noclobber\n");
    expect_text(
        fixture, "from the rc file",
        "{\"command\":\"hi; greet b; type -t _private ls cat; shopt globstar; echo ${PATH##*:}; "
        "set -o | grep noclobber\"}",
        false,
        "hello it's\nhello b\nfile\nfile\nglobstar       \ton\n/it's here\nnoclobber      \ton\n");
    expect_text(fixture, "another shell", "{\"command\":\"exit 1\"}", true,
                "(no output)\n\nCommand exited with code 1\n\n[" SHELL_ENDED "]");
    expect_text(fixture, "has them too", "{\"command\":\"hi\"}", false, "hello it's\n");
    g_autofree char *dir = g_build_filename(fixture->root, "kedge-shell-snapshots", NULL);
    g_autoptr(GDir) left = g_dir_open(dir, 0, NULL);
    assert_non_null(left);
    assert_null(g_dir_read_name(left)); // removed as soon as it is read

    g_setenv("HOME", old_home, TRUE);
    g_unsetenv("TMPDIR");
}

static int set_up(void **state G_GNUC_UNUSED)
{
    signal(SIGPIPE, SIG_IGN); // as main() does
    g_unsetenv("KEDGE_SHELL_PREFIX");
    g_unsetenv("CLAUDE_CODE_SHELL_PREFIX");
    g_setenv("HOME", "/nonexistent", TRUE); // no rc file, so no snapshot
    g_setenv("SHELL", "/bin/bash", TRUE);
    g_setenv("LC_ALL", "C.UTF-8", TRUE);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),      cmocka_unit_test(test_session),
        cmocka_unit_test(test_exit_texts),   cmocka_unit_test(test_exit_keeps_background_processes),
        cmocka_unit_test(test_env),          cmocka_unit_test(test_cwd),
        cmocka_unit_test(test_long_command), cmocka_unit_test(test_details),
        cmocka_unit_test(test_long_output),  cmocka_unit_test(test_long_output_without_session),
        cmocka_unit_test(test_timeout),      cmocka_unit_test(test_background),
        cmocka_unit_test(test_cancel),       cmocka_unit_test(test_cancel_long_output),
        cmocka_unit_test(test_two_at_once),  cmocka_unit_test(test_progress),
        cmocka_unit_test(test_intercept),    cmocka_unit_test(test_shell_path),
        cmocka_unit_test(test_snapshot),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
