/*
 * base/pg.c against a real server (tests/servers/postgres.py): values, errors, cancel, notices, a
 * server that goes away. Skipped where no PostgreSQL is installed.
 */
#include "unit.h"

#include "base/file.h"
#include "base/json.h"
#include "base/pg.h"
#include "base/proc.h"
#include "base/worker.h"

#include <signal.h>
#include <unistd.h>

typedef struct Server {
    ProcChild child;
    char *dir, *url, *bad_url;
    int64_t pid; // of the database server
} Server;

static int server_start(void **state)
{
    Server *self = g_new0(Server, 1);
    *state = self;
    self->dir = g_dir_make_tmp("kedge-pg-test-XXXXXX", NULL);
    g_autofree char *ready = g_build_filename(self->dir, "ready", NULL);
    g_autofree char *parent = g_strdup_printf("%d", getpid());
    const char *const argv[] = { "python3",  TEST_DATA_DIR "/../servers/postgres.py",
                                 "--ready",  ready,
                                 "--parent", parent,
                                 NULL };
    if (!proc_start(&(ProcChildSpec) { .argv = argv }, &self->child, NULL))
        return -1;
    for (int tries = 0; tries < 600; tries++) {
        g_autoptr(json_t) info = NULL;
        if (json_read_file(ready, &info, NULL)) {
            self->url = g_strdup(json_get_text(info, "url"));
            self->bad_url = g_strdup(json_get_text(info, "bad_url"));
            self->pid = json_get_int(info, "pid", 0);
            return 0;
        }
        if (kill(self->child.pid, 0) < 0)
            break;
        g_usleep(50 * 1000);
    }
    return 0; // no server here: each test says so
}

static int server_stop(void **state)
{
    Server *self = *state;
    proc_child_end(&self->child, 5000);
    file_remove_tree(self->dir, NULL);
    g_free(self->dir);
    g_free(self->url);
    g_free(self->bad_url);
    g_free(self);
    return 0;
}

static Pg *open_pg(const Server *server)
{
    if (!server->url)
        skip();
    Pg *pg = NULL;
    g_autoptr(GError) error = NULL;
    if (!pg_open(server->url, 10000, NULL, &pg, &error))
        fail_msg("%s", error->message);
    return pg;
}

static void test_values(void **state)
{
    g_autoptr(Pg) pg = open_pg(*state);
    const char *const values[] = { "9007199254740993", "é'\"", NULL };
    g_autoptr(PgRows) rows = NULL;
    assert_true(
        pg_query(pg, "SELECT $1::bigint, $2::text, $3::text", 3, values, NULL, &rows, NULL));
    assert_int_equal(pg_rows_count(rows), 1);
    assert_int_equal(pg_rows_int(rows, 0, 0), 9007199254740993);
    assert_string_equal(pg_rows_text(rows, 0, 1), "é'\"");
    assert_null(pg_rows_text(rows, 0, 2));
}

static void test_failures(void **state)
{
    g_autoptr(Pg) pg = open_pg(*state);
    g_autoptr(GError) error = NULL;
    assert_false(pg_query(pg, "SELECT nonsense", 0, NULL, NULL, NULL, &error));
    assert_string_equal(error->message, "PostgreSQL: column \"nonsense\" does not exist");
    assert_string_equal(pg_error_state(pg), "42703");
    assert_false(pg_is_lost(pg));
    assert_true(pg_query(pg, "SELECT 1", 0, NULL, NULL, NULL, NULL)); // of use still
    assert_string_equal(pg_error_state(pg), "");
}

static void test_connections(void **state)
{
    const Server *server = *state;
    if (!server->url)
        skip();
    const struct {
        const char *name, *url, *want;
    } cases[] = {
        { "cli-C-20: wrong password", server->bad_url, "password authentication failed" },
        { "nobody listens", "postgres://u:hunter2-wrong@127.0.0.1:1/x", "refused" },
        { "no URL", "postgres://u:hunter2-wrong@127.0.0.1:x/x", "PostgreSQL: " },
        { "bad escape", "postgres://u:hunter2-wrong%zz@127.0.0.1/x", "cannot be read" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Pg) pg = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(pg_open(cases[i].url, 10000, NULL, &pg, &error));
        if (!strstr(error->message, cases[i].want) || strstr(error->message, "hunter2"))
            fail_msg("%s: %s", cases[i].name, error->message);
        assert_int_equal(error->code, KEDGE_ERROR_NETWORK);
    }
}

static void fire_soon(void *cancel)
{
    g_usleep(50 * 1000);
    cancel_fire(cancel);
}

static void test_cancel(void **state)
{
    g_autoptr(Pg) pg = open_pg(*state);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autoptr(GError) error = NULL;
    Worker *worker = worker_start("fire", fire_soon, cancel);
    assert_false(pg_query(pg, "SELECT pg_sleep(60)", 0, NULL, cancel, NULL, &error));
    worker_join(worker);
    assert_int_equal(error->code, KEDGE_ERROR_CANCELLED);
    g_autoptr(PgRows) rows = NULL; // the statement was stopped: the connection is free again
    assert_true(pg_query(pg, "SELECT 2", 0, NULL, NULL, &rows, NULL));
    assert_int_equal(pg_rows_int(rows, 0, 0), 2);
}

static void test_notify(void **state)
{
    g_autoptr(Pg) pg = open_pg(*state);
    g_autoptr(Pg) other = open_pg(*state);
    bool is_told = true;
    assert_true(pg_query(pg, "LISTEN news", 0, NULL, NULL, NULL, NULL));
    assert_true(pg_wait(pg, 20, NULL, &is_told, NULL));
    assert_false(is_told);
    assert_true(pg_query(other, "NOTIFY news", 0, NULL, NULL, NULL, NULL));
    assert_true(pg_wait(pg, 20000, NULL, &is_told, NULL));
    assert_true(is_told);
}

static void test_changed_rows(void **state)
{
    g_autoptr(Pg) pg = open_pg(*state);
    g_autoptr(PgRows) rows = NULL;
    assert_true(pg_query(pg, "CREATE TEMP TABLE t AS SELECT * FROM generate_series(1, 1000)", 0,
                         NULL, NULL, NULL, NULL));
    assert_true(
        pg_query(pg, "DELETE FROM t WHERE generate_series > 990", 0, NULL, NULL, &rows, NULL));
    assert_int_equal(pg_rows_changed(rows), 10);
}

/* The last test: it ends the server. */
static void test_server_gone(void **state)
{
    const Server *server = *state;
    g_autoptr(Pg) pg = open_pg(server);
    assert_int_equal(kill((pid_t)server->pid, SIGQUIT), 0);
    g_autoptr(GError) error = NULL;
    while (pg_query(pg, "SELECT 1", 0, NULL, NULL, NULL, &error))
        g_usleep(10 * 1000);
    assert_int_equal(error->code, KEDGE_ERROR_NETWORK);
    assert_true(pg_is_lost(pg));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),      cmocka_unit_test(test_failures),
        cmocka_unit_test(test_connections), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_notify),      cmocka_unit_test(test_changed_rows),
        cmocka_unit_test(test_server_gone),
    };
    signal(SIGPIPE, SIG_IGN); // as main() does
    return cmocka_run_group_tests(tests, server_start, server_stop);
}
