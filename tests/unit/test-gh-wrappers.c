/*
 * The fifteen gh_* wrappers through the real tool_call(): exact command lines, refusals, and what
 * is made of answers.
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"

#include "github/github.h"
#include "github/safe/gh_profile.h"
#include "github/safe/gh_wrapper_args.h"
#include "tool/context.h"

#define ITEM   "number,title,state,author,createdAt,url,body"
#define CHECKS "name,state,bucket,startedAt,completedAt,link,workflow"

typedef struct ArgvCase {
    const char *name;
    const ToolDef *tool;
    const char *arguments;
    const char *want; // joined with |
} ArgvCase;

static const ArgvCase argvs[] = {
    { "gh-12.3-1", &tool_gh_repo_view, "{\"repo\":\"o/r\"}",
      "repo|view|github.com/o/"
      "r|--json|name,nameWithOwner,description,defaultBranchRef,url,visibility" },
    { "gh-12.3-2", &tool_gh_pr_view, "{\"number\":171,\"repo\":\"ghe.example.com/o/r\"}",
      "pr|view|171|--repo|ghe.example.com/o/r|--json|" ITEM },
    { "gh-12.4-1", &tool_gh_pr_view,
      "{\"number\":1,\"repo\":\"o/"
      "r\",\"include_body\":false,\"include_comments\":true,\"include_reviews\":true}",
      "pr|view|1|--repo|github.com/o/"
      "r|--json|number,title,state,author,createdAt,url,comments,reviews" },
    { "gh-12.3-3", &tool_gh_pr_list, "{\"repo\":\"o/r\"}",
      "pr|list|--repo|github.com/o/"
      "r|--limit|30|--json|number,title,state,author,createdAt,headRefName" },
    { "gh-12.4-2 filters", &tool_gh_pr_list,
      "{\"repo\":\"o/"
      "r\",\"state\":\"merged\",\"author\":\"a\",\"assignee\":\"b\",\"base\":\"main\",\"head\":\"x/"
      "y\","
      "\"label\":[\"l 1\",\"l2\"],\"draft\":false,\"search\":\"-label:bug x\",\"fields\":\"number, "
      "title\",\"limit\":7}",
      "pr|list|--repo|github.com/o/"
      "r|--limit|7|--json|number,title|--state|merged|--author|a|--assignee|b|--base|main|"
      "--head|x/y|--label|l 1|--label|l2|--draft=false|--search=-label:bug x" },
    { "gh-12.1-12 below one", &tool_gh_issue_list,
      "{\"repo\":\"o/r\",\"limit\":-4,\"label\":\"bug\"}",
      "issue|list|--repo|github.com/o/"
      "r|--limit|1|--json|number,title,state,author,createdAt,labels|--label|bug" },
    { "gh-12.1-13 above the maximum", &tool_gh_issue_list,
      "{\"repo\":\"o/r\",\"limit\":5000,\"milestone\":\"v1\",\"mention\":\"m\"}",
      "issue|list|--repo|github.com/o/"
      "r|--limit|100|--json|number,title,state,author,createdAt,labels|--milestone|v1|"
      "--mention|m" },
    { "gh-12.3-4", &tool_gh_pr_diff, "{\"number\":5,\"repo\":\"o/r\",\"format\":\"text\"}",
      "pr|diff|5|--repo|github.com/o/r|--color|never" },
    { "gh-12.3-5", &tool_gh_pr_diff, "{\"number\":5,\"repo\":\"o/r\",\"name_only\":true}",
      "pr|diff|5|--repo|github.com/o/r|--color|never|--name-only" },
    { "gh-12.3-6", &tool_gh_pr_checks, "{\"number\":5,\"repo\":\"o/r\",\"required\":true}",
      "pr|checks|5|--repo|github.com/o/r|--json|" CHECKS "|--required" },
    { "gh-12.3-7", &tool_gh_pr_files, "{\"number\":5,\"repo\":\"o/r\"}",
      "pr|view|5|--repo|github.com/o/r|--json|files" },
    { "gh-12.3-8", &tool_gh_pr_current, "{}", "pr|view|--json|" ITEM },
    { "gh-12.3-9 url is always asked for", &tool_gh_pr_current, "{\"fields\":\"title\"}",
      "pr|view|--json|title,url" },
    { "gh-12.3-10", &tool_gh_issue_view,
      "{\"number\":5,\"repo\":\"o/r\",\"include_comments\":true}",
      "issue|view|5|--repo|github.com/o/r|--json|" ITEM ",comments" },
    { "gh-12.3-11", &tool_gh_run_view,
      "{\"run_id\":12345678901,\"repo\":\"o/r\",\"attempt\":2,\"include_jobs\":true}",
      "run|view|12345678901|--repo|github.com/o/"
      "r|--json|databaseId,name,status,conclusion,startedAt,headBranch,event,"
      "url,jobs|--attempt|2" },
    { "gh-12.3-12", &tool_gh_run_list,
      "{\"repo\":\"o/"
      "r\",\"workflow\":\"ci.yml\",\"branch\":\"main\",\"status\":\"failure\",\"event\":\"push\","
      "\"user\":\"u\",\"commit\":\"abc\",\"created\":\">2026-01-01\"}",
      "run|list|--repo|github.com/o/"
      "r|--limit|20|--json|databaseId,name,status,conclusion,startedAt,headBranch|"
      "--workflow|ci.yml|--branch|main|--status|failure|--event|push|--user|u|--commit|abc|--"
      "created|>2026-01-01" },
    { "gh-12.3-13", &tool_gh_run_logs_failed, "{\"run_id\":\"9876543210\",\"repo\":\"o/r\"}",
      "run|view|9876543210|--repo|github.com/o/r|--log-failed" },
    { "gh-12.3-14", &tool_gh_run_logs_failed, "{\"job\":77,\"repo\":\"o/r\"}",
      "run|view|--job|77|--repo|github.com/o/r|--log-failed" },
    { "gh-12.5-6 words of a search", &tool_gh_search_prs,
      "{\"query\":\"crash \\\"out of memory\\\" -label:bug label:\\\"good "
      "first\\\"\",\"state\":\"open\",\"merged\":true,"
      "\"draft\":false,\"review\":\"approved\"}",
      "search|prs|--limit|30|--json|number,title,state,author,repository,url|--state|open|--merged|"
      "--draft=false|"
      "--review|approved|--|crash|out of memory|-label:bug|label:good first" },
    { "gh-12.5-7 a repository is a condition", &tool_gh_search_issues,
      "{\"repo\":\"ghe.example.com/o/"
      "r\",\"owner\":\"x\",\"sort\":\"created\",\"order\":\"asc\",\"limit\":3}",
      "search|issues|--limit|3|--json|number,title,state,author,repository,url|--repo|o/"
      "r|--owner|x|--sort|created|"
      "--order|asc" },
    { "gh-12.3-15", &tool_gh_api_get,
      "{\"endpoint\":\"repos/o/r/readme?ref=x\",\"headers\":[\"Accept: "
      "application/vnd.github.raw+json\"]}",
      "api|repos/o/r/readme?ref=x|--method|GET|--hostname|github.com|-H|Accept: "
      "application/vnd.github.raw+json" },
    { "gh-12.5-8 placeholders", &tool_gh_api_get,
      "{\"endpoint\":\"repos/{owner}/{repo}/releases\",\"repo\":\"ghe.example.com/x/y\"}",
      "api|repos/x/y/releases|--method|GET|--hostname|ghe.example.com" },
    { "null is absent", &tool_gh_pr_view,
      "{\"number\":1,\"repo\":\"o/r\",\"fields\":null,\"hostname\":null}",
      "pr|view|1|--repo|github.com/o/r|--json|" ITEM },
};

static void test_argv(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(argvs); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        fixture->tool = argvs[i].tool;
        gh_fixture_reply_out(fixture, "{}");
        g_auto(ToolResult) result = gh_fixture_call(fixture, argvs[i].arguments);
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error)
            fail_msg("%s: %s", argvs[i].name, text);
        gh_expect_argv(argvs[i].name, fixture, 0, argvs[i].want);
        if (!str_has_prefix(text, "[gh "))
            fail_msg("%s: no header: %s", argvs[i].name, text);
    }
}

typedef struct RefusedCase {
    const char *name;
    const ToolDef *tool;
    const char *arguments;
    const char *want; // the first words behind "Error: "
    const char *kind;
} RefusedCase;

#define INVALID "invalid-args"

static const RefusedCase refusals[] = {
    { "gh-12.4-3 no number", &tool_gh_pr_view, "{\"repo\":\"o/r\"}",
      "Invalid arguments: number: must have required property 'number'.", INVALID },
    { "gh-12.4-4 zero", &tool_gh_pr_view, "{\"number\":0,\"repo\":\"o/r\"}",
      "Invalid arguments: number must be between 1 and 2147483647.", INVALID },
    { "gh-12.4-5 exact", &tool_gh_pr_view, "{\"number\":\"5\",\"repo\":\"o/r\"}",
      "Invalid arguments: number: must be integer.", INVALID },
    { "gh-12.4-6 an id", &tool_gh_run_view, "{\"run_id\":\"12a\",\"repo\":\"o/r\"}",
      "Invalid arguments: run_id must be a positive integer or a string of 1 to 19 digits.",
      INVALID },
    { "gh-12.4-7 too many digits", &tool_gh_run_view,
      "{\"run_id\":\"12345678901234567890\",\"repo\":\"o/r\"}", "Invalid arguments: run_id must be",
      INVALID },
    { "gh-12.4-8 neither", &tool_gh_run_logs_failed, "{\"repo\":\"o/r\"}",
      "Invalid arguments: give either run_id or job.", INVALID },
    { "gh-12.4-9 both", &tool_gh_run_logs_failed, "{\"run_id\":1,\"job\":2,\"repo\":\"o/r\"}",
      "Invalid arguments: give either run_id or job.", INVALID },
    { "gh-12.4-10 no JSON of a diff", &tool_gh_pr_diff,
      "{\"number\":5,\"repo\":\"o/r\",\"format\":\"json\"}",
      "Invalid arguments: gh_pr_diff returns text only; use gh_pr_files for structured file data.",
      INVALID },
    { "gh-12.4-11 no repository of one's own", &tool_gh_pr_current, "{\"repo\":\"o/r\"}",
      "Invalid arguments: repo: unknown field", INVALID },
    { "a state that gh has not", &tool_gh_pr_list, "{\"repo\":\"o/r\",\"state\":\"odd\"}",
      "Invalid arguments: state: must be one of: open, closed, merged, all.", INVALID },
    { "gh-12.1-14 an option", &tool_gh_pr_list, "{\"repo\":\"o/r\",\"author\":\"--web\"}",
      "Invalid arguments: author must not start with \"-\".", INVALID },
    { "gh-12.1-15 empty", &tool_gh_pr_list, "{\"repo\":\"o/r\",\"label\":[\"a\",\"\"]}",
      "Invalid arguments: label must not be empty.", INVALID },
    { "gh-14-21 direction of text", &tool_gh_pr_list, "{\"repo\":\"o/r\",\"search\":\"a\\u202eb\"}",
      "Invalid arguments: search contains a control character.", INVALID },
    { "gh-12.6-4 a field", &tool_gh_repo_view, "{\"repo\":\"o/r\",\"fields\":\"assignableUsers\"}",
      "Invalid arguments: Unknown field \"assignableUsers\" for gh_repo_view. Allowed: id, name,",
      INVALID },
    { "gh-12.6-5 heavy ones", &tool_gh_pr_view,
      "{\"number\":1,\"repo\":\"o/r\",\"fields\":\"files\",\"include_comments\":true}",
      "Invalid arguments: Only one of these fields per call: files, comments.", INVALID },
    { "gh-12.4-12 a search for nothing", &tool_gh_search_prs, "{\"query\":\" \"}",
      "Invalid arguments: give a query or a filter.", INVALID },
    { "gh-12.1-16 no repository", &tool_gh_pr_list, "{}",
      "No repository: pass repo as [HOST/]OWNER/REPO", "no-repo" },
    { "gh-14-12 an unknown host", &tool_gh_pr_list, "{\"repo\":\"evil.example/o/r\"}",
      "Blocked by V1 policy: host \"evil.example\" is not a known host; add it to gh.knownHosts.",
      "policy-blocked" },
    { "gh-12.5-9 a method", &tool_gh_api_get, "{\"endpoint\":\"user\",\"method\":\"DELETE\"}",
      "Invalid arguments: gh_api_get is read-only: method is not accepted; use the gh tool.",
      INVALID },
    { "gh-12.5-10 a short one", &tool_gh_api_get, "{\"endpoint\":\"user\",\"-X\":\"DELETE\"}",
      "Invalid arguments: gh_api_get is read-only: -X is not accepted; use the gh tool.", INVALID },
    { "gh-12.5-11 smuggled in", &tool_gh_api_get, "{\"endpoint\":\"--input=x\"}",
      "Invalid arguments: gh_api_get is read-only: --input is not accepted; use the gh tool.",
      INVALID },
    { "gh-12.5-12 in a header", &tool_gh_api_get,
      "{\"endpoint\":\"user\",\"headers\":[\"-XDELETE\"]}",
      "Invalid arguments: gh_api_get is read-only: -XDELETE is not accepted; use the gh tool.",
      INVALID },
    { "gh-12.5-13 graphql", &tool_gh_api_get, "{\"endpoint\":\"graphql\"}",
      "Invalid arguments: graphql needs POST; use the gh tool.", INVALID },
    { "gh-12.5-14 in other words", &tool_gh_api_get, "{\"endpoint\":\"/%67raphQL/?x\"}",
      "Invalid arguments: graphql needs POST; use the gh tool.", INVALID },
    { "gh-14-28 a credential", &tool_gh_api_get,
      "{\"endpoint\":\"user\",\"headers\":[\"Authorization: x\"]}",
      "Invalid arguments: headers must be", INVALID },
    { "gh-14-18 an override", &tool_gh_api_get,
      "{\"endpoint\":\"user\",\"headers\":[\"X-HTTP-Method-Override: DELETE\"]}",
      "Invalid arguments: headers must be", INVALID },
    { "gh-14-20 a path that leaves", &tool_gh_api_get, "{\"endpoint\":\"repos/o/r/../../user\"}",
      "Blocked by V1 policy: path traversal.", "policy-blocked" },
    { "gh-14-12 another host's URL", &tool_gh_api_get,
      "{\"endpoint\":\"https://evil.example/user\"}",
      "Blocked by V1 policy: request to another host.", "policy-blocked" },
};

static void check_refusal(const RefusedCase *one)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = one->tool;
    g_auto(ToolResult) result = gh_fixture_call(fixture, one->arguments);
    g_autofree char *text = tool_result_text(&result);
    g_auto(GStrv) lines = g_strsplit(text, "\n", 2);
    g_autofree char *ending = g_strconcat(" ", one->kind, "]", NULL);
    if (!result.is_error || !str_has_prefix(lines[0], "[gh ") ||
        !g_str_has_suffix(lines[0], ending))
        fail_msg("%s: got\n%s", one->name, text);
    if (!str_has_prefix(lines[1], "Error: ") ||
        !str_has_prefix(lines[1] + strlen("Error: "), one->want))
        fail_msg("%s: got\n%s", one->name, text);
    if (strstr(text, "..") && !strstr(one->arguments, ".."))
        fail_msg("%s: two full stops:\n%s", one->name, text);
    gh_expect_calls(one->name, fixture, 0);
}

static void test_refusals(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++)
        check_refusal(&refusals[i]);
}

typedef struct AnswerCase {
    const char *name;
    const ToolDef *tool;
    const char *arguments;
    GhReply reply;
    const char *want;
    const char *version; // NULL: 2.92.0
} AnswerCase;

static const AnswerCase answers[] = {
    { "gh-12.5-15 no checks",
      &tool_gh_pr_checks,
      "{\"number\":5,\"repo\":\"o/r\"}",
      { .err = "no checks reported on the 'main' branch\n", .status = 1 },
      "[gh github.com/o/r read ok 0.0KB]\n[]",
      NULL },
    { "gh-12.5-16 no pull request",
      &tool_gh_pr_current,
      "{}",
      { .err = "no pull requests found for branch \"topic/x\"\n", .status = 1 },
      "[gh github.com read ok 0.0KB]\nno pull request for branch \"topic/x\"",
      NULL },
    { "gh-12.5-17 the target is what gh found",
      &tool_gh_pr_current,
      "{}",
      { .out = "{\"url\":\"https://ghe.example.com/p/q/pull/5\"}\n" },
      "[gh ghe.example.com/p/q read ok 0.0KB]\n{\"url\":\"https://ghe.example.com/p/q/pull/5\"}\n",
      NULL },
    { "gh-12.5-18 checks of an older gh",
      &tool_gh_pr_checks,
      "{\"number\":5,\"repo\":\"o/r\",\"fields\":\"name,bucket\"}",
      { .match = "pr view 5 --repo github.com/o/r --json statusCheckRollup",
        .out = "{\"statusCheckRollup\":[{\"name\":\"b\",\"status\":\"COMPLETED\",\"conclusion\":"
               "\"SUCCESS\"}]}" },
      "[gh github.com/o/r read ok 0.1KB]\n[{\"name\":\"b\",\"bucket\":\"pass\"}]",
      "2.46.0" },
    { "gh-12.1-17 bytes of gh when nothing is cut",
      &tool_gh_issue_view,
      "{\"number\":5,\"repo\":\"o/r\"}",
      { .out = "{ \"b\": 1.50,  \"a\": \"\\u00e9\" }\n" },
      "[gh github.com/o/r read ok 0.0KB]\n{ \"b\": 1.50,  \"a\": \"\\u00e9\" }\n",
      NULL },
    { "a log in another form stays as it is",
      &tool_gh_run_logs_failed,
      "{\"run_id\":5,\"repo\":\"o/r\"}",
      { .out = "no such log\n" },
      "[gh github.com/o/r read ok 0.0KB]\nno such log\n",
      NULL },
    { "other errors stay errors",
      &tool_gh_pr_checks,
      "{\"number\":5,\"repo\":\"o/r\"}",
      { .err = "no pull requests found for branch \"x\"\n", .status = 1 },
      "[gh github.com/o/r read error gh-exit]\nError: gh exited with status 1.\n"
      "no pull requests found for branch \"x\"\n"
      "Reproduce: GH_PROMPT_DISABLED=1 GH_PAGER=cat gh pr checks 5 --repo github.com/o/r "
      "--json " CHECKS,
      NULL },
};

static void check_answer(const AnswerCase *one)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = one->tool;
    if (one->version)
        gh_fixture_set_version(fixture, one->version);
    gh_fixture_reply(fixture, &one->reply);
    g_auto(ToolResult) result = gh_fixture_call(fixture, one->arguments);
    g_autofree char *text = tool_result_text(&result);
    if (strcmp(text, one->want) != 0)
        fail_msg("%s: got\n%s", one->name, text);
}

static void test_answers(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++)
        check_answer(&answers[i]);
}

/* Megabytes of what passed stand before each error: of every failed step it is the error that is
   shown, in a few KB. */
