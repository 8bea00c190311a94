/*
 * agenttools/task: leases, tries, waiting, history. Time is moved by the tests.
 */
#include "task_fixture.h"

#define CREATE    &operation_task_create
#define PICKUP    &operation_task_pickup
#define COMPLETE  &operation_task_complete
#define FAIL      &operation_task_fail
#define CANCEL    &operation_task_cancel
#define GET       &operation_task_get
#define LIST      &operation_task_list
#define HEARTBEAT &operation_task_heartbeat
#define RELEASE   &operation_task_release
#define RETRY     &operation_task_retry

#define NEW     CREATE, "{'type':'t','description':'d'}"
#define INVALID .code = "invalid_state"
#define LOST    .code = "lease_lost"

static void test_expired_lease(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-07", 0, NEW, "{'id':1}" },
        { NULL, 0, PICKUP, "{'worker':'w1','leaseSeconds':1}",
          "{'id':1,'attempts':1,'startedAt':'2026-03-04T05:06:07.089Z','lease':{'owner':'w1',"
          "'expiresAt':'2026-03-04T05:06:08.089Z','heartbeatAt':'2026-03-04T05:06:07.089Z'}}" },
        { NULL, 999, PICKUP, "{'worker':'w2'}", "null" },
        { NULL, 1001, PICKUP, "{'worker':'w2'}",
          "{'id':1,'attempts':2,'error':'Lease expired','lease':{'owner':'w2'}}" },
        { NULL, 0, COMPLETE, "{'id':1,'leaseToken':'$1'}", LOST,
          .error = "Lease lost: task 1 is held by another worker" },
        { NULL, 0, FAIL, "{'id':1,'leaseToken':'$1'}", LOST,
          .error = "Lease lost: task 1 is held by another worker" },
        { NULL, 0, HEARTBEAT, "{'id':1,'leaseToken':'$1'}", LOST,
          .error = "Lease lost: task 1 is held by another worker" },
        { NULL, 0, RELEASE, "{'id':1,'leaseToken':'$1'}", LOST,
          .error = "Lease lost: task 1 is held by another worker" },
        { NULL, 0, COMPLETE, "{'id':1,'leaseToken':'$2'}", "{'status':'completed','error':null}" },
        { NULL, 0, GET, "{'id':1,'history':true}",
          "{'history':[{'from':null,'to':'pending'},"
          "{'from':'pending','to':'in_progress','worker':'w1','note':null},"
          "{'at':'2026-03-04T05:06:09.089Z','from':'in_progress','to':'pending','worker':'w1',"
          "'note':'Lease expired'},"
          "{'from':'pending','to':'in_progress','worker':'w2'},"
          "{'from':'in_progress','to':'completed','worker':'w2','note':null}]}" },
        { 0 },
    };
    task_play(steps);
}

/* Whoever looks, sees what is true by then. */
static void test_expiry_shows_everywhere(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "list", 0, NEW, "{'id':1}" },
        { NULL, 0, PICKUP, "{'leaseSeconds':1}", "{'id':1}" },
        { NULL, 999, LIST, "{}", "[{'status':'in_progress'}]" },
        { NULL, 1, LIST, "{}", "[{'status':'pending','lease':null,'startedAt':null}]" },
        { "get", 0, PICKUP, "{'leaseSeconds':1}", "{'id':1}" },
        { NULL, 1000, GET, "{'id':1}", "{'status':'pending','attempts':2}" },
        { "the late worker", 0, COMPLETE, "{'id':1,'leaseToken':'$2'}", INVALID,
          .error = "Task 1 is pending; only in_progress tasks can be completed" },
        { "never expires", 0, PICKUP, "{'leaseSeconds':0}", "{'lease':{'expiresAt':null}}" },
        { NULL, INT64_C(86400000) * 400, GET, "{'id':1}", "{'status':'in_progress','attempts':3}" },
        { NULL, 0, HEARTBEAT, "{'id':1,'leaseToken':'$3'}", "{'lease':{'expiresAt':null}}" },
        { NULL, 0, HEARTBEAT, "{'id':1,'leaseToken':'$3','leaseSeconds':5}",
          "{'id':1,'cancelled':false}" },
        { NULL, 5000, GET, "{'id':1}",
          "{'status':'failed','error':'Lease expired after 3 attempts'}" },
        { 0 },
    };
    task_play(steps);
}

