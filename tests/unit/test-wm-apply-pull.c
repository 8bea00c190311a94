/*
 * wm/apply/apply_pull.c, apply_branch.c, apply_git.c: pull requests and pushes (task-O27 to
 * task-O32), and attempts that were broken off.
 */
#include "apply_pull_fixture.h"

#include "base/log.h"
#include "base/str.h"

static const PullCase pull_cases[] = {
    { .name = "task-O27",
      .policy = "{\"create-pull-request\":{\"draft\":true}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE, OPENED },
      .calls = LIST POST("true"),
      .outputs = APPLIED_9,
      .is_pushed = true },
    { .name = "task-O28",
      .policy = "{\"create-pull-request\":{\"draft\":true}}",
      .item = "{\"type\":\"create_pull_request\",\"title\":\"T\",\"body\":\"B\",\"draft\":false}\n",
      .file = "a.c",
      .answers = { NONE, OPENED },
      .calls = LIST POST("false"),
      .is_pushed = true },
    { .name = "task-O29",
      .policy = "{\"create-pull-request\":null}",
      .item = ITEM,
      .file = "a.c",
      .answers = { { .request = "GET ", .body = "[" PULL_WITH_COMMITS "]" } },
      .calls = LIST,
      .outputs = "create_pull_request skipped #9 https://h/pull/9: branch " BRANCH
                 " already has pull request #9" },
    { .name = "task-O30",
      .policy = "{\"create-pull-request\":null}",
      .item = ITEM,
      .calls = "",
      .outputs = "create_pull_request skipped: no commits ahead of origin/main" },
    { .name = "task-O30, an error",
      .policy = "{\"create-pull-request\":{\"if-no-changes\":\"error\"}}",
      .item = ITEM,
      .calls = "",
      .error = "create_pull_request: no commits ahead of origin/main" },
    { .name = "task-O31",
      .policy = "{\"create-pull-request\":null}",
      .item = ITEM,
      .file = "a.c",
      .branch = "main",
      .calls = "",
      .outputs = "create_pull_request skipped: no commits ahead of origin/main" },
    { .name = "no such base",
      .policy = "{\"create-pull-request\":{\"base-branch\":\"gone\"}}",
      .item = ITEM,
      .file = "a.c",
      .calls = "",
      .error = "create_pull_request: cannot compare with origin/gone: git fetch: " },
    { .name = "files of a run",
      .policy = "{\"create-pull-request\":null}",
      .item = ITEM,
      .file = ".wm/runs/fix-1/prompt.md",
      .answers = { NONE },
      .calls = LIST,
      .error = "create_pull_request: a commit has files of a run (.wm/runs/fix-1/prompt.md)" },
    { .name = "files of a run, further down",
      .policy = "{\"create-pull-request\":null}",
      .item = ITEM,
      .file = "part/.wm/runs/github-event.json",
      .answers = { NONE },
      .calls = LIST,
      .error = "create_pull_request: a commit has files of a run (part/.wm/runs/" },
    { .name = "labels and people",
      .policy = "{\"create-pull-request\":{\"labels\":[\"agent\"],\"assignees\":[\"u\"],"
                "\"reviewers\":[\"me\",\"v\"]}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE,
                   { .request = "GET /repos/o/r/labels?", .body = "[{\"name\":\"agent\"}]" },
                   OPENED,
                   { .request = "POST /repos/o/r/issues/9/labels ", .body = "[]" },
                   { .request = "POST /repos/o/r/issues/9/assignees ",
                     .status = 403,
                     .body = "{\"message\":\"no\"}" },
                   { .request = "POST /repos/o/r/pulls/9/requested_reviewers ", .body = "{}" } },
      .calls = LIST "GET /repos/o/r/labels?per_page=100\n" POST(
          "false") "POST /repos/o/r/issues/9/labels {\"labels\":[\"agent\"]}\n"
                   "POST /repos/o/r/issues/9/assignees {\"assignees\":[\"u\"]}\n"
                   "POST /repos/o/r/pulls/9/requested_reviewers {\"reviewers\":[\"v\"]}\n",
      .outputs = APPLIED_9,
      .is_pushed = true },
    { .name = "no drafts here",
      .policy = "{\"create-pull-request\":{\"draft\":true}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE,
                   { .request = "POST ",
                     .status = 422,
                     .body = "{\"message\":\"Draft pull requests are not supported in this "
                             "repository.\"}" },
                   OPENED },
      .calls = LIST POST("true") POST("false"),
      .outputs = APPLIED_9,
      .is_pushed = true },
    { .name = "not permitted",
      .policy = "{\"create-pull-request\":null}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE,
                   { .request = "POST ",
                     .status = 403,
                     .body = "{\"message\":\"GitHub Actions is not permitted to create or approve "
                             "pull requests.\"}" } },
      .calls = LIST POST("false"),
      .error = "create_pull_request: branch " BRANCH " is pushed, the pull request is not opened "
               "(allow it under Settings, Actions, General, or set fallback-as-issue): GitHub API ",
      .is_pushed = true },
    { .name = "an issue instead",
      .policy = "{\"create-pull-request\":{\"fallback-as-issue\":true}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE,
                   { .request = "POST /repos/o/r/pulls ", .status = 403, .body = "{}" },
                   { .request = "POST /repos/o/r/issues ",
                     .status = 201,
                     .body = "{\"number\":4,\"html_url\":\"u\"}" } },
      .calls =
          LIST POST("false") "POST /repos/o/r/issues {\"title\":\"T\",\"body\":\"B\\n\\nA pull "
                             "request could not be "
                             "opened. Compare: https://github.com/o/r/compare/main...wm/x-1\\n\\n"
                             "<!-- wm-agent:x -->\"}\n",
      .outputs = "create_pull_request applied #4 u",
      .is_pushed = true },
};

