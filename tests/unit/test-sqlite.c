/*
 * read and write of SQLite files (agent-tools §3.1.7, §3.2 step 4).
 */
#include "tool_fixture.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/secrets.h"
#include "tools/database/sqlite_file.h"
#include "tools/database/sqlite_select.h"
#include "tools/file/text_table.h"
#include "tools/tools.h"

#include <sqlite3.h>

static char *read_text(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static char *read_error(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_error(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static sqlite3 *open_database(const ToolFixture *fixture, const char *name)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

static void make_database(const ToolFixture *fixture, const char *name, const char *sql)
{
    sqlite3 *db = open_database(fixture, name);
    run_sql(db, sql);
    sqlite3_close(db);
}

#define SEVEN_ROWS                                                                                 \
    "CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT);"                                              \
    "INSERT INTO t VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d'),(5,'e'),(6,'f'),(7,'g');"

static void test_read(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        // tools-T31
        { "d.db", "k (2 rows)\nr (1 rows)\nt (7 rows)" },
        { "d.db:t", "CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT)\n\nSample rows:\n"
                    "| id | n |\n| -- | - |\n| 1  | a |\n| 2  | b |\n| 3  | c |\n| 4  | d |\n"
                    "| 5  | e |\n[2 more rows; append :t?limit=20&offset=5 to the database path "
                    "to continue]" },
        { "d.db:t:3", "id: 3\nn: c" },
        { "d.db:t:99", "No row found in table 't' for key '99'." },
        { "D.DB:t:3", NULL },
        { "d.db:T?limit=1&offset=6", "| id | n |\n| -- | - |\n| 7  | g |" },
        { "d.db:t?order=n:desc&limit=1",
          "| id | n |\n| -- | - |\n| 7  | g |\n[6 more rows; append :t?limit=1&offset=1 to the "
          "database path to continue]" },
        { "d.db:t?where=n%20IN%20('a','limit')+OR+id=2",
          "| id | n |\n| -- | - |\n| 1  | a |\n| 2  | b |" },
        { "d.db:t?where=0", "| id | n |\n| -- | - |\n(no rows)" },
        { "d.db?q=SELECT id, n||'&x' AS y FROM t WHERE id < 3",
          "| id | y   |\n| -- | --- |\n| 1  | a&x |\n| 2  | b&x |" },
        { "d.db:k:b", "name: b\nv: 2" },
        { "d.db?q=SELECT value FROM json_each('[7]')", "| value |\n| ----- |\n| 7     |" },
        { "d.db:r:1", "x: 0.1\ny: NULL\nz: <BLOB 3B>" },
        { "'d.db:r:1'", "x: 0.1\ny: NULL\nz: <BLOB 3B>" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    make_database(fixture, "d.db",
                  SEVEN_ROWS
                  "CREATE TABLE k(name TEXT PRIMARY KEY, v) WITHOUT ROWID;"
                  "INSERT INTO k VALUES ('a',1),('b',2);"
                  "CREATE TABLE r(x, y, z); INSERT INTO r VALUES (0.1, NULL, x'010203')");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (!cases[i].want)
            continue;
        g_autofree char *text = read_text(fixture, cases[i].path);
        assert_text(cases[i].path, text, cases[i].want);
    }
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        // tools-T31
        { "d.db:t?where=1;--", "SQLite 'where' clause must not contain comments or statement "
                               "terminators; use '?q=SELECT ...' for raw SQL" },
        { "d.db:t?where=1 union select 1", "LIMIT/OFFSET/UNION/INTERSECT/EXCEPT/ATTACH/DETACH/" },
        { "d.db:t?where=id=?", "SQLite where clause changed the expected pagination parameters" },
        { "d.db:nope", "SQLite table 'nope' not found" },
        { "d.db:t:x", "Primary key 'id' must be an integer; got 'x'" },
        { "d.db:t:3?limit=1", "SQLite row lookups cannot be combined with query parameters" },
        { "d.db?limit=3", "SQLite query parameters require a table selector or q=SELECT..." },
        { "d.db:", "SQLite selectors must include a table name" },
        { "d.db:t?x=1", "Unsupported SQLite query parameter 'x'" },
        { "d.db:t?limit=0", "SQLite limit must be a positive integer; got '0'" },
        { "d.db:t?offset=-1", "SQLite offset must be a non-negative integer; got '-1'" },
        { "d.db:t?order=nope", "SQLite order column 'nope' not found in table schema" },
        { "d.db:t?order=n:up", "SQLite order direction must be 'asc' or 'desc'; got 'up'" },
        { "d.db?q=SELECT ?", "SQLite raw queries do not support bound parameters" },
        { "d.db?q=SELECT 1; SELECT 2", "one SQL statement at a time" },
        { "d.db?q=DELETE FROM t", "not authorized" },
        { "d.db?q=ATTACH 'other.db' AS o", "not authorized" },
        { "d.db?q=VACUUM INTO 'copy.db'", "authorization denied" },
        { "d.db?q=PRAGMA user_version = 7", "not authorized" },
        { "d.db?q=SELECT load_extension('x')", "not authorized" },
        { "d.db?q=SELEC", "syntax error" },
        { "d.db?q=SELECT zeroblob(100000000)", "too big" },
        { "d.db?q=SELECT zeroblob(10000000)", "too big" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    make_database(fixture, "d.db", SEVEN_ROWS);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = read_error(fixture, cases[i].path);
        assert_contains(cases[i].path, text, cases[i].want);
    }
    g_autofree char *copy = g_build_filename(fixture->cwd, "copy.db", NULL);
    assert_false(file_exists(copy));
}

/* What is no database is a plain file, whatever its name. */
static void test_no_database(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "x.db", "plain\n");
    tool_fixture_put(fixture, "empty.db", "");
    g_autofree char *plain = read_text(fixture, "x.db");
    assert_text("plain", plain, "plain\n");
    g_autofree char *empty = read_text(fixture, "empty.db");
    assert_text("empty", empty, "");
    g_autofree char *missing = read_error(fixture, "no.db:t");
    assert_text("missing", missing, "Path 'no.db:t' not found");
    tool_fixture_put_bytes(fixture, "cut.db", "SQLite format 3\0rest that is none", 33);
    g_autofree char *broken = read_error(fixture, "cut.db");
    assert_contains("broken", broken, "cut.db: file is not a database");
}

/* A schema can name code; none of it runs. */
static void test_hostile_schema(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    make_database(fixture, "h.db",
                  "CREATE TABLE t(a);"
                  "CREATE VIEW v AS SELECT load_extension('/tmp/x.so') AS y;"
                  "CREATE VIRTUAL TABLE f USING fts5(a);"
                  "INSERT INTO t VALUES (1);"
                  "PRAGMA writable_schema=ON;"
                  "INSERT INTO sqlite_master VALUES ('table','m','m',0,"
                  "'CREATE VIRTUAL TABLE m USING nosuchmodule(x)');");
    g_autofree char *view = read_error(fixture, "h.db:v");
    assert_contains("view", view, "unsafe use of load_extension()");
    g_autofree char *list = read_text(fixture, "h.db");
    assert_contains("list", list, "m (rows not counted: h.db: no such module: nosuchmodule)");
    assert_contains("list", list, "t (1 rows)");
}

/* A query without an end is stopped, by the time it may take or by the user. */
static void test_endless(void **state G_GNUC_UNUSED)
{
    static const char endless[] = "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x FROM c) "
                                  "SELECT count(*) FROM c";
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    make_database(fixture, "d.db", SEVEN_ROWS);
    g_autofree char *path = g_build_filename(fixture->cwd, "d.db", NULL);
    for (int is_cancelled = 0; is_cancelled < 2; is_cancelled++) {
        g_autoptr(Cancel) cancel = cancel_new(NULL);
        g_autoptr(SqliteFile) file = NULL;
        g_autoptr(SqliteStatement) statement = NULL;
        g_autoptr(GError) error = NULL;
        bool has_row = false;
        assert_true(sqlite_file_open(path, "d.db", false, cancel, &file, NULL));
        assert_true(sqlite_file_prepare(file, endless, &statement, NULL));
        if (is_cancelled)
            cancel_fire(cancel);
        else
            sqlite_file_set_time(file, 10);
        assert_false(sqlite_file_step(file, statement, &has_row, &error));
        assert_int_equal(error->code, is_cancelled ? KEDGE_ERROR_CANCELLED : KEDGE_ERROR_TIMEOUT);
    }
}

/* read does not end at an abort otherwise: a file is read in no time. */
static void test_abort(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    make_database(fixture, "d.db",
                  "CREATE VIEW v AS WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x FROM c) "
                  "SELECT count(*) FROM c");
    g_autoptr(Cancel) cancel = cancel_new_timed(NULL, 50);
    g_autoptr(json_t) arguments = json_pack("{s:s}", "path", "d.db:v");
    const ToolCallSpec spec = {
        .tool = &tool_read,
        .arguments = arguments,
        .context = fixture->context,
        .door = &agent_door,
        .cancel = cancel,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
}

/* SQLite looks at neither the clock nor the user within so few steps; each of them is long. */
static void test_few_long_steps(void **state G_GNUC_UNUSED)
{
#define LONG_STEPS "instr(hex(randomblob(2000000)), 'no') + instr(hex(randomblob(1999999)), 'no')"
    static const char slow[] =
        "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 8) "
        "SELECT max(x + " LONG_STEPS " + " LONG_STEPS " + " LONG_STEPS ") FROM c";
#undef LONG_STEPS
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    make_database(fixture, "d.db", SEVEN_ROWS);
    g_autofree char *path = g_build_filename(fixture->cwd, "d.db", NULL);
    g_autoptr(SqliteFile) file = NULL;
    g_autoptr(SqliteStatement) statement = NULL;
    g_autoptr(GError) error = NULL;
    bool has_row = false;
    assert_true(sqlite_file_open(path, "d.db", false, NULL, &file, NULL));
    assert_true(sqlite_file_prepare(file, slow, &statement, NULL));
    sqlite_file_set_time(file, 1);
    assert_false(sqlite_file_step(file, statement, &has_row, &error));
    assert_int_equal(error->code, KEDGE_ERROR_TIMEOUT);
}

static void append_number(GString *out, guint32 number)
{
    number = GUINT32_TO_BE(number);
    g_string_append_len(out, (const char *)&number, sizeof(number));
}

/* A journal without pages whose super-journal is `victim`: SQLite removes that when it rolls it
   back. */
static void put_journal(const ToolFixture *fixture, const char *name, const char *victim)
{
    static const char magic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    g_autoptr(GString) out = g_string_new_len(magic, 8);
    guint32 sum = 0;
    append_number(out, 0);    // pages
    append_number(out, 0);    // nonce
    append_number(out, 2);    // pages before
    append_number(out, 512);  // sector
    append_number(out, 4096); // page
    g_string_set_size(out, 512);
    memset(out->str + 28, 0, 512 - 28);
    append_number(out, 0x40000000 / 4096 + 1);
    g_string_append(out, victim);
    append_number(out, (guint32)strlen(victim));
    for (const char *at = victim; *at; at++)
        sum += (guint32)*at;
    append_number(out, sum);
    g_string_append_len(out, magic, 8);
    tool_fixture_put_bytes(fixture, name, out->str, out->len);
}

/* A repository may bring a journal; opening the database must not remove what it names. */
static void test_hostile_journal(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *victim = g_build_filename(fixture->cwd, "victim", NULL);
    g_autofree char *link = g_build_filename(fixture->cwd, "link.db", NULL);
    make_database(fixture, "x.db", SEVEN_ROWS);
    tool_fixture_put(fixture, "victim", "dear\n");
    put_journal(fixture, "x.db-journal", victim);
    assert_int_equal(symlink("x.db", link), 0);
    static const char *const paths[] = { "x.db:t:1", "link.db:t:1", "x.db:t" };
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *refused = tool_fixture_error(
            fixture, &tool_write, json_pack("{s:s, s:s}", "path", paths[i], "content", "{n: 2}"));
        assert_contains(paths[i], refused, "another program left a journal");
        g_free(read_error(fixture, paths[i]));
        assert_true(file_exists(victim));
    }
    tool_fixture_put_bytes(fixture, "x.db-journal", (const char[512]) { 0 }, 512);
    g_autofree char *done = tool_fixture_text(
        fixture, &tool_write, json_pack("{s:s, s:s}", "path", "x.db:t:1", "content", "{n: 2}"));
    assert_text("a journal that is done", done, "Updated row '1' in t");
    assert_true(file_exists(victim));
}

/* What read has masked does not come back in place of the secret. */
static void test_masks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *content;
        bool is_error;
    } cases[] = {
        { "s.db:t:1", "{v: 'TOKEN=[REDACTED]'}", true },
        { "s.db:t:1", "{n: 'x', v: 'a [REDACTED] b'}", true },
        { "s.db:t:1", "{n: '[REDACTED]'}", false },
        { "s.db:t:2", "{v: '[REDACTED]'}", false },
        { "s.db:t:1", "{v: 'other'}", false },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    secrets_register("tide-key-58c1f0aa");
    make_database(fixture, "s.db",
                  "CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT, v);"
                  "INSERT INTO t VALUES (1, 'a', 'TOKEN=tide-key-58c1f0aa'), (2, 'b', 'c')");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        json_t *arguments =
            json_pack("{s:s, s:s}", "path", cases[i].path, "content", cases[i].content);
        g_autofree char *text = cases[i].is_error
                                    ? tool_fixture_error(fixture, &tool_write, arguments)
                                    : tool_fixture_text(fixture, &tool_write, arguments);
        assert_contains(cases[i].content, text,
                        cases[i].is_error ? "which stands for a masked secret" : "Updated row");
    }
}

