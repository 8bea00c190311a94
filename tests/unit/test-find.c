/*
 * find: globs, ignore files, order, limits (agent-tools §3.6).
 */
#include "base/str.h"
#include "tool_fixture.h"

#include "tools/tools.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>

static void set_time(const ToolFixture *fixture, const char *name, int64_t seconds)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    const struct timeval times[] = { { .tv_sec = seconds }, { .tv_sec = seconds } };
    assert_int_equal(utimes(path, times), 0);
}

static char *find_text(const ToolFixture *fixture, const char *arguments)
{
    return tool_fixture_text(fixture, &tool_find, json_of(arguments));
}

static char *find_error(const ToolFixture *fixture, const char *arguments)
{
    return tool_fixture_error(fixture, &tool_find, json_of(arguments));
}

/* a.c the newest, then src/b.c … */
static ToolFixture *tree_new(void)
{
    static const char *const names[] = {
        "a.c",           "src/b.c", "src/deep/c.c", "src/d.h",  ".hidden/e.c",
        "out/ignored.c", "g.txt",   "lib/a b.c",    ".git/x.c", "node_modules/y.c"
    };
    ToolFixture *fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        tool_fixture_put(fixture, names[i], "x");
        set_time(fixture, names[i], 1000000000 - (int)i);
    }
    tool_fixture_put(fixture, ".gitignore", "out/\n");
    set_time(fixture, ".gitignore", 1);
    return fixture;
}

static void test_patterns(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "tools-T75", "{'pattern':'*.c'}", "a.c\nsrc/b.c\nsrc/deep/c.c\n.hidden/e.c\nlib/a b.c" },
        { "the same with **", "{'pattern':'**/*.c'}",
          "a.c\nsrc/b.c\nsrc/deep/c.c\n.hidden/e.c\nlib/a b.c" },
        { "a plain part is not recursive", "{'pattern':'src/*.c'}", "src/b.c" },
        { "below a path", "{'pattern':'*.c','path':'src'}", "src/b.c\nsrc/deep/c.c" },
        { "below a path given absolutely", "{'pattern':'deep/*','path':'./src/'}", "src/deep/c.c" },
        { "without hidden files", "{'pattern':'*.c','hidden':false}",
          "a.c\nsrc/b.c\nsrc/deep/c.c\nlib/a b.c" },
        { "braces", "{'pattern':'src/*.{c,h}'}", "src/b.c\nsrc/d.h" },
        { "a name at any depth", "{'pattern':'c.c'}", "src/deep/c.c" },
        { "a path that is a file", "{'pattern':'src/b.c'}", "src/b.c" },
        { "a directory is all of it", "{'paths':['src']}", "src/b.c\nsrc/deep/c.c\nsrc/d.h" },
        { "path alone", "{'path':'src/deep'}", "src/deep/c.c" },
        { "several, each file once", "{'paths':['src/*.c','src','a.c']}",
          "a.c\nsrc/b.c\nsrc/deep/c.c\nsrc/d.h" },
        { "quoted", "{'paths':[' src/*.h ']}", "src/d.h" },
        { "named: .git", "{'paths':['.git/*']}", ".git/x.c" },
        { "named: node_modules", "{'pattern':'node_modules/*.c'}", "node_modules/y.c" },
        { "named in the middle", "{'pattern':'**/node_modules/*.c'}", "node_modules/y.c" },
        { "ignored, but asked for", "{'paths':['out/ignored.c']}", "out/ignored.c" },
        { "directories", "{'pattern':'*','type':'dir','hidden':false}", "lib/\nsrc/deep/\nsrc/" },
        { "nothing", "{'pattern':'*.zig'}", "No files found matching pattern" },
        { "nothing of that name", "{'pattern':'nope'}", "No files found matching pattern" },
        { "case counts", "{'pattern':'*.C'}", "No files found matching pattern" },
        { "tools-T76", "{'paths':['lib','nope','away/*.c']}",
          "lib/a b.c\n\nSkipped missing paths: nope, away/*.c" },
        { "missing and empty", "{'paths':['*.zig','nope']}",
          "No files found matching pattern\nSkipped missing paths: nope" },
    };
    g_autoptr(ToolFixture) fixture = tree_new();
    set_time(fixture, "lib", 300);
    set_time(fixture, "src/deep", 200);
    set_time(fixture, "src", 100);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = find_text(fixture, cases[i].arguments);
        assert_text(cases[i].name, text, cases[i].want);
    }
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{}", "find needs `pattern` or `paths`" },
        { "{'pattern':' '}", "`paths` must contain non-empty globs or paths" },
        { "{'paths':['a.c','']}", "`paths` must contain non-empty globs or paths" },
        { "{'pattern':'*','limit':0}",
          "Limit must be a positive number, not 0; leave it out for 1000" },
        { "{'pattern':'*','limit':-3}",
          "Limit must be a positive number, not -3; leave it out for 1000" },
        { "{'pattern':'/*.c'}", "Searching from root directory '/' is not allowed" },
        { "{'pattern':'*.c','path':'a.c'}", "Path is not a directory: a.c" },
        { "{'pattern':'a.c/*.c'}", "Path is not a directory: a.c" },
        { "{'pattern':'*.c','path':'nope'}", "Path not found: nope" },
        { "{'paths':['nope','neither/*']}", "Path not found: nope, neither/*" }, // tools-T76
        { "{'pattern':'{a'}", "invalid glob: **/{a (a { is not closed)" },
    };
    g_autoptr(ToolFixture) fixture = tree_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = find_error(fixture, cases[i].arguments);
        assert_text(cases[i].arguments, text, cases[i].want);
    }
}

