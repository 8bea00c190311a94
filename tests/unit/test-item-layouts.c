/*
 * Issues, pull requests and lists as text (github-tool §7.4, §7.5; rows T138 to T141, T147).
 */
#include "unit.h"

#include "item_fixture.h"

static void reply_pr_93(GhFixture *fixture)
{
    g_autofree char *view = item_fixture_data("pr-93.json");
    g_autofree char *comments = item_fixture_data("pr-93-comments.json");
    gh_fixture_reply(fixture, &(GhReply) { .match = "pr view *", .out = view });
    gh_fixture_reply(fixture, &(GhReply) { .match = "api *", .out = comments });
}

static void test_issue(void **state G_GNUC_UNUSED) // github-T138
{
    g_autoptr(GhFixture) fixture = item_fixture_new(NULL);
    g_autofree char *reply = item_fixture_data("issue-88.json");
    g_autofree char *want = item_fixture_data("issue-88.md");
    gh_fixture_reply_out(fixture, reply);
    g_auto(ToolResult) result = item_fixture_read(fixture, "issue://88");
    gh_expect_text("github-T138", &result, want);
    item_expect_notes("github-T156", &result, "Cache disabled; fetched live");
    assert_string_equal(json_get_text(result.details, "type"), "text/markdown");
}

static void test_pr(void **state G_GNUC_UNUSED) // github-T139
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    g_autofree char *want = item_fixture_data("pr-93.md");
    reply_pr_93(fixture);
    g_auto(ToolResult) result = item_fixture_read(fixture, "pr://93");
    gh_expect_text("github-T139", &result, want);
    item_expect_notes("github-T139", &result, "Fetched live|Diff: pr://harbor/tidepool/93/diff");
}

static void test_without_comments(void **state G_GNUC_UNUSED) // github-T140
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    g_autofree char *whole = item_fixture_data("pr-93.md");
    g_auto(GStrv) parts = g_strsplit(whole, "\n\n## Reviews", 2);
    reply_pr_93(fixture);
    g_auto(ToolResult) result = item_fixture_read(fixture, "pr://93?comments=FALSE");
    gh_expect_text("github-T140", &result, parts[0]);
    item_expect_notes("github-T140", &result,
                      "Fetched live|Comments disabled|Diff: pr://harbor/tidepool/93/diff");
    gh_expect_calls("one view", fixture, 1);
    gh_expect_argv("github-T140", fixture, 0,
                   "pr|view|93|--repo|harbor/tidepool|--json|author,baseRefName,body,createdAt,"
                   "files,headRefName,isDraft,labels,mergeStateStatus,number,reviews,"
                   "reviewDecision,state,title,updatedAt,url");
}

static void test_many_files(void **state G_GNUC_UNUSED) // github-T141
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    g_autoptr(GString) reply = g_string_new("{\"files\":[");
    for (int i = 1; i <= 52; i++)
        g_string_append_printf(reply, "%s{\"path\":\"f%d\"}", i > 1 ? "," : "", i);
    g_string_append(reply, "]}");
    gh_fixture_reply_out(fixture, reply->str);
    g_auto(ToolResult) result = item_fixture_read(fixture, "pr://o/r/4?comments=0");
    g_autofree char *text = tool_result_text(&result);
    assert_non_null(strstr(text, "## Files (52)\n\n- f1 [CHANGED] (+0 -0)\n"));
    assert_true(g_str_has_suffix(text, "\n- f50 [CHANGED] (+0 -0)\n- ... 2 more files"));
}

static void test_old_gh(void **state G_GNUC_UNUSED) // github-T147
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_reply(fixture, &(GhReply) { .match = "*stateReason*",
                                           .err = "Unknown JSON field: \"stateReason\"",
                                           .status = 1 });
    gh_fixture_reply_out(fixture, "{\"title\":\"Old\"}");
    g_auto(ToolResult) result = item_fixture_read(fixture, "issue://o/r/5");
    gh_expect_text("github-T147", &result,
                   "# Issue #5: Old\n\n\n## Body\n\nNo description provided.");
    gh_expect_argv("github-T147", fixture, 1,
                   "issue|view|5|--repo|o/r|--json|author,body,comments,createdAt,labels,number,"
                   "state,title,updatedAt,url");
}