#define TARGET(title, repo, state)                                                                 \
    "{\"number\":3,\"html_url\":\"https://h/pull/3\",\"title\":\"" title "\",\"state\":\"" state   \
    "\",\"labels\":[{\"name\":\"bot\"}],\"head\":{\"ref\":\"" BRANCH                               \
    "\",\"repo\":{\"full_name\":\"" repo "\"}}}"
#define PUSH_ITEM   "{\"type\":\"push_to_pull_request_branch\",\"target\":3}\n"
#define PUSH_POLICY "{\"push-to-pull-request-branch\":{\"title-prefix\":\"[bot] \"}}"
#define GET_3       "GET /repos/o/r/pulls/3\n"

static const PullCase push_cases[] = {
    { .name = "task-O32",
      .policy = PUSH_POLICY,
      .item = PUSH_ITEM,
      .file = "a.c",
      .answers = { { .request = "GET ", .body = TARGET("[bot] x", "o/r", "open") } },
      .calls = GET_3,
      .outputs = "push_to_pull_request_branch applied #3 https://h/pull/3",
      .is_pushed = true },
    { .name = "task-O32, the title",
      .policy = PUSH_POLICY,
      .item = PUSH_ITEM,
      .file = "a.c",
      .answers = { { .request = "GET ", .body = TARGET("x", "o/r", "open") } },
      .calls = GET_3,
      .error = "push_to_pull_request_branch: PR title \"x\" does not start with required prefix "
               "\"[bot] \"" },
    { .name = "task-O32, a fork",
      .policy = PUSH_POLICY,
      .item = PUSH_ITEM,
      .file = "a.c",
      .answers = { { .request = "GET ", .body = TARGET("[bot] x", "p/r", "open") } },
      .calls = GET_3,
      .error = "push_to_pull_request_branch: pull request #3 comes from a fork" },
    { .name = "closed",
      .policy = PUSH_POLICY,
      .item = PUSH_ITEM,
      .file = "a.c",
      .answers = { { .request = "GET ", .body = TARGET("[bot] x", "o/r", "closed") } },
      .calls = GET_3,
      .error = "push_to_pull_request_branch: pull request #3 is closed" },
    { .name = "a label",
      .policy = "{\"push-to-pull-request-branch\":{\"labels\":[\"bot\",\"ready\"]}}",
      .item = PUSH_ITEM,
      .file = "a.c",
      .answers = { { .request = "GET ", .body = TARGET("[bot] x", "o/r", "open") } },
      .calls = GET_3,
      .error = "push_to_pull_request_branch: PR missing required label \"ready\"" },
    { .name = "files of a run",
      .policy = PUSH_POLICY,
      .item = PUSH_ITEM,
      .file = ".wm/runs/fix-1/prompt.md",
      .answers = { { .request = "GET ", .body = TARGET("[bot] x", "o/r", "open") } },
      .calls = GET_3,
      .error = "push_to_pull_request_branch: a commit has files of a run (" },
    { .name = "another branch",
      .policy = PUSH_POLICY,
      .item = PUSH_ITEM,
      .file = "a.c",
      .branch = "main",
      .answers = { { .request = "GET ", .body = TARGET("[bot] x", "o/r", "open") } },
      .calls = GET_3,
      .error = "push_to_pull_request_branch: current branch \"main\" must match PR head \"" BRANCH
               "\"" },
};

