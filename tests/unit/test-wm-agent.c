/*
 * An agent program is run and watched, whatever it does (task-engine §5.9 to §5.11, §5.14). This
 * program plays the agent of engine `kedge` itself: main(). Rows: task-R05, task-R07, task-R08,
 * task-R10, task-R25, task-R28, task-R31, task-S06.
 */
#include "base/str.h"
#include "proc_fixture.h"
#include "wm_fixture.h"

#include "base/log.h"
#include "base/secrets.h"
#include "wm/engine/engine.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define LONG_MS (60 * 1000)

static GString *shown; // what people saw
static Cancel *fires_when_shown;

static void take_shown(const char *line)
{
    g_string_append_printf(shown, "%s\n", line);
    if (fires_when_shown && strstr(line, "ready"))
        cancel_fire(fires_when_shown);
}

typedef struct Play {
    WmFixture fixture;
    WmAgentSpec spec;
    WmAgentResult result;
    bool is_started;
    char *error;
} Play;

/* An agent that is a shell script, as WM_AGENT_CMD. */
static Play play_begin(const char *script)
{
    Play play = { .fixture = wm_fixture_new(NULL, "a: 1", "b") };
    if (script) {
        wm_fixture_write(&play.fixture, "agent.sh", script, 0644);
        g_setenv("WM_AGENT_CMD", "/bin/sh agent.sh", TRUE);
    }
    play.spec = (WmAgentSpec) {
        .task = play.fixture.task,
        .engine = WM_ENGINE_CUSTOM,
        .prompt = "the prompt",
        .run_dir = play.fixture.run_dir,
        .run_id = "fix-1",
        .grace_ms = 200,
    };
    g_string_truncate(shown, 0);
    return play;
}

static void play_run(Play *self, Cancel *cancel)
{
    GError *error = NULL;
    self->spec.project = &self->fixture.project;
    self->is_started = wm_agent_run(&self->spec, cancel, &self->result, &error);
    assert_true(self->is_started == (error == NULL));
    self->error = error ? g_strdup(error->message) : NULL;
    g_clear_error(&error);
}

static void play_end(Play *self)
{
    wm_agent_result_clear(&self->result);
    wm_fixture_end(&self->fixture);
    g_free(self->error);
    g_unsetenv("WM_AGENT_CMD");
}

static char *log_of(const Play *self, const char *name)
{
    g_autofree char *path = g_build_filename(".wm/runs/fix-1", name, NULL);
    return wm_fixture_read(&self->fixture, path);
}

static void test_ends(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *script, *tail, *error;
        int exit_code;
    } cases[] = {
        { "success", "echo \"$1\"; echo err >&2", "the prompt\nerr\n", NULL, 0 },
        { "a status", "exit 3", "", "agent: exit status 3", 3 },
        { "a signal", "kill -TERM $$", "", "agent: signal: terminated", -1 },
        { "no line end, no text", "printf 'a\\377\\000b'",
          "a\xef\xbf\xbd\xef\xbf\xbd"
          "b",
          NULL, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Play play = play_begin(cases[i].script);
        play_run(&play, NULL);
        const WmAgentResult *got = &play.result;
        if (!play.is_started || strcmp(got->tail, cases[i].tail) != 0 ||
            g_strcmp0(got->error_text, cases[i].error) != 0 ||
            got->exit_code != cases[i].exit_code || got->is_success == (cases[i].error != NULL))
            fail_msg("%s: '%s', %s, %d", cases[i].name, got->tail, got->error_text, got->exit_code);
        assert_false(got->has_timed_out || got->was_interrupted);
        assert_true(g_str_has_suffix(got->log_path, "/agent-stdout.log"));
        play_end(&play);
    }
}

