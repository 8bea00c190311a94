/*
 * Answers as text (github-tool §9.5): the replies and texts of github-tool §2, byte for byte.
 */
#include "unit.h"

#include "gh_fixture.h"

#define PR_URL "https://github.com/harbor/tidepool/pull/90"

static const char repo_reply[] =
    "{\"defaultBranchRef\":{\"name\":\"trunk\"},\"description\":\"Tide tables for small harbo"
    "urs\",\"forkCount\":0,\"homepageUrl\":\"\",\"isArchived\":false,\"isFork\":false,\"nameW"
    "ithOwner\":\"harbor/tidepool\",\"primaryLanguage\":{\"name\":\"C\"},\"repositoryTopics\""
    ":[{\"name\":\"tides\"},{\"name\":\"cli\"}],\"stargazerCount\":41,\"updatedAt\":\"2026-04"
    "-30T18:22:09Z\",\"url\":\"https://github.com/harbor/tidepool\",\"viewerPermission\":\"WR"
    "ITE\",\"visibility\":\"PUBLIC\"}";
static const char repo_text[] = "# harbor/tidepool\n"
                                "\n"
                                "Tide tables for small harbours\n"
                                "\n"
                                "URL: https://github.com/harbor/tidepool\n"
                                "Default branch: trunk\n"
                                "Branch: dev\n"
                                "Visibility: PUBLIC\n"
                                "Viewer permission: WRITE\n"
                                "Primary language: C\n"
                                "Stars: 41\n"
                                "Forks: 0\n"
                                "Archived: false\n"
                                "Fork: false\n"
                                "Updated: 2026-04-30T18:22:09Z\n"
                                "Topics: tides, cli";
static const char created_view[] =
    "{\"author\":{\"login\":\"okoro\"},\"baseRefName\":\"trunk\",\"body\":\"Handles the jump."
    "\\r\\n\\r\\nFixes #88\\r\\n\",\"createdAt\":\"2026-04-29T10:00:00Z\",\"headRefName\":\"f"
    "ix/dst\",\"isDraft\":false,\"labels\":[{\"name\":\"bug\"}],\"number\":90,\"state\":\"OPE"
    "N\",\"title\":\"Fix DST drift\",\"url\":\"https://github.com/harbor/tidepool/pull/90\"}";
static const char created_text[] = "# Created Pull Request #90: Fix DST drift\n"
                                   "\n"
                                   "URL: https://github.com/harbor/tidepool/pull/90\n"
                                   "State: OPEN\n"
                                   "Draft: false\n"
                                   "Base: trunk\n"
                                   "Head: fix/dst\n"
                                   "Author: @okoro\n"
                                   "Created: 2026-04-29T10:00:00Z\n"
                                   "Labels: bug\n"
                                   "\n"
                                   "## Body\n"
                                   "\n"
                                   "Handles the jump.\n"
                                   "\n"
                                   "Fixes #88";
static const char unviewed_text[] = "# Created Pull Request #90: Fix DST drift\n"
                                    "\n"
                                    "URL: https://github.com/harbor/tidepool/pull/90\n"
                                    "Draft: true\n"
                                    "Base: trunk";
static const char issues_reply[] =
    "{\"total_count\":2,\"items\":[{\"number\":88,\"title\":\"Clock drifts after DST\",\"stat"
    "e\":\"open\",\"user\":{\"login\":\"mara-v\"},\"labels\":[{\"name\":\"bug\"},{\"name\":\""
    "time\"}],\"created_at\":\"2026-04-02T09:15:00Z\",\"updated_at\":\"2026-04-28T07:01:44Z\""
    ",\"html_url\":\"https://github.com/harbor/tidepool/issues/88\",\"repository_url\":\"http"
    "s://api.github.com/repos/harbor/tidepool\"},{\"number\":61,\"title\":\"Offline tables\","
    "\"state\":\"closed\",\"user\":null,\"labels\":[],\"created_at\":\"2026-01-11T20:00:00Z\""
    ",\"updated_at\":\"2026-02-01T00:00:00Z\",\"html_url\":\"https://github.com/harbor/tidepo"
    "ol/issues/61\",\"repository_url\":\"https://api.github.com/repos/harbor/tidepool\"}]}";