/* A writer that was killed leaves its log; who reads it makes an index of it. */
static void test_log_left_behind(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *log = g_build_filename(fixture->cwd, "w.db-wal", NULL);
    g_autofree char *index = g_build_filename(fixture->cwd, "k.db-shm", NULL);
    g_autofree char *empty = g_build_filename(fixture->cwd, "e.db-shm", NULL);
    g_autofree char *base = g_build_filename(fixture->cwd, "w.db", NULL);
    sqlite3 *writer = open_database(fixture, "w.db");
    run_sql(writer, "PRAGMA journal_mode=WAL;" SEVEN_ROWS);
    char *bytes = NULL;
    size_t size = 0;
    assert_true(file_read(log, MIB, &bytes, &size, NULL));
    tool_fixture_put_bytes(fixture, "k.db-wal", bytes, size);
    g_free(bytes);
    assert_true(file_read(base, MIB, &bytes, &size, NULL));
    tool_fixture_put_bytes(fixture, "k.db", bytes, size);
    g_free(bytes);
    g_autofree char *killed = read_text(fixture, "k.db");
    assert_text("killed", killed, "t (7 rows)");
    assert_false(file_exists(index));

    g_autofree char *live_index = g_strconcat(base, "-shm", NULL);
    g_autofree char *live = read_text(fixture, "w.db");
    assert_text("live", live, "t (7 rows)");
    assert_true(file_exists(live_index));
    sqlite3_close(writer);
    assert_true(file_read(base, MIB, &bytes, &size, NULL));
    tool_fixture_put_bytes(fixture, "e.db", bytes, size);
    g_free(bytes);
    tool_fixture_put(fixture, "e.db-wal", "");
    g_autofree char *at_rest = read_text(fixture, "e.db");
    assert_text("empty log", at_rest, "t (7 rows)");
    assert_false(file_exists(empty));
}

