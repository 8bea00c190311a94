/*
 * agenttools/pr/pr_fetch.c: fetch-comments, through tool_call() against a server
 * in this process.
 */
#include "pr_fixture.h"

#define PLACE "'owner':'o','repo':'r','pr_number':42"

#define GET_REVIEW_COMMENTS                                                                        \
    "GET /repos/o/r/pulls/42/comments?sort=created&direction=asc&per_page=100 "
#define GET_ISSUE_COMMENTS "GET /repos/o/r/issues/42/comments?per_page=100 "
#define GET_REVIEWS        "GET /repos/o/r/pulls/42/reviews?per_page=100 "

/* The answer's data; `more` are further arguments. New reference. */
static json_t *fetch(const char *more)
{
    g_autoptr(ToolFixture) tool = tool_fixture_new(NULL, false);
    g_autofree char *arguments = g_strdup_printf("{" PLACE "%s}", more);
    return operation_data(tool, &operation_github_pr_fetch_comments, arguments);
}

#define TOTAL_REVIEW 250
#define TOTAL_ISSUE  130

/* A page of comments made newest first within a second of each other, so that the order must come
   from kedge; page 2 repeats the last of page 1. */
static char *page_of(const char *request, int64_t total, int64_t first_id)
{
    const char *at = strstr(request, "&page=");
    int64_t page = at ? g_ascii_strtoll(at + strlen("&page="), NULL, 10) : 1;
    int64_t begin = (page - 1) * 100 - (page == 2 ? 1 : 0);
    int64_t end = MIN(page * 100, total);
    GString *text = g_string_new("[");
    for (int64_t i = begin; i < end; i++)
        g_string_append_printf(text,
                               "%s{\"id\":%" G_GINT64_FORMAT ",\"created_at\":\"2026-01-01T00:00:"
                               "%02dZ\",\"user\":{\"login\":\"x\",\"type\":\"User\"},"
                               "\"body\":\"b\"}",
                               text->len > 1 ? "," : "", first_id + total - i,
                               (int)((total - i) / 10 % 60));
    g_string_append_c(text, ']');
    return g_string_free(text, false);
}

static char *review_page(const char *request, unsigned number G_GNUC_UNUSED)
{
    return page_of(request, TOTAL_REVIEW, 1000);
}

static char *issue_page(const char *request, unsigned number G_GNUC_UNUSED)
{
    return page_of(request, TOTAL_ISSUE, 5000);
}

static void assert_ordered(const json_t *list, size_t count)
{
    assert_int_equal(json_array_size(list), count);
    for (size_t i = 1; i < count; i++) {
        const json_t *a = json_array_get(list, i - 1), *b = json_array_get(list, i);
        int order = strcmp(json_get_text(a, "created_at"), json_get_text(b, "created_at"));
        assert_true(order < 0 ||
                    (order == 0 && json_get_int(a, "id", 0) < json_get_int(b, "id", 0)));
    }
}

static void test_pages(void **state G_GNUC_UNUSED)
{
#define REVIEWS "{url}/repos/o/r/pulls/42/comments?sort=created&direction=asc&per_page=100"
#define ISSUES  "{url}/repos/o/r/issues/42/comments?per_page=100"
    static const CannedAnswer answers[] = {
        { .request = GET_REVIEW_COMMENTS,
          .headers = "Link: <" REVIEWS "&page=2>; rel=\"next\", <" REVIEWS "&page=3>; "
                     "rel=\"last\"\r\n",
          .make = review_page },
        { .request = "GET /repos/o/r/pulls/42/comments?sort=created&direction=asc&per_page=100"
                     "&page=2 ",
          .headers = "Link: <" REVIEWS "&page=3>; rel=\"next\"\r\n",
          .make = review_page },
        { .request = "GET /repos/o/r/pulls/42/comments?sort=created&direction=asc&per_page=100"
                     "&page=3 ",
          .headers = "Link: <" REVIEWS "&page=2>; rel=\"prev\"\r\n",
          .make = review_page },
        { .request = GET_ISSUE_COMMENTS,
          .headers = "Link: <" ISSUES "&page=2>; rel=\"next\"\r\n",
          .make = issue_page },
        { .request = "GET /repos/o/r/issues/42/comments?per_page=100&page=2 ",
          .headers = "Link: <" ISSUES "&page=1>; rel=\"prev\"\r\n",
          .make = issue_page },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) data = fetch("");
    assert_ordered(json_get_array(data, "review_comments"), TOTAL_REVIEW); // cli-B-26
    assert_ordered(json_get_array(data, "issue_comments"), TOTAL_ISSUE);
    assert_int_equal(rest_fixture_count(fixture), G_N_ELEMENTS(answers));
    assert_null(json_object_get(data, "reviews"));
}

