/*
 * Debug records (gh-policy §11.2, §11.3): as JSON, as text, and the last ones in a file.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/worker.h"
#include "github/audit/gh_record.h"
#include "github/safe/redact_argv.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>

#define NOW_MS G_GINT64_CONSTANT(1778959425012) // 2026-05-16T19:23:45.012Z
#define CANARY "REDACTED_TEST_SECRET"

static char *temp_dir;
static char *log_dir;

static int set_up(void **state G_GNUC_UNUSED)
{
    temp_dir = g_dir_make_tmp("kedge-record-XXXXXX", NULL);
    log_dir = g_build_filename(temp_dir, "agent", "gh-audit", NULL);
    g_setenv("HOME", "/home/somebody", true);
    return 0;
}

static int tear_down(void **state G_GNUC_UNUSED)
{
    bool is_removed = file_remove_tree(temp_dir, NULL);
    g_free(temp_dir);
    g_free(log_dir);
    return is_removed ? 0 : -1;
}

static const char *const usual_argv[] = { "pr", "view", "171", NULL };
static const char *const usual_normalized[] = { "stripped leading gh", NULL };

static const GhRecord usual = {
    .id = "3f9c2a10",
    .at = NOW_MS,
    .tool = "gh",
    .via = "agent",
    .host = "github.com",
    .repo = "o/r",
    .source = "upstream",
    .cwd = "/home/somebody/projects/r",
    .argv = usual_argv,
    .command = "pr view",
    .class_name = "read",
    .reason = "shows a pull request",
    .policy = "auto",
    .duration_ms = 412,
    .captured_bytes = 4321,
    .error_output = "",
    .normalized = usual_normalized,
    .gh_version = "2.92.0",
};

static void test_json(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) record = gh_record_to_json(&usual);
    g_autofree char *got = json_to_text(record);
    assert_string_equal(
        got, "{\"id\":\"3f9c2a10\",\"time\":\"2026-05-16T19:23:45.012Z\",\"tool\":\"gh\","
             "\"via\":\"agent\",\"host\":\"github.com\",\"repo\":\"o/r\",\"source\":\"upstream\","
             "\"cwd\":\"~/projects/r\",\"argv\":[\"pr\",\"view\",\"171\"],\"command\":\"pr view\","
             "\"classification\":\"read\",\"reason\":\"shows a pull request\",\"policy\":\"auto\","
             "\"confirmed\":false,\"exit_code\":0,\"signal\":null,\"duration_ms\":412,"
             "\"bytes_captured\":4321,\"truncated\":false,\"error_kind\":null,\"message\":null,"
             "\"stderr\":\"\",\"normalized\":[\"stripped leading gh\"],\"gh_version\":\"2.92.0\"}");

    const GhRecord empty = {
        .exit_status = -1,
        .signal = SIGKILL,
        .kind = GH_KIND_INVALID_ARGS,
        .message = "Invalid arguments: x.\nmore",
        .cwd = "/home/somebody",
        .set_host = "ghe",
        .set_repo = "ghe/o/r",
    };
    g_autoptr(json_t) other = gh_record_to_json(&empty);
    g_autofree char *other_text = json_to_text(other);
    static const char *const parts[] = {
        "\"repo\":null",
        "\"argv\":[]",
        "\"exit_code\":null",
        "\"signal\":\"SIGKILL\"",
        "\"error_kind\":\"invalid-args\"",
        "\"message\":\"Invalid arguments: x.\"",
        "\"cwd\":\"~\"",
        "\"normalized\":[]",
        "\"env\":{\"GH_HOST\":\"ghe\",\"GH_REPO\":\"ghe/o/r\"}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (!strstr(other_text, parts[i]))
            fail_msg("gh-11.3: no %s in %s", parts[i], other_text);
    }
}

static void expect_text(const char *name, const GhRecord *record, const char *want)
{
    g_autoptr(json_t) object = gh_record_to_json(record);
    g_autofree char *got = gh_record_to_text(object);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got\n%s\nwant\n%s", name, got, want);
}

static void test_text(void **state G_GNUC_UNUSED)
{
    static const char *const argv[] = { "pr", "view", "171", "--repo", "acme.ghe.com/org/r", NULL };
    GhRecord record = usual;
    record.host = "acme.ghe.com";
    record.repo = "org/r";
    record.argv = argv;
    record.set_host = "acme.ghe.com";
    expect_text("gh-11.2-1 as the specification has it", &record,
                "Host: acme.ghe.com\n"
                "Repo: org/r\n"
                "Source: upstream\n"
                "CWD: ~/projects/r\n"
                "Argv: [\"pr\",\"view\",\"171\",\"--repo\",\"acme.ghe.com/org/r\"]\n"
                "Classification: read\n"
                "Policy: auto\n"
                "Exit code: 0\n"
                "Duration: 412 ms\n"
                "Bytes captured: 4321\n"
                "Truncated: no\n"
                "Error kind: none\n"
                "\n"
                "Reproduce:\n"
                "  GH_PROMPT_DISABLED=1 GH_PAGER=cat NO_COLOR=1 \\\n"
                "  gh pr view 171 --repo acme.ghe.com/org/r");

    GhRecord failed = usual;
    failed.repo = NULL;
    failed.cwd = "/srv/x";
    failed.exit_status = -1;
    failed.is_truncated = true;
    failed.kind = GH_KIND_TIMEOUT;
    failed.message = "Command exceeded 20 seconds; x.";
    failed.error_output = "one\ntwo\n";
    failed.set_repo = "github.com/o/r";
    expect_text("gh-11.2-2 a failure", &failed,
                "Host: github.com\n"
                "Repo: -\n"
                "Source: upstream\n"
                "CWD: /srv/x\n"
                "Argv: [\"pr\",\"view\",\"171\"]\n"
                "Classification: read\n"
                "Policy: auto\n"
                "Exit code: -\n"
                "Duration: 412 ms\n"
                "Bytes captured: 4321\n"
                "Truncated: yes\n"
                "Error kind: timeout\n"
                "Message: Command exceeded 20 seconds; x.\n"
                "Stderr: one ⏎ two\n"
                "\n"
                "Reproduce:\n"
                "  GH_PROMPT_DISABLED=1 GH_PAGER=cat NO_COLOR=1 \\\n"
                "  GH_REPO=github.com/o/r gh pr view 171");

    GhRecord cut = usual;
    cut.kind = GH_KIND_TRUNCATED;
    cut.message = "Output truncated at 64KB; reduce scope.";
    g_autoptr(json_t) object = gh_record_to_json(&cut);
    g_autofree char *text = gh_record_to_text(object);
    assert_non_null(strstr(text, "Error kind: truncated\n\nReproduce:"));
}

/* What is in the file may be anything; it must not matter more than a missing item. */
static void test_foreign_json(void **state G_GNUC_UNUSED)
{
    static const char *const records[] = { "{}", "[]", "{\"argv\":5,\"host\":[],\"env\":7}",
                                           "{\"argv\":[5,\"x\",null],\"exit_code\":\"0\"}" };
    for (size_t i = 0; i < G_N_ELEMENTS(records); i++) {
        g_autoptr(json_t) record = NULL;
        assert_true(json_parse_text(records[i], &record, NULL));
        g_autofree char *text = gh_record_to_text(record);
        assert_true(str_has_prefix(text, "Host: -\n"));
        assert_non_null(strstr(text, "Exit code: -\n"));
    }
}

