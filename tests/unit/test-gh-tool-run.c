/*
 * The general gh tool where gh itself matters: which program runs, and what --raw keeps.
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"

#include "base/file.h"
#include "github/audit/gh_audit.h"
#include "github/audit/gh_record.h"
#include "github/github.h"
#include "github/safe/gh_call.h"
#include "tool/context.h"

#include <pthread.h>
#include <sys/stat.h>

static GhFixture *fixture_new(const char *settings)
{
    GhFixture *fixture = gh_fixture_new_with(settings);
    fixture->tool = &tool_gh;
    return fixture;
}

static void test_programs(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    gh_fixture_set_version(fixture, "2.40.1");
    g_auto(ToolResult) old =
        gh_fixture_call(fixture, "{\"args\":[\"pr\",\"merge\",\"5\",\"-R\",\"o/r\"]}");
    gh_expect_error(
        "gh-13-1", &old,
        "[gh github.com/o/r pr write version]\n"
        "Error: gh 2.40.1 is older than the required 2.46.0; upgrade gh.\n"
        "Reproduce: GH_PROMPT_DISABLED=1 GH_PAGER=cat GH_HOST=github.com gh pr merge 5 -R o/r");

    g_autoptr(GhFixture) second = fixture_new("{\"gh\":{\"executable\":\"/nonexistent-gh\"}}");
    g_auto(ToolResult) missing =
        gh_fixture_call(second, "{\"args\":[\"pr\",\"list\",\"-R\",\"o/r\"]}");
    g_autofree char *text = tool_result_text(&missing);
    if (!str_has_prefix(text, "[gh github.com/o/r pr read no-executable]\n"
                              "Error: gh not found at /nonexistent-gh; install via '"))
        fail_msg("got %s", text);
}

static void test_raw(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    gh_fixture_reply_out(fixture, "\x1b[1mghp_0123456789abcdef0123\x1b[0m\n");
    g_autoptr(ToolContext) context = tool_context_new(fixture->cwd, fixture->settings, NULL);
    g_autoptr(json_t) arguments = json_pack("{s:[s]}", "args", "status");
    const ToolDoor door = { .kind = DOOR_DIRECT, .via = "cli" };
    const ToolCallSpec spec = {
        .tool = &tool_gh, .arguments = arguments, .context = context, .door = &door
    };
    gh_call_keep_raw(context);
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    gh_expect_text("masked", &result, "[gh github.com read ok 0.0KB]\n[REDACTED]\n");
    size_t size = 0;
    g_autofree char *raw = gh_call_take_raw(context, &size);
    assert_int_equal(size, strlen("\x1b[1mghp_0123456789abcdef0123\x1b[0m\n"));
    assert_string_equal(raw, "\x1b[1mghp_0123456789abcdef0123\x1b[0m\n");
}

/* Of a log it is the end that says what went wrong, by whatever words it is asked for. */
static void test_log_end(void **state G_GNUC_UNUSED)
{
    static const char *const cases[] = {
        "{\"args\":[\"run\",\"view\",\"5\",\"--log\",\"-R\",\"o/r\"]}",
        "{\"args\":[\"run\",\"view\",\"5\",\"--log-failed\",\"-R\",\"o/r\"]}",
        "{\"args\":[\"api\",\"repos/o/r/actions/jobs/5/logs\"]}",
    };
    g_autoptr(GString) log = g_string_new(NULL);
    for (int i = 0; i < 20000; i++)
        g_string_append(log, "PASS\n");
    g_string_append(log, "FAIL\n");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = fixture_new(NULL);
        gh_fixture_reply_out(fixture, log->str);
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i]);
        g_autofree char *text = tool_result_text(&result);
        if (!strstr(text, "\n[the first 34470 bytes are left out]\nPASS\nPASS\n") ||
            !strstr(text, "\nPASS\nFAIL\n"))
            fail_msg("%s: %.300s", cases[i], text);
    }
}

