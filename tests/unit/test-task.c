/*
 * agenttools/task: creating, ordering, dependencies, idempotency, lists, statistics, pruning.
 */
#include "task_fixture.h"

#include "git_fixture.h"

#define CREATE   &operation_task_create
#define LIST     &operation_task_list
#define PICKUP   &operation_task_pickup
#define COMPLETE &operation_task_complete
#define FAIL     &operation_task_fail
#define CANCEL   &operation_task_cancel
#define GET      &operation_task_get
#define RETRY    &operation_task_retry
#define STATS    &operation_task_stats
#define PRUNE    &operation_task_prune

#define NEW       CREATE, "{'type':'t','description':'d'}"
#define DAY_MS    (INT64_C(86400) * 1000)
#define INVALID   .code = "invalid_state"
#define REFUSED   .code = "validation"
#define NOT_FOUND .code = "not_found"

static void test_create_get_list(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-01", 0, CREATE,
          "{'type':'check','description':'Review','payload':{'severity':'high'},"
          "'projectPath':'/srv/app/./x/..','priority':5,'idempotencyKey':'nightly'}",
          "{'id':1,'type':'check','description':'Review','status':'pending',"
          "'payload':{'severity':'high'},'projectPath':'/srv/app','result':null,'error':null,"
          "'createdAt':'2026-03-04T05:06:07.089Z','updatedAt':'2026-03-04T05:06:07.089Z',"
          "'priority':5,'runId':null,'dependsOn':[],'blockedBy':[],'attempts':0,'maxAttempts':3,"
          "'availableAt':'2026-03-04T05:06:07.089Z','idempotencyKey':'nightly','lease':null,"
          "'startedAt':null,'finishedAt':null,'created':true}" },
        { NULL, 1000, CREATE,
          "{'type':'t','description':'d','dependsOn':[1,1],'runId':'r','delaySeconds':60,"
          "'maxAttempts':1,'payload':'[text]'}",
          "{'id':2,'payload':'[text]','projectPath':null,'dependsOn':[1],'blockedBy':[1],"
          "'runId':'r','availableAt':'2026-03-04T05:07:08.089Z','maxAttempts':1,'created':true}" },
        { NULL, 0, CREATE,
          "{'type':'t','description':'d','availableAt':'2026-03-05T01:00:00+01:00'}",
          "{'id':3,'availableAt':'2026-03-05T00:00:00.000Z'}" },
        { NULL, 0, GET, "{'id':2}", "{'id':2,'dependsOn':[1],'blockedBy':[1]}" },
        { NULL, 0, GET, "{'id':1,'history':true}",
          "{'id':1,'history':[{'at':'2026-03-04T05:06:07.089Z','from':null,'to':'pending',"
          "'worker':null,'note':'created'}]}" },
        { NULL, 0, LIST, "{}", "[{'id':1},{'id':2,'dependsOn':[1],'blockedBy':[1]},{'id':3}]" },
        { 0 },
    };
    task_play(steps);
}

/* The order of the record's keys is part of the contract. */
static void test_key_order(void **state G_GNUC_UNUSED)
{
    static const char want[] =
        "id type description status payload projectPath result error createdAt updatedAt priority "
        "runId dependsOn blockedBy attempts maxAttempts availableAt idempotencyKey lease startedAt "
        "finishedAt created ";
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    g_autoptr(json_t) data = operation_data(fixture->tool, NEW);
    g_autoptr(GString) got = g_string_new(NULL);
    const char *key;
    json_t *value;
    json_object_foreach (data, key, value)
        g_string_append_printf(got, "%s ", key);
    assert_text("cli-C-01 keys", got->str, want);
}