static const char issues_text[] = "# GitHub issues search\n"
                                  "\n"
                                  "Query: is:open clock created:>=2026-01-01\n"
                                  "Repository: harbor/tidepool\n"
                                  "Results: 2\n"
                                  "\n"
                                  "- #88 Clock drifts after DST\n"
                                  "  Repo: harbor/tidepool\n"
                                  "  State: open\n"
                                  "  Author: @mara-v\n"
                                  "  Labels: bug, time\n"
                                  "  Created: 2026-04-02T09:15:00Z\n"
                                  "  Updated: 2026-04-28T07:01:44Z\n"
                                  "  URL: https://github.com/harbor/tidepool/issues/88\n"
                                  "\n"
                                  "- #61 Offline tables\n"
                                  "  Repo: harbor/tidepool\n"
                                  "  State: closed\n"
                                  "  Created: 2026-01-11T20:00:00Z\n"
                                  "  Updated: 2026-02-01T00:00:00Z\n"
                                  "  URL: https://github.com/harbor/tidepool/issues/61";
static const char merged_text[] = "# GitHub pull requests search\n"
                                  "\n"
                                  "Query: is:merged author:okoro org:harbor\n"
                                  "Results: 1\n"
                                  "\n"
                                  "- #90 Fix DST drift\n"
                                  "  Repo: harbor/tidepool\n"
                                  "  State: merged\n"
                                  "  Author: @okoro\n"
                                  "  Labels: bug\n"
                                  "  Created: 2026-04-29T10:00:00Z\n"
                                  "  Updated: 2026-04-30T18:20:00Z\n"
                                  "  URL: https://github.com/harbor/tidepool/pull/90";
static const char merged_reply[] =
    "{\"items\":[{\"number\":90,\"title\":\"Fix DST drift\",\"state\":\"closed\",\"user\":{\""
    "login\":\"okoro\"},\"labels\":[{\"name\":\"bug\"}],\"created_at\":\"2026-04-29T10:00:00Z"
    "\",\"updated_at\":\"2026-04-30T18:20:00Z\",\"html_url\":\"https://github.com/harbor/tide"
    "pool/pull/90\",\"repository_url\":\"https://api.github.com/repos/harbor/tidepool\",\"pul"
    "l_request\":{\"merged_at\":\"2026-04-30T18:20:00Z\"}}]}";
static const char code_reply[] =
    "{\"items\":[{\"path\":\"src/clock.c\",\"sha\":\"6f1d2c3b4a59687766554433221100ffeeddccbb"
    "\",\"html_url\":\"https://github.com/harbor/tidepool/blob/a1b2c3d4e5f60718293a4b5c6d7e8f"
    "9001122334/src/clock.c\",\"repository\":{\"full_name\":\"harbor/tidepool\"},\"text_match"
    "es\":[{\"fragment\":\"\\n\\ttide_clock_tick(&c);\\n\\treturn 0;\\n\",\"property\":\"cont"
    "ent\"}]},{\"path\":\"README.md\",\"sha\":\"0011223344556677889900112233445566778899\",\""
    "html_url\":\"https://github.com/harbor/tidepool/blob/a1b2c3d4e5f60718293a4b5c6d7e8f90011"
    "22334/README.md\",\"repository\":{\"full_name\":\"harbor/tidepool\"}}]}";
static const char code_text[] =
    "# GitHub code search\n"
    "\n"
    "Query: tide_clock_tick\n"
    "Repository: harbor/tidepool\n"
    "Results: 2\n"
    "\n"
    "- src/clock.c\n"
    "  Repo: harbor/tidepool\n"
    "  Commit: 6f1d2c3b4a59\n"
    "  URL: https://github.com/harbor/tidepool/blob/a1b2c3d4e5f60718293a4b5c6d7e8f9001122334/"
    "src/clock.c\n"
    "  Match: tide_clock_tick(&c);\n"
    "\n"
    "- README.md\n"
    "  Repo: harbor/tidepool\n"
    "  Commit: 001122334455\n"
    "  URL: https://github.com/harbor/tidepool/blob/a1b2c3d4e5f60718293a4b5c6d7e8f9001122334/"
    "README.md";
static const char commits_reply[] =
    "{\"items\":[{\"sha\":\"a1b2c3d4e5f60718293a4b5c6d7e8f9001122334\",\"html_url\":\"https:/"
    "/github.com/harbor/tidepool/commit/a1b2c3d4e5f60718293a4b5c6d7e8f9001122334\",\"author\""
    ":null,\"committer\":{\"login\":\"web-flow\"},\"commit\":{\"author\":{\"name\":\"Okoro B"
    "\",\"date\":\"2026-04-30T20:19:58+02:00\"},\"committer\":{\"name\":\"GitHub\",\"date\":"
    "\"2026-04-30T18:20:00Z\"},\"message\":\"clock: handle DST jump\\n\\nFixes #88\"},\"repos"
    "itory\":{\"full_name\":\"harbor/tidepool\"}}]}";
