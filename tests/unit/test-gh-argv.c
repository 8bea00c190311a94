/*
 * What gh is asked: the argument vectors of github-tool §9.2, element by element (joined with "|"
 * here).
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"

#include <unistd.h>

#define REPO                                                                                       \
    "nameWithOwner,description,url,defaultBranchRef,homepageUrl,forkCount,isArchived,isFork,"      \
    "primaryLanguage,repositoryTopics,stargazerCount,updatedAt,viewerPermission,visibility"
#define PR_NC                                                                                      \
    "author,baseRefName,body,createdAt,files,headRefName,isDraft,labels,mergeStateStatus,number,"  \
    "reviews,reviewDecision,state,title,updatedAt,url"
#define MAX_CALLS 3

static const char created[] = "https://github.com/harbor/tidepool/pull/90\n";

static const struct {
    const char *name, *arguments, *reply;
    const char *want[MAX_CALLS]; // every call; NULL after the last
} cases[] = {
    { "github-T24", "{\"op\":\"repo_view\"}", "{}", { "repo|view|harbor/tidepool|--json|" REPO } },
    { "github-T25",
      "{\"op\":\"repo_view\",\"repo\":\" harbor/tidepool \",\"branch\":\"dev\"}",
      "{}",
      { "repo|view|harbor/tidepool|--branch|dev|--json|" REPO } },
    { "a bare name",
      "{\"op\":\"repo_view\",\"repo\":\"tidepool\"}",
      "{}",
      { "repo|view|tidepool|--json|" REPO } },
    { "a URL is reduced",
      "{\"op\":\"repo_view\",\"repo\":\"https://github.com/harbor/tidepool.git\"}",
      "{}",
      { "repo|view|harbor/tidepool|--json|" REPO } },
    { "a URL of another host keeps it",
      "{\"op\":\"repo_view\",\"repo\":\"https://ghe.example.com/o/r\"}",
      "{}",
      { "repo|view|ghe.example.com/o/r|--json|" REPO } },
    { "github-T26",
      "{\"op\":\"pr_create\",\"title\":\"T\"}",
      created,
      { "pr|create|--title|T|--body|", "pr|view|90|--repo|harbor/tidepool|--json|" PR_NC } },
    { "github-T27",
      "{\"op\":\"pr_create\",\"repo\":\"harbor/tidepool\",\"title\":\"T\",\"base\":\"trunk\","
      "\"head\":\"f\",\"draft\":true,\"reviewer\":[\"a\",\"b\"],\"assignee\":[\"@me\"],"
      "\"label\":[\"bug\",\" \"]}",
      "created",
      { "pr|create|--repo|harbor/tidepool|--title|T|--base|trunk|--head|f|--draft|--reviewer|a|"
        "--reviewer|b|--assignee|@me|--label|bug|--body|" } },
    { "github-T28", "{\"op\":\"pr_create\",\"fill\":true}", "created", { "pr|create|--fill" } },
    { "github-T30",
      "{\"op\":\"pr_create\",\"title\":\"T\"}",
      "Creating pull request\n https://github.com/harbor/tidepool/pull/90 \n",
      { "pr|create|--title|T|--body|", "pr|view|90|--repo|harbor/tidepool|--json|" PR_NC } },
    { "the argument is the view's repository",
      "{\"op\":\"pr_create\",\"title\":\"T\",\"repo\":\"Harbor/Tidepool\"}",
      created,
      { "pr|create|--repo|Harbor/Tidepool|--title|T|--body|",
        "pr|view|90|--repo|Harbor/Tidepool|--json|" PR_NC } },
    { "github-T31",
      "{\"op\":\"search_issues\",\"query\":\"is:open clock\",\"since\":\"2026-01-01\"}",
      "{}",
      { "api|-X|GET|/search/issues|-f|q=is:open clock created:>=2026-01-01 "
        "repo:harbor/tidepool is:issue|-F|per_page=10" } },
    { "github-T33",
      "{\"op\":\"search_issues\",\"query\":\"x\",\"repo\":\"o/r\"}",
      "{}",
      { "api|-X|GET|/search/issues|-f|q=x repo:o/r is:issue|-F|per_page=10" } },
    { "github-T34",
      "{\"op\":\"search_prs\",\"query\":\"x org:foo\"}",
      "{}",
      { "api|-X|GET|/search/issues|-f|q=x org:foo is:pr|-F|per_page=10" } },
    { "github-T35",
      "{\"op\":\"search_issues\"}",
      "{}",
      { "api|-X|GET|/search/issues|-f|q=repo:harbor/tidepool is:issue|-F|per_page=10" } },
    { "github-T36",
      "{\"op\":\"search_prs\",\"since\":\"2026-01-01\",\"until\":\"2026-02-01\","
      "\"dateField\":\"updated\"}",
      "{}",
      { "api|-X|GET|/search/issues|-f|q=updated:2026-01-01..2026-02-01 repo:harbor/tidepool "
        "is:pr|-F|per_page=10" } },
    { "github-T37",
      "{\"op\":\"search_code\",\"query\":\" tick \"}",
      "{}",
      { "api|-X|GET|/search/code|-f|q=tick repo:harbor/tidepool|-F|per_page=10|-H|"
        "Accept: application/vnd.github.text-match+json" } },
    { "github-T38",
      "{\"op\":\"search_commits\",\"query\":\"DST\",\"since\":\"2026-04-01\",\"dateField\":"
      "\"updated\"}",
      "{}",
      { "api|-X|GET|/search/commits|-f|q=DST committer-date:>=2026-04-01 "
        "repo:harbor/tidepool|-F|per_page=10" } },
    { "github-T39",
      "{\"op\":\"search_repos\",\"query\":\"tide\",\"since\":\"2026-01-01\",\"dateField\":"
      "\"updated\","
      "\"repo\":\"o/r\"}",
      "{}",
      { "api|-X|GET|/search/repositories|-f|q=tide pushed:>=2026-01-01|-F|per_page=10" } },
    { "github-T41",
      "{\"op\":\"search_issues\",\"query\":\"x\",\"repo\":\"ghe.example.com/o/r\"}",
      "{}",
      { "api|--hostname|ghe.example.com|-X|GET|/search/issues|-f|q=x repo:o/r is:issue|-F|"
        "per_page=10" } },
    { "github-T43",
      "{\"op\":\"search_issues\",\"query\":\"x -user:bob\"}",
      "{}",
      { "api|-X|GET|/search/issues|-f|q=x -user:bob is:issue|-F|per_page=10" } },
    { "github-T44",
      "{\"op\":\"search_issues\",\"query\":\"repo: x\"}",
      "{}",
      { "api|-X|GET|/search/issues|-f|q=repo: x repo:harbor/tidepool is:issue|-F|"
        "per_page=10" } },
    { "github-T45",
      "{\"op\":\"search_issues\",\"query\":\"x org:foo\",\"repo\":\"o/r\"}",
      "{}",
      { "api|-X|GET|/search/issues|-f|q=x org:foo repo:o/r is:issue|-F|per_page=10" } },
    { "no file is read for a query that begins with @",
      "{\"op\":\"search_repos\",\"query\":\"@x\"}",
      "{}",
      { "api|-X|GET|/search/repositories|-f|q=@x|-F|per_page=10" } },
};

static void test_argv(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        gh_fixture_set_origin(fixture, GH_FIXTURE_ORIGIN);
        gh_fixture_reply_out(fixture, cases[i].reply);
        gh_fixture_reply_out(fixture, "{}");
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error)
            fail_msg("%s: %s", cases[i].name, text);
        unsigned count = 0;
        for (; count < MAX_CALLS && cases[i].want[count]; count++)
            gh_expect_argv(cases[i].name, fixture, count, cases[i].want[count]);
        gh_expect_calls(cases[i].name, fixture, count);
    }
}

static void expect_line(const char *name, const ToolResult *result, const char *line, bool want)
{
    g_autofree char *text = tool_result_text(result);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    if (g_strv_contains((const char *const *)lines, line) != want)
        fail_msg("%s: '%s' in\n%s", name, line, text);
}

static void test_search_heads(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *line;
    } heads[] = {
        { "github-T35 without a query", "{\"op\":\"search_issues\"}", "Query: (none)" },
        { "github-T41 with the host", "{\"op\":\"search_issues\",\"repo\":\"ghe.example.com/o/r\"}",
          "Repository: ghe.example.com/o/r" },
        { "the default repository is named", "{\"op\":\"search_issues\"}",
          "Repository: harbor/tidepool" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        gh_fixture_set_origin(fixture, GH_FIXTURE_ORIGIN);
        gh_fixture_reply_out(fixture, "{}");
        g_auto(ToolResult) result = gh_fixture_call(fixture, heads[i].arguments);
        expect_line(heads[i].name, &result, heads[i].line, true);
    }
}

static void test_no_scope_without_a_repository(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_set_origin(fixture, NULL);
    gh_fixture_reply_out(fixture, "{}");
    g_auto(ToolResult) result = gh_fixture_call(
        fixture, "{\"op\":\"search_issues\",\"query\":\"is:open clock\",\"since\":\"2026-01-01\"}");
    assert_false(result.is_error);
    gh_expect_argv("github-T32", fixture, 0,
                   "api|-X|GET|/search/issues|-f|q=is:open clock created:>=2026-01-01 is:issue|-F|"
                   "per_page=10");
    g_autofree char *text = tool_result_text(&result);
    assert_null(strstr(text, "Repository:"));
}

static void test_empty_repository_search(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply(fixture, &(GhReply) { .status = 1,
                                           .err = "gh: Validation Failed (HTTP 422)\n",
                                           .out = "{\"message\":\"Validation Failed\"}" });
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"op\":\"search_repos\"}");
    gh_expect_argv("github-T40", fixture, 0,
                   "api|-X|GET|/search/repositories|-f|q=|-F|per_page=10");
    gh_expect_error("github-T40", &result, "gh: Validation Failed (HTTP 422)");
}

/* Which repository the directory is of is known without gh: by the same rule at every door. */
static void test_clone_without_gh(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *settings, *origin;
        const char *line; // NULL: none
    } clones[] = {
        { "", "https://github.com/harbor/tidepool.git", "Repository: harbor/tidepool" },
        { "", "https://unknown.example/harbor/tidepool.git", NULL },
        { "{\"gh\":{\"defaultHost\":\"ghe.corp\"}}", "git@ghe.corp:corp/tidepool",
          "Repository: corp/tidepool" },
        { "{\"gh\":{\"knownHosts\":[\"ghe.corp\"]}}", "git@ghe.corp:corp/tidepool",
          "Repository: ghe.corp/corp/tidepool" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(clones); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new_with(clones[i].settings);
        gh_fixture_set_origin(fixture, clones[i].origin);
        gh_fixture_reply_out(fixture, "{}");
        g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"op\":\"search_issues\"}");
        g_autofree char *text = tool_result_text(&result);
        if (!strstr(text, clones[i].line ? clones[i].line : "Query: (none)") ||
            (!clones[i].line && strstr(text, "Repository:")))
            fail_msg("%s: %s", clones[i].origin, text);
        gh_expect_calls("the search alone", fixture, 1);
    }
}

