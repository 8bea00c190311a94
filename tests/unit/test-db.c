/*
 * base/db.c: migrations, binding, transactions, several connections, damaged files.
 */
#include "base/str.h"
#include "unit.h"

#include "base/db.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/worker.h"

#include <pthread.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const steps[] = {
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, weight REAL)",
    "ALTER TABLE item ADD COLUMN note TEXT; INSERT INTO item (id, name) VALUES (1, 'first')",
    NULL,
};

typedef struct Fixture {
    char *dir;
    char *path;
} Fixture;

static int setup(void **state)
{
    Fixture *fixture = g_new0(Fixture, 1);
    fixture->dir = g_dir_make_tmp("kedge-db-XXXXXX", NULL);
    fixture->path = g_build_filename(fixture->dir, "sub", "dir", "test.db", NULL);
    *state = fixture;
    return fixture->dir == NULL;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    file_remove_tree(fixture->dir, NULL);
    g_free(fixture->dir);
    g_free(fixture->path);
    g_free(fixture);
    return 0;
}

static Db *open_db(const char *path, const char *const *migrations)
{
    Db *db = NULL;
    g_autoptr(GError) error = NULL;
    if (!db_open(path, migrations, NULL, &db, NULL, &error))
        fail_msg("%s", error->message);
    return db;
}

static int64_t query_int(Db *db, const char *sql)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    assert_true(db_query(db, &query, NULL, sql, ""));
    assert_true(db_query_step(query, &has_row, NULL));
    assert_true(has_row);
    return db_query_int(query, 0);
}

static mode_t mode_of(const char *path, const char *suffix)
{
    g_autofree char *name = g_strconcat(path, suffix, NULL);
    struct stat st;
    if (stat(name, &st) != 0)
        fail_msg("no file %s", name);
    return st.st_mode & 0777;
}

static void test_open_makes_private_files(void **state)
{
    const Fixture *fixture = *state;
    g_autofree char *sub = g_build_filename(fixture->dir, "sub", NULL);
    g_autoptr(Db) db = open_db(fixture->path, steps);
    assert_true(db_run(db, NULL, "INSERT INTO item (name) VALUES ('x')", ""));
    assert_int_equal(mode_of(sub, ""), 0700);
    assert_int_equal(mode_of(fixture->path, ""), 0600);
    assert_int_equal(mode_of(fixture->path, "-wal"), 0600);
    assert_int_equal(mode_of(fixture->path, "-shm"), 0600);
}

static void test_open_repairs_the_mode(void **state)
{
    const Fixture *fixture = *state;
    Db *db = open_db(fixture->path, steps);
    db_close(db);
    assert_int_equal(chmod(fixture->path, 0644), 0);
    db = open_db(fixture->path, steps);
    assert_true(db_run(db, NULL, "INSERT INTO item (name) VALUES ('x')", ""));
    assert_int_equal(mode_of(fixture->path, ""), 0600);
    assert_int_equal(mode_of(fixture->path, "-wal"), 0600);
    db_close(db);
}

/* A path given by mistake, by root to what everybody reads: its mode stays. */
static void test_open_leaves_what_is_no_database(void **state)
{
    const Fixture *fixture = *state;
    Db *db = NULL;
    g_autofree char *parent = g_path_get_dirname(fixture->path);
    assert_int_equal(g_mkdir_with_parents(parent, 0700), 0);
    static const char *const texts[] = { "root:x:0:0\n", "short" };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        assert_true(g_file_set_contents(fixture->path, texts[i], -1, NULL));
        assert_int_equal(chmod(fixture->path, 0644), 0);
        assert_false(db_open(fixture->path, steps, NULL, &db, NULL, NULL));
        assert_int_equal(mode_of(fixture->path, ""), 0644);
        g_autofree char *text = NULL;
        assert_true(g_file_get_contents(fixture->path, &text, NULL, NULL));
        assert_string_equal(text, texts[i]);
    }
}

