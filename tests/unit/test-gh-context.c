/*
 * The context of gh: remotes, clones, and the order of those who may name a repository
 * (github/safe/gh_context.h, github/safe/gh_context_git.h, github/safe/gh_remote.h). Real git in
 * temporary repositories; no network.
 */
#include "unit.h"

#include "git_fixture.h"

#include "github/classify/gh_kind.h"
#include "github/repo_ref.h"
#include "github/safe/gh_context.h"

#include <sys/stat.h>

#define SETTINGS                                                                                   \
    "{\"gh\":{\"knownHosts\":[\"ghe.example.com\",\"acme.ghe.com\"],"                              \
    "\"sshAliases\":{\"work\":\"ghe.example.com\",\"bad\":\"evil.example\",\"my_alias\":\"github." \
    "com\"}}}"

typedef struct World {
    GhFixture *gh;
    char *dir;
} World;

static void world_free(World *self)
{
    gh_fixture_free(self->gh);
    g_free(self->dir);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(World, world_free)

/* A repository without commits, on branch main. */
static World *world_new(void)
{
    World *self = g_new0(World, 1);
    self->gh = gh_fixture_new_with(SETTINGS);
    self->dir = g_strdup(self->gh->cwd);
    git_do(self->dir, "init", "--quiet", "--initial-branch=main", NULL);
    return self;
}

static void add_remote(const World *self, const char *name, const char *url)
{
    git_do(self->dir, "remote", "add", name, url, NULL);
}

static GhClone *read_clone(const World *self)
{
    GhClone *clone = NULL;
    g_autoptr(GError) error = NULL;
    if (!gh_clone_read(NULL, self->dir, self->gh->settings, NULL, &clone, &error))
        fail_msg("%s", error->message);
    return clone;
}

/* "HOST OWNER/REPO SOURCE". Caller frees. */
static char *resolve(const World *self, const char *repo, const char *hostname)
{
    g_autoptr(GhClone) clone = read_clone(self);
    g_auto(GStrv) hosts = repo_known_hosts(self->gh->settings);
    const GhContextSpec spec = {
        .known_hosts = (const char *const *)hosts,
        .default_host = "github.com",
        .repo = repo,
        .hostname = hostname,
        .clone = clone,
    };
    g_auto(GhContext) context = { 0 };
    g_autoptr(GError) error = NULL;
    if (!gh_context_resolve(&spec, &context, &error))
        return g_strdup_printf("%s: %s", gh_kind_name(gh_kind_of_error(error)), error->message);
    return g_strdup_printf("%s %s %s", context.host, context.repo != NULL ? context.repo : "-",
                           gh_source_name(context.source));
}

static void expect(const char *name, const World *self, const char *repo, const char *hostname,
                   const char *want)
{
    g_autofree char *got = resolve(self, repo, hostname);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got %s, want %s", name, got, want);
}

static void test_remotes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *url;
        const char *want; // "HOST OWNER/REPO"; "HOST -": unknown; "-": none
        bool is_alias;
    } cases[] = {
        { "gh-1.4-1 scp", "git@github.com:o/r.git", "github.com o/r", false },
        { "gh-1.4-2 ssh over 443", "ssh://git@ssh.github.com:443/o/r.git", "github.com o/r",
          false },
        { "gh-1.4-3 https with a password", "https://u:t@github.com/o/r.git", "github.com o/r",
          false },
        { "gh-1.4-4 a port", "https://ghe.example.com:8443/o/r", "ghe.example.com o/r", false },
        { "gh-1.4-5 a tenant", "acme@acme.ghe.com:o/r.git", "acme.ghe.com o/r", false },
        { "gh-1.4-6 an unknown host", "https://evil.example/o/r", "evil.example -", false },
        { "gh-14-13 a suffix", "https://github.com.evil.example/o/r", "github.com.evil.example -",
          false },
        { "gh-14-12 the last @ counts", "https://github.com@evil.example/o/r", "evil.example -",
          false },
        { "gh-14-14 a transport helper", "ext::sh -c x", "-", false },
        { "a local path", "/srv/o/r", "-", false },
        { "a web page", "https://github.com/o/r/tree/main", "-", false },
        { "gh-1.4-7 an alias", "git@work:o/r.git", "ghe.example.com o/r", true },
        { "gh-1.4-8 an alias no host could have", "ssh://my_alias/o/r", "github.com o/r", true },
        { "gh-1.4-9 an alias of an unknown host", "git@bad:o/r.git", "bad -", false },
        { "an alias is for ssh alone", "https://work/o/r", "work -", false },
        { "aliases keep their case", "git@WORK:o/r.git", "WORK -", false },
    };
    g_autoptr(World) world = world_new();
    // nothing may be asked of the machine's own ssh
    g_autofree char *ssh = g_build_filename(world->gh->bin, "ssh", NULL);
    assert_true(g_file_set_contents(ssh, "#!/bin/sh\nexit 1\n", -1, NULL));
    assert_int_equal(chmod(ssh, 0755), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhRemote) remote =
            gh_remote_new("origin", cases[i].url, world->gh->settings, NULL);
        g_autofree char *got =
            remote->host == NULL
                ? g_strdup("-")
                : g_strdup_printf("%s %s", remote->host, remote->is_known ? remote->repo : "-");
        if (strcmp(got, cases[i].want) != 0 || remote->is_alias != cases[i].is_alias)
            fail_msg("%s: got %s, alias %d", cases[i].name, got, remote->is_alias);
    }
}