/* Reading leaves nothing beside the file, and waits for no writer that is done. */
static void test_log_of_a_writer(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    make_database(fixture, "w.db", "PRAGMA journal_mode=WAL;" SEVEN_ROWS);
    g_autofree char *at_rest = read_text(fixture, "w.db");
    assert_text("at rest", at_rest, "t (7 rows)");
    g_autofree char *log = g_build_filename(fixture->cwd, "w.db-wal", NULL);
    assert_false(file_exists(log));
    sqlite3 *writer = open_database(fixture, "w.db");
    run_sql(writer, "INSERT INTO t VALUES (8, 'h')");
    g_autofree char *live = read_text(fixture, "w.db");
    assert_text("live", live, "t (8 rows)");
    sqlite3_close(writer);
    sqlite3 *locker = open_database(fixture, "w.db");
    run_sql(locker, "PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE");
    g_autofree char *locked = read_error(fixture, "w.db:t");
    assert_contains("locked", locked, "w.db: database is locked");
    sqlite3_close(locker);
}

static void test_write(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *content, *want;
        bool is_error;
    } cases[] = {
        // tools-T39
        { "d.db:t:3", "{\"n\":\"z\"}", "Updated row '3' in t", false },
        { "d.db:t:3", " \n", "Deleted row '3' from t", false },
        { "d.db:t:3", "", "No row deleted from t for key '3'", false },
        { "d.db:t:3", "{n: 1}", "No row updated in t for key '3'", false },
        { "d.db:t", "{n: 'é', /* c */ id: +0x10,}", "Inserted row into t", false },
        { "d.db:t", "{}", "Inserted row into t", false },
        { "d.db:t:16", "{n: .5}", "Updated row '16' in t", false },
        { "d.db:t", "", "SQLite deletes require a row key in the path", true },
        { "d.db:t:1", "{}", "SQLite updates require at least one column value", true },
        { "d.db:t", "[1]", "SQLite write content must be a JSON object", true },
        { "d.db:t", "{nope",
          "SQLite write content must be valid JSON5: line 1 column 6: expected ':' after a key",
          true },
        { "d.db:t", "{x: 1}", "SQLite table 't' has no column named 'x'", true },
        { "d.db:t", "{n: [1]}", "SQLite column 'n' only accepts JSON scalar values or null", true },
        { "d.db:u", "{n: 1}", "SQLite table 'u' not found", true },
        { "d.db", "x", "SQLite write path must target a table", true },
        { "d.db:t:", "{}", "SQLite row writes require a non-empty row key", true },
        { "d.db:t?limit=1", "{}", "SQLite write paths do not support query parameters", true },
        { "no.db:t", "{}", "SQLite database 'no.db:t' not found", true },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    make_database(fixture, "d.db", SEVEN_ROWS);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        json_t *arguments =
            json_pack("{s:s, s:s}", "path", cases[i].path, "content", cases[i].content);
        g_autofree char *text = cases[i].is_error
                                    ? tool_fixture_error(fixture, &tool_write, arguments)
                                    : tool_fixture_text(fixture, &tool_write, arguments);
        assert_text(cases[i].path, text, cases[i].want);
    }
    g_autofree char *rows = read_text(fixture, "d.db:t?offset=6");
    assert_text("after", rows, "| id | n    |\n| -- | ---- |\n| 16 | 0.5  |\n| 17 | NULL |");
    g_autofree char *made = g_build_filename(fixture->cwd, "no.db", NULL);
    assert_false(file_exists(made));
}

