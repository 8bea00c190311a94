/*
 * wm/workspace/quarantine.c, wm_git.c: a .git that an agent wrote runs nothing and redirects
 * nothing (task-S04); names of branches; pushes that are refused. Real git.
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"
#include "http_server.h"

#include "base/file.h"
#include "wm/task/api.h"
#include "wm/workspace/quarantine.h"

#include <sys/stat.h>

static void write_file(const char *dir, const char *name, const char *text, mode_t mode)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    assert_int_equal(g_mkdir_with_parents(parent, 0700), 0);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(chmod(path, mode), 0);
}

static char *read_file(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    char *text = NULL;
    return file_read(path, 64 * 1024, &text, NULL, NULL) ? text : g_strdup("");
}

static bool exists(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    return file_exists(path);
}

/* "file://<dir>/origin.git" of the fixture. Caller frees. */
static char *origin_url(const GitFixture *fixture)
{
    return g_strconcat("file://", fixture->origin, NULL);
}

/* Everything in .git that would run a program of the agent's, or send the push elsewhere. */
static void set_traps(const GitFixture *fixture, const char *log)
{
    const char *work = fixture->work;
    g_autofree char *trap = g_strdup_printf("#!/bin/sh\necho ran >>'%s'\nexit 0\n", log);
    static const char *const hooks[] = { "pre-push", "reference-transaction", "post-checkout" };
    for (size_t i = 0; i < G_N_ELEMENTS(hooks); i++) {
        g_autofree char *name = g_build_filename(".git/hooks", hooks[i], NULL);
        write_file(work, name, trap, 0755);
        g_autofree char *other = g_build_filename("elsewhere", hooks[i], NULL);
        write_file(work, other, trap, 0755);
    }
    write_file(work, "trap", trap, 0755);
    g_autofree char *program = g_build_filename(work, "trap", NULL);
    g_autofree char *hooks_path = g_build_filename(work, "elsewhere", NULL);
    g_autofree char *instead = g_strconcat("url.", fixture->fork, ".insteadOf", NULL);
    g_autofree char *url = origin_url(fixture);
    git_do(work, "config", "core.hooksPath", hooks_path, NULL);
    git_do(work, "config", "core.sshCommand", program, NULL);
    git_do(work, "config", "core.fsmonitor", program, NULL);
    git_do(work, "config", "credential.helper", program, NULL);
    git_do(work, "config", instead, url, NULL);
    git_do(work, "config", "remote.origin.pushurl", fixture->fork, NULL);
    git_do(work, "config", "push.followTags", "true", NULL);
    write_file(work, ".git/info/attributes", "* filter=x\n", 0644);
    write_file(work, ".git/objects/info/alternates", "/nowhere\n", 0644);
    write_file(work, ".git/commondir", ".\n", 0644);
}

static void test_quarantine(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const char *work = fixture->work;
    g_autofree char *log = g_build_filename(fixture->gh->dir, "trap-log", NULL);
    g_autofree char *url = origin_url(fixture);
    git_do(work, "checkout", "--quiet", "-b", "wm/x", NULL);
    g_autofree char *sha = git_commit(work, "work of an agent");
    git_do(work, "tag", "-a", "-m", "t", "v9", NULL);
    set_traps(fixture, log);
    unlink(log); // setting them ran some

    g_autoptr(GError) error = NULL;
    for (int again = 0; again < 2; again++)
        if (!wm_quarantine(work, url, &error))
            fail_msg("%s", error->message);
    const WmGit git = { .root = work, .is_quarantined = true };
    g_autofree char *said = NULL, *branch = NULL;
    assert_true(wm_git_branch(&git, NULL, &branch, NULL));
    assert_string_equal(branch, "wm/x");
    if (!wm_git_push(&git, "HEAD:refs/heads/wm/x", true, NULL, &said, &error))
        fail_msg("%s", error->message);
    assert_true(
        wm_git(&git, (const char *const[]) { "fetch", "origin", NULL }, 0, NULL, NULL, NULL));

    assert_false(file_exists(log)); // task-S04
    g_autofree char *pushed = git_out(fixture->origin, "rev-parse", "refs/heads/wm/x", NULL);
    assert_string_equal(pushed, sha);
    assert_false(git_ok(fixture->fork, "rev-parse", "--verify", "refs/heads/wm/x", NULL));
    assert_false(git_ok(fixture->origin, "rev-parse", "--verify", "refs/tags/v9", NULL));
    assert_true(exists(work, ".git/config.untrusted"));
    assert_false(exists(work, ".git/hooks"));
    assert_false(exists(work, ".git/info/attributes"));
    g_autofree char *config = read_file(work, ".git/config");
    assert_null(strstr(config, "insteadOf"));
    assert_non_null(strstr(config, "repositoryformatversion = 0"));
}