static void test_failed_steps(void **state G_GNUC_UNUSED)
{
    static const char *const steps[] = { "build\tmake", "build\tcheck", "lint\tall of it" };
    g_autoptr(GString) log = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        for (int line = 1; line <= 20000; line++)
            g_string_append_printf(log, "%s\t2026-01-01T00:00:00.1Z PASS %d\n", steps[i], line);
        g_string_append_printf(log,
                               "%s\t2026-01-01T00:00:01.1Z not ok %zu\n"
                               "%s\t2026-01-01T00:00:01.2Z ##[error]exit code 2\n"
                               "%s\t2026-01-01T00:00:02.1Z cleaned up\n",
                               steps[i], i, steps[i], steps[i]);
    }
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = &tool_gh_run_logs_failed;
    gh_fixture_reply_out(fixture, log->str);
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"run_id\":5,\"repo\":\"o/r\"}");
    g_autofree char *text = tool_result_text(&result);
    static const char *const wants[] = {
        "[gh github.com/o/r read ok ",
        "## build: make\nLines 19974 to 20003 of 20003:\nPASS 19974\n",
        "\nPASS 20000\nnot ok 0\n##[error]exit code 2\ncleaned up\n\n## build: check\n",
        "\nnot ok 1\n",
        "## lint: all of it\n",
        "\nnot ok 2\n##[error]exit code 2\ncleaned up\n"
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wants); i++) {
        if (!strstr(text, wants[i]))
            fail_msg("no %s in\n%s", wants[i], text);
    }
    assert_true(strlen(text) < 4096);
}

