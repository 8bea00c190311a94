/*
 * op: pr_checkout, with real git (github-tool §9.6, T81–T100).
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"

#include "base/file.h"
#include "base/worker.h"

#include <sys/stat.h>

#define CHECKOUT                                                                                   \
    "baseRefName,headRefName,headRefOid,headRepository,headRepositoryOwner,isCrossRepository,"     \
    "maintainerCanModify,number,title,url"

static void test_same_repository(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    g_autofree char *want = checkout_text_90(fixture, false);
    git_fixture_reply_90(fixture);

    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}");
    gh_expect_text("github-T81", &result, want);
    gh_expect_argv("github-T81", fixture->gh, 0, "pr|view|90|--json|" CHECKOUT);
    git_expect_head("github-T81", path, fixture->dst_sha);
    g_autofree char *branch = git_out(path, "symbolic-ref", "HEAD", NULL);
    assert_string_equal(branch, "refs/heads/pr-90");
    const char *const keys[][2] = {
        { "branch.pr-90.remote", "origin" },
        { "branch.pr-90.merge", "refs/heads/fix/dst" },
        { "branch.pr-90.pushRemote", "origin" },
        { "branch.pr-90.ompPrHeadRef", "fix/dst" },
        { "branch.pr-90.ompPrUrl", "https://github.com/harbor/tidepool/pull/90" },
        { "branch.pr-90.ompPrIsCrossRepository", "false" },
        { "branch.pr-90.ompPrMaintainerCanModify", "false" },
        { "branch.pr-90.kedgeLease", fixture->dst_sha },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        git_expect_config("github-T81", fixture->work, keys[i][0], keys[i][1]);

    const json_t *details = result.details;
    assert_string_equal(json_get_text(details, "repo"), "harbor/tidepool");
    assert_string_equal(json_get_text(details, "branch"), "pr-90");
    assert_string_equal(json_get_text(details, "worktreePath"), path);
    assert_string_equal(json_get_text(details, "remote"), "origin");
    assert_string_equal(json_get_text(details, "remoteBranch"), "fix/dst");
    const json_t *checkouts = json_get_array(details, "checkouts");
    assert_int_equal(json_array_size(checkouts), 1);
    g_autofree char *first = json_to_text(json_array_get(checkouts, 0));
    g_autofree char *want_first =
        g_strdup_printf("{\"prNumber\":90,\"url\":\"https://github.com/harbor/tidepool/pull/90\","
                        "\"branch\":\"pr-90\",\"worktreePath\":\"%s\",\"remote\":\"origin\","
                        "\"remoteBranch\":\"fix/dst\",\"reused\":false}",
                        path);
    assert_string_equal(first, want_first);
    assert_string_equal(json_get_text(json_get_path(details, "meta.source"), "value"),
                        "https://github.com/harbor/tidepool/pull/90");
    // the working tree was left alone
    git_expect_head("github-T81", fixture->work, fixture->main_sha);
}

static void test_reuse(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    g_autofree char *first = checkout_text_90(fixture, false);
    g_autofree char *again = checkout_text_90(fixture, true);
    git_fixture_reply_90(fixture);
    checkout_expect("github-T82", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", first);
    git_fixture_reply_90(fixture);
    git_do(fixture->work, "config", "branch.pr-90.ompPrHeadRef", "stale", NULL);
    checkout_expect("github-T82", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", again);
    git_expect_head("github-T82", path, fixture->dst_sha);
    git_expect_config("github-T82", fixture->work, "branch.pr-90.ompPrHeadRef", "fix/dst");
}

static void test_argv(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "github-T83",
          "{\"op\":\"pr_checkout\",\"pr\":\"https://github.com/harbor/tidepool/pull/90\","
          "\"repo\":\"x/y\"}",
          "pr|view|https://github.com/harbor/tidepool/pull/90|--json|" CHECKOUT },
        { "github-T84", "{\"op\":\"pr_checkout\",\"pr\":\"fix/dst\",\"repo\":\"harbor/tidepool\"}",
          "pr|view|fix/dst|--repo|harbor/tidepool|--json|" CHECKOUT },
        { "github-T85", "{\"op\":\"pr_checkout\",\"pr\":[]}", "pr|view|--json|" CHECKOUT },
        { "blank entries", "{\"op\":\"pr_checkout\",\"pr\":[\" \",\"\"]}",
          "pr|view|--json|" CHECKOUT },
        { "trimmed", "{\"op\":\"pr_checkout\",\"pr\":[\" #90 \"]}",
          "pr|view|#90|--json|" CHECKOUT },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GitFixture) fixture = git_fixture_new();
        g_autofree char *pr =
            git_fixture_pr(90, "fix/dst", fixture->dst_sha, false, "null", "null");
        gh_fixture_reply_out(fixture->gh, pr);
        g_autofree char *want = checkout_text_90(fixture, false);
        checkout_expect(cases[i].name, fixture, cases[i].arguments, want);
        gh_expect_argv(cases[i].name, fixture->gh, 0, cases[i].want);
    }
}

static void test_refused_entries(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "github-T21", "{\"op\":\"pr_checkout\",\"pr\":[\"--help\"]}",
          "invalid PR identifier: --help. Pass a PR number, URL, or branch name." },
        { "E39", "{\"op\":\"pr_checkout\",\"pr\":\"https://evil.example/o/r/pull/1\"}",
          "host \"evil.example\" is not a known host; add it to gh.knownHosts" },
        { "E39, http", "{\"op\":\"pr_checkout\",\"pr\":[\"HTTP://u@evil.example:8/o/r/pull/1\"]}",
          "host \"evil.example\" is not a known host; add it to gh.knownHosts" },
        { "no host", "{\"op\":\"pr_checkout\",\"pr\":\"https:///o/r/pull/1\"}",
          "invalid PR identifier: https:///o/r/pull/1. Pass a PR number, URL, or branch name." },
    };
    g_autoptr(GitFixture) fixture = git_fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        checkout_expect_failure(cases[i].name, fixture, cases[i].arguments, cases[i].want);
        gh_expect_calls(cases[i].name, fixture->gh, 0);
    }
}

static void test_branch_elsewhere(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    git_do(fixture->work, "branch", "pr-90", "main", NULL);
    git_fixture_reply_90(fixture);
    g_autofree char *refused =
        g_strdup_printf("local branch pr-90 already exists at %.12s; pass force=true to reset it",
                        fixture->main_sha);
    checkout_expect_failure("github-T86", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}",
                            refused);
    assert_false(git_ok(fixture->work, "config", "--get", "branch.pr-90.remote", NULL));
    assert_false(git_ok(fixture->work, "config", "--get", "branch.pr-90.ompPrHeadRef", NULL));
    assert_false(file_exists(path));

    git_fixture_reply_90(fixture);
    g_autofree char *want = checkout_text_90(fixture, false);
    checkout_expect("github-T87", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\",\"force\":true}",
                    want);
    git_expect_head("github-T87", path, fixture->dst_sha);
}

static void test_branch_there_already(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_do(fixture->work, "fetch", "--quiet", "origin", "fix/dst:refs/heads/pr-90", NULL);
    git_fixture_reply_90(fixture);
    g_autofree char *want = checkout_text_90(fixture, false);
    checkout_expect("github-T88", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", want);
}

static void test_path_taken(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    g_autofree char *want = g_strdup_printf("worktree path already exists: %s", path);
    assert_int_equal(g_mkdir_with_parents(path, 0700), 0);
    git_fixture_reply_90(fixture);
    checkout_expect_failure("github-T89", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", want);

    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("/nowhere/at/all", path), 0);
    git_fixture_reply_90(fixture);
    checkout_expect_failure("dangling link", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}",
                            want);

    // the retry goes on from where the failure left branch and configuration
    assert_int_equal(unlink(path), 0);
    git_fixture_reply_90(fixture);
    g_autofree char *done = checkout_text_90(fixture, false);
    checkout_expect("retry", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", done);
}

static void test_path_registered(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    git_do(fixture->work, "worktree", "add", "--quiet", "-b", "other", path, NULL);
    git_fixture_reply_90(fixture);
    g_autofree char *want = g_strdup_printf("worktree path is already registered: %s", path);
    checkout_expect_failure("E26", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", want);
}

static void test_vanished_worktree(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    g_autofree char *want = checkout_text_90(fixture, false);
    git_fixture_reply_90(fixture);
    checkout_expect("first", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", want);

    assert_true(file_remove_tree(path, NULL));
    git_fixture_reply_90(fixture);
    checkout_expect("pruned", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", want);

    git_do(fixture->work, "worktree", "lock", path, NULL); // prune leaves it
    assert_true(file_remove_tree(path, NULL));
    git_fixture_reply_90(fixture);
    g_autofree char *missing =
        g_strdup_printf("worktree for pr-90 is registered at %s but missing on disk", path);
    checkout_expect_failure("E19", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", missing);
}

static void test_reuse_anywhere(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *other = g_build_filename(fixture->gh->home, ".omp", "wt", "x", NULL);
    git_do(fixture->work, "worktree", "add", "--quiet", "-b", "pr-90", other, NULL);
    git_fixture_reply_90(fixture);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}");
    assert_false(result.is_error);
    assert_string_equal(json_get_text(result.details, "worktreePath"), other);
    assert_true(json_get_bool(json_array_get(json_get_array(result.details, "checkouts"), 0),
                              "reused", false));
}

static void test_batch(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_use_origin(fixture, SSH_ORIGIN);
    g_free(fixture->gh->cwd);
    fixture->gh->cwd = g_strdup(fixture->work);
    git_fixture_alias(SSH_FORK, fixture->fork);
    git_fixture_reply_93(fixture);
    git_fixture_reply_fork(fixture, SSH_FORK, WEB_FORK);
    g_autofree char *alone = checkout_text_93(fixture, "fork-lindq", SSH_FORK, false);
    checkout_expect("first", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}", alone);

    git_fixture_reply_90(fixture);
    git_fixture_reply_93(fixture);
    git_fixture_reply_fork(fixture, SSH_FORK, WEB_FORK);
    g_auto(ToolResult) result = gh_fixture_call(
        fixture->gh,
        "{\"op\":\"pr_checkout\",\"repo\":\"harbor/tidepool\",\"pr\":[\"90\",\" \",\"93\"]}");
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    g_autofree char *second = checkout_text_93(fixture, "fork-lindq", SSH_FORK, true);
    g_autofree char *want = g_strdup_printf(
        "# 2 Pull Request Worktrees (1 checked out, 1 reused)\n\n"
        "# Checked Out Pull Request #90\n\nTitle: Fix DST drift\n"
        "URL: https://github.com/harbor/tidepool/pull/90\nBase: trunk\nHead: fix/dst\n"
        "Local branch: pr-90\nWorktree: %s\nRemote: origin\nRemote URL: " SSH_ORIGIN "\n"
        "Cross repository: false\nMaintainer can modify: false\n\n" CHECKOUT_CREATED
        "\n\n---\n\n%s",
        path, second);
    gh_expect_text("github-T95", &result, want);
    assert_string_equal(json_get_text(result.details, "repo"), "harbor/tidepool");
    assert_int_equal(json_array_size(json_get_array(result.details, "checkouts")), 2);
    assert_null(json_get_path(result.details, "meta.source"));
    assert_null(json_get_text(result.details, "branch"));
}

static void test_batch_failures(void **state G_GNUC_UNUSED)
{
    static const char gone[] =
        "GraphQL: Could not resolve to a PullRequest with the number of 999. "
        "(repository.pullRequest)";
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_reply_90(fixture);
    gh_fixture_reply(
        fixture->gh,
        &(GhReply) { .match = "pr view 99*", .err = gone, .status = 1, .is_repeated = true });
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":[\"90\",\"999\"]}");
    g_autofree char *text = checkout_text_90(fixture, false);
    g_autofree char *want =
        g_strdup_printf("# 1/2 Pull Request Worktrees checked out (1 failed)\n\n"
                        "%s\n\n## Failed\n- 999: %s",
                        text, gone);
    gh_expect_error("github-T96", &result, want);
    assert_int_equal(json_array_size(json_get_array(result.details, "checkouts")), 1);
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    assert_true(file_is_directory(path));

    g_autofree char *all =
        g_strdup_printf("all 2 PR checkouts failed:\n- 998: %s\n- 999: %s", gone, gone);
    checkout_expect_failure("github-T97", fixture,
                            "{\"op\":\"pr_checkout\",\"pr\":[\"998\",\"999\"]}", all);
}

/* The wrapper holds a directory while git changes something; a second one would not get it. */
static const char one_at_a_time[] = "case \"$sub $*\" in\n"
                                    "  fetch*|branch*|push*|*\"worktree add\"*|*\"worktree "
                                    "prune\"*|*\"--replace-all\"*|*\" remote add\"*)\n"
                                    "    mkdir \"$log.busy\" || { echo two >>\"$log\"; exit 70; }\n"
                                    "    echo one >>\"$log.count\"\n"
                                    "    \"$real\" \"$@\"\n"
                                    "    status=$?\n"
                                    "    rmdir \"$log.busy\"\n"
                                    "    exit $status ;;\n"
                                    "esac";

