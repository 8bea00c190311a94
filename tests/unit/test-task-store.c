/*
 * agenttools/task: which store a call works on, what its failures look like, and many workers on
 * one store.
 */
#include "task_fixture.h"

#include "agenttools/task/task_place.h"
#include "base/worker.h"

#include <sys/stat.h>

#define CREATE   &operation_task_create
#define PICKUP   &operation_task_pickup
#define COMPLETE &operation_task_complete
#define LIST     &operation_task_list
#define STATS    &operation_task_stats

#define NEW CREATE, "{'type':'t','description':'d'}"

static char *envelope_text(const TaskFixture *fixture, const OperationDef *operation,
                           const char *arguments)
{
    g_autoptr(json_t) envelope = operation_call(fixture->tool, operation, json_of(arguments));
    return json_to_text(envelope);
}

static void test_shown_url(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "postgres://db.example/queue", "postgres://db.example/queue" },
        { "postgresql://u:p4ss@db.example:5432/queue?sslmode=require",
          "postgresql://db.example:5432/queue" },
        { "postgres://u@db.example", "postgres://db.example" },
        { "postgres://u:p4ss@h1:1,h2:2/q", "postgres://h1:1,h2:2/q" },
        { "postgres://u:p4ss@[::1]:5432/q", "postgres://[::1]:5432/q" },
        { "postgres://db.example/q?password=p4ss", "postgres://db.example/q" },
        { "postgres://db.example/q?password=p4@ss", "postgres://…" },
        { "postgres://u:p4@ss@db.example/q", "postgres://db.example/q" },
        { "postgres://u:p4/ss@db.example/q", "postgres://…" },
        { "postgres://u:p4?ss@db.example/q", "postgres://…" },
        { "postgres://u:p4ss/q", "postgres://…" },
        { "postgres:///q", "postgres:///q" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = task_place_show_url(cases[i].in);
        assert_text(cases[i].in, got, cases[i].want);
        assert_null(strstr(got, "p4"));
        assert_null(strstr(got, "ss@"));
    }
}

/* cli-C-20, what any build can know: nobody answers at that port, and nothing tells the password.
 */
