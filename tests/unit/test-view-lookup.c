/*
 * What is kept of issues, pull requests and diffs, and for how long (github-tool §7.7 to §7.10,
 * rows T149 to T160, T166, T189).
 */
#include "unit.h"

#include "item_fixture.h"

#include "base/db.h"
#include "base/file.h"
#include "github/credential_key.h"
#include "github/view_flight.h"

#include <pthread.h>
#include <sys/stat.h>

#define SECOND_MS 1000
#define DAY_MS    (24 * 3600 * SECOND_MS)
#define URL       "issue://harbor/tidepool/88"
#define OFFLINE   "error connecting to api.github.com"

static const GhReply first = { .out = "{\"title\":\"First\"}" };
static const GhReply second = { .out = "{\"title\":\"Second\"}" };
static const GhReply fails = { .err = OFFLINE, .status = 1, .is_repeated = true };

#define TEXT(title) "# Issue #88: " title "\n\n\n## Body\n\nNo description provided."

/* Reads `url` once, and says nothing about it. */
static void fill(GhFixture *fixture, const char *url, const GhReply *reply)
{
    gh_fixture_reply(fixture, reply);
    g_auto(ToolResult) result = item_fixture_read(fixture, url);
    if (result.is_error)
        fail_msg("%s: %s", url, tool_result_text(&result));
}

static void expect_view(const char *name, GhFixture *fixture, const char *url, const char *text,
                        const char *notes)
{
    g_auto(ToolResult) result = item_fixture_read(fixture, url);
    gh_expect_text(name, &result, text);
    item_expect_notes(name, &result, notes);
}

static int64_t count_rows(const char *where)
{
    g_autofree char *path = view_cache_path();
    g_autofree char *sql = g_strconcat("SELECT count(*) FROM github_view_cache ", where, NULL);
    g_autoptr(Db) db = NULL;
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    assert_true(view_cache_open(path, NULL, &db, NULL));
    assert_true(db_query(db, &query, NULL, sql, "") && db_query_step(query, &has_row, NULL));
    return db_query_int(query, 0);
}

static void exec(const char *sql)
{
    g_autofree char *path = view_cache_path();
    g_autoptr(Db) db = NULL;
    assert_true(view_cache_open(path, NULL, &db, NULL));
    assert_true(db_exec(db, sql, NULL));
}

static void test_ages(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        int64_t age_ms;
        const GhReply *reply;
        const char *text, *notes; // NULL: an error
        unsigned calls;           // of both reads
        int64_t rows;
    } cases[] = {
        { "github-T149", 299 * SECOND_MS, &second, TEXT("First"), "Cached: 5m ago", 1, 1 },
        { "at once", 29400, &second, TEXT("First"), "Cached: 29s ago", 1, 1 },
        { "github-T150", 400 * SECOND_MS, &second, TEXT("Second"), "Fetched live", 2, 1 },
        { "github-T151", 400 * SECOND_MS, &fails,
          "> WARNING: Live GitHub refresh failed; this issue content is cached and may be "
          "stale.\n\n" TEXT("First"),
          "WARNING: showing cached content from 7m ago; live refresh failed or is still running", 2,
          1 },
        { "hours", 2 * 3600 * SECOND_MS, &fails,
          "> WARNING: Live GitHub refresh failed; this issue content is cached and may be "
          "stale.\n\n" TEXT("First"),
          "WARNING: showing cached content from 2h ago; live refresh failed or is still running", 2,
          1 },
        { "github-T152", 8 * (int64_t)DAY_MS, &fails, NULL, NULL, 2, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        fill(fixture, URL, &first);
        fixture->now_ms += cases[i].age_ms;
        gh_fixture_reply(fixture, cases[i].reply);
        if (cases[i].text) {
            expect_view(cases[i].name, fixture, URL, cases[i].text, cases[i].notes);
        } else {
            g_auto(ToolResult) result = item_fixture_read(fixture, URL);
            gh_expect_error(cases[i].name, &result, "issue:// resolution failed: " OFFLINE);
        }
        gh_expect_calls(cases[i].name, fixture, cases[i].calls);
        assert_int_equal(count_rows(""), cases[i].rows);
    }
}

#define DIFF(letter) "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+" letter "\n"