static void test_kept_values(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *work = g_build_filename(fixture->gh->dir, "sha256", NULL);
    g_autofree char *url = origin_url(fixture);
    git_do(fixture->gh->dir, "init", "--quiet", "--object-format=sha256", work, NULL);
    g_autofree char *sha = git_commit(work, "first");
    git_do(work, "config", "remote.origin.promisor", "true", NULL);
    assert_true(wm_quarantine(work, url, NULL));
    g_autofree char *config = read_file(work, ".git/config");
    assert_non_null(strstr(config, "repositoryformatversion = 1"));
    const WmGit git = { .root = work, .is_quarantined = true };
    g_autofree char *head = NULL;
    const char *const args[] = { "rev-parse", "HEAD", NULL };
    g_autoptr(GError) error = NULL;
    if (!wm_git(&git, args, 0, NULL, &head, &error))
        fail_msg("%s", error->message);
    assert_string_equal(head, sha);
    assert_int_equal(strlen(head), 64);

    // one that was ended before the new configuration stood
    g_autofree char *gone = g_build_filename(work, ".git", "config", NULL);
    g_autofree char *old = g_build_filename(work, ".git", "config.untrusted", NULL);
    assert_int_equal(rename(gone, old), 0);
    assert_true(wm_quarantine(work, url, NULL));
    assert_true(wm_git(&git, args, 0, NULL, NULL, NULL));
}

static void expect_refusal(const char *root, const char *url, const char *part)
{
    g_autoptr(GError) error = NULL;
    assert_false(wm_quarantine(root, url, &error));
    if (!strstr(error->message, part))
        fail_msg("'%s', want '%s'", error->message, part);
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const char *dir = fixture->gh->dir;
    g_autofree char *git_dir = g_build_filename(fixture->work, ".git", NULL);
    g_autofree char *linked = g_build_filename(dir, "linked", NULL);
    g_autofree char *filed = g_build_filename(dir, "filed", NULL);
    g_autofree char *link = g_build_filename(linked, ".git", NULL);
    assert_int_equal(g_mkdir_with_parents(linked, 0700), 0);
    assert_int_equal(symlink(git_dir, link), 0);
    g_autofree char *text = g_strconcat("gitdir: ", git_dir, "\n", NULL);
    write_file(filed, ".git", text, 0644);
    expect_refusal(linked, "file:///x", "it is not a directory of its own");
    expect_refusal(filed, "file:///x", "it is not a directory of its own");
    expect_refusal(dir, "file:///x", "it is not a directory of its own");
    expect_refusal(fixture->work, "https://x/\"\n[core]", "not a plain URL");

    g_autofree char *deep = g_build_filename(git_dir, "refs", "remotes", "origin", "wm", NULL);
    g_autofree char *above = g_path_get_dirname(deep);
    assert_int_equal(g_mkdir_with_parents(above, 0700), 0);
    assert_int_equal(symlink(dir, deep), 0);
    expect_refusal(fixture->work, "file:///x", "origin/wm: it is a symlink");
    assert_int_equal(unlink(deep), 0);

    // git writes through each of these
    static const char *const written[] = { "FETCH_HEAD", "objects/ab", "reftable" };
    for (size_t i = 0; i < G_N_ELEMENTS(written); i++) {
        g_autofree char *path = g_build_filename(git_dir, written[i], NULL);
        assert_true(file_remove_tree(path, NULL));
        assert_int_equal(symlink(dir, path), 0);
        expect_refusal(fixture->work, "file:///x", "it is a symlink");
        assert_int_equal(unlink(path), 0);
    }

    g_autofree char *info = g_build_filename(git_dir, "info", NULL);
    assert_true(file_remove_tree(info, NULL));
    assert_int_equal(symlink(dir, info), 0);
    expect_refusal(fixture->work, "file:///x", "it is a symlink");
    g_autofree char *config = read_file(fixture->work, ".git/config");
    assert_non_null(strstr(config, "[remote \"origin\"]")); // still the old one
}