static void test_ssh_config(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *settings;
        bool is_known;
    } cases[] = {
        { "gh-1.4-10 ssh knows it", "{}", true },
        { "gh-1.4-11 switched off", "{\"gh\":{\"sshConfig\":false}}", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new_with(cases[i].settings);
        g_autofree char *ssh = g_build_filename(fixture->bin, "ssh", NULL);
        g_autofree char *seen = g_build_filename(fixture->dir, "seen", NULL);
        g_autofree char *script = g_strdup_printf("#!/bin/sh\necho \"$*\" >%s\n"
                                                  "echo user git\necho hostname GitHub.com\n",
                                                  seen);
        assert_true(g_file_set_contents(ssh, script, -1, NULL));
        assert_int_equal(chmod(ssh, 0755), 0);
        g_autoptr(GhRemote) remote =
            gh_remote_new("origin", "git@gh-work:o/r.git", fixture->settings, NULL);
        if (remote->is_known != cases[i].is_known)
            fail_msg("%s: %s", cases[i].name, remote->host);
        g_autofree char *words = NULL;
        bool was_asked = g_file_get_contents(seen, &words, NULL, NULL);
        assert_int_equal(was_asked, cases[i].is_known);
        if (was_asked)
            assert_string_equal(words, "-G -- gh-work\n");
    }
}

static void test_no_clone(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    g_free(world->dir);
    world->dir = g_strdup(world->gh->temp);
    expect("gh-1.2-1 the default", world, NULL, NULL, "github.com - default");
    g_autoptr(GhClone) clone = read_clone(world);
    assert_false(clone->is_clone);
}

static void test_order(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    expect("gh-1.2-2 a clone without remotes", world, NULL, NULL, "github.com - default");
    add_remote(world, "origin", "https://github.com/o/r.git");
    expect("gh-1.2-3 origin beats the default", world, NULL, NULL, "github.com o/r origin");
    add_remote(world, "a/b", "git@github.com:a/b.git");
    git_do(world->dir, "config", "branch.main.remote", "a/b", NULL);
    expect("gh-1.2-4 what a branch tracks is nothing to gh", world, NULL, NULL,
           "github.com o/r origin");
    add_remote(world, "github", "git@github.com:g/r.git");
    expect("github beats origin", world, NULL, NULL, "github.com g/r remote");
    add_remote(world, "Upstream", "git@ghe.example.com:team/r.git");
    expect("a fork's parent beats both", world, NULL, NULL, "ghe.example.com team/r upstream");
    git_do(world->dir, "config", "remote.origin.gh-resolved", "base", NULL);
    expect("gh-1.2-5 resolved beats upstream", world, NULL, NULL, "github.com o/r resolved");
    git_do(world->dir, "config", "remote.origin.gh-resolved", "parent/r", NULL);
    expect("gh-1.2-6 another repository on its host", world, NULL, NULL,
           "github.com parent/r resolved");
    git_do(world->dir, "config", "--add", "remote.origin.gh-resolved", "last/r", NULL);
    expect("the last value counts", world, NULL, NULL, "github.com last/r resolved");
    git_do(world->dir, "config", "--replace-all", "remote.origin.gh-resolved", "parent/r", NULL);
    g_setenv("GH_HOST", "ghe.example.com", true);
    expect("gh-1.2-7 GH_HOST beats resolved", world, NULL, NULL, "ghe.example.com team/r env-host");
    g_setenv("GH_REPO", "e/r", true);
    expect("gh-1.2-8 GH_REPO beats GH_HOST", world, NULL, NULL, "ghe.example.com e/r env-repo");
    g_setenv("GH_REPO", "acme.ghe.com/e/r", true);
    expect("gh-1.2-9 and its host, too", world, NULL, NULL, "acme.ghe.com e/r env-repo");
    expect("gh-1.2-10 hostname beats the environment", world, NULL, "github.com",
           "github.com parent/r explicit-host");
    expect("gh-1.2-11 repo beats hostname", world, "ghe.example.com/x/y", "github.com",
           "ghe.example.com x/y explicit-repo");
    expect("gh-1.2-12 the host of a bare repo: hostname", world, "x/y", "acme.ghe.com",
           "acme.ghe.com x/y explicit-repo");
    expect("gh-1.2-13 the host of a bare repo: GH_HOST", world, "x/y", NULL,
           "ghe.example.com x/y explicit-repo");
    g_unsetenv("GH_HOST");
    expect("gh-1.2-14 the host of a bare repo: resolved", world, "x/y", NULL,
           "github.com x/y explicit-repo");
}

