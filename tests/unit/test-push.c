/*
 * op: pr_push, with real git (github-tool §9.6, T101–T105, T170, T174–T176, T178).
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"

#include "github/view_cache.h"

#include <sys/stat.h>

#define FORK "git@github.com:lindq/tidepool.git"

/* The state of T91: pull request 93 checked out from the fork, pushes logged. */
static GitFixture *checked_out(void)
{
    GitFixture *self = git_fixture_new();
    git_fixture_alias(FORK, self->fork);
    git_fixture_reply_93(self);
    git_fixture_reply_fork(self, FORK, "https://github.com/lindq/tidepool");
    g_auto(ToolResult) result = gh_fixture_call(self->gh, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}");
    g_autofree char *text = tool_result_text(&result);
    if (result.is_error)
        fail_msg("checkout: %s", text);
    gh_fixture_reset(self->gh);
    git_fixture_wrap(
        self, "if [ $sub = push ]; then\n"
              "  { printf '%s|' \"$@\"; echo; } | sed 's/.*|push|/push|/; s/|$//' >>\"$log\"\n"
              "fi");
    return self;
}

static void expect_log(const char *name, const GitFixture *fixture, const char *want)
{
    g_autofree char *log = git_fixture_log(fixture);
    if (strcmp(log, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, log, want);
}

static char *push_text(bool has_lease)
{
    return g_strdup_printf("# Pushed Pull Request Branch\n\n"
                           "Local branch: pr-93\nRemote: fork-lindq\nRemote branch: moon\n"
                           "Remote URL: " FORK "\n"
                           "PR: https://github.com/harbor/tidepool/pull/93\n"
                           "Force with lease: %s\n\n"
                           "Pushed pr-93 to fork-lindq:moon.",
                           has_lease ? "true" : "false");
}

static void test_push_head(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    g_autofree char *path = git_fixture_worktree(fixture, 93);
    g_autofree char *sha = git_commit(path, "more moon");
    g_auto(ToolResult) result = gh_fixture_call_in(fixture->gh, path, "{\"op\":\"pr_push\"}");
    g_autofree char *want = push_text(false);
    gh_expect_text("github-T101", &result, want);
    expect_log("github-T101", fixture,
               "push|--porcelain|--end-of-options|fork-lindq|HEAD:refs/heads/moon\n");
    g_autofree char *there = git_out(fixture->fork, "rev-parse", "refs/heads/moon", NULL);
    assert_string_equal(there, sha);
    gh_expect_calls("github-T101", fixture->gh, 0);
    g_autofree char *details = json_to_text(result.details);
    assert_string_equal(details, "{\"branch\":\"pr-93\",\"remote\":\"fork-lindq\","
                                 "\"remoteBranch\":\"moon\",\"meta\":{\"source\":{\"type\":\"url\","
                                 "\"value\":\"https://github.com/harbor/tidepool/pull/93\"}}}");
}

static bool is_kept(ViewCache *cache, const char *repo, const char *kind, int64_t number)
{
    const ViewKey key = { .auth_key = "k", .repo = repo, .kind = kind, .number = number };
    g_auto(ViewRow) row = { 0 };
    return view_cache_read(cache, &key, NULL, &row);
}

static void keep(ViewCache *cache, const char *repo, const char *kind, int64_t number)
{
    const ViewKey key = { .auth_key = "k", .repo = repo, .kind = kind, .number = number };
    g_autoptr(json_t) payload = json_object();
    view_cache_write(cache, &key, &(ViewRow) { .payload = payload, .rendered = (char *)"x" }, NULL);
    assert_true(is_kept(cache, repo, kind, number));
}

static void test_views_are_forgotten(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    g_autofree char *path = git_fixture_worktree(fixture, 93);
    g_autoptr(ToolContext) context = tool_context_new(path, fixture->gh->settings, NULL);
    ViewCache *cache = view_cache_of(context);
    keep(cache, "harbor/tidepool", "pr", 93);
    keep(cache, "harbor/tidepool", "pr-diff", 93);
    keep(cache, "harbor/tidepool", "issue", 93);
    keep(cache, "harbor/tidepool", "pr", 94);
    keep(cache, "lindq/tidepool", "pr", 93);

    g_free(git_commit(path, "more moon"));
    g_auto(ToolResult) result = gh_fixture_call_in(fixture->gh, path, "{\"op\":\"pr_push\"}");
    assert_false(result.is_error);
    assert_false(is_kept(cache, "harbor/tidepool", "pr", 93)); // github-T161
    assert_false(is_kept(cache, "harbor/tidepool", "pr-diff", 93));
    assert_false(is_kept(cache, "harbor/tidepool", "issue", 93));
    assert_true(is_kept(cache, "harbor/tidepool", "pr", 94));
    assert_true(is_kept(cache, "lindq/tidepool", "pr", 93));
}

static void test_push_other_branch(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    g_autofree char *path = git_fixture_worktree(fixture, 93);
    git_do(path, "commit", "--quiet", "--amend", "--allow-empty", "-m", "moon again", NULL);
    g_autofree char *sha = git_out(path, "rev-parse", "HEAD", NULL);

    // history was rewritten: without a lease git refuses, and its words are the error
    g_auto(ToolResult) refused =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    g_autofree char *text = tool_result_text(&refused);
    assert_true(refused.is_error);
    assert_non_null(strstr(text, "non-fast-forward"));

    g_auto(ToolResult) result = gh_fixture_call(
        fixture->gh, "{\"op\":\"pr_push\",\"branch\":\" pr-93 \",\"forceWithLease\":true}");
    g_autofree char *want = push_text(true);
    gh_expect_text("github-T102", &result, want);
    g_autofree char *log = g_strdup_printf(
        "push|--porcelain|--end-of-options|fork-lindq|refs/heads/pr-93:refs/heads/moon\n"
        "push|--porcelain|--force-with-lease=refs/heads/moon:%s|--end-of-options|fork-lindq|"
        "refs/heads/pr-93:refs/heads/moon\n",
        fixture->moon_sha);
    expect_log("github-T102", fixture, log);
    git_expect_config("github-T102", fixture->work, "branch.pr-93.kedgeLease", sha);
    g_autofree char *there = git_out(fixture->fork, "rev-parse", "refs/heads/moon", NULL);
    assert_string_equal(there, sha);
}

static char *moved_text(const char *there, const char *lease)
{
    return g_strdup_printf("fork-lindq:moon is at %.12s, not at %.12s as of the last checkout or "
                           "push. Nothing was pushed. Run pr_checkout for this pull request again "
                           "and take in its commits first.",
                           there, lease);
}

/* A commit of somebody else stops the push, and looking again does not make it ours. */
static void test_lease_is_pinned(void **state G_GNUC_UNUSED)
{
    static const char arguments[] =
        "{\"op\":\"pr_push\",\"branch\":\"pr-93\",\"forceWithLease\":true}";
    g_autoptr(GitFixture) fixture = checked_out();
    g_autofree char *path = git_fixture_worktree(fixture, 93);
    g_autofree char *own G_GNUC_UNUSED = git_commit(path, "our own");
    git_do(fixture->work, "fetch", "--quiet", fixture->fork, "moon:theirs", NULL);
    git_do(fixture->work, "checkout", "--quiet", "theirs", NULL);
    g_autofree char *theirs = git_commit(fixture->work, "their work");
    git_do(fixture->work, "push", "--quiet", fixture->fork, "theirs:refs/heads/moon", NULL);
    git_do(fixture->work, "checkout", "--quiet", "main", NULL);

    g_autofree char *want = moved_text(theirs, fixture->moon_sha);
    g_auto(ToolResult) refused = gh_fixture_call(fixture->gh, arguments);
    gh_expect_error("github-T175", &refused, want);

    // the remote-tracking ref now is their commit: git's own lease would let the push through
    g_autofree char *pr = git_fixture_pr(93, "moon", theirs, true, "{\"login\":\"lindq\"}",
                                         "{\"id\":\"R_2\",\"name\":\"tidepool\"}");
    gh_fixture_reply(fixture->gh, &(GhReply) { .match = "pr view 93 *", .out = pr });
    git_fixture_reply_fork(fixture, FORK, "https://github.com/lindq/tidepool");
    g_auto(ToolResult) looked =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}");
    assert_false(looked.is_error);
    git_expect_config("github-T175", fixture->work, "branch.pr-93.kedgeLease", fixture->moon_sha);
    g_auto(ToolResult) again = gh_fixture_call(fixture->gh, arguments);
    gh_expect_error("github-T175", &again, want);
    g_autofree char *there = git_out(fixture->fork, "rev-parse", "refs/heads/moon", NULL);
    assert_string_equal(there, theirs);

    // without a record of ours: what was fetched last; without that, nothing to go by
    git_do(fixture->work, "config", "--unset", "branch.pr-93.kedgeLease", NULL);
    git_do(fixture->work, "update-ref", "-d", "refs/remotes/fork-lindq/moon", NULL);
    g_auto(ToolResult) unknown = gh_fixture_call(fixture->gh, arguments);
    gh_expect_error("E44", &unknown,
                    "branch pr-93 has no recorded lease; run op: pr_checkout for its pull request "
                    "first");
}