static void test_password_is_not_shown(void **state G_GNUC_UNUSED)
{
#define URL "postgres://worker:s3cret-word@127.0.0.1:1/queue"
    static const struct {
        const char *name, *settings, *variable, *arguments;
    } cases[] = {
        { "cli-C-20 --db", NULL, NULL, "{'db':'" URL "'}" },
        { "cli-C-20 environment", NULL, URL, "{}" },
        { "cli-C-20 setting", "{'agentTools':{'taskDb':'" URL "'}}", NULL, "{}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(TaskFixture) fixture = task_fixture_new(cases[i].settings);
        if (cases[i].variable)
            g_setenv("KEDGE_TASK_DB", cases[i].variable, TRUE);
        g_autofree char *text = envelope_text(fixture, STATS, cases[i].arguments);
        assert_contains(cases[i].name, text, "\"success\":false");
        assert_contains(cases[i].name, text, "\"code\":\"unavailable\"");
        assert_null(strstr(text, "s3cret"));
        assert_false(g_file_test(fixture->db_path, G_FILE_TEST_EXISTS));
    }
#undef URL
}

static int64_t count_in(const char *path)
{
    Db *db = NULL;
    DbQuery *query = NULL;
    bool has_row = false;
    g_autoptr(GError) error = NULL;
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return -1;
    if (!state_open(path, NULL, &db, NULL, &error) ||
        !db_query(db, &query, &error, "SELECT count(*) FROM task", "") ||
        !db_query_step(query, &has_row, &error))
        fail_msg("%s: %s", path, error->message);
    int64_t count = db_query_int(query, 0);
    db_query_free(query);
    db_close(db);
    return count;
}

/* The first of --db, KEDGE_TASK_DB, the setting and the state database that is given. */
static void test_places(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *db, *variable, *setting, *want; // below the working directory
    } cases[] = {
        { "default", NULL, NULL, NULL, "../state.db" },
        { "setting", NULL, NULL, "team.db", "team.db" },
        { "variable", NULL, "v.db", "team.db", "v.db" },
        { "--db", "sub/d.db", "v.db", "team.db", "sub/d.db" },
        { "--db as URL", "sqlite:$W/u.db", NULL, NULL, "u.db" },
        { "variable as URL", NULL, "sqlite:$W/x/u.db", NULL, "x/u.db" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *settings =
            cases[i].setting ? g_strdup_printf("{'agentTools':{'taskDb':'%s'}}", cases[i].setting)
                             : NULL;
        g_autoptr(TaskFixture) fixture = task_fixture_new(settings);
        GString *arguments = g_string_new("{'type':'t','description':'d'");
        if (cases[i].db)
            g_string_append_printf(arguments, ",'db':'%s'", cases[i].db);
        g_string_append_c(arguments, '}');
        g_string_replace(arguments, "$W", fixture->tool->cwd, 0);
        if (cases[i].variable) {
            g_autoptr(GString) variable = g_string_new(cases[i].variable);
            g_string_replace(variable, "$W", fixture->tool->cwd, 0);
            g_setenv("KEDGE_TASK_DB", variable->str, TRUE);
        }
        json_decref(operation_data(fixture->tool, CREATE, arguments->str));
        g_string_free(arguments, TRUE);
        g_autofree char *path = g_build_filename(fixture->tool->cwd, cases[i].want, NULL);
        if (count_in(path) != 1)
            fail_msg("%s: the task is not in %s", cases[i].name, path);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
    }
}

static void test_odd_places(void **state G_GNUC_UNUSED)
{
    static const TaskStep steps[] = {
        { "relative URL", 0, LIST, "{'db':'sqlite:rel.db'}", .code = "validation",
          .error = "Validation failed: db must be a path, sqlite:/absolute/path or "
                   "postgres://host/database" },
        { "other scheme", 0, LIST, "{'db':'mysql://u:s3cret@h/d'}", .code = "validation",
          .error = "Validation failed: db must be a path, sqlite:/absolute/path or "
                   "postgres://host/database" },
        { "blank", 0, LIST, "{'db':' '}", .code = "validation",
          .error = "Validation failed: db must be a non-empty string" },
        { 0 },
    };
    task_play(steps);
}

/* cli-C-24: reading makes neither file nor directory. */
static void test_reading_makes_nothing(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    g_autofree char *folder = g_build_filename(fixture->tool->cwd, "none", NULL);
    g_autofree char *path = g_build_filename(folder, "q.db", NULL);
    g_autofree char *here = g_build_filename(fixture->tool->cwd, "q.db", NULL);
    g_autofree char *want =
        g_strdup_printf("The directory of the task store does not exist: %s", folder);
    static const struct {
        const OperationDef *operation;
        const char *arguments, *empty; // of a store without tasks; NULL: not found
    } cases[] = {
        { LIST, "", "[]" },
        { STATS, "", "{'pending':0}" },
        { &operation_task_get, ",'id':1", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const OperationDef *operation = cases[i].operation;
        g_autofree char *far = g_strdup_printf("{'db':'none/q.db'%s}", cases[i].arguments);
        g_autofree char *near = g_strdup_printf("{'db':'q.db'%s}", cases[i].arguments);
        g_autofree char *error = operation_error(fixture->tool, operation, far, "not_found");
        assert_text(operation->tool.name, error, want);
        if (cases[i].empty) {
            g_autoptr(json_t) data = operation_data(fixture->tool, operation, near);
            g_autoptr(json_t) empty = json_of(cases[i].empty);
            assert_true(json_contains(data, empty));
        } else {
            g_autofree char *missing = operation_error(fixture->tool, operation, near, "not_found");
            assert_text(operation->tool.name, missing, "Task 1 not found");
        }
        assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
        assert_false(g_file_test(here, G_FILE_TEST_EXISTS));
        assert_false(g_file_test(fixture->db_path, G_FILE_TEST_EXISTS));
    }
    json_decref(
        operation_data(fixture->tool, CREATE, "{'type':'t','description':'d','db':'none/q.db'}"));
    assert_int_equal(count_in(path), 1);
}

/* What a model says opens no other store. */
static void test_place_of_a_model(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    static const ToolDoor door = { .kind = DOOR_DIRECT, .via = "mcp" };
    static const char *const inputs[] = { "{'db':'other.db'}", "{}" };
    for (size_t i = 0; i < G_N_ELEMENTS(inputs); i++) {
        g_autoptr(json_t) arguments = json_of(inputs[i]);
        const ToolCallSpec spec = { .tool = &operation_task_list.tool,
                                    .arguments = arguments,
                                    .context = fixture->tool->context,
                                    .door = &door };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        g_autofree char *text = tool_result_text(&result);
        assert_contains(inputs[i], text,
                        i == 0 ? "The store can be chosen on the command line only"
                               : "\"success\":true");
    }
    g_autofree char *other = g_build_filename(fixture->tool->cwd, "other.db", NULL);
    assert_false(g_file_test(other, G_FILE_TEST_EXISTS));
}

static void test_newer_schema(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    Db *db = NULL;
    assert_true(db_open(fixture->db_path, NULL, NULL, &db, NULL, NULL));
    assert_true(db_exec(db, "CREATE TABLE task (x); PRAGMA user_version=99", NULL));
    db_close(db);
    g_autofree char *before = NULL, *after = NULL;
    size_t size_before, size_after;
    assert_true(g_file_get_contents(fixture->db_path, &before, &size_before, NULL));
    g_autofree char *error = operation_error(fixture->tool, LIST, "{}", "invalid_state");
    assert_contains("cli-C-21", error, "The database was written by a newer kedge (schema 99; ");
    assert_true(g_file_get_contents(fixture->db_path, &after, &size_after, NULL));
    assert_int_equal(size_before, size_after);
    assert_memory_equal(before, after, size_before);
}

/* Descriptors of this process that lead to the file. */
static int count_open(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    int count = 0;
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree char *link = g_build_filename("/proc/self/fd", name, NULL);
        g_autofree char *target = g_file_read_link(link, NULL);
        count += g_strcmp0(target, path) == 0;
    }
    return count;
}

static void change_store(const TaskFixture *fixture, const char *sql)
{
    Db *db = NULL;
    assert_true(state_open(fixture->db_path, NULL, &db, NULL, NULL));
    assert_true(db_exec(db, sql, NULL));
    db_close(db);
}

/* Calls share a connection; one that failed is closed, and the next call opens another. */
static void test_damaged_store(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    g_autofree char *junk = g_strnfill(8192, 'x');
    assert_true(g_file_set_contents(fixture->db_path, junk, 8192, NULL));
    g_autofree char *error = operation_error(fixture->tool, NEW, "io");
    assert_contains("damaged", error, "file is not a database");
    assert_int_equal(unlink(fixture->db_path), 0);
    json_decref(operation_data(fixture->tool, NEW));
    json_decref(operation_data(fixture->tool, LIST, "{}"));
    assert_int_equal(count_open(fixture->db_path), 1);

    change_store(fixture, "ALTER TABLE task RENAME TO away");
    g_autofree char *lost = operation_error(fixture->tool, LIST, "{}", "internal");
    assert_contains("no table", lost, "no such table: task");
    assert_int_equal(count_open(fixture->db_path), 0);
    change_store(fixture, "ALTER TABLE away RENAME TO task");
    json_decref(operation_data(fixture->tool, LIST, "{}"));
}

/* Somebody deletes the file under a process that goes on. */
static void test_deleted_store(void **state G_GNUC_UNUSED)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    static const char *const suffixes[] = { "", "-wal", "-shm" };
    for (int round = 0; round < 2; round++) {
        g_autoptr(json_t) data = operation_data(fixture->tool, NEW);
        assert_int_equal(json_get_int(data, "id", 0), 1);
        assert_int_equal(count_in(fixture->db_path), 1);
        for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
            g_autofree char *path = g_strconcat(fixture->db_path, suffixes[i], NULL);
            unlink(path);
        }
    }
}

