/*
 * The git runner, the repository facts, and the directories of worktrees.
 */
#include "unit.h"

#include "git_fixture.h"

#include "base/file.h"
#include "github/git.h"
#include "github/ops/checkout_remote.h"
#include "github/ops/git_worktree.h"

#include <sys/stat.h>

static void expect_error(const char *name, GError *error, KedgeError code, const char *want)
{
    g_autoptr(GError) owned = error;
    if (!owned)
        fail_msg("%s: no error", name);
    if (!error_is(owned, code) || strcmp(owned->message, want) != 0)
        fail_msg("%s: got %d '%s', want %d '%s'", name, owned->code, owned->message, code, want);
}

static void test_encode(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "/home/ann/src/app", "home-ann-src-app" },
        { "/srv/a:b/c", "srv-a-b-c" },
        { "/a/b-c", "a-b-c" },
        { "/a/b/c/", "a-b-c" },
        { "/a/./x/../b", "a-b" },
        { "/a\\b", "a-b" },
        { "/", "root" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = git_worktree_encode(cases[i].path);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", cases[i].path, got, cases[i].want);
    }
}

static void test_encode_resolves_links(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autofree char *link = g_build_filename(fixture->dir, "link", NULL);
    assert_int_equal(symlink(fixture->cwd, link), 0);
    g_autofree char *got = git_worktree_encode(link);
    g_autofree char *want = git_worktree_encode(fixture->cwd);
    assert_string_equal(got, want);
}

static void test_worktree_path(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autofree char *usual = g_strconcat(fixture->home, "/.kedge/wt/srv-app/pr-7", NULL);
    const struct {
        const char *kedge, *omp, *want;
    } cases[] = {
        { NULL, NULL, usual },
        { "/trees", "/other", "/trees/srv-app/pr-7" },
        { NULL, "/other", "/other/srv-app/pr-7" },
        { "relative", NULL, usual },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (cases[i].kedge)
            g_setenv("KEDGE_WORKTREE_DIR", cases[i].kedge, true);
        if (cases[i].omp)
            g_setenv("OMP_WORKTREE_DIR", cases[i].omp, true);
        g_autofree char *got = git_worktree_path("/srv/app", 7);
        g_unsetenv("KEDGE_WORKTREE_DIR");
        g_unsetenv("OMP_WORKTREE_DIR");
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("case %zu: got '%s', want '%s'", i, got, cases[i].want);
    }
}

static void test_facts(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *inner = g_build_filename(fixture->work, "a", "b", NULL);
    assert_int_equal(g_mkdir_with_parents(inner, 0700), 0);
    g_autofree char *linked = g_build_filename(fixture->gh->dir, "linked\nname ", NULL);
    git_do(fixture->work, "worktree", "add", "--quiet", "-b", "side", linked, NULL);

    g_autofree char *root = NULL, *primary = NULL, *branch = NULL, *sha = NULL;
    assert_true(git_repo_root(inner, NULL, &root, NULL));
    assert_string_equal(root, fixture->work);
    assert_true(git_primary_root(root, NULL, &primary, NULL));
    assert_string_equal(primary, fixture->work);
    assert_true(git_current_branch(root, NULL, &branch, NULL));
    assert_string_equal(branch, "main");
    assert_true(git_head_sha(root, NULL, &sha, NULL));
    assert_string_equal(sha, fixture->main_sha);

    // a linked worktree belongs to the main checkout; its odd name survives
    g_autofree char *side_root = NULL, *side_primary = NULL;
    assert_true(git_repo_root(linked, NULL, &side_root, NULL));
    assert_string_equal(side_root, linked);
    assert_true(git_primary_root(linked, NULL, &side_primary, NULL));
    assert_string_equal(side_primary, fixture->work);

    g_autoptr(GPtrArray) worktrees = NULL;
    assert_true(git_worktree_list(fixture->work, NULL, &worktrees, NULL));
    assert_int_equal(worktrees->len, 2);
    const GitWorktree *side = g_ptr_array_index(worktrees, 1);
    assert_string_equal(side->path, linked);
    assert_string_equal(side->ref, "refs/heads/side");
}