/* ?fresh: what is kept does not do, however young it is, and nothing old takes its place. */
static void test_fresh(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_converse(fixture);
    fill(fixture, URL, &first);
    gh_fixture_reply(fixture, &second);
    expect_view("?fresh", fixture, URL "?fresh", TEXT("Second"), "Fetched live");
    expect_view("kept again", fixture, URL "?fresh=0", TEXT("Second"), "Cached: 0s ago");
    gh_expect_calls("?fresh", fixture, 2);
    gh_fixture_reply(fixture, &fails);
    g_auto(ToolResult) result = item_fixture_read(fixture, URL "?fresh");
    assert_true(result.is_error);
}

static void test_diff_in_background(void **state G_GNUC_UNUSED) // github-T153
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    const char *url = "pr://o/r/9/diff/all";
    gh_fixture_converse(fixture);
    fill(fixture, url, &(GhReply) { .out = DIFF("b") });
    fixture->now_ms += 400 * SECOND_MS;
    gh_fixture_reply(fixture, &(GhReply) { .out = DIFF("c") });
    expect_view("github-T153: the old at once", fixture, url, DIFF("b"),
                "WARNING: showing cached content from 7m ago; live refresh failed or is still "
                "running|Full diff for pr://o/r/9 (1 file)");
    for (int i = 0; i < 3000 && count_rows("WHERE rendered LIKE '%+c%'") == 0; i++)
        g_usleep(10000);
    expect_view("github-T153: then the new", fixture, url, DIFF("c"),
                "Cached: 0s ago|Full diff for pr://o/r/9 (1 file)");
    gh_expect_calls("github-T153", fixture, 2);
}

static void test_end_stops_background(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    const char *url = "pr://o/r/9/diff/all";
    gh_fixture_converse(fixture);
    fill(fixture, url, &(GhReply) { .out = DIFF("b") });
    fixture->now_ms += 400 * SECOND_MS;
    gh_fixture_reply(fixture, &(GhReply) { .out = DIFF("c"), .sleep_s = 600 });
    g_auto(ToolResult) result = item_fixture_read(fixture, url);
    assert_false(result.is_error);
    for (int i = 0; i < 3000 && gh_fixture_call_count(fixture) < 2; i++)
        g_usleep(10000);
    // waits for the worker, which waits for its gh: that it returns is the claim
    g_clear_pointer(&fixture->context, tool_context_free);
    assert_int_equal(count_rows("WHERE rendered LIKE '%+c%'"), 0);
}

static void test_keys(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    fill(fixture, URL "?comments=0", &first);
    expect_view("github-T154: as it was", fixture, URL "?comments=false", TEXT("First"),
                "Cached: 0s ago|Comments disabled");
    fill(fixture, URL, &first);
    assert_int_equal(count_rows(""), 2); // github-T154
    fill(fixture, "issue://HARBOR/Tidepool/88", &second);
    gh_expect_calls("letters of a name have no case", fixture, 2);
    g_setenv("GH_TOKEN", "other", true);
    gh_fixture_reset(fixture);
    fill(fixture, URL, &second);
    gh_expect_calls("github-T155", fixture, 1);
    assert_int_equal(count_rows("WHERE include_comments=1"), 2);
}

static void write_hosts(const GhFixture *fixture, const char *text)
{
    g_autofree char *path = g_build_filename(fixture->dir, "gh-config", "hosts.yml", NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void test_login_changes(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new(NULL);
    write_hosts(fixture, "github.com:\n    user: mara-v\n");
    fill(fixture, URL, &first);
    write_hosts(fixture, "github.com:\n    user: okoro\n");
    fill(fixture, "issue://harbor/tidepool/2", &second);
    assert_int_equal(count_rows(""), 1); // what mara-v has seen is gone
    assert_int_equal(count_rows("WHERE number=2"), 1);
}

static void *log_in(void *data)
{
    const GhFixture *fixture = data;
    for (int i = 0; i < 3000 && gh_fixture_call_count(fixture) == 0; i++)
        g_usleep(10000);
    write_hosts(fixture, "github.com:\n    user: okoro\n");
    return NULL;
}

/* Whose answer it is nobody knows then, so that it is nobody's later. */
static void test_login_changes_meanwhile(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new(NULL);
    write_hosts(fixture, "github.com:\n    user: mara-v\n");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, log_in, fixture), 0);
    fill(fixture, URL, &(GhReply) { .out = "{\"title\":\"First\"}", .sleep_s = 2 });
    pthread_join(thread, NULL);
    assert_int_equal(count_rows(""), 0);
}

