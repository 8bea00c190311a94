/*
 * agenttools/pr/pr_common.c and pr_reaction.c: add-reaction, and what all github-pr operations
 * share, through tool_call() against a server in this process.
 */
#include "agenttools/pr/pr_common.h"
#include "pr_fixture.h"

#define REACT "'owner':'o','repo':'r','comment_id':123456,'reaction':'+1'"
#define REPLY "'owner':'o','repo':'r','pr_number':42,'comment_id':123456,'body':'Because.'"

#define POST_REACTION "POST /repos/o/r/pulls/comments/123456/reactions HTTP/1.1"
#define NOT_FOUND     "{\"message\":\"Not Found\"}"

static const OperationDef *const all[] = {
    &operation_github_pr_add_reaction,
    &operation_github_pr_reply_comment,
    &operation_github_pr_fetch_comments,
};
static const char *const good_arguments[] = {
    "{" REACT "}",
    "{" REPLY "}",
    "{'owner':'o','repo':'r','pr_number':42}",
};

static void test_no_token(void **state G_GNUC_UNUSED)
{
    g_auto(PrFixture) fixture = pr_fixture_new(NULL, 0);
    g_setenv("GITHUB_TOKEN", "  ", true);
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_autoptr(json_t) detail = error_detail(&fixture, all[i], good_arguments[i]);
        assert_json("cli-B-01", detail,
                    "{'code':'auth_missing','message':'GITHUB_TOKEN environment variable not set',"
                    "'hint':'Set GITHUB_TOKEN with a valid GitHub token'}");
    }
    assert_log(&fixture, "");
}

/* Refused before the token is looked for, and before any request. */
static void test_validation(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        size_t operation;
        const char *arguments, *text;
    } cases[] = {
        { "cli-B-35 owner", 0, "{'owner':'../x','repo':'r','comment_id':1,'reaction':'eyes'}",
          "Validation failed: owner must be an account name: letters, digits and single hyphens, "
          "at most 39 characters" },
        { "cli-B-35 repo", 2, "{'owner':'o','repo':'..','pr_number':1}",
          "Validation failed: repo must be a repository name: letters, digits, \".\", \"_\" and "
          "\"-\", at most 100 characters" },
        { "cli-B-35 slash", 2, "{'owner':'o','repo':'a/b','pr_number':1}",
          "Validation failed: repo must be a repository name: letters, digits, \".\", \"_\" and "
          "\"-\", at most 100 characters" },
        { "cli-B-23", 0, "{'owner':'o','repo':'r','comment_id':1,'reaction':'thumbsup'}",
          "Validation failed: reaction must be one of: +1, -1, laugh, confused, heart, hooray, "
          "rocket, eyes" },
        { "blank owner", 2, "{'owner':' ','repo':'r','pr_number':1}",
          "Validation failed: owner is required and must be a non-empty string" },
        { "number", 1, "{'owner':'o','repo':'r','pr_number':0,'comment_id':1,'body':'x'}",
          "Validation failed: pr_number is required and must be a positive integer" },
        { "body", 1, "{'owner':'o','repo':'r','pr_number':1,'comment_id':1,'body':' '}",
          "Validation failed: body is required and must be a non-empty string" },
        { "since", 2, "{'owner':'o','repo':'r','pr_number':1,'since':'yesterday'}",
          "Validation failed: since must be an ISO 8601 time" },
    };
    g_auto(PrFixture) fixture = pr_fixture_new(NULL, 0);
    g_unsetenv("GITHUB_TOKEN");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = operation_error(fixture.tool, all[cases[i].operation],
                                                cases[i].arguments, "validation");
        assert_text(cases[i].name, text, cases[i].text);
    }
    g_autoptr(json_t) both =
        operation_call(fixture.tool, all[2], json_of("{'owner':'-','repo':'.','pr_number':1}"));
    assert_int_equal(json_array_size(json_get_array(both, "errors")), 2);

    g_autofree char *long_body = g_strnfill(PULL_MAX_BODY_CHARS + 1, 'b');
    g_autofree char *arguments = g_strdup_printf(
        "{'owner':'o','repo':'r','pr_number':1,'comment_id':1,'body':'%s'}", long_body);
    g_autofree char *text = operation_error(fixture.tool, all[1], arguments, "validation");
    assert_string_equal(text,
                        "Validation failed: body is too long: 65537 characters (limit 65536)");
    assert_log(&fixture, "");
}