static void test_branches(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const char *work = fixture->work;
    const WmGit git = { .root = work };
    static const struct {
        const char *name;
        bool is_valid;
    } names[] = {
        { "wm/fix-1", true },  { "", false },     { "-x", false },     { "a..b", false },
        { "@{-1}", false },    { "HEAD", false }, { "a b", false },    { "x.lock", false },
        { "r\xc3\xa9", true }, { "a:b", false },  { "--help", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (wm_git_branch_name_is_valid(&git, names[i].name, NULL) != names[i].is_valid)
            fail_msg("'%s'", names[i].name);

    g_autofree char *of_payload = wm_git_default_branch(&git, "develop", NULL);
    g_autofree char *at_last = wm_git_default_branch(&git, "--bad", NULL);
    assert_string_equal(of_payload, "develop");
    assert_string_equal(at_last, "main");
    git_do(work, "update-ref", "refs/remotes/origin/master", "HEAD", NULL);
    g_autofree char *master = wm_git_default_branch(&git, NULL, NULL);
    assert_string_equal(master, "master");
    git_do(work, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/rel/2", NULL);
    g_autofree char *of_remote = wm_git_default_branch(&git, NULL, NULL);
    assert_string_equal(of_remote, "rel/2");

    git_do(work, "tag", "main", NULL); // a tag of the branch's name
    g_autofree char *branch = NULL, *detached = NULL;
    assert_true(wm_git_branch(&git, NULL, &branch, NULL));
    assert_string_equal(branch, "main");
    git_do(work, "checkout", "--quiet", "--detach", NULL);
    assert_true(wm_git_branch(&git, NULL, &detached, NULL));
    assert_string_equal(detached, "HEAD");
    const WmGit nowhere = { .root = fixture->gh->dir };
    g_autoptr(GError) error = NULL;
    assert_false(wm_git_branch(&nowhere, NULL, &branch, &error));
    assert_true(str_has_prefix(error->message, "git current branch: git rev-parse: "));
}

static void expect_push(const char *name, const WmGit *git, const char *refspec, const char *part)
{
    g_autoptr(GError) error = NULL;
    assert_false(wm_git_push(git, refspec, false, NULL, NULL, &error));
    if (!str_has_prefix(error->message, "git push: ") || !strstr(error->message, part))
        fail_msg("%s: %s", name, error->message);
}

static void test_refused_pushes(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const WmGit git = { .root = fixture->work };
    expect_push("forced", &git, "+HEAD:refs/heads/main", "refusing the refspec");
    expect_push("deleted", &git, ":refs/heads/main", "refusing the refspec");
    // fix/dst of origin is ahead of what is here
    expect_push("behind", &git, "HEAD:refs/heads/fix/dst", "nothing is ever forced");
    write_file(fixture->origin, "hooks/update",
               "#!/bin/sh\necho 'error: GH006: Protected branch update failed' >&2\nexit 1\n",
               0755);
    git_do(fixture->work, "checkout", "--quiet", "-b", "other", NULL);
    expect_push("protected", &git, "HEAD:refs/heads/other", "the branch is protected");
}

static bool answer_403(TestServer *server G_GNUC_UNUSED, int fd, const char *request G_GNUC_UNUSED,
                       unsigned number G_GNUC_UNUSED)
{
    test_send_text(fd, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    return false;
}

/* The token goes to the server's host, in Actions, and nowhere else. */
static void test_token(void **state G_GNUC_UNUSED)
{
    static const char token[] = "AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46dDAwMDAwMDAw";
    g_autoptr(GitFixture) fixture = git_fixture_new();
    TestServer *server = test_server_start(answer_403, NULL);
    TestServer *other = test_server_start(answer_403, NULL);
    g_autofree char *server_url = test_server_url(server, "");
    g_autofree char *other_url = test_server_url(other, "");
    g_autofree char *origin = test_server_url(server, "/o/r.git");
    g_setenv("GH_TOKEN", "t00000000", true);
    g_setenv("no_proxy", "127.0.0.1", true);
    assert_true(wm_quarantine(fixture->work, origin, NULL));
    WmGit git = {
        .root = fixture->work, .is_quarantined = true, .server_url = server_url, .in_actions = true
    };
    expect_push("403", &git, "HEAD:refs/heads/x", "the token has no write permission");
    g_autofree char *with = test_server_request(server, 1);
    if (!strstr(with, token))
        fail_msg("no token in %s", with);
    git.in_actions = false;
    expect_push("not in Actions", &git, "HEAD:refs/heads/x", "exit status");
    git.in_actions = true;
    git.server_url = other_url;
    expect_push("another server", &git, "HEAD:refs/heads/x", "exit status");
    for (unsigned i = 2; i <= test_server_count(server, &server->requests->len); i++) {
        g_autofree char *without = test_server_request(server, i);
        if (strstr(without, "uthorization") || strstr(without, "UTHORIZATION"))
            fail_msg("a token in %s", without);
    }
    assert_int_equal(test_server_count(other, &other->connections), 0);
    g_unsetenv("GH_TOKEN");
    test_server_stop(server);
    test_server_stop(other);
}

static void test_clean(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const WmGit git = { .root = fixture->work };
    const WmGit bare = { .root = fixture->origin };
    const WmGit nowhere = { .root = fixture->gh->dir };
    assert_true(wm_git_is_clean(&git, NULL, NULL));
    write_file(fixture->work, "new", "x", 0644);
    static const char *const parts[] = { "working tree is not clean at \"", "git: not a work tree ",
                                         "git: not a repository at \"" };
    const WmGit *const gits[] = { &git, &bare, &nowhere };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_autoptr(GError) error = NULL;
        assert_false(wm_git_is_clean(gits[i], NULL, &error));
        if (!str_has_prefix(error->message, parts[i]))
            fail_msg("%s", error->message);
    }
}

/* Of a repository with a submodule git can still say what has changed. */
static void test_submodule(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const char *work = fixture->work;
    g_autofree char *url = origin_url(fixture);
    git_do(work, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-b", "main",
           fixture->origin, "sub", NULL);
    git_do(work, "commit", "--quiet", "-m", "submodule", NULL);
    assert_true(wm_quarantine(work, url, NULL));
    const WmGit git = { .root = work, .is_quarantined = true };
    g_autoptr(GError) error = NULL;
    if (!wm_git_is_clean(&git, NULL, &error) ||
        !wm_git_push(&git, "HEAD:refs/heads/with-sub", true, NULL, NULL, &error))
        fail_msg("%s", error->message);
}

/* task-G09. */
static void test_origin(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *want; // NULL: unknown
    } cases[] = {
        { "git@github.com:o/r.git", "o/r" },
        { "https://github.com/o/r", "o/r" },
        { "https://gitlab.example/o/r", NULL },
        { "/some/where", NULL },
    };
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_unsetenv("GITHUB_REPOSITORY");
    g_unsetenv("GITHUB_API_URL");
    g_unsetenv("GH_HOST");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        git_do(fixture->work, "remote", "set-url", "origin", cases[i].url, NULL);
        g_auto(WmRepo) found = { 0 };
        g_autoptr(GError) error = NULL;
        bool is_found = wm_repo_find(NULL, fixture->work, NULL, &found, &error);
        if (is_found != (cases[i].want != NULL) || g_strcmp0(found.slug, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].url, is_found ? found.slug : error->message);
        assert_true(is_found ||
                    str_has_prefix(error->message, "cannot determine the repository: set "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quarantine),     cmocka_unit_test(test_kept_values),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_refused_pushes), cmocka_unit_test(test_token),
        cmocka_unit_test(test_clean),          cmocka_unit_test(test_submodule),
        cmocka_unit_test(test_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
