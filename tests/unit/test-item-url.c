/*
 * The addresses of GitHub items: their forms, what they refuse, and the calls of gh they lead to
 * (github-tool §7.1 to §7.4, rows T124 to T137).
 */
#include "unit.h"

#include "item_fixture.h"

#include "github/urls/item_url.h"

#define ISSUE_LIST "number,title,state,author,labels,createdAt,updatedAt,url"
#define PR_LIST                                                                                    \
    "number,title,state,isDraft,author,baseRefName,headRefName,labels,createdAt,updatedAt,url"
#define ISSUE "author,body,comments,createdAt,labels,number,state,stateReason,title,updatedAt,url"
#define PR                                                                                         \
    "author,baseRefName,body,comments,createdAt,files,headRefName,isDraft,labels,"                 \
    "mergeStateStatus,number,reviews,reviewDecision,state,title,updatedAt,url"

static void test_forms(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *repo;
        ItemView view;
        int64_t number, part;
    } cases[] = {
        { "issue://", NULL, ITEM_LIST, 0, 0 },
        { "PR://", NULL, ITEM_LIST, 0, 0 },
        { "issue://harbor/tidepool", "harbor/tidepool", ITEM_LIST, 0, 0 },
        { "issue://88", NULL, ITEM_SINGLE, 88, 0 },
        { "issue://007", NULL, ITEM_SINGLE, 7, 0 },    // github-T128
        { "issue://123/", NULL, ITEM_SINGLE, 123, 0 }, // github-T131
        { "issue://%31%32", NULL, ITEM_SINGLE, 12, 0 },
        { "issue://12#issuecomment-1", NULL, ITEM_SINGLE, 12, 0 },
        { "pr://harbor/tidepool/93", "harbor/tidepool", ITEM_SINGLE, 93, 0 },
        { "pr://90/diff", NULL, ITEM_DIFF, 90, 0 },
        { "pr://90/diff/2", NULL, ITEM_FILE, 90, 2 },
        { "pr://90/diff/all", NULL, ITEM_PATCH, 90, 0 },
        { "pr://harbor/tidepool/90/diff/3", "harbor/tidepool", ITEM_FILE, 90, 3 },
        { "pr://owner/diff", "owner/diff", ITEM_LIST, 0, 0 }, // github-T134
        { "pr://owner/checks", "owner/checks", ITEM_LIST, 0, 0 },
        { "pr://12/checks", NULL, ITEM_CHECKS, 12, 0 },
        { "pr://harbor/tidepool/12/checks", "harbor/tidepool", ITEM_CHECKS, 12, 0 },
        { "pr://current", NULL, ITEM_SINGLE, 0, 0 },
        { "pr://current/diff/1", NULL, ITEM_FILE, 0, 1 },
        { "pr://current/checks", NULL, ITEM_CHECKS, 0, 0 },
        { "pr://ghe.example.com/owner/repo", "ghe.example.com/owner/repo", ITEM_LIST, 0, 0 },
        { "pr://ghe.example.com/owner/repo/12", "ghe.example.com/owner/repo", ITEM_SINGLE, 12, 0 },
        { "pr://ghe/owner/repo/12/diff/1", "ghe/owner/repo", ITEM_FILE, 12, 1 },
        { "pr://ghe.example.com/12/diff", "ghe.example.com/12/diff", ITEM_LIST, 0, 0 },
        { "run://16045200302", NULL, ITEM_RUN_ONE, 16045200302, 0 },
        { "run://harbor/tidepool/16045200302", "harbor/tidepool", ITEM_RUN_ONE, 16045200302, 0 },
        { "run://16045200302/job/45280771204", NULL, ITEM_RUN_JOB, 16045200302, 45280771204 },
        { "run://ghe/harbor/tidepool/5/job/6", "ghe/harbor/tidepool", ITEM_RUN_JOB, 5, 6 },
    };
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ItemUrl) url = { 0 };
        g_autoptr(GError) error = NULL;
        if (!item_url_parse(cases[i].url, fixture->settings, &url, &error))
            fail_msg("%s: %s", cases[i].url, error->message);
        if (url.view != cases[i].view || url.number != cases[i].number ||
            url.part != cases[i].part || g_strcmp0(url.repo, cases[i].repo) != 0)
            fail_msg("%s: view %d, number %" G_GINT64_FORMAT ", part %" G_GINT64_FORMAT ", repo %s",
                     cases[i].url, (int)url.view, url.number, url.part,
                     url.repo ? url.repo : "(none)");
    }
}

