/* Commands in the background and the job tool: what is said when, and what is left; and commands
   that do their worst. */
#include "base/str.h"
#include "proc_fixture.h"
#include "tool_fixture.h"

#include "base/worker.h"
#include "tool/tool_set.h"
#include "tools/tools.h"

#include <signal.h>
#include <stdatomic.h>

#define ASYNC "{'async':{'enabled':true}}"

static void count_end(void *count)
{
    atomic_fetch_add((atomic_int *)count, 1);
}

/* Somebody listens: without, commands run in front of the call. */
static ToolFixture *heard_fixture(const char *settings, atomic_int *ends)
{
    ToolFixture *fixture = tool_fixture_new(settings, true);
    job_table_listen(tool_context_jobs(fixture->context), count_end, ends);
    return fixture;
}

static json_t *command_of(const char *command, bool is_async)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "command", command);
    if (is_async)
        json_set_bool(arguments, "async", true);
    return arguments;
}

static char *run_async(const ToolFixture *fixture, const char *command)
{
    return tool_fixture_text(fixture, &tool_bash, command_of(command, true));
}

static char *call_job(const ToolFixture *fixture, const char *arguments)
{
    return tool_fixture_text(fixture, &tool_job, json_of(arguments));
}

static void wait_for_end(const ToolFixture *fixture, const char *id)
{
    g_autoptr(Job) job = job_table_find(tool_context_jobs(fixture->context), id);
    assert_non_null(job);
    while (!job_wait(job, 1000, NULL))
        continue;
}

#define STARTED(id, label)                                                                         \
    "Background job " id " started: " label "\n"                                                   \
    "Result will be delivered automatically when complete.\n"                                      \
    "You can use `job` to poll until complete, but prefer to continue with another task in the "   \
    "meanwhile if it's not blocking."

static void test_async(void **state G_GNUC_UNUSED)
{
    atomic_int ends = 0;
    g_autoptr(ToolFixture) fixture = heard_fixture(ASYNC, &ends);
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_bash,
                      command_of("while [ ! -e go ]; do sleep 0.02; done; echo a; exit 3", true),
                      &result);
    g_autofree char *text = tool_result_text(&result);
    assert_text("started", text,
                STARTED("bg_1", "while [ ! -e go ]; do sleep 0.02; done; echo a; exit 3"));
    const json_t *async = json_object_get(result.details, "async");
    assert_string_equal(json_get_text(async, "state"), "running");
    assert_string_equal(json_get_text(async, "jobId"), "bg_1");
    assert_string_equal(json_get_text(async, "type"), "bash");
    assert_int_equal(json_get_int(result.details, "timeoutSeconds", 0), 300);

    // the conversation's shell is free meanwhile
    g_autofree char *beside =
        tool_fixture_text(fixture, &tool_bash, command_of("X=1; touch go", false));
    assert_string_equal(beside, "(no output)");
    g_autofree char *polled = call_job(fixture, "{'poll':['bg_1','bg_7']}");
    assert_text("polled", polled,
                "## Completed (1)\n\n### bg_1 [bash] — failed\n"
                "Label: while [ ! -e go ]; do sleep 0.02; done; echo a; exit 3\n"
                "```\na\n\n\nCommand exited with code 3\n```");
    g_autoptr(GPtrArray) untold = job_table_take_untold(tool_context_jobs(fixture->context));
    assert_int_equal(untold->len, 0); // told by the call: nobody else has to
    g_autofree char *none = call_job(fixture, "{}");
    assert_string_equal(none, "No running background jobs to wait for.");
    g_autofree char *unknown = call_job(fixture, "{'poll':['a','b']}");
    assert_string_equal(unknown, "No matching jobs found for IDs: a, b");
}

