/*
 * The audit log (gh-policy §9): its lines, its files, many writers at once, and the query.
 */
#include "unit.h"

#include "base/file.h"
#include "base/proc.h"
#include "base/worker.h"
#include "github/audit/gh_audit.h"
#include "github/audit/gh_audit_query.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

#define NOW_MS    G_GINT64_CONSTANT(1778958225000) // 2026-05-16T14:03:45-0500
#define DAY_MS    G_GINT64_CONSTANT(86400000)
#define PROCESSES 8
#define LINES     200 // of each

static char *temp_dir;
static char *log_dir;

static int set_up(void **state G_GNUC_UNUSED)
{
    temp_dir = g_dir_make_tmp("kedge-audit-XXXXXX", NULL);
    log_dir = g_build_filename(temp_dir, "agent", "gh-audit", NULL);
    g_setenv("TZ", "EST5", true); // five hours behind, always
    tzset();
    return 0;
}

static int tear_down(void **state G_GNUC_UNUSED)
{
    bool is_removed = file_remove_tree(temp_dir, NULL);
    g_free(temp_dir);
    g_free(log_dir);
    return is_removed ? 0 : -1;
}

static char *log_path(const char *name)
{
    return g_build_filename(log_dir, name, NULL);
}

static const GhAuditLine usual = {
    .at = NOW_MS,
    .host = "github.com",
    .repo = "o/r",
    .class_name = "read",
    .policy = "auto",
    .duration_ms = 128,
    .bytes = 4321,
    .tool = "gh_pr_view",
    .command = "pr view",
    .ref = "171",
    .via = "agent",
    .id = "3f9c2a10",
};