/* pr_checkout makes a remote for each fork. */
static void test_many_remotes(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    g_autofree char *path = g_build_filename(world->dir, ".git", "config", NULL);
    g_autofree char *before = NULL;
    assert_true(g_file_get_contents(path, &before, NULL, NULL));
    g_autoptr(GString) config = g_string_new(before);
    for (int i = 0; i < 200; i++)
        g_string_append_printf(config, "[remote \"fork-%d\"]\n\turl = https://github.com/f%d/r\n",
                               i, i);
    g_string_append(config, "[remote \"origin\"]\n\turl = https://github.com/o/r\n");
    assert_true(g_file_set_contents(path, config->str, -1, NULL));
    expect("origin among many", world, NULL, NULL, "github.com o/r origin");
}

static void test_hostname_chooses(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    add_remote(world, "origin", "https://ghe.example.com/o/r");
    add_remote(world, "up", "https://github.com/u/r");
    expect("gh-1.2-15 among the remotes", world, NULL, "ghe.example.com",
           "ghe.example.com o/r explicit-host");
    expect("gh-1.2-16 none there", world, NULL, "acme.ghe.com", "acme.ghe.com - explicit-host");
    expect("its normal form", world, NULL, "WWW.GitHub.com", "github.com u/r explicit-host");
    expect("gh-14-12 an unknown one", world, NULL, "evil.example",
           "policy-blocked: Blocked by V1 policy: host \"evil.example\" is not a known host; add "
           "it to "
           "gh.knownHosts.");
}

static void test_unknown_hosts(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    add_remote(world, "origin", "https://evil.example/o/r");
    expect("gh-1.2-17 neither host nor owner", world, NULL, NULL, "github.com - default");
    add_remote(world, "up", "https://github.com/u/r");
    expect("the next step", world, NULL, NULL, "github.com u/r remote");
    git_do(world->dir, "config", "remote.origin.gh-resolved", "base", NULL);
    expect("gh-1.2-18 a resolved remote of an unknown host", world, NULL, NULL,
           "github.com u/r remote");
    g_setenv("GH_HOST", "evil.example", true);
    g_setenv("GH_REPO", "evil.example/a/b", true);
    expect("gh-14-11 the environment adds no host", world, NULL, NULL, "github.com u/r remote");
}

/* What is meant for that host goes to no other, be it github.com or a host of the settings. */
static void test_unknown_gh_host(void **state G_GNUC_UNUSED)
{
    static const char refused[] = "policy-blocked: Blocked by V1 policy: host \"corp.example\" is "
                                  "not a known host; add it to gh.knownHosts.";
    g_autoptr(World) world = world_new();
    g_setenv("GH_HOST", "corp.example", true);
    expect("a repository without a host", world, "a/b", NULL, refused);
    expect("no repository", world, NULL, NULL, refused);
    expect("a host that is named", world, "github.com/a/b", NULL, "github.com a/b explicit-repo");
    g_setenv("GH_REPO", "a/b", true);
    expect("a repository of the environment", world, NULL, NULL, refused);
    add_remote(world, "origin", "https://github.com/o/r");
    expect("not the clone's host", world, "a/b", NULL, refused);
}

static void test_branches(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    add_remote(world, "origin", "https://github.com/o/r");
    add_remote(world, "up", "https://github.com/u/r");
    static const char *const remotes[] = { ".", "https://github.com/fork/r", "gone", "up" };
    for (size_t i = 0; i < G_N_ELEMENTS(remotes); i++) {
        git_do(world->dir, "config", "branch.main.remote", remotes[i], NULL);
        expect(remotes[i], world, NULL, NULL, "github.com o/r origin");
    }
    git_do(world->dir, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "--quiet",
           "--allow-empty", "-m", "x", NULL);
    git_do(world->dir, "checkout", "--quiet", "--detach", NULL);
    expect("gh-1.3-3 no branch is checked out", world, NULL, NULL, "github.com o/r origin");
}