static void test_hostile(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_reply_out(fixture, "{\"title\":\"a\\n# b\\u2028c\",\"labels\":[{\"name\":\"x\\ny\"},"
                                  "3,null],\"author\":7,\"state\":[],\"comments\":[5,{}],"
                                  "\"number\":\"no\"}");
    g_auto(ToolResult) result = item_fixture_read(fixture, "issue://o/r/5");
    gh_expect_text("odd types", &result,
                   "# Issue #5: a # b c\n\nLabels: x y\n\n## Body\n\nNo description "
                   "provided.\n\n## Comments (2)\n\n### unknown\n\nNo comment body.\n\n### "
                   "unknown\n\nNo comment body.");
}

static void test_list(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *url, *reply, *want;
    } cases[] = {
        { "issues", "issue://",
          "[{\"number\":88,\"title\":\"Clock drifts after DST\",\"state\":\"OPEN\",\"author\":{"
          "\"login\":\"mara-v\"},\"labels\":[{\"name\":\"bug\"},{\"name\":\"time\"}],"
          "\"createdAt\":\"2026-04-02T09:15:00Z\",\"updatedAt\":\"2026-04-28T07:01:44Z\"}]",
          "# Issues in harbor/tidepool (open, up to 30)\n\n- [open] #88  @mara-v  "
          "2026-04-28T07:01:44Z\n    Clock drifts after DST  labels: bug, time\n    "
          "issue://harbor/tidepool/88\n\n---\nRead a specific item: "
          "`issue://harbor/tidepool/<N>` (or `issue://<N>` for the current repo)." },
        { "a draft by a bot", "pr://o/r?state=all&limit=2",
          "[{\"number\":94,\"title\":\"\",\"state\":\"OPEN\",\"isDraft\":true,\"author\":{"
          "\"login\":\"app/dependabot\"},\"createdAt\":\"2026-05-03T09:15:00Z\"},{}]",
          "# Pull Requests in o/r (all, up to 2)\n\n- [open [draft]] #94  @app/dependabot  "
          "2026-05-03T09:15:00Z\n    (no title)\n    pr://o/r/94\n\n- [?] #?  @?\n    (no "
          "title)\n    pr://o/r\n\n---\nRead a specific item: `pr://o/r/<N>` (or `pr://<N>` for "
          "the current repo)." },
        { "none", "pr://o/r", "[]",
          "# Pull Requests in o/r (open, up to 30)\n\n_No matches._\n\n---\nRead a specific item: "
          "`pr://o/r/<N>` (or `pr://<N>` for the current repo)." },
        { "of a commit", "pr://o/r?commit=a1b2c3d",
          "[{\"number\":3,\"title\":\"T\",\"state\":\"closed\",\"merged_at\":\"2026-01-01T00:00:"
          "00Z\",\"user\":{\"login\":\"okoro\"},\"updated_at\":\"2026-01-02T00:00:00Z\"}]",
          "# Pull Requests in o/r with commit a1b2c3d\n\n- [merged] #3  @okoro  "
          "2026-01-02T00:00:00Z\n    T\n    pr://o/r/3\n\n---\nRead a specific item: "
          "`pr://o/r/<N>` (or `pr://<N>` for the current repo)." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        gh_fixture_reply_out(fixture, cases[i].reply);
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        gh_expect_text(cases[i].name, &result, cases[i].want);
    }
}

static const char threads_reply[] =
    "{\"data\":{\"repository\":{\"pullRequest\":{\"reviewThreads\":{\"pageInfo\":{"
    "\"hasNextPage\":false},\"nodes\":["
    "{\"id\":\"PRRT_1\",\"isResolved\":true,\"isOutdated\":true,\"path\":\"src/a.c\",\"line\":"
    "null,\"originalLine\":14,\"originalStartLine\":12,\"resolvedBy\":{\"login\":\"lindq\"},"
    "\"comments\":{\"totalCount\":3,\"nodes\":[{\"author\":{\"login\":\"okoro\"},\"body\":\"Use a "
    "table.\",\"createdAt\":\"2026-05-02T10:29:00Z\",\"url\":\"https://x/1\",\"diffHunk\":\"@@ "
    "-1,2 +1,2 @@\\n-a\\n+b\"},{\"author\":null,\"body\":\"Done.\"}]}},"
    "{\"id\":\"PRRT_2\",\"path\":\"README.md\",\"subjectType\":\"FILE\",\"comments\":{\"nodes\":[{"
    "\"body\":\"x\",\"isMinimized\":true}]}}]}}}}}";
