/*
 * When gh fails, hangs, says nothing or says too much (github-tool §9.4).
 */
#include "base/str.h"
#include "unit.h"

#include "item_fixture.h"

#include "base/file.h"
#include "base/worker.h"
#include "github/github.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#define REPO                                                                                       \
    "nameWithOwner,description,url,defaultBranchRef,homepageUrl,forkCount,isArchived,isFork,"      \
    "primaryLanguage,repositoryTopics,stargazerCount,updatedAt,viewerPermission,visibility"
#define E1 "GitHub CLI (gh) is not installed. Install it from https://cli.github.com/."
#define E2 "GitHub CLI is not authenticated. Run `gh auth login`."
#define E3                                                                                         \
    "GitHub repository context is unavailable. Pass `repo` explicitly or run the tool inside a "   \
    "GitHub "                                                                                      \
    "checkout."
#define E4 "GitHub CLI returned empty output."
#define E5 "GitHub CLI returned invalid JSON output."
#define NOT_A_REPOSITORY                                                                           \
    "failed to run git: fatal: not a git repository (or any of the parent directories): .git"

static const char view[] = "{\"op\":\"repo_view\"}";
static const char view_repo[] = "{\"op\":\"repo_view\",\"repo\":\"o/r\"}";
static const char search_and[] = "{\"op\":\"search_issues\",\"query\":\"AND\",\"repo\":\"o/r\"}";

static const struct {
    const char *name, *arguments;
    GhReply reply;
    const char *want;
    KedgeError code;
} failures[] = {
    { "github-T58",
      view,
      { .status = 4, .err = "To get started with GitHub CLI, please run:  gh auth login" },
      E2,
      KEDGE_ERROR_FAILED },
    { "github-T59",
      view,
      { .status = 4,
        .err = "gh: To use GitHub CLI in automation, set the GH_TOKEN environment variable." },
      E2,
      KEDGE_ERROR_FAILED },
    { "not logged in, by the text",
      view,
      { .status = 1, .err = "You are not logged into any GitHub hosts." },
      E2,
      KEDGE_ERROR_FAILED },
    { "github-T60", view, { .status = 1, .err = NOT_A_REPOSITORY }, E3, KEDGE_ERROR_FAILED },
    { "github-T61",
      view_repo,
      { .status = 1, .err = NOT_A_REPOSITORY },
      NOT_A_REPOSITORY,
      KEDGE_ERROR_FAILED },
    { "github-T62", view, { .status = 1, .err = "no git remotes found" }, E3, KEDGE_ERROR_FAILED },
    { "foreign remotes are no login problem",
      view,
      { .status = 1,
        .err = "none of the git remotes configured for this repository point to a known GitHub "
               "host. To tell gh about a new GitHub host, please use `gh auth login`" },
      E3,
      KEDGE_ERROR_FAILED },
    { "github-T63",
      view,
      { .status = 1 },
      "GitHub CLI command failed: gh repo view --json " REPO,
      KEDGE_ERROR_FAILED },
    { "stdout speaks when stderr does not",
      view,
      { .status = 1, .out = " boom \n" },
      "boom",
      KEDGE_ERROR_FAILED },
    { "github-T64", view, { .out = " \n" }, E4, KEDGE_ERROR_PROTOCOL },
    { "github-T65", view, { .out = "<html>" }, E5, KEDGE_ERROR_PROTOCOL },
    { "the wrong kind of JSON", view, { .out = "[]" }, E5, KEDGE_ERROR_PROTOCOL },
    { "github-T66",
      search_and,
      { .status = 1,
        .err = "gh: Validation Failed (HTTP 422)\n",
        .out = "{\"message\":\"Validation Failed\",\"errors\":[{\"resource\":\"Search\","
               "\"field\":\"q\",\"code\":\"invalid\"}]}" },
      "gh: Validation Failed (HTTP 422)\nGitHub details:\n- Search.q: invalid",
      KEDGE_ERROR_FAILED },
    { "details of every kind, each once",
      search_and,
      { .status = 1,
        .err = "gh: no",
        .out = "{\"message\":\"Bad\",\"errors\":[\"plain\",{\"message\":\"told\"},\"plain\","
               "{\"code\":\"missing\"},{\"field\":\"q\"},{},7]}" },
      "gh: no\nGitHub details:\n- Bad\n- plain\n- told\n- missing\n- q",
      KEDGE_ERROR_FAILED },
    { "secrets are masked",
      view,
      { .status = 1, .err = "HTTP 401: bad gho_0123456789abcdef (https://u:p@github.com/x)" },
      "HTTP 401: bad [REDACTED] (https://[REDACTED]@github.com/x)",
      KEDGE_ERROR_FAILED },
};