static void test_untold(void **state G_GNUC_UNUSED)
{
    atomic_int ends = 0;
    g_autoptr(ToolFixture) fixture = heard_fixture(ASYNC, &ends);
    g_free(run_async(fixture, "echo one"));
    g_free(run_async(fixture, "seq 1 20000"));
    wait_for_end(fixture, "bg_1");
    wait_for_end(fixture, "bg_2");
    assert_int_equal(ends, 2);
    g_autoptr(GPtrArray) untold = job_table_take_untold(tool_context_jobs(fixture->context));
    assert_int_equal(untold->len, 2);
    assert_string_equal(job_outcome(untold->pdata[0])->text, "one\n");
    assert_string_equal(job_outcome(untold->pdata[1])->artifact_id, "0");
    assert_true(g_str_has_suffix(job_outcome(untold->pdata[1])->text,
                                 "(50.0KB limit). Read artifact://0 for full output]"));
    g_autoptr(GPtrArray) again = job_table_take_untold(tool_context_jobs(fixture->context));
    assert_int_equal(again->len, 0);
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    atomic_int ends = 0;
    g_autoptr(ToolFixture) fixture = heard_fixture("{'async':{'enabled':true,'maxJobs':1}}", &ends);
    g_free(run_async(fixture, "echo $$ >pid; (trap '' TERM; sleep 300); wait"));
    pid_t pid = written_pid(fixture->cwd, "pid");
    g_autofree char *full = tool_fixture_error(fixture, &tool_bash, command_of("echo more", true));
    assert_string_equal(full, "Background job limit reached (1). Wait for running jobs to finish "
                              "or cancel one.");
    g_autofree char *cancelled = call_job(fixture, "{'cancel':['bg_1','nope']}");
    assert_string_equal(cancelled, "## Cancelled (2)\n\n- Cancelled background job bg_1.\n"
                                   "- Background job not found: nope");
    wait_for_end(fixture, "bg_1");
    assert_true(is_dead(pid));
    g_autofree char *again = call_job(fixture, "{'cancel':['bg_1']}");
    assert_string_equal(again, "## Cancelled (1)\n\n- Background job bg_1 is already cancelled.");
    assert_int_equal(ends, 0); // who cancels it knows
}

static void fire_soon(void *cancel)
{
    g_usleep(200 * 1000);
    cancel_fire(cancel);
}

typedef struct StopOnce {
    const ToolFixture *fixture;
    Cancel *cancel;
} StopOnce;

static void fire_when_written(void *self_)
{
    StopOnce *self = self_;
    written_pid(self->fixture->cwd, "pid");
    cancel_fire(self->cancel);
}

/* A poll that is stopped takes nothing away: the result is told later. */
static void test_poll_is_stopped(void **state G_GNUC_UNUSED)
{
    atomic_int ends = 0;
    g_autoptr(ToolFixture) fixture = heard_fixture(ASYNC, &ends);
    g_free(run_async(fixture, "while [ ! -e go ]; do sleep 0.02; done; echo late"));
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autoptr(json_t) arguments = json_object();
    const ToolCallSpec spec = {
        .tool = &tool_job,
        .arguments = arguments,
        .context = fixture->context,
        .door = &agent_door,
        .cancel = cancel,
    };
    g_auto(ToolResult) result = { 0 };
    Worker *worker = worker_start("fire", fire_soon, cancel);
    tool_call(&spec, &result);
    worker_join(worker);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    tool_fixture_put(fixture, "go", "");
    wait_for_end(fixture, "bg_1");
    assert_int_equal(ends, 1);
}

static void test_end_of_conversation(void **state G_GNUC_UNUSED)
{
    atomic_int ends = 0;
    g_autoptr(ToolFixture) fixture = heard_fixture(ASYNC, &ends);
    g_free(run_async(fixture, "echo $$ >pid; sleep 300"));
    pid_t pid = written_pid(fixture->cwd, "pid");
    job_table_end_all(tool_context_jobs(fixture->context));
    assert_true(is_dead(pid));
    assert_int_equal(ends, 0);
}