static void test_pulls(void **state G_GNUC_UNUSED)
{
    RUN_CASES(pull_cases);
}

/* Of this run wherever its directory is; what a later commit takes away is pushed, too; what was
   there before the run may be taken away. */
static void test_files_of_runs(void **state G_GNUC_UNUSED)
{
    g_auto(PullFixture) fixture =
        pull_fixture("{\"create-pull-request\":null}", ".wm/runs/old/prompt.md", NULL, 0);
    fixture.apply->apply.is_staged = true;
    fixture.apply->apply.api = NULL;
    const char *work = fixture.git->work;
    g_autofree char *id = g_path_get_basename(fixture.apply->run_dir);
    g_autofree char *own = g_build_filename("other", id, "event.json", NULL);
    const char *const names[] = { ".wm/runs/old/prompt.md", own, NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (names[i]) {
            pull_write_file(work, names[i], "x\n");
            git_do(work, "add", "--force", ".", NULL);
            git_do(work, "commit", "--quiet", "--allow-empty", "-m", "added", NULL);
        }
        git_do(work, "rm", "-r", "--quiet", names[i] ? names[i] : ".wm", NULL);
        git_do(work, "commit", "--quiet", "-m", "taken away", NULL);
        if (i == 0) { // as if it had been on origin before
            git_do(work, "reset", "--quiet", "--hard", "HEAD^", NULL);
            git_do(work, "push", "--quiet", "origin", "HEAD:main", NULL);
            git_do(work, "fetch", "--quiet", "origin", NULL);
            continue;
        }
        g_autoptr(GError) error = NULL;
        bool is_done = apply_fixture_run(fixture.apply, ITEM, &error);
        if (is_done != !names[i])
            fail_msg("%s: %s", names[i], error ? error->message : "it is taken");
        git_do(work, "reset", "--quiet", "--hard", "origin/main", NULL);
    }
}

static void test_pushes(void **state G_GNUC_UNUSED)
{
    RUN_CASES(push_cases);
}

/* The branch is there, the pull request is not: the next attempt opens it. And when GitHub opened
   it although no answer came, it is found. */
static void test_again(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        NONE,
        { .request = "POST ", .status = 500, .body = "{}" },
        NONE, // looked for at once
        { .request = "GET ", .body = "[" PULL "]", .times = 2 },
        { .request = "POST /repos/o/r/issues/9/labels ", .body = "[]" },
    };
    g_auto(PullFixture) fixture =
        pull_fixture("{\"create-pull-request\":null}", "a.c", answers, G_N_ELEMENTS(answers));
    g_autoptr(GError) error = NULL;
    assert_false(apply_fixture_run(fixture.apply, ITEM, NULL));
    g_autofree char *sha = pull_pushed(&fixture, BRANCH);
    assert_string_equal(sha, fixture.head);
    if (!apply_fixture_run(fixture.apply, ITEM, &error))
        fail_msg("%s", error->message);
    g_autofree char *outputs = apply_fixture_outputs(fixture.apply);
    assert_string_equal(outputs, APPLIED_9);
    g_autofree char *calls = apply_fixture_calls(fixture.apply);
    const char *first = strstr(calls, "POST ");
    assert_null(strstr(first + 1, "POST "));
}

/* What was left out is left out by the next attempt, too, and is not called applied. */
static void test_skipped_again(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .request = "GET ",
                                              .body = "[" PULL_WITH_COMMITS "]" } };
    g_auto(PullFixture) fixture = pull_fixture("{\"create-pull-request\":null}", "a.c", answers, 1);
    for (int i = 0; i < 2; i++) {
        assert_true(apply_fixture_run(fixture.apply, ITEM, NULL));
        g_autofree char *outputs = apply_fixture_outputs(fixture.apply);
        assert_string_equal(outputs,
                            "create_pull_request skipped #9 https://h/pull/9: branch " BRANCH
                            " already has pull request #9");
    }
}

