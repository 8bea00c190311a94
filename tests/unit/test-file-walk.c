/*
 * Ignore rules and the walk by them: globs one by one, trees against git's own listing, hostile
 * trees (agent-tools §3.6).
 */
#include "tool_fixture.h"

#include "base/git.h"
#include "tools/file/file_walk.h"
#include "tools/file/ignore.h"

#include <sys/stat.h>

static void test_globs(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *glob, *path;
        bool fits;
    } cases[] = {
        { "a", "a", true },
        { "a", "b", false },
        { "*.c", "main.c", true },
        { "*.c", "main.cc", false },
        { "*", "a/b", false },
        { "a*b*c", "aXbXc", true },
        { "a*b*c", "aXbX", false },
        { "?", "\xc3\xa9", true }, // one character
        { "?", "\xff", true },     // and one byte that is none
        { "[a-c]x", "bx", true },
        { "[!a-c]x", "bx", false },
        { "[^a-c]x", "dx", true },
        { "[]a]", "]", true },
        { "[a-]", "-", true },
        { "[\\]]", "]", true },
        { "[a\\]b]x", "ax", true }, // its end is found where it fits before
        { "[]\\]-\\]]x", "]x", true },
        { "[a\\", "a", false },
        { "[!ab]x", "ax", false },
        { "[a-\xc3\xa9]x", "\xc3\xa8x", true },
        { "[a", "[a", false }, // never closed: git fits nothing to it
        { "\\*", "*", true },
        { "\\*", "a", false },
        { "{a,b}", "a", false }, // braces mean nothing
        { "{a,b}", "{a,b}", true },
        { "**/x", "x", true },
        { "**/x", "a/b/x", true },
        { "a/**", "a", false },
        { "a/**", "a/b/c", true },
        { "a/**/x", "a/x", true },
        { "a/**/x", "a/b/c/x", true },
        { "a/**/x", "b/x", false },
        { "a/**/b/**/c", "a/1/b/2/b/3/c", true },
        { "a/**/b/**/c", "a/1/b/2/b/3/d", false },
        { "a**b", "aXb", true },
        { "a**b", "a/b", false },
        { "a/*/c", "a/b/c", true },
        { "a/*/c", "a/b/d/c", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (ignore_glob_fits(cases[i].glob, cases[i].path) != cases[i].fits)
            fail_msg("%s on %s: not %d", cases[i].glob, cases[i].path, cases[i].fits);
}

static void test_glob_is_linear(void **state G_GNUC_UNUSED)
{
    enum { SIZE = 20000 };
    g_autofree char *name = g_strnfill(SIZE, 'a'), *path = g_strnfill(SIZE, 'a');
    g_autoptr(GString) glob = g_string_new(NULL), deep = g_string_new(NULL);
    for (int i = 0; i < 100; i++) {
        g_string_append(glob, "*a");
        g_string_append(deep, "**/a/");
    }
    g_string_append_c(glob, 'b');
    g_string_append_c(deep, 'b');
    for (size_t i = 1; i < SIZE; i += 2)
        path[i] = '/';
    assert_false(ignore_glob_fits(glob->str, name)); // ends at all
    assert_false(ignore_glob_fits(deep->str, path));
}

static void test_rules(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *rules, *path;
        bool is_directory;
        IgnoreVerdict want;
    } cases[] = {
        { "a\n", "x/a", false, IGNORE_OUT },
        { "/a\n", "x/a", false, IGNORE_SAYS_NOTHING },
        { "x/a\n", "x/a", false, IGNORE_OUT },
        { "x/a\n", "y/x/a", false, IGNORE_SAYS_NOTHING },
        { "a/\n", "a", false, IGNORE_SAYS_NOTHING },
        { "a/\n", "y/a", true, IGNORE_OUT },
        { "*\n!a\n", "a", false, IGNORE_KEPT },
        { "!a\n*\n", "a", false, IGNORE_OUT },
        { "# a\n\\#b\n", "#b", false, IGNORE_OUT },
        { "\\!a\n", "!a", false, IGNORE_OUT },
        { "a  \r\n", "a", false, IGNORE_OUT },
        { "a\\ \n", "a ", false, IGNORE_OUT },
        { "\xef\xbb\xbf"
          "a\n",
          "a", false, IGNORE_OUT },
        { "/\n!\n\n  \n", "a", true, IGNORE_SAYS_NOTHING },
        { "last", "last", false, IGNORE_OUT },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(IgnoreRules) rules = ignore_rules_parse(cases[i].rules, strlen(cases[i].rules));
        if (ignore_rules_judge(rules, cases[i].path, cases[i].is_directory, NULL) != cases[i].want)
            fail_msg("%s on %s: not %d", cases[i].rules, cases[i].path, (int)cases[i].want);
    }
}

