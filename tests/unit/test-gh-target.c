/*
 * What a command line of gh acts on, and what is set or put in so that gh agrees
 * (github/safe/gh_target.h, github/safe/gh_argv.h). Pure: the clones are made by hand.
 */
#include "unit.h"

#include "github/classify/gh_kind.h"
#include "github/safe/gh_argv.h"

static const char *const known_hosts[] = { "github.com", "ghe.example.com", "acme.ghe.com", NULL };

typedef struct Remotes { // "HOST OWNER/REPO"; NULL: no such remote
    const char *origin, *upstream, *github, *other;
    const char *resolved; // name of a remote
} Remotes;

static const Remotes nothing = { 0 };
static const Remotes plain = { .origin = "github.com o/r" };
static const Remotes forked = { .origin = "github.com me/r", .upstream = "github.com parent/r" };
static const Remotes resolved = { .origin = "github.com me/r",
                                  .other = "github.com parent/r",
                                  .resolved = "other" };
static const Remotes nameless = { .other = "github.com x/r" };

static void add_remote(GhClone *clone, const char *name, const char *where, const Remotes *remotes)
{
    if (!where)
        return;
    g_auto(GStrv) parts = g_strsplit(where, " ", 2);
    GhRemote *remote = g_new0(GhRemote, 1);
    remote->name = g_strdup(name);
    remote->host = g_strdup(parts[0]);
    remote->repo = g_strdup(parts[1]);
    remote->is_known = true;
    g_ptr_array_add(clone->remotes, remote);
    if (g_strcmp0(remotes->resolved, name) == 0)
        remote->resolved = g_strdup(remote->repo);
}

static void free_remote(void *data)
{
    gh_remote_free(data);
}

static GhClone *make_clone(const Remotes *remotes)
{
    GhClone *clone = g_new0(GhClone, 1);
    clone->ref_count = 1;
    clone->is_clone = true;
    clone->branch = g_strdup("topic/x");
    clone->remotes = g_ptr_array_new_with_free_func(free_remote);
    add_remote(clone, "Upstream", remotes->upstream, remotes);
    add_remote(clone, "github", remotes->github, remotes);
    add_remote(clone, "origin", remotes->origin, remotes);
    add_remote(clone, "other", remotes->other, remotes);
    return clone;
}

typedef struct TargetCase {
    const char *name;
    const Remotes *remotes;
    const char *argv[10];
    const char *want; // "HOST OWNER/REPO SOURCE GH_HOST GH_REPO", or the error
    const char *repo, *hostname;
    const char *run; // the command line that runs, joined with |; NULL: as it is
} TargetCase;