/* The run made its branch, and another checkout one of the same name in the same second. */
static PullFixture second_of_two(const CannedAnswer *answers, size_t count)
{
    PullFixture fixture = pull_fixture("{\"create-pull-request\":null}", "a.c", answers, count);
    const char *work = fixture.git->work, *run_dir = fixture.apply->run_dir;
    pull_write_file(run_dir, "activation.json",
                    "{\"prev_branch\":\"main\",\"branch_created\":true,\"branch\":\"" BRANCH "\"}");
    git_do(work, "checkout", "--quiet", "-b", "other", "main", NULL);
    pull_write_file(work, "b.c", "other\n");
    git_do(work, "add", ".", NULL);
    git_do(work, "commit", "--quiet", "-m", "of another run", NULL);
    git_do(work, "push", "--quiet", "origin", "other:refs/heads/" BRANCH, NULL);
    git_do(work, "checkout", "--quiet", BRANCH, NULL);
    git_do(work, "branch", "--quiet", "-D", "other", NULL);
    return fixture;
}

/* task-D23: with its pull request, and before it has one. Neither run takes the other's for its
 * own. */
static void test_two_of_one_second(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer with_pull[] = {
        { .request = "GET ", .body = "[" PULL "]" },
        OPENED,
    };
    static const CannedAnswer without[] = { NONE, OPENED };
    static const CannedAnswer *const cases[] = { with_pull, without };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(PullFixture) fixture = second_of_two(cases[i], 2);
        g_autoptr(GError) error = NULL;
        if (!apply_fixture_run(fixture.apply, ITEM, &error))
            fail_msg("%s", error->message);
        g_autofree char *ours = pull_pushed(&fixture, BRANCH "-2");
        g_autofree char *other = pull_pushed(&fixture, BRANCH);
        g_autofree char *calls = apply_fixture_calls(fixture.apply);
        assert_string_equal(ours, fixture.head);
        assert_string_not_equal(other, fixture.head);
        assert_non_null(strstr(calls, "\"head\":\"" BRANCH "-2\""));
    }
}

#define OWN_BRANCH "wm/x-20260420-100607" // of when the run began

/* A commit on the branch of somebody else's pull request, which lacks it; on the branch that has
   the name of the run's own, where another run's is; on the default branch; on none. */
static void commit_there(PullFixture *fixture, const char *branch)
{
    const char *work = fixture->git->work;
    if (strcmp(branch, BRANCH) == 0)
        git_do(work, "push", "--quiet", "origin", "HEAD^:refs/heads/" BRANCH, NULL);
    else if (strcmp(branch, OWN_BRANCH) == 0)
        git_do(work, "checkout", "--quiet", "-b", OWN_BRANCH, NULL);
    else
        git_do(work, "checkout", "--quiet", *branch ? "-B" : "--detach", *branch ? branch : "HEAD",
               NULL);
}

/* A pull request that is asked for has the commits, or the item fails: they are never nowhere. */
static void test_commits_are_somewhere(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *branch, *pulls;
    } cases[] = {
        { BRANCH, "[" PULL "]" },
        { BRANCH,
          "[{\"number\":9,\"head\":{\"sha\":\"0123456789012345678901234567890123456789\"}}]" },
        { "main", "[]" },
        { "", "[]" },
        { OWN_BRANCH, "[]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const CannedAnswer answers[] = { { .request = "GET ", .body = cases[i].pulls }, OPENED };
        g_auto(PullFixture) fixture =
            pull_fixture("{\"create-pull-request\":null}", "a.c", answers, 2);
        commit_there(&fixture, cases[i].branch);
        g_autoptr(GError) error = NULL;
        if (!apply_fixture_run(fixture.apply, ITEM, &error))
            fail_msg("'%s': %s", cases[i].branch, error->message);
        g_autofree char *outputs = apply_fixture_outputs(fixture.apply);
        g_autofree char *calls = apply_fixture_calls(fixture.apply);
        g_autofree char *sha = pull_pushed(&fixture, OWN_BRANCH);
        assert_string_equal(outputs, APPLIED_9);
        assert_string_equal(sha, fixture.head);
        if (!strstr(calls, "\"head\":\"" OWN_BRANCH "\""))
            fail_msg("'%s': %s", cases[i].branch, calls);
        g_autofree char *main = pull_pushed(&fixture, "main");
        assert_string_equal(main, fixture.git->main_sha);
    }
}

/* What the person had not pushed when the run began is no work of it. */
static void test_start_of_run(void **state G_GNUC_UNUSED)
{
    g_auto(PullFixture) fixture = pull_fixture("{\"create-pull-request\":null}", "a.c", NULL, 0);
    fixture.apply->apply.start = fixture.head;
    assert_true(apply_fixture_run(fixture.apply, ITEM, NULL));
    g_autofree char *outputs = apply_fixture_outputs(fixture.apply);
    assert_string_equal(outputs, "create_pull_request skipped: no commits ahead of origin/main");
}

