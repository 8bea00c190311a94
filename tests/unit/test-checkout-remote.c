/*
 * The remote of a pull request's head, and replies that must not be acted on (github-tool §9.6,
 * T90–T94).
 */
#include "unit.h"

#include "git_fixture.h"

#include <sys/stat.h>

static void test_no_origin(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_do(fixture->work, "remote", "rename", "origin", "upstream", NULL);
    git_fixture_reply_90(fixture);
    checkout_expect_failure("github-T90", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}",
                            "origin remote is unavailable for this repository.");
}

static void test_fork(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *origin, *want_url;
    } cases[] = {
        { "github-T91", SSH_ORIGIN, SSH_FORK },
        { "github-T92", WEB_ORIGIN, WEB_FORK },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GitFixture) fixture = git_fixture_new();
        git_fixture_use_origin(fixture, cases[i].origin);
        git_fixture_alias(SSH_FORK, fixture->fork);
        git_fixture_alias(WEB_FORK, fixture->fork);
        git_fixture_reply_93(fixture);
        git_fixture_reply_fork(fixture, SSH_FORK, WEB_FORK);
        g_autofree char *want = checkout_text_93(fixture, "fork-lindq", cases[i].want_url, false);
        checkout_expect(cases[i].name, fixture, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}", want);
        gh_expect_argv(cases[i].name, fixture->gh, 1,
                       "repo|view|lindq/tidepool|--json|nameWithOwner,sshUrl,url");
        git_expect_config(cases[i].name, fixture->work, "remote.fork-lindq.url", cases[i].want_url);
        git_expect_config(cases[i].name, fixture->work, "branch.pr-93.pushRemote", "fork-lindq");
        git_expect_config(cases[i].name, fixture->work, "branch.pr-93.merge", "refs/heads/moon");
        git_expect_config(cases[i].name, fixture->work, "branch.pr-93.ompPrIsCrossRepository",
                          "true");
        g_autofree char *path = git_fixture_worktree(fixture, 93);
        git_expect_head(cases[i].name, path, fixture->moon_sha);
    }
}

static void test_fork_remote_reused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *url, *shown;
    } cases[] = {
        { "github-T93", SSH_FORK, SSH_FORK },
        { "without .git", "git@github.com:lindq/tidepool", "git@github.com:lindq/tidepool" },
        { "through insteadOf", "lq:tidepool.git", "lq:tidepool.git" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GitFixture) fixture = git_fixture_new();
        git_fixture_use_origin(fixture, SSH_ORIGIN);
        git_fixture_alias("git@github.com:lindq/tidepool", fixture->fork);
        git_do(fixture->work, "remote", "add", "mine", cases[i].url, NULL);
        const char *clone = SSH_FORK;
        if (strcmp(cases[i].url, "lq:tidepool.git") == 0) { // effective URL equals the clone URL
            clone = fixture->fork;
            git_fixture_alias("lq:tidepool.git", fixture->fork);
        } else {
            git_fixture_alias(SSH_FORK, fixture->fork);
        }
        git_fixture_reply_93(fixture);
        git_fixture_reply_fork(fixture, clone, WEB_FORK);
        g_autofree char *want = checkout_text_93(fixture, "mine", cases[i].shown, false);
        checkout_expect(cases[i].name, fixture, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}", want);
        g_autofree char *remotes = git_out(fixture->work, "remote", NULL);
        assert_string_equal(remotes, "mine\norigin");
    }
}

static void test_fork_name_taken(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_do(fixture->work, "remote", "add", "fork-lindq", "/elsewhere", NULL);
    git_do(fixture->work, "remote", "add", "fork-lindq-2", "/elsewhere", NULL);
    g_autofree char *pr =
        git_fixture_pr(93, "moon", fixture->moon_sha, true, "{\"login\":\"-LindQ-\"}",
                       "{\"nameWithOwner\":\"lindq/tidepool\"}");
    gh_fixture_reply(fixture->gh, &(GhReply) { .match = "pr view *", .out = pr });
    git_fixture_reply_fork(fixture, fixture->fork, WEB_FORK);
    g_autofree char *want = checkout_text_93(fixture, "fork-lindq-3", fixture->fork, false);
    checkout_expect("name taken", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}", want);
}