static void test_last_try_expires(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-08", 0, CREATE, "{'type':'t','description':'d','maxAttempts':1}", "{'id':1}" },
        { NULL, 0, CREATE,
          "{'type':'t','description':'d','dependsOn':[1],'onDependencyFailure':'cancel'}",
          "{'id':2}" },
        { NULL, 0, PICKUP, "{'leaseSeconds':1}", "{'id':1}" },
        { NULL, 1000, GET, "{'id':1}",
          "{'status':'failed','error':'Lease expired after 1 attempts','attempts':1,"
          "'finishedAt':'2026-03-04T05:06:08.089Z'}" },
        { NULL, 0, GET, "{'id':2}",
          "{'status':'cancelled','error':'Cancelled: dependency 1 failed'}" },
        { NULL, 0, PICKUP, "{}", "null" },
        { 0 },
    };
    task_play(steps);
}

static void test_heartbeat(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-09", 0, NEW, "{'id':1}" },
        { NULL, 0, PICKUP, "{'leaseSeconds':2}", "{'id':1}" },
#define BEAT                                                                                       \
    { NULL, 1000, HEARTBEAT, "{'id':1,'leaseToken':'$1'}", "{'cancelled':false}" },                \
        { NULL, 0, PICKUP, "{}", "null" }
        BEAT,
        BEAT,
        BEAT,
        BEAT,
        BEAT,
        BEAT,
#undef BEAT
        { NULL, 1999, GET, "{'id':1}",
          "{'status':'in_progress','lease':{'expiresAt':'2026-03-04T05:06:15.089Z',"
          "'heartbeatAt':'2026-03-04T05:06:13.089Z'}}" },
        { NULL, 1, PICKUP, "{}", "{'id':1,'attempts':2}" },
        { 0 },
    };
    task_play(steps);
}

static void test_tries(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-10 with tries left", 0, NEW, "{'id':1}" },
        { NULL, 0, PICKUP, "{}", "{'id':1}" },
        { NULL, 0, FAIL, "{'id':1,'error':'timeout','leaseToken':'$1'}",
          "{'status':'pending','error':'timeout','willRetry':true,'attempts':1,'lease':null,"
          "'availableAt':'2026-03-04T05:06:12.089Z'}" },
        { NULL, 4999, PICKUP, "{}", "null" },
        { NULL, 1, PICKUP, "{}", "{'id':1,'attempts':2}" },
        { NULL, 0, FAIL, "{'id':1,'result':'again'}",
          "{'error':'again','availableAt':'2026-03-04T05:06:22.089Z'}" },
        { NULL, 10000, PICKUP, "{}", "{'id':1,'attempts':3}" },
        { "cli-C-10 without", 0, FAIL, "{'id':1}",
          "{'status':'failed','error':null,'willRetry':false,"
          "'finishedAt':'2026-03-04T05:06:22.089Z'}" },
        { "cli-C-10 noRetry", 0, NEW, "{'id':2}" },
        { NULL, 0, PICKUP, "{}", "{'id':2}" },
        { NULL, 0, FAIL, "{'id':2,'noRetry':true,'error':'no'}",
          "{'status':'failed','willRetry':false,'error':'no','attempts':1}" },
        { "retry", 0, RETRY, "{'id':2}",
          "{'status':'pending','attempts':0,'error':null,'finishedAt':null,'startedAt':null}" },
        { NULL, 0, PICKUP, "{}", "{'id':2,'attempts':1}" },
        { 0 },
    };
    task_play(steps);
}