/* gh-17.1-6: at most 400 bytes of stderr, whole characters, and no secret in any text. */
static void test_bounds_and_secrets(void **state G_GNUC_UNUSED)
{
    static const char *const raw[] = { "frob", "--token", CANARY, "x?code=" CANARY, NULL };
    g_auto(GStrv) secrets = redact_argv_secrets(raw, NULL);
    g_auto(GStrv) argv = redact_argv(raw, NULL, REDACT_RECORD);
    g_autofree char *filler = g_strnfill(398, 'e');
    g_autofree char *errors = g_strconcat(filler, "€ ", CANARY, NULL);
    GhRecord record = usual;
    record.argv = (const char *const *)argv;
    record.secrets = (const char *const *)secrets;
    record.message = "unknown flag: --token=" CANARY;
    record.reason = "about " CANARY;
    record.error_output = errors;
    record.kind = GH_KIND_GH_EXIT;
    g_autoptr(json_t) object = gh_record_to_json(&record);
    assert_string_equal(json_get_text(object, "stderr"), filler);

    record.error_output = CANARY " ghp_0123456789abcdef0123";
    g_autoptr(json_t) other = gh_record_to_json(&record);
    g_autofree char *json = json_to_text(other);
    g_autofree char *text = gh_record_to_text(other);
    assert_null(strstr(json, CANARY));
    assert_null(strstr(text, CANARY));
    assert_null(strstr(text, "ghp_"));
    assert_non_null(strstr(text, "--token '[REDACTED]'"));
}

static void store(int number, const char *command)
{
    g_autofree char *id = g_strdup_printf("%d", number);
    GhRecord record = usual;
    record.id = id;
    record.command = command;
    g_autoptr(json_t) object = gh_record_to_json(&record);
    g_autoptr(GError) error = NULL;
    if (!gh_record_store(log_dir, object, &error))
        fail_msg("%s", error->message);
}