static void test_refused_input(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-02", 0, CREATE, "{'type':' ','description':'d'}", REFUSED,
          .error = "Task type must be a non-empty string" },
        { NULL, 0, CREATE, "{'type':'t','description':'\\t'}", REFUSED,
          .error = "Task description must be a non-empty string" },
        { NULL, 0, CREATE, "{'type':'t'}", REFUSED,
          .error = "Task description must be a non-empty string" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','projectPath':'srv/app'}", REFUSED,
          .error = "Project path must be an absolute path" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','projectPath':''}", REFUSED,
          .error = "Project path must be an absolute path" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','dependsOn':[99]}", NOT_FOUND,
          .error = "Dependency 99 not found" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','priority':101}", REFUSED,
          .error = "Validation failed: priority must be an integer from -100 to 100" },
        { NULL, 0, CREATE,
          "{'type':'t','description':'d','delaySeconds':0,'availableAt':'2026-03-04T05:06:07Z'}",
          REFUSED, .error = "Validation failed: availableAt and delaySeconds exclude each other" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','availableAt':'tomorrow'}", REFUSED,
          .error = "Validation failed: availableAt must be a time such as "
                   "2026-03-04T05:06:07.089Z" },
        { NULL, 0, LIST, "{'status':['pending','done']}", REFUSED,
          .error = "Invalid status filter 'done'. Valid values: pending, in_progress, completed, "
                   "failed, cancelled" },
        { NULL, 0, LIST, "{'limit':0}", REFUSED, .error = "Limit must be a positive integer" },
        { NULL, 0, LIST, "{'limit':1001}", REFUSED,
          .error = "Validation failed: limit must be an integer from 1 to 1000" },
        { NULL, 0, GET, "{'id':'7'}", REFUSED, .error = "Task ID must be a positive integer" },
        { NULL, 0, GET, "{'id':0}", REFUSED, .error = "Task ID must be a positive integer" },
        { NULL, 0, COMPLETE, "{}", REFUSED, .error = "Task ID must be a positive integer" },
        { NULL, 0, PICKUP, "{'projectPath':'app'}", REFUSED,
          .error = "Project path must be an absolute path" },
        { NULL, 0, PICKUP, "{'leaseSeconds':86401}", REFUSED,
          .error = "Validation failed: leaseSeconds must be an integer from 0 to 86400" },
        { NULL, 0, FAIL, "{'id':1,'error':'a','result':'b'}", REFUSED,
          .error = "Validation failed: error and result are two names of one text" },
        { NULL, 0, LIST, "{}", "[]" },
        { 0 },
    };
    task_play(steps);
}

/* `--payload '{'` of cli-C-02: what a flag's word is, is said by its field. */
static void test_payload_flag(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *word, *want, *error;
    } cases[] = {
        { "cli-C-02 no JSON", "{", NULL, "Task payload must be valid JSON" },
        { "an object", "{\"a\":1}", "{\"payload\":{\"a\":1}}", NULL },
        { "a number", "7", "{\"payload\":7}", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *argv[] = { (char *)"--payload", (char *)cases[i].word };
        g_autoptr(json_t) arguments = NULL;
        g_autoptr(GError) error = NULL;
        bool is_good = field_from_argv_raw(operation_task_create.tool.fields, 2, argv, &arguments,
                                           NULL, NULL, &error);
        g_autofree char *text = is_good ? json_to_text(arguments) : g_strdup(error->message);
        assert_text(cases[i].name, text, cases[i].want ? cases[i].want : cases[i].error);
    }
}

static void test_sizes(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    static const struct {
        const char *name, *format, *error;
        size_t size;
    } cases[] = {
        { "longest type", "{'type':'%s','description':'d'}", NULL, 100 },
        { "type", "{'type':'%s','description':'d'}",
          "Validation failed: type is too long: 101 characters (limit 100)", 101 },
        { "longest description", "{'type':'t','description':'%s'}", NULL, 10000 },
        { "description", "{'type':'t','description':'%s'}",
          "Validation failed: description is too long: 10001 characters (limit 10000)", 10001 },
        { "key", "{'type':'t','description':'d','idempotencyKey':'%s'}",
          "Validation failed: idempotencyKey is too long: 201 characters (limit 200)", 201 },
        { "longest payload", "{'type':'t','description':'d','payload':'%s'}", NULL, 1048574 },
        { "payload", "{'type':'t','description':'d','payload':'%s'}",
          "Validation failed: payload is too long: 1048577 bytes (limit 1048576)", 1048575 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *filling = g_strnfill(cases[i].size, 'x');
        g_auto(GStrv) parts = g_strsplit(cases[i].format, "%s", 2);
        g_autofree char *arguments = g_strconcat(parts[0], filling, parts[1], NULL);
        g_autoptr(json_t) envelope = operation_call(fixture->tool, CREATE, json_of(arguments));
        const char *got = json_string_value(json_array_get(json_get_array(envelope, "errors"), 0));
        if (g_strcmp0(got, cases[i].error) != 0)
            fail_msg("%s: %s", cases[i].name, got);
    }
}

static void test_priorities(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-03", 0, PICKUP, "{}", "null" },
        { "cli-C-04", 0, NEW, "{'id':1}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','priority':5}", "{'id':2}" },
        { NULL, 0, NEW, "{'id':3}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','priority':100,'delaySeconds':1}",
          "{'id':4}" },
        { NULL, 0, PICKUP, "{}", "{'id':2,'status':'in_progress','attempts':1}" },
        { NULL, 0, PICKUP, "{}", "{'id':1}" },
        { NULL, 0, PICKUP, "{}", "{'id':3}" },
        { NULL, 0, PICKUP, "{}", "null" },
        { NULL, 999, PICKUP, "{}", "null" },
        { NULL, 1, PICKUP, "{}", "{'id':4}" },
        { 0 },
    };
    task_play(steps);
}

