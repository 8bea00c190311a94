/*
 * What ends in the background while nobody asks (conversation/session_deliver.c): a message that a
 * run begins with, unless somebody has stopped the last one.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "session_fixture.h"

#include <pthread.h>

#define CALL_HANG "[{\"id\":\"t1\",\"name\":\"hang\",\"arguments\":{}}]"

static void abort_now(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "abort", NULL, &reply));
    assert_true(reply.is_pending);
}

static Job *background; // the one that start_background() began

static bool wait_for_file(Job *job, void *data, JobOutcome *ret_outcome,
                          GError **error G_GNUC_UNUSED)
{
    while (!file_exists(data) && !cancel_has_fired(job_cancel_token(job)))
        g_usleep(1000);
    ret_outcome->text = g_strdup("built");
    return true;
}

/* A person's command that goes on in the background until the file that it names is there. */
static bool start_background(ToolContext *context, const char *command,
                             const UserShellWatch *watch G_GNUC_UNUSED,
                             Cancel *cancel G_GNUC_UNUSED, UserShellResult *ret_result,
                             GError **error)
{
    const JobSpec spec = {
        .type = "bash",
        .label = "make",
        .run = wait_for_file,
        .data = g_strdup(command),
        .destroy = g_free,
        .max_jobs = 1,
    };
    *ret_result = (UserShellResult) { .output = g_strdup("") };
    return job_table_start(tool_context_jobs(context), &spec, &background, error);
}

static void begin_background(SessionFixture *self, char **ret_path)
{
    *ret_path = g_build_filename(self->agent->root, "go", NULL);
    g_autofree char *arguments = g_strdup_printf("{\"command\":\"%s\"}", *ret_path);
    assert_true(session_fixture_command(self, "bash", arguments, NULL));
    session_fixture_run_to(self, "command_end");
}

static SessionFixture *open_with_shell(void)
{
    SessionFixture *self = session_fixture_new(NULL);
    self->options.run_shell = start_background;
    session_fixture_open(self);
    return self;
}

static SessionFixture *open_with_background(char **ret_path)
{
    SessionFixture *self = open_with_shell();
    begin_background(self, ret_path);
    return self;
}

/* Its end is published, and told to nobody yet. */
static void end_background(const char *path)
{
    assert_true(g_file_set_contents(path, "", 0, NULL));
    while (!job_wait(background, 1000, NULL))
        continue;
    g_clear_pointer(&background, job_unref);
}

static size_t count_runs(const SessionFixture *self)
{
    size_t count = 0;
    while (session_fixture_event(self, "agent_start", count))
        count++;
    return count;
}

/* Who has stopped the run is not answered by another one. */
static void test_result_after_abort(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = NULL;
    SessionFixture *self = open_with_background(&path);
    sse_server_add_calls(self->agent->server, CALL_HANG);
    self->trigger = "tool_execution_start";
    self->act = abort_now;
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ABORTED);
    end_background(path);
    session_fixture_wait(self);
    assert_int_equal(count_runs(self), 1);

    sse_server_add_text(self->agent->server, "fine");
    sse_server_add_text(self->agent->server, "it is built");
    assert_true(session_fixture_prompt(self, "again"));
    assert_int_equal(count_runs(self), 3);
    g_autofree char *asked = sse_server_conversation(self->agent->server, 2);
    assert_non_null(strstr(asked, "Background job bg_1"));
    session_fixture_free(self);
}

/* Whatever kind of job is on when it comes. */
static void test_result_during_a_job(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = NULL;
    SessionFixture *self = open_with_background(&path);
    sse_server_add_text(self->agent->server, "it is built");
    end_background(path);
    assert_true(session_fixture_command(self, "set_session_name", "{\"name\":\"Mine\"}", NULL));
    session_fixture_wait(self);
    assert_int_equal(count_runs(self), 1);
    session_fixture_free(self);
}

static void expect_notice(SessionFixture *self, const char *command, const char *arguments,
                          const char *start)
{
    json_array_clear(self->events);
    assert_true(session_fixture_command(self, command, arguments, NULL));
    session_fixture_run_to(self, "notice");
    const char *text = json_get_text(session_fixture_event(self, "notice", 0), "message");
    if (!str_has_prefix(text, start))
        fail_msg("%s says: %s", command, text);
}

/* Elsewhere in the session they go on, and what comes of them is delivered there. */
static void test_result_at_another_place(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = NULL;
    SessionFixture *self = open_with_shell();
    sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, "go"));
    begin_background(self, &path);
    g_autoptr(json_t) points = agent_session_branch_points(self->session, NULL);
    g_autofree char *arguments = g_strdup_printf(
        "{\"targetId\":\"%s\"}", json_get_text(json_array_get(points, 0), "entryId"));
    expect_notice(self, "navigate_tree", arguments,
                  "still running in the background: bg_1 (make).");
    sse_server_add_text(self->agent->server, "it is built");
    end_background(path);
    session_fixture_wait(self);
    g_autofree char *asked = sse_server_conversation(self->agent->server, 1);
    assert_non_null(strstr(asked, "Background job bg_1"));
    assert_null(strstr(asked, "fine"));
    session_fixture_free(self);
}

/* Another session ends them, and that is said. */
static void test_ended_by_a_new_session(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = NULL;
    SessionFixture *self = open_with_background(&path);
    g_clear_pointer(&background, job_unref);
    expect_notice(self, "new_session", NULL,
                  "background jobs end with their session; ended: bg_1 (make)");
    g_autoptr(json_t) jobs = agent_session_background_jobs(self->session, NULL);
    assert_int_equal(json_array_size(jobs), 0);
    session_fixture_free(self);
}

/* No thread that is asked for now can be made, and from then on again. */
static void stop_threads(pthread_attr_t *usual)
{
    pthread_attr_t endless;
    assert_int_equal(pthread_getattr_default_np(usual), 0);
    pthread_attr_init(&endless);
    assert_int_equal(pthread_attr_setstacksize(&endless, (size_t)1 << 46), 0);
    assert_int_equal(pthread_setattr_default_np(&endless), 0);
    pthread_attr_destroy(&endless);
}

/* Nothing that a person wrote is lost then. */
static void test_no_thread(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    session_fixture_open(self);
    sse_server_add_text(self->agent->server, "fine");
    sse_server_add_text(self->agent->server, "one");
    sse_server_add_text(self->agent->server, "two");
    assert_true(session_fixture_prompt(self, "go"));
    pthread_attr_t usual;
    stop_threads(&usual);
    assert_true(session_fixture_command(self, "follow_up", "{\"message\":\"and this\"}", NULL));
    session_fixture_run_to(self, "command_end");
    assert_int_equal(pthread_setattr_default_np(&usual), 0);
    pthread_attr_destroy(&usual);
    assert_int_equal(count_runs(self), 1);
    assert_true(session_fixture_prompt(self, "again"));
    assert_int_equal(sse_server_request_count(self->agent->server), 3);
    g_autofree char *asked = sse_server_conversation(self->agent->server, 2);
    assert_non_null(strstr(asked, "and this"));
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_after_abort),
        cmocka_unit_test(test_result_during_a_job),
        cmocka_unit_test(test_result_at_another_place),
        cmocka_unit_test(test_ended_by_a_new_session),
        cmocka_unit_test(test_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