static json_t *load(void)
{
    json_t *records = NULL;
    g_autoptr(GError) error = NULL;
    if (!gh_record_load(log_dir, &records, &error))
        fail_msg("%s", error->message);
    return records;
}

static const char *id_at(const json_t *records, size_t index)
{
    return json_get_text(json_array_get(records, index), "id");
}

static void test_store(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = g_build_filename(log_dir, "last.json", NULL);
    g_autoptr(json_t) none = load();
    assert_int_equal(json_array_size(none), 0);
    for (int i = 0; i < GH_RECORD_KEPT + 5; i++)
        store(i, "pr view");
    g_autoptr(json_t) records = load();
    assert_int_equal(json_array_size(records), GH_RECORD_KEPT);
    assert_string_equal(id_at(records, 0), "24");
    assert_string_equal(id_at(records, GH_RECORD_KEPT - 1), "5");

    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(g_chmod(path, 0644), 0);
    store(100, "pr view");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);

    // a broken file is begun anew
    assert_true(g_file_set_contents(path, "[{\"id\":", -1, NULL));
    json_t *broken = NULL;
    assert_false(gh_record_load(log_dir, &broken, NULL));
    store(7, "pr view");
    g_autoptr(json_t) anew = load();
    assert_int_equal(json_array_size(anew), 1);
}

/* A link, or a file of two names, in the place of last.json: neither read nor written through. */
static void test_foreign_file(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = g_build_filename(log_dir, "last.json", NULL);
    g_autofree char *other = g_build_filename(log_dir, "other.json", NULL);
    static const char text[] = "[{\"id\":\"theirs\"}]";
    for (int is_hard = 0; is_hard < 2; is_hard++) {
        store(1, "pr view");
        assert_true(g_file_set_contents(other, text, -1, NULL));
        assert_int_equal(g_chmod(other, 0640), 0);
        assert_int_equal(g_unlink(path), 0);
        assert_int_equal(is_hard ? link(other, path) : symlink(other, path), 0);
        g_autoptr(json_t) none = load();
        assert_int_equal(json_array_size(none), 0);

        store(2, "pr view");
        g_autofree char *kept = NULL;
        assert_true(g_file_get_contents(other, &kept, NULL, NULL));
        assert_string_equal(kept, text);
        struct stat info;
        assert_int_equal(stat(other, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0640);
        assert_int_equal(lstat(path, &info), 0);
        assert_true(S_ISREG(info.st_mode) && info.st_nlink == 1);
        assert_int_equal(info.st_mode & 07777, 0600);
        g_autoptr(json_t) records = load();
        assert_int_equal(json_array_size(records), 1);
        assert_string_equal(id_at(records, 0), "2");
    }
    assert_int_equal(g_unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    g_autoptr(json_t) fifo = load();
    assert_int_equal(json_array_size(fifo), 0);
    store(3, "pr view");
    g_autoptr(json_t) records = load();
    assert_int_equal(json_array_size(records), 1);
    assert_int_equal(g_unlink(path) + g_unlink(other), 0);
}

/* Long command lines push older records out: the file must stay readable. */
static void test_large_records(void **state G_GNUC_UNUSED)
{
    g_autofree char *big = g_strnfill(120 * 1000, 'x');
    for (int i = 0; i < GH_RECORD_KEPT; i++)
        store(i, big);
    g_autofree char *path = g_build_filename(log_dir, "last.json", NULL);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true((size_t)info.st_size < LIMIT_CONFIG_FILE_BYTES);
    g_autoptr(json_t) records = load();
    assert_in_range(json_array_size(records), 2, GH_RECORD_KEPT - 1);
    assert_string_equal(id_at(records, 0), "19");
}

static void store_one(void *number)
{
    store(GPOINTER_TO_INT(number), "pr view");
}

/* Calls that end at the same time do not lose each other's records. */
static void test_concurrent(void **state G_GNUC_UNUSED)
{
    assert_true(file_remove_tree(log_dir, NULL));
    Worker *workers[8];
    for (int i = 0; i < (int)G_N_ELEMENTS(workers); i++)
        workers[i] = worker_start("store", store_one, GINT_TO_POINTER(i));
    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++)
        worker_join(workers[i]);
    g_autoptr(json_t) records = load();
    assert_int_equal(json_array_size(records), G_N_ELEMENTS(workers));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),          cmocka_unit_test(test_text),
        cmocka_unit_test(test_foreign_json),  cmocka_unit_test(test_bounds_and_secrets),
        cmocka_unit_test(test_foreign_file),  cmocka_unit_test(test_store),
        cmocka_unit_test(test_large_records), cmocka_unit_test(test_concurrent),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