static void test_comments(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url;
        ItemComments want;
    } cases[] = {
        { "pr://1", COMMENTS_FLAT },
        { "pr://1?comments=1", COMMENTS_FLAT },
        { "pr://1?comments=0", COMMENTS_OFF },
        { "pr://1?comments=FALSE", COMMENTS_OFF },
        { "pr://1?x=0&comments=0&comments=1", COMMENTS_OFF },
        { "pr://1?comments", COMMENTS_THREADS },
        { "pr://1?comments=threads", COMMENTS_THREADS },
        { "issue://1?comments", COMMENTS_FLAT },
        { "pr://current?file=a.c", COMMENTS_THREADS },
        { "pr://current?file=a.c&comments=1", COMMENTS_FLAT },
        { "pr://current?file=a.c&line=3&comments=1", COMMENTS_THREADS },
        { "pr://current?file=a.c&line=3&comments=0", COMMENTS_OFF },
        { "issue://1?line=x", COMMENTS_FLAT },
    };
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ItemUrl) url = { 0 };
        assert_true(item_url_parse(cases[i].url, fixture->settings, &url, NULL));
        if (url.comments != cases[i].want)
            fail_msg("%s: %d", cases[i].url, (int)url.comments);
    }
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *want;
    } cases[] = {
        // github-T126, T127, T129, T130, T132, T133, T135, T136
        { "issue://?state=merged",
          "Invalid issue:// list state 'merged'. Expected one of: open, closed, all." },
        { "pr://?state=bad",
          "Invalid pr:// list state 'bad'. Expected one of: open, closed, merged, all." },
        { "pr://?limit=1e2",
          "Invalid pr:// list limit '1e2'. Expected a positive integer (max 100)." },
        { "pr://10/threads",
          "Invalid pr:// URL. Number 10 has no part 'threads'. Expected pr://<n>, "
          "pr://<n>?comments "
          "(review threads), pr://<n>/diff, pr://<n>/diff/all, pr://<n>/diff/<i> or "
          "pr://<n>/checks" },
        { "issue://10/comments", "Invalid issue:// URL. Number 10 has no part 'comments'" },
        { "pr://1?file=a.c&line=0", "Invalid pr:// line '0'. Expected a positive integer." },
        { "pr://1?file=a.c&line=3-4", "Invalid pr:// line '3-4'. Expected a positive integer." },
        { "pr://1?line=3", "Invalid pr:// line '3'. Expected file=<path> with it." },
        { "issue://owner", "Invalid issue:// number: owner" },
        { "issue://owner/repo/", "Invalid issue:// URL: empty or unsafe path segment" },
        { "pr://owner/%2e%2e", "Invalid pr:// URL: empty or unsafe path segment" },
        { "pr://owner//x", "Invalid pr:// URL: empty or unsafe path segment" },
        { "pr://owner/a%00", "Invalid pr:// URL: empty or unsafe path segment" },
        { "issue://12/diff", "Invalid issue:// URL. Issue views do not have a diff; use "
                             "pr://<owner>/<repo>/<n>/diff for pull requests." },
        { "pr://12/diff/0",
          "Invalid pr:// diff sub-path '0'. Use 'all' or a 1-indexed file number." },
        { "pr://owner/repo/12/foo",
          "Invalid pr:// URL. Expected pr://<n>, pr://<n>/diff, pr://<n>/diff/all, or "
          "pr://<n>/diff/<i>" },
        { "pr://owner/repo/12/checks/1",
          "Invalid pr:// URL. Expected pr://<n>, pr://<n>/diff, pr://<n>/diff/all, or "
          "pr://<n>/diff/<i>" },
        { "pr:///x", "Invalid pr:// URL. Expected pr://, pr://<number>, pr://<owner>/<repo>, or "
                     "pr://<owner>/<repo>/<number>" },
        { "issue://ghe.example.com/owner",
          "Invalid issue:// URL. Expected issue://<host>/<owner>/<repo> or "
          "issue://<host>/<owner>/<repo>/<number>" },
        { "issue://evil.example.com/o/r/1",
          "host \"evil.example.com\" is not a known host; add it to gh.knownHosts" },
        { "issue://-x/repo/1", "invalid repo: -x/repo. Expected owner/repo." },
        { "issue://o%2Fp/repo/1", "Invalid issue:// URL: empty or unsafe path segment" },
        { "run://", "Invalid run:// URL. Expected run://<id> or run://<owner>/<repo>/<id>" },
        { "run://owner/repo",
          "Invalid run:// URL. Expected run://<id> or run://<owner>/<repo>/<id>" },
        { "run://5/job/x",
          "Invalid run:// URL. Expected run://<id>, run://<owner>/<repo>/<id>, or one of these "
          "with /job/<job id>" },
        { "run://x", "Invalid run:// number: x" },
        { "pr://?commit=zz",
          "Invalid pr:// commit 'zz'. Expected the commit id, or its first 7 digits or more." },
    };
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        gh_expect_error(cases[i].url, &result, cases[i].want);
    }
    gh_expect_calls("what is refused asks nobody", fixture, 0);
}