/* cli-B-27, and every field in its order. */
static void test_fields(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = GET_REVIEW_COMMENTS,
          .body = "[{\"id\":9007199254740993,\"created_at\":\"2026-01-11T10:30:00Z\","
                  "\"updated_at\":\"2026-01-11T10:31:00Z\",\"user\":{\"login\":\"reviewer\","
                  "\"type\":\"User\"},\"body\":\"Consider\",\"path\":\"src/auth.ts\",\"line\":67,"
                  "\"original_line\":60,\"start_line\":65,\"side\":\"RIGHT\","
                  "\"in_reply_to_id\":9007199254740992,\"pull_request_review_id\":80,"
                  "\"commit_id\":\"c0\",\"subject_type\":\"line\",\"html_url\":\"u\","
                  "\"author_association\":\"MEMBER\",\"diff_hunk\":\"@@\",\"position\":1},"
                  "{\"id\":2,\"created_at\":\"2026-01-11T10:32:00Z\",\"user\":null,\"body\":null,"
                  "\"path\":\"a\",\"line\":null,\"original_line\":67,\"start_line\":null},"
                  "{\"id\":3,\"created_at\":\"2026-01-11T10:33:00Z\",\"user\":{\"login\":\"x\"},"
                  "\"body\":\"b\",\"path\":\"a\",\"line\":null,\"original_line\":null,"
                  "\"subject_type\":\"file\"}]" },
        { .request = GET_ISSUE_COMMENTS,
          .body = "[{\"id\":789012,\"user\":{\"login\":\"contributor\",\"type\":\"User\"},"
                  "\"body\":\"Ready!\",\"created_at\":\"2026-01-10T15:00:00Z\",\"html_url\":\"v\","
                  "\"performed_via_github_app\":null}]" },
    };
    g_autoptr(RestFixture) fixture G_GNUC_UNUSED = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) data = fetch("");
    assert_json("cli-B-27", data,
                "{'review_comments':[{'id':9007199254740993,'user':'reviewer','body':'Consider',"
                "'path':'src/auth.ts','line':67,'created_at':'2026-01-11T10:30:00Z',"
                "'is_bot':false,'outdated':false,'start_line':65,'side':'RIGHT',"
                "'in_reply_to_id':9007199254740992,'review_id':80,'commit_id':'c0',"
                "'subject_type':'line','updated_at':'2026-01-11T10:31:00Z','html_url':'u',"
                "'author_association':'MEMBER'},"
                "{'id':2,'user':'unknown','body':'','path':'a','line':67,"
                "'created_at':'2026-01-11T10:32:00Z','is_bot':false,'outdated':true},"
                "{'id':3,'user':'x','body':'b','path':'a','created_at':'2026-01-11T10:33:00Z',"
                "'is_bot':false,'outdated':false,'subject_type':'file'}],"
                "'issue_comments':[{'id':789012,'user':'contributor','body':'Ready!',"
                "'created_at':'2026-01-10T15:00:00Z','is_bot':false,'html_url':'v'}]}");
}

/* cli-B-28 */
static void test_bots(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *login, *type;
        bool is_bot;
    } cases[] = {
        { "dependabot[bot]", "User", true },
        { "ci-bot", "User", true },
        { "GitHub-Actions", "User", true },
        { "x", "Bot", true },
        { "CI-Bot", "User", true },
        { "sonarcloud", "User", true },
        { "codecov", NULL, true },
        { "Renovate", "User", true },
        { "robot", "User", false },
        { "abbott", "User", false },
        { "bot-lover", "User", false },
        { "mybot", "User", false },
        { "github-actions2", "User", false },
        { "bot", "User", false },
    };
    GString *body = g_string_new("[");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_string_append_printf(body,
                               "%s{\"id\":%zu,\"created_at\":\"2026\",\"user\":{\"login\":\"%s\","
                               "\"type\":\"%s\"}}",
                               i > 0 ? "," : "", i + 1, cases[i].login,
                               cases[i].type ? cases[i].type : "");
    g_string_append_c(body, ']');
    g_autofree char *list = g_string_free(body, false);
    const CannedAnswer answers[] = {
        { .request = GET_REVIEW_COMMENTS, .body = "[]", .times = 2 },
        { .request = GET_ISSUE_COMMENTS, .body = list, .times = 2 },
    };
    g_autoptr(RestFixture) fixture G_GNUC_UNUSED = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) data = fetch("");
    size_t people = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const json_t *item = json_array_get(json_get_array(data, "issue_comments"), i);
        if (json_get_bool(item, "is_bot", !cases[i].is_bot) != cases[i].is_bot)
            fail_msg("%s", cases[i].login);
        people += cases[i].is_bot ? 0 : 1;
    }
    g_autoptr(json_t) without = fetch(",'exclude_bots':true");
    assert_int_equal(json_array_size(json_get_array(without, "issue_comments")), people);
}

