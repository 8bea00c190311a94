/*
 * op: pr_checkout where the head is gone, elsewhere or ahead of us, and worktrees that are there
 * already (github-tool §9.6, T94, T167–T173). Real git.
 */
#include "unit.h"

#include "git_fixture.h"

#include "base/file.h"

#define CHECKOUT_90 "{\"op\":\"pr_checkout\",\"pr\":\"90\"}"
#define FORCE_90    "{\"op\":\"pr_checkout\",\"pr\":\"90\",\"force\":true}"

static void reply(GitFixture *fixture, int number, const char *oid, bool is_cross)
{
    g_autofree char *pr = git_fixture_pr(number, "fix/dst", oid, is_cross, "null", "null");
    gh_fixture_reply(fixture->gh, &(GhReply) { .match = "pr view *", .out = pr });
}

static char *result_text(const ToolResult *result)
{
    return tool_result_text(result);
}

static void expect_part(const char *name, const ToolResult *result, bool is_error, const char *part)
{
    g_autofree char *text = result_text(result);
    if (result->is_error != is_error || !strstr(text, part))
        fail_msg("%s: '%s' is not in\n%s", name, part, text);
}

static void set_pull_ref(GitFixture *fixture, int number, const char *commit)
{
    g_autofree char *ref = g_strdup_printf("refs/pull/%d/head", number);
    if (commit)
        git_do(fixture->origin, "update-ref", ref, commit, NULL);
    else
        git_do(fixture->origin, "update-ref", "-d", ref, NULL);
}

static void expect_no_push_target(const char *name, GitFixture *fixture, int number)
{
    g_autofree char *branch = g_strdup_printf("branch.pr-%d", number);
    g_autofree char *target = g_strconcat(branch, ".kedgePushTarget", NULL);
    git_expect_config(name, fixture->work, target, "none");
    static const char *const absent[] = { "pushRemote", "ompPrHeadRef", "kedgeLease" };
    for (size_t i = 0; i < G_N_ELEMENTS(absent); i++) {
        g_autofree char *key = g_strconcat(branch, ".", absent[i], NULL);
        assert_false(git_ok(fixture->work, "config", "--get", key, NULL));
    }
    g_autofree char *arguments =
        g_strdup_printf("{\"op\":\"pr_push\",\"branch\":\"pr-%d\"}", number);
    g_autofree char *want = g_strdup_printf(
        "branch pr-%d has no push target: the head branch of its pull request is gone. Push it "
        "under a name of your own with git, and open a new pull request.",
        number);
    g_auto(ToolResult) pushed = gh_fixture_call(fixture->gh, arguments);
    gh_expect_error(name, &pushed, want);
}

static void test_deleted_fork(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    reply(fixture, 94, fixture->dst_sha, true);
    checkout_expect_failure("github-T94", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"94\"}",
                            "head repository must not be empty");
    set_pull_ref(fixture, 94, fixture->dst_sha);
    reply(fixture, 94, fixture->dst_sha, true);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"94\"}");
    expect_part("github-T94", &result, false,
                "\n\nCreated a dedicated worktree for this PR from refs/pull/94/head. Its head "
                "branch is gone, so there is nothing to push to.");
    g_autofree char *path = git_fixture_worktree(fixture, 94);
    git_expect_head("github-T94", path, fixture->dst_sha);
    expect_no_push_target("github-T94", fixture, 94);

    // gh says that the fork is not there
    git_fixture_reply_93(fixture);
    gh_fixture_reply(fixture->gh, &(GhReply) { .match = "repo view *",
                                               .err = "GraphQL: Could not resolve to a Repository",
                                               .status = 1 });
    git_do(fixture->origin, "fetch", "--quiet", fixture->fork, "moon:refs/pull/93/head", NULL);
    g_auto(ToolResult) gone =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}");
    expect_part("fork not found", &gone, false, "from refs/pull/93/head");
}