/* A device that everybody needs would become root's own. A FIFO stands for it here. */
static void test_open_leaves_what_is_no_file(void **state)
{
    const Fixture *fixture = *state;
    Db *db = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *parent = g_path_get_dirname(fixture->path);
    assert_int_equal(g_mkdir_with_parents(parent, 0700), 0);
    assert_int_equal(mkfifo(fixture->path, 0666), 0);
    assert_int_equal(chmod(fixture->path, 0666), 0);
    assert_false(db_open(fixture->path, NULL, NULL, &db, NULL, &error));
    assert_non_null(strstr(error->message, "not a regular file"));
    struct stat info;
    assert_int_equal(stat(fixture->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0666);
}

static void test_migrations(void **state)
{
    const Fixture *fixture = *state;
    const char *const first_only[] = { steps[0], NULL };
    Db *db = open_db(fixture->path, first_only);
    assert_int_equal(query_int(db, "PRAGMA user_version"), 1);
    assert_int_equal(query_int(db, "SELECT count(*) FROM item"), 0);
    db_close(db);

    db = open_db(fixture->path, steps); // only the second step runs
    assert_int_equal(query_int(db, "PRAGMA user_version"), 2);
    assert_int_equal(query_int(db, "SELECT count(*) FROM item"), 1);
    db_close(db);
    db = open_db(fixture->path, steps); // and none a second time
    assert_int_equal(query_int(db, "SELECT count(*) FROM item"), 1);
    db_close(db);

    Db *older = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(db_open(fixture->path, first_only, NULL, &older, NULL, &error));
    assert_null(older);
    assert_true(error_is(error, KEDGE_ERROR_DENIED));
    assert_string_equal(error->message,
                        "The database was written by a newer kedge (schema 2; this build knows 1)");
}

static void test_failed_migration_leaves_nothing(void **state)
{
    const Fixture *fixture = *state;
    static const char *const bad[] = { "CREATE TABLE a (x)", "CREATE TABLE b (x); nonsense", NULL };
    Db *db = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(db_open(fixture->path, bad, NULL, &db, NULL, &error));
    assert_non_null(strstr(error->message, "syntax error"));
    static const char *const good[] = { "CREATE TABLE a (x)", "CREATE TABLE b (x)", NULL };
    db = open_db(fixture->path, good);
    assert_int_equal(query_int(db, "PRAGMA user_version"), 2);
    db_close(db);
}

static void test_values(void **state)
{
    g_autoptr(Db) db = open_db(":memory:", steps);
    g_autoptr(GError) error = NULL;
    assert_true(db_run(db, &error, "INSERT INTO item (id, name, weight, note) VALUES (?, ?, ?, ?)",
                       "isds", INT64_MAX, "caf\xc3\xa9", 1.5, NULL));
    assert_int_equal(db_changes(db), 1);
    g_autoptr(DbQuery) query = NULL;
    assert_true(db_query(db, &query, &error,
                         "SELECT id, name, weight * 2, note FROM item WHERE id > ? ORDER BY id",
                         "i", (int64_t)1));
    bool has_row = false;
    assert_true(db_query_step(query, &has_row, &error) && has_row);
    assert_true(db_query_int(query, 0) == INT64_MAX);
    assert_string_equal(db_query_text(query, 1), "caf\xc3\xa9");
    assert_int_equal(db_query_int(query, 2), 3);
    assert_null(db_query_text(query, 3));
    assert_true(db_query_step(query, &has_row, &error));
    assert_false(has_row);

    assert_true(db_run(db, &error, "UPDATE item SET note = 'n'", ""));
    assert_int_equal(db_changes(db), 2);
}

static void test_errors(void **state)
{
    g_autoptr(Db) db = open_db(":memory:", steps);
    DbQuery *query = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(db_query(db, &query, &error, "SELECT gone FROM item", ""));
    assert_null(query);
    assert_string_equal(error->message, ":memory:: no such column: gone");
    g_clear_error(&error);
    assert_false(db_run(db, &error, "INSERT INTO item (id) VALUES (?)", "i", (int64_t)1));
    assert_true(error_is(error, KEDGE_ERROR_FAILED));
    assert_non_null(strstr(error->message, "UNIQUE constraint failed"));
    g_clear_error(&error);
    assert_false(db_exec(db, "nonsense", &error));
    assert_true(error_is(error, KEDGE_ERROR_FAILED));
}

static bool insert_two(Db *db, void *is_good, GError **error)
{
    if (!db_exec(db, "INSERT INTO item (name) VALUES ('a'), ('b')", error))
        return false;
    return *(bool *)is_good || fail_with(error, KEDGE_ERROR_DENIED, "changed my mind");
}

static void test_transaction(void **state)
{
    g_autoptr(Db) db = open_db(":memory:", steps);
    g_autoptr(GError) error = NULL;
    bool is_good = false;
    assert_false(db_transaction(db, insert_two, &is_good, &error));
    assert_true(error_is(error, KEDGE_ERROR_DENIED));
    assert_int_equal(query_int(db, "SELECT count(*) FROM item"), 1);
    is_good = true;
    assert_true(db_transaction(db, insert_two, &is_good, NULL));
    assert_int_equal(query_int(db, "SELECT count(*) FROM item"), 3);
}

static bool insert_twice_the_same(Db *db, void *data, GError **error)
{
    return db_exec(db, "INSERT INTO item (id) VALUES (50)", error) &&
           db_exec(db, "INSERT OR ROLLBACK INTO item (id) VALUES (50)", error);
}

// When SQLite itself has rolled back, its message is kept and the next transaction works.
static void test_rolled_back_by_sqlite(void **state)
{
    g_autoptr(Db) db = open_db(":memory:", steps);
    g_autoptr(GError) error = NULL;
    assert_false(db_transaction(db, insert_twice_the_same, NULL, &error));
    assert_non_null(strstr(error->message, "UNIQUE constraint failed"));
    bool is_good = true;
    assert_true(db_transaction(db, insert_two, &is_good, NULL));
}

static void test_two_connections(void **state)
{
    const Fixture *fixture = *state;
    g_autoptr(Db) a = open_db(fixture->path, steps);
    g_autoptr(Db) b = open_db(fixture->path, steps);
    assert_true(db_run(a, NULL, "INSERT INTO item (name) VALUES ('from a')", ""));
    assert_int_equal(query_int(b, "SELECT count(*) FROM item WHERE name = 'from a'"), 1);

    // A reader is not stopped by a writer, and sees what was there before.
    assert_true(db_exec(a, "BEGIN IMMEDIATE", NULL));
    assert_true(db_exec(a, "DELETE FROM item", NULL));
    assert_int_equal(query_int(b, "SELECT count(*) FROM item"), 2);
    assert_true(db_exec(a, "ROLLBACK", NULL));
}

static void test_busy(void **state)
{
    const Fixture *fixture = *state;
    g_autoptr(Db) a = open_db(fixture->path, steps);
    g_autoptr(Db) b = open_db(fixture->path, steps);
    assert_true(db_exec(b, "PRAGMA busy_timeout=10", NULL));
    assert_true(db_exec(a, "BEGIN IMMEDIATE", NULL));
    g_autoptr(GError) error = NULL;
    assert_false(db_run(b, &error, "DELETE FROM item", ""));
    assert_true(error_is(error, KEDGE_ERROR_TIMEOUT));
    g_autofree char *want = g_strconcat(fixture->path, ": database is locked", NULL);
    assert_string_equal(error->message, want);
    assert_true(db_exec(a, "COMMIT", NULL));
    assert_true(db_run(b, NULL, "DELETE FROM item", ""));
}

// A connection of this process must not lose its lock because another one is opened.
static void test_open_keeps_the_locks(void **state)
{
    const Fixture *fixture = *state;
    g_autoptr(Db) a = open_db(fixture->path, steps);
    assert_true(db_exec(a, "BEGIN IMMEDIATE", NULL));
    g_autoptr(Db) b = open_db(fixture->path, steps);
    assert_true(db_exec(b, "PRAGMA busy_timeout=1", NULL));
    assert_false(db_exec(b, "BEGIN IMMEDIATE", NULL));
    assert_true(db_exec(a, "COMMIT", NULL));
}

static void *open_and_add(void *path)
{
    Db *db = NULL;
    bool is_good = db_open(path, steps, NULL, &db, NULL, NULL) &&
                   db_run(db, NULL, "INSERT INTO item (name) VALUES ('thread')", "");
    db_close(db);
    return is_good ? path : NULL;
}

static void test_first_open_by_many(void **state)
{
    const Fixture *fixture = *state;
    pthread_t threads[6];
    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_add, fixture->path), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
    g_autoptr(Db) db = open_db(fixture->path, steps);
    assert_int_equal(query_int(db, "SELECT count(*) FROM item"), 1 + G_N_ELEMENTS(threads));
}