// ---- trees ----

static bool take(const char *path, FileWalkKind kind, void *user_data)
{
    if (kind != FILE_WALK_DIRECTORY)
        g_ptr_array_add(user_data, g_strdup(path));
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *sorted_lines(GPtrArray *names)
{
    g_ptr_array_sort(names, compare_texts);
    g_ptr_array_add(names, NULL);
    return g_strjoinv("\n", (char **)names->pdata);
}

static char *walk_lines(const char *dir, const char *cwd)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const FileWalk walk = { .dir = dir, .cwd = cwd, .timeout_ms = 30000 };
    g_autoptr(GError) error = NULL;
    if (!file_walk(&walk, NULL, take, names, &error))
        fail_msg("%s", error->message);
    return sorted_lines(names);
}

static char *git_lines(const char *dir)
{
    const char *const args[] = { "ls-files", "-z", "--others", "--exclude-standard", NULL };
    const GitSpec spec = { .dir = dir, .args = args, .is_bytes = true };
    g_auto(GitResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    if (!git_start(&spec, NULL, &result, &error) || result.exit_status != 0)
        fail_msg("git: %s", error ? error->message : result.error_output);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const char *at = result.output; at < result.output + result.output_size;
         at += strlen(at) + 1)
        g_ptr_array_add(names, g_strdup(at));
    return sorted_lines(names);
}

static const char *const names[] = { "a", "b", "c.o", "d.c", "build", "x y", ".h" };

static const char *pick(GRand *random)
{
    return names[g_rand_int_range(random, 0, G_N_ELEMENTS(names))];
}

static char *random_rules(GRand *random)
{
    static const char *const parts[] = { "*", "**", "*.o", "[a-c]", "?", "*d*", "[!b]*" };
    GString *text = g_string_new(NULL);
    for (int rules = g_rand_int_range(random, 1, 5); rules > 0; rules--) {
        g_string_append(text, g_rand_int_range(random, 0, 4) == 0 ? "!" : "");
        g_string_append(text, g_rand_int_range(random, 0, 4) == 0 ? "/" : "");
        for (int part = g_rand_int_range(random, 1, 4); part > 0; part--) {
            bool is_name = g_rand_boolean(random);
            g_string_append(text, is_name
                                      ? pick(random)
                                      : parts[g_rand_int_range(random, 0, G_N_ELEMENTS(parts))]);
            g_string_append(text, part > 1 ? "/" : "");
        }
        g_string_append(text, g_rand_int_range(random, 0, 4) == 0 ? "/\n" : "\n");
    }
    return g_string_free(text, FALSE);
}

/* Thousands of files: not through file_write_atomic(), which waits for the disk. */
static void put(const ToolFixture *fixture, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    g_autofree char *dir = g_path_get_dirname(path);
    assert_int_equal(g_mkdir_with_parents(dir, 0700), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void fill(const ToolFixture *fixture, GRand *random, const char *dir, unsigned depth)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *name = g_build_filename(dir, names[i], NULL);
        int what = g_rand_int_range(random, 0, 4);
        if (what == 0 && depth < 3) {
            fill(fixture, random, name, depth + 1);
        } else if (what == 1) {
            g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
            g_autofree char *above = g_path_get_dirname(path);
            assert_true(file_make_dirs(above, 0700, NULL) && symlink("a", path) == 0);
        } else if (what == 2) {
            put(fixture, name, "x");
        }
    }
    if (g_rand_int_range(random, 0, 3) > 0)
        return;
    g_autofree char *ignore = g_build_filename(dir, ".gitignore", NULL);
    g_autofree char *rules = random_rules(random);
    put(fixture, ignore, rules);
}