static void test_options(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET /repos/o/r/pulls/42/comments?sort=created&direction=asc&since=2026-01-01"
                     "T00%3A00%3A00%2B01%3A00&per_page=100 ",
          .body = "[{\"id\":1,\"created_at\":\"2026\",\"diff_hunk\":\"@@ -1 +1 @@\"}]" },
        { .request = "GET /repos/o/r/issues/42/comments?since=2026-01-01T00%3A00%3A00%2B01%3A00&"
                     "per_page=100 ",
          .body = "[]" },
        { .request = GET_REVIEWS,
          .body = "[{\"id\":3,\"user\":{\"login\":\"me\"},\"body\":\"\",\"state\":\"PENDING\"},"
                  "{\"id\":2,\"user\":{\"login\":\"a\"},\"body\":\"ok\",\"state\":\"APPROVED\","
                  "\"submitted_at\":\"2026-01-02T00:00:00Z\",\"commit_id\":\"c\","
                  "\"html_url\":\"u\",\"_links\":{}},"
                  "{\"id\":1,\"user\":{\"login\":\"b-bot\"},\"body\":null,\"state\":\"COMMENTED\","
                  "\"submitted_at\":\"2026-01-01T00:00:00Z\"}]" },
    };
    g_autoptr(RestFixture) fixture G_GNUC_UNUSED = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) data = fetch(",'since':'2026-01-01T00:00:00+01:00','include_reviews':true,"
                                   "'include_diff_hunk':true");
    assert_json("options", data,
                "{'review_comments':[{'id':1,'user':'unknown','body':'','created_at':'2026',"
                "'is_bot':false,'outdated':false,'diff_hunk':'@@ -1 +1 @@'}],'issue_comments':[],"
                "'reviews':[{'id':1,'user':'b-bot','body':'','state':'COMMENTED',"
                "'submitted_at':'2026-01-01T00:00:00Z','is_bot':true},"
                "{'id':2,'user':'a','body':'ok','state':'APPROVED','submitted_at':"
                "'2026-01-02T00:00:00Z','commit_id':'c','html_url':'u','is_bot':false},"
                "{'id':3,'user':'me','body':'','state':'PENDING','is_bot':false}]}");
}

#define THREAD(id, resolved, first)                                                                \
    "{\"id\":\"" id "\",\"isResolved\":" resolved                                                  \
    ",\"comments\":{\"nodes\":[{\"fullDatabaseId\":" first "}]}}"
#define THREADS(nodes, info)                                                                       \
    "{\"data\":{\"repository\":{\"pullRequest\":{\"reviewThreads\":{\"nodes\":[" nodes             \
    "],\"pageInfo\":" info "}}}}}"