static void test_damaged_file(void **state)
{
    const Fixture *fixture = *state;
    g_autofree char *path = g_build_filename(fixture->dir, "damaged.db", NULL);
    g_autofree char *junk = g_strnfill(8192, 'j');
    assert_true(g_file_set_contents(path, junk, 8192, NULL));
    Db *db = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(db_open(path, steps, NULL, &db, NULL, &error));
    assert_null(db);
    assert_true(error_is(error, KEDGE_ERROR_PROTOCOL));
    g_autofree char *want = g_strconcat(path, ": file is not a database", NULL);
    assert_string_equal(error->message, want);
    g_autofree char *still = NULL;
    assert_true(g_file_get_contents(path, &still, NULL, NULL));
    assert_string_equal(still, junk); // never deleted, never overwritten
}

static void test_path_that_cannot_be(void **state)
{
    const Fixture *fixture = *state;
    Db *db = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(db_open(fixture->dir, steps, NULL, &db, NULL, &error)); // a directory
    assert_true(error_is(error, KEDGE_ERROR_IO));
    assert_true(str_has_prefix(error->message, fixture->dir));
    g_clear_error(&error);
    assert_false(db_open("/dev/null/x/test.db", steps, NULL, &db, NULL, &error));
    assert_non_null(error);
    assert_null(db);
}