static void test_bodies(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments;
        bool is_cut;
    } cases[] = {
        { "gh-12.1-18", "{\"number\":5,\"repo\":\"o/r\"}", true },
        { "gh-12.1-19", "{\"number\":5,\"repo\":\"o/r\",\"include_body\":true}", false },
    };
    g_autofree char *body = g_strnfill(5000, 'b');
    g_autofree char *out = g_strdup_printf("{\"number\":5,\"body\":\"%s\"}", body);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        fixture->tool = &tool_gh_pr_view;
        gh_fixture_reply_out(fixture, out);
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        g_autofree char *text = tool_result_text(&result);
        bool is_cut = strstr(text, "[body truncated: 2048 of 5000 bytes]") != NULL;
        if (is_cut != cases[i].is_cut ||
            !str_has_prefix(text, "[gh github.com/o/r read ok 4.9KB]\n"))
            fail_msg("%s: got\n%s", cases[i].name, text);
    }
}

static void test_many_files(void **state G_GNUC_UNUSED)
{
    for (unsigned count = 99; count <= 100; count++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        fixture->tool = &tool_gh_pr_files;
        GString *out = g_string_new("{\"files\":[");
        for (unsigned i = 0; i < count; i++)
            g_string_append_printf(out, "%s{\"path\":\"f%u\"}", i > 0 ? "," : "", i);
        g_string_append(out, "]}\n");
        gh_fixture_reply_out(fixture, out->str);
        g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"number\":5,\"repo\":\"o/r\"}");
        g_autofree char *text = tool_result_text(&result);
        bool has_note =
            g_str_has_suffix(text, "]}\nfirst 100 files only; use gh_api_get "
                                   "repos/o/r/pulls/5/files?per_page=100&page=2 for more");
        assert_int_equal(has_note, count == 100); // gh-12.5-19
        g_string_free(out, true);
    }
}

