/*
 * agent-tools rp1-root-dir in real repositories: rows F-01 to F-10 of agent-tools-cli §10.
 */
#include "unit.h"

#include "git_fixture.h"
#include "operation_fixture.h"

#include "agenttools/agenttools.h"
#include "agenttools/root_dir.h"
#include "base/path.h"

typedef struct Tree {
    GitFixture *git;
    char *dir; // everything is below; real path
} Tree;

static char *in_tree(const Tree *tree, const char *name)
{
    return g_build_filename(tree->dir, name, NULL);
}

static void make_dir(const Tree *tree, const char *name)
{
    g_autofree char *path = in_tree(tree, name);
    assert_true(file_make_dirs(path, 0700, NULL));
}

/* A repository with one commit. */
static void make_repo(const Tree *tree, const char *name)
{
    g_autofree char *path = in_tree(tree, name);
    git_do(tree->dir, "init", "--quiet", path, NULL);
    g_free(git_commit(path, "first"));
}

static int setup(void **state)
{
    Tree *tree = g_new0(Tree, 1);
    tree->git = git_fixture_new();
    tree->dir = path_real(tree->git->gh->dir);
    *state = tree;
    return 0;
}

static int teardown(void **state)
{
    Tree *tree = *state;
    git_fixture_free(tree->git);
    g_free(tree->dir);
    g_free(tree);
    return 0;
}

/* The envelope of a call in `cwd`, with the tree's own path written as D. New reference. */
static json_t *call_in(const Tree *tree, const char *cwd)
{
    g_autofree char *path = g_path_is_absolute(cwd) ? g_strdup(cwd) : in_tree(tree, cwd);
    g_autoptr(Settings) settings = settings_new(NULL);
    g_autoptr(ToolContext) context = tool_context_new(path, settings, NULL);
    const ToolFixture fixture = { .cwd = path, .context = context };
    g_autoptr(json_t) envelope = operation_call(&fixture, &operation_rp1_root_dir, json_object());
    GString *text = g_string_new(NULL);
    g_autofree char *real = json_to_text(envelope);
    g_string_append(text, real);
    g_string_replace(text, tree->dir, "D", 0);
    json_t *shown = NULL;
    assert_true(json_parse_text(text->str, &shown, NULL));
    g_string_free(text, TRUE);
    return shown;
}

/* "root source project code", then what is not usual. Caller frees. */
static char *describe(const json_t *envelope)
{
    const json_t *data = json_object_get(envelope, "data");
    if (!json_get_bool(envelope, "success", false))
        return g_strdup(json_string_value(json_array_get(json_get_array(envelope, "errors"), 0)));
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%s %s %s %s", json_get_text(data, "root"), json_get_text(data, "source"),
                    json_get_text(data, "projectRoot"), json_get_text(data, "codeRoot"));
    if (json_get_bool(data, "isWorktree", false))
        g_string_append(text, " worktree");
    if (json_get_text(data, "worktreeName"))
        g_string_append_printf(text, "=%s", json_get_text(data, "worktreeName"));
    if (json_get_bool(data, "exists", false))
        g_string_append(text, " exists");
    if (json_get_array(envelope, "warnings"))
        g_string_append(text, " warned");
    return g_string_free(text, FALSE);
}

static void expect(const Tree *tree, const char *name, const char *cwd, const char *want)
{
    g_autoptr(json_t) envelope = call_in(tree, cwd);
    g_autofree char *got = describe(envelope);
    assert_text(name, got, want);
}

static void test_repository(void **state)
{
    const Tree *tree = *state;
    make_repo(tree, "app");
    make_dir(tree, "app/sub/deep");
    expect(tree, "cli-F-01", "app", "D/app/.rp1 cwd D/app D/app");
    expect(tree, "cli-F-01: subdirectory", "app/sub/deep", "D/app/.rp1 cwd D/app D/app");
    expect(tree, "cli-F-01: inside .git", "app/.git/objects",
           "D/app/.rp1 git-common-dir D/app D/app");

    make_dir(tree, "app/.rp1");
    make_dir(tree, "app/sub/.rp1");
    expect(tree, "cli-F-01: exists", "app", "D/app/.rp1 cwd D/app D/app exists");
    expect(tree, "cli-F-01: the nearest", "app/sub/deep",
           "D/app/sub/.rp1 cwd D/app/sub D/app/sub exists");
}

