/*
 * github/rest/rest.c, rest_exchange.c, rest_error.c: single calls against a server in this process:
 * what is sent, where redirects lead, and the words of failures. test-rest-retry.c has the repeats.
 */
#include "base/str.h"
#include "rest_fixture.h"

#include "github/rest/rest_private.h"

#define FORBIDDEN "{\"message\":\"Resource not accessible by integration\"}"

static const RestCall get_call = { .method = "GET",
                                   .path = "/repos/o/r/pulls/42",
                                   .operation = "fetch-comments",
                                   .subject = "o/r pull request 42" };
static const RestCall post_call = { .method = "POST",
                                    .path = "/repos/o/r/pulls/42/reviews",
                                    .operation = "submit-review",
                                    .subject = "o/r pull request 42" };

static void test_request(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "POST /repos/o/r/pulls/42/reviews HTTP/1.1",
          .status = 201,
          .body = "{\"id\":9007199254740993}" },
        { .request = "GET ", .status = 204 },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(json_t) body = json_object();
    json_set_text(body, "body", "h\xc3\xa9");
    RestCall call = post_call;
    call.body = body;
    g_auto(RestAnswer) answer = { 0 };
    assert_true(rest_call(rest, &call, NULL, &answer, NULL));
    assert_int_equal(answer.status, 201);
    assert_true(json_get_int(answer.body, "id", 0) == 9007199254740993);
    assert_null(answer.moved_to);

    g_autofree char *request = test_server_request(fixture->server, 1);
    static const char *const headers[] = {
        "Accept: application/vnd.github+json", "X-GitHub-Api-Version: 2022-11-28",
        "Authorization: Bearer " REST_TOKEN,   "User-Agent: kedge/" KEDGE_VERSION " agent-tools",
        "Content-Type: application/json",      "Accept-Encoding: ",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(headers); i++) {
        g_autofree char *line = g_strconcat("\r\n", headers[i], NULL);
        if (!strstr(request, line))
            fail_msg("no '%s' in\n%s", headers[i], request);
    }
    g_autofree char *sent = rest_fixture_body(fixture, 1);
    assert_string_equal(sent, "{\"body\":\"h\xc3\xa9\"}");

    g_auto(RestAnswer) empty = { 0 };
    assert_true(rest_call(rest, &get_call, NULL, &empty, NULL));
    assert_int_equal(empty.status, 204);
    assert_null(empty.body);
    g_autofree char *second = test_server_request(fixture->server, 2);
    assert_null(strstr(second, "Content-Type"));
}

static void test_api_version(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .body = "{}", .times = 2 } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    static const char *const versions[] = { "2099-01-02", "" };
    for (unsigned i = 0; i < G_N_ELEMENTS(versions); i++) {
        g_setenv("KEDGE_GITHUB_API_VERSION", versions[i], true);
        g_autoptr(Rest) rest = rest_fixture_open(fixture);
        g_auto(RestAnswer) answer = { 0 };
        assert_true(rest_call(rest, &get_call, NULL, &answer, NULL));
        g_autofree char *request = test_server_request(fixture->server, i + 1);
        const char *header = strstr(request, "X-GitHub-Api-Version: ");
        assert_int_equal(header != NULL, *versions[i] != '\0');
        assert_true(!header || strstr(header, "2099-01-02"));
    }
}

static void test_repo_path(void **state G_GNUC_UNUSED)
{
    g_autofree char *path = rest_repo_path("o o", "r/../x", "/pulls/%d", 7);
    assert_string_equal(path, "/repos/o%20o/r%2F..%2Fx/pulls/7");
}