static void test_search_host(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = &tool_gh_search_prs;
    gh_fixture_reply_out(fixture, "[]");
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"repo\":\"ghe.example.com/o/r\"}");
    gh_expect_text("gh-12.5-20", &result, "[gh ghe.example.com read ok 0.0KB]\n[]");
    g_auto(GStrv) env = gh_fixture_environment(fixture, 0);
    assert_string_equal(g_environ_getenv(env, "GH_HOST"), "ghe.example.com");
    assert_null(g_environ_getenv(env, "GH_REPO"));
}

/* In a fork's clone the pull request of the branch lives in the parent. */
static void test_current_in_fork(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = &tool_gh_pr_current;
    git_do(fixture->cwd, "init", "--quiet", "--initial-branch=main", NULL);
    git_do(fixture->cwd, "remote", "add", "origin", "https://github.com/me/r", NULL);
    git_do(fixture->cwd, "remote", "add", "upstream", "https://github.com/parent/r", NULL);
    git_do(fixture->cwd, "config", "branch.main.remote", "origin", NULL);
    gh_fixture_reply_out(fixture, "{}");
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{}");
    gh_expect_text("gh-1.7-10", &result, "[gh github.com/parent/r read ok 0.0KB]\n{}");
    g_auto(GStrv) env = gh_fixture_environment(fixture, 0);
    assert_string_equal(g_environ_getenv(env, "GH_REPO"), "github.com/parent/r");
    assert_string_equal(json_get_text(result.details, "source"), "upstream");
}