static void test_resolution(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = GET_REVIEW_COMMENTS,
          .body = "[{\"id\":9007199254740993,\"created_at\":\"1\"},"
                  "{\"id\":11,\"created_at\":\"2\",\"in_reply_to_id\":9007199254740993},"
                  "{\"id\":12,\"created_at\":\"3\"},{\"id\":13,\"created_at\":\"4\"}]" },
        { .request = GET_ISSUE_COMMENTS, .body = "[]" },
        { .request = "POST /graphql ",
          .body =
              THREADS(THREAD("T1", "true", "\"9007199254740993\"") ",{\"id\":\"T0\",\"comments\":{"
                                                                   "\"nodes\":[]}}",
                      "{\"hasNextPage\":true,\"endCursor\":\"C1\"}") },
        { .request = "POST /graphql ",
          .body = THREADS(THREAD("T2", "false", "12"), "{\"hasNextPage\":false}") },
    };
    static const struct {
        const char *thread; // NULL: not listed
        bool is_resolved;
    } want[] = { { "T1", true }, { "T1", true }, { "T2", false }, { NULL, false } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) data = fetch(",'include_resolution':true");
    const json_t *list = json_get_array(data, "review_comments");
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++) {
        const json_t *item = json_array_get(list, i);
        const char *thread = json_get_text(item, "thread_id");
        if (g_strcmp0(thread, want[i].thread) != 0)
            fail_msg("%zu: %s", i, thread);
        assert_int_equal(json_object_get(item, "resolved") != NULL, thread != NULL);
        assert_int_equal(json_get_bool(item, "resolved", false), want[i].is_resolved);
    }
    g_autofree char *first = rest_fixture_body(fixture, 3);
    g_autofree char *second = rest_fixture_body(fixture, 4);
    assert_true(
        g_str_has_suffix(first, "\"variables\":{\"owner\":\"o\",\"repo\":\"r\",\"number\":42}}"));
    assert_true(g_str_has_suffix(
        second, "\"variables\":{\"owner\":\"o\",\"repo\":\"r\",\"number\":42,\"after\":\"C1\"}}"));
}

/* One list that fails fails the whole; the pull request's own error tells it. */
static void test_failures(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        CannedAnswer reviews, issues, graphql;
        const char *code, *text;
    } cases[] = {
        { "a plain issue",
          { .status = 404 },
          { .body = "[]" },
          { 0 },
          "not_found",
          "Not found: o/r pull request 42" },
        { "both fail",
          { .status = 404 },
          { .status = 403, .body = "{\"message\":\"no\"}" },
          { 0 },
          "not_found",
          "Not found: o/r pull request 42" },
        { "the second fails",
          { .body = "[]" },
          { .status = 403, .body = "{\"message\":\"no\"}" },
          { 0 },
          "permission",
          "Permission denied: no" },
        { "no list",
          { .body = "{}" },
          { .body = "[]" },
          { 0 },
          "internal",
          "GitHub sent an unreadable answer during fetch-comments" },
        { "threads",
          { .body = "[]" },
          { .body = "[]" },
          { .body = "{\"errors\":[{\"type\":\"NOT_FOUND\",\"message\":\"Could not resolve\"}]}" },
          "not_found",
          "Not found: Could not resolve" },
        { "no threads",
          { .body = "[]" },
          { .body = "[]" },
          { .body = "{\"data\":{\"repository\":null}}" },
          "internal",
          "GitHub sent an unreadable answer during fetch-comments" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        CannedAnswer answers[] = { cases[i].reviews, cases[i].issues, cases[i].graphql };
        answers[0].request = GET_REVIEW_COMMENTS;
        answers[1].request = GET_ISSUE_COMMENTS;
        answers[2].request = "POST /graphql ";
        g_autoptr(RestFixture) fixture G_GNUC_UNUSED =
            rest_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autoptr(ToolFixture) tool = tool_fixture_new(NULL, false);
        g_autofree char *text =
            operation_error(tool, &operation_github_pr_fetch_comments,
                            "{" PLACE ",'include_resolution':true}", cases[i].code);
        assert_text(cases[i].name, text, cases[i].text);
    }
}

/* The same call twice gives the same bytes, whichever list came first (agent-tools-cli §0). */
static void test_same_twice(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = GET_REVIEW_COMMENTS, .body = "[{\"id\":1,\"created_at\":\"1\"}]", .times = 2 },
        { .request = GET_ISSUE_COMMENTS, .body = "[{\"id\":2,\"created_at\":\"1\"}]", .times = 2 },
        { .request = GET_REVIEWS, .body = "[]", .times = 2 },
    };
    g_autoptr(RestFixture) fixture G_GNUC_UNUSED = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) first = fetch(",'include_reviews':true");
    g_autoptr(json_t) second = fetch(",'include_reviews':true");
    g_autofree char *first_text = json_to_text(first);
    g_autofree char *second_text = json_to_text(second);
    assert_string_equal(first_text, second_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),      cmocka_unit_test(test_fields),
        cmocka_unit_test(test_bots),       cmocka_unit_test(test_options),
        cmocka_unit_test(test_resolution), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