static void fire_later(void *cancel)
{
    g_usleep(30 * 1000);
    cancel_fire(cancel);
}

/* Another process that holds the file's lock until its input ends. */
static void start_holder(const char *path, const char *journal, ProcChild *child)
{
    static const char script[] = "import sqlite3, sys\n"
                                 "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                                 "db.execute('PRAGMA journal_mode=' + sys.argv[2])\n"
                                 "db.execute('BEGIN EXCLUSIVE')\n"
                                 "print('locked', flush=True)\n"
                                 "sys.stdin.read()\n";
    const ProcChildSpec spec = {
        .argv = (const char *const[]) { "python3", "-c", script, path, journal, NULL },
        .has_input = true,
    };
    char line[16] = { 0 };
    assert_true(proc_start(&spec, child, NULL));
    assert_true(read(child->output_fd, line, sizeof line - 1) > 0);
    assert_true(str_has_prefix(line, "locked"));
}

/* Else it would be TIMEOUT, ten seconds later. */
static void assert_cancelled(bool is_good, GError **error_)
{
    const GError *error = *error_;
    assert_false(is_good);
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    assert_string_equal(error->message, "operation aborted");
}

static void test_cancel_while_locked(void **state)
{
    const Fixture *fixture = *state;
    g_autoptr(Db) db = open_db(fixture->path, steps);
    ProcChild holder;
    start_holder(fixture->path, "wal", &holder);

    g_autoptr(Cancel) cancel = cancel_new(NULL);
    db_set_cancel(db, cancel);
    Worker *worker = worker_start("fire", fire_later, cancel);
    g_autoptr(GError) error = NULL, again = NULL, late = NULL;
    assert_cancelled(db_run(db, &error, "INSERT INTO item (name) VALUES ('x')", ""), &error);
    worker_join(worker);
    assert_cancelled(db_exec(db, "BEGIN IMMEDIATE", &again), &again);
    g_autoptr(Cancel) timed = cancel_new_timed(NULL, 30);
    db_set_cancel(db, timed);
    assert_cancelled(db_exec(db, "BEGIN IMMEDIATE", &late), &late);

    proc_child_end(&holder, 5000);
    db_set_cancel(db, NULL);
    assert_true(db_run(db, NULL, "INSERT INTO item (name) VALUES ('y')", ""));
    assert_int_equal(query_int(db, "SELECT count(*) FROM item WHERE name = 'x'"), 0);
}

static void test_cancel_while_opening(void **state)
{
    const Fixture *fixture = *state;
    g_autofree char *path = g_build_filename(fixture->dir, "held.db", NULL);
    ProcChild holder;
    start_holder(path, "delete", &holder);
    g_autoptr(Cancel) timed = cancel_new_timed(NULL, 50);
    Db *db = NULL;
    g_autoptr(GError) error = NULL, fired = NULL;
    assert_cancelled(db_open(path, steps, timed, &db, NULL, &error), &error);
    assert_cancelled(db_open(path, steps, timed, &db, NULL, &fired), &fired);
    assert_null(db);
    proc_child_end(&holder, 5000);
}

/* A statement without an end, and what was written before it in the same transaction. */
static bool write_and_run(Db *db, void *data G_GNUC_UNUSED, GError **error)
{
    return db_run(db, error, "INSERT INTO item (name) VALUES ('half')", "") &&
           db_run(db, error,
                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                  " SELECT max(i) FROM n",
                  "");
}

static void test_cancel_while_running(void **state)
{
    const Fixture *fixture = *state;
    g_autoptr(Db) db = open_db(fixture->path, steps);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    db_set_cancel(db, cancel);
    Worker *worker = worker_start("fire", fire_later, cancel);
    g_autoptr(GError) error = NULL;
    assert_cancelled(db_transaction(db, write_and_run, NULL, &error), &error);
    worker_join(worker);
    db_set_cancel(db, NULL);
    assert_int_equal(query_int(db, "SELECT count(*) FROM item WHERE name = 'half'"), 0);
    assert_true(db_exec(db, "BEGIN IMMEDIATE; COMMIT", NULL)); // nothing is left open
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_open_makes_private_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open_repairs_the_mode, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open_leaves_what_is_no_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open_leaves_what_is_no_database, setup, teardown),
        cmocka_unit_test_setup_teardown(test_migrations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failed_migration_leaves_nothing, setup, teardown),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_transaction),
        cmocka_unit_test(test_rolled_back_by_sqlite),
        cmocka_unit_test_setup_teardown(test_two_connections, setup, teardown),
        cmocka_unit_test_setup_teardown(test_busy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open_keeps_the_locks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_first_open_by_many, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_path_that_cannot_be, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel_while_locked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel_while_opening, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel_while_running, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