static const char commits_text[] =
    "# GitHub commits search\n"
    "\n"
    "Query: DST committer-date:>=2026-04-01\n"
    "Repository: harbor/tidepool\n"
    "Results: 1\n"
    "\n"
    "- a1b2c3d4e5f6 clock: handle DST jump\n"
    "  Repo: harbor/tidepool\n"
    "  Author: Okoro B\n"
    "  Date: 2026-04-30T20:19:58+02:00\n"
    "  URL: https://github.com/harbor/tidepool/commit/a1b2c3d4e5f60718293a4b5c6d7e8f900112233"
    "4";
static const char repos_reply[] =
    "{\"items\":[{\"full_name\":\"harbor/tidepool\",\"description\":\"Tide tables for small h"
    "arbours\\nsecond line\",\"language\":\"C\",\"stargazers_count\":41,\"forks_count\":0,\"o"
    "pen_issues_count\":3,\"visibility\":\"public\",\"archived\":false,\"fork\":false,\"updat"
    "ed_at\":\"2026-04-30T18:22:09Z\",\"html_url\":\"https://github.com/harbor/tidepool\"},{"
    "\"full_name\":\"lindq/mirror\",\"description\":null,\"language\":null,\"stargazers_count"
    "\":0,\"forks_count\":0,\"open_issues_count\":0,\"archived\":true,\"fork\":true,\"updated"
    "_at\":\"2023-03-03T03:03:03Z\",\"html_url\":\"https://github.com/lindq/mirror\"}]}";
static const char repos_text[] = "# GitHub repositories search\n"
                                 "\n"
                                 "Query: tide language:c pushed:>=2026-01-01\n"
                                 "Results: 2\n"
                                 "\n"
                                 "- harbor/tidepool\n"
                                 "  Description: Tide tables for small harbours\n"
                                 "  Language: C\n"
                                 "  Stars: 41\n"
                                 "  Forks: 0\n"
                                 "  Open issues: 3\n"
                                 "  Visibility: public\n"
                                 "  Archived: false\n"
                                 "  Fork: false\n"
                                 "  Updated: 2026-04-30T18:22:09Z\n"
                                 "  URL: https://github.com/harbor/tidepool\n"
                                 "\n"
                                 "- lindq/mirror\n"
                                 "  Stars: 0\n"
                                 "  Forks: 0\n"
                                 "  Open issues: 0\n"
                                 "  Archived: true\n"
                                 "  Fork: true\n"
                                 "  Updated: 2023-03-03T03:03:03Z\n"
                                 "  URL: https://github.com/lindq/mirror";