static const char threads_text[] =
    "## Review Threads (2: 1 open, 1 resolved)\n\n"
    "### src/a.c:12-14 [resolved] [outdated] by @lindq\n\nThread: PRRT_1\n\n"
    "```diff\n@@ -1,2 +1,2 @@\n-a\n+b\n```\n\n"
    "#### @okoro · 2026-05-02T10:29:00Z\n\nUse a table.\n\nURL: https://x/1\n\n"
    "#### unknown\n\nDone.\n\n\n1 more comments in this thread.\n\n"
    "### README.md [open]\n\nThread: PRRT_2\nAbout: the whole file\n\n#### unknown\n\n"
    "(minimized)";

static void test_threads(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_reply(fixture, &(GhReply) { .match = "pr view *", .out = "{}" });
    gh_fixture_reply(fixture, &(GhReply) { .match = "api graphql *", .out = threads_reply });
    g_auto(ToolResult) result = item_fixture_read(fixture, "pr://o/r/93?comments");
    g_autofree char *text = tool_result_text(&result);
    const char *threads = strstr(text, "## Review Threads");
    assert_string_equal(threads ? threads : text, threads_text);

    g_auto(ToolResult) one = item_fixture_read(fixture, "pr://o/r/93?file=README.md");
    gh_expect_text("one file, of what is kept", &one,
                   "# Pull Request #93: Untitled\n\n\n## Review Threads (1: 1 open, 0 "
                   "resolved)\n\n### README.md [open]\n\nThread: PRRT_2\nAbout: the whole "
                   "file\n\n#### unknown\n\n(minimized)");
    static const struct {
        const char *url, *want;
    } cases[] = {
        { "pr://o/r/93?file=src/a.c&line=12", "### src/a.c:12-14 [resolved]" },
        { "pr://o/r/93?file=src/a.c&line=14", "### src/a.c:12-14 [resolved]" },
        { "pr://o/r/93?file=src/a.c&line=11",
          "\n\n\nNo review comments on src/a.c:11; without line those of the whole file." },
        { "pr://o/r/93?file=README.md&line=1", "\n\n\nNo review comments on README.md:1;" },
        { "pr://o/r/93?file=b%0a%23%20c", "\n\n\nNo review comments on b # c." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) part = item_fixture_read(fixture, cases[i].url);
        g_autofree char *shown = tool_result_text(&part);
        if (!strstr(shown, cases[i].want))
            fail_msg("%s: %s", cases[i].url, shown);
    }
    gh_expect_calls("once asked", fixture, 2);
}

/* Where an item came from and who began it, for hooks. */
static void test_origin(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *reply, *repo, *address, *author;
    } cases[] = {
        { "issue://o/r/5", "{\"title\":\"t\",\"author\":{\"login\":\"mona\"}}", "o/r",
          "https://github.com/o/r/issues/5", "mona" },
        { "pr://o/r/7?comments=0", "{\"title\":\"t\",\"author\":{\"login\":\"kit\"}}", "o/r",
          "https://github.com/o/r/pull/7", "kit" },
        { "issue://o/r/6", "{\"title\":\"t\",\"author\":5}", "o/r",
          "https://github.com/o/r/issues/6", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        gh_fixture_reply_out(fixture, cases[i].reply);
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        const Origin *origin = &result.origin;
        const char *const got[] = { origin->host, origin->repo, origin->url, origin->author };
        const char *const want[] = { "github.com", cases[i].repo, cases[i].address,
                                     cases[i].author };
        assert_int_equal(origin->kind, ORIGIN_GITHUB);
        for (size_t j = 0; j < G_N_ELEMENTS(want); j++)
            if (g_strcmp0(got[j], want[j]) != 0)
                fail_msg("%s: %s, not %s", cases[i].url, got[j], want[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_issue),   cmocka_unit_test(test_pr),
        cmocka_unit_test(test_list),    cmocka_unit_test(test_without_comments),
        cmocka_unit_test(test_old_gh),  cmocka_unit_test(test_many_files),
        cmocka_unit_test(test_hostile), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