static void test_instead_of(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    add_remote(world, "origin", "https://github.com/o/r");
    git_do(world->dir, "config", "url.https://evil.example/.insteadOf", "https://github.com/",
           NULL);
    expect("gh-14-14 where git would really go", world, NULL, NULL, "github.com - default");
    git_do(world->dir, "config", "--unset", "url.https://evil.example/.insteadOf", NULL);
    git_do(world->dir, "config", "url.git@github.com:.insteadOf", "gh:", NULL);
    git_do(world->dir, "remote", "set-url", "origin", "gh:o/r", NULL);
    expect("gh-1.3-4 insteadOf of one's own", world, NULL, NULL, "github.com o/r origin");
}

static void test_repo_argument(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *repo, *want;
    } cases[] = {
        { "o/r", "github.com o/r explicit-repo" },
        { "GHE.example.com/o/r", "ghe.example.com o/r explicit-repo" },
        { "https://github.com/o/r", "github.com o/r explicit-repo" },
        { "git@github.com:o/r.git", "github.com o/r explicit-repo" },
        { "r", "invalid-args: Invalid arguments: invalid repository \"r\"." },
        { "o/r/x/y", "invalid-args: Invalid arguments: invalid repository \"o/r/x/y\"." },
        { "-o/r", "invalid-args: Invalid arguments: invalid repository \"-o/r\"." },
        { "o/..", "invalid-args: Invalid arguments: invalid repository \"o/..\"." },
        { "https://github.com/o/r/pull/5", "invalid-args: Invalid arguments: invalid repository "
                                           "\"https://github.com/o/r/pull/5\"." },
        { "evil.example/o/r",
          "policy-blocked: Blocked by V1 policy: host \"evil.example\" is not a known "
          "host; add it to gh.knownHosts." },
        { "https://github.com@evil.example/o/r", "policy-blocked: Blocked by V1 policy: host "
                                                 "\"evil.example\" is not a known host; add it to "
                                                 "gh.knownHosts." },
    };
    g_autoptr(World) world = world_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect(cases[i].repo, world, cases[i].repo, NULL, cases[i].want);
}

static void test_logins(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture =
        gh_fixture_new_with("{\"gh\":{\"defaultHost\":\"Corp.example.com\"}}");
    g_autofree char *path = g_build_filename(fixture->dir, "gh-config", "hosts.yml", NULL);
    assert_true(
        g_file_set_contents(path,
                            "github.com:\n    user: o\n    oauth_token: x\nlogin.example.com:\n"
                            "    user: o\nnested: x\n  inner.example.com:\n",
                            -1, NULL));
    g_auto(GStrv) hosts = repo_known_hosts(fixture->settings);
    g_autofree char *list = g_strjoinv(" ", hosts);
    assert_string_equal(list, "github.com corp.example.com login.example.com"); // gh-1.4-12
    assert_false(repo_host_is_listed("inner.example.com", fixture->settings));

    g_autoptr(json_t) overrides = NULL;
    assert_true(json_parse_text("{\"gh\":{\"trustGhLogins\":false}}", &overrides, NULL));
    g_autoptr(Settings) strict = settings_new(overrides);
    assert_false(repo_host_is_listed("login.example.com", strict));
}

/* Answers are remembered until git's files change. */
static void test_cache(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    add_remote(world, "origin", "https://github.com/o/r");
    g_autoptr(GhCloneCache) cache = gh_clone_cache_new();
    g_autoptr(GhClone) first = NULL;
    g_autoptr(GhClone) second = NULL;
    g_autoptr(GhClone) third = NULL;
    const Settings *settings = world->gh->settings;
    assert_true(gh_clone_read(cache, world->dir, settings, NULL, &first, NULL));
    assert_true(gh_clone_read(cache, world->dir, settings, NULL, &second, NULL));
    assert_ptr_equal(first, second); // gh-1.3-5
    git_do(world->dir, "remote", "set-url", "origin", "https://github.com/other/r", NULL);
    assert_true(gh_clone_read(cache, world->dir, settings, NULL, &third, NULL));
    assert_string_equal(((const GhRemote *)third->remotes->pdata[0])->repo, "other/r");
    assert_string_equal(((const GhRemote *)first->remotes->pdata[0])->repo, "o/r");
}

static void test_cancelled(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new();
    cancel_fire(world->gh->cancel);
    g_autoptr(GhClone) clone = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(
        gh_clone_read(NULL, world->dir, world->gh->settings, world->gh->cancel, &clone, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remotes),       cmocka_unit_test(test_ssh_config),
        cmocka_unit_test(test_no_clone),      cmocka_unit_test(test_order),
        cmocka_unit_test(test_many_remotes),  cmocka_unit_test(test_hostname_chooses),
        cmocka_unit_test(test_unknown_hosts), cmocka_unit_test(test_unknown_gh_host),
        cmocka_unit_test(test_branches),      cmocka_unit_test(test_instead_of),
        cmocka_unit_test(test_repo_argument), cmocka_unit_test(test_logins),
        cmocka_unit_test(test_cache),         cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
