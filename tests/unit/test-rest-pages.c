/*
 * github/rest/rest_pages.c and GraphQL of github/rest/rest.c: lists over many pages, and answers
 * that hide their errors in a 200.
 */
#include "base/str.h"
#include "rest_fixture.h"

#include "github/rest/rest_private.h"

static const RestCall list_call = { .method = "GET",
                                    .path = "/repos/o/r/comments?sort=created",
                                    .operation = "fetch-comments" };

/* [{"id":first}, … ]. Caller frees. */
static char *items(int64_t first, size_t count)
{
    GString *text = g_string_new("[");
    for (size_t i = 0; i < count; i++)
        g_string_append_printf(text, "%s{\"id\":%" G_GINT64_FORMAT "}", i > 0 ? "," : "",
                               first + (int64_t)i);
    g_string_append_c(text, ']');
    return g_string_free(text, false);
}

static void assert_ids(const json_t *list, int64_t first, size_t count)
{
    assert_int_equal(json_array_size(list), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(json_get_int(json_array_get(list, i), "id", 0), first + (int64_t)i);
}

static void assert_log(const RestFixture *fixture, const char *want)
{
    g_autofree char *log = rest_fixture_log(fixture);
    assert_string_equal(log, want);
}

/* The Link is followed as it stands, doubles are dropped, and a page without a next one is the
   last, however full it is. */
static void test_links(void **state G_GNUC_UNUSED)
{
    g_autofree char *third = items(4, 100);
    const CannedAnswer answers[] = {
        { .request = "GET /repos/o/r/comments?sort=created&per_page=100 ",
          .headers = "Link: <{url}/odd?after=x,y>; rel=\"next\", <{url}/odd?z>; rel=\"last\"\r\n",
          .body = "[{\"id\":1},{\"id\":2}]" },
        { .request = "GET /odd?after=x,y ",
          .headers = "Link: <{url}/a>; rel=\"prev first\" , </b?page=3> ; title=\"x\"; "
                     "rel=\"up next\"\r\n",
          .body = "[{\"id\":2},{\"id\":3},{\"id\":9007199254740993},{\"sha\":\"x\"},"
                  "{\"sha\":\"x\"}]" },
        { .request = "GET /b?page=3 ",
          .headers = "Link: <{url}/a>; rel=\"prev\"\r\n",
          .body = third },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(json_t) list = NULL;
    assert_true(rest_list(rest, &list_call, NULL, NULL, &list, NULL, NULL));
    assert_int_equal(json_array_size(list), 106);
    assert_true(json_get_int(json_array_get(list, 3), "id", 0) == 9007199254740993);
    assert_non_null(json_get_text(json_array_get(list, 5), "sha")); // without id: kept twice
}

static char *numbered_page(const char *request, unsigned number G_GNUC_UNUSED)
{
    const char *page = strstr(request, "&page=");
    int64_t index = page ? g_ascii_strtoll(page + strlen("&page="), NULL, 10) - 1 : 0;
    return items(index * 100 + 1, index < 2 ? 100 : 0);
}

/* A server without Link headers is asked by number, until a page is not full. */
static void test_missing_links(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .make = numbered_page, .times = 9 } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(json_t) list = NULL;
    assert_true(rest_list(rest, &list_call, NULL, NULL, &list, NULL, NULL));
    assert_ids(list, 1, 200);
    assert_log(fixture, "GET /repos/o/r/comments?sort=created&per_page=100\n"
                        "GET /repos/o/r/comments?sort=created&per_page=100&page=2\n"
                        "GET /repos/o/r/comments?sort=created&per_page=100&page=3\n");
}

static void test_key(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET /jobs?per_page=100 ", .body = "{\"total\":1,\"jobs\":[{\"id\":7}]}" },
        { .request = "GET /jobs?per_page=100 ", .body = "[{\"id\":7}]" },
        { .request = "GET /jobs?per_page=100 ", .body = "{\"total\":0}" },
        { .request = "GET /jobs?per_page=100 ", .body = "" },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    const RestCall call = { .method = "GET", .path = "/jobs", .operation = "op" };
    g_autoptr(json_t) list = NULL;
    assert_true(rest_list(rest, &call, "jobs", NULL, &list, NULL, NULL));
    assert_ids(list, 7, 1);
    for (int i = 0; i < 3; i++) {
        g_autoptr(json_t) none = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(rest_list(rest, &call, "jobs", NULL, &none, NULL, &error));
        assert_true(g_error_matches(error, REST_ERROR, REST_ERROR_UNREADABLE));
        assert_string_equal(error->message, "GitHub sent an unreadable answer during op");
        assert_null(none);
    }
}

/* A list is whole or an error: what goes wrong on a later page is not hidden. */
static void test_later_page_fails(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        const char *link;
        CannedAnswer second;
        unsigned times;
        const char *text; // NULL: succeeds
    } cases[] = {
        { "an outage passes", "</2>; rel=\"next\"", { .status = 502 }, 3, NULL },
        { "an outage stays",
          "</2>; rel=\"next\"",
          { .status = 502 },
          4,
          "GitHub is unavailable (502) during fetch-comments" },
        { "an early end passes",
          "</2>; rel=\"next\"",
          { .body = "[", .end = CANNED_EARLY },
          1,
          NULL },
        { "no JSON",
          "</2>; rel=\"next\"",
          { .body = "<html>" },
          1,
          "GitHub sent an unreadable answer during fetch-comments" },
        { "another host",
          "<http://127.0.0.1:1/2>; rel=next",
          { .status = 500 },
          1,
          "GitHub API error (200) during fetch-comments: refusing to send the token to another "
          "host for the next page" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *headers = g_strdup_printf("Link: %s\r\n", cases[i].link);
        CannedAnswer answers[] = {
            { .request = "GET /repos", .headers = headers, .body = "[{\"id\":1}]" },
            cases[i].second,
            { .request = "GET /2", .body = "[{\"id\":2}]" },
        };
        answers[1].request = "GET /2";
        answers[1].times = cases[i].times;
        g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autoptr(Rest) rest = rest_fixture_open(fixture);
        g_autoptr(json_t) list = NULL;
        g_autoptr(GError) error = NULL;
        bool is_done = rest_list(rest, &list_call, NULL, NULL, &list, NULL, &error);
        if (g_strcmp0(error ? error->message : NULL, cases[i].text) != 0)
            fail_msg("%s: %s", cases[i].name, error ? error->message : "succeeds");
        if (is_done)
            assert_ids(list, 1, 2);
        else
            assert_null(list);
    }
}

static void test_moved(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET /repos/o/r/comments",
          .status = 301,
          .headers = "Location: {url}/repositories/9/comments?per_page=100\r\n" },
        { .request = "GET /repositories/9/comments?per_page=100 ",
          .headers = "Link: <{url}/repositories/9/comments?page=2>; rel=\"next\"\r\n",
          .body = "[{\"id\":1}]" },
        { .request = "GET /repositories/9/comments?page=2 ", .body = "[{\"id\":2}]" },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(json_t) list = NULL;
    g_autofree char *moved_to = NULL;
    assert_true(rest_list(rest, &list_call, NULL, NULL, &list, &moved_to, NULL));
    assert_ids(list, 1, 2);
    assert_string_equal(moved_to, "/repositories/9/comments?per_page=100");
}