static const TargetCase cases[] = {
    { "gh-1.6-1 the context",
      &plain,
      { "pr", "view", "5" },
      "github.com o/r origin github.com github.com/o/r" },
    { "gh-1.6-2 no repository",
      &nothing,
      { "pr", "view", "5" },
      "github.com - default github.com -" },
    { "gh-1.6-3 -R",
      &plain,
      { "pr", "list", "-R", "x/y" },
      "github.com x/y explicit-repo github.com -" },
    { "gh-1.6-4 the last -R",
      &plain,
      { "pr", "list", "-Ra/b", "--repo=ghe.example.com/x/y" },
      "ghe.example.com x/y explicit-repo ghe.example.com -" },
    { "gh-1.6-5 the argument",
      &plain,
      { "pr", "list" },
      "acme.ghe.com x/y explicit-repo acme.ghe.com acme.ghe.com/x/y",
      .repo = "acme.ghe.com/x/y" },
    { "gh-1.6-6 a repository positional",
      &plain,
      { "repo", "view", "ghe.example.com/x/y" },
      "ghe.example.com x/y explicit-repo ghe.example.com -" },
    { "a bare name is somebody's",
      &plain,
      { "repo", "view", "y" },
      "github.com - origin github.com -" },
    { "gh-1.6-7 a URL positional",
      &plain,
      { "pr", "view", "https://ghe.example.com/x/y/pull/5" },
      "ghe.example.com x/y explicit-repo ghe.example.com ghe.example.com/x/y" },
    { "gh-1.6-8 the source of labels is no target",
      &plain,
      { "label", "clone", "x/y" },
      "github.com o/r origin github.com github.com/o/r" },
    { "gh-1.6-9 nor is the destination of a transfer",
      &plain,
      { "issue", "transfer", "5", "x/y" },
      "github.com o/r origin github.com github.com/o/r" },
    { "-R and a URL that contradict each other",
      &plain,
      { "pr", "view", "https://github.com/x/y/pull/5", "-R", "o/r" },
      "invalid-args: Invalid arguments: args name two repositories." },
    { "gh-12.2-1 -R and another repo argument",
      &plain,
      { "pr", "list", "-R", "a/b" },
      "invalid-args: Invalid arguments: args already name a repository.",
      .repo = "x/y" },
    { "-R and the same repo argument",
      &plain,
      { "pr", "list", "-R", "X/y" },
      "ghe.example.com X/y explicit-repo ghe.example.com -",
      .repo = "ghe.example.com/x/Y" },
    { "gh-1.6-10 api",
      &plain,
      { "api", "repos/x/y/issues" },
      "github.com x/y explicit-repo github.com -" },
    { "api with slashes",
      &plain,
      { "api", "/repos//x/y" },
      "github.com x/y explicit-repo github.com -" },
    { "gh-1.6-11 api with another endpoint",
      &plain,
      { "api", "user" },
      "github.com - origin github.com -" },
    { "gh-1.6-12 a full URL",
      &plain,
      { "api", "https://api.acme.ghe.com/repos/x/y" },
      "acme.ghe.com x/y explicit-repo acme.ghe.com -" },
    { "GitHub's own API host",
      &plain,
      { "api", "https://api.github.com/user" },
      "github.com - explicit-host github.com -" },
    { "gh-1.6-13 --hostname",
      &plain,
      { "api", "user", "--hostname", "ghe.example.com" },
      "ghe.example.com - explicit-host ghe.example.com -" },
    { "gh-1.6-14 search takes its host from the environment",
      &plain,
      { "search", "prs", "-R", "x/y" },
      "ghe.example.com - explicit-host ghe.example.com -",
      .hostname = "ghe.example.com" },
    { "gh-1.6-15 gists", &plain, { "gist", "list" }, "github.com - origin github.com -" },
    { "a gist's URL",
      &plain,
      { "gist", "view", "https://gist.ghe.example.com/o/abc" },
      "ghe.example.com - explicit-host ghe.example.com -" },
    { "codespaces", &plain, { "codespace", "list" }, "github.com - origin github.com -" },
    { "a codespace's repository",
      &plain,
      { "codespace", "list", "-R", "x/y" },
      "github.com x/y explicit-repo github.com -" },
    { "projects", &plain, { "project", "list" }, "github.com - origin github.com -" },
    { "gh-1.6-16 project link",
      &plain,
      { "project", "link", "1" },
      "github.com o/r origin github.com github.com/o/r" },
    { "secrets of an organization",
      &plain,
      { "secret", "list", "--org", "x" },
      "github.com - origin github.com -" },
    { "unknown commands", &plain, { "frob" }, "github.com - origin github.com -" },
    { "gh-1.6-17 auth status", &plain, { "auth", "status" }, "github.com - origin - -" },
    { "gh-1.6-18 a host for auth status",
      &plain,
      { "auth", "status" },
      "ghe.example.com - explicit-host - -",
      .hostname = "ghe.example.com",
      .run = "auth|status|--hostname|ghe.example.com" },
    { "gh-1.6-19 a host for api",
      &plain,
      { "api", "user", "--jq", ".login" },
      "ghe.example.com - explicit-host ghe.example.com -",
      .hostname = "ghe.example.com",
      .run = "api|--hostname|ghe.example.com|user|--jq|.login" },
    { "repo beats hostname",
      &plain,
      { "api", "user" },
      "github.com - explicit-repo github.com -",
      .repo = "github.com/x/y",
      .hostname = "ghe.example.com",
      .run = "api|--hostname|github.com|user" },
    { "its own host is kept",
      &plain,
      { "api", "user", "--hostname", "github.com" },
      "github.com - explicit-host github.com -",
      .hostname = "ghe.example.com" },
    { "a place that another flag would swallow",
      &plain,
      { "-iH", "api", "user", "x:y" },
      "invalid-args: Invalid arguments: args leave no place for the host or repository.",
      .hostname = "ghe.example.com" },
    { "gh-1.6-20 repo view",
      &plain,
      { "repo", "view", "--json", "name" },
      "github.com o/r origin github.com -",
      .run = "repo|view|--json|name|github.com/o/r" },
    { "repo view of an argument",
      &plain,
      { "repo", "view" },
      "ghe.example.com x/y explicit-repo ghe.example.com -",
      .repo = "ghe.example.com/x/y",
      .run = "repo|view|ghe.example.com/x/y" },
    { "repo edit",
      &plain,
      { "repo", "edit", "--description", "d" },
      "github.com o/r origin github.com -",
      .run = "repo|edit|--description|d|github.com/o/r" },
    { "a value that is missing is not made up",
      &plain,
      { "repo", "edit", "--description" },
      "github.com o/r origin github.com -" },
    { "repo view without a repository",
      &nothing,
      { "repo", "view" },
      "github.com - default github.com -" },
    { "gh-1.6-21 placeholders",
      &plain,
      { "api", "repos/{owner}/{repo}/branches/{branch}" },
      "github.com o/r explicit-repo github.com -",
      .run = "api|repos/o/r/branches/topic/x" },
    { "the older form",
      &plain,
      { "api", "repos/:owner/:repo/issues" },
      "github.com o/r explicit-repo github.com -",
      .run = "api|repos/o/r/issues" },
    { "not inside of words",
      &plain,
      { "api", "x/:repository/{other}" },
      "github.com - origin github.com -" },
    { "gh-1.6-22 placeholders in typed fields",
      &plain,
      { "api", "graphql", "-Fo={owner}", "-f", "r={repo}", "-F", "query=query{viewer{login}}" },
      "github.com - origin github.com -",
      .run = "api|graphql|-Fo=o|-f|r={repo}|-F|query=query{viewer{login}}" },
    { "placeholders of the argument",
      &plain,
      { "api", "repos/{owner}/{repo}" },
      "ghe.example.com x/y explicit-repo ghe.example.com -",
      .repo = "ghe.example.com/x/y",
      .run = "api|repos/x/y" },
    { "gh-1.6-23 no context",
      &nothing,
      { "api", "repos/{owner}/{repo}" },
      "no-repo: No repository: pass repo as [HOST/]OWNER/REPO, or work in a clone whose remote "
      "points to a "
      "known host." },
    { "placeholders for another host",
      &plain,
      { "api", "repos/{owner}/{repo}", "--hostname", "ghe.example.com" },
      "no-repo: No repository: pass repo as [HOST/]OWNER/REPO, or work in a clone whose remote "
      "points to a "
      "known host." },
    { "a host against the repository's",
      &plain,
      { "api", "user", "--hostname", "ghe.example.com" },
      "invalid-args: Invalid arguments: args already name a host.",
      .repo = "github.com/x/y" },
    { "gh-1.7-1 the parent of a fork, for every command",
      &forked,
      { "pr", "view" },
      "github.com parent/r upstream github.com github.com/parent/r" },
    { "gh-1.7-2 resolved",
      &resolved,
      { "pr", "create", "-t", "t", "-b", "b" },
      "github.com parent/r resolved github.com github.com/parent/r" },
    { "gh-1.7-3 pr status",
      &forked,
      { "pr", "status" },
      "github.com parent/r upstream github.com github.com/parent/r" },
    { "gh-1.7-4 pr merge without a number",
      &plain,
      { "pr", "merge", "--squash" },
      "github.com o/r origin github.com github.com/o/r" },
    { "gh-1.7-5 with a number",
      &forked,
      { "pr", "view", "5" },
      "github.com parent/r upstream github.com github.com/parent/r" },
    { "gh-1.7-6 issues",
      &forked,
      { "issue", "create", "-t", "t", "-b", "b" },
      "github.com parent/r upstream github.com github.com/parent/r" },
    { "gh-1.7-7 an argument",
      &forked,
      { "pr", "view" },
      "github.com x/y explicit-repo github.com github.com/x/y",
      .repo = "x/y" },
    { "gh-1.7-8 none of the names",
      &nameless,
      { "pr", "view" },
      "github.com x/r remote github.com github.com/x/r" },
    { "on another host",
      &forked,
      { "pr", "view" },
      "ghe.example.com - explicit-host ghe.example.com -",
      .hostname = "ghe.example.com" },
};