static void test_no_facts(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    char *text = NULL;
    GError *error = NULL;
    assert_false(git_repo_root(fixture->gh->home, NULL, &text, &error));
    expect_error("E15", g_steal_pointer(&error), KEDGE_ERROR_NOT_FOUND,
                 "Current git repository is unavailable.");

    g_autofree char *empty = g_build_filename(fixture->gh->dir, "empty", NULL);
    git_do("/", "init", "--quiet", empty, NULL);
    assert_false(git_head_sha(empty, NULL, &text, &error));
    expect_error("E34", g_steal_pointer(&error), KEDGE_ERROR_NOT_FOUND,
                 "Current git HEAD is unavailable. Pass `run` explicitly.");

    git_do(fixture->work, "checkout", "--quiet", "--detach", NULL);
    assert_false(git_current_branch(fixture->work, NULL, &text, &error));
    expect_error("E16", g_steal_pointer(&error), KEDGE_ERROR_NOT_FOUND,
                 "Current git branch is unavailable. Pass `branch` or `run` explicitly.");
    assert_null(text);
}

static void test_bare_is_its_own_root(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *linked = g_build_filename(fixture->gh->dir, "linked", NULL);
    git_do(fixture->origin, "worktree", "add", "--quiet", linked, "fix/dst", NULL);
    g_autofree char *primary = NULL;
    assert_true(git_primary_root(linked, NULL, &primary, NULL));
    assert_string_equal(primary, linked);
}

