/*
 * wm/task/api.c: token, paths and the words of failures (task-G01 to task-G08), against a server
 * in this process.
 */
#include "base/str.h"
#include "rest_fixture.h"

#include "wm/task/api.h"

#include <sys/stat.h>

static const WmRepo repo = { .owner = (char *)"o", .name = (char *)"r", .slug = (char *)"o/r" };

static WmApi *open_api(RestFixture *fixture)
{
    g_autoptr(Settings) settings = settings_new(NULL);
    const RestOptions options = {
        .uses_login = true,
        .user_agent_part = "wm",
        .max_wait_s = -1,
        .settings = settings,
        .sleep = rest_fixture_sleep,
        .user_data = fixture,
    };
    g_autoptr(GError) error = NULL;
    WmApi *api = NULL;
    if (!wm_api_open(&repo, &options, NULL, &api, &error))
        fail_msg("%s", error->message);
    return api;
}

static void expect_token(const char *name, RestFixture *fixture, const char *want)
{
    g_autoptr(WmApi) api = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_api_new(&repo, "/", NULL, &api, &error))
        fail_msg("%s: %s", name, error->message);
    assert_true(wm_api_get(api, "/repos/o/r", NULL, NULL, NULL));
    g_autofree char *request = test_server_request(fixture->server, rest_fixture_count(fixture));
    g_autofree char *line = g_strdup_printf("\r\nAuthorization: Bearer %s\r\n", want);
    if (!strstr(request, line))
        fail_msg("%s: no '%s' in\n%s", name, line + 2, request);
}

static void test_tokens(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .body = "{}", .times = 2 } };
    static const char gh[] = "#!/bin/sh\necho c\n";
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_setenv("GH_TOKEN", "a", true);
    g_setenv("GITHUB_TOKEN", "b", true);
    expect_token("task-G01", fixture, "a");

    g_unsetenv("GH_TOKEN");
    g_unsetenv("GITHUB_TOKEN");
    g_autoptr(WmApi) none = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(wm_api_new(&repo, "/", NULL, &none, &error));
    assert_string_equal(error->message, "no GitHub token: set GH_TOKEN or GITHUB_TOKEN, or run gh "
                                        "auth login"); // task-G03

    g_autofree char *path = g_build_filename(fixture->dir, "gh", NULL);
    assert_true(file_write_atomic(path, gh, strlen(gh), 0700, NULL));
    expect_token("task-G02", fixture, "c");
}

static void test_http_elsewhere(void **state G_GNUC_UNUSED)
{
    g_autoptr(RestFixture) fixture G_GNUC_UNUSED = rest_fixture_new(NULL, 0);
    g_setenv("GITHUB_API_URL", "http://example.org", true);
    g_autoptr(WmApi) api = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(wm_api_new(&repo, "/", NULL, &api, &error)); // task-G07
    assert_string_equal(error->message, "refusing to send a token over http");
}

static void test_retries(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET /repos/o/r/issues/42 ", .status = 502, .times = 2 },
        { .request = "GET /repos/o/r/issues/42 ", .body = "{\"number\":42}" },
        { .request = "POST ", .status = 502, .body = "{\"message\":\"Bad gateway\"}" },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(WmApi) api = open_api(fixture);
    g_autofree char *path = wm_path(api, "/issues/%d", 42);
    g_autoptr(json_t) issue = NULL;
    assert_true(wm_api_get(api, path, NULL, &issue, NULL));
    assert_int_equal(json_get_int(issue, "number", 0), 42);
    assert_int_equal(rest_fixture_count(fixture), 3); // task-G04

    g_autofree char *comments = wm_path(api, "/issues/42/comments");
    g_autoptr(json_t) body = json_pack("{s:s}", "body", "x");
    const WmCall call = { .method = "POST", .path = comments, .body = body };
    g_autoptr(GError) error = NULL;
    assert_false(wm_api_call(api, &call, NULL, NULL, &error));
    assert_string_equal(error->message, "GitHub API POST /repos/o/r/issues/42/comments: HTTP 502: "
                                        "Bad gateway (it may have been carried out)");
    assert_true(wm_api_is_unknown(error));
    assert_int_equal(rest_fixture_count(fixture), 4);
}