static bool compute(const TargetCase *one, const GhContextSpec *spec, Classified *classified,
                    GhTarget *target, GError **error)
{
    const ClassifyOptions options = { .known_hosts = known_hosts };
    g_auto(GStrv) expanded = NULL;
    g_auto(GStrv) completed = NULL;
    bool has_hostname = spec->hostname != NULL;
    if (!classify_argv(one->argv, &options, classified, error) ||
        !gh_argv_expand(classified, spec, &expanded, error))
        return false;
    if (expanded) {
        classified_clear(classified);
        assert_true(classify_argv((const char *const *)expanded, &options, classified, NULL));
    }
    if (!gh_target_resolve(spec, classified, target, error))
        return false;
    gh_argv_complete(classified, target, has_hostname, &completed);
    if (!completed)
        return true;
    g_auto(Classified) before = *classified;
    *classified = (Classified) { 0 };
    assert_true(classify_argv((const char *const *)completed, &options, classified, NULL));
    return gh_argv_is_complete(&before, classified, target, has_hostname) ||
           fail_with_kind(
               error, GH_KIND_INVALID_ARGS,
               &(GhFacts) { .reason = "args leave no place for the host or repository" });
}

static const char *or_dash(const char *text)
{
    return text != NULL ? text : "-";
}

static void check_case(const TargetCase *one)
{
    g_autoptr(GhClone) clone = make_clone(one->remotes);
    const GhContextSpec spec = {
        .known_hosts = known_hosts,
        .default_host = "github.com",
        .repo = one->repo,
        .hostname = one->hostname,
        .clone = clone,
    };
    g_auto(Classified) classified = { 0 };
    g_auto(GhTarget) target = { 0 };
    g_autoptr(GError) error = NULL;
    bool is_done = compute(one, &spec, &classified, &target, &error);
    const GhContext *context = &target.context;
    g_autofree char *got =
        is_done ? g_strdup_printf("%s %s %s %s %s", context->host, or_dash(context->repo),
                                  gh_source_name(context->source), or_dash(target.env_host),
                                  or_dash(target.env_repo))
                : g_strdup_printf("%s: %s", gh_kind_name(gh_kind_of_error(error)), error->message);
    if (strcmp(got, one->want) != 0)
        fail_msg("%s: got %s, want %s", one->name, got, one->want);
    if (!is_done)
        return;
    g_autofree char *run = g_strjoinv("|", classified.args->argv);
    g_autofree char *given = g_strjoinv("|", (char **)one->argv);
    if (strcmp(run, one->run != NULL ? one->run : given) != 0)
        fail_msg("%s: runs %s", one->name, run);
}