static void test_up_to_date(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    g_autofree char *path = git_fixture_worktree(fixture, 93);
    g_autofree char *sha = git_commit(path, "more moon");
    g_auto(ToolResult) first =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    assert_false(first.is_error);
    git_expect_config("github-T174", fixture->work, "branch.pr-93.kedgeLease", sha);
    g_autofree char *text = push_text(false);
    *strstr(text, "Pushed pr-93 to") = '\0';
    g_autofree char *want = g_strdup_printf(
        "%sAlready up to date: fork-lindq:moon is at %.12s. Nothing was pushed.", text, sha);
    g_auto(ToolResult) second =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    gh_expect_text("github-T174", &second, want);

    g_autofree char *edited = g_build_filename(path, "a.c", NULL);
    g_autofree char *added = g_build_filename(path, "b\nc", NULL);
    assert_true(g_file_set_contents(edited, "x", -1, NULL));
    assert_true(g_file_set_contents(added, "x", -1, NULL));
    git_do(path, "add", "a.c", NULL);
    g_autofree char *more =
        g_strdup_printf("%s\nNot pushed: 2 uncommitted changes in %s: a.c, b?c.", want, path);
    g_auto(ToolResult) third =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    gh_expect_text("github-T174", &third, more);
}

static void write_hook(const char *dir, const char *log)
{
    g_autofree char *hooks = g_build_filename(dir, ".husky", NULL);
    g_autofree char *hook = g_build_filename(hooks, "pre-push", NULL);
    g_autofree char *text = g_strdup_printf("#!/bin/sh\necho '%s' >>'%s'\n", dir, log);
    assert_int_equal(g_mkdir_with_parents(hooks, 0700), 0);
    assert_true(g_file_set_contents(hook, text, -1, NULL));
    assert_int_equal(chmod(hook, 0755), 0);
}