static void test_refs_and_config(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const char *work = fixture->work;
    static const struct {
        const char *ref;
        bool exists;
    } refs[] = {
        { "refs/heads/main", true },
        { "refs/heads/nope", false },
        { "refs/heads/../heads/main", false },
        { "--help", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(refs); i++) {
        bool exists = !refs[i].exists;
        assert_true(git_ref_exists(work, refs[i].ref, NULL, &exists, NULL));
        if (exists != refs[i].exists)
            fail_msg("%s: %d", refs[i].ref, exists);
    }
    g_autofree char *sha = NULL, *unset = NULL, *odd = NULL, *empty = NULL;
    assert_true(git_ref_value(work, "refs/heads/main", NULL, &sha, NULL));
    assert_string_equal(sha, fixture->main_sha);

    assert_true(git_config_get(work, "branch.pr-1.ompPrUrl", NULL, &unset, NULL));
    assert_null(unset);
    // twice: the second write replaces both values of a key that has two
    git_do(work, "config", "--add", "branch.pr-1.x", "a", NULL);
    git_do(work, "config", "--add", "branch.pr-1.x", "b", NULL);
    assert_true(git_config_set(work, "branch.pr-1.x", "--unset", NULL, NULL));
    assert_true(git_config_get(work, "branch.pr-1.x", NULL, &odd, NULL));
    assert_string_equal(odd, "--unset");
    assert_true(git_config_set(work, "branch.pr-1.x", "", NULL, NULL));
    assert_true(git_config_get(work, "branch.pr-1.x", NULL, &empty, NULL));
    assert_null(empty);
}

static void test_remote_urls(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_do(fixture->work, "remote", "add", "mine", "git@github.com:lindq/tidepool.git", NULL);
    git_fixture_alias("git@github.com:lindq/tidepool.git", fixture->fork);
    g_autofree char *raw = NULL, *effective = NULL, *none = NULL, *none2 = NULL;
    assert_true(git_remote_urls(fixture->work, "mine", NULL, &raw, &effective, NULL));
    assert_string_equal(raw, "git@github.com:lindq/tidepool.git");
    assert_string_equal(effective, fixture->fork);
    assert_true(git_remote_urls(fixture->work, "nope", NULL, &none, &none2, NULL));
    assert_null(none);
    assert_null(none2);
}

static void test_slugs(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *want;
    } cases[] = {
        { "https://github.com/harbor/tidepool.git", "harbor/tidepool" },
        { "https://user:pw@github.com/harbor/tidepool/", "harbor/tidepool" },
        { "HTTP://github.com/harbor/tidepool", "harbor/tidepool" },
        { "ssh://git@github.com:22/harbor/tidepool.git", "harbor/tidepool" },
        { "git://github.com/harbor/tidepool", "harbor/tidepool" },
        { "git@github.com:harbor/tidepool.git", "harbor/tidepool" },
        { "github.com:/harbor/tidepool", "harbor/tidepool" },
        { "/srv/harbor/tidepool.git", NULL },
        { "../harbor/tidepool", NULL },
        { "./a:b/c", NULL },
        { "file:///harbor/tidepool", NULL },
        { "ext::sh -c true", NULL },
        { "https://github.com/harbor", NULL },
        { "https:///harbor/tidepool", NULL },
        { "https://github.com/a/b/c", NULL },
        { "git@github.com:tidepool", NULL },
        { "git@github.com:", NULL },
        { "", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = checkout_remote_slug(cases[i].url);
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: got '%s'", cases[i].url, got != NULL ? got : "(none)");
    }
}

static void test_failures(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_wrap(fixture, "case $sub in\n"
                              "  both) echo out; echo err >&2; exit 3 ;;\n"
                              "  out) echo out; exit 3 ;;\n"
                              "  none) exit 3 ;;\n"
                              "  token) echo 'https://u:secret@h/x' >&2; exit 3 ;;\n"
                              "esac");
    static const struct {
        const char *sub, *want;
    } cases[] = {
        { "both", "err" },
        { "out", "out" },
        { "none", "git none x failed with exit code 3" },
        { "token", "https://[REDACTED]@h/x" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const args[] = { cases[i].sub, "x", NULL };
        GError *error = NULL;
        assert_false(git_must(fixture->work, args, 0, NULL, NULL, &error));
        expect_error(cases[i].sub, error, KEDGE_ERROR_FAILED, cases[i].want);
    }
}

static void test_environment(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_wrap(fixture, "if [ $sub = show ]; then env; exit 0; fi\n"
                              "if [ $sub = words ]; then echo \"$@\"; exit 0; fi");
    g_setenv("GIT_DIR", "/nowhere", true);
    g_setenv("GIT_INDEX_FILE", "/nowhere", true);
    g_setenv("ANTHROPIC_API_KEY", "sk-secret", true);
    const char *const show[] = { "show", NULL };
    g_autofree char *env = NULL;
    bool is_ok = git_must(fixture->work, show, 0, NULL, &env, NULL);
    g_unsetenv("GIT_DIR");
    g_unsetenv("GIT_INDEX_FILE");
    g_unsetenv("ANTHROPIC_API_KEY");
    assert_true(is_ok);
    g_auto(GStrv) lines = g_strsplit(env, "\n", -1);
    const char *const *list = (const char *const *)lines;
    assert_true(g_strv_contains(list, "GIT_TERMINAL_PROMPT=0"));
    assert_true(g_strv_contains(list, "GIT_PAGER=cat"));
    assert_true(g_strv_contains(list, "GIT_OPTIONAL_LOCKS=0"));
    assert_true(g_strv_contains(list, "LC_ALL=C.UTF-8"));
    assert_null(strstr(env, "GIT_DIR="));
    assert_null(strstr(env, "GIT_INDEX_FILE="));
    assert_null(strstr(env, "sk-secret"));

    const char *const words[] = { "words", "a b", NULL };
    g_autofree char *said = NULL;
    assert_true(git_must(fixture->work, words, 0, NULL, &said, NULL));
    assert_string_equal(said,
                        "-c protocol.ext.allow=never -c core.fsmonitor=false "
                        "-c core.untrackedCache=false -c core.quotepath=off -c color.ui=false "
                        "-c core.hooksPath=/dev/null -c diff.external= "
                        "-c log.showSignature=false -c format.pretty=medium words a b");
}

static void test_not_installed(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_setenv("PATH", fixture->gh->home, true);
    char *root = NULL;
    GError *error = NULL;
    bool is_ok = git_repo_root(fixture->work, NULL, &root, &error);
    g_setenv("PATH", path, true);
    assert_false(is_ok);
    expect_error("no git", error, KEDGE_ERROR_NOT_FOUND, "git is not installed.");
}

static void test_limits(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_wrap(fixture, "case $sub in\n"
                              "  slow) exec sleep 60 ;;\n"
                              "  big) exec head -c 17000000 /dev/zero ;;\n"
                              "esac");
    const char *const slow[] = { "slow", NULL };
    GError *error = NULL;
    assert_false(git_must(fixture->work, slow, 200, NULL, NULL, &error));
    assert_true(error_is(error, KEDGE_ERROR_TIMEOUT));
    g_clear_error(&error);

    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    assert_false(git_must(fixture->work, slow, 0, cancel, NULL, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    g_clear_error(&error);

    const char *const big[] = { "big", NULL };
    assert_false(git_must(fixture->work, big, 0, NULL, NULL, &error));
    expect_error("big", error, KEDGE_ERROR_LIMIT, "git big: the output is too large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode),          cmocka_unit_test(test_encode_resolves_links),
        cmocka_unit_test(test_worktree_path),   cmocka_unit_test(test_facts),
        cmocka_unit_test(test_no_facts),        cmocka_unit_test(test_bare_is_its_own_root),
        cmocka_unit_test(test_refs_and_config), cmocka_unit_test(test_remote_urls),
        cmocka_unit_test(test_slugs),           cmocka_unit_test(test_failures),
        cmocka_unit_test(test_environment),     cmocka_unit_test(test_not_installed),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