static void test_ignore_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    static const char *const names[] = { "keep.log",     "drop.log", "sub/x.tmp",
                                         "sub/keep.tmp", "top.tmp",  "excluded.c" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        tool_fixture_put(fixture, names[i], "x");
        set_time(fixture, names[i], 1000 - (int)i);
    }
    tool_fixture_put(fixture, ".gitignore", "*.log\n!keep.log\n");
    tool_fixture_put(fixture, "sub/.gitignore", "*.tmp\n!keep.tmp\n"); // only below sub
    g_autofree char *outside = find_text(fixture, "{'pattern':'*.{log,tmp,c}'}");
    assert_text("no repository", outside, "keep.log\nsub/keep.tmp\ntop.tmp\nexcluded.c");

    tool_fixture_put(fixture, ".git/HEAD", "ref: refs/heads/main\n");
    tool_fixture_put(fixture, ".git/info/exclude", "excluded.c\n");
    g_autofree char *inside = find_text(fixture, "{'pattern':'*.{log,tmp,c}'}");
    assert_text("a repository", inside, "keep.log\nsub/keep.tmp\ntop.tmp");
    g_autofree char *below = find_text(fixture, "{'pattern':'*.tmp','path':'sub'}");
    assert_text("from below", below, "sub/keep.tmp");
}

static void test_limit(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (int i = 1; i <= 5; i++) {
        g_autofree char *name = g_strdup_printf("f%d", i);
        tool_fixture_put(fixture, name, "x");
        set_time(fixture, name, 1000 + i);
    }
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_find, json_of("{'pattern':'f*','limit':3}"), &result);
    g_autofree char *text = tool_result_text(&result);
    assert_text("the newest", text,
                "f5\nf4\nf3\n\n[3 results limit reached. Use limit=6 for more]");
    assert_int_equal(json_get_int(result.details, "fileCount", 0), 3);
    assert_int_equal(json_get_int(result.details, "resultLimitReached", 0), 3);
    assert_int_equal(json_array_size(json_get_array(result.details, "files")), 3);
    assert_true(json_get_bool(result.details, "truncated", false));
    g_autofree char *exactly = find_text(fixture, "{'pattern':'f*','limit':'5'}");
    assert_contains("equal counts", exactly, "[5 results limit reached");
    g_autofree char *fewer = find_text(fixture, "{'pattern':'f*','limit':6}");
    assert_string_equal(fewer, "f5\nf4\nf3\nf2\nf1");
}