static void test_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *owner, *repo;
        bool is_good;
    } cases[] = {
        { "a", "b", true },
        { "rp1-run", "rp1", true },
        { "octo_corp", ".github", true },
        { "0a-b-c", "a._-", true },
        { "a23456789012345678901234567890123456789", "b", true },
        { "a234567890123456789012345678901234567890", "b", false },
        { "-a", "b", false },
        { "a-", "b", false },
        { "a--b", "b", false },
        { "a.b", "b", false },
        { "a", ".", false },
        { "a", "b c", false },
        { "a", "b?c", false },
        { "a", "\xc3\xa4", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Answer) answer = answer_new();
        const PrTarget target = { .owner = cases[i].owner, .repo = cases[i].repo };
        if (pr_check_target(&target, answer) != cases[i].is_good)
            fail_msg("%s/%s", cases[i].owner, cases[i].repo);
        assert_int_equal(answer_has_failed(answer), !cases[i].is_good);
    }
}

static void test_server_arguments(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST_REACTION, .status = 201, .body = "{\"id\":5}" },
    };
    g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
    g_unsetenv("GITHUB_API_URL");
    g_autofree char *unknown = operation_error(fixture.tool, &operation_github_pr_add_reaction,
                                               "{" REACT ",'host':'evil.example'}", "validation");
    assert_string_equal(unknown, "Validation failed: host \"evil.example\" is not a known host; "
                                 "add it to gh.knownHosts");
    g_autofree char *plain =
        operation_error(fixture.tool, &operation_github_pr_add_reaction,
                        "{" REACT ",'api_url':'http://github.com/'}", "validation");
    assert_string_equal(plain, "Validation failed: refusing to send a token over http");

    g_autofree char *arguments = g_strdup_printf("{" REACT ",'api_url':'%s/'}", fixture.rest->url);
    g_autoptr(json_t) data =
        operation_data(fixture.tool, &operation_github_pr_add_reaction, arguments);
    assert_int_equal(json_get_int(data, "reaction_id", 0), 5);
    g_autofree char *request = test_server_request(fixture.rest->server, 1);
    assert_non_null(strstr(request, "User-Agent: kedge/" KEDGE_VERSION " agent-tools\r\n"));
}

static void test_reaction(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST_REACTION, .status = 201, .body = "{\"id\":9007199254740993}" },
        { .request = POST_REACTION, .status = 200, .body = "{\"id\":9007199254740993}" },
    };
    g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
    static const char *const want[] = { "true", "false" };
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++) {
        g_autoptr(json_t) data =
            operation_data(fixture.tool, &operation_github_pr_add_reaction, "{" REACT "}");
        g_autofree char *text =
            g_strdup_printf("{'reaction_id':9007199254740993,'content':'+1','comment_type':"
                            "'review','created':%s}",
                            want[i]);
        assert_json("cli-B-21", data, text);
    }
    g_autofree char *body = rest_fixture_body(fixture.rest, 1);
    assert_string_equal(body, "{\"content\":\"+1\"}");
}