static void test_where(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *where;
        bool is_good;
    } cases[] = {
        { "a = ';'", true },         { "a = '--'", true },   { "\"limit\" = 1", true },
        { "[union] = 1", true },     { "limits = 1", true }, { "a = 'it''s; '", true },
        { "a - -1", true },          { "a; b", false },      { "1 -- x", false },
        { "1 /* x */", false },      { "a LiMiT 1", false }, { "1)union(select 1", false },
        { "pragma_x = 1", true },    { "pragma", false },    { "'", true },
        { "a = 'x' ; drop", false }, { "", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (sqlite_check_where(cases[i].where, NULL) != cases[i].is_good)
            fail_msg("%s is %s", cases[i].where, cases[i].is_good ? "refused" : "taken");
}

static void test_table(void **state G_GNUC_UNUSED)
{
    g_autoptr(TextTable) table = text_table_new();
    for (int i = 0; i < 4; i++)
        text_table_add_column(table, "c");
    g_autofree char *wide = g_strnfill(200, 'w');
    for (int i = 0; i < 3; i++)
        text_table_add_cell(table, wide);
    text_table_add_cell(table, "日本\t\n");
    g_autofree char *drawn = text_table_draw(table);
    g_auto(GStrv) lines = g_strsplit(drawn, "\n", -1);
    assert_int_equal(g_strv_length(lines), 3);
    assert_int_equal(strlen(lines[1]), 120);
    assert_contains("cut", lines[2], "w… |");
    assert_contains("two columns each", lines[2], "| 日本   \\n |");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_no_database), cmocka_unit_test(test_hostile_schema),
        cmocka_unit_test(test_endless),     cmocka_unit_test(test_log_of_a_writer),
        cmocka_unit_test(test_write),       cmocka_unit_test(test_where),
        cmocka_unit_test(test_table),       cmocka_unit_test(test_few_long_steps),
        cmocka_unit_test(test_abort),       cmocka_unit_test(test_hostile_journal),
        cmocka_unit_test(test_masks),       cmocka_unit_test(test_log_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
