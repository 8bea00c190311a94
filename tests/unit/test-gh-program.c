/*
 * The gh that the gh tools run (gh-policy §6.5, §13): which executable, and which versions.
 */
#include "base/str.h"
#include "unit.h"

#include "gh_fixture.h"

#include "base/dirs.h"
#include "github/classify/gh_kind.h"
#include "github/safe/gh_program.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

#define TOO_OLD(version, minimum)                                                                  \
    "gh " version " is older than the required " minimum "; upgrade gh."

/* A gh that answers --version with the shell command `version`, and counts how often it is asked.
 */
static void write_stub(const char *dir, const char *version)
{
    g_autofree char *path = g_build_filename(dir, "gh", NULL);
    g_autofree char *text = g_strdup_printf("#!/bin/sh\necho v >>\"$0.count\"\n%s\n", version);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(g_chmod(path, 0755), 0);
}

static unsigned count_questions(const GhFixture *fixture)
{
    g_autofree char *path = g_build_filename(fixture->bin, "gh.count", NULL);
    struct stat info;
    return stat(path, &info) == 0 ? (unsigned)info.st_size / 2 : 0;
}

static bool find(const GhFixture *fixture, GhProgram *ret_program, GError **error)
{
    return gh_program_find(fixture->settings, fixture->cwd, fixture->cwd, fixture->cancel,
                           ret_program, error);
}

static void expect_refused(const char *name, const GhFixture *fixture, GhKind kind,
                           const char *message)
{
    g_auto(GhProgram) program = { 0 };
    g_autoptr(GError) error = NULL;
    if (find(fixture, &program, &error))
        fail_msg("%s: found %s", name, program.path);
    if (gh_kind_of_error(error) != kind || !str_has_prefix(error->message, message))
        fail_msg("%s: %s", name, error->message);
}