/* 80 trees with random rules: what git lists, and nothing else. */
static void test_as_git(void **state G_GNUC_UNUSED)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(171);
    size_t listed = 0;
    for (int round = 0; round < rounds_of(80); round++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        put(fixture, ".git/HEAD", "ref: refs/heads/main\n");
        put(fixture, ".git/objects/x", "");
        put(fixture, ".git/refs/x", "");
        fill(fixture, random, ".", 0);
        g_autofree char *rules = random_rules(random), *exclude = random_rules(random);
        put(fixture, ".gitignore", rules);
        put(fixture, ".git/info/exclude", exclude);
        g_autofree char *want = git_lines(fixture->cwd);
        g_autofree char *got = walk_lines(fixture->cwd, fixture->cwd);
        listed += strlen(got);
        if (strcmp(got, want) != 0)
            fail_msg("round %d\n%s\n-- exclude\n%s\n-- git\n%s\n-- kedge\n%s", round, rules,
                     exclude, want, got);
    }
    assert_true(listed > (size_t)rounds_of(1000));
}

static void test_long_rules(void **state G_GNUC_UNUSED)
{
    g_autofree char *stars = g_strnfill(4096, '*'), *more = g_strnfill(4097, '*');
    g_autoptr(IgnoreRules) longest = ignore_rules_parse(stars, 4096);
    assert_int_equal(ignore_rules_judge(longest, "a", false, NULL), IGNORE_OUT);
    g_autoptr(IgnoreRules) longer = ignore_rules_parse(more, 4097);
    assert_int_equal(ignore_rules_judge(longer, "a", false, NULL), IGNORE_SAYS_NOTHING);
}

/* Few rules that are long are as much work as many. */
static void test_long_rules_are_timed(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) rules = g_string_new(NULL);
    g_autofree char *members = g_strnfill(4000, 'a');
    for (int i = 0; i < 30; i++)
        g_string_append_printf(rules, "*[%s]z\n", members);
    tool_fixture_put(fixture, ".ignore", rules->str);
    tool_fixture_put(fixture, "one", "");
    const FileWalk walk = { .dir = fixture->cwd, .cwd = fixture->cwd, .timeout_ms = 0 };
    g_autoptr(GError) error = NULL;
    assert_false(file_walk(&walk, NULL, take, found, &error));
    assert_true(error_is(error, KEDGE_ERROR_TIMEOUT));
}

typedef struct Looks {
    unsigned count, most;
} Looks;

static bool count_look(void *looks_)
{
    Looks *looks = looks_;
    return ++looks->count < looks->most;
}

/* The clock is looked at while one name is held against the rules of one file. */
static void test_one_name_is_timed(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *members = g_strnfill(4000, 'a');
    for (int i = 0; i < 250; i++)
        g_string_append_printf(text, "*[%s]z\n", members);
    g_autoptr(IgnoreRules) rules = ignore_rules_parse(text->str, text->len);
    Looks looks = { .most = 3 };
    IgnoreWatch watch = { .look = count_look, .user_data = &looks };
    assert_int_equal(ignore_rules_judge(rules, "a", false, &watch), IGNORE_SAYS_NOTHING);
    assert_true(watch.is_stopped);
    assert_int_equal(looks.count, 3);
    assert_int_equal(ignore_rules_judge(rules, "a", false, &watch), IGNORE_SAYS_NOTHING);
    assert_int_equal(looks.count, 3); // stopped for good
    Looks all = { .most = G_MAXUINT };
    IgnoreWatch whole = { .look = count_look, .user_data = &all };
    ignore_rules_judge(rules, "a", false, &whole);
    assert_in_range(all.count, 40, 60);
}