typedef struct Crowd {
    ToolContext *context; // NULL: each worker has its own, and so its own connection
    const ToolFixture *tool;
    const char *arguments; // of the creators
    gint completed[1024];  // by id
    gint failures;
} Crowd;

static json_t *crowd_call(const Crowd *self, ToolContext *context, const OperationDef *operation,
                          json_t *arguments_)
{
    static const ToolDoor door = { .kind = DOOR_TYPED, .via = "cli" };
    g_autoptr(json_t) arguments = arguments_;
    const ToolCallSpec spec = {
        .tool = &operation->tool, .arguments = arguments, .context = context, .door = &door
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    return json_incref((json_t *)operation_envelope(&result));
}

static void work_off(void *crowd_)
{
    Crowd *self = crowd_;
    g_autoptr(Settings) settings = settings_new(NULL);
    g_autoptr(ToolContext) own =
        self->context ? NULL : tool_context_new(self->tool->cwd, settings, NULL);
    ToolContext *context = self->context ? self->context : own;
    for (;;) {
        g_autoptr(json_t) picked = crowd_call(self, context, PICKUP, json_object());
        json_t *task = json_get_object(picked, "data");
        gint64 id = json_get_int(task, "id", 0);
        if (!task) {
            if (!json_get_bool(picked, "success", false))
                g_atomic_int_inc(&self->failures);
            return;
        }
        json_t *arguments = json_object();
        json_set_int(arguments, "id", id);
        json_set_text(arguments, "leaseToken", json_get_text(task, "leaseToken"));
        g_autoptr(json_t) done = crowd_call(self, context, COMPLETE, arguments);
        if (!json_get_bool(done, "success", false))
            g_atomic_int_inc(&self->failures);
        g_atomic_int_inc(&self->completed[id]);
    }
}

/* Half of the tasks depend on the one before; a worker that finds nothing leaves, the one that
   completes a dependency finds the next. */
static void play_crowd(const char *name, bool is_shared)
{
    enum { TASKS = 120, WORKERS = 8 };
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    for (int i = 1; i <= TASKS; i++) {
        g_autofree char *arguments =
            i % 2 ? g_strdup("{'type':'t','description':'d'}")
                  : g_strdup_printf("{'type':'t','description':'d','dependsOn':[%d]}", i - 1);
        json_decref(operation_data(fixture->tool, CREATE, arguments));
    }
    Crowd crowd = { .context = is_shared ? fixture->tool->context : NULL, .tool = fixture->tool };
    Worker *workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        workers[i] = worker_start("worker", work_off, &crowd);
    for (int i = 0; i < WORKERS; i++)
        worker_join(workers[i]);
    if (crowd.failures != 0)
        fail_msg("%s: %d calls failed", name, crowd.failures);
    for (int i = 1; i <= TASKS; i++)
        if (crowd.completed[i] != 1)
            fail_msg("%s: task %d was completed %d times", name, i, crowd.completed[i]);
}

static void test_many_workers(void **state G_GNUC_UNUSED)
{
    play_crowd("cli-C-05 calls of one process", true);
    play_crowd("cli-C-05 connections of their own", false);
}

static void create_once(void *crowd_)
{
    Crowd *self = crowd_;
    g_autoptr(Settings) settings = settings_new(NULL);
    g_autoptr(ToolContext) own = tool_context_new(self->tool->cwd, settings, NULL);
    g_autoptr(json_t) made = crowd_call(self, own, CREATE, json_of(self->arguments));
    json_t *data = json_get_object(made, "data");
    if (json_get_int(data, "id", 0) != 1)
        g_atomic_int_inc(&self->failures);
    if (json_get_bool(data, "created", false))
        g_atomic_int_inc(&self->completed[0]);
}

static void test_one_key(void **state G_GNUC_UNUSED)
{
    enum { CREATORS = 20 };
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    Crowd crowd = { .tool = fixture->tool,
                    .arguments = "{'type':'t','description':'d','idempotencyKey':'K'}" };
    Worker *workers[CREATORS];
    for (int i = 0; i < CREATORS; i++)
        workers[i] = worker_start("creator", create_once, &crowd);
    for (int i = 0; i < CREATORS; i++)
        worker_join(workers[i]);
    assert_int_equal(crowd.failures, 0);     // cli-C-12
    assert_int_equal(crowd.completed[0], 1); // created: true, once
    assert_int_equal(count_in(fixture->db_path), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shown_url),
        cmocka_unit_test(test_password_is_not_shown),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_odd_places),
        cmocka_unit_test(test_place_of_a_model),
        cmocka_unit_test(test_newer_schema),
        cmocka_unit_test(test_damaged_store),
        cmocka_unit_test(test_deleted_store),
        cmocka_unit_test(test_many_workers),
        cmocka_unit_test(test_one_key),
        cmocka_unit_test(test_reading_makes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