static void set_threshold(const ToolFixture *fixture, int64_t threshold_ms)
{
    g_autoptr(json_t) values = json_pack("{s:{s:{s:b, s:I}}}", "bash", "autoBackground", "enabled",
                                         1, "thresholdMs", (json_int_t)threshold_ms);
    g_autoptr(Settings) settings = settings_new(values);
    tool_context_set_settings(fixture->context, settings);
}

#define SLOW "echo $$ >pid; while [ ! -e go ]; do sleep 0.02; done; B=2; echo $A late"

static void test_auto_background(void **state G_GNUC_UNUSED)
{
    atomic_int ends = 0;
    g_autoptr(ToolFixture) fixture = heard_fixture(NULL, &ends);
    // what is quick stays as it was, with the shell of the conversation
    set_threshold(fixture, 60 * 1000);
    g_autofree char *quick =
        tool_fixture_text(fixture, &tool_bash, command_of("A=1; echo quick", false));
    assert_string_equal(quick, "quick\n");
    g_autofree char *failed =
        tool_fixture_error(fixture, &tool_bash, command_of("echo $A; (exit 4)", false));
    assert_string_equal(failed, "1\n\n\nCommand exited with code 4");

    set_threshold(fixture, 1);
    g_autofree char *moved = tool_fixture_text(fixture, &tool_bash, command_of(SLOW, false));
    assert_text("goes on", moved, STARTED("bg_1", SLOW));
    written_pid(fixture->cwd, "pid"); // it has the shell
    set_threshold(fixture, 60 * 1000);
    g_autofree char *beside =
        tool_fixture_text(fixture, &tool_bash, command_of("echo [$A]; touch go", false));
    assert_contains("its own shell", beside, "[]\n");
    assert_contains("its own shell", beside, "[The conversation's shell is busy");
    wait_for_end(fixture, "bg_1");
    assert_int_equal(ends, 1);
    g_autoptr(GPtrArray) untold = job_table_take_untold(tool_context_jobs(fixture->context));
    assert_string_equal(job_outcome(untold->pdata[0])->text, "1 late\n");
    g_autofree char *after = tool_fixture_text(fixture, &tool_bash, command_of("echo $A$B", false));
    assert_string_equal(after, "12\n");
}

/* Stopped while it is waited for: it ends, and is no job. */
static void test_auto_background_is_stopped(void **state G_GNUC_UNUSED)
{
    atomic_int ends = 0;
    g_autoptr(ToolFixture) fixture = heard_fixture(NULL, &ends);
    set_threshold(fixture, 60 * 1000);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autoptr(json_t) arguments = command_of("echo $$ >pid; sleep 300", false);
    const ToolCallSpec spec = {
        .tool = &tool_bash,
        .arguments = arguments,
        .context = fixture->context,
        .door = &agent_door,
        .cancel = cancel,
    };
    g_auto(ToolResult) result = { 0 };
    StopOnce stop = { fixture, cancel };
    Worker *worker = worker_start("fire", fire_when_written, &stop);
    tool_call(&spec, &result);
    worker_join(worker);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    assert_true(is_dead(written_pid(fixture->cwd, "pid")));
    assert_int_equal(ends, 0);
}

/* Nobody could be told later: the answer comes whole. */
static void test_nobody_listens(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(ASYNC, false);
    g_autofree char *text = run_async(fixture, "echo here");
    assert_string_equal(text, "here\n");
}

static void test_disabled(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *text = tool_fixture_error(fixture, &tool_bash, command_of("echo x", true));
    assert_string_equal(
        text, "Async bash execution is disabled. Enable async.enabled to use async mode.");
    g_autofree char *none = tool_fixture_error(fixture, &tool_job, json_object());
    assert_string_equal(none, "Async execution is disabled; no background jobs are available.");
}