static void test_hooks_of_the_primary_root(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    g_autofree char *path = git_fixture_worktree(fixture, 93);
    g_autofree char *log = g_build_filename(fixture->gh->dir, "hook-log", NULL);
    git_do(fixture->work, "config", "core.hooksPath", ".husky", NULL);
    write_hook(fixture->work, log);
    write_hook(path, log);
    g_autofree char *sha G_GNUC_UNUSED = git_commit(path, "more moon");
    g_auto(ToolResult) result = gh_fixture_call_in(fixture->gh, path, "{\"op\":\"pr_push\"}");
    assert_false(result.is_error);
    g_autofree char *ran = NULL;
    assert_true(g_file_get_contents(log, &ran, NULL, NULL));
    g_autofree char *want = g_strconcat(fixture->work, "\n", NULL);
    assert_string_equal(ran, want);
}

static void test_closed_fork(void **state G_GNUC_UNUSED)
{
    static const char warning[] =
        "\nWarning: this PR comes from a fork that does not allow edits by maintainers; a push "
        "will work only for somebody who may write to the fork.";
    g_autoptr(GitFixture) fixture = checked_out();
    git_do(fixture->work, "config", "branch.pr-93.ompPrMaintainerCanModify", "false", NULL);
    g_auto(ToolResult) done =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    g_autofree char *text = tool_result_text(&done);
    assert_false(done.is_error);
    assert_true(g_str_has_suffix(text, warning));

    g_autofree char *path = git_fixture_worktree(fixture, 93);
    g_autofree char *sha G_GNUC_UNUSED = git_commit(path, "more moon");
    git_do(fixture->fork, "config", "receive.denyCurrentBranch", "refuse", NULL);
    git_do(fixture->fork, "symbolic-ref", "HEAD", "refs/heads/moon", NULL);
    git_do(fixture->fork, "config", "core.bare", "false", NULL);
    g_auto(ToolResult) refused =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    g_autofree char *words = tool_result_text(&refused);
    assert_true(refused.is_error);
    assert_non_null(strstr(words, "rejected"));
    if (!g_str_has_suffix(words, warning))
        fail_msg("github-T170: %s", words);
}