/* Somebody else adds the remote between the look and the add. */
static void test_fork_race(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_wrap(fixture,
                     "if [ $sub = remote ]; then case \"$*\" in *\" add \"*)\n"
                     "  \"$real\" remote add fork-lindq https://u:secret@h/other ;; esac; fi");
    git_fixture_reply_93(fixture);
    git_fixture_reply_fork(fixture, fixture->fork, WEB_FORK);
    g_autofree char *want = g_strdup_printf("remote fork-lindq already exists with URL "
                                            "https://[REDACTED]@h/other, expected %s",
                                            fixture->fork);
    checkout_expect_failure("E24", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}", want);
}

static void test_bad_replies(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const char *oid = fixture->moon_sha;
    const struct {
        const char *name, *pr, *fork, *want;
    } cases[] = {
        { "github-T94", git_fixture_pr(93, "moon", oid, true, "null", "null"), NULL,
          "head repository must not be empty" },
        { "E17", g_strdup("{\"headRefName\":\"a\",\"headRefOid\":\"b\"}"), NULL,
          "GitHub CLI did not return a pull request number." },
        { "no head branch", git_fixture_pr(93, "", oid, true, "null", "null"), NULL,
          "head branch must not be empty" },
        { "no head commit", git_fixture_pr(93, "moon", "", true, "null", "null"), NULL,
          "head commit must not be empty" },
        { "pattern", git_fixture_pr(93, "*", oid, false, "null", "null"), NULL,
          "invalid head branch name: *" },
        { "two names", git_fixture_pr(93, "a:refs/heads/main", oid, false, "null", "null"), NULL,
          "invalid head branch name: a:refs/heads/main" },
        { "option", git_fixture_pr(93, "--upload-pack=x", oid, false, "null", "null"), NULL,
          "invalid head branch name: --upload-pack=x" },
        { "bad fork",
          git_fixture_pr(93, "moon", oid, true, "{\"login\":\"-x\"}", "{\"name\":\"y\"}"), NULL,
          "invalid repo: -x/y. Expected owner/repo." },
        { "E23", git_fixture_pr(93, "moon", oid, true, "{\"login\":\"x\"}", "{\"name\":\"y\"}"),
          "{\"sshUrl\":\"\",\"url\":null}", "Could not determine a clone URL for x/y." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gh_fixture_reset(fixture->gh);
        gh_fixture_reply(fixture->gh, &(GhReply) { .match = "pr view *", .out = cases[i].pr });
        if (cases[i].fork)
            gh_fixture_reply(fixture->gh,
                             &(GhReply) { .match = "repo view *", .out = cases[i].fork });
        checkout_expect_failure(cases[i].name, fixture, "{\"op\":\"pr_checkout\",\"pr\":\"93\"}",
                                cases[i].want);
        g_free((char *)cases[i].pr);
    }
}

/* ssh that knows one repository: whatever path it is asked for is `origin`. */
static void use_fake_ssh(GitFixture *fixture)
{
    g_autofree char *path = g_build_filename(fixture->gh->bin, "fake-ssh", NULL);
    g_autofree char *text = g_strdup_printf("#!/bin/sh\ncase $* in\n"
                                            "*receive-pack*) exec git-receive-pack '%s' ;;\n"
                                            "*) exec git-upload-pack '%s' ;;\nesac\n",
                                            fixture->origin, fixture->origin);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(chmod(path, 0755), 0);
    git_do(fixture->work, "config", "core.sshCommand", path, NULL);
    git_do(fixture->work, "config", "ssh.variant", "simple", NULL);
}

static void test_wrong_checkout(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    use_fake_ssh(fixture);
    git_do(fixture->work, "remote", "set-url", "origin", "git@github.com:old/name.git", NULL);

    // no remote is the pull request's repository, but the commit is the right one: a renamed one
    git_fixture_reply_90(fixture);
    g_auto(ToolResult) renamed =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}");
    g_autofree char *text = tool_result_text(&renamed);
    if (renamed.is_error)
        fail_msg("renamed: %s", text);
    assert_string_equal(json_get_text(renamed.details, "remote"), "origin");

    // another commit: another repository
    g_autofree char *other =
        git_fixture_pr(91, "fix/dst", fixture->moon_sha, false, "null", "null");
    gh_fixture_reply(fixture->gh,
                     &(GhReply) { .match = "pr view 91 *", .out = other, .is_repeated = true });
    g_autofree char *want = g_strdup_printf(
        "no git remote of this checkout points at harbor/tidepool: refs/heads/fix/dst is at %.12s, "
        "expected %.12s",
        fixture->dst_sha, fixture->moon_sha);
    checkout_expect_failure("E22", fixture, "{\"op\":\"pr_checkout\",\"pr\":\"91\"}", want);
    assert_false(git_ok(fixture->work, "rev-parse", "--verify", "refs/heads/pr-91", NULL));

    // a remote that is: it is used instead of origin
    git_do(fixture->work, "remote", "add", "upstream", "ssh://git@github.com/Harbor/TidePool",
           NULL);
    g_autofree char *again = git_fixture_pr(92, "fix/dst", fixture->dst_sha, false, "null", "null");
    gh_fixture_reply(fixture->gh, &(GhReply) { .match = "pr view 92 *", .out = again });
    g_auto(ToolResult) found =
        gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"92\"}");
    assert_false(found.is_error);
    assert_string_equal(json_get_text(found.details, "remote"), "upstream");
    git_expect_config("upstream", fixture->work, "branch.pr-92.pushRemote", "upstream");
}