/* cli-B-32 and the table of agent-tools-cli §2.5. */
static void test_statuses(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        CannedAnswer answer;
        RestErrorCode code;
        const char *text, *hint;
    } cases[] = {
        { "cli-B-32 404",
          { .status = 404, .body = "{\"message\":\"Not Found\"}" },
          REST_ERROR_NOT_FOUND,
          "Not found: o/r pull request 42",
          "Check owner, repo and number; a private repository also answers 404 when the token "
          "cannot see it" },
        { "cli-B-32 401",
          { .status = 401, .body = "{\"message\":\"Bad credentials\"}" },
          REST_ERROR_AUTH,
          "Permission denied: GitHub rejected the token during submit-review (Bad credentials)",
          NULL },
        { "cli-B-32 403",
          { .status = 403,
            .body = FORBIDDEN,
            .headers = "x-accepted-github-permissions: pull_requests=write\r\n" },
          REST_ERROR_PERMISSION,
          "Permission denied: Resource not accessible by integration",
          "the token needs: pull_requests=write" },
        { "403 of a classic token",
          { .status = 403, .body = FORBIDDEN, .headers = "X-Accepted-OAuth-Scopes: repo\r\n" },
          REST_ERROR_PERMISSION,
          "Permission denied: Resource not accessible by integration",
          "the token needs: repo" },
        { "403 without a word",
          { .status = 403 },
          REST_ERROR_PERMISSION,
          "Permission denied: GitHub gives no reason",
          NULL },
        { "cli-B-32 sso",
          { .status = 403,
            .body = FORBIDDEN,
            .headers = "X-GitHub-SSO: required; url=https://github.com/orgs/o/sso?"
                       "authorization_request=A1\r\n" },
          REST_ERROR_PERMISSION,
          "Permission denied: the token must be authorised for SAML single sign-on: "
          "https://github.com/orgs/o/sso?authorization_request=A1",
          "https://github.com/orgs/o/sso?authorization_request=A1" },
        { "410",
          { .status = 410, .body = "{\"message\":\"Issues are disabled\"}" },
          REST_ERROR_NOT_FOUND,
          "Not found: Issues are disabled",
          NULL },
        { "409",
          { .status = 409, .body = "{\"message\":\"Head moved\"}" },
          REST_ERROR_CONFLICT,
          "Conflict: Head moved",
          NULL },
        { "422 with items",
          { .status = 422,
            .body = "{\"message\":\"Validation Failed\",\"errors\":[\"Line could not be "
                    "resolved\",{\"field\":\"path\",\"code\":\"missing\"},{\"resource\":\"X\","
                    "\"code\":\"custom\",\"message\":\"is bad\"},7]}" },
          REST_ERROR_UNPROCESSABLE,
          "Validation failed: Validation Failed: Line could not be resolved: path missing: custom "
          "is bad",
          NULL },
        { "422 with text for items",
          { .status = 422, .body = "{\"message\":\"A\",\"errors\":\"b\"}" },
          REST_ERROR_UNPROCESSABLE,
          "Validation failed: A: b",
          NULL },
        { "451",
          { .status = 451, .body = "{\"message\":\"DMCA\"}" },
          REST_ERROR_PERMISSION,
          "Permission denied: unavailable for legal reasons",
          NULL },
        { "other",
          { .status = 418, .body = "{\"message\":\"teapot\"}" },
          REST_ERROR_OTHER,
          "GitHub API error (418) during submit-review: teapot",
          NULL },
        { "other, HTML",
          { .status = 406, .body = "<html>" },
          REST_ERROR_OTHER,
          "GitHub API error (406) during submit-review: no message",
          NULL },
        { "200, HTML",
          { .body = "<html>" },
          REST_ERROR_UNREADABLE,
          "GitHub sent an unreadable answer during submit-review",
          NULL },
        { "200, half of it",
          { .body = "{\"id\":" },
          REST_ERROR_UNREADABLE,
          "GitHub sent an unreadable answer during submit-review",
          NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(RestFixture) fixture = rest_fixture_new(&cases[i].answer, 1);
        g_autoptr(Rest) rest = rest_fixture_open(fixture);
        g_autoptr(GError) error =
            rest_fixture_error(cases[i].name, rest, &post_call, cases[i].code, cases[i].text);
        const RestFailure *failure = rest_error_failure(error);
        if (g_strcmp0(failure->hint, cases[i].hint) != 0)
            fail_msg("%s: hint '%s'", cases[i].name, failure->hint);
        assert_int_equal(fixture->sleeps->len, 0);
    }
}

static void test_facts(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .status = 422,
          .headers = "X-GitHub-Request-Id: AB:12:CD\r\n",
          .body = "{\"message\":\"No\",\"errors\":[{\"code\":\"custom\"}]}" },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(GError) first =
        rest_fixture_error("422", rest, &post_call, REST_ERROR_UNPROCESSABLE, NULL);
    g_autoptr(GError) error = g_error_copy(first);
    g_clear_error(&first);
    const RestFailure *failure = rest_error_failure(error);
    assert_int_equal(failure->status, 422);
    assert_string_equal(failure->message, "No");
    assert_string_equal(failure->request_id, "AB:12:CD");
    assert_int_equal(json_array_size(json_get_array(failure->body, "errors")), 1);

    g_autoptr(GError) foreign = NULL;
    fail_with(&foreign, KEDGE_ERROR_FAILED, "x");
    assert_null(rest_error_failure(foreign));
    assert_null(rest_error_failure(NULL));
}

/* cli-A-18: what a server echoes is nowhere. */
static void test_token_stays_inside(void **state G_GNUC_UNUSED)
{
    static const char echo[] =
        "{\"message\":\"bad: " REST_TOKEN "\",\"errors\":[\"Bearer " REST_TOKEN
        "\",{\"deep\":[\"" REST_TOKEN "\"]}]}";
    static const CannedAnswer answers[] = {
        { .status = 401, .body = echo, .headers = "x-github-request-id: " REST_TOKEN "\r\n" },
        { .status = 403, .body = echo, .headers = "x-accepted-oauth-scopes: " REST_TOKEN "\r\n" },
        { .status = 403, .body = echo, .headers = "x-github-sso: url=x?t=" REST_TOKEN "\r\n" },
        { .status = 422, .body = echo },
        { .status = 418, .body = echo },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_unsetenv("GITHUB_TOKEN"); // the client itself remembers what to hide
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
        g_auto(RestAnswer) answer = { 0 };
        g_autoptr(GError) error = NULL;
        assert_false(rest_call(rest, &post_call, NULL, &answer, &error));
        const RestFailure *failure = rest_error_failure(error);
        g_autofree char *body = json_to_text(failure->body);
        const char *const texts[] = { error->message, failure->message, failure->hint,
                                      failure->request_id, body };
        for (size_t k = 0; k < G_N_ELEMENTS(texts); k++)
            assert_true(!texts[k] || !strstr(texts[k], REST_TOKEN));
        assert_non_null(strstr(body, "[REDACTED]"));
    }
}