static void test_context(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = &tool_gh_pr_view;
    git_do(fixture->cwd, "init", "--quiet", NULL);
    git_do(fixture->cwd, "remote", "add", "origin", "https://github.com/o/r", NULL);
    gh_fixture_reply_out(fixture, "{}");
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"number\":5}");
    gh_expect_argv("gh-12.1-20", fixture, 0, "pr|view|5|--repo|github.com/o/r|--json|" ITEM);
    assert_string_equal(json_get_text(result.details, "source"), "origin");
}

static void test_denied_host(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture =
        gh_fixture_new_with("{\"gh\":{\"hostPolicy\":{\"github.com\":\"deny\"}}}");
    fixture->tool = &tool_gh_pr_view;
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"number\":5,\"repo\":\"o/r\"}");
    g_autofree char *text = tool_result_text(&result);
    assert_true(str_has_prefix(text,
                               "[gh github.com/o/r pr read policy-blocked]\n"
                               "Error: Blocked by V1 policy: reads are disabled for github.com."));
    gh_expect_calls("gh-12.1-21", fixture, 0);
}

static void test_words(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *query, *want;
    } cases[] = {
        { "a  b\tc", "a|b|c" },
        { "\"a b\" c", "a b|c" },
        { "label:\"a b\"x", "label:a bx" },
        { "\"open end", "open end" },
        { " ", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) words = gh_search_words(cases[i].query);
        g_autofree char *got = g_strjoinv("|", words);
        assert_string_equal(got, cases[i].want);
    }
}