static void test_versions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *version, *settings;
        const char *refused; // NULL: accepted
        const char *text;
    } cases[] = {
        { "gh-17.2-R26 too old", "echo 'gh version 2.23.0 (2023-02-08)'", NULL,
          TOO_OLD("2.23.0", "2.46.0"), NULL },
        { "gh-13-1 just new enough", "echo 'gh version 2.46.0-rc1+deb (x)'", NULL, NULL, "2.46.0" },
        { "gh-13-2 numbers, not letters", "echo 'gh version 10.1.2'; echo 1.0.0", NULL, NULL,
          "10.1.2" },
        { "gh-17.2-R27 DEV", "echo 'gh version DEV (x)'", NULL, NULL, "DEV" },
        { "gh-13-3 other words", "echo 'hub 2.14'", NULL, NULL, "DEV" },
        { "gh-13-4 it fails", "echo 'no such library'; exit 127", NULL,
          "gh cannot say its version: gh --version exits with status 127: no such library.", NULL },
        { "gh-13-4 it fails without a word", "exit 1", NULL,
          "gh cannot say its version: gh --version exits with status 1.", NULL },
        { "gh-13-5 it takes too long", "exec sleep 60", NULL,
          "gh cannot say its version: BIN/gh timed out after 5000 ms.", NULL },
        { "gh-13-6 a higher minimum", "echo 'gh version 2.92.0'",
          "{\"gh\":{\"minVersion\":\"2.93.1\"}}", TOO_OLD("2.92.0", "2.93.1"), NULL },
        { "gh-13-7 a lower minimum of the user", "echo 'gh version 2.23.0'",
          "{\"gh\":{\"minVersion\":\"2.20.0\"}}", NULL, "2.23.0" },
        { "gh-13-8 a minimum that is none", "echo 'gh version 2.23.0'",
          "{\"gh\":{\"minVersion\":\"new\"}}", TOO_OLD("2.23.0", "2.46.0"), NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new_with(cases[i].settings);
        write_stub(fixture->bin, cases[i].version);
        if (cases[i].refused) {
            g_auto(GStrv) parts = g_strsplit(cases[i].refused, "BIN", -1);
            g_autofree char *refused = g_strjoinv(fixture->bin, parts);
            expect_refused(cases[i].name, fixture, GH_KIND_VERSION, refused);
            continue;
        }
        g_auto(GhProgram) program = { 0 };
        g_autoptr(GError) error = NULL;
        if (!find(fixture, &program, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        assert_string_equal(program.version_text, cases[i].text);
    }
}

/* gh-16: a project may raise the minimum, not lower it. */
static void test_project_minimum(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *user, *project;
        const char *refused; // NULL: accepted
    } cases[] = {
        { "{}", "{\"gh\":{\"minVersion\":\"2.93.0\"}}", TOO_OLD("2.50.0", "2.93.0") },
        { "{}", "{\"gh\":{\"minVersion\":\"2.0.0\"}}", NULL },
        { "gh:\n  minVersion: 2.60.0\n", "{\"gh\":{\"minVersion\":\"2.50.0\"}}",
          TOO_OLD("2.50.0", "2.60.0") },
        { "gh:\n  minVersion: 2.60.0\n", "{\"gh\":{\"minVersion\":\"2.70.0\"}}",
          TOO_OLD("2.50.0", "2.70.0") },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        write_stub(fixture->bin, "echo 'gh version 2.50.0'");
        g_autofree char *user = g_build_filename(fixture->home, "config.yml", NULL);
        g_autofree char *dir = g_build_filename(fixture->cwd, ".kedge", NULL);
        g_autofree char *project = g_build_filename(dir, "settings.json", NULL);
        assert_int_equal(g_mkdir(dir, 0700), 0);
        assert_true(g_file_set_contents(user, cases[i].user, -1, NULL));
        assert_true(g_file_set_contents(project, cases[i].project, -1, NULL));
        settings_unref(fixture->settings);
        fixture->settings = settings_load(fixture->home, fixture->cwd, NULL);
        g_auto(GhProgram) program = { 0 };
        if (cases[i].refused)
            expect_refused(cases[i].project, fixture, GH_KIND_VERSION, cases[i].refused);
        else
            assert_true(find(fixture, &program, NULL));
    }
}

/* A program answers for later processes, too: what a file of the cache says of it counts, until the
   program or that file is another. */
static void test_version_is_kept_in_a_file(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autofree char *cache = dirs_cache();
    g_autofree char *kept = g_build_filename(cache, "gh-version.json", NULL);
    g_autofree char *gh = g_build_filename(fixture->bin, "gh", NULL);
    g_autofree char *echo = g_find_program_in_path("echo");
    g_autofree char *data = NULL;
    gsize size = 0;
    assert_true(g_file_get_contents(echo, &data, &size, NULL));
    assert_true(g_file_set_contents(gh, data, (gssize)size, NULL)); // says no number of gh's
    assert_int_equal(g_chmod(gh, 0755), 0);
    static const struct {
        const char *name, *from, *to, *want;
        bool is_changed;
    } cases[] = {
        { "asked", NULL, NULL, "DEV", false },
        { "kept", "\"DEV\"", "\"9.9.9\"", "9.9.9", false },
        { "another path", "/gh\"", "/hg\"", "DEV", false },
        { "no version", "\"DEV\"", "\"new\"", "DEV", false },
        { "broken", "\"DEV\"", "", "DEV", false },
        { "the program has changed", "\"DEV\"", "\"9.9.9\"", "DEV", true },
    };
    g_autofree char *root = g_build_filename(fixture->home, ".kedge", NULL);
    g_auto(GhProgram) first = { 0 };
    assert_true(find(fixture, &first, NULL)); // the first directory of a person is not made for it
    assert_false(g_file_test(root, G_FILE_TEST_EXISTS));
    assert_int_equal(g_mkdir_with_parents(root, 0700), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = NULL;
        if (cases[i].from) {
            assert_true(g_file_get_contents(kept, &text, NULL, NULL));
            g_auto(GStrv) parts = g_strsplit(text, cases[i].from, -1);
            g_autofree char *changed = g_strjoinv(cases[i].to, parts);
            assert_true(g_file_set_contents(kept, changed, -1, NULL));
        }
        if (cases[i].is_changed)
            assert_int_equal(utimensat(AT_FDCWD, gh, (struct timespec[2]) { { 0 } }, 0), 0);
        g_auto(GhProgram) program = { 0 };
        g_autoptr(GError) error = NULL;
        if (!find(fixture, &program, &error) || strcmp(program.version_text, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].name, error ? error->message : program.version_text);
        struct stat info;
        assert_int_equal(stat(kept, &info), 0);
        assert_true(cases[i].from || (info.st_mode & 0777) == 0600);
    }
}

/* gh-17.2-R28: a script may start another gh tomorrow: asked once in a process, and again when it
   has changed. */
static void test_version_is_kept(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    write_stub(fixture->bin, "echo 'gh version 2.92.0'");
    for (int i = 0; i < 3; i++) {
        g_auto(GhProgram) program = { 0 };
        assert_true(find(fixture, &program, NULL));
    }
    assert_int_equal(count_questions(fixture), 1);
    write_stub(fixture->bin, "echo 'gh version 2.93.0'");
    g_auto(GhProgram) program = { 0 };
    assert_true(find(fixture, &program, NULL));
    assert_string_equal(program.version_text, "2.93.0");
    assert_int_equal(count_questions(fixture), 2);
}

static void test_cancelled(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    write_stub(fixture->bin, "exec sleep 300");
    cancel_fire(fixture->cancel);
    g_auto(GhProgram) program = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(find(fixture, &program, &error));
    assert_int_equal(gh_kind_of_error(error), GH_KIND_CANCELLED);
}

static void test_missing(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *settings, *message;
    } cases[] = {
        { "{\"gh\":{\"executable\":\"/none/gh\"}}", "gh not found at /none/gh; install via '" },
        { "{\"gh\":{\"executable\":\"./gh\"}}", "gh not found at ./gh; install via '" },
        { "{\"gh\":{\"executable\":\"no-such-gh\"}}", "gh not found at no-such-gh; install via '" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new_with(cases[i].settings);
        expect_refused("gh-17.2-R24", fixture, GH_KIND_NO_EXECUTABLE, cases[i].message);
    }
}

/* gh-14-16, gh-17.2-R29: a gh that the project brings along is passed over. */
static void test_planted(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autofree char *honest = g_build_filename(fixture->bin, "gh", NULL);
    g_autofree char *repository = g_build_filename(fixture->dir, "clone", NULL);
    g_autofree char *mark = g_build_filename(repository, ".git", NULL);
    g_autofree char *below = g_build_filename(repository, "sub", NULL);
    assert_int_equal(g_mkdir_with_parents(mark, 0700), 0);
    assert_int_equal(g_mkdir(below, 0700), 0);
    const struct {
        const char *name, *planted_in, *cwd;
        bool is_passed_over;
    } cases[] = {
        { "in the workspace", fixture->cwd, fixture->home, true },
        { "in the repository around the working directory", repository, below, true },
        { "in another directory", fixture->home, fixture->cwd, false },
    };
    write_stub(fixture->bin, "echo 'gh version 2.92.0'");
    g_autofree char *old_path = g_strdup(g_getenv("PATH"));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        write_stub(cases[i].planted_in, "echo 'gh version 2.92.0'");
        g_autofree char *path = g_strdup_printf("%s:%s", cases[i].planted_in, old_path);
        g_setenv("PATH", path, true);
        g_auto(GhProgram) program = { 0 };
        bool is_found = gh_program_find(fixture->settings, cases[i].cwd, fixture->cwd,
                                        fixture->cancel, &program, NULL);
        g_setenv("PATH", old_path, true);
        assert_true(is_found);
        if ((strcmp(program.path, honest) == 0) != cases[i].is_passed_over)
            fail_msg("%s: %s", cases[i].name, program.path);
    }

    g_setenv("PATH", fixture->cwd, true);
    expect_refused("nowhere else", fixture, GH_KIND_NO_EXECUTABLE, "gh not found at gh; install");
    g_setenv("PATH", old_path, true);
}