static void test_reaction_types(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer review_404 = { .request = POST_REACTION,
                                             .status = 404,
                                             .body = NOT_FOUND };
    static const CannedAnswer issue_201 = {
        .request = "POST /repos/o/r/issues/comments/123456/reactions HTTP/1.1",
        .status = 201,
        .body = "{\"id\":7}",
    };
    static const CannedAnswer issue_404 = {
        .request = "POST /repos/o/r/issues/comments/123456/reactions HTTP/1.1",
        .status = 404,
        .body = NOT_FOUND,
    };
    static const struct {
        const char *name, *type;
        const CannedAnswer *first, *second;
        const char *text; // NULL: it is an issue's
    } cases[] = {
        { "cli-B-22", "auto", &review_404, &issue_201, NULL },
        { "nowhere", "auto", &review_404, &issue_404,
          "Not found: comment 123456 in o/r (neither a review comment nor a general comment)" },
        { "issue", "issue", &issue_201, NULL, NULL },
        { "not a review's", "review", &review_404, NULL, "Not found: comment 123456 in o/r" },
        { "not an issue's", "issue", &issue_404, NULL, "Not found: comment 123456 in o/r" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const CannedAnswer answers[] = { *cases[i].first,
                                         *(cases[i].second ? cases[i].second : cases[i].first) };
        g_auto(PrFixture) fixture = pr_fixture_new(answers, cases[i].second ? 2 : 1);
        g_autofree char *arguments =
            g_strdup_printf("{" REACT ",'comment_type':'%s'}", cases[i].type);
        if (cases[i].text) {
            g_autofree char *text = operation_error(fixture.tool, &operation_github_pr_add_reaction,
                                                    arguments, "not_found");
            assert_text(cases[i].name, text, cases[i].text);
            continue;
        }
        g_autoptr(json_t) data =
            operation_data(fixture.tool, &operation_github_pr_add_reaction, arguments);
        assert_string_equal(json_get_text(data, "comment_type"), "issue");
    }
}

/* A reaction is repeated like a GET (agent-tools-cli §2.5). */
static void test_reaction_is_repeated(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST_REACTION, .end = CANNED_DROP },
        { .request = POST_REACTION, .status = 502 },
        { .request = POST_REACTION, .status = 200, .body = "{\"id\":7}" },
    };
    g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) data G_GNUC_UNUSED =
        operation_data(fixture.tool, &operation_github_pr_add_reaction, "{" REACT "}");
    assert_int_equal(fixture.rest->sleeps->len, 2);
}

/* cli-B-29, cli-B-30, cli-B-32, cli-A-18 as an answer shows them. */
static void test_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        CannedAnswer answer;
        const char *want;
    } cases[] = {
        { { .status = 401,
            .body = "{\"message\":\"Bad credentials\"}",
            .headers = "X-GitHub-Request-Id: AB:12\r\n" },
          "{'code':'permission','message':'Permission denied: GitHub rejected the token during "
          "fetch-comments (Bad credentials)','status':401,'request_id':'AB:12'}" },
        { { .status = 403,
            .body = "{\"message\":\"Resource not accessible by integration\"}",
            .headers = "x-accepted-github-permissions: pull_requests=write\r\n" },
          "{'code':'permission','message':'Permission denied: Resource not accessible by "
          "integration','status':403,'hint':'the token needs: pull_requests=write'}" },
        { { .status = 403, .headers = "x-github-sso: required; url=https://github.com/o\r\n" },
          "{'code':'permission','message':'Permission denied: the token must be authorised for "
          "SAML single sign-on: https://github.com/o','status':403,"
          "'hint':'https://github.com/o'}" },
        { { .status = 404, .body = NOT_FOUND },
          "{'code':'not_found','message':'Not found: o/r pull request 42','status':404,"
          "'hint':'Check owner, repo and number; a private repository also answers 404 when the "
          "token cannot see it'}" },
        { { .status = 429, .headers = "Retry-After: 61\r\n" },
          "{'code':'rate_limited','message':'Rate limit exceeded - retry after 61 seconds',"
          "'status':429,'retryable':true,'retry_after_seconds':61}" },
        { { .status = 409, .body = "{\"message\":\"x\"}" },
          "{'code':'conflict','message':'Conflict: x','status':409}" },
        { { .status = 422, .body = "{\"message\":\"x\",\"errors\":[\"y\"]}" },
          "{'code':'unprocessable','message':'Validation failed: x: y','status':422}" },
        { { .status = 501 },
          "{'code':'unavailable','message':'GitHub is unavailable (501) during fetch-comments',"
          "'status':501,'retryable':true}" },
        { { .body = "<html>" },
          "{'code':'internal','message':'GitHub sent an unreadable answer during "
          "fetch-comments'}" },
        { { .status = 401, .body = "{\"message\":\"no " REST_TOKEN "\"}" },
          "{'code':'permission','message':'Permission denied: GitHub rejected the token during "
          "fetch-comments (no [REDACTED])','status':401}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        CannedAnswer answer = cases[i].answer;
        answer.times = 2; // both lists may be asked for
        g_auto(PrFixture) fixture = pr_fixture_new(&answer, 1);
        g_autoptr(json_t) detail =
            error_detail(&fixture, &operation_github_pr_fetch_comments, good_arguments[2]);
        g_autofree char *name = g_strdup_printf("case %zu", i);
        assert_json(name, detail, cases[i].want);
    }
}