static void test_profiles(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *settings;
        GhDoor door;
        bool has_general, has_wrappers;
    } cases[] = {
        { "gh-5.5-1 an own session", "{}", GH_DOOR_OWN_SESSION, true, false },
        { "gh-5.5-2 others", "{}", GH_DOOR_OTHERS, true, true },
        { "gh-5.5-3 full", "{\"gh\":{\"profile\":\"full\"}}", GH_DOOR_OWN_SESSION, true, true },
        { "gh-5.5-4 read-only", "{\"gh\":{\"profile\":\"read-only\"}}", GH_DOOR_OTHERS, false,
          true },
        { "gh-5.5-5 off", "{\"gh\":{\"profile\":\"off\"}}", GH_DOOR_OTHERS, false, false },
        { "a typing error opens nothing", "{\"gh\":{\"profile\":\"ful\"}}", GH_DOOR_OTHERS, false,
          false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) overrides = NULL;
        assert_true(json_parse_text(cases[i].settings, &overrides, NULL));
        g_autoptr(Settings) settings = settings_new(overrides);
        if (gh_profile_offers(settings, cases[i].door, GH_TOOL_GENERAL) != cases[i].has_general ||
            gh_profile_offers(settings, cases[i].door, GH_TOOL_WRAPPER) != cases[i].has_wrappers ||
            gh_profile_offers(settings, cases[i].door, GH_TOOL_REVIEW) !=
                (cases[i].has_general && cases[i].has_wrappers)) // it reads and writes
            fail_msg("%s", cases[i].name);
    }
}