static void test_version_numbers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *a, *b;
        int want;
    } cases[] = {
        { "2.46.0", "2.46.0", 0 }, { "2.9.0", "2.46.0", -1 }, { "10.0.0", "9.9.9", 1 },
        { "2.46.1", "2.46.0", 1 }, { "2.50", "2.50.0", 0 },   { "v2.50.1-x", "2.50.1", 0 },
    };
    GhVersion a, b;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_true(gh_version_parse(cases[i].a, &a) && gh_version_parse(cases[i].b, &b));
        assert_int_equal(gh_version_compare(a, b), cases[i].want);
    }
    static const struct {
        const char *version;
        bool has_flag;
    } flags[] = { { "2.96.9", false }, { "2.97.0", true }, { "2.102.0", true }, { "3.0", true } };
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        assert_true(gh_version_parse(flags[i].version, &a));
        assert_int_equal(gh_version_has_raw_flag(a), flags[i].has_flag);
    }
    static const char *const none[] = { "", "DEV", "2", "2.x", "99999999999.1.1" };
    for (size_t i = 0; i < G_N_ELEMENTS(none); i++)
        assert_false(gh_version_parse(none[i], &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),        cmocka_unit_test(test_project_minimum),
        cmocka_unit_test(test_version_is_kept), cmocka_unit_test(test_version_is_kept_in_a_file),
        cmocka_unit_test(test_cancelled),       cmocka_unit_test(test_missing),
        cmocka_unit_test(test_planted),         cmocka_unit_test(test_version_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
