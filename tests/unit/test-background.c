/*
 * tool/background.c: when a call goes on in the background, what is told when, and that the call's
 * end is noted once, whoever does it.
 */
#include "tool_fixture.h"

#include "base/timefmt.h"
#include "tool/background.h"

#include <stdatomic.h>

#define ASYNC "{'async':{'enabled':true}}"

static atomic_int is_open, finished, ends, started;

typedef struct SlowArgs {
    const char *text;
} SlowArgs;

static const FieldDef slow_fields[] = {
    { "text", FIELD_STRING, offsetof(SlowArgs, text), .is_required = true },
    { 0 },
};

/* Says what it was given, once the door is open. */
static bool slow_work(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const SlowArgs *args = args_;
    atomic_fetch_add(&started, 1);
    g_autoptr(json_t) details = json_pack("{s:i}", "step", 1);
    tool_call_update(call, "at it", details);
    while (!atomic_load(&is_open)) {
        if (!cancel_sleep(tool_call_cancel(call), 5, error))
            return false;
    }
    if (strcmp(args->text, "fail") == 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "it failed with %s", tool_call_id(call));
    g_assert(tool_call_permit(call) != NULL);
    g_autofree char *text =
        g_strdup_printf("%s %s %s", args->text, (const char *)tool_call_prepared(call),
                        tool_call_outcome(call)->judgement->summary);
    tool_result_add_text(result, text);
    return true;
}

static int64_t patience_ms;
static Effect slow_effect = EFFECT_READ;

static bool slow_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                     GError **error)
{
    const BackgroundSpec spec = { "slow", "slow\nwork", patience_ms, slow_work };
    return background_run(call, &spec, result, error);
}

static bool slow_judge(ToolCall *call, const void *args G_GNUC_UNUSED, Judgement *ret_judgement,
                       GError **error G_GNUC_UNUSED)
{
    tool_call_prepare(call, g_strdup("prepared"), g_free);
    ret_judgement->effect = slow_effect;
    ret_judgement->summary = g_strdup("judged");
    return true;
}

static void slow_finished(ToolCall *call, const CallOutcome *outcome, const ToolResult *result)
{
    assert_int_equal(outcome->end, CALL_RAN);
    assert_non_null(result->content);
    assert_string_equal(tool_call_prepared(call), "prepared");
    atomic_fetch_add(&finished, 1);
}

static const ToolDef tool_slow = {
    .name = "slow",
    .summary = "Takes its time",
    .judge = slow_judge,
    .fields = slow_fields,
    .args_size = sizeof(SlowArgs),
    .run = slow_run,
    .finished = slow_finished,
};

static void count_end(void *user_data G_GNUC_UNUSED)
{
    atomic_fetch_add(&ends, 1);
}

static ToolFixture *fixture_with(const char *settings, bool is_heard, int64_t patience)
{
    ToolFixture *fixture = tool_fixture_new(settings, false);
    if (is_heard)
        job_table_listen(tool_context_jobs(fixture->context), count_end, NULL);
    atomic_store(&is_open, 1);
    atomic_store(&finished, 0);
    atomic_store(&ends, 0);
    atomic_store(&started, 0);
    patience_ms = patience;
    return fixture;
}

static Job *wait_for_job(const ToolFixture *fixture, const char *id)
{
    Job *job = job_table_find(tool_context_jobs(fixture->context), id);
    assert_non_null(job);
    while (!job_wait(job, 1000, NULL))
        continue;
    return job;
}

/* Nobody would hear of it, it is switched off, or it is quick: one answer, as ever. */
static void test_in_front(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *settings;
        bool is_heard;
        int64_t patience_ms;
    } cases[] = {
        { ASYNC, false, 0 }, { NULL, true, 0 }, { ASYNC, true, -1 }, { ASYNC, true, 600000 }
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture =
            fixture_with(cases[i].settings, cases[i].is_heard, cases[i].patience_ms);
        g_autofree char *text = tool_fixture_text(fixture, &tool_slow, json_of("{'text':'a'}"));
        assert_text("in front", text, "a prepared judged");
        g_autofree char *failed =
            tool_fixture_error(fixture, &tool_slow, json_of("{'text':'fail'}"));
        assert_text("failure", failed, "it failed with ");
        assert_int_equal(finished, 2);
        assert_int_equal(job_table_count_running(tool_context_jobs(fixture->context)), 0);
        assert_int_equal(ends, 0);
    }
}

static void test_behind(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_with(ASYNC, true, 0);
    atomic_store(&is_open, 0);
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_slow, json_of("{'text':'later'}"), &result);
    g_autofree char *text = tool_result_text(&result);
    assert_contains("started", text, "Background job bg_1 started: slow work\n");
    const json_t *async = json_get_object(result.details, "async");
    assert_string_equal(json_get_text(async, "jobId"), "bg_1");
    assert_string_equal(json_get_text(async, "type"), "slow");
    assert_int_equal(finished, 0);

    atomic_store(&is_open, 1);
    g_autoptr(Job) job = wait_for_job(fixture, "bg_1");
    assert_int_equal(job_status(job), JOB_COMPLETED);
    assert_string_equal(job_outcome(job)->text, "later prepared judged");
    assert_int_equal(finished, 1);
    assert_int_equal(ends, 1);
}