/* cli-B-34: followed on the same host, refused elsewhere. */
static void test_redirects(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *method;
        int status;
        const char *location; // NULL: none
        const char *moved_to; // NULL: fails with text
        const char *text;
        bool is_followed;
    } cases[] = {
        { "cli-B-34 301", "GET", 301, "{url}/repos/new/name/x", "/repos/new/name/x", NULL, true },
        { "relative", "GET", 301, "/repos/new/name/x?a=1", "/repos/new/name/x?a=1", NULL, true },
        { "302 is no move", "GET", 302, "/y", NULL, NULL, true },
        { "308 POST", "POST", 308, "/repositories/7/x", "/repositories/7/x", NULL, true },
        { "307 POST", "POST", 307, "{url}/repositories/7/x", "/repositories/7/x", NULL, true },
        { "301 POST", "POST", 301, "/y", NULL, "GitHub API error (301) during op: no message",
          false },
        { "no location", "GET", 301, NULL, NULL, "GitHub API error (301) during op: no message",
          false },
        { "cli-B-34 307", "GET", 307, "http://127.0.0.1:1/x", NULL,
          "GitHub API error (307) during op: refusing to send the token to another host", false },
        { "another scheme", "GET", 301, "https://127.0.0.1/x", NULL,
          "GitHub API error (301) during op: refusing to send the token to another host", false },
        { "user information", "GET", 301, "http://127.0.0.1@example.com/", NULL,
          "GitHub API error (301) during op: refusing to send the token to another host", false },
        { "protocol-relative", "GET", 301, "//example.com/", NULL,
          "GitHub API error (301) during op: refusing to send the token to another host", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *headers =
            cases[i].location ? g_strdup_printf("Location: %s\r\n", cases[i].location) : NULL;
        const CannedAnswer answers[] = {
            { .status = cases[i].status, .headers = headers },
            { .body = "{\"id\":1}" },
        };
        g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autoptr(Rest) rest = rest_fixture_open(fixture);
        g_autoptr(json_t) body = json_object();
        const RestCall call = { .method = cases[i].method,
                                .path = "/repos/old/name/x",
                                .body = strcmp(cases[i].method, "POST") == 0 ? body : NULL,
                                .operation = "op" };
        if (!cases[i].is_followed) {
            g_autoptr(GError) error G_GNUC_UNUSED =
                rest_fixture_error(cases[i].name, rest, &call, REST_ERROR_OTHER, cases[i].text);
            assert_int_equal(rest_fixture_count(fixture), 1);
            continue;
        }
        g_auto(RestAnswer) answer = { 0 };
        g_autoptr(GError) error = NULL;
        if (!rest_call(rest, &call, NULL, &answer, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        if (g_strcmp0(answer.moved_to, cases[i].moved_to) != 0)
            fail_msg("%s: moved to %s", cases[i].name, answer.moved_to);
        g_autofree char *second = test_server_request(fixture->server, 2);
        assert_true(str_has_prefix(second, cases[i].method));
        assert_non_null(strstr(second, "Authorization: Bearer " REST_TOKEN));
        g_autofree char *sent = rest_fixture_body(fixture, 2);
        assert_string_equal(sent, call.body ? "{}" : "");
    }
}

static void test_redirect_loop(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .status = 301, .headers = "Location: /again\r\n", .times = 9 },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(GError) error G_GNUC_UNUSED =
        rest_fixture_error("loop", rest, &get_call, REST_ERROR_OTHER,
                           "GitHub API error (301) during fetch-comments: more than 5 redirects");
    assert_int_equal(rest_fixture_count(fixture), 6);
}

static char *huge_body(const char *request G_GNUC_UNUSED, unsigned number G_GNUC_UNUSED)
{
    return g_strnfill(REST_MAX_BODY_BYTES + 1, ' ');
}

static void test_huge_answer(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .make = huge_body } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(GError) error =
        rest_fixture_error("32 MiB", rest, &get_call, REST_ERROR_UNREADABLE,
                           "GitHub sent an unreadable answer during fetch-comments");
    assert_string_equal(rest_error_failure(error)->hint,
                        "the answer is larger than 33554432 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request),     cmocka_unit_test(test_api_version),
        cmocka_unit_test(test_repo_path),   cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_facts),       cmocka_unit_test(test_token_stays_inside),
        cmocka_unit_test(test_redirects),   cmocka_unit_test(test_redirect_loop),
        cmocka_unit_test(test_huge_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