static void test_fields(void **state)
{
    const Tree *tree = *state;
    make_repo(tree, "app");
    g_autoptr(json_t) envelope = call_in(tree, "app");
    g_autofree char *got = json_to_text(envelope);
    assert_text("cli-F-01: every field", got,
                "{\"success\":true,\"tool\":\"rp1-root-dir\",\"data\":{\"root\":\"D/app/.rp1\","
                "\"isWorktree\":false,\"source\":\"cwd\",\"projectRoot\":\"D/app\","
                "\"codeRoot\":\"D/app\",\"kbRoot\":\"D/app/.rp1/context\","
                "\"workRoot\":\"D/app/.rp1/work\",\"exists\":false}}");

    g_setenv("RP1_KB_ROOT", "../kb", true);
    g_setenv("RP1_WORK_ROOT", "/w", true);
    g_autoptr(json_t) other = call_in(tree, "app");
    g_unsetenv("RP1_KB_ROOT");
    g_unsetenv("RP1_WORK_ROOT");
    const json_t *data = json_object_get(other, "data");
    assert_string_equal(json_get_text(data, "kbRoot"), "D/kb");
    assert_string_equal(json_get_text(data, "workRoot"), "/w");
}

static void test_linked_worktree(void **state)
{
    const Tree *tree = *state;
    make_repo(tree, "app");
    g_autofree char *app = in_tree(tree, "app");
    git_do(app, "worktree", "add", "--quiet", "-b", "feat/one", "../one", NULL);
    git_do(app, "worktree", "add", "--quiet", "--detach", "../two", NULL);
    make_dir(tree, "one/sub/deep");
    make_dir(tree, "one/.rp1"); // that of the main repository wins
    expect(tree, "cli-F-02", "one", "D/app/.rp1 git-common-dir D/app D/one worktree=feat/one");
    expect(tree, "cli-F-02: subdirectory", "one/sub/deep",
           "D/app/.rp1 git-common-dir D/app D/one worktree=feat/one");
    expect(tree, "cli-F-03", "two", "D/app/.rp1 git-common-dir D/app D/two worktree");

    g_autofree char *inner = in_tree(tree, "one/sub");
    g_autofree char *got = root_dir_main(inner, NULL);
    assert_string_equal(got, app);
    static const char *const same[] = { "app", "app/.git", "missing", "" };
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
        g_autofree char *path = in_tree(tree, same[i]);
        g_autofree char *main_path = root_dir_main(path, NULL);
        assert_text("root_dir_main", main_path, path);
    }
}