static void test_failures(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(failures); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        gh_fixture_reply(fixture, &failures[i].reply);
        g_auto(ToolResult) result = gh_fixture_call(fixture, failures[i].arguments);
        gh_expect_error(failures[i].name, &result, failures[i].want);
        if (result.failure != failures[i].code)
            fail_msg("%s: code %d", failures[i].name, result.failure);
    }
}

static void test_gh_is_gone(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_setenv("PATH", fixture->home, true);
    g_auto(ToolResult) result = gh_fixture_call(fixture, view);
    gh_expect_error("github-T57", &result, E1);
    assert_int_equal(result.failure, KEDGE_ERROR_NOT_FOUND);
}

static bool has_variable(char **environment, const char *entry)
{
    return g_strv_contains((const char *const *)environment, entry);
}

static bool has_name(char **environment, const char *name)
{
    g_autofree char *prefix = g_strconcat(name, "=", NULL);
    for (char **entry = environment; *entry; entry++) {
        if (str_has_prefix(*entry, prefix))
            return true;
    }
    return false;
}

static void test_environment(void **state G_GNUC_UNUSED)
{
    static const char *const hostile[] = {
        "CLICOLOR_FORCE",  "GH_FORCE_TTY",     "GH_DEBUG", "DEBUG", "GIT_DIR", "GH_PAGER_X", "CI",
        "LD_LIBRARY_PATH", "ANTHROPIC_API_KEY"
    };
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++)
        g_setenv(hostile[i], "1", true);
    g_setenv("GH_PAGER", "less", true);
    g_setenv("GH_TOKEN", "token-of-the-test", true);
    g_setenv("GH_REPO", "o/inherited", true);
    g_autofree char *path = g_strconcat("relative:", g_getenv("PATH"), "::.", NULL);
    g_setenv("PATH", path, true);
    gh_fixture_reply_out(fixture, "{}");
    g_auto(ToolResult) result = gh_fixture_call(fixture, view);
    for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++)
        g_unsetenv(hostile[i]);
    assert_false(result.is_error);

    g_auto(GStrv) environment = gh_fixture_environment(fixture, 0);
    assert_non_null(environment);
    for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++) {
        if (has_name(environment, hostile[i]))
            fail_msg("github-T67: %s", hostile[i]);
    }
    static const char *const wanted[] = { "NO_COLOR=1",
                                          "GH_PROMPT_DISABLED=1",
                                          "GH_PAGER=cat",
                                          "GIT_TERMINAL_PROMPT=0",
                                          "GH_NO_UPDATE_NOTIFIER=1",
                                          "GH_TELEMETRY=0",
                                          "GH_TOKEN=token-of-the-test",
                                          "GH_REPO=o/inherited",
                                          "TZ=UTC" };
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        if (!has_variable(environment, wanted[i]))
            fail_msg("github-T67: no %s", wanted[i]);
    }
    assert_false(has_name(environment, "GH_HOST"));
    g_autofree char *clean_path = g_strconcat("PATH=", fixture->bin, ":", NULL);
    bool is_clean = false;
    for (char **entry = environment; *entry; entry++)
        is_clean |= str_has_prefix(*entry, clean_path) && strstr(*entry, "::") == NULL;
    assert_true(is_clean);
}