typedef struct FailureCase {
    const char *name;
    CannedAnswer answer;
    const char *method, *text;
    int status;
    bool is_unknown;
} FailureCase;

#define AT " /repos/o/r/labels: "

static const FailureCase failure_cases[] = {
    { "task-G05 fields",
      { .status = 422,
        .body = "{\"message\":\"Validation Failed\",\"errors\":[{\"resource\":\"Label\",\"field\":"
                "\"name\",\"code\":\"already_exists\"},{\"code\":\"custom\",\"message\":\"no "
                "commits\"},\"plain\"]}" },
      "POST",
      "HTTP 422: Validation Failed; name: already_exists; no commits; plain",
      422,
      false },
    { "task-G06 the token comes back",
      { .status = 400, .body = "{\"message\":\"bad " REST_TOKEN "\"}" },
      "GET",
      "HTTP 400: bad [REDACTED]",
      400,
      false },
    { "task-G06 in what is no JSON",
      { .status = 400, .body = "<html>" REST_TOKEN "</html>" },
      "GET",
      "HTTP 400: <html>[REDACTED]</html>",
      400,
      false },
    { "read-only token",
      { .status = 403, .body = "{\"message\":\"Resource not accessible by integration\"}" },
      "POST",
      "HTTP 403: Resource not accessible by integration — the token has no write permission (in CI "
      "only the outputs job may write)",
      403,
      false },
    { "bad credentials",
      { .status = 401, .body = "{\"message\":\"Bad credentials\"}" },
      "GET",
      "HTTP 401: Bad credentials — check the token",
      401,
      false },
    { "a write on what is not there",
      { .status = 404, .body = "{\"message\":\"Not Found\"}" },
      "PATCH",
      "HTTP 404: Not Found — not found, or the token cannot see it",
      404,
      false },
    { "a read of it",
      { .status = 404, .body = "{\"message\":\"Not Found\"}" },
      "GET",
      "HTTP 404: Not Found",
      404,
      false },
    { "no message",
      { .status = 418, .body = "{\"a\":[1]}" },
      "GET",
      "HTTP 418: {\"a\":[1]}",
      418,
      false },
    { "nothing at all", { .status = 418 }, "GET", "HTTP 418: no message", 418, false },
    { "an answer that cannot be read",
      { .status = 201, .body = "<html>" },
      "POST",
      "the answer is unreadable",
      0,
      true },
};

static void test_failures(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(failure_cases); i++) {
        const FailureCase *wanted = &failure_cases[i];
        g_autoptr(RestFixture) fixture = rest_fixture_new(&wanted->answer, 1);
        g_autoptr(WmApi) api = open_api(fixture);
        const WmCall call = { .method = wanted->method, .path = "/repos/o/r/labels" };
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strconcat("GitHub API ", wanted->method, AT, wanted->text, NULL);
        assert_false(wm_api_call(api, &call, NULL, NULL, &error));
        if (strcmp(error->message, text) != 0 || wm_api_status(error) != wanted->status ||
            wm_api_is_unknown(error) != wanted->is_unknown)
            fail_msg("%s: %d %s", wanted->name, wm_api_status(error), error->message);
    }
}

static void test_no_answer(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .end = CANNED_DROP } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(WmApi) api = open_api(fixture);
    const WmCall call = { .method = "POST", .path = "/repos/o/r/issues" };
    g_autoptr(GError) error = NULL;
    assert_false(wm_api_call(api, &call, NULL, NULL, &error));
    assert_true(str_has_prefix(error->message, "GitHub API POST /repos/o/r/issues: "));
    assert_true(g_str_has_suffix(error->message, " (it may have been carried out)"));
    assert_true(wm_api_is_unknown(error));
    assert_int_equal(wm_api_status(error), 0);
}

static void test_rate_limit(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .status = 429, .headers = "Retry-After: 7200\r\n", .body = "{\"message\":\"slow\"}" },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(WmApi) api = open_api(fixture);
    g_autoptr(GError) error = NULL;
    assert_false(wm_api_get(api, "/repos/o/r", NULL, NULL, &error));
    assert_true(str_has_prefix(error->message, "GitHub API rate limit reached (resets at 2"));
    assert_true(g_str_has_suffix(error->message, "Z)"));
    assert_false(wm_api_is_unknown(error));
}