static void test_refused_moves(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-06", 0, NEW, "{'id':1}" },
        { NULL, 0, COMPLETE, "{'id':1}", INVALID,
          .error = "Task 1 is pending; only in_progress tasks can be completed" },
        { NULL, 0, FAIL, "{'id':1}", INVALID,
          .error = "Task 1 is pending; only in_progress tasks can be failed" },
        { NULL, 0, RETRY, "{'id':1}", INVALID,
          .error = "Task 1 is pending; only failed tasks can be retried" },
        { NULL, 0, PICKUP, "{}", "{'id':1}" },
        { NULL, 0, COMPLETE, "{'id':1,'result':{'resolved':3}}",
          "{'id':1,'status':'completed','result':{'resolved':3},'lease':null,"
          "'finishedAt':'2026-03-04T05:06:07.089Z'}" },
        { NULL, 0, FAIL, "{'id':1}", INVALID,
          .error = "Task 1 is completed; only in_progress tasks can be failed" },
        { NULL, 0, CANCEL, "{'id':1}", INVALID,
          .error = "Task 1 is completed; only pending or in_progress tasks can be cancelled" },
        { NULL, 0, COMPLETE, "{'id':1}", INVALID,
          .error = "Task 1 is completed; only in_progress tasks can be completed" },
        { NULL, 0, GET, "{'id':999}", NOT_FOUND, .error = "Task 999 not found" },
        { NULL, 0, CANCEL, "{'id':9}", NOT_FOUND, .error = "Task 9 not found" },
        { NULL, 0, GET, "{'id':1}", "{'status':'completed'}" },
        { 0 },
    };
    task_play(steps);
}

/* error_details of a refusal (agent-tools-cli §3.9). */
static void test_error_details(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    json_decref(operation_data(fixture->tool, NEW));
    g_autoptr(json_t) got = operation_call(fixture->tool, COMPLETE, json_of("{'id':1}"));
    g_autofree char *text = json_to_text(got);
    assert_text("details", text,
                "{\"success\":false,\"tool\":\"task\",\"errors\":[\"Task 1 is pending; only "
                "in_progress tasks can be completed\"],\"error_details\":[{\"code\":"
                "\"invalid_state\",\"message\":\"Task 1 is pending; only in_progress tasks can be "
                "completed\",\"id\":1,\"status\":\"pending\"}]}");
}

static void test_idempotency(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-11", 0, CREATE,
          "{'type':'t','description':'d','payload':{'a':1,'b':[2]},'idempotencyKey':'K'}",
          "{'id':1,'created':true}" },
        { NULL, 5000, CREATE,
          "{'idempotencyKey':'K','payload':{'b':[2],'a':1},'priority':0,'description':'d',"
          "'type':'t','dependsOn':[]}",
          "{'id':1,'created':false,'createdAt':'2026-03-04T05:06:07.089Z'}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','payload':{'a':2},'idempotencyKey':'K'}",
          .code = "conflict",
          .error = "Idempotency key \"K\" was already used for task 1 with different input" },
        { NULL, 0, CREATE,
          "{'type':'t','description':'d','delaySeconds':1,'payload':{'a':1,'b':[2]},"
          "'idempotencyKey':'K'}",
          .code = "conflict",
          .error = "Idempotency key \"K\" was already used for task 1 with different input" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','projectPath':'/b','idempotencyKey':'K'}",
          "{'id':2,'created':true}" },
        { NULL, 0, PICKUP, "{}", "{'id':1}" },
        { NULL, 0, CREATE,
          "{'type':'t','description':'d','payload':{'a':1,'b':[2]},'idempotencyKey':'K'}",
          "{'id':1,'created':false,'status':'in_progress'}" },
        { NULL, 0, NEW, "{'id':3,'created':true}" },
        { 0 },
    };
    task_play(steps);
}