static void test_host_of_the_environment(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *inherited, *setting, *want;
    } cases[] = {
        { NULL, "ghe.corp.example", "GH_HOST=ghe.corp.example" },
        { NULL, "GitHub.com", NULL },
        { "other.example", "ghe.corp.example", "GH_HOST=other.example" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *settings =
            g_strdup_printf("{\"gh\":{\"defaultHost\":\"%s\"}}", cases[i].setting);
        g_autoptr(GhFixture) fixture = gh_fixture_new_with(settings);
        if (cases[i].inherited)
            g_setenv("GH_HOST", cases[i].inherited, true);
        gh_fixture_reply_out(fixture, "{}");
        g_auto(ToolResult) result = gh_fixture_call(fixture, view);
        assert_false(result.is_error);
        g_auto(GStrv) environment = gh_fixture_environment(fixture, 0);
        assert_int_equal(has_name(environment, "GH_HOST"), cases[i].want != NULL);
        assert_true(cases[i].want == NULL || has_variable(environment, cases[i].want));
    }
}

#define RUN_REPLY "{\"id\":5,\"name\":\"ci\",\"status\":\"completed\",\"conclusion\":\"failure\"}"
#define JOBS_REPLY                                                                                 \
    "{\"jobs\":[{\"id\":62,\"name\":\"test\",\"status\":\"completed\",\"conclusion\":"             \
    "\"failure\"}]}"

/* gh 2.97 and newer keep back what holds escape sequences unless they are asked not to, with a flag
   that older ones do not know: every way to a log, a diff or a file shows it with any of them. */
static void test_escape_sequences(void **state G_GNUC_UNUSED)
{
    static const char *const versions[] = { "2.96.0", "2.102.0" };
    static const struct {
        const ToolDef *tool; // NULL: an address
        const char *arguments, *match;
        bool is_diff;
    } ways[] = {
        { NULL, "{\"path\":\"run://o/r/5\"}", "*actions/jobs/62/logs", false },
        { &tool_github, "{\"op\":\"run_watch\",\"repo\":\"o/r\",\"run\":\"5\"}",
          "*actions/jobs/62/logs", false },
        { NULL, "{\"path\":\"pr://o/r/5/diff/all\"}", "pr diff 5*", true },
        { NULL, "{\"path\":\"gh://o/r/a.c\"}", "*raw+json*", false },
        { &tool_gh_pr_diff, "{\"number\":5,\"repo\":\"o/r\"}", "pr diff 5*", true },
        { &tool_gh_api_get, "{\"endpoint\":\"repos/o/r/actions/jobs/62/logs\"}",
          "api repos/o/r/actions/jobs/62/logs*", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(versions) * G_N_ELEMENTS(ways); i++) {
        size_t way = i / G_N_ELEMENTS(versions);
        const char *version = versions[i % G_N_ELEMENTS(versions)];
        g_autoptr(GhFixture) fixture = item_fixture_new(NULL);
        if (ways[way].tool)
            fixture->tool = ways[way].tool;
        gh_fixture_set_version(fixture, version);
        gh_fixture_reply(fixture, &(GhReply) { .match = "*actions/runs/5", .out = RUN_REPLY });
        gh_fixture_reply(fixture,
                         &(GhReply) { .match = "*actions/runs/5/jobs*", .out = JOBS_REPLY });
        gh_fixture_reply(fixture,
                         &(GhReply) { .match = "*+json repos/o/r/contents/a.c",
                                      .out = "{\"type\":\"file\",\"encoding\":\"none\"}" });
        gh_fixture_reply(fixture,
                         &(GhReply) { .match = ways[way].match,
                                      .out = ways[way].is_diff
                                                 ? "diff --git a/a.c b/a.c\n--- a/a.c\n+++ "
                                                   "b/a.c\n@@ -1 +1 @@\n-a\n+\033[31mred\033[0m\n"
                                                 : "one\n\033[31mred\033[0m\n" });
        g_auto(ToolResult) result = gh_fixture_call(fixture, ways[way].arguments);
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error || !strstr(text, "red"))
            fail_msg("gh %s, %s: %s", version, ways[way].arguments, text);
    }
}