static void test_sources_of_rules(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *home = g_build_filename(fixture->root, "home", NULL);
    g_setenv("HOME", home, TRUE);
    g_unsetenv("XDG_CONFIG_HOME");
    static const char *const files[] = { "a.log", "a.tmp", "a.bak", "a.own", "sub/a.log", "sub/b" };
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        tool_fixture_put(fixture, files[i], "x");
    tool_fixture_put(fixture, ".gitignore", "*.log\nsub/b\n");
    tool_fixture_put(fixture, ".ignore", "*.tmp\n");
    tool_fixture_put(fixture, ".rgignore", "!a.log\n*.bak\n");
    g_autofree char *sub = g_build_filename(fixture->cwd, "sub", NULL);
    g_autofree char *all = walk_lines(fixture->cwd, fixture->cwd);
    assert_text(".rgignore before .ignore before .gitignore", all,
                ".gitignore\n.ignore\n.rgignore\na.log\na.own\nsub/a.log");
    g_autofree char *below = walk_lines(sub, fixture->cwd);
    assert_text("from the working directory down", below, "a.log");
    g_autofree char *alone = walk_lines(sub, sub);
    assert_text("no repository: not from above", alone, "a.log\nb");

    tool_fixture_put(fixture, "../home/.gitconfig", "[core]\n\texcludesFile = ~/own\n");
    tool_fixture_put(fixture, "../home/own", "*.own\n");
    g_autofree char *outside = walk_lines(fixture->cwd, fixture->cwd);
    assert_contains("the user's: in a repository only", outside, "a.own");
    tool_fixture_put(fixture, "../main/.git/worktrees/w/commondir", "../..\n");
    tool_fixture_put(fixture, "../main/.git/info/exclude", "a.log\n");
    tool_fixture_put(fixture, ".git", "gitdir: ../main/.git/worktrees/w\n");
    g_autofree char *inside = walk_lines(fixture->cwd, fixture->cwd);
    assert_null(strstr(inside, "a.own"));
    g_autofree char *from_below = walk_lines(sub, sub);
    assert_text("a repository: from its root", from_below, "a.log");
    tool_fixture_put(fixture, ".rgignore", "");
    g_autofree char *worktree = walk_lines(fixture->cwd, fixture->cwd);
    assert_null(strstr(worktree, "a.log")); // info/exclude of the common directory
}

static void test_hostile_trees(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *fifo = g_build_filename(fixture->cwd, ".gitignore", NULL);
    g_autofree char *large = g_strnfill(3 * 1024 * 1024, 'x');
    assert_int_equal(mkfifo(fifo, 0600), 0); // does not hang
    tool_fixture_put(fixture, "sub/.gitignore", large);
    tool_fixture_put(fixture, "sub/f", "");
    tool_fixture_put(fixture, "closed/f", "");
    g_autofree char *closed = g_build_filename(fixture->cwd, "closed", NULL);
    if (geteuid() != 0)
        assert_int_equal(chmod(closed, 0), 0);
    g_autofree char *lines = walk_lines(fixture->cwd, fixture->cwd);
    assert_contains("what can be read", lines, "sub/.gitignore\nsub/f");
    assert_int_equal(chmod(closed, 0700), 0);

    g_autoptr(GString) deep = g_string_new(NULL);
    for (int i = 0; i < 500; i++)
        g_string_append(deep, "d/");
    g_string_append(deep, "f");
    tool_fixture_put(fixture, deep->str, "");
    g_autofree char *deeper = walk_lines(fixture->cwd, fixture->cwd);
    assert_contains("deep", deeper, deep->str);
}

static void test_ends(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    FileWalk walk = { .dir = fixture->cwd, .cwd = fixture->cwd, .timeout_ms = 30000 };
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    assert_false(file_walk(&walk, cancel, take, found, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    g_clear_error(&error);

    g_autoptr(GString) rules = g_string_new(NULL);
    for (int i = 0; i < 60000; i++)
        g_string_append(rules, "*a*b*\n");
    tool_fixture_put(fixture, ".gitignore", rules->str);
    tool_fixture_put(fixture, "one", "");
    tool_fixture_put(fixture, "two", "");
    walk.timeout_ms = 0;
    assert_false(file_walk(&walk, NULL, take, found, &error));
    assert_true(error_is(error, KEDGE_ERROR_TIMEOUT));
    g_clear_error(&error);

    walk.dir = "/nonexistent";
    assert_false(file_walk(&walk, NULL, take, found, &error));
    assert_string_equal(error->message, "cannot read /nonexistent: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_long_rules),
        cmocka_unit_test(test_long_rules_are_timed),
        cmocka_unit_test(test_glob_is_linear),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_as_git),
        cmocka_unit_test(test_one_name_is_timed),
        cmocka_unit_test(test_sources_of_rules),
        cmocka_unit_test(test_hostile_trees),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