#define CHAIN(Mode)                                                                                \
    { NULL, 0, CREATE, "{'type':'t','description':'d','maxAttempts':1}", "{'id':1}" },             \
        { NULL, 0, CREATE,                                                                         \
          "{'type':'t','description':'d','dependsOn':[1],'onDependencyFailure':'" Mode "'}",       \
          "{'id':2,'blockedBy':[1]}" },                                                            \
        { NULL, 0, CREATE,                                                                         \
          "{'type':'t','description':'d','dependsOn':[2],'onDependencyFailure':'" Mode "'}",       \
          "{'id':3,'blockedBy':[2]}" },                                                            \
        { NULL, 0, PICKUP, "{'worker':'w1'}", "{'id':1}" },                                        \
    {                                                                                              \
        NULL, 0, PICKUP, "{}", "null"                                                              \
    }

static void test_dependencies(void **state G_GNUC_UNUSED)
{
    static const TaskStep completed[] = {
        CHAIN("block"),
        { "completed", 0, COMPLETE, "{'id':1}", "{'id':1}" },
        { NULL, 0, LIST, "{'blocked':true}", "[{'id':3,'blockedBy':[2]}]" },
        { NULL, 0, PICKUP, "{}", "{'id':2,'dependsOn':[1],'blockedBy':[]}" },
        { NULL, 0, PICKUP, "{}", "null" },
        { "made after", 0, CREATE, "{'type':'t','description':'d','dependsOn':[1]}",
          "{'id':4,'blockedBy':[]}" },
        { NULL, 0, PICKUP, "{}", "{'id':4}" },
        { 0 },
    };
    task_play(completed);
    static const TaskStep blocked[] = {
        CHAIN("block"),
        { "cli-C-13 block", 0, FAIL, "{'id':1,'error':'no'}",
          "{'status':'failed','error':'no','willRetry':false}" },
        { NULL, 0, LIST, "{'status':'pending'}",
          "[{'id':2,'blockedBy':[1]},{'id':3,'blockedBy':[2]}]" },
        { NULL, 0, PICKUP, "{}", "null" },
        { NULL, 0, RETRY, "{'id':1}", "{'status':'pending','attempts':0,'error':null}" },
        { NULL, 0, PICKUP, "{}", "{'id':1,'attempts':1}" },
        { NULL, 0, COMPLETE, "{'id':1}", "{'status':'completed'}" },
        { NULL, 0, PICKUP, "{}", "{'id':2}" },
        { 0 },
    };
    task_play(blocked);
    static const TaskStep cancelled[] = {
        CHAIN("cancel"),
        { "cli-C-13 cancel", 7, FAIL, "{'id':1,'error':'no'}", "{'status':'failed'}" },
        { NULL, 0, GET, "{'id':2,'history':true}",
          "{'status':'cancelled','error':'Cancelled: dependency 1 failed',"
          "'finishedAt':'2026-03-04T05:06:07.096Z','history':[{'from':null},{'from':'pending',"
          "'to':'cancelled','note':'Cancelled: dependency 1 failed'}]}" },
        { NULL, 0, GET, "{'id':3}",
          "{'status':'cancelled','error':'Cancelled: dependency 2 was cancelled'}" },
        { "made late", 0, CREATE,
          "{'type':'t','description':'d','dependsOn':[1],'onDependencyFailure':'cancel'}",
          "{'id':4,'status':'cancelled','error':'Cancelled: dependency 1 failed','blockedBy':[1],"
          "'finishedAt':'2026-03-04T05:06:07.096Z'}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','dependsOn':[1]}",
          "{'id':5,'status':'pending','blockedBy':[1]}" },
        { NULL, 0, PICKUP, "{}", "null" },
        { 0 },
    };
    task_play(cancelled);
}