/* 2^(attempts-1) times 5 s, at most 300 s. */
static void test_back_off(void **state G_GNUC_UNUSED)
{
    static const int want[] = { 5, 10, 20, 40, 80, 160, 300, 300, 300 };
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    json_decref(
        operation_data(fixture->tool, CREATE, "{'type':'t','description':'d','maxAttempts':100}"));
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++) {
        json_decref(operation_data(fixture->tool, PICKUP, "{}"));
        json_decref(operation_data(fixture->tool, FAIL, "{'id':1}"));
        fixture->now_ms += want[i] * 1000 - 1;
        g_autoptr(json_t) early = operation_data(fixture->tool, PICKUP, "{}");
        assert_true(json_is_null(early));
        fixture->now_ms += 1;
    }
}

static void test_repeated_complete(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-16", 0, NEW, "{'id':1}" },
        { NULL, 0, PICKUP, "{}", "{'id':1}" },
        { NULL, 0, COMPLETE, "{'id':1,'result':[1],'leaseToken':'$1'}",
          "{'status':'completed','result':[1]}" },
        { NULL, 9, COMPLETE, "{'id':1,'result':[2],'leaseToken':'$1'}",
          "{'status':'completed','result':[1],'finishedAt':'2026-03-04T05:06:07.089Z'}" },
        { NULL, 0, COMPLETE, "{'id':1,'leaseToken':'00000000000000000000000000000000'}", INVALID,
          .error = "Task 1 is completed; only in_progress tasks can be completed" },
        { NULL, 0, FAIL, "{'id':1,'leaseToken':'$1'}", INVALID,
          .error = "Task 1 is completed; only in_progress tasks can be failed" },
        { NULL, 0, HEARTBEAT, "{'id':1,'leaseToken':'$1'}", INVALID,
          .error = "Task 1 is completed; only in_progress tasks can be extended" },
        { 0 },
    };
    task_play(steps);
}

static void test_cancelled_in_progress(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-18", 0, NEW, "{'id':1}" },
        { NULL, 0, PICKUP, "{'worker':'w1'}", "{'id':1}" },
        { NULL, 0, CANCEL, "{'id':1,'reason':'superseded'}",
          "{'status':'cancelled','error':'superseded','lease':null}" },
        { NULL, 0, HEARTBEAT, "{'id':1,'leaseToken':'$1'}",
          "{'id':1,'cancelled':true,'lease':null}" },
        { NULL, 0, COMPLETE, "{'id':1,'leaseToken':'$1'}", INVALID,
          .error = "Task 1 is cancelled; only in_progress tasks can be completed" },
        { NULL, 0, GET, "{'id':1,'history':true}",
          "{'history':[{},{},{'from':'in_progress','to':'cancelled','worker':'w1',"
          "'note':'superseded'}]}" },
        { 0 },
    };
    task_play(steps);
}

static void test_release(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "release", 0, NEW, "{'id':1}" },
        { NULL, 0, PICKUP, "{}", "{'id':1,'attempts':1}" },
        { NULL, 0, RELEASE, "{'id':1}", .code = "validation",
          .error = "Validation failed: leaseToken is required and must be a non-empty string" },
        { NULL, 0, RELEASE, "{'id':1,'leaseToken':'$1'}",
          "{'status':'pending','attempts':0,'lease':null,'startedAt':null}" },
        { NULL, 0, RELEASE, "{'id':1,'leaseToken':'$1'}", INVALID,
          .error = "Task 1 is pending; only in_progress tasks can be released" },
        { NULL, 0, PICKUP, "{}", "{'id':1,'attempts':1}" },
        { 0 },
    };
    task_play(steps);
}