/* What failed is said, with gh's words, and is not taken for an absence. */
static void test_failures_are_no_absence(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *match, *err, *arguments, *want;
    } cases[] = {
        { "*actions/jobs/62/logs", "gh: Server Error (HTTP 502)", "{\"path\":\"run://o/r/5\"}",
          "\nThe log is not available: gh: Server Error (HTTP 502)" },
        { "*actions/jobs/62/logs", "gh: Gone (HTTP 410)", "{\"path\":\"run://o/r/5\"}",
          "\nThe log is not available (yet, or no more): gh: Gone (HTTP 410)" },
        { "*check-runs/62/annotations", "gh: Resource not accessible (HTTP 403)",
          "{\"path\":\"run://o/r/5\"}",
          "\nAnnotations unavailable: gh: Resource not accessible (HTTP 403)\n" },
        { "*actions/jobs/62", "gh: Server Error (HTTP 502)", "{\"path\":\"run://o/r/5\"}",
          "\nStep unavailable: gh: Server Error (HTTP 502)\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new(NULL);
        gh_fixture_reply(fixture, &(GhReply) { .match = "*actions/runs/5", .out = RUN_REPLY });
        gh_fixture_reply(fixture,
                         &(GhReply) { .match = "*actions/runs/5/jobs*", .out = JOBS_REPLY });
        gh_fixture_reply(fixture,
                         &(GhReply) { .match = cases[i].match, .err = cases[i].err, .status = 1 });
        gh_fixture_reply(fixture, &(GhReply) { .match = "*annotations", .out = "[]" });
        gh_fixture_reply(fixture, &(GhReply) { .match = "*logs", .out = "a log\n" });
        gh_fixture_reply(fixture, &(GhReply) { .match = "*jobs/62", .out = "{}" });
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error || !strstr(text, cases[i].want))
            fail_msg("%s: %s", cases[i].want, text);
    }
}