static void test_deleted_branch(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    set_pull_ref(fixture, 90, fixture->dst_sha);
    git_do(fixture->origin, "update-ref", "-d", "refs/heads/fix/dst", NULL);
    git_fixture_reply_90(fixture);
    g_auto(ToolResult) result = gh_fixture_call(fixture->gh, CHECKOUT_90);
    expect_part("github-T167", &result, false, "\nHead: fix/dst (gone)\n");
    expect_part("github-T167", &result, false, "from refs/pull/90/head. Its head branch is gone");
    expect_no_push_target("github-T167", fixture, 90);
    git_fixture_reply_90(fixture);
    g_auto(ToolResult) again = gh_fixture_call(fixture->gh, CHECKOUT_90);
    expect_part("reused", &again, false,
                "Reused the existing PR worktree. The PR's head branch is gone, so there is "
                "nothing to push to.");

    // the branch is back
    git_do(fixture->origin, "update-ref", "refs/heads/fix/dst", fixture->dst_sha, NULL);
    git_fixture_reply_90(fixture);
    g_auto(ToolResult) back = gh_fixture_call(fixture->gh, CHECKOUT_90);
    expect_part("back", &back, false, "\nHead: fix/dst\n");
    assert_false(git_ok(fixture->work, "config", "--get", "branch.pr-90.kedgePushTarget", NULL));
    git_expect_config("back", fixture->work, "branch.pr-90.kedgeLease", fixture->dst_sha);
}

static void test_branch_moved(void **state G_GNUC_UNUSED)
{
    { // somebody pushed between the question and the fetch
        g_autoptr(GitFixture) fixture = git_fixture_new();
        reply(fixture, 90, fixture->main_sha, false);
        git_fixture_reply_90(fixture);
        g_auto(ToolResult) result = gh_fixture_call(fixture->gh, CHECKOUT_90);
        assert_false(result.is_error);
        g_autofree char *path = git_fixture_worktree(fixture, 90);
        git_expect_head("github-T168", path, fixture->dst_sha);
        git_expect_config("github-T168", fixture->work, "branch.pr-90.kedgeLease",
                          fixture->dst_sha);
    }
    { // the branch is another one by now, the pull ref is the head
        g_autoptr(GitFixture) fixture = git_fixture_new();
        set_pull_ref(fixture, 90, fixture->main_sha);
        reply(fixture, 90, fixture->main_sha, false);
        reply(fixture, 90, fixture->main_sha, false);
        g_auto(ToolResult) result = gh_fixture_call(fixture->gh, CHECKOUT_90);
        expect_part("github-T168", &result, false, "from refs/pull/90/head");
        expect_no_push_target("github-T168", fixture, 90);
    }
    { // neither is
        g_autoptr(GitFixture) fixture = git_fixture_new();
        set_pull_ref(fixture, 90, fixture->dst_sha);
        reply(fixture, 90, fixture->main_sha, false);
        reply(fixture, 90, fixture->main_sha, false);
        g_autofree char *want = g_strdup_printf("refs/pull/90/head of origin is at %.12s, but the "
                                                "head of pull request #90 is %.12s",
                                                fixture->dst_sha, fixture->main_sha);
        checkout_expect_failure("github-T168", fixture, CHECKOUT_90, want);
        assert_false(git_ok(fixture->work, "rev-parse", "--verify", "refs/heads/pr-90", NULL));
        assert_false(git_ok(fixture->work, "config", "--get", "branch.pr-90.remote", NULL));
    }
}