static void test_tokens(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int i = 0; i < 20; i++) {
        json_decref(operation_data(fixture->tool, NEW));
        g_autoptr(json_t) data = operation_data(fixture->tool, PICKUP, "{}");
        const char *token = json_get_text(data, "leaseToken");
        assert_int_equal(strlen(token), 32);
        assert_int_equal(strspn(token, "0123456789abcdef"), 32);
        assert_true(g_hash_table_add(seen, g_strdup(token)));
        g_autoptr(json_t) shown = operation_data(fixture->tool, LIST, "{}");
        g_autofree char *text = json_to_text(shown);
        assert_null(strstr(text, token)); // only to whoever picked up
        g_autofree char *owner = g_strdup_printf("%s:%d", g_get_host_name(), (int)getpid());
        assert_string_equal(json_get_text(json_get_object(data, "lease"), "owner"), owner);
    }
}

static void create_one(TaskFixture *self)
{
    if (self->sleeps->len == 3)
        json_decref(operation_data(self->tool, NEW));
}

static void assert_sleeps(const TaskFixture *fixture, const char *want)
{
    g_autoptr(GString) got = g_string_new(NULL);
    for (unsigned i = 0; i < fixture->sleeps->len; i++)
        g_string_append_printf(got, "%" G_GINT64_FORMAT " ",
                               g_array_index(fixture->sleeps, int64_t, i));
    assert_text("sleeps", got->str, want);
}

static void test_wait(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) none = task_fixture_new(NULL);
    g_autoptr(json_t) nothing = operation_data(none->tool, PICKUP, "{'waitSeconds':6}");
    assert_true(json_is_null(nothing));
    assert_sleeps(none, "200 400 800 1600 2000 1000 ");

    g_autoptr(TaskFixture) later = task_fixture_new(NULL);
    later->on_sleep = create_one;
    g_autoptr(json_t) data = operation_data(later->tool, PICKUP, "{'waitSeconds':600}");
    assert_int_equal(json_get_int(data, "id", 0), 1);
    assert_sleeps(later, "200 400 800 ");
}

typedef struct Waiter {
    TaskFixture *fixture;
    Cancel *cancel;
} Waiter;

static bool fire_and_sleep(void *waiter_, int64_t duration_ms, Cancel *cancel, GError **error)
{
    Waiter *waiter = waiter_;
    cancel_fire(waiter->cancel);
    return cancel_sleep(cancel, duration_ms, error);
}

static int64_t waiter_now(void *waiter)
{
    return ((Waiter *)waiter)->fixture->now_ms;
}

static void test_wait_is_cancelled(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Waiter waiter = { fixture, cancel };
    const ToolClock clock = { waiter_now, fire_and_sleep, &waiter };
    tool_context_set_clock(fixture->tool->context, &clock);
    g_autoptr(json_t) arguments = json_of("{'waitSeconds':600}");
    const ToolDoor door = { .kind = DOOR_TYPED, .via = "cli" };
    const ToolCallSpec spec = { .tool = &operation_task_pickup.tool,
                                .arguments = arguments,
                                .context = fixture->tool->context,
                                .door = &door,
                                .cancel = cancel };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
}

/* What the arguments ask for comes on top of the operation's own time. */
static void test_extra_time(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) arguments = json_of("{'waitSeconds':600}");
    const OperationDef *pickup = PICKUP;
    g_autofree void *args = g_malloc0(pickup->tool.args_size);
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    assert_true(field_decode(pickup->tool.fields, arguments, FIELD_EXACT, args, &kept, problems));
    assert_int_equal(pickup->extra_ms(args), 600 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expired_lease),
        cmocka_unit_test(test_expiry_shows_everywhere),
        cmocka_unit_test(test_last_try_expires),
        cmocka_unit_test(test_heartbeat),
        cmocka_unit_test(test_tries),
        cmocka_unit_test(test_back_off),
        cmocka_unit_test(test_repeated_complete),
        cmocka_unit_test(test_cancelled_in_progress),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_wait_is_cancelled),
        cmocka_unit_test(test_extra_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