/* Offered as the settings say. */
static void test_schema(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const table[] = { &tool_bash, &tool_job, NULL };
    static const struct {
        const char *settings;
        bool has_async, has_job;
    } cases[] = {
        { "{}", false, false },
        { ASYNC, true, true },
        { "{'bash':{'autoBackground':{'enabled':true}}}", false, true },
    };
    g_autoptr(ToolSet) all = tool_set_new(table);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) values = json_of(cases[i].settings);
        g_autoptr(Settings) settings = settings_new(values);
        for (size_t named = 0; named < 2; named++) {
            static const char *const names[] = { "bash", "job", NULL };
            g_autoptr(ToolSet) offered = tool_set_select(all, settings, named ? names : NULL, NULL);
            const ToolDef *bash = tool_set_find(offered, "bash");
            g_autoptr(json_t) schema = tool_schema(bash);
            const json_t *fields = json_object_get(schema, "properties");
            assert_int_equal(json_object_get(fields, "async") != NULL, cases[i].has_async);
            assert_int_equal(tool_set_find(offered, "job") != NULL, cases[i].has_job);
        }
    }
}

/* Many at once, of whom some end while others are asked for. */
static void test_many(void **state G_GNUC_UNUSED)
{
    atomic_int ends = 0;
    g_autoptr(ToolFixture) fixture = heard_fixture(ASYNC, &ends);
    for (int i = 0; i < 12; i++) {
        g_autofree char *command = g_strdup_printf("echo %d", i);
        g_free(run_async(fixture, command));
    }
    JobTable *table = tool_context_jobs(fixture->context);
    unsigned told = 0;
    while (job_table_count_running(table) > 0) {
        g_autofree char *text = call_job(fixture, "{}");
        const char *place = text;
        while ((place = strstr(place, "### bg_"))) {
            told++;
            place++;
        }
    }
    g_autoptr(GPtrArray) untold = job_table_take_untold(table);
    assert_int_equal(told + untold->len, 12);
    // after five minutes they are forgotten
    g_autoptr(GPtrArray) kept = job_table_list(table, 0);
    assert_int_equal(kept->len, 12);
    g_autoptr(GPtrArray) later = job_table_list(table, G_MAXINT64);
    assert_int_equal(later->len, 0);
}

/* What has left the group, and whose parent is gone, ends with the conversation all the same. */
static void test_daemons(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    static const char daemon[] =
        "(setsid nohup sh -c 'trap \"\" TERM HUP; echo $$ >%s; while :; do "
        "sleep 0.1; done' >/dev/null 2>&1 &)";
    g_autofree char *first = g_strdup_printf(daemon, "first");
    g_autofree char *ends_shell = g_strconcat(first, "; exit 3", NULL);
    g_free(tool_fixture_error(fixture, &tool_bash, command_of(ends_shell, false)));
    pid_t of_left = written_pid(fixture->cwd, "first");

    // a timeout ends what the shell that was stopped has started, not what an earlier one has left
    g_autofree char *second = g_strdup_printf(daemon, "second");
    g_autofree char *stopped =
        g_strconcat(second, "; while [ ! -s second ]; do sleep 0.01; done; sleep 300", NULL);
    json_t *arguments = command_of(stopped, false);
    json_set_int(arguments, "timeout", 2);
    g_free(tool_fixture_error(fixture, &tool_bash, arguments));
    g_autofree char *path = g_build_filename(fixture->cwd, "second", NULL);
    if (file_exists(path)) // else it was too slow to start
        assert_true(is_dead(written_pid(fixture->cwd, "second")));
    assert_int_equal(kill(of_left, 0), 0);

    // the end of the conversation ends the rest
    ToolContext *context = fixture->context;
    g_autoptr(Settings) settings = settings_new(NULL);
    fixture->context = tool_context_new(fixture->cwd, settings, NULL);
    tool_context_free(context);
    assert_true(is_dead(of_left));
}

static ToolResult call_timed(const ToolFixture *fixture, const char *command, double timeout)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "command", command);
    json_set_take(arguments, "timeout", json_real(timeout));
    ToolResult result = { 0 };
    tool_fixture_call(fixture, &tool_bash, arguments, &result);
    return result;
}