static void test_fingerprint(void **state G_GNUC_UNUSED) // github-T166
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    bool is_login = true;
    g_autofree char *of_token = credential_key("github.com", &is_login);
    assert_string_equal(of_token, "github.com:fc8657e5f0c6a4c7e8a7f9af033626d0");
    assert_false(is_login);
    g_unsetenv("GH_TOKEN");
    g_autofree char *none = credential_key("github.com", &is_login);
    assert_null(none);
    write_hosts(fixture, "github.com:\n    user: mara-v\n");
    g_autofree char *of_file = credential_key("github.com", &is_login);
    assert_string_equal(of_file, "github.com:2906935476824aa82d9407bee556198b");
    assert_true(is_login);
}

static void test_nobody_logged_in(void **state G_GNUC_UNUSED) // github-T156
{
    g_autoptr(GhFixture) fixture = item_fixture_new(NULL);
    fill(fixture, URL, &first);
    gh_fixture_reply(fixture, &second);
    expect_view("github-T156", fixture, URL, TEXT("Second"), "Cache disabled; fetched live");
    g_autofree char *path = view_cache_path();
    assert_false(file_exists(path));
}

static void expect_mode(const char *path, mode_t want)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, want);
}

static void test_modes(void **state G_GNUC_UNUSED) // github-T157
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    g_autofree char *dir = g_build_filename(fixture->dir, "new", NULL);
    g_autofree char *path = g_build_filename(dir, "x.db", NULL);
    g_setenv("KEDGE_GITHUB_CACHE_DB", path, true);
    gh_fixture_converse(fixture);
    fill(fixture, URL, &first);
    expect_mode(dir, 0700);
    static const char *const endings[] = { "", "-wal", "-shm", ".lock" };
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        g_autofree char *name = g_strconcat(path, endings[i], NULL);
        expect_mode(name, 0600);
    }
    g_unsetenv("KEDGE_GITHUB_CACHE_DB");
}

/* A read with a cache that cannot be used: the answer, and a word about it once. */
static void expect_problem(const char *name, GhFixture *fixture, const char *problem)
{
    gh_fixture_converse(fixture);
    gh_fixture_reply(fixture, &first);
    gh_fixture_reply(fixture, &second);
    g_auto(ToolResult) result = item_fixture_read(fixture, URL);
    gh_expect_text(name, &result, TEXT("First"));
    const char *notes = json_get_text(result.details, "notes");
    if (!notes || !strstr(notes, problem))
        fail_msg("%s: notes %s", name, notes ? notes : "(none)");
    expect_view(name, fixture, URL, TEXT("Second"), "Fetched live");
}

static void test_unusable(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) directory = item_fixture_new("abc"); // github-T158
    g_autofree char *path = view_cache_path();
    assert_int_equal(g_mkdir_with_parents(path, 0700), 0);
    expect_problem("github-T158", directory, "The cache of GitHub answers is not used: ");

    g_autoptr(GhFixture) corrupt = item_fixture_new("abc");
    g_autofree char *bad = view_cache_path();
    g_autofree char *dir = g_path_get_dirname(bad);
    g_mkdir_with_parents(dir, 0700);
    g_autofree char *noise = g_strnfill(8192, 'x');
    assert_true(g_file_set_contents(bad, noise, -1, NULL));
    expect_problem("corrupt", corrupt, "file is not a database; `kedge gh cache clear` removes it");
    g_autofree char *left = NULL;
    assert_true(g_file_get_contents(bad, &left, NULL, NULL));
    assert_string_equal(left, noise);
    assert_true(view_cache_clear(NULL, NULL));
    assert_false(file_exists(bad));

    g_autoptr(GhFixture) newer = item_fixture_new("abc");
    exec("PRAGMA user_version=4");
    expect_problem("newer", newer, "written by a newer kedge (schema 4; this build knows 3)");
}

static void test_old_version(void **state G_GNUC_UNUSED) // github-T159
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    exec("DROP TABLE github_view_cache; CREATE TABLE github_view_cache (x); "
         "PRAGMA user_version=2");
    fill(fixture, URL, &first);
    assert_int_equal(count_rows(""), 1);
}