static void test_targets(void **state G_GNUC_UNUSED)
{
    g_unsetenv("GH_HOST");
    g_unsetenv("GH_REPO");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_case(&cases[i]);
}

/* What the person sets outside counts as a repository that was named. */
static void test_environment(void **state G_GNUC_UNUSED)
{
    static const TargetCase with_repo = {
        "gh-1.7-9 GH_REPO is explicit",
        &forked,
        { "pr", "view" },
        "ghe.example.com e/r env-repo ghe.example.com ghe.example.com/e/r"
    };
    static const TargetCase with_host = { "GH_HOST without a clone there",
                                          &forked,
                                          { "pr", "list" },
                                          "ghe.example.com - env-host ghe.example.com -" };
    g_setenv("GH_REPO", "ghe.example.com/e/r", true);
    check_case(&with_repo);
    g_unsetenv("GH_REPO");
    g_setenv("GH_HOST", "ghe.example.com", true);
    check_case(&with_host);
    g_unsetenv("GH_HOST");
}

/* A branch may be called what would be a file to gh. */
static void test_branch_names(void **state G_GNUC_UNUSED)
{
    static const TargetCase one = {
        "gh-14-10 a branch named @file", &plain, { "api", "repos/o/r", "-F", "x={branch}" }, NULL
    };
    g_autoptr(GhClone) clone = make_clone(one.remotes);
    g_free(clone->branch);
    clone->branch = g_strdup("@file");
    const GhContextSpec spec = { .known_hosts = known_hosts,
                                 .default_host = "github.com",
                                 .clone = clone };
    g_auto(Classified) classified = { 0 };
    g_auto(GhTarget) target = { 0 };
    assert_true(compute(&one, &spec, &classified, &target, NULL));
    assert_int_equal(classified.effect, EFFECT_BLOCKED);

    g_clear_pointer(&clone->branch, g_free);
    g_auto(Classified) again = { 0 };
    g_auto(GhTarget) none = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(compute(&one, &spec, &again, &none, &error));
    assert_int_equal(gh_kind_of_error(error), GH_KIND_INVALID_ARGS);
}

/* gh would replace what looks like a placeholder a second time, in what was judged already. */
static void test_branch_like_placeholder(void **state G_GNUC_UNUSED)
{
    static const char *const names[] = { "{owner}", "x/{repo}", "{branch}" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const TargetCase one = {
            names[i], &plain, { "api", "graphql", "-F", "query={a} {branch} {b}" }, NULL
        };
        g_autoptr(GhClone) clone = make_clone(one.remotes);
        g_free(clone->branch);
        clone->branch = g_strdup(names[i]);
        const GhContextSpec spec = { .known_hosts = known_hosts,
                                     .default_host = "github.com",
                                     .clone = clone };
        g_auto(Classified) classified = { 0 };
        g_auto(GhTarget) target = { 0 };
        g_autoptr(GError) error = NULL;
        assert_false(compute(&one, &spec, &classified, &target, &error));
        assert_int_equal(gh_kind_of_error(error), GH_KIND_INVALID_ARGS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_branch_names),
        cmocka_unit_test(test_branch_like_placeholder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