static void test_byte_limit(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_autofree char *long_name = g_strnfill(200, 'n');
    for (int i = 0; i < 300; i++) {
        g_autofree char *name = g_strdup_printf("d/%s%03d", long_name, i);
        tool_fixture_put(fixture, name, "");
        set_time(fixture, name, 100000 - i);
    }
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_find, json_of("{'paths':['d','nope']}"), &result);
    g_autofree char *text = tool_result_text(&result);
    assert_contains("cut", text,
                    "[Showing lines 1-248 of 300 (50.0KB limit). Use :249 to continue]");
    assert_contains("the last line stays", text, "\n\nSkipped missing paths: nope\n\n[Showing");
    assert_int_equal(json_array_size(json_get_array(result.details, "files")), 248);
    assert_int_equal(json_get_int(result.details, "fileCount", 0), 300);
    g_autofree char *session = g_build_filename(fixture->root, "session", NULL);
    assert_false(file_exists(session)); // what is within its own limit is not cut a second time
}

static void test_odd_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *loop = g_build_filename(fixture->cwd, "loop", NULL);
    assert_int_equal(symlink(".", loop), 0);
    tool_fixture_put(fixture, "bad\xff.c", "x");
    tool_fixture_put(fixture, "[x]*.c", "x");
    tool_fixture_put(fixture, "x.c", "x");
    tool_fixture_put(fixture, "q'uote:5.c", "x");
    set_time(fixture, "bad\xff.c", 4);
    set_time(fixture, "[x]*.c", 3);
    set_time(fixture, "x.c", 2);
    set_time(fixture, "q'uote:5.c", 1);
    g_autofree char *all = find_text(fixture, "{'pattern':'*.c'}");
    assert_text("links are not followed, no name is lost", all,
                "bad\xef\xbf\xbd.c\n[x]*.c\nx.c\nq'uote:5.c");
    g_autofree char *literal = find_text(fixture, "{'paths':['[x]*.c']}");
    assert_text("a name that is no glob", literal, "[x]*.c");
    g_autofree char *outside = find_text(fixture, "{'pattern':'*.c','path':'..'}");
    assert_contains("outside: the whole path", outside, "x.c");
}

static void test_outside_of_cwd(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *other = g_build_filename(fixture->root, "other", NULL);
    g_autofree char *file = g_build_filename(other, "x.c", NULL);
    assert_true(file_make_dirs(other, 0700, NULL) && file_write_atomic(file, "x", 1, 0600, NULL));
    g_autofree char *text = find_text(fixture, "{'pattern':'*.c','path':'../other'}");
    assert_string_equal(text, file);
}

static void test_directory_gone(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    assert_true(file_remove_tree(fixture->cwd, NULL)); // the directory went away
    g_autofree char *gone = find_error(fixture, "{'pattern':'*.c'}");
    assert_null(strstr(gone, "not installed"));
}

static void test_without_ripgrep(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a.c", "");
    g_setenv("PATH", "/nonexistent", TRUE);
    g_autofree char *text = find_text(fixture, "{'pattern':'*.c'}");
    g_setenv("PATH", path, TRUE);
    assert_string_equal(text, "a.c"); // no program is needed
}