/* Two ways lead to a task; it is looked at once, and only those that asked for it are cancelled. */
static void test_dependents_of_dependents(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "diamond", 0, NEW, "{'id':1}" },
        { NULL, 0, CREATE,
          "{'type':'t','description':'d','dependsOn':[1],'onDependencyFailure':'cancel'}",
          "{'id':2}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','dependsOn':[1]}", "{'id':3}" },
        { NULL, 0, CREATE,
          "{'type':'t','description':'d','dependsOn':[3,2,1],'onDependencyFailure':'cancel'}",
          "{'id':4,'dependsOn':[1,2,3],'blockedBy':[1,2,3]}" },
        { NULL, 0, CANCEL, "{'id':1,'reason':'superseded'}",
          "{'status':'cancelled','error':'superseded'}" },
        { NULL, 0, LIST, "{}",
          "[{'id':1},{'status':'cancelled','error':'Cancelled: dependency 1 was cancelled'},"
          "{'status':'pending'},"
          "{'status':'cancelled','error':'Cancelled: dependency 1 was cancelled'}]" },
        { 0 },
    };
    task_play(steps);
}

static void test_projects(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "cli-C-14", 0, NEW, "{'id':1}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','projectPath':'/b'}", "{'id':2}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','projectPath':'/a'}", "{'id':3}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','projectPath':'/a/x'}", "{'id':4}" },
        { NULL, 0, LIST, "{'projectPath':'/a'}", "[{'id':3}]" },
        { NULL, 0, PICKUP, "{'projectPath':'/a/'}", "{'id':3}" },
        { NULL, 0, PICKUP, "{'projectPath':'/a'}", "null" },
        { NULL, 0, PICKUP, "{'projectPath':'/a','includeGlobal':true}", "{'id':1}" },
        { NULL, 0, PICKUP, "{'projectPath':'/a','includeGlobal':true}", "null" },
        { NULL, 0, PICKUP, "{}", "{'id':2}" },
        { NULL, 0, PICKUP, "{}", "{'id':4}" },
        { 0 },
    };
    task_play(steps);
}

static void test_linked_worktree(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    g_autoptr(GitFixture) git = git_fixture_new();
    g_autofree char *linked = g_build_filename(fixture->tool->root, "linked", NULL);
    git_do(git->work, "worktree", "add", "-q", "-b", "other", linked, NULL);
    const char *const places[] = { linked, git->work };
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *arguments =
            g_strdup_printf("{'type':'t','description':'d','projectPath':'%s'}", places[i]);
        g_autoptr(json_t) data = operation_data(fixture->tool, CREATE, arguments);
        assert_text("cli-C-15", json_get_text(data, "projectPath"), git->work);
    }
    g_autofree char *filter = g_strdup_printf("{'projectPath':'%s'}", linked);
    g_autoptr(json_t) data = operation_data(fixture->tool, PICKUP, filter);
    assert_int_equal(json_get_int(data, "id", 0), 1);
    git_do(git->work, "worktree", "remove", "--force", linked, NULL);
}

static void test_list(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "list", 0, NEW, "{'id':1}" },
        { NULL, 0, CREATE, "{'type':'u','description':'d','runId':'r','dependsOn':[1]}",
          "{'id':2}" },
        { NULL, 0, CREATE, "{'type':'v','description':'d','projectPath':'/a'}", "{'id':3}" },
        { NULL, 0, CREATE, "{'type':'u','description':'d','dependsOn':[1,3]}", "{'id':4}" },
        { NULL, 0, PICKUP, "{'type':['v']}", "{'id':3}" },
        { NULL, 0, COMPLETE, "{'id':3}", "{}" },
        { NULL, 0, PICKUP, "{'type':['x','t']}", "{'id':1}" },
        { NULL, 0, LIST, "{'status':'pending'}", "[{'id':2},{'id':4,'blockedBy':[1]}]" },
        { NULL, 0, LIST, "{'status':['completed','in_progress']}", "[{'id':1},{'id':3}]" },
        { NULL, 0, LIST, "{'status':['completed, in_progress'],'order':'desc'}",
          "[{'id':3},{'id':1}]" },
        { NULL, 0, LIST, "{'type':'u'}", "[{'id':2},{'id':4}]" },
        { NULL, 0, LIST, "{'type':['t','v']}", "[{'id':1},{'id':3}]" },
        { NULL, 0, LIST, "{'runId':'r'}", "[{'id':2}]" },
        { NULL, 0, LIST, "{'limit':2}", "[{'id':1},{'id':2}]" },
        { NULL, 0, LIST, "{'limit':2,'after':2}", "[{'id':3},{'id':4,'dependsOn':[1,3]}]" },
        { NULL, 0, LIST, "{'limit':2,'after':4,'order':'desc'}",
          "[{'id':3,'dependsOn':[]},{'id':2,'dependsOn':[1]}]" },
        { NULL, 0, LIST, "{'order':'desc','limit':1}",
          "[{'id':4,'dependsOn':[1,3],'blockedBy':[1]}]" },
        { NULL, 0, LIST, "{'order':'desc'}",
          "[{'id':4,'dependsOn':[1,3]},{'id':3},{'id':2,'dependsOn':[1]},{'id':1}]" },
        { 0 },
    };
    task_play(steps);
}