static void test_failure_behind(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_with(ASYNC, true, 0);
    atomic_store(&is_open, 0);
    g_free(tool_fixture_text(fixture, &tool_slow, json_of("{'text':'fail'}")));
    atomic_store(&is_open, 1);
    g_autoptr(Job) job = wait_for_job(fixture, "bg_1");
    assert_int_equal(job_status(job), JOB_FAILED);
    assert_string_equal(job_outcome(job)->text, "it failed with ");
    assert_int_equal(finished, 1);
}

static void test_cancelled_behind(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_with(ASYNC, true, 0);
    atomic_store(&is_open, 0);
    g_free(tool_fixture_text(fixture, &tool_slow, json_of("{'text':'x'}")));
    g_autoptr(Job) job = job_table_find(tool_context_jobs(fixture->context), "bg_1");
    assert_true(job_cancel(job));
    while (!job_wait(job, 1000, NULL))
        continue;
    assert_int_equal(job_status(job), JOB_CANCELLED);
    assert_int_equal(finished, 1);
}

/* A write may have been carried out before it was stopped: that somebody stopped it does not settle
 * how it ended. */
static void test_cancelled_write_is_told(void **state G_GNUC_UNUSED)
{
    static const struct {
        Effect effect;
        unsigned told;
    } cases[] = { { EFFECT_READ, 0 }, { EFFECT_WRITE, 1 } };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = fixture_with(ASYNC, true, 0);
        atomic_store(&is_open, 0);
        slow_effect = cases[i].effect;
        g_free(tool_fixture_text(fixture, &tool_slow, json_of("{'text':'x'}")));
        slow_effect = EFFECT_READ;
        JobTable *table = tool_context_jobs(fixture->context);
        g_autoptr(Job) job = job_table_find(table, "bg_1");
        assert_non_null(job);
        assert_true(job_cancel(job));
        while (job_status(job) == JOB_RUNNING)
            g_usleep(1000);
        g_autoptr(GPtrArray) told = job_table_take_untold(table);
        assert_int_equal(told->len, cases[i].told);
    }
}

static void *fire_when_started(void *cancel)
{
    while (atomic_load(&started) == 0)
        g_usleep(1000);
    cancel_fire(cancel);
    return NULL;
}

/* Who waits may stop it, as any call. */
static void test_stopped_in_front(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = fixture_with(ASYNC, true, 600000);
    atomic_store(&is_open, 0);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autoptr(json_t) arguments = json_of("{'text':'x'}");
    const ToolCallSpec spec = { .tool = &tool_slow,
                                .arguments = arguments,
                                .context = fixture->context,
                                .door = &agent_door,
                                .cancel = cancel };
    GThread *thread = g_thread_new("stop", fire_when_started, cancel);
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    g_thread_join(thread);
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    assert_int_equal(finished, 1);
    assert_int_equal(job_table_count_running(tool_context_jobs(fixture->context)), 0);
}

/* A conversation that ends takes its jobs along. */
static void test_end_of_conversation(void **state G_GNUC_UNUSED)
{
    ToolFixture *fixture = fixture_with(ASYNC, true, 0);
    atomic_store(&is_open, 0);
    g_free(tool_fixture_text(fixture, &tool_slow, json_of("{'text':'x'}")));
    tool_fixture_free(fixture);
    assert_int_equal(finished, 1);
}

static bool end_at_once(Job *job G_GNUC_UNUSED, void *table G_GNUC_UNUSED, JobOutcome *ret_outcome,
                        GError **error G_GNUC_UNUSED)
{
    ret_outcome->text = g_strdup("done");
    return true;
}

static void look_into(void *table)
{
    job_table_count_running(table);
}

/* What goes with a job may look at the others. */
static void test_data_that_looks_at_the_table(void **state G_GNUC_UNUSED)
{
    JobTable *table = job_table_new();
    const JobSpec spec = {
        .type = "bash",
        .label = "true",
        .run = end_at_once,
        .data = table,
        .destroy = look_into,
        .is_in_front = true,
        .max_jobs = 2,
    };
    for (int i = 0; i < 2; i++) {
        g_autoptr(Job) job = NULL;
        assert_true(job_table_start(table, &spec, &job, NULL));
        while (!job_wait(job, 1000, NULL))
            continue;
    }
    g_autoptr(GPtrArray) left = job_table_list(table, time_now_ms());
    assert_int_equal(left->len, 0);
    job_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_that_looks_at_the_table),
        cmocka_unit_test(test_in_front),
        cmocka_unit_test(test_behind),
        cmocka_unit_test(test_failure_behind),
        cmocka_unit_test(test_cancelled_behind),
        cmocka_unit_test(test_cancelled_write_is_told),
        cmocka_unit_test(test_stopped_in_front),
        cmocka_unit_test(test_end_of_conversation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