/* A project narrows the profile and does not widen it (gh-14-17). */
static void test_project_profile(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *user, *project;
        bool has_general, has_wrappers;
    } cases[] = {
        { "", "gh: {profile: full}\n", true, false },
        { "gh: {profile: full}\n", "gh: {profile: read-only}\n", false, true },
        { "gh: {profile: general}\n", "gh: {profile: read-only}\n", false, false },
        { "gh: {profile: off}\n", "gh: {profile: full}\n", false, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        g_autofree char *user = g_build_filename(fixture->dir, "config.yml", NULL);
        g_autofree char *dir = g_build_filename(fixture->cwd, ".kedge", NULL);
        g_autofree char *project = g_build_filename(dir, "config.yml", NULL);
        assert_int_equal(g_mkdir_with_parents(dir, 0700), 0);
        assert_true(g_file_set_contents(user, cases[i].user, -1, NULL));
        assert_true(g_file_set_contents(project, cases[i].project, -1, NULL));
        g_autoptr(Settings) settings = settings_load(fixture->dir, fixture->cwd, NULL);
        assert_int_equal(tool_gh.is_available(settings), cases[i].has_general);
        assert_int_equal(tool_gh_pr_view.is_available(settings), cases[i].has_wrappers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_argv),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_failed_steps),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_many_files),
        cmocka_unit_test(test_search_host),
        cmocka_unit_test(test_current_in_fork),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_denied_host),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_project_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