/* JSON that is too long ends after a whole item, and is JSON. */
static void test_json_end(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *before, *after;
    } cases[] = { { "[", "]" }, { "{\"total_count\":9,\"items\":[", "],\"x\":1}" } };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) out = g_string_new(cases[i].before);
        for (int n = 0; n < 3000; n++)
            g_string_append_printf(out, "%s{\"n\":%d,\"text\":\"a ] \\\" } b, c\"}",
                                   n > 0 ? "," : "", n);
        g_string_append(out, cases[i].after);
        g_autoptr(GhFixture) fixture = fixture_new(NULL);
        gh_fixture_reply_out(fixture, out->str);
        g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"args\":[\"api\",\"user/repos\"]}");
        g_autofree char *text = tool_result_text(&result);
        char *start = strchr(text, '\n'), *end = strstr(text, "\n[truncated at 64KB;");
        assert_true(start && end);
        *end = '\0';
        g_autoptr(json_t) value = NULL;
        assert_true(json_parse_text(start + 1, &value, NULL));
        const json_t *items = json_is_array(value) ? value : json_get_array(value, "items");
        assert_true(json_array_size(items) > 1000 && json_array_size(items) < 3000);
    }
}

static void hear(void *user_data G_GNUC_UNUSED)
{
}

/* What takes long goes on behind the call, and ends as the call would have. */
static void test_background(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture =
        fixture_new("{\"async\":{\"enabled\":true},\"github\":{\"backgroundAfterSec\":1}}");
    gh_fixture_reply(fixture, &(GhReply) { .out = "[]\n", .sleep_s = 3 });
    gh_fixture_converse(fixture);
    JobTable *jobs = tool_context_jobs(fixture->context);
    job_table_listen(jobs, hear, NULL);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"args\":[\"api\",\"repos/o/r/issues\"]}");
    g_autofree char *text = tool_result_text(&result);
    if (!str_has_prefix(text, "Background job bg_1 started: gh api repos/o/r/issues"))
        fail_msg("got %s", text);
    g_autoptr(Job) job = job_table_find(jobs, "bg_1");
    assert_non_null(job);
    while (!job_wait(job, 1000, NULL))
        continue;
    assert_int_equal(job_status(job), JOB_COMPLETED);
    assert_string_equal(job_outcome(job)->text, "[gh github.com/o/r read ok 0.0KB]\n[]\n");
    g_autofree char *dir = gh_audit_dir();
    g_autoptr(json_t) records = NULL;
    assert_true(gh_record_load(dir, &records, NULL)); // once, when it had ended
    assert_int_equal(json_array_size(records), 1);
    assert_int_equal(json_get_int(json_array_get(records, 0), "exit_code", -1), 0);
}

static void *stop_it(void *data)
{
    const GhFixture *fixture = data;
    for (int i = 0; i < 3000 && gh_fixture_call_count(fixture) == 0; i++)
        g_usleep(10000);
    cancel_fire(fixture->cancel);
    return NULL;
}

/* A write that was stopped may have been done; a read may be repeated. */
static void test_stopped(void **state G_GNUC_UNUSED)
{
    static const ToolDoor yes = { .kind = DOOR_DIRECT, .via = "cli", .allow_writes = true };
    static const struct {
        const char *name, *arguments;
        bool is_unknown;
    } cases[] = {
        { "write", "{\"args\":[\"issue\",\"close\",\"5\",\"-R\",\"o/r\"]}", true },
        { "read", "{\"args\":[\"issue\",\"view\",\"5\",\"-R\",\"o/r\"]}", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = fixture_new(NULL);
        fixture->door = &yes;
        gh_fixture_reply(fixture, &(GhReply) { .out = "x\n", .sleep_s = 60 });
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, stop_it, fixture), 0);
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        pthread_join(thread, NULL);
        g_autofree char *text = tool_result_text(&result);
        assert_non_null(strstr(text, "cancelled]"));
        if ((strstr(text, "The outcome of this write is unknown") != NULL) != cases[i].is_unknown)
            fail_msg("%s: got\n%s", cases[i].name, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),   cmocka_unit_test(test_raw),
        cmocka_unit_test(test_log_end),    cmocka_unit_test(test_json_end),
        cmocka_unit_test(test_background), cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