static void test_ten_at_once(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_wrap(fixture, one_at_a_time);
    for (int i = 1; i <= 10; i++) {
        g_autofree char *pr = git_fixture_pr(i, "fix/dst", fixture->dst_sha, false, "null", "null");
        g_autofree char *match = g_strdup_printf("pr view %d *", i);
        gh_fixture_reply(fixture->gh, &(GhReply) { .match = match, .out = pr });
    }
    g_auto(ToolResult) result = gh_fixture_call(
        fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\","
                     "\"8\",\"9\",\"10\"]}");
    g_autofree char *text = tool_result_text(&result);
    if (result.is_error)
        fail_msg("github-T98: %s", text);
    assert_true(str_has_prefix(text, "# 10 Pull Request Worktrees (10 checked out)\n\n"));
    const json_t *checkouts = json_get_array(result.details, "checkouts");
    assert_int_equal(json_array_size(checkouts), 10);
    for (int i = 1; i <= 10; i++) {
        g_autofree char *path = git_fixture_worktree(fixture, i);
        git_expect_head("github-T98", path, fixture->dst_sha);
        assert_int_equal(json_get_int(json_array_get(checkouts, (size_t)i - 1), "prNumber", 0), i);
    }
    g_autofree char *violations = git_fixture_log(fixture);
    assert_string_equal(violations, "");
    g_autofree char *count_path = g_build_filename(fixture->gh->dir, "git-log.count", NULL);
    g_autofree char *count = NULL;
    assert_true(file_read(count_path, 1024 * 1024, &count, NULL, NULL));
    assert_int_equal(strlen(count), 10 * 11 * strlen("one\n")); // fetch, branch, 8 keys, worktree
}