/* In Actions: a branch of GitHub that an agent checked out gets no commits. */
static void test_foreign_branch(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .request = "GET ", .body = "[]", .times = 2 } };
    g_auto(PullFixture) fixture =
        pull_fixture("{\"create-pull-request\":null}", "a.c", answers, G_N_ELEMENTS(answers));
    const char *work = fixture.git->work;
    git_do(work, "push", "--quiet", "origin", "main:refs/heads/production", NULL);
    git_do(work, "checkout", "--quiet", "-b", "production", NULL);
    pull_quarantine(&fixture, work);
    g_autoptr(GError) error = NULL;
    assert_false(apply_fixture_run(fixture.apply, ITEM, &error));
    assert_non_null(strstr(error->message, "branch \"production\" is on GitHub already"));
    g_autofree char *sha = pull_pushed(&fixture, "production");
    assert_string_equal(sha, fixture.git->main_sha);
}

/* A push that is refused says why, and nothing is forced. */
static void test_refused_push(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET ", .body = TARGET("[bot] x", "o/r", "open"), .times = 2 }
    };
    g_auto(PullFixture) fixture = pull_fixture(PUSH_POLICY, "a.c", answers, 1);
    const char *work = fixture.git->work;
    git_do(work, "push", "--quiet", "origin", "HEAD:refs/heads/" BRANCH, NULL);
    git_do(work, "reset", "--quiet", "--hard", "main", NULL);
    git_do(work, "commit", "--quiet", "--allow-empty", "-m", "another history", NULL);
    g_autoptr(GError) error = NULL;
    assert_false(apply_fixture_run(fixture.apply, PUSH_ITEM, &error));
    assert_true(str_has_prefix(error->message, "push_to_pull_request_branch: git push: "));
    assert_non_null(strstr(error->message, "nothing is ever forced"));
    g_autofree char *sha = pull_pushed(&fixture, BRANCH);
    assert_string_equal(sha, fixture.head);

    git_do(work, "reset", "--quiet", "--hard", fixture.head, NULL); // what is there already
    if (!apply_fixture_run(fixture.apply, PUSH_ITEM, NULL))
        fail_msg("up to date");
    g_autofree char *outputs = apply_fixture_outputs(fixture.apply);
    assert_string_equal(outputs, "push_to_pull_request_branch skipped #3 https://h/pull/3: no "
                                 "commits ahead of origin/" BRANCH);
}

/* As a job of Actions has it: one commit deep, and quarantined. The base has gone on since. */
static void test_shallow(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { NONE, OPENED };
    g_auto(PullFixture) fixture =
        pull_fixture("{\"create-pull-request\":{\"protected-files\":\"blocked\"}}", NULL, answers,
                     G_N_ELEMENTS(answers));
    g_autofree char *work = g_build_filename(fixture.git->gh->dir, "shallow", NULL);
    g_autofree char *url = g_strconcat("file://", fixture.git->origin, NULL);
    git_do(fixture.git->work, "commit", "--quiet", "--allow-empty", "-m", "second", NULL);
    git_do(fixture.git->work, "push", "--quiet", "origin", "HEAD:refs/heads/main", NULL);
    git_do(fixture.git->gh->dir, "clone", "--quiet", "--depth=1", "--branch=main", url, work, NULL);
    git_do(fixture.git->work, "commit", "--quiet", "--allow-empty", "-m", "third", NULL);
    git_do(fixture.git->work, "push", "--quiet", "origin", "HEAD:refs/heads/main", NULL);
    git_do(work, "checkout", "--quiet", "-b", BRANCH, NULL);
    pull_write_file(work, "a.c", "a\n");
    git_do(work, "add", "a.c", NULL);
    git_do(work, "commit", "--quiet", "-m", "work", NULL);
    fixture.apply->apply.root = work;
    pull_quarantine(&fixture, work);
    g_autoptr(GError) error = NULL;
    if (!apply_fixture_run(fixture.apply, ITEM, &error))
        fail_msg("%s", error->message);
    g_autofree char *want = git_out(work, "rev-parse", "HEAD", NULL);
    g_autofree char *sha = pull_pushed(&fixture, BRANCH);
    assert_string_equal(sha, want);
}

static char *lfs_warning; // of the log; owned

static void keep_lfs_warning(const char *line)
{
    if (strstr(line, "Git LFS")) {
        g_free(lfs_warning);
        lfs_warning = g_strdup(line);
    }
}