/* A server that always has one more page. */
static void test_endless(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .headers = "Link: </more>; rel=\"next\"\r\n", .body = "[]", .times = 2000 },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(json_t) list = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(rest_list(rest, &list_call, NULL, NULL, &list, NULL, &error));
    assert_string_equal(
        error->message,
        "GitHub API error (200) during fetch-comments: the list has more than 1000 pages");
    assert_int_equal(fixture->uses[0], REST_MAX_PAGES);
}

#define QUERY    "query($n: Int!) { node(n: $n) { id } }"
#define MUTATION "mutation { x(input: {}) { id } }"

static void test_graphql(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *query;
        CannedAnswer answer;
        unsigned times; // then a good answer
        const char *waits;
        RestErrorCode code;
        const char *text; // NULL: succeeds
    } cases[] = {
        { "data", QUERY, { .status = 502 }, 0, "", 0, NULL },
        { "null is data", QUERY, { .body = "{\"data\":{\"node\":null}}" }, 1, "", 0, NULL },
        { "not found",
          QUERY,
          { .body = "{\"data\":{\"node\":null},\"errors\":[{\"type\":\"NOT_FOUND\","
                    "\"message\":\"Could not resolve to a Repository\"}]}" },
          1,
          "",
          REST_ERROR_NOT_FOUND,
          "Not found: Could not resolve to a Repository" },
        { "another error, with the token",
          QUERY,
          { .body = "{\"errors\":[{\"message\":\"bad " REST_TOKEN "\"}]}" },
          1,
          "",
          REST_ERROR_OTHER,
          "GitHub API error (200) during op: bad [REDACTED]" },
        { "no data",
          QUERY,
          { .body = "{}" },
          1,
          "",
          REST_ERROR_UNREADABLE,
          "GitHub sent an unreadable answer during op" },
        { "no JSON",
          QUERY,
          { .body = "x" },
          1,
          "",
          REST_ERROR_UNREADABLE,
          "GitHub sent an unreadable answer during op" },
        { "limit",
          QUERY,
          { .body = "{\"errors\":[{\"type\":\"RATE_LIMITED\",\"message\":\"slow\"}]}" },
          1,
          "60",
          0,
          NULL },
        { "limit of a mutation",
          MUTATION,
          { .body = "{\"errors\":[{\"type\":\"RATE_LIMITED\",\"message\":\"slow\"}]}",
            .headers = "retry-after: 7\r\n" },
          4,
          "7 7 7",
          REST_ERROR_RATE_LIMIT,
          "Rate limit exceeded - retry after 7 seconds" },
        { "the word alone is no limit",
          QUERY,
          { .body = "{\"data\":{\"node\":{\"id\":\"RATE_LIMITED\"}}}" },
          1,
          "",
          0,
          NULL },
        { "an outage of a mutation",
          MUTATION,
          { .status = 502 },
          1,
          "",
          REST_ERROR_UNKNOWN_OUTCOME,
          "GitHub is unavailable (502) during op" },
        { "an outage of a query", QUERY, { .end = CANNED_DROP }, 1, "1", 0, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        CannedAnswer answers[] = { cases[i].answer,
                                   { .body = "{\"data\":{\"node\":{\"id\":1}}}" } };
        answers[0].times = cases[i].times;
        bool has_first = cases[i].times > 0;
        g_autoptr(RestFixture) fixture =
            rest_fixture_new(has_first ? answers : answers + 1, has_first ? 2 : 1);
        g_autoptr(Rest) rest = rest_fixture_open(fixture);
        g_autoptr(json_t) variables = json_object();
        json_set_int(variables, "n", 7);
        g_autoptr(json_t) data = NULL;
        g_autoptr(GError) error = NULL;
        bool is_done = rest_graphql(rest, cases[i].query, variables, "op", NULL, &data, &error);
        if (g_strcmp0(error ? error->message : NULL, cases[i].text) != 0)
            fail_msg("%s: %s", cases[i].name, error ? error->message : "succeeds");
        assert_true(is_done ? json_object_size(data) == 1
                            : g_error_matches(error, REST_ERROR, (int)cases[i].code));
        g_autofree char *waits = rest_fixture_waits(fixture);
        assert_string_equal(waits, cases[i].waits);
        g_autofree char *request = test_server_request(fixture->server, 1);
        assert_true(str_has_prefix(request, "POST /graphql HTTP/1.1\r\n"));
        g_autofree char *sent = rest_fixture_body(fixture, 1);
        assert_true(g_str_has_suffix(sent, "\"variables\":{\"n\":7}}"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),   cmocka_unit_test(test_missing_links),
        cmocka_unit_test(test_key),     cmocka_unit_test(test_later_page_fails),
        cmocka_unit_test(test_moved),   cmocka_unit_test(test_endless),
        cmocka_unit_test(test_graphql),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