static void test_bad_payload(void **state G_GNUC_UNUSED) // github-T160
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    fill(fixture, URL, &first);
    exec("UPDATE github_view_cache SET payload='{'");
    gh_fixture_reply(fixture, &second);
    expect_view("github-T160", fixture, URL, TEXT("Second"), "Fetched live");
    assert_int_equal(count_rows("WHERE payload='{'"), 0);
}

static void test_gone(void **state G_GNUC_UNUSED) // github-T189
{
    static const char *const words[] = {
        "GraphQL: Could not resolve to an Issue with the number of 88. (repository.issue)",
        "HTTP 404: Not Found", "HTTP 410: This issue was deleted"
    };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        fill(fixture, URL, &first);
        fill(fixture, URL "?comments=0", &first);
        fixture->now_ms += 400 * SECOND_MS;
        gh_fixture_reply(fixture, &(GhReply) { .err = words[i], .status = 1 });
        gh_fixture_reply(fixture, &fails);
        g_autofree char *want = g_strconcat("issue:// resolution failed: ", words[i], NULL);
        g_auto(ToolResult) gone = item_fixture_read(fixture, URL);
        gh_expect_error(words[i], &gone, want);
        assert_int_equal(count_rows(""), 0);
        g_auto(ToolResult) then = item_fixture_read(fixture, URL "?comments=0");
        gh_expect_error(words[i], &then, "issue:// resolution failed: " OFFLINE);
    }
}

typedef struct Reader {
    GhFixture *fixture;
    ToolResult result;
} Reader;

static void *read_it(void *data)
{
    Reader *self = data;
    self->result = item_fixture_read(self->fixture, URL);
    return NULL;
}

static void test_one_fetch(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    enum { READERS = 6 };
    Reader readers[READERS] = { 0 };
    pthread_t threads[READERS];
    gh_fixture_reply(fixture, &(GhReply) { .out = "{\"title\":\"First\"}", .sleep_s = 1 });
    for (int i = 0; i < READERS; i++) { // a context of its own each, as processes have
        readers[i].fixture = fixture;
        pthread_create(&threads[i], NULL, read_it, &readers[i]);
    }
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        gh_expect_text("one fetch", &readers[i].result, TEXT("First"));
        tool_result_clear(&readers[i].result);
    }
    gh_expect_calls("one fetch", fixture, 1);
}

static void test_waiter_is_stopped(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc"); // its home has the cache
    assert_non_null(fixture);
    g_autofree char *path = view_cache_path();
    g_auto(ViewFlight) flight = { -1 };
    assert_true(view_flight_begin(path, "x", NULL, &flight, NULL));
    ViewFlight other = { -1 };
    assert_false(view_flight_try(path, "x", &other));
    g_auto(ViewFlight) another = { -1 };
    assert_true(view_flight_try(path, "y", &another));
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    g_autoptr(GError) error = NULL;
    assert_false(view_flight_begin(path, "x", cancel, &other, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
}

static void test_drop_item(void **state G_GNUC_UNUSED) // github-T161, the rows
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_reply(fixture, &(GhReply) { .match = "pr diff *", .out = DIFF("b") });
    fill(fixture, "pr://o/r/93/diff", &(GhReply) { .match = "never", .out = "" });
    fill(fixture, "pr://o/r/93?comments=0", &first);
    fill(fixture, "issue://o/r/93", &first);
    fill(fixture, "issue://o/r/94", &first);
    fill(fixture, "issue://o/other/93", &first);
    gh_fixture_converse(fixture);
    ViewCache *cache = view_cache_of(fixture->context);
    view_cache_drop_item(cache, "o/r", 93, NULL);
    assert_int_equal(count_rows(""), 2);
    view_cache_drop_item(cache, NULL, 93, NULL);
    assert_int_equal(count_rows(""), 1);
    view_cache_drop_item(cache, "o/r", 0, NULL);
    assert_int_equal(count_rows(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ages),
        cmocka_unit_test(test_fresh),
        cmocka_unit_test(test_diff_in_background),
        cmocka_unit_test(test_end_stops_background),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_login_changes),
        cmocka_unit_test(test_login_changes_meanwhile),
        cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_nobody_logged_in),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_unusable),
        cmocka_unit_test(test_old_version),
        cmocka_unit_test(test_bad_payload),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_one_fetch),
        cmocka_unit_test(test_waiter_is_stopped),
        cmocka_unit_test(test_drop_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