static void test_format(void **state G_GNUC_UNUSED)
{
    GhAuditLine not_run = {
        .at = NOW_MS,
        .host = "github.com",
        .class_name = "destructive",
        .policy = "block",
        .exit_status = -1,
        .tool = "gh",
        .command = "api graphql mutation",
        .kind = "irreversible-blocked",
        .is_truncated = true,
        .via = "mcp",
        .id = "0c55e1aa",
    };
    GhAuditLine hostile = usual;
    hostile.host = "a b\nc=d\"\xc3\xa9";
    hostile.repo = "o/r;$(x)";
    hostile.command = "pr=view";
    hostile.ref = "17x";
    const struct {
        const char *name;
        const GhAuditLine *line;
        const char *want;
    } cases[] = {
        { "gh-9.2-1 as the specification has it", &usual,
          "2026-05-16T14:03:45-0500 host=github.com repo=o/r class=read policy=auto exit=0 "
          "duration=128ms bytes=4321 tool=gh_pr_view cmd=pr.view ref=171 kind=- trunc=0 via=agent "
          "id=3f9c2a10\n" },
        { "gh-9.2-2 not run", &not_run,
          "2026-05-16T14:03:45-0500 host=github.com repo=- class=destructive policy=block exit=- "
          "duration=0ms bytes=0 tool=gh cmd=api.graphql.mutation ref=- kind=irreversible-blocked "
          "trunc=1 via=mcp id=0c55e1aa\n" },
        { "gh-9.2-3 nothing ends a line or an item", &hostile,
          "2026-05-16T14:03:45-0500 host=a_b_c_d___ repo=o/r___x_ class=read policy=auto exit=0 "
          "duration=128ms bytes=4321 tool=gh_pr_view cmd=pr_view ref=- kind=- trunc=0 via=agent "
          "id=3f9c2a10\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = gh_audit_format(cases[i].line);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].name, got);
    }
}

static void test_refs(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *ref, *want;
    } cases[] = {
        { "5", " ref=5 " },
        { "12345678901234567890", " ref=12345678901234567890 " },
        { "123456789012345678901", " ref=- " },
        { "", " ref=- " },
        { "-1", " ref=- " },
        { "https://github.com/o/r/pull/5", " ref=- " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GhAuditLine line = usual;
        line.ref = cases[i].ref;
        g_autofree char *got = gh_audit_format(&line);
        if (!strstr(got, cases[i].want))
            fail_msg("gh-9.2-4 '%s': %s", cases[i].ref, got);
    }
}

/* However long the items are, the line is short enough for one write. */
static void test_length(void **state G_GNUC_UNUSED)
{
    g_autofree char *text = g_strnfill(5000, 'x');
    const GhAuditLine line = {
        .at = NOW_MS,
        .host = text,
        .repo = text,
        .class_name = text,
        .policy = text,
        .exit_status = G_MAXINT,
        .duration_ms = G_MAXINT64,
        .bytes = G_MAXSIZE,
        .tool = text,
        .command = text,
        .ref = "12345678901234567890",
        .kind = text,
        .via = text,
        .id = text,
    };
    g_autofree char *got = gh_audit_format(&line);
    assert_in_range(strlen(got), 500, GH_AUDIT_LINE_BYTES - 1);
}

static unsigned mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void append(const GhAuditLine *line, int64_t keep_days)
{
    g_autoptr(GError) error = NULL;
    if (!gh_audit_append(log_dir, line, keep_days, &error))
        fail_msg("%s", error->message);
}

static void clean(void)
{
    assert_true(file_remove_tree(log_dir, NULL));
}

/* gh-9.1: private from the start, and made private again. */
static void test_modes(void **state G_GNUC_UNUSED)
{
    clean();
    g_autofree char *path = log_path("2026-05-16.log");
    append(&usual, 0);
    assert_int_equal(mode_of(log_dir), 0700);
    assert_int_equal(mode_of(path), 0600);

    assert_int_equal(g_chmod(log_dir, 0755), 0);
    assert_int_equal(g_chmod(path, 0644), 0);
    append(&usual, 0);
    assert_int_equal(mode_of(log_dir), 0700);
    assert_int_equal(mode_of(path), 0600);
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_autofree char *line = gh_audit_format(&usual);
    g_autofree char *twice = g_strconcat(line, line, NULL);
    assert_string_equal(text, twice);
}

/* gh-9.1: links, other kinds of files and other users' files are not written. */
static void test_refused(void **state G_GNUC_UNUSED)
{
    clean();
    g_autofree char *victim = g_build_filename(temp_dir, "victim", NULL);
    g_autofree char *path = log_path("2026-05-16.log");
    assert_true(g_file_set_contents(victim, "untouched", -1, NULL));
    assert_int_equal(g_mkdir_with_parents(log_dir, 0700), 0);

    assert_int_equal(symlink(victim, path), 0);
    assert_false(gh_audit_append(log_dir, &usual, 0, NULL));
    assert_int_equal(g_unlink(path), 0);
    assert_int_equal(symlink("/nonexistent/file", path), 0);
    assert_false(gh_audit_append(log_dir, &usual, 0, NULL));
    assert_int_equal(g_unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(gh_audit_append(log_dir, &usual, 0, NULL));
    assert_int_equal(g_unlink(path), 0);

    g_autofree char *link = g_build_filename(temp_dir, "link", NULL);
    assert_int_equal(symlink(log_dir, link), 0);
    assert_false(gh_audit_append(link, &usual, 0, NULL));

    if (geteuid() == 0) { // only root can give a file away
        assert_true(g_file_set_contents(path, "", -1, NULL));
        assert_int_equal(chown(path, 12345, 12345), 0);
        g_autoptr(GError) error = NULL;
        assert_false(gh_audit_append(log_dir, &usual, 0, &error));
        assert_true(error_is(error, KEDGE_ERROR_DENIED));
    }
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(victim, &text, NULL, NULL));
    assert_string_equal(text, "untouched");
}

static void append_at(int64_t at, int64_t keep_days)
{
    GhAuditLine line = usual;
    line.at = at;
    append(&line, keep_days);
}

static bool has_log(const char *name)
{
    g_autofree char *path = log_path(name);
    return file_exists(path);
}

/* gh-9.1: a file for each local day; old ones go at the first write of a day. */
static void test_rotation(void **state G_GNUC_UNUSED)
{
    clean();
    const int64_t midnight = NOW_MS - (14 * 3600 + 3 * 60 + 45) * 1000; // local
    append_at(midnight - 1000, 0);
    append_at(midnight, 0);
    assert_true(has_log("2026-05-15.log"));
    assert_true(has_log("2026-05-16.log"));

    g_autofree char *other = log_path("notes.log");
    g_autofree char *last = log_path("last.json");
    assert_true(g_file_set_contents(other, "", -1, NULL));
    assert_true(g_file_set_contents(last, "", -1, NULL));
    append_at(NOW_MS + 2 * DAY_MS, 0); // 0 keeps everything
    assert_true(has_log("2026-05-15.log"));
    append_at(NOW_MS + 2 * DAY_MS, 1); // not the day's first
    assert_true(has_log("2026-05-15.log"));
    append_at(NOW_MS + 3 * DAY_MS, 3);
    assert_false(has_log("2026-05-15.log"));
    assert_true(has_log("2026-05-16.log"));
    assert_true(has_log("2026-05-18.log"));
    assert_true(has_log("2026-05-19.log"));
    assert_true(has_log("notes.log"));
    assert_true(has_log("last.json"));
}

/* This program again, as one of several writers: `test-gh-audit write DIR NUMBER`. */
static int write_lines(const char *dir, const char *number)
{
    g_setenv("TZ", "EST5", true);
    g_autofree char *repo = g_strnfill(190, *number);
    for (int i = 0; i < LINES; i++) {
        g_autofree char *ref = g_strdup_printf("%d", i);
        GhAuditLine line = usual;
        line.repo = repo;
        line.ref = ref;
        if (!gh_audit_append(dir, &line, 0, NULL))
            return 1;
    }
    return 0;
}

typedef struct Writer {
    const char *number;
    bool is_done;
} Writer;

static void run_writer(void *writer_)
{
    Writer *writer = writer_;
    const ProcSpec spec = {
        .argv = (const char *const[]) { "/proc/self/exe", "write", log_dir, writer->number, NULL },
        .timeout_ms = 60 * 1000,
        .max_output_bytes = 4096,
    };
    g_auto(ProcResult) result = { 0 };
    writer->is_done = proc_run(&spec, NULL, &result, NULL) && result.exit_status == 0;
}

/* gh-17.2: eight processes at once, and every line is whole. */
static void test_concurrent_writers(void **state G_GNUC_UNUSED)
{
    clean();
    static const char *const numbers[PROCESSES] = { "0", "1", "2", "3", "4", "5", "6", "7" };
    Writer writers[PROCESSES];
    Worker *workers[PROCESSES];
    for (size_t i = 0; i < PROCESSES; i++) {
        writers[i] = (Writer) { .number = numbers[i] };
        workers[i] = worker_start("writer", run_writer, &writers[i]);
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        worker_join(workers[i]);
        assert_true(writers[i].is_done);
    }

    g_autofree char *path = log_path("2026-05-16.log");
    g_autofree char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    assert_int_equal(g_strv_length(lines), PROCESSES * LINES + 1);
    int next[PROCESSES] = { 0 };
    for (size_t i = 0; i < PROCESSES * LINES; i++) {
        g_autoptr(json_t) line = gh_audit_line_to_json(lines[i]);
        if (!line)
            fail_msg("mixed: %s", lines[i]);
        size_t writer = (size_t)(*json_get_text(line, "repo") - '0');
        g_autofree char *ref = g_strdup_printf("%d", next[writer]++);
        assert_string_equal(json_get_text(line, "ref"), ref); // in the order of each writer
    }
}

static void collect(const char *line, void *list)
{
    g_autoptr(json_t) object = gh_audit_line_to_json(line);
    g_string_append_printf(list, "%s ", json_get_text(object, "id"));
}

/* Six lines on three days; a broken one among them. */
static void write_samples(void)
{
    static const GhAuditLine lines[] = {
        { .at = NOW_MS - 10 * DAY_MS,
          .host = "github.com",
          .repo = "o/old",
          .class_name = "read",
          .policy = "auto",
          .tool = "gh",
          .command = "pr list",
          .via = "cli",
          .id = "a" },
        { .at = NOW_MS - 2 * DAY_MS,
          .host = "github.com",
          .repo = "o/r",
          .class_name = "read",
          .policy = "auto",
          .tool = "gh_pr_view",
          .command = "pr view",
          .ref = "171",
          .via = "agent",
          .id = "b" },
        { .at = NOW_MS - 2 * DAY_MS + 1000,
          .host = "acme.ghe.com",
          .repo = "org/r",
          .class_name = "write",
          .policy = "confirm",
          .tool = "gh",
          .command = "pr merge",
          .ref = "171",
          .via = "mcp",
          .id = "c" },
        { .at = NOW_MS,
          .host = "github.com",
          .repo = "o/r",
          .class_name = "destructive",
          .policy = "block",
          .exit_status = -1,
          .tool = "gh",
          .command = "repo delete",
          .kind = "irreversible-blocked",
          .via = "agent",
          .id = "d" },
        { .at = NOW_MS + 1000,
          .host = "github.com",
          .repo = "o/r2",
          .class_name = "read",
          .policy = "auto",
          .exit_status = 1,
          .tool = "gh",
          .command = "pr view",
          .kind = "gh-exit",
          .via = "agent",
          .id = "e" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        append(&lines[i], 0);
    g_autofree char *path = log_path("2026-05-16.log");
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    g_autofree char *overlong = g_strnfill(3000, 'x');
    fprintf(file, "nonsense\n%s\n2026-05-16T14:03:45-0500 host=x\n", overlong);
    fclose(file);
    GhAuditLine last = usual;
    last.at = NOW_MS + 2000;
    last.id = "f";
    append(&last, 0);
}

static void test_query(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        GhAuditFilter filter;
        const char *want;
    } cases[] = {
        { "gh-9.4-1 everything, newest last", { 0 }, "a b c d e f " },
        { "gh-9.4-2 since", { .since = NOW_MS - 7 * DAY_MS }, "b c d e f " },
        { "gh-9.4-3 until", { .until = NOW_MS - 2 * DAY_MS }, "a b " },
        { "gh-9.4-4 both", { .since = NOW_MS, .until = NOW_MS + 1000 }, "d e " },
        { "gh-9.4-5 host", { .host = "acme.ghe.com" }, "c " },
        { "gh-9.4-6 host, start", { .host = "acme*" }, "c " },
        { "gh-9.4-7 repo", { .repo = "o/r" }, "b d f " },
        { "gh-9.4-8 repo, start", { .repo = "o/*" }, "a b d e f " },
        { "gh-9.4-9 class", { .class_name = "write" }, "c " },
        { "gh-9.4-10 policy", { .policy = "block" }, "d " },
        { "gh-9.4-11 kind", { .kind = "gh-exit" }, "e " },
        { "gh-9.4-12 no kind", { .kind = "-" }, "a b c f " },
        { "gh-9.4-13 command", { .cmd = "pr.view" }, "b e f " },
        { "gh-9.4-14 command, start", { .cmd = "pr.*" }, "a b c e f " },
        { "gh-9.4-15 reference", { .ref = "171" }, "b c f " },
        { "gh-9.4-16 tool", { .tool = "gh_pr_view" }, "b f " },
        { "gh-9.4-17 expression", { .grep = "cmd=(repo|pr\\.merge)" }, "c d " },
        { "gh-9.4-18 several",
          { .host = "github.com", .class_name = "read", .ref = "171" },
          "b f " },
        { "gh-9.4-19 limit", { .limit = 2 }, "e f " },
        { "gh-9.4-20 nothing", { .host = "none" }, "" },
        { "gh-9.4-21 a star alone inside is a letter", { .repo = "o*r" }, "" },
    };
    clean();
    write_samples();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *got = g_string_new(NULL);
        g_autoptr(GError) error = NULL;
        if (!gh_audit_query(log_dir, &cases[i].filter, collect, got, NULL, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        if (strcmp(got->str, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].name, got->str);
        g_string_free(got, true);
    }

    size_t skipped = 0;
    GString *got = g_string_new(NULL);
    assert_true(gh_audit_query(log_dir, &(GhAuditFilter) { 0 }, collect, got, &skipped, NULL));
    assert_int_equal(skipped, 3);
    g_string_free(got, true);

    g_autoptr(GError) error = NULL;
    assert_false(
        gh_audit_query(log_dir, &(GhAuditFilter) { .grep = "(" }, collect, NULL, NULL, &error));
    assert_true(error_is(error, KEDGE_ERROR_USAGE));
}

static void test_no_log(void **state G_GNUC_UNUSED)
{
    clean();
    GString *got = g_string_new(NULL);
    size_t skipped = 7;
    assert_true(gh_audit_query(log_dir, &(GhAuditFilter) { 0 }, collect, got, &skipped, NULL));
    assert_int_equal(got->len, 0);
    assert_int_equal(skipped, 0);
    assert_false(file_exists(log_dir));
    g_string_free(got, true);
}

static void add_count(const char *value, guint64 count, void *list)
{
    g_string_append_printf(list, "%" G_GUINT64_FORMAT "\t%s\n", count, value);
}

static void test_count(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *field;
        GhAuditFilter filter;
        const char *want;
    } cases[] = {
        { "gh-9.4-30 by host", "host", { 0 }, "5\tgithub.com\n1\tacme.ghe.com\n" },
        { "gh-9.4-31 the same count: by value",
          "class",
          { .tool = "gh" },
          "2\tread\n1\tdestructive\n1\twrite\n" },
        { "gh-9.4-32 limit", "cmd", { .limit = 1 }, "3\tpr.view\n" },
        { "gh-9.4-33 nothing", "via", { .host = "none" }, "" },
    };
    clean();
    write_samples();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *got = g_string_new(NULL);
        assert_true(
            gh_audit_count(log_dir, &cases[i].filter, cases[i].field, add_count, got, NULL, NULL));
        if (strcmp(got->str, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].name, got->str);
        g_string_free(got, true);
    }
    g_autoptr(GError) error = NULL;
    assert_false(
        gh_audit_count(log_dir, &(GhAuditFilter) { 0 }, "colour", add_count, NULL, NULL, &error));
    assert_true(error_is(error, KEDGE_ERROR_USAGE));
}

static void test_json(void **state G_GNUC_UNUSED)
{
    GhAuditLine line = usual;
    line.exit_status = -1;
    line.is_truncated = true;
    g_autofree char *text = g_strchomp(gh_audit_format(&line));
    g_autoptr(json_t) object = gh_audit_line_to_json(text);
    g_autofree char *got = json_to_text(object);
    assert_string_equal(got,
                        "{\"time\":\"2026-05-16T14:03:45-0500\",\"host\":\"github.com\","
                        "\"repo\":\"o/r\",\"class\":\"read\",\"policy\":\"auto\",\"exit\":null,"
                        "\"duration\":128,\"bytes\":4321,\"tool\":\"gh_pr_view\","
                        "\"cmd\":\"pr.view\",\"ref\":\"171\",\"kind\":null,\"trunc\":true,"
                        "\"via\":\"agent\",\"id\":\"3f9c2a10\"}");
    assert_null(gh_audit_line_to_json("x"));
}

static void test_times(void **state G_GNUC_UNUSED)
{
    const int64_t midnight = NOW_MS - (14 * 3600 + 3 * 60 + 45) * 1000;
    const struct {
        const char *text;
        bool is_end, is_valid;
        int64_t want;
    } cases[] = {
        { "90m", false, true, NOW_MS - 90 * 60 * 1000 },
        { "2h", false, true, NOW_MS - 2 * 3600 * 1000 },
        { "7d", false, true, NOW_MS - 7 * DAY_MS },
        { "1w", false, true, NOW_MS - 7 * DAY_MS },
        { "2026-05-16", false, true, midnight },
        { "2026-05-16", true, true, midnight + DAY_MS - 1 },
        { "2026-05-16T19:03:45Z", false, true, NOW_MS },
        { "2026-05-16T21:03:45+02:00", true, true, NOW_MS },
        { "", false, false, 0 },
        { "d", false, false, 0 },
        { "5", false, false, 0 },
        { "5y", false, false, 0 },
        { "-5d", false, false, 0 },
        { "99999999999999999999d", false, false, 0 },
        { "2026-13-45", false, false, 0 },
        { "yesterday", false, false, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t got = 0;
        g_autoptr(GError) error = NULL;
        bool is_valid = gh_audit_parse_time(cases[i].text, NOW_MS, cases[i].is_end, &got, &error);
        if (is_valid != cases[i].is_valid || got != cases[i].want)
            fail_msg("gh-9.4-40 '%s': %" G_GINT64_FORMAT, cases[i].text, got);
    }
}

static void test_ids(void **state G_GNUC_UNUSED)
{
    g_autofree char *a = gh_audit_new_id();
    g_autofree char *b = gh_audit_new_id();
    assert_int_equal(strlen(a), 8);
    assert_int_equal(strspn(a, "0123456789abcdef"), 8);
    assert_string_not_equal(a, b);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "write") == 0)
        return write_lines(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_refs),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_concurrent_writers),
        cmocka_unit_test(test_query),
        cmocka_unit_test(test_no_log),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_ids),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
