/*
 * Many children of a conversation: they share a few threads, and those that wait for children of
 * their own leave them to these.
 */
#include "unit.h"

#include "base/limits.h"
#include "model/message.h"
#include "session_fixture.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CHILDREN = 100, PARENTS = 3 * LIMIT_CHILD_RUNS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned running, most;

static void count(int change)
{
    pthread_mutex_lock(&lock);
    running += (unsigned)change;
    most = MAX(most, running);
    pthread_mutex_unlock(&lock);
}

typedef struct Child {
    SessionFixture *fixture;
    AgentSession *session;
    struct Child *child; // that its prompt waits for; NULL: none
    int has_ended;       // atomic
} Child;

static void on_child_event(json_t *event, void *self_)
{
    Child *self = self_;
    if (event_kind(event) == EVENT_COMMAND_END)
        g_atomic_int_set(&self->has_ended, 1);
}

static void child_start(void *self_);

/* On the thread of the run. */
static bool on_prompt(const json_t *message G_GNUC_UNUSED, json_t **ret_changed G_GNUC_UNUSED,
                      Cancel *cancel G_GNUC_UNUSED, void *self_, GError **error G_GNUC_UNUSED)
{
    Child *self = self_;
    if (self->child) {
        agent_session_begin_child_wait(self->session);
        loop_post(self->fixture->loop, child_start, self->child);
        while (!g_atomic_int_get(&self->child->has_ended))
            g_usleep(1000);
        agent_session_end_child_wait(self->session);
        return true;
    }
    count(1);
    g_usleep(2000);
    return true;
}

static void on_stop(const char *end, void *self_)
{
    const Child *self = self_;
    assert_string_equal(end, "done");
    if (!self->child)
        count(-1);
}

static void child_open(Child *self, SessionFixture *fixture, AgentSession *parent)
{
    const AgentSessionOptions options = {
        .parent = parent,
        .session = session_new(NULL, fixture->agent->root),
        .place = fixture->options.place,
        .all_tools = fixture->options.all_tools,
        .model = fixture->options.model,
    };
    self->fixture = fixture;
    self->session = agent_session_new(&options, NULL);
    const ToolHook hook = {
        .name = "counter",
        .prompt = on_prompt,
        .stop = on_stop,
        .user_data = self,
    };
    hook_list_add(agent_session_hooks(self->session), &hook, NULL);
    agent_session_subscribe(self->session,
                            &(SubscriberSpec) { DETAIL_NONE, true, on_child_event, self });
}

static void child_start(void *self_)
{
    Child *self = self_;
    g_autoptr(json_t) message = message_user("go");
    bool is_pending = false;
    assert_true(agent_session_prompt(self->session, message, NULL, NULL, &is_pending, NULL));
}

static void child_expect_done(Child *self)
{
    g_auto(AgentOutcome) outcome = { 0 };
    assert_true(agent_session_wait(self->session, &outcome, NULL));
    assert_int_equal(outcome.end, AGENT_DONE);
}

/* As much address space as there is now, and not enough for the stack of another thread. */
static G_GNUC_UNUSED void forbid_threads(struct rlimit *ret_before)
{
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
    assert_int_equal(getrlimit(RLIMIT_AS, ret_before), 0);
    struct rlimit low = *ret_before;
    low.rlim_cur = g_ascii_strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + 2 * MIB;
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
}

/* What cannot be begun ends with an error, and what comes later is as always. The first test: no
   thread has ended yet whose stack could be used again. */
static void test_no_thread(void **state G_GNUC_UNUSED)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); // they have mapped more than any limit
#else
    SessionFixture *self = session_fixture_new(NULL);
    Child child = { 0 };
    struct rlimit before;
    session_fixture_open(self);
    child_open(&child, self, self->session);
    forbid_threads(&before);
    child_start(&child);
    assert_true(session_fixture_command(self, "prompt", "{\"message\":\"go\"}", NULL));
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);

    g_autoptr(GError) error = NULL;
    AgentOutcome outcome;
    assert_false(agent_session_wait(child.session, &outcome, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    session_fixture_wait(self);
    assert_true(error_is(self->error, KEDGE_ERROR_LIMIT));
    sse_server_add_text(self->agent->server, "done");
    assert_true(session_fixture_prompt(self, "again"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    session_fixture_free(self);
#endif
}

static void test_many(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    Child children[CHILDREN] = { 0 };
    session_fixture_open(self);
    most = 0;
    for (size_t i = 0; i < CHILDREN; i++) {
        sse_server_add_text(self->agent->server, "done");
        child_open(&children[i], self, self->session);
        child_start(&children[i]);
    }
    for (size_t i = 0; i < CHILDREN; i++)
        child_expect_done(&children[i]);
    assert_int_equal(running, 0);
    assert_in_range(most, 2, LIMIT_CHILD_RUNS);
    session_fixture_free(self);
}

/* More than may run at once wait, each for another one. */
static void test_waiting_parents(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    Child parents[PARENTS] = { 0 }, children[PARENTS] = { 0 };
    session_fixture_open(self);
    most = 0;
    for (size_t i = 0; i < PARENTS; i++) {
        sse_server_add_text(self->agent->server, "done");
        sse_server_add_text(self->agent->server, "done");
        child_open(&parents[i], self, self->session);
        child_open(&children[i], self, parents[i].session);
        parents[i].child = &children[i];
        child_start(&parents[i]);
    }
    for (size_t i = 0; i < PARENTS; i++)
        child_expect_done(&parents[i]);
    assert_int_equal(running, 0);
    assert_in_range(most, 1, LIMIT_CHILD_RUNS);
    session_fixture_free(self);
}

/* Freed while most of them wait for their turn: none of them asks anything any more. */
static void test_freed_early(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    Child children[CHILDREN] = { 0 };
    session_fixture_open(self);
    for (size_t i = 0; i < LIMIT_CHILD_RUNS; i++)
        sse_server_add_hanging(self->agent->server, "so");
    for (size_t i = 0; i < CHILDREN; i++) {
        const AgentSessionOptions options = {
            .parent = self->session,
            .session = session_new(NULL, self->agent->root),
            .place = self->options.place,
            .all_tools = self->options.all_tools,
            .model = self->options.model,
        };
        children[i].session = agent_session_new(&options, NULL);
        child_start(&children[i]);
    }
    cancel_fire(self->agent->cancel);
    agent_session_free(g_steal_pointer(&self->session));
    assert_in_range(sse_server_request_count(self->agent->server), 0, LIMIT_CHILD_RUNS);
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_thread),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_waiting_parents),
        cmocka_unit_test(test_freed_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