/* What gh says the pull request's address is may be http, on a server of one's own. */
static void test_address_without_tls(void **state G_GNUC_UNUSED)
{
    static const char *const schemes[] = { "https://", "http://" };
    for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++) {
        g_autoptr(GitFixture) fixture = git_fixture_new();
        use_fake_ssh(fixture);
        git_do(fixture->work, "remote", "set-url", "origin", "git@ghe.example.com:old/name.git",
               NULL);
        git_do(fixture->work, "remote", "add", "upstream",
               "ssh://git@ghe.example.com/harbor/tidepool.git", NULL);
        g_autofree char *usual =
            git_fixture_pr(90, "fix/dst", fixture->dst_sha, false, "null", "null");
        GString *pr = g_string_new(usual);
        g_autofree char *address = g_strconcat(schemes[i], "ghe.example.com/", NULL);
        assert_int_equal(g_string_replace(pr, "https://github.com/", address, 0), 1);
        gh_fixture_reply(fixture->gh, &(GhReply) { .match = "pr view 90 *", .out = pr->str });
        g_string_free(pr, true);

        g_auto(ToolResult) result =
            gh_fixture_call(fixture->gh, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}");
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error || g_strcmp0(json_get_text(result.details, "remote"), "upstream") != 0)
            fail_msg("github-T169 %s: %s", schemes[i], text);
        git_expect_config("github-T169", fixture->work, "branch.pr-90.pushRemote", "upstream");
    }
}

static void expect_url(const GitFixture *fixture, const char *arguments, const char *shown)
{
    g_auto(ToolResult) result = gh_fixture_call(fixture->gh, arguments);
    g_autofree char *text = tool_result_text(&result);
    g_autofree char *line = g_strconcat("\nRemote URL: ", shown, "\n", NULL);
    if (result.is_error || !strstr(text, line) || strstr(text, "tok@"))
        fail_msg("github-T177 %s: lacks '%s': %s", arguments, line, text);
    g_autofree char *details = json_to_text(result.details);
    if (strstr(details, "tok@"))
        fail_msg("github-T177 %s: %s", arguments, details);
}

/* An account of ssh is part of the address; what stands before the @ of https is a secret. */
static void test_shown_address(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *shown;
        bool is_ssh;
    } cases[] = {
        { "ssh://git@github.com/harbor/tidepool.git", "ssh://git@github.com/harbor/tidepool.git",
          true },
        { "https://tok@github.com/harbor/tidepool.git",
          "https://[REDACTED]@github.com/harbor/tidepool.git", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GitFixture) fixture = git_fixture_new();
        use_fake_ssh(fixture);
        if (cases[i].is_ssh)
            git_do(fixture->work, "remote", "set-url", "origin", cases[i].url, NULL);
        else
            git_fixture_use_origin(fixture, cases[i].url);
        git_fixture_reply_90(fixture);
        expect_url(fixture, "{\"op\":\"pr_checkout\",\"pr\":\"90\"}", cases[i].shown);

        g_autofree char *path = git_fixture_worktree(fixture, 90);
        g_autofree char *own = git_commit(path, "our own");
        expect_url(fixture, "{\"op\":\"pr_push\",\"branch\":\"pr-90\"}", cases[i].shown);
        g_autofree char *there = git_out(fixture->origin, "rev-parse", "refs/heads/fix/dst", NULL);
        assert_string_equal(there, own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_origin),          cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_remote_reused), cmocka_unit_test(test_fork_name_taken),
        cmocka_unit_test(test_fork_race),          cmocka_unit_test(test_bad_replies),
        cmocka_unit_test(test_wrong_checkout),     cmocka_unit_test(test_address_without_tls),
        cmocka_unit_test(test_shown_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