static void test_argv(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *url, *out, *want;
    } cases[] = {
        { "github-T124", "issue://", "[]",
          "issue|list|--repo|harbor/tidepool|--state|open|--limit|30|--json|" ISSUE_LIST },
        { "github-T125",
          "pr://harbor/tidepool?state=merged&limit=500&author=@me&label=good%20first+issue", "[]",
          "pr|list|--repo|harbor/tidepool|--state|merged|--limit|100|--json|" PR_LIST
          "|--author|@me|--label|good first issue" },
        { "github-T128", "issue://007", "{}", "issue|view|7|--repo|harbor/tidepool|--json|" ISSUE },
        { "github-T131", "issue://123/", "{}",
          "issue|view|123|--repo|harbor/tidepool|--json|" ISSUE },
        { "github-T134", "pr://owner/diff", "[]",
          "pr|list|--repo|owner/diff|--state|open|--limit|30|--json|" PR_LIST },
        { "github-T137", "pr://ghe.example.com/owner/repo/12", "{}",
          "pr|view|12|--repo|ghe.example.com/owner/repo|--json|" PR },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        gh_fixture_reply(fixture, &(GhReply) { .match = "*comments -F*", .out = "[]" });
        gh_fixture_reply(fixture, &(GhReply) { .out = cases[i].out });
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        if (result.is_error)
            fail_msg("%s: %s", cases[i].name, tool_result_text(&result));
        gh_expect_argv(cases[i].name, fixture, 0, cases[i].want);
    }
}

static void test_host_of_comments(void **state G_GNUC_UNUSED) // github-T137, the second call
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_reply(fixture, &(GhReply) { .match = "api *", .out = "[]" });
    gh_fixture_reply(fixture, &(GhReply) { .out = "{}" });
    g_auto(ToolResult) result = item_fixture_read(fixture, "pr://ghe.example.com/owner/repo/12");
    assert_false(result.is_error);
    gh_expect_argv("comments", fixture, 1,
                   "api|--hostname|ghe.example.com|--method|GET|/repos/owner/repo/pulls/12/"
                   "comments|-F|per_page=100|-F|page=1");
}

static void test_no_repository(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *url, *want;
    } cases[] = {
        { "github-T148", "pr://7",
          "pr://7 could not resolve a default repo from the current checkout: " },
        { "the end of it", "pr://7", "\nUse pr://<owner>/<repo>/7." },
        { "a diff", "pr://7/diff",
          "pr:// diff resolution failed: pr://7/diff could not resolve a default repo from the "
          "current checkout: " },
        { "its end", "pr://7/diff", "\nUse pr://<owner>/<repo>/7/diff." },
        { "a list", "issue://",
          "issue:// listing failed: issue:// could not resolve a default repo from the current "
          "checkout: " },
        { "its end", "issue://", "\nUse issue://<owner>/<repo> instead." },
        { "an issue", "issue://1",
          "issue:// resolution failed: GitHub repository context is unavailable. Pass `repo` "
          "explicitly or run the tool inside a GitHub checkout." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        gh_fixture_set_origin(fixture, NULL);
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        g_autofree char *text = tool_result_text(&result);
        if (!result.is_error || !strstr(text, cases[i].want))
            fail_msg("%s: %s", cases[i].name, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_argv),
        cmocka_unit_test(test_host_of_comments),
        cmocka_unit_test(test_no_repository),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