static const struct {
    const char *name, *arguments;
    GhReply replies[2];
    const char *want;
} cases[] = {
    { "github-T69",
      "{\"op\":\"repo_view\",\"repo\":\"harbor/tidepool\",\"branch\":\"dev\"}",
      { { .out = repo_reply } },
      repo_text },
    { "github-T70",
      "{\"op\":\"repo_view\"}",
      { { .out = "{\"description\":\"\"}" } },
      "# harbor/tidepool\n\nNo description provided." },
    { "the argument is the name",
      "{\"op\":\"repo_view\",\"repo\":\"o/r\"}",
      { { .out = "{}" } },
      "# o/r\n\nNo description provided." },
    { "topics of both shapes",
      "{\"op\":\"repo_view\"}",
      { { .out =
              "{\"description\":\"a\\r\\n\\tb\",\"repositoryTopics\":[{\"topic\":{\"name\":\"x\"}},"
              "{\"name\":\"y\"},{}],\"stargazerCount\":7.0,\"isFork\":null,\"forkCount\":\"\"}" } },
      "# harbor/tidepool\n\na\n    b\n\nStars: 7\nTopics: x, y" },
    { "github-T71",
      "{\"op\":\"search_issues\",\"query\":\"is:open clock\",\"since\":\"2026-01-01\"}",
      { { .out = issues_reply } },
      issues_text },
    { "github-T72",
      "{\"op\":\"search_issues\",\"query\":\"label:zzz\"}",
      { { .out = "{\"total_count\":0,\"items\":[]}" } },
      "# GitHub issues search\n\nQuery: label:zzz\nRepository: harbor/tidepool\nResults: 0\n\n"
      "No issues found." },
    { "github-T73",
      "{\"op\":\"search_prs\",\"query\":\"org:x\"}",
      { { .out = "{\"items\":[{}]}" } },
      "# GitHub pull requests search\n\nQuery: org:x\nResults: 1\n\n- #? Untitled" },
    { "github-T74",
      "{\"op\":\"search_prs\",\"query\":\"is:merged author:okoro org:harbor\"}",
      { { .out = merged_reply } },
      merged_text },
    { "no pull requests",
      "{\"op\":\"search_prs\",\"query\":\"org:x\"}",
      { { .out = "{}" } },
      "# GitHub pull requests search\n\nQuery: org:x\nResults: 0\n\nNo pull requests found." },
    { "github-T75",
      "{\"op\":\"search_code\",\"query\":\"tide_clock_tick\"}",
      { { .out = code_reply } },
      code_text },
    { "no code",
      "{\"op\":\"search_code\",\"query\":\"org:x\"}",
      { { .out = "{}" } },
      "# GitHub code search\n\nQuery: org:x\nResults: 0\n\nNo code matches found." },
    { "commits",
      "{\"op\":\"search_commits\",\"query\":\"DST\",\"since\":\"2026-04-01\"}",
      { { .out = commits_reply } },
      commits_text },
    { "github-T76",
      "{\"op\":\"search_commits\",\"query\":\"org:x\"}",
      { { .out = "{\"items\":[{\"sha\":null,\"commit\":{\"message\":\"  \\n\"}}]}" } },
      "# GitHub commits search\n\nQuery: org:x\nResults: 1\n\n- (unknown sha) (no commit "
      "message)" },
    { "no commits",
      "{\"op\":\"search_commits\",\"query\":\"org:x\"}",
      { { .out = "{}" } },
      "# GitHub commits search\n\nQuery: org:x\nResults: 0\n\nNo commits found." },
    { "github-T77",
      "{\"op\":\"search_repos\",\"query\":\"tide language:c\",\"since\":\"2026-01-01\","
      "\"dateField\":\"updated\"}",
      { { .out = repos_reply } },
      repos_text },
    { "no repositories",
      "{\"op\":\"search_repos\",\"query\":\"x\"}",
      { { .out = "{}" } },
      "# GitHub repositories search\n\nQuery: x\nResults: 0\n\nNo repositories found." },
    { "github-T78",
      "{\"op\":\"pr_create\",\"title\":\"Fix DST drift\"}",
      { { .out = PR_URL "\n" }, { .out = created_view } },
      created_text },
    { "github-T79",
      "{\"op\":\"pr_create\",\"title\":\"Fix DST drift\",\"base\":\"trunk\"}",
      { { .out = PR_URL "\n" }, { .status = 1, .err = "HTTP 502" } },
      "# Created Pull Request #90: Fix DST drift\n\nURL: " PR_URL "\nDraft: false\nBase: trunk" },
    { "github-T79 as a draft",
      "{\"op\":\"pr_create\",\"title\":\"Fix DST drift\",\"draft\":true,\"base\":\"trunk\"}",
      { { .out = PR_URL "\n" }, { .status = 1, .err = "HTTP 502" } },
      unviewed_text },
    { "github-T80",
      "{\"op\":\"pr_create\",\"title\":\"T\"}",
      { { .out = "created, see web\n" } },
      "# Created Pull Request: T\n\nURL: created, see web\nDraft: false" },
    { "a title from the commits",
      "{\"op\":\"pr_create\",\"fill\":true}",
      { { .out = "done" } },
      "# Created Pull Request: Untitled\n\nURL: done\nDraft: false" },
};

static void test_layouts(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        gh_fixture_set_origin(fixture, GH_FIXTURE_ORIGIN);
        for (size_t n = 0; n < G_N_ELEMENTS(cases[i].replies); n++) {
            if (cases[i].replies[n].out || cases[i].replies[n].status != 0)
                gh_fixture_reply(fixture, &cases[i].replies[n]);
        }
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        gh_expect_text(cases[i].name, &result, cases[i].want);
    }
}

static void test_no_view_without_a_url(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply_out(fixture, "created, see web");
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"op\":\"pr_create\",\"title\":\"T\"}");
    assert_false(result.is_error);
    gh_expect_calls("github-T80", fixture, 1);
}

static void expect_source(const char *arguments, const char *reply, const char *want)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply_out(fixture, reply);
    gh_fixture_reply(fixture, &(GhReply) { .status = 1 });
    g_auto(ToolResult) result = gh_fixture_call(fixture, arguments);
    assert_false(result.is_error);
    g_auto(ToolResult) wanted = { 0 };
    if (want)
        tool_result_set_source_url(&wanted, want);
    const json_t *got = json_object_get(result.meta, "source");
    const json_t *source = json_object_get(wanted.meta, "source");
    if (!got || !source)
        assert_ptr_equal(got, source);
    else
        assert_true(json_equal(got, source));
}

static void test_source(void **state G_GNUC_UNUSED)
{
    static const char create[] = "{\"op\":\"pr_create\",\"title\":\"T\"}";
    expect_source("{\"op\":\"repo_view\"}", repo_reply, "https://github.com/harbor/tidepool");
    expect_source(create, PR_URL, PR_URL);
    expect_source(create, "done", NULL);
    expect_source("{\"op\":\"search_repos\",\"query\":\"x\"}", repos_reply, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_no_view_without_a_url),
        cmocka_unit_test(test_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