static void write_text(const char *dir, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* The state of T171: a commit of its own, a head that is one further, one file changed, one new. */
static char *diverged(GitFixture *fixture, char **ret_own, char **ret_head)
{
    char *path = git_fixture_worktree(fixture, 90);
    git_fixture_reply_90(fixture);
    g_auto(ToolResult) first = gh_fixture_call(fixture->gh, CHECKOUT_90);
    assert_false(first.is_error);
    write_text(path, "a.c", "one\n");
    git_do(path, "add", "a.c", NULL);
    *ret_own = git_commit(path, "own");
    git_do(fixture->work, "checkout", "--quiet", "-b", "theirs", fixture->dst_sha, NULL);
    *ret_head = git_commit(fixture->work, "their work");
    git_do(fixture->work, "push", "--quiet", "origin", "theirs:refs/heads/fix/dst", NULL);
    git_do(fixture->work, "checkout", "--quiet", "main", NULL);
    write_text(path, "a.c", "two\n");
    write_text(path, "b.c", "new\n");
    return path;
}

static void test_existing_worktree(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *own = NULL, *head = NULL;
    g_autofree char *path = diverged(fixture, &own, &head);
    reply(fixture, 90, head, false);
    g_auto(ToolResult) looked = gh_fixture_call(fixture->gh, CHECKOUT_90);
    expect_part("github-T171", &looked, false,
                "\nCompared with PR head: 1 ahead, 1 behind\n"
                "Worktree state: dirty (1 changed, 1 untracked)\n\n"
                "Reused the existing PR worktree. It was not moved: merge or rebase there, or pass "
                "force=true to reset it (only a clean worktree is reset).");
    git_expect_head("github-T171", path, own);
    git_expect_config("github-T171", fixture->work, "branch.pr-90.kedgeLease", fixture->dst_sha);

    reply(fixture, 90, head, false);
    g_autofree char *dirty = g_strdup_printf(
        "worktree of pr-90 at %s was not reset: 1 changed, 1 untracked: a.c, b.c", path);
    checkout_expect_failure("github-T172", fixture, FORCE_90, dirty);
    git_expect_head("github-T172", path, own);
    git_expect_config("github-T172", fixture->work, "branch.pr-90.kedgeLease", fixture->dst_sha);

    git_do(path, "checkout", "--quiet", "--", "a.c", NULL);
    g_autofree char *added = g_build_filename(path, "b.c", NULL);
    assert_int_equal(unlink(added), 0);
    reply(fixture, 90, head, false);
    g_auto(ToolResult) reset = gh_fixture_call(fixture->gh, FORCE_90);
    g_autofree char *line =
        g_strdup_printf("Compared with PR head: up to date\nWorktree state: clean\n\n"
                        "Reset the existing PR worktree from %.12s to the PR head %.12s; the old "
                        "commits are in the reflog of pr-90.",
                        own, head);
    expect_part("github-T172", &reset, false, line);
    git_expect_head("github-T172", path, head);
    git_expect_config("github-T172", fixture->work, "branch.pr-90.kedgeLease", head);
}

static void test_operation_in_progress(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *own = NULL, *head = NULL;
    g_autofree char *path = diverged(fixture, &own, &head);
    g_autofree char *added = g_build_filename(path, "b.c", NULL);
    assert_int_equal(unlink(added), 0);
    git_do(path, "checkout", "--quiet", "--", "a.c", NULL);
    git_ok(path, "-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-i", "HEAD~1", NULL);
    reply(fixture, 90, head, false);
    // HEAD is detached while it lasts
    g_autofree char *want =
        g_strdup_printf("worktree of pr-90 at %s was not reset: rebase in progress", path);
    checkout_expect_failure("github-T172", fixture, FORCE_90, want);
    git_expect_head("github-T172", path, own);
}

static void test_doubles(void **state G_GNUC_UNUSED)
{
    g_autofree char *first = NULL;
    for (int i = 0; i < 4; i++) {
        g_autoptr(GitFixture) fixture = git_fixture_new();
        g_autofree char *pr_90 =
            git_fixture_pr(90, "fix/dst", fixture->dst_sha, false, "null", "null");
        g_autofree char *pr_93 =
            git_fixture_pr(93, "fix/dst", fixture->dst_sha, false, "null", "null");
        gh_fixture_reply(
            fixture->gh,
            &(GhReply) { .match = "pr view *90 *", .out = pr_90, .is_repeated = true });
        gh_fixture_reply(fixture->gh, &(GhReply) { .match = "pr view 93 *", .out = pr_93 });
        g_auto(ToolResult) result =
            gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":[\"90\","
                                         "\"https://github.com/harbor/tidepool/pull/90\",\"93\"]}");
        expect_part("github-T173", &result, false,
                    "# 3 Pull Request Worktrees (2 checked out, 1 reused)\n\n");
        expect_part("github-T173", &result, false,
                    "\n\nNamed before in this call (90).\n\n---\n\n");
        assert_int_equal(json_array_size(json_get_array(result.details, "checkouts")), 3);
        g_autofree char *text = result_text(&result);
        g_auto(GStrv) parts = g_strsplit(text, fixture->gh->dir, -1);
        g_autofree char *encoded = g_strdelimit(g_strdup(fixture->gh->dir + 1), "/", '-');
        g_autofree char *joined = g_strjoinv("", parts);
        g_auto(GStrv) more = g_strsplit(joined, encoded, -1);
        g_autofree char *plain = g_strjoinv("", more);
        if (!first)
            first = g_steal_pointer(&plain);
        else
            assert_string_equal(plain, first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deleted_fork),          cmocka_unit_test(test_deleted_branch),
        cmocka_unit_test(test_branch_moved),          cmocka_unit_test(test_existing_worktree),
        cmocka_unit_test(test_operation_in_progress), cmocka_unit_test(test_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