/* task-G08. */
static void test_pages(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET /repos/o/r/issues/5/comments?per_page=100 ",
          .headers = "Link: <{url}/p2>; rel=\"next\"\r\n",
          .body = "[{\"id\":1},{\"id\":2}]" },
        { .request = "GET /p2 ",
          .headers = "Link: <{url}/p3>; rel=\"next\"\r\n",
          .body = "[{\"id\":3}]" },
        { .request = "GET /p3 ", .body = "[{\"id\":4}]" },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(WmApi) api = open_api(fixture);
    g_autofree char *path = wm_path(api, "/issues/5/comments");
    g_autoptr(json_t) items = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_api_list(api, path, NULL, NULL, &items, &error))
        fail_msg("%s", error->message);
    g_autofree char *text = json_to_text(items);
    assert_string_equal(text, "[{\"id\":1},{\"id\":2},{\"id\":3},{\"id\":4}]");
}

static void test_graphql(void **state G_GNUC_UNUSED)
{
    static const struct {
        CannedAnswer answer;
        const char *text; // NULL: it succeeds
    } cases[] = {
        { { .body = "{\"data\":{\"a\":1}}" }, NULL },
        { { .body = "{\"data\":null,\"errors\":[{\"message\":\"Could not resolve\",\"type\":"
                    "\"NOT_FOUND\"},{\"message\":\"b\"}]}" },
          "GitHub GraphQL: Could not resolve" },
        { { .body = "{\"data\":null}" }, "GitHub GraphQL: empty response" },
        { { .status = 403, .body = "{\"message\":\"no\"}" },
          "GitHub API POST /graphql: HTTP 403: no" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(RestFixture) fixture = rest_fixture_new(&cases[i].answer, 1);
        g_autoptr(WmApi) api = open_api(fixture);
        g_autoptr(json_t) data = NULL;
        g_autoptr(GError) error = NULL;
        bool is_done = wm_api_graphql(api, "mutation{x}", NULL, NULL, &data, &error);
        assert_int_equal(is_done, cases[i].text == NULL);
        if (cases[i].text)
            assert_string_equal(error->message, cases[i].text);
    }
}

static void test_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *login;
        bool is_valid;
    } logins[] = {
        { "octocat", true },  { "dependabot[bot]", true },
        { "a-b-9", true },    { "", false },
        { "[bot]", false },   { "a/b", false },
        { "a[bot]x", false }, { "0123456789012345678901234567890123456789", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(logins); i++)
        if (wm_login_is_valid(logins[i].login) != logins[i].is_valid)
            fail_msg("%s", logins[i].login);
    g_autofree char *encoded = wm_encode("a b/c?#%");
    assert_string_equal(encoded, "a%20b%2Fc%3F%23%25");
}

static void test_repo_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *given, *env, *want; // NULL: an error
    } cases[] = {
        { "a/b", "c/d", "a/b" },  { NULL, "c/d", "c/d" },  { "", " c/d ", "c/d" },
        { "a", NULL, NULL },      { "a/b/c", NULL, NULL }, { "/b", NULL, NULL },
        { NULL, "a/../b", NULL }, { NULL, "a/..", NULL },  { NULL, "a/b\n[core]", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (cases[i].env)
            g_setenv("GITHUB_REPOSITORY", cases[i].env, true);
        else
            g_unsetenv("GITHUB_REPOSITORY");
        g_auto(WmRepo) found = { 0 };
        g_autoptr(GError) error = NULL;
        bool is_found = wm_repo_find(cases[i].given, "/", NULL, &found, &error);
        if (is_found != (cases[i].want != NULL) || g_strcmp0(found.slug, cases[i].want) != 0)
            fail_msg("case %zu: %s", i, is_found ? found.slug : error->message);
        assert_true(is_found || str_has_prefix(error->message, "invalid repo: "));
    }
    g_unsetenv("GITHUB_REPOSITORY");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),    cmocka_unit_test(test_http_elsewhere),
        cmocka_unit_test(test_retries),   cmocka_unit_test(test_failures),
        cmocka_unit_test(test_no_answer), cmocka_unit_test(test_rate_limit),
        cmocka_unit_test(test_pages),     cmocka_unit_test(test_graphql),
        cmocka_unit_test(test_names),     cmocka_unit_test(test_repo_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