static void test_duplicates(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_reply_90(fixture);
    git_fixture_reply_90(fixture);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":[\"90\",\"90\"]}");
    g_autofree char *text = tool_result_text(&result);
    assert_false(result.is_error);
    assert_true(str_has_prefix(text, "# 2 Pull Request Worktrees (1 checked out, 1 reused)\n\n"));
}

static void test_inside_worktree(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    g_autofree char *first = checkout_text_90(fixture, false);
    git_fixture_reply_90(fixture);
    checkout_expect("github-T99", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", first);

    git_fixture_reply_93(fixture);
    git_fixture_reply_fork(fixture, fixture->fork, WEB_FORK);
    g_auto(ToolResult) result =
        gh_fixture_call_in(fixture->gh, path, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}");
    g_autofree char *want = checkout_text_93(fixture, "fork-lindq", fixture->fork, false);
    gh_expect_text("github-T99", &result, want);
    // and what was configured is there for the main checkout
    git_expect_config("github-T99", fixture->work, "branch.pr-93.pushRemote", "fork-lindq");
}

static void test_outside_git(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_reply_90(fixture);
    g_auto(ToolResult) result = gh_fixture_call_in(fixture->gh, fixture->gh->home,
                                                   "{\"op\":\"pr_checkout\",\"pr\":\"90\"}");
    gh_expect_error("github-T100", &result, "Current git repository is unavailable.");
    gh_expect_calls("github-T100", fixture->gh, 1);
}

/* A pull request that brings a hook along, in a repository whose hooks are files of the tree. */
static char *push_hook_branch(GitFixture *fixture, const char *mark)
{
    const char *work = fixture->work;
    g_autofree char *hooks = g_build_filename(work, ".husky", NULL);
    g_autofree char *hook = g_build_filename(hooks, "post-checkout", NULL);
    g_autofree char *script = g_strdup_printf("#!/bin/sh\ntouch '%s'\n", mark);
    git_do(work, "checkout", "--quiet", "-b", "evil", NULL);
    assert_int_equal(mkdir(hooks, 0700), 0);
    assert_true(g_file_set_contents(hook, script, -1, NULL));
    assert_int_equal(chmod(hook, 0755), 0);
    git_do(work, "add", ".husky", NULL);
    g_autofree char *sha = git_commit(work, "hook");
    git_do(work, "push", "--quiet", "origin", "evil", NULL);
    git_do(work, "checkout", "--quiet", "main", NULL);
    git_do(work, "config", "core.hooksPath", ".husky", NULL);
    return g_steal_pointer(&sha);
}

/* Neither its own checkout runs the hook, nor a checkout that is asked for from its worktree. */
static void test_foreign_hooks(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *mark = g_build_filename(fixture->gh->dir, "hook-ran", NULL);
    g_autofree char *sha = push_hook_branch(fixture, mark);
    g_autofree char *pr = git_fixture_pr(91, "evil", sha, false, "null", "null");
    gh_fixture_reply(fixture->gh, &(GhReply) { .match = "pr view 91 *", .out = pr });
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"91\"}");
    assert_false(result.is_error);
    g_autofree char *path = git_fixture_worktree(fixture, 91);
    g_autofree char *brought = g_build_filename(path, ".husky", "post-checkout", NULL);
    assert_true(file_exists(brought));
    assert_false(file_exists(mark));

    git_fixture_reply_90(fixture);
    g_auto(ToolResult) next =
        gh_fixture_call_in(fixture->gh, path, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}");
    g_autofree char *want = checkout_text_90(fixture, false);
    gh_expect_text("from its worktree", &next, want);
    assert_false(file_exists(mark));
}

static void fire_later(void *data)
{
    const GitFixture *fixture = data;
    while (gh_fixture_call_count(fixture->gh) < 2)
        g_usleep(10 * 1000);
    cancel_fire(fixture->gh->cancel);
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_reply_90(fixture);
    gh_fixture_reply(fixture->gh,
                     &(GhReply) { .match = "pr view 93 *", .out = "{}", .sleep_s = 60 });
    Worker *worker = worker_start("fire", fire_later, fixture);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":[\"90\",\"93\"]}");
    worker_join(worker);
    gh_expect_error("cancel", &result, "Operation aborted");
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_repository),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_argv),
        cmocka_unit_test(test_refused_entries),
        cmocka_unit_test(test_branch_elsewhere),
        cmocka_unit_test(test_branch_there_already),
        cmocka_unit_test(test_path_taken),
        cmocka_unit_test(test_path_registered),
        cmocka_unit_test(test_vanished_worktree),
        cmocka_unit_test(test_reuse_anywhere),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_batch_failures),
        cmocka_unit_test(test_ten_at_once),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_inside_worktree),
        cmocka_unit_test(test_outside_git),
        cmocka_unit_test(test_foreign_hooks),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