static void test_does_not_start(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command, *error;
    } cases[] = {
        { "no-such-agent", "agent: exec: \"no-such-agent\": executable file not found in $PATH" },
        { "./no-such-agent", "agent: program not found: ./no-such-agent" },
        { "{prompt}", "WM_AGENT_CMD: missing executable before {prompt}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Play play = play_begin(NULL);
        g_setenv("WM_AGENT_CMD", cases[i].command, TRUE);
        play_run(&play, NULL);
        assert_false(play.is_started || play.result.is_success);
        assert_string_equal(play.error, cases[i].error);
        assert_string_equal(play.result.error_text, cases[i].error);
        assert_int_equal(play.result.exit_code, -1);
        play_end(&play);
    }
}

/* Escapes and commands are in the log only, as they came; people see clean lines. */
static void test_raw_log_clean_screen(void **state G_GNUC_UNUSED)
{
    Play play = play_begin("printf '\\033[2J\\033]0;x\\007::error::y\\nhalf a line'");
    play_run(&play, NULL);
    g_autofree char *log = log_of(&play, "agent-stdout.log");
    assert_string_equal(log, "\x1b[2J\x1b]0;x\x07::error::y\nhalf a line");
    assert_string_equal(shown->str, "::error::y\nhalf a line\n");
    play_end(&play);
}

/* task-S06 */
static void test_stop_commands(void **state G_GNUC_UNUSED)
{
    g_setenv("GITHUB_ACTIONS", "true", TRUE);
    g_autofree char *first = NULL;
    for (unsigned i = 0; i < 2; i++) {
        Play play = play_begin("echo '::set-output name=a::b'");
        play_run(&play, NULL);
        g_auto(GStrv) lines = g_strsplit(shown->str, "\n", -1);
        assert_int_equal(g_strv_length(lines), 4);
        assert_true(str_has_prefix(lines[0], "::stop-commands::"));
        const char *token = lines[0] + strlen("::stop-commands::");
        g_autofree char *end = g_strdup_printf("::%s::", token);
        assert_int_equal(strspn(token, "0123456789abcdef"), 32);
        assert_string_equal(lines[1], "::set-output name=a::b");
        assert_string_equal(lines[2], end);
        assert_true(g_strcmp0(token, first) != 0);
        g_free(first);
        first = g_strdup(token);
        play_end(&play);
    }
    g_unsetenv("GITHUB_ACTIONS");
}

/* The runner's command files: where they are an agent finds out all the same. */
static void test_command_files(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *script, *left;
        bool is_said;
    } cases[] = {
        { "exit 0", "before\n", false },
        { "echo PATH=/evil >>command-file", "before\n", true },
        { ": >command-file", "before\n", true },
        { "rm command-file", "before\n", true },
        { "rm command-file; ln -s other command-file", "before\n", true },
        { "head -c 3000000 /dev/zero >command-file", "before\n", true },
    };
    g_setenv("GITHUB_ACTIONS", "true", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Play play = play_begin(cases[i].script);
        wm_fixture_write(&play.fixture, "command-file", "before\n", 0644);
        wm_fixture_write(&play.fixture, "other", "mine", 0644);
        g_autofree char *path = wm_fixture_path(&play.fixture, "command-file");
        g_setenv("GITHUB_ENV", path, TRUE);
        play_run(&play, NULL);
        g_autofree char *left = wm_fixture_read(&play.fixture, "command-file");
        g_autofree char *other = wm_fixture_read(&play.fixture, "other");
        bool is_said = strstr(shown->str, "is taken back file=GITHUB_ENV") != NULL;
        if (strcmp(left, cases[i].left) != 0 || is_said != cases[i].is_said)
            fail_msg("%s: '%s', %s", cases[i].script, left, shown->str);
        assert_string_equal(other, "mine");
        play_end(&play);
    }
    g_unsetenv("GITHUB_ENV");
    g_unsetenv("GITHUB_ACTIONS");
}

/* task-R10 */
static void test_tail(void **state G_GNUC_UNUSED)
{
    Play play = play_begin("head -c 204800 /dev/zero | tr '\\0' x; printf end");
    play.spec.is_quiet = true;
    play_run(&play, NULL);
    assert_int_equal(strlen(play.result.tail), 65536);
    assert_true(g_str_has_suffix(play.result.tail, "xxend"));
    assert_int_equal(play.result.log_bytes, 204803);
    assert_string_equal(shown->str, "");
    play_end(&play);
}

