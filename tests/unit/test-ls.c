/* The ls tool: order, marks, bounds and errors. */
#include "base/str.h"
#include "tool_fixture.h"

#include "base/limits.h"
#include "base/timefmt.h"
#include "tool/tool_set.h"
#include "tools/tools.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static void age(const ToolFixture *fixture, const char *name, int64_t seconds)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    const struct timespec at = { .tv_sec = time(NULL) - seconds };
    const struct timespec times[] = { at, at };
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void link_to(const ToolFixture *fixture, const char *name, const char *target)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    assert_int_equal(symlink(target, path), 0);
    age(fixture, name, 7200);
}

static void test_names(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "b.txt", "");
    tool_fixture_put(fixture, "A.txt", "");
    tool_fixture_put(fixture, ".hidden", "");
    tool_fixture_put(fixture, "Dir/x", "");
    tool_fixture_put(fixture, "\xc3\x84", "");
    tool_fixture_put(fixture, "line\nbreak", "");
    tool_fixture_put(fixture, "bad\xff", "");
    link_to(fixture, "nowhere", "no-such");
    link_to(fixture, "there", "Dir");
    static const struct {
        const char *name;
        int64_t seconds;
    } ages[] = {
        { "b.txt", 30 },
        { "A.txt", 300 },
        { ".hidden", 7200 },
        { "Dir", 2 * 86400 },
        { "\xc3\x84", -60 },
        { "bad\xff", 1e6 },
        { "line\nbreak", 86400 * 100 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(ages); i++)
        age(fixture, ages[i].name, ages[i].seconds);
    g_autofree char *got = tool_fixture_text(fixture, &tool_ls, json_object());
    assert_text("names", got,
                ".hidden (2h ago)\n"
                "A.txt (5m ago)\n"
                "b.txt (just now)\n"
                "bad\xef\xbf\xbd (1w ago)\n"
                "Dir/ (2d ago)\n"
                "line?break (3mo ago)\n"
                "nowhere (2h ago)\n"
                "there/ (2d ago)\n"
                "\xc3\x84 (just now)");
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f", "");
    g_autofree char *missing = g_strdup_printf("Path not found: %s/no", fixture->cwd);
    g_autofree char *file = g_strdup_printf("Not a directory: %s/f", fixture->cwd);
    const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{'path':'no'}", missing },
        { "{'path':'f'}", file },
        { "{'limit':0}", "Limit must be a positive number, not 0; leave it out for 500" },
        { "{'limit':-3}", "Limit must be a positive number, not -3; leave it out for 500" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = tool_fixture_error(fixture, &tool_ls, json_of(cases[i].arguments));
        assert_text(cases[i].arguments, got, cases[i].want);
    }
    g_autofree char *path = g_build_filename(fixture->cwd, "empty", NULL);
    assert_int_equal(mkdir(path, 0700), 0);
    g_autofree char *empty = tool_fixture_text(fixture, &tool_ls, json_of("{'path':'empty'}"));
    assert_string_equal(empty, "(empty directory)");
}

static void put_many(const ToolFixture *fixture, int count, const char *format)
{
    for (int i = 0; i < count; i++) {
        g_autofree char *number = g_strdup_printf("%05d", i);
        g_autofree char *name = g_strconcat(number, format, NULL);
        g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        assert_true(fd >= 0);
        close(fd);
    }
}

static void test_limits(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_many(fixture, 501, ".c");
    g_autofree char *got = tool_fixture_text(fixture, &tool_ls, json_object());
    assert_true(g_str_has_suffix(got, "\n\n[500 entries limit reached. Use limit=1000 for more]"));
    assert_contains("last", got, "\n00499.c (");
    assert_null(strstr(got, "00500.c"));
    g_autofree char *few = tool_fixture_text(fixture, &tool_ls, json_of("{'limit':2}"));
    assert_true(str_has_prefix(few, "00000.c ("));
    assert_true(g_str_has_suffix(few, "\n\n[2 entries limit reached. Use limit=4 for more]"));
    g_autofree char *all = tool_fixture_text(fixture, &tool_ls, json_of("{'limit':1000}"));
    assert_null(strstr(all, "limit reached"));
    assert_contains("last", all, "\n00500.c (");
}

static void test_bytes(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_autofree char *tail = g_strnfill(200, 'x');
    put_many(fixture, 400, tail);
    g_autofree char *got = tool_fixture_text(fixture, &tool_ls, json_object());
    assert_true(g_str_has_suffix(got, "\n\n[50.0KB limit reached]"));
    assert_true(str_has_prefix(got, "00000x")); // not sent to an artifact
    g_autofree char *both = tool_fixture_text(fixture, &tool_ls, json_of("{'limit':399}"));
    assert_true(g_str_has_suffix(
        both, "\n\n[399 entries limit reached. Use limit=798 for more. 50.0KB limit reached]"));
    assert_true(strlen(both) <= TRUNCATE_MAX_BYTES);
}

static void test_secret_places(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *got = tool_fixture_text(fixture, &tool_ls, json_of("{'path':'/proc/self'}"));
    assert_contains("status", got, "status (");
    assert_null(strstr(got, "environ"));
}

static void test_offered(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const table[] = { &tool_ls, NULL };
    g_autoptr(ToolSet) all = tool_set_new(table);
    g_autoptr(Settings) plain = settings_new(NULL);
    g_autoptr(json_t) on = json_of("{'ls':{'enabled':true}}");
    g_autoptr(Settings) with = settings_new(on);
    g_autoptr(ToolSet) none = tool_set_select(all, plain, NULL, NULL);
    g_autoptr(ToolSet) one = tool_set_select(all, with, NULL, NULL);
    assert_int_equal(tool_set_count(none), 0);
    assert_int_equal(tool_set_count(one), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_secret_places), cmocka_unit_test(test_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