/* tools-T171: links are listed by their own names and times, and nobody goes through them. */
static void test_links(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "sub/f.c", "x");
    static const struct {
        const char *name, *target;
        int64_t seconds;
    } links[] = {
        { "file", "sub/f.c", 300 },   { "dir", "sub", 200 },         { "nowhere", "gone", 100 },
        { "ignored", "sub/f.c", 50 }, { "only/link", "../sub", 20 },
    };
    tool_fixture_put(fixture, ".gitignore", "ignored\nempty/x\ndir/\n"); // dir is none
    tool_fixture_put(fixture, "only/.keep", "");
    tool_fixture_put(fixture, "empty/x", "");
    for (size_t i = 0; i < G_N_ELEMENTS(links); i++) {
        g_autofree char *path = g_build_filename(fixture->cwd, links[i].name, NULL);
        const struct timespec times[] = { { .tv_sec = links[i].seconds },
                                          { .tv_sec = links[i].seconds } };
        assert_int_equal(symlink(links[i].target, path), 0);
        assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
    }
    set_time(fixture, "sub/f.c", 400);
    set_time(fixture, ".gitignore", 500);
    set_time(fixture, "only/.keep", 450);
    g_autofree char *files = find_text(fixture, "{'pattern':'*'}");
    assert_text("tools-T171", files,
                ".gitignore\nonly/.keep\nsub/f.c\nfile\ndir\nnowhere\nonly/link");
    set_time(fixture, "sub", 30);
    set_time(fixture, "only", 20);
    set_time(fixture, "empty", 10);
    g_autofree char *dirs = find_text(fixture, "{'pattern':'*','type':'dir'}");
    assert_text("directories", dirs, "sub/\nonly/\nempty/");
    g_autofree char *through = find_text(fixture, "{'paths':['dir/*.c']}");
    assert_text("a link that is named is a place to look in", through, "dir/f.c");
}

static void test_can_be_switched_off(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) off = json_of("{'find':{'enabled':false}}");
    g_autoptr(Settings) settings = settings_new(off), defaults = settings_new(NULL);
    assert_false(tool_is_available(&tool_find, settings));
    assert_true(tool_is_available(&tool_find, defaults));
}

/* What finds nothing says what would have matched, and what it could not look at. */
static void test_notes(void **state G_GNUC_UNUSED)
{
#define NOTHING "No files found matching pattern\n"
    static const struct {
        const char *arguments, *want;
        bool is_error;
    } cases[] = {
        { "{'pattern':'app/[id]/*.tsx'}",
          NOTHING "The glob app/\\[id\\]/*.tsx would match 1 file, such as app/[id]/page.tsx",
          false },
        { "{'pattern':'app/\\\\[id\\\\]/*.tsx'}", "app/[id]/page.tsx", false },
        { "{'pattern':'workflows/*.yml'}",
          "Path not found: workflows/*.yml\nThe glob **/workflows/*.yml would match 2 files, such "
          "as "
          "repo1/workflows/",
          true },
        { "{'pattern':'workflows/a.*','path':'repo1'}", "repo1/workflows/a.yml", false },
        { "{'paths':['workflows/c.yml','app/*.x']}",
          NOTHING "Skipped missing paths: workflows/c.yml", false },
        { "{'paths':['app/[id]/*.tsx','app']}", "app/[id]/page.tsx", false },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "app/[id]/page.tsx", "x");
    tool_fixture_put(fixture, "repo1/workflows/a.yml", "x");
    tool_fixture_put(fixture, "repo1/workflows/b.yml", "x");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = cases[i].is_error ? find_error(fixture, cases[i].arguments)
                                                  : find_text(fixture, cases[i].arguments);
        if (!str_has_prefix(text, cases[i].want))
            assert_text(cases[i].arguments, text, cases[i].want);
    }
#undef NOTHING
}

static void test_unreadable(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "closed/a.c", "x");
    tool_fixture_put(fixture, "b.c", "x");
    uid_t user = tool_fixture_close(fixture, "closed");
    g_autofree char *some = find_text(fixture, "{'pattern':'*.c'}");
    g_autofree char *none = find_text(fixture, "{'pattern':'*.h'}");
    tool_fixture_open(fixture, "closed", user);
    assert_text("some", some, "b.c\n\nSkipped, because it cannot be read: closed");
    assert_text("none", none,
                "No files found matching pattern\nSkipped, because it cannot be read: closed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_ignore_files),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_byte_limit),
        cmocka_unit_test(test_odd_files),
        cmocka_unit_test(test_outside_of_cwd),
        cmocka_unit_test(test_directory_gone),
        cmocka_unit_test(test_without_ripgrep),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_can_be_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