/* The key that it needs is not in what a run keeps; the log, too, is uploaded. */
static void test_secrets_leave(void **state G_GNUC_UNUSED)
{
    g_setenv("OPENAI_API_KEY", "sk-a-key-of-the-model", TRUE);
    Play play = play_begin("printf 'key %.6s' $OPENAI_API_KEY; sleep 0.1; "
                           "echo \"$OPENAI_API_KEY\" | cut -c 7-");
    play_run(&play, NULL);
    assert_string_equal(play.result.tail, "key [REDACTED]\n");
    assert_string_equal(shown->str, "key [REDACTED]\n");
    g_autofree char *log = log_of(&play, "agent-stdout.log");
    assert_string_equal(log, "key [REDACTED]\n");
    play_end(&play);
}

/* It would print for ever; what is more than 64 MiB is nowhere. */
static void test_endless_output(void **state G_GNUC_UNUSED)
{
    Play play =
        play_begin("trap '' TERM; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    play.spec.is_quiet = true;
    play_run(&play, NULL);
    assert_true(play.is_started && !play.result.is_success && !play.result.has_timed_out);
    assert_string_equal(play.result.error_text,
                        "agent output exceeds maximum size (12582912 bytes)");
    assert_true(play.result.log_bytes > 64 * 1024 * 1024);
    g_autofree char *log = log_of(&play, "agent-stdout.log");
    assert_int_equal(strlen(log), 64 * 1024 * 1024);
    play_end(&play);
}

static void check_group_is_gone(Play *play)
{
    assert_true(is_dead(written_pid(play->fixture.root, "child")));
    assert_true(is_dead(written_pid(play->fixture.root, "grandchild")));
}

#define FAMILY                                                                                     \
    "echo $$ >child; sh -c 'trap \"echo term >told; exit\" TERM; echo $$ >grandchild; "            \
    "echo ready; while :; do sleep 0.05; done' & "

/* task-R07: a grandchild is told, too. It must have begun before the time is over, which nobody
   can know of a busy machine. */
static void test_late(void **state G_GNUC_UNUSED)
{
    bool has_begun = false;
    for (int64_t time_ms = 1000; !has_begun && time_ms <= LONG_MS; time_ms *= 4) {
        Play play = play_begin(FAMILY "wait");
        play.spec.grace_ms = LONG_MS;
        g_autoptr(Cancel) cancel = cancel_new_timed(NULL, time_ms);
        play_run(&play, cancel);
        assert_true(play.result.has_timed_out && !play.result.was_interrupted);
        assert_false(play.result.is_success);
        assert_string_equal(play.result.error_text, "agent timed out (context deadline exceeded)");
        has_begun = strstr(shown->str, "ready") != NULL;
        if (has_begun) {
            g_autofree char *told = wm_fixture_read(&play.fixture, "told");
            assert_string_equal(told, "term\n");
            check_group_is_gone(&play);
        }
        play_end(&play);
    }
    assert_true(has_begun);
}

/* task-R08, and what a person stops. */
static void test_ignores_sigterm(void **state G_GNUC_UNUSED)
{
    Play play = play_begin("trap '' TERM; echo $$ >child; sh -c 'trap \"\" TERM; echo $$ "
                           ">grandchild; echo ready; sleep 300; sleep 300' & "
                           "while :; do sleep 300; done");
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    fires_when_shown = cancel;
    play_run(&play, cancel);
    fires_when_shown = NULL;
    assert_true(play.result.was_interrupted && !play.result.has_timed_out);
    assert_string_equal(play.result.error_text, "interrupted by signal");
    assert_int_equal(play.result.exit_code, -1);
    assert_string_equal(play.result.tail, "ready\n");
    check_group_is_gone(&play);
    play_end(&play);
}

/* Its deadline came before it was started. */
static void test_late_before_it_starts(void **state G_GNUC_UNUSED)
{
    Play play = play_begin("echo x >started");
    g_autoptr(Cancel) cancel = cancel_new_timed(NULL, 0);
    play_run(&play, cancel);
    assert_false(play.is_started);
    assert_true(play.result.has_timed_out);
    assert_string_equal(play.error, "agent timed out (context deadline exceeded)");
    g_autofree char *started = wm_fixture_read(&play.fixture, "started");
    assert_null(started);
    play_end(&play);
}

/* What has left the agent's group ends with it, also when it minds no SIGTERM. */
static void test_daemon(void **state G_GNUC_UNUSED)
{
    Play play =
        play_begin("setsid sh -c 'trap \"\" TERM; echo $$ >far; exec >/dev/null 2>&1; "
                   "while :; do sleep 0.1; done' & while [ ! -s far ]; do sleep 0.02; done");
    play_run(&play, NULL);
    assert_true(play.result.is_success);
    assert_true(is_dead(written_pid(play.fixture.root, "far")));
    play_end(&play);
}

/* A process of another session that holds the pipe does not hold the run, though it cannot be found
   by what it was started with. */
static void test_pipe_is_held(void **state G_GNUC_UNUSED)
{
    Play play = play_begin("setsid env -i PATH=\"$PATH\" sh -c 'echo $$ >far; exec sleep 300' & "
                           "while [ ! -s far ]; do sleep 0.02; done; echo done");
    play_run(&play, NULL);
    assert_true(play.result.is_success);
    assert_string_equal(play.result.tail, "done\n");
    pid_t far = written_pid(play.fixture.root, "far");
    assert_int_equal(kill(far, SIGKILL), 0); // it was alive
    play_end(&play);
}

/* task-R25: neither gh nor kedge is installed, yet both are there. */
static void test_shims(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    Play play = play_begin("PATH=${PATH%%:*}:/nowhere\ngh-wm emit noop\ngh wm emit noop\n"
                           "kedge wm emit noop\n");
    play_run(&play, NULL);
    // this program as kedge: main()
    assert_string_equal(play.result.tail,
                        "gh-wm: emit noop\ngh-wm: emit noop\nkedge: wm emit noop\n");
    play_end(&play);

    Play none = play_begin("gh pr list; echo $?");
    g_autofree char *empty = wm_fixture_path(&none.fixture, "empty");
    g_setenv("PATH", empty, TRUE);
    play_run(&none, NULL);
    g_setenv("PATH", path, TRUE);
    assert_string_equal(none.result.tail, "gh: command not found\n127\n");
    play_end(&none);

    Play again = play_begin("gh pr 'a b'; gh wm x");
    wm_fixture_write(&again.fixture, "tools/gh", "#!/bin/sh\necho real \"$@\"\n", 0755);
    g_autofree char *whole = g_strdup_printf("%s/tools:%s", again.fixture.root, path);
    g_setenv("PATH", whole, TRUE);
    play_run(&again, NULL);
    g_setenv("PATH", path, TRUE);
    assert_string_equal(again.result.tail, "real pr a b\ngh-wm: x\n");
    play_end(&again);
}

/* task-R05 and task-R28 */
static void test_claude(void **state G_GNUC_UNUSED)
{
    static const char script[] =
        "#!/bin/sh\nprintf '%s\\n' \"$@\" >argv; cat >stdin\n"
        "echo '{\"type\":\"system\",\"subtype\":\"init\"}'\n"
        "echo 'no json <b>'\n"
        "echo '{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"name\":"
        "\"Bash\",\"input\":{\"command\":\"ls -la\"}}]}}'\n"
        "echo '{\"type\":\"result\",\"subtype\":\"success\",\"total_cost_usd\":0.042,\"num_turns\":"
        "3,\"duration_ms\":10,\"session_id\":\"s1\",\"result\":\"All done.\",\"usage\":{"
        "\"input_tokens\":3,\"output_tokens\":5,\"cache_read_input_tokens\":15635},\"modelUsage\":{"
        "\"m1\":{}}}'\n";
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    Play play = play_begin(NULL);
    wm_fixture_write(&play.fixture, "tools/claude", script, 0755);
    g_autofree char *whole = g_strdup_printf("%s/tools:%s", play.fixture.root, path);
    g_setenv("PATH", whole, TRUE);
    play.spec.engine = WM_ENGINE_CLAUDE;
    play_run(&play, NULL);
    g_setenv("PATH", path, TRUE);
    g_autofree char *input = wm_fixture_read(&play.fixture, "stdin");
    g_autofree char *argv = wm_fixture_read(&play.fixture, "argv");
    assert_true(play.is_started && play.result.is_success);
    assert_string_equal(input, "the prompt");
    assert_true(str_has_prefix(argv, "-p\n--dangerously-skip-permissions\n"));
    assert_true(g_str_has_suffix(play.result.log_path, "/conversation.jsonl"));
    assert_string_equal(play.result.last_response, "All done.");
    assert_string_equal(shown->str, "[session] started\nno json <b>\n[tool] Bash → ls -la\n"
                                    "[result] success | cost=$0.0420 | turns=3\n");
    g_autofree char *summary = wm_summary_text(&play.spec, &play.result, true, "12.052s");
    static const char head[] =
        "\n## kedge wm · task `fix`\n\n| Metric | Value |\n| --- | --- |\n"
        "| Pipeline success | yes |\n| Wall-clock | 12.052s |\n| Stream events (lines) | 3 |\n"
        "| JSONL parse errors | 1 |\n| Event types | assistant: 1, result: 1, system: 1 |\n"
        "| Model(s) | m1 |\n| Result subtype | success |\n| Total cost (USD) | $0.042000 |\n"
        "| Turns | 3 |\n| Agent duration_ms | 10 |\n| Session ID | s1 |\n| Input tokens | 3 |\n"
        "| Output tokens | 5 |\n| Cache read input tokens | 15635 |\n"
        "\n<details><summary>Agent response</summary>\n\nAll done.\n\n</details>\n"
        "\n<details><summary>Conversation log (truncated)</summary>\n\n<pre>\n";
    if (!str_has_prefix(summary, head))
        fail_msg("got %s", summary);
    assert_non_null(strstr(summary, "\nno json &lt;b&gt;\n"));
    assert_true(g_str_has_suffix(summary, "</pre>\n\n</details>\n"));
    play_end(&play);
}

static void test_summary_is_bounded(void **state G_GNUC_UNUSED)
{
    Play play = play_begin(NULL);
    g_autoptr(GString) log = g_string_new(NULL);
    g_autofree char *wide = g_strnfill(20000, '"'); // six bytes each on a page
    for (unsigned i = 0; i < 100; i++)
        g_string_append_printf(log, "line %u %s\n", i, i % 7 == 0 ? wide : "");
    wm_fixture_write(&play.fixture, ".wm/runs/fix-1/conversation.jsonl", log->str, 0644);
    play.spec.engine = WM_ENGINE_KEDGE;
    play.spec.project = &play.fixture.project;
    WmAgentResult result = { .log_path = g_build_filename(play.fixture.run_dir,
                                                          "conversation.jsonl", NULL) };
    g_autofree char *summary = wm_summary_text(&play.spec, &result, false, "1s");
    assert_true(strlen(summary) <= 900 * 1024);
    assert_non_null(strstr(summary, "| Pipeline success | no |\n"));
    assert_non_null(strstr(summary, "| Model(s) | — |\n"));
    assert_non_null(strstr(summary, "\n... 40 lines omitted ...\n"));
    assert_non_null(strstr(summary, "line 29 "));
    assert_null(strstr(summary, "line 30 "));
    assert_null(strstr(summary, "line 69 "));
    assert_non_null(strstr(summary, "line 70 "));

    // its agent can make it as large as it likes
    assert_int_equal(truncate(result.log_path, (off_t)1 << 36), 0);
    g_autofree char *of_large = wm_summary_text(&play.spec, &result, false, "1s");
    assert_true(strlen(of_large) <= 900 * 1024);

    play.spec.engine = WM_ENGINE_CUSTOM;
    assert_null(wm_summary_text(&play.spec, &result, true, "1s"));
    play.spec.engine = WM_ENGINE_CLAUDE;
    wm_fixture_write(&play.fixture, ".wm/runs/fix-1/conversation.jsonl", "", 0644);
    assert_null(wm_summary_text(&play.spec, &result, true, "1s"));
    wm_agent_result_clear(&result);
    play_end(&play);
}

/* task-R31 */
static void test_kedge(void **state G_GNUC_UNUSED)
{
    Play play = play_begin(NULL);
    play.spec.engine = WM_ENGINE_KEDGE;
    play.spec.system_text = "rules";
    play_run(&play, NULL);
    g_autofree char *argv = log_of(&play, "stub-argv");
    g_autofree char *input = log_of(&play, "stub-input");
    assert_true(play.is_started && play.result.is_success);
    assert_string_equal(argv, "-p\n--mode\njson\n--no-session\n--fail-on-error\n--max-turns\n100\n"
                              "--append-system-prompt\nrules\n");
    assert_string_equal(input, "the prompt");
    assert_true(g_str_has_suffix(play.result.log_path, "/conversation.jsonl"));
    assert_string_equal(play.result.last_response, "Both.\nDone.");
    assert_true(play.result.usage.turns == 1);
    play_end(&play);
}

/* What stands for the kedge that an engine starts. */
static int be_agent(int argc, char **argv)
{
    const char *dir = g_getenv("KEDGE_WM_RUN_DIR");
    g_autofree char *argv_path = g_build_filename(dir, "stub-argv", NULL);
    g_autofree char *input_path = g_build_filename(dir, "stub-input", NULL);
    g_autofree char *all = g_strjoinv("\n", argv + 1);
    g_autofree char *lines = g_strconcat(all, "\n", NULL);
    char input[64] = "";
    size_t size = fread(input, 1, sizeof(input), stdin);
    g_file_set_contents(argv_path, lines, -1, NULL);
    g_file_set_contents(input_path, input, (gssize)size, NULL);
    puts("{\"type\":\"session\",\"id\":\"s\"}\n"
         "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":"
         "\"text\",\"text\":\"Both.\"},{\"type\":\"text\",\"text\":\"Done.\"}]}}\n"
         "{\"type\":\"turn_end\"}\n{\"type\":\"agent_end\"}");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "-p") == 0)
        return be_agent(argc, argv);
    g_autofree char *name = g_path_get_basename(argv[0]);
    if (strcmp(name, "kedge") == 0 || strcmp(name, "gh-wm") == 0) {
        g_autofree char *all = g_strjoinv(" ", argv + 1);
        printf("%s: %s\n", name, all);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_does_not_start),
        cmocka_unit_test(test_raw_log_clean_screen),
        cmocka_unit_test(test_stop_commands),
        cmocka_unit_test(test_command_files),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_secrets_leave),
        cmocka_unit_test(test_endless_output),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_ignores_sigterm),
        cmocka_unit_test(test_late_before_it_starts),
        cmocka_unit_test(test_daemon),
        cmocka_unit_test(test_pipe_is_held),
        cmocka_unit_test(test_shims),
        cmocka_unit_test(test_claude),
        cmocka_unit_test(test_summary_is_bounded),
        cmocka_unit_test(test_kedge),
    };
    g_unsetenv("GITHUB_ACTIONS");
    g_setenv("OPENAI_API_KEY", "sk-a-key-of-the-model", TRUE);
    secrets_take_environment();
    shown = g_string_new(NULL);
    log_set_writer(take_shown);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    g_string_free(shown, TRUE);
    return failed;
}