static void test_body_file(void **state G_GNUC_UNUSED)
{
    for (int status = 0; status < 2; status++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        gh_fixture_reply(fixture, &(GhReply) { .out = "created", .status = status });
        g_auto(ToolResult) result =
            gh_fixture_call(fixture, "{\"op\":\"pr_create\",\"title\":\"T\",\"body\":\"x\\ny\"}");
        assert_int_equal(result.is_error, status != 0);

        g_autofree char *argv = gh_fixture_argv(fixture, 0);
        g_autofree char *prefix =
            g_strdup_printf("pr|create|--title|T|--body-file|%s/gh-pr-body-", fixture->temp);
        if (!str_has_prefix(argv, prefix) || !g_str_has_suffix(argv, "/body.md"))
            fail_msg("github-T29: %s", argv);
        g_autofree char *body = gh_fixture_body(fixture, 0);
        assert_string_equal(body, "600\nx\ny");
        g_autoptr(GDir) dir = g_dir_open(fixture->temp, 0, NULL);
        assert_null(g_dir_read_name(dir));
    }
}

/* Without a body the repository's template is one: of the commit, so that a link is none. */
static void test_template(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *arguments, *argv_end, *body;
    } rows[] = {
        { ".github/PULL_REQUEST_TEMPLATE.md", "", "body.md", "600\n## What\n## Why" },
        { "docs/pull_request_template.txt", "", "body.md", "600\n## What\n## Why" },
        { ".github/PULL_REQUEST_TEMPLATE.md", ",\"body\":\"mine\"", "body.md", "600\nmine" },
        { ".github/PULL_REQUEST_TEMPLATE.md", ",\"body\":\"\"", "--body|", NULL },
        { ".github/PULL_REQUEST_TEMPLATE.md", ",\"repo\":\"o/r\"", "--body|", NULL },
        { "src/pull_request_template.md", "", "--body|", NULL },
        { "link", "", "--body|", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GitFixture) fixture = git_fixture_new();
        bool is_link = strcmp(rows[i].path, "link") == 0;
        g_autofree char *path = g_build_filename(
            fixture->work, is_link ? "pull_request_template.md" : rows[i].path, NULL);
        g_autofree char *dir = g_path_get_dirname(path);
        assert_int_equal(g_mkdir_with_parents(dir, 0700), 0);
        if (is_link)
            assert_int_equal(symlink("/etc/passwd", path), 0);
        else
            assert_true(g_file_set_contents(path, "## What\n## Why\n", -1, NULL));
        git_do(fixture->work, "add", "-A", NULL);
        git_do(fixture->work, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit",
               "--quiet", "-m", "x", NULL);
        gh_fixture_reply_out(fixture->gh, "created");
        g_autofree char *arguments =
            g_strdup_printf("{\"op\":\"pr_create\",\"title\":\"T\"%s}", rows[i].arguments);
        g_auto(ToolResult) result = gh_fixture_call(fixture->gh, arguments);
        assert_false(result.is_error);
        g_autofree char *argv = gh_fixture_argv(fixture->gh, 0);
        g_autofree char *body = gh_fixture_body(fixture->gh, 0);
        if (!argv || !g_str_has_suffix(argv, rows[i].argv_end) ||
            g_strcmp0(body, rows[i].body) != 0)
            fail_msg("%s%s: %s %s", rows[i].path, rows[i].arguments, argv, body);
    }
}

static void test_body_file_of_blanks(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply_out(fixture, "created");
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"pr_create\",\"title\":\"T\",\"body\":\"  \"}");
    assert_false(result.is_error);
    g_autofree char *body = gh_fixture_body(fixture, 0);
    assert_string_equal(body, "600\n  ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_argv),
        cmocka_unit_test(test_search_heads),
        cmocka_unit_test(test_no_scope_without_a_repository),
        cmocka_unit_test(test_empty_repository_search),
        cmocka_unit_test(test_clone_without_gh),
        cmocka_unit_test(test_body_file),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_body_file_of_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