/* The hook that uploads LFS objects does not run in a quarantined .git: that is said. */
static void test_lfs(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { NONE, OPENED };
    g_auto(PullFixture) fixture =
        pull_fixture("{\"create-pull-request\":null}", "a.c", answers, G_N_ELEMENTS(answers));
    const char *work = fixture.git->work;
    pull_write_file(work, "assets/.gitattributes", "*.png filter=lfs diff=lfs merge=lfs -text\n");
    git_do(work, "add", "assets", NULL);
    git_do(work, "commit", "--quiet", "-m", "assets", NULL);
    pull_quarantine(&fixture, work);
    log_set_writer(keep_lfs_warning);
    bool is_done = apply_fixture_run(fixture.apply, ITEM, NULL);
    log_set_writer(NULL);
    assert_true(is_done);
    assert_non_null(lfs_warning);
    assert_non_null(strstr(lfs_warning, "git lfs push origin " BRANCH));
    g_clear_pointer(&lfs_warning, g_free);
}

/* Nothing is pushed, and the plan says what would be. */
static void test_staged(void **state G_GNUC_UNUSED)
{
    g_auto(PullFixture) fixture = pull_fixture("{\"create-pull-request\":null}", "a.c", NULL, 0);
    fixture.apply->apply.api = NULL;
    fixture.apply->apply.is_staged = true;
    g_autoptr(GError) error = NULL;
    if (!apply_fixture_run(fixture.apply, ITEM, &error))
        fail_msg("%s", error->message);
    g_autofree char *plan = json_to_text(fixture.apply->plan);
    g_autofree char *sha = pull_pushed(&fixture, BRANCH);
    assert_string_equal(sha, "");
    assert_string_equal(plan,
                        "[{\"kind\":\"create_pull_request\",\"method\":\"POST\",\"path\":"
                        "\"/repos/o/r/pulls\",\"body\":{\"title\":\"T\",\"body\":\"B\\n\\n<!-- "
                        "wm-agent:x -->\","
                        "\"head\":\"" BRANCH "\",\"base\":\"main\",\"draft\":false},"
                        "\"before\":[{\"method\":\"git push\",\"path\":\"origin "
                        "HEAD:refs/heads/" BRANCH "\"}]}]");
}

/* An event may not say what the default branch is: then GitHub does, and not the agent's .git, by
   which commits would go to main itself. */
static void test_default_branch(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET /repos/o/r ", .body = "{\"default_branch\":\"main\"}" },
        NONE,
        OPENED,
    };
    static const char policy[] = "{\"create-pull-request\":{\"base-branch\":\"develop\"}}";
    g_auto(PullFixture) fixture = pull_fixture(policy, NULL, answers, G_N_ELEMENTS(answers));
    const char *work = fixture.git->work;
    g_autofree char *url = g_strconcat("file://", fixture.git->origin, NULL);
    git_do(work, "push", "--quiet", "origin", "main:refs/heads/develop", NULL);
    git_do(work, "checkout", "--quiet", "main", NULL);
    pull_write_file(work, "a.c", "a\n");
    git_do(work, "add", "a.c", NULL);
    git_do(work, "commit", "--quiet", "-m", "work", NULL);
    git_do(work, "update-ref", "refs/remotes/origin/other", "HEAD", NULL);
    git_do(work, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/other", NULL);
    fixture.apply->apply.is_quarantined = true;
    assert_true(wm_quarantine(work, url, NULL));
    g_setenv("GITHUB_REF_NAME", "main", true);
    g_autoptr(GError) error = NULL;
    bool is_done = apply_fixture_run(fixture.apply, ITEM, &error);
    g_unsetenv("GITHUB_REF_NAME");
    if (!is_done)
        fail_msg("%s", error->message);
    g_autofree char *outputs = apply_fixture_outputs(fixture.apply);
    assert_string_equal(outputs, APPLIED_9);
    g_autofree char *sha = pull_pushed(&fixture, "main");
    assert_string_equal(sha, fixture.git->main_sha);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulls),
        cmocka_unit_test(test_files_of_runs),
        cmocka_unit_test(test_pushes),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_skipped_again),
        cmocka_unit_test(test_two_of_one_second),
        cmocka_unit_test(test_commits_are_somewhere),
        cmocka_unit_test(test_start_of_run),
        cmocka_unit_test(test_foreign_branch),
        cmocka_unit_test(test_refused_push),
        cmocka_unit_test(test_shallow),
        cmocka_unit_test(test_lfs),
        cmocka_unit_test(test_staged),
        cmocka_unit_test(test_default_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