/* Whatever a command does to its shell, the next call works. */
static void test_next_call_works(void **state G_GNUC_UNUSED)
{
    static const char *const commands[] = {
        "trap 'echo trapped' EXIT ERR DEBUG RETURN; false",
        "trap '' TERM INT HUP; exec </dev/null",
        "readonly IFS; IFS=x",
        "PS1=; PS4=; PROMPT_COMMAND='exit 9'; set -o posix; set -o noclobber",
        "set -euxo pipefail; false | true",
        "exec >/dev/null 2>&1; echo lost",
        "enable -n printf read eval cd",
        "mkdir gone; cd gone; rmdir ../gone; pwd",
        "exit() { :; }; return 3",
        "$(printf 'echo %0.s' {1..2000})",
        "while read -r line; do echo \"$line\"; done; cat",
        "printf 'x 0 0\\n' >&4",
        "head -c 3000000 /dev/zero | tr '\\0' '\\033'",
        "printf '\\033]0;title\\007\\033[2J\\033P+q\\033\\\\ \\302\\233' | head -c 100",
        "echo '",
        "}; exit 1; {",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_auto(ToolResult) first = call_timed(fixture, commands[i], 20);
        g_autofree char *said = tool_result_text(&first);
        if (strchr(said, '\033'))
            fail_msg("%s: an escape came through", commands[i]);
        g_auto(ToolResult) next = call_timed(fixture, "/bin/echo ok; :", 20);
        g_autofree char *text = tool_result_text(&next);
        if (!strstr(text, "ok\n") || strstr(text, "timed out"))
            fail_msg("after %s (%s): '%s'", commands[i], said, text);
    }
}

/* More than memory should hold, in a pipe that nobody stops. */
static void test_endless_output(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_auto(ToolResult) started = call_timed(fixture, ":", 60); // the second is the command's alone
    assert_false(started.is_error);
    g_auto(ToolResult) result = call_timed(fixture, "yes 'all work and no play'", 1);
    g_autofree char *text = tool_result_text(&result);
    assert_true(str_has_prefix(text, "[Command timed out after 1 seconds]\n"));
    assert_true(strlen(text) < 60 * 1024);
    assert_contains("artifact", text, "artifact://0");
}

/* It is done when the command is, not when its output is closed. */
static void test_closed_output(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_auto(ToolResult) result = call_timed(
        fixture, "echo before; exec >&- 2>&-; for i in 1 2 3; do sleep 0.1; done; touch done", 60);
    g_autofree char *text = tool_result_text(&result);
    assert_string_equal(text, "before\n");
    g_autofree char *path = g_build_filename(fixture->cwd, "done", NULL);
    assert_true(file_exists(path));
}

static void test_many_children(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_auto(ToolResult) result = call_timed(
        fixture, "for i in $(seq 100); do (trap '' TERM; exec sleep 300) & done; echo $! >pid", 60);
    assert_false(result.is_error);
    pid_t last = written_pid(fixture->cwd, "pid");
    ToolContext *context = fixture->context;
    g_autoptr(Settings) settings = settings_new(NULL);
    fixture->context = tool_context_new(fixture->cwd, settings, NULL);
    tool_context_free(context);
    assert_true(is_dead(last));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_async),           cmocka_unit_test(test_untold),
        cmocka_unit_test(test_cancel),          cmocka_unit_test(test_poll_is_stopped),
        cmocka_unit_test(test_auto_background), cmocka_unit_test(test_end_of_conversation),
        cmocka_unit_test(test_nobody_listens),  cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_schema),          cmocka_unit_test(test_many),
        cmocka_unit_test(test_daemons),         cmocka_unit_test(test_next_call_works),
        cmocka_unit_test(test_endless_output),  cmocka_unit_test(test_closed_output),
        cmocka_unit_test(test_many_children),   cmocka_unit_test(test_auto_background_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