static void test_stats_and_prune(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "stats", 0, STATS, "{}",
          "{'pending':0,'in_progress':0,'completed':0,'failed':0,'cancelled':0,"
          "'oldestPendingSeconds':null,'expiredLeases':0}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','maxAttempts':1}", "{'id':1}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','projectPath':'/a'}", "{'id':2}" },
        { NULL, 0, CREATE, "{'type':'t','description':'d','dependsOn':[1,2]}", "{'id':3}" },
        { NULL, 0, PICKUP, "{'leaseSeconds':10}", "{'id':1}" },
        { NULL, 9999, STATS, "{}",
          "{'pending':2,'in_progress':1,'oldestPendingSeconds':9,"
          "'expiredLeases':0}" },
        { NULL, 1, STATS, "{'projectPath':'/a'}", "{'pending':1,'failed':0,'expiredLeases':0}" },
        { NULL, 0, PICKUP, "{'leaseSeconds':10}", "{'id':2}" },
        { NULL, 10000, STATS, "{}", "{'pending':2,'failed':1,'expiredLeases':1}" },
        { NULL, 0, PICKUP, "{}", "{'id':2}" },
        { NULL, 0, COMPLETE, "{'id':2}", "{}" },
        { NULL, 0, NEW, "{'id':4}" },
        { NULL, 0, CANCEL, "{'id':4}", "{'error':null}" },
        { "prune", 0, PRUNE, "{'olderThanDays':1}", "{'deleted':0}" },
        { NULL, DAY_MS, PRUNE, "{'olderThanDays':1}", "{'deleted':1}" }, // 2 is needed by 3
        { NULL, 0, LIST, "{}", "[{'id':1},{'id':2},{'id':3}]" },
        { NULL, 0, CANCEL, "{'id':3}", "{}" },
        { NULL, 0, PRUNE, "{'olderThanDays':0,'status':'completed'}", "{'deleted':1}" },
        { NULL, 0, GET, "{'id':3}", "{'dependsOn':[1,2],'blockedBy':[1]}" },
        { NULL, 0, PRUNE, "{'olderThanDays':0,'status':['failed,cancelled']}", "{'deleted':2}" },
        { NULL, 0, LIST, "{}", "[]" },
        { NULL, 0, PRUNE, "{'olderThanDays':0,'status':'pending'}", REFUSED,
          .error = "Validation failed: only completed, failed and cancelled tasks can be pruned" },
        { NULL, 0, PRUNE, "{}", REFUSED,
          .error = "Validation failed: olderThanDays is required and must be an integer from 0 to "
                   "36500" },
        { "ids are never used again", 0, NEW, "{'id':5}" },
        { 0 },
    };
    task_play(steps);
}

/* More than one batch. */
static void test_prune_many(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    json_decref(operation_data(fixture->tool, STATS, "{}"));
    Db *db = NULL;
    assert_true(state_open(fixture->db_path, NULL, &db, NULL, NULL));
    assert_true(db_exec(db,
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                        "1234) INSERT INTO task (type, description, status, available_at, "
                        "created_at, updated_at, finished_at) SELECT 't', 'd', 'completed', 1, 1, "
                        "1, 1 FROM n",
                        NULL));
    db_close(db);
    g_autoptr(json_t) data = operation_data(fixture->tool, PRUNE, "{'olderThanDays':0}");
    assert_int_equal(json_get_int(data, "deleted", 0), 1234);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_get_list),
        cmocka_unit_test(test_key_order),
        cmocka_unit_test(test_refused_input),
        cmocka_unit_test(test_payload_flag),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_refused_moves),
        cmocka_unit_test(test_error_details),
        cmocka_unit_test(test_idempotency),
        cmocka_unit_test(test_dependencies),
        cmocka_unit_test(test_dependents_of_dependents),
        cmocka_unit_test(test_projects),
        cmocka_unit_test(test_linked_worktree),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_stats_and_prune),
        cmocka_unit_test(test_prune_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
