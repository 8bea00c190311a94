/*
 * op: pr_push, with real git (github-tool §9.6, T101–T105).
 */
#include "unit.h"

#include "git_fixture.h"

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
    expect_log("github-T101", fixture, "push|--end-of-options|fork-lindq|HEAD:refs/heads/moon\n");
    g_autofree char *there = git_out(fixture->fork, "rev-parse", "refs/heads/moon", NULL);
    assert_string_equal(there, sha);
    gh_expect_calls("github-T101", fixture->gh, 0);
    g_autofree char *details = json_to_text(result.details);
    assert_string_equal(details, "{\"branch\":\"pr-93\",\"remote\":\"fork-lindq\","
                                 "\"remoteBranch\":\"moon\",\"meta\":{\"source\":{\"type\":\"url\","
                                 "\"value\":\"https://github.com/harbor/tidepool/pull/93\"}}}");
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
    expect_log("github-T102", fixture,
               "push|--end-of-options|fork-lindq|refs/heads/pr-93:refs/heads/moon\n"
               "push|--force-with-lease|--end-of-options|fork-lindq|"
               "refs/heads/pr-93:refs/heads/moon\n");
    g_autofree char *there = git_out(fixture->fork, "rev-parse", "refs/heads/moon", NULL);
    assert_string_equal(there, sha);
}

/* The lease is what the last fetch saw: a commit of somebody else stops the push. */
static void test_lease_holds(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    git_do(fixture->work, "push", "--quiet", "--force", fixture->fork, "main:refs/heads/moon",
           NULL);
    g_auto(ToolResult) result = gh_fixture_call(
        fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\",\"forceWithLease\":true}");
    g_autofree char *text = tool_result_text(&result);
    assert_true(result.is_error);
    assert_non_null(strstr(text, "stale info"));
    g_autofree char *there = git_out(fixture->fork, "rev-parse", "refs/heads/moon", NULL);
    assert_string_equal(there, fixture->main_sha);
}

static void test_detached(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = checked_out();
    git_do(fixture->work, "checkout", "--quiet", "--detach", NULL);
    g_auto(ToolResult) named =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_push\",\"branch\":\"pr-93\"}");
    g_autofree char *want = push_text(false);
    gh_expect_text("detached, named", &named, want);
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
    g_autofree char *want = push_text(false);
    gh_expect_text("remote", &result, want);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_head),         cmocka_unit_test(test_push_other_branch),
        cmocka_unit_test(test_lease_holds),       cmocka_unit_test(test_detached),
        cmocka_unit_test(test_remote_falls_back), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