static void test_max_wait(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .status = 429, .headers = "Retry-After: 3\r\n" },
        { .body = "{\"id\":1}" },
    };
    g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autofree char *text = operation_error(fixture.tool, &operation_github_pr_add_reaction,
                                            "{" REACT ",'max_wait':2}", "rate_limited");
    assert_string_equal(text, "Rate limit exceeded - retry after 3 seconds");
    g_autoptr(json_t) data G_GNUC_UNUSED =
        operation_data(fixture.tool, &operation_github_pr_add_reaction, "{" REACT "}");
    g_autofree char *waits = rest_fixture_waits(fixture.rest);
    assert_string_equal(waits, "3"); // known from the first operation: it did not ask again
    assert_int_equal(rest_fixture_count(fixture.rest), 2);
}

/* The operations of one conversation come through one connection, those of another do not. */
static void test_connection(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .body = "{\"id\":1}", .times = 100 } };
    g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(ToolFixture) other = tool_fixture_new(NULL, false);
    const struct {
        const ToolFixture *conversation;
        unsigned connections;
    } calls[] = { { fixture.tool, 1 }, { fixture.tool, 1 }, { other, 2 }, { fixture.tool, 2 } };
    TestServer *server = fixture.rest->server;
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autoptr(json_t) data G_GNUC_UNUSED =
            operation_data(calls[i].conversation, &operation_github_pr_add_reaction, "{" REACT "}");
        assert_int_equal(test_server_count(server, &server->connections), calls[i].connections);
    }
}

/* cli-B-34: the new name, also when GitHub redirects to a number. */
static void test_moved(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *location, *name_body, *want;
    } cases[] = {
        { "/repos/new/name/pulls/comments/123456/reactions", NULL,
          "Repository has moved to new/name" },
        { "/repositories/99/pulls/comments/123456/reactions",
          "{\"id\":99,\"full_name\":\"new/name\"}", "Repository has moved to new/name" },
        { "/repositories/99/x", "<html>", "Repository has moved to /repositories/99/x" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *headers = g_strdup_printf("Location: %s\r\n", cases[i].location);
        const CannedAnswer answers[] = {
            { .request = POST_REACTION, .status = 307, .headers = headers },
            { .request = "POST /repos", .status = 201, .body = "{\"id\":7}" },
            { .request = "GET /repositories/99 ", .body = cases[i].name_body },
        };
        g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autoptr(json_t) envelope =
            operation_call(fixture.tool, &operation_github_pr_add_reaction, json_of("{" REACT "}"));
        assert_true(json_get_bool(envelope, "success", false));
        const json_t *warnings = json_get_array(envelope, "warnings");
        assert_int_equal(json_array_size(warnings), 1);
        assert_string_equal(json_string_value(json_array_get(warnings, 0)), cases[i].want);
    }
}

static bool refuse(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED, bool *ret_approved,
                   void *texts, GError **error G_GNUC_UNUSED)
{
    g_string_append_printf(texts, "%s|%s\n", effect_name(question->effect), question->text);
    *ret_approved = false;
    return true;
}

/* Other doors ask before something is posted, and say what (agent-tools-cli §1.7). */
static void test_question(void **state G_GNUC_UNUSED)
{
    static const char *const want[] = { "write|", "o/r", "reacts with +1 to comment 123456",
                                        "replies to comment 123456 of pull request 42",
                                        "Because." };
    g_auto(PrFixture) fixture = pr_fixture_new(NULL, 0);
    g_autoptr(GString) texts = g_string_new(NULL);
    const ToolDoor door = { .kind = DOOR_DIRECT, .ask = refuse, .user_data = texts };
    for (size_t i = 0; i < 2; i++) {
        g_autoptr(json_t) arguments = json_of(good_arguments[i]);
        const ToolCallSpec spec = { .tool = &all[i]->tool,
                                    .arguments = arguments,
                                    .context = fixture.tool->context,
                                    .door = &door };
        g_auto(ToolResult) result = { 0 };
        tool_call(&spec, &result);
        assert_true(result.is_error);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++)
        assert_contains("question", texts->str, want[i]);
    assert_log(&fixture, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_token),
        cmocka_unit_test(test_validation),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_server_arguments),
        cmocka_unit_test(test_reaction),
        cmocka_unit_test(test_reaction_types),
        cmocka_unit_test(test_reaction_is_repeated),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_max_wait),
        cmocka_unit_test(test_connection),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