static void test_env(void **state)
{
    const Tree *tree = *state;
    make_repo(tree, "app");
    make_dir(tree, "app/sub");
    make_dir(tree, "outside");
    g_autofree char *app = in_tree(tree, "app");
    git_do(app, "worktree", "add", "--quiet", "-b", "feat/one", "../one", NULL);
    static const struct {
        const char *name, *value, *cwd, *want;
    } cases[] = {
        { "cli-F-04: absolute, in a worktree", "/x/.rp1", "one", "/x/.rp1 env D/one D/one" },
        { "cli-F-04: relative", "./rel", "app/sub", "D/app/sub/rel env D/app D/app" },
        { "cli-F-04: cleaned", "../a/./b/../c", "app/sub", "D/app/a/c env D/app D/app" },
        { "cli-F-04: empty", "", "one", "D/app/.rp1 git-common-dir D/app D/one worktree=feat/one" },
        { "cli-F-04: outside git", "/x/.rp1", "outside", "/x/.rp1 env /x /x" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_setenv("RP1_ROOT", cases[i].value, true);
        expect(tree, cases[i].name, cases[i].cwd, cases[i].want);
        g_unsetenv("RP1_ROOT");
    }
}

static void test_bare(void **state)
{
    const Tree *tree = *state;
    make_repo(tree, "app");
    git_do(tree->dir, "clone", "--quiet", "--bare", "app", "srv/app.git", NULL);
    git_do(tree->dir, "clone", "--quiet", "--bare", "app", "proj/.bare", NULL);
    g_autofree char *named = in_tree(tree, "srv/app.git");
    g_autofree char *hidden = in_tree(tree, "proj/.bare");
    git_do(named, "worktree", "add", "--quiet", "-b", "x", "../wt", NULL);
    git_do(hidden, "worktree", "add", "--quiet", "-b", "y", "../wt", NULL);
    g_autofree char *link = in_tree(tree, "proj/.git");
    assert_true(g_file_set_contents(link, "gitdir: ./.bare\n", -1, NULL));

    expect(tree, "cli-F-05: app.git", "srv/wt",
           "D/srv/app.git/.rp1 git-common-dir D/srv/app.git D/srv/wt worktree=x");
    expect(tree, "cli-F-05: .bare", "proj/wt",
           "D/proj/.rp1 git-common-dir D/proj D/proj/wt worktree=y");
    expect(tree, "cli-F-05: in app.git itself", "srv/app.git",
           "D/srv/app.git/.rp1 git-common-dir D/srv/app.git D/srv/app.git");
    expect(tree, "cli-F-05: beside .bare", "proj", "D/proj/.rp1 git-common-dir D/proj D/proj");
}

static void test_separate_git_dir(void **state)
{
    const Tree *tree = *state;
    git_do(tree->dir, "init", "--quiet", "--separate-git-dir", "store", "sep", NULL);
    g_autofree char *sep = in_tree(tree, "sep");
    g_free(git_commit(sep, "first"));
    git_do(sep, "worktree", "add", "--quiet", "-b", "x", "../sep-wt", NULL);
    make_dir(tree, "sep/sub");
    expect(tree, "cli-F-06: main", "sep/sub", "D/sep/.rp1 cwd D/sep D/sep");
    expect(tree, "cli-F-06: linked", "sep-wt",
           "D/sep-wt/.rp1 git-common-dir D/sep-wt D/sep-wt worktree=x warned");
    g_autofree char *linked = in_tree(tree, "sep-wt");
    g_autofree char *main_path = root_dir_main(linked, NULL);
    assert_string_equal(main_path, linked);
}

static void test_submodule(void **state)
{
    const Tree *tree = *state;
    make_repo(tree, "lib");
    make_repo(tree, "super");
    g_autofree char *super = in_tree(tree, "super");
    git_do(super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../lib",
           "mod", NULL);
    g_free(git_commit(super, "with mod"));
    git_do(super, "worktree", "add", "--quiet", "-b", "x", "../super-wt", NULL);
    g_autofree char *linked = in_tree(tree, "super-wt");
    git_do(linked, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init",
           NULL);

    const char *none = "D/super/mod/.rp1 cwd D/super/mod D/super/mod";
    expect(tree, "cli-F-07: nobody has one", "super/mod", none);
    expect(tree, "cli-F-07: nobody has one, linked", "super-wt/mod",
           "D/super-wt/mod/.rp1 cwd D/super-wt/mod D/super-wt/mod");
    make_dir(tree, "super/.rp1");
    expect(tree, "cli-F-07: the superproject has one", "super/mod",
           "D/super/.rp1 cwd D/super D/super/mod exists");
    expect(tree, "cli-F-07: the same below a linked worktree", "super-wt/mod",
           "D/super/.rp1 cwd D/super D/super-wt/mod exists");
    make_dir(tree, "super/mod/.rp1");
    make_dir(tree, "super-wt/mod/.rp1");
    expect(tree, "cli-F-07: its own", "super/mod",
           "D/super/mod/.rp1 cwd D/super/mod D/super/mod exists");
    expect(tree, "cli-F-07: its own, linked", "super-wt/mod",
           "D/super-wt/mod/.rp1 cwd D/super-wt/mod D/super-wt/mod exists");
}

static void test_outside(void **state)
{
    const Tree *tree = *state;
    const char *refusal = "Not a git repository; initialize git or set RP1_ROOT";
    make_repo(tree, "app");
    make_dir(tree, "outside/x");
    make_dir(tree, "marked/.rp1");
    make_dir(tree, "marked/x/y");
    make_dir(tree, "home/.rp1");
    make_dir(tree, "home/x");
    expect(tree, "cli-F-08: outside", "outside/x", refusal);
    expect(tree, "cli-F-08: below a .rp1", "marked/x/y",
           "D/marked/.rp1 cwd D/marked D/marked exists");
    expect(tree, "cli-F-08: not that of the home directory", "home/x", refusal);

    g_autofree char *git_dir = in_tree(tree, "app/.git");
    g_setenv("GIT_DIR", git_dir, true);
    g_setenv("GIT_WORK_TREE", tree->dir, true);
    expect(tree, "cli-F-08: GIT_DIR has no effect", "outside/x", refusal);
    g_unsetenv("GIT_DIR");
    g_unsetenv("GIT_WORK_TREE");

    g_autoptr(json_t) envelope = call_in(tree, "outside");
    const json_t *details = json_array_get(json_get_array(envelope, "error_details"), 0);
    assert_string_equal(json_get_text(details, "code"), "git");
}

static void test_refusal_of_git(void **state)
{
    const Tree *tree = *state;
    make_repo(tree, "app");
    g_autofree char *config = in_tree(tree, "app/.git/config");
    assert_true(g_file_set_contents(config, "[core\n", -1, NULL));
    g_autoptr(json_t) envelope = call_in(tree, "app");
    g_autofree char *got = describe(envelope);
    assert_contains("a broken configuration", got,
                    "Git command failed: git rev-parse --git-dir: fatal: bad config line");
    assert_null(strchr(got, '\n'));
}

static void test_odd_paths(void **state)
{
    const Tree *tree = *state;
    const char *odd = "a \"b\" 'c' \xc3\xa9\xe6\xbc\xa2 ";
    make_repo(tree, odd);
    g_autofree char *path = in_tree(tree, odd);
    g_autofree char *link = in_tree(tree, "link");
    assert_int_equal(symlink(path, link), 0);
    g_autofree char *want = g_strdup_printf("D/%s/.rp1 cwd D/%s D/%s", odd, odd, odd);
    expect(tree, "cli-F-09: spaces, quotes, letters", odd, want);
    expect(tree, "cli-F-09: through a symbolic link", "link", want);

    git_do(path, "worktree", "add", "--quiet", "-b", "one", "../wt \"x\" \xc3\xa9", NULL);
    g_autofree char *linked =
        g_strdup_printf("D/%s/.rp1 git-common-dir D/%s D/wt \"x\" \xc3\xa9 worktree=one", odd, odd);
    expect(tree, "cli-F-09: linked worktree", "wt \"x\" \xc3\xa9", linked);
}

static void test_without_git(void **state)
{
    const Tree *tree = *state;
    make_repo(tree, "app");
    make_dir(tree, "marked/.rp1");
    make_dir(tree, "marked/x");
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_setenv("PATH", "/nonexistent", true);
    expect(tree, "cli-F-10: rule 6", "app",
           "Git command failed: git is not installed or not on PATH");
    expect(tree, "cli-F-10: rule 5", "marked/x", "D/marked/.rp1 cwd D/marked D/marked exists");
    g_setenv("RP1_ROOT", "/x/.rp1", true);
    expect(tree, "cli-F-10: rule 1", "app", "/x/.rp1 env /x /x");
    g_unsetenv("RP1_ROOT");
    g_setenv("PATH", path, true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_repository), TEST(test_fields),      TEST(test_linked_worktree),
        TEST(test_env),        TEST(test_bare),        TEST(test_separate_git_dir),
        TEST(test_submodule),  TEST(test_outside),     TEST(test_refusal_of_git),
        TEST(test_odd_paths),  TEST(test_without_git),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