static void fire_when_started(void *data)
{
    GhFixture *fixture = data;
    for (int i = 0; i < 1000 && gh_fixture_pid(fixture, 0) == 0; i++)
        g_usleep(10 * 1000);
    g_usleep(100 * 1000);
    cancel_fire(fixture->cancel);
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply(fixture, &(GhReply) { .out = "{}", .sleep_s = 60 });
    Worker *worker = worker_start("user", fire_when_started, fixture);
    g_auto(ToolResult) result = gh_fixture_call(fixture, view);
    worker_join(worker);
    gh_expect_error("github-T68", &result, "Operation aborted");
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    int64_t pid = gh_fixture_pid(fixture, 0);
    assert_true(pid > 0);
    assert_int_equal(kill((pid_t)pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

typedef struct Caller {
    GhFixture *fixture;
    bool is_error;
} Caller;

static void caller_run(void *data)
{
    Caller *caller = data;
    g_auto(ToolResult) result = gh_fixture_call(caller->fixture, view);
    caller->is_error = result.is_error;
}

/* A gh that says how many of them run; with more callers than places. */
static void test_at_most_four_at_once(void **state G_GNUC_UNUSED)
{
    enum { CALLERS = 10 };
    static const char script[] = "#!/bin/sh\n"
                                 "d=${0%/*}/../stub\n"
                                 ">\"$d/running.$$\"\n"
                                 "set -- \"$d\"/running.*\n"
                                 "[ $# -le 4 ] || >\"$d/too-many\"\n"
                                 "sleep 0.2\n"
                                 "rm \"$d/running.$$\"\n"
                                 "echo '{}'\n";
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autofree char *gh = g_build_filename(fixture->bin, "gh", NULL);
    assert_true(g_file_set_contents(gh, script, -1, NULL));
    assert_int_equal(chmod(gh, 0755), 0);
    Caller callers[CALLERS];
    Worker *workers[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (Caller) { .fixture = fixture };
        workers[i] = worker_start("caller", caller_run, &callers[i]);
    }
    for (int i = 0; i < CALLERS; i++) {
        worker_join(workers[i]);
        assert_false(callers[i].is_error);
    }
    g_autofree char *mark = g_build_filename(fixture->dir, "stub", "too-many", NULL);
    assert_false(file_exists(mark));
}

static void make_planted(const char *dir, const char *answer)
{
    assert_true(file_make_dirs(dir, 0700, NULL));
    g_autofree char *gh = g_build_filename(dir, "gh", NULL);
    g_autofree char *script =
        g_strdup_printf("#!/bin/sh\necho '{\"nameWithOwner\":\"%s\"}'\n", answer);
    assert_true(g_file_set_contents(gh, script, -1, NULL));
    assert_int_equal(chmod(gh, 0755), 0);
}

static void expect_heading(const char *name, const ToolResult *result, const char *heading)
{
    g_autofree char *text = tool_result_text(result);
    g_autofree char *line = g_strndup(text, strcspn(text, "\n"));
    if (strcmp(line, heading) != 0)
        fail_msg("%s: %s", name, text);
}

/* A project must not bring its own gh, wherever in the repository the conversation stands. */
static void test_planted_gh(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autofree char *git = g_build_filename(fixture->cwd, ".git", NULL);
    g_autofree char *planted = g_build_filename(fixture->cwd, "bin", NULL);
    g_autofree char *below = g_build_filename(fixture->cwd, "src", NULL);
    assert_true(file_make_dirs(git, 0700, NULL));
    assert_true(file_make_dirs(below, 0700, NULL));
    make_planted(planted, "planted/gh");
    g_autofree char *path = g_strconcat(planted, ":", g_getenv("PATH"), NULL);
    g_setenv("PATH", path, true);
    gh_fixture_reply(fixture,
                     &(GhReply) { .out = "{\"nameWithOwner\":\"o/r\"}", .is_repeated = true });
    g_auto(ToolResult) at_root = gh_fixture_call(fixture, view);
    expect_heading("at the root", &at_root, "# o/r");
    g_auto(ToolResult) in_folder = gh_fixture_call_in(fixture, below, view);
    expect_heading("in a folder", &in_folder, "# o/r");
}

/* The user may name a gh, wherever it is. */
static void test_named_executable(void **state G_GNUC_UNUSED)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-named-XXXXXX", NULL);
    g_autofree char *bin = g_build_filename(dir, "work", "bin", NULL);
    g_autofree char *cwd = g_build_filename(dir, "work", NULL);
    make_planted(bin, "named/gh");
    g_autofree char *settings = g_strdup_printf("{\"gh\":{\"executable\":\"%s/gh\"}}", bin);
    g_autoptr(GhFixture) fixture = gh_fixture_new_with(settings);
    g_auto(ToolResult) result = gh_fixture_call_in(fixture, cwd, view);
    expect_heading("named", &result, "# named/gh");

    g_autoptr(GhFixture) relative = gh_fixture_new_with("{\"gh\":{\"executable\":\"bin/gh\"}}");
    g_auto(ToolResult) refused = gh_fixture_call_in(relative, cwd, view);
    gh_expect_error("relative", &refused, E1);
    assert_true(file_remove_tree(dir, NULL));
}

/* 65 MiB of JSON; memory holds one of them at a time. */
static void test_too_much_output(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autofree char *gh = g_build_filename(fixture->bin, "gh", NULL);
    assert_true(
        g_file_set_contents(gh, "#!/bin/sh\nhead -c 68157440 /dev/zero | tr '\\0' x\n", -1, NULL));
    assert_int_equal(chmod(gh, 0755), 0);
    g_auto(ToolResult) result = gh_fixture_call(fixture, view);
    gh_expect_error("E6", &result, "GitHub CLI output exceeded 64 MiB: gh repo view --json " REPO);
    assert_int_equal(result.failure, KEDGE_ERROR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures),         cmocka_unit_test(test_gh_is_gone),
        cmocka_unit_test(test_environment),      cmocka_unit_test(test_host_of_the_environment),
        cmocka_unit_test(test_escape_sequences), cmocka_unit_test(test_failures_are_no_absence),
        cmocka_unit_test(test_cancel),           cmocka_unit_test(test_at_most_four_at_once),
        cmocka_unit_test(test_planted_gh),       cmocka_unit_test(test_named_executable),
        cmocka_unit_test(test_too_much_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