static void test_detached(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    git_do(fixture->work, "checkout", "--quiet", "--detach", NULL);
    g_auto(ToolResult) named =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    assert_false(named.is_error);
    g_auto(ToolResult) unnamed = gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\"}");
    gh_expect_error("detached, unnamed", &unnamed,
                    "Current git branch is unavailable. Pass `branch` or `run` explicitly.");
}

static void test_remote_falls_back(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    git_do(fixture->work, "config", "branch.pr-93.pushRemote", "", NULL);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    assert_false(result.is_error);
    assert_string_equal(json_get_text(result.details, "remote"), "fork-lindq");
}

/* The policy of a host counts for every URL that leads git there; of several URLs it knows one. */
static void test_places(void **state G_GNUC_UNUSED)
{
    static const char settings[] = "{\"gh\":{\"hostPolicy\":{\"ghe.example.com\":\"read-only\"}}}";
    static const struct {
        const char *name, *url, *want;
    } cases[] = {
        { "a repository", "https://ghe.example.com/team/r", "for ghe.example.com" },
        { "an escaped name", "https://ghe.example.com/team/%72", "for ghe.example.com" },
        { "a helper", "https::https://ghe.example.com/team/r", "for ghe.example.com" },
        { "several", FORK, "remote fork-lindq pushes to several URLs" },
    };
    g_autoptr(GitFixture) fixture = checked_out();
    g_autoptr(json_t) overrides = json_loads(settings, 0, NULL);
    settings_unref(fixture->gh->settings);
    fixture->gh->settings = settings_new(overrides);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool is_last = i + 1 == G_N_ELEMENTS(cases);
        git_do(fixture->work, "config", is_last ? "--add" : "--replace-all",
               "remote.fork-lindq.pushurl", cases[i].url, NULL);
        g_auto(ToolResult) result =
            gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
        g_autofree char *text = tool_result_text(&result);
        if (!result.is_error || !strstr(text, cases[i].want))
            fail_msg("%s: %s", cases[i].name, text);
    }
    git_do(fixture->work, "config", "branch.pr-93.pushRemote", cases[0].url, NULL);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    gh_expect_error("a URL in place of a name", &result,
                    "there is no remote https://ghe.example.com/team/r. Nothing was pushed.");
    expect_log("places", fixture, "");
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    git_do(fixture->work, "config", "--unset", "branch.pr-93.pushRemote", NULL);
    git_do(fixture->work, "config", "--unset", "branch.pr-93.remote", NULL);
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "github-T103", "{\"op\":\"pr_push\",\"branch\":\"nope\"}",
          "local branch nope does not exist" },
        { "option", "{\"op\":\"pr_push\",\"branch\":\"--all\"}",
          "local branch --all does not exist" },
        { "two refs", "{\"op\":\"pr_push\",\"branch\":\"main:x\"}",
          "local branch main:x does not exist" },
        { "github-T104", "{\"op\":\"pr_push\",\"branch\":\"main\"}",
          "branch main has no PR push metadata; check it out via op: pr_checkout first" },
        { "github-T105", "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}",
          "branch pr-93 has no configured push remote" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = gh_fixture_call(fixture->gh, cases[i].arguments);
        gh_expect_error(cases[i].name, &result, cases[i].want);
    }
    expect_log("errors", fixture, "");
    g_auto(ToolResult) outside =
        gh_fixture_call_in(fixture->gh, fixture->gh->home, "{\"op\":\"pr_push\"}");
    gh_expect_error("E15", &outside, "Current git repository is unavailable.");
}

/* git's own reason is passed on: it says what to do. */
static void test_repository_of_another_user(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    g_setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", true); // git's word for its own tests
    g_auto(ToolResult) result = gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\"}");
    g_unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
    g_autofree char *text = tool_result_text(&result);
    if (!result.is_error ||
        !str_has_prefix(text, "Current git repository is unavailable: fatal: detected dubious "
                              "ownership in repository at"))
        fail_msg("github-T178: %s", text);
    expect_log("github-T178", fixture, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_head),
        cmocka_unit_test(test_views_are_forgotten),
        cmocka_unit_test(test_push_other_branch),
        cmocka_unit_test(test_lease_is_pinned),
        cmocka_unit_test(test_up_to_date),
        cmocka_unit_test(test_hooks_of_the_primary_root),
        cmocka_unit_test(test_closed_fork),
        cmocka_unit_test(test_detached),
        cmocka_unit_test(test_remote_falls_back),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_repository_of_another_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
