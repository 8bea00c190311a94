/*
 * agenttools/pr/pr_reply.c: reply-comment, through tool_call() against a server in this process.
 */
#include "pr_fixture.h"

#define REPLY "'owner':'o','repo':'r','pr_number':42,'comment_id':123456,'body':'Because.'"

#define POST_REPLY  "POST /repos/o/r/pulls/42/comments/123456/replies HTTP/1.1"
#define GET_COMMENT "GET /repos/o/r/pulls/comments/123456 HTTP/1.1"
#define GET_ISSUE   "GET /repos/o/r/issues/comments/123456 HTTP/1.1"
#define REPLIED     "{\"id\":456789,\"html_url\":\"https://x/pull/42#discussion_r456789\"}"
#define NOT_FOUND   "{\"message\":\"Not Found\"}"

static void test_reply(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST_REPLY, .status = 201, .body = REPLIED },
    };
    g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) data =
        operation_data(fixture.tool, &operation_github_pr_reply_comment, "{" REPLY "}");
    assert_json("reply", data,
                "{'comment_id':456789,'html_url':'https://x/pull/42#discussion_r456789',"
                "'thread_root_id':123456}");
    g_autofree char *body = rest_fixture_body(fixture.rest, 1);
    assert_string_equal(body, "{\"body\":\"Because.\"}");
}

static void test_reply_to_reply(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST_REPLY, .status = 422, .body = "{\"message\":\"Validation Failed\"}" },
        { .request = GET_COMMENT,
          .body = "{\"id\":123456,\"in_reply_to_id\":100,"
                  "\"pull_request_url\":\"https://api.github.com/repos/o/r/pulls/42\"}" },
        { .request = "POST /repos/o/r/pulls/42/comments/100/replies ",
          .status = 201,
          .body = REPLIED },
    };
    g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(json_t) data =
        operation_data(fixture.tool, &operation_github_pr_reply_comment, "{" REPLY "}");
    assert_json("cli-B-24", data,
                "{'comment_id':456789,'html_url':'https://x/pull/42#discussion_r456789',"
                "'thread_root_id':100}");
}

#define PENDING                                                                                    \
    "{\"message\":\"Validation Failed\",\"errors\":[\"User can only have one pending review per "  \
    "pull request\"]}"

static void test_reply_is_refused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        CannedAnswer post, comment, issue;
        const char *code, *text;
    } cases[] = {
        { "cli-B-25",
          { .status = 404, .body = NOT_FOUND },
          { .status = 404, .body = NOT_FOUND },
          { .body = "{\"id\":123456}" },
          "validation",
          "Validation failed: comment 123456 is a general comment; only review comments have "
          "threads" },
        { "nowhere",
          { .status = 404, .body = NOT_FOUND },
          { .status = 404, .body = NOT_FOUND },
          { .status = 404, .body = NOT_FOUND },
          "not_found",
          "Not found: comment 123456 in o/r" },
        { "another pull request",
          { .status = 404, .body = NOT_FOUND },
          { .body = "{\"id\":123456,\"pull_request_url\":\"https://x/pulls/41\"}" },
          { 0 },
          "validation",
          "Validation failed: comment 123456 belongs to pull request 41, not 42" },
        { "a root that is refused",
          { .status = 422, .body = "{\"message\":\"body is bad\"}" },
          { .body = "{\"id\":123456,\"pull_request_url\":\"https://x/pulls/42\"}" },
          { 0 },
          "unprocessable",
          "Validation failed: body is bad" },
        { "pending review",
          { .status = 422, .body = PENDING },
          { 0 },
          { 0 },
          "conflict",
          "Conflict: you have a pending review on this pull request; GitHub refuses replies until "
          "it is submitted or deleted" },
        { "not allowed",
          { .status = 403, .body = "{\"message\":\"no\"}" },
          { 0 },
          { 0 },
          "permission",
          "Permission denied: no" },
        { "the comment cannot be seen",
          { .status = 404, .body = NOT_FOUND },
          { .status = 403, .body = "{\"message\":\"no\"}" },
          { 0 },
          "permission",
          "Permission denied: no" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        CannedAnswer answers[] = { cases[i].post, cases[i].comment, cases[i].issue };
        answers[0].request = POST_REPLY;
        answers[1].request = GET_COMMENT;
        answers[2].request = GET_ISSUE;
        g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autofree char *text = operation_error(fixture.tool, &operation_github_pr_reply_comment,
                                                "{" REPLY "}", cases[i].code);
        assert_text(cases[i].name, text, cases[i].text);
    }
}

/* A comment of the list that is looked through; `made_ago_s` before now. Caller frees. */
static char *listed(int64_t id, int64_t root_id, const char *body, int64_t made_ago_s)
{
    g_autofree char *at = time_format_iso(time_now_ms() - made_ago_s * 1000);
    return g_strdup_printf("[{\"id\":%" G_GINT64_FORMAT ",\"in_reply_to_id\":%" G_GINT64_FORMAT
                           ",\"body\":\"%s\",\"created_at\":\"%s\",\"html_url\":\"u\"}]",
                           id, root_id, body, at);
}

/* cli-B-31, second half: after an outage the reply is looked for before it is sent again. */
static void test_reply_after_outage(void **state G_GNUC_UNUSED)
{
    g_autofree char *there = listed(77, 123456, "Because.\\r\\n", 1);
    g_autofree char *old = listed(77, 123456, "Because.", 3600);
    g_autofree char *other_thread = listed(77, 9, "Because.", 1);
    g_autofree char *other_text = listed(77, 123456, "Whatever.", 1);
    const struct {
        const char *name;
        CannedAnswer first; // of the POST
        const char *list;
        bool is_there;
    } cases[] = {
        { "502, and it is there", { .status = 502 }, there, true },
        { "502, and it is not", { .status = 502 }, "[]", false },
        { "dropped, and it is there", { .end = CANNED_DROP }, there, true },
        { "unreadable, and it is there", { .status = 201, .body = "{" }, there, true },
        { "an old one does not count", { .status = 502 }, old, false },
        { "one elsewhere does not count", { .status = 502 }, other_thread, false },
        { "another text does not count", { .status = 502 }, other_text, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        CannedAnswer answers[] = {
            cases[i].first,
            { .request = "GET /repos/o/r/pulls/42/comments?since=20", .body = cases[i].list },
            { .request = POST_REPLY, .status = 201, .body = REPLIED },
        };
        answers[0].request = POST_REPLY;
        g_auto(PrFixture) fixture = pr_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autoptr(json_t) data =
            operation_data(fixture.tool, &operation_github_pr_reply_comment, "{" REPLY "}");
        if (cases[i].is_there)
            assert_json(cases[i].name, data,
                        "{'comment_id':77,'html_url':'u','thread_root_id':123456,"
                        "'recovered':true}");
        else
            assert_int_equal(json_get_int(data, "comment_id", 0), 456789);
        assert_int_equal(rest_fixture_count(fixture.rest), cases[i].is_there ? 2 : 3);
        g_autofree char *waits = rest_fixture_waits(fixture.rest);
        assert_string_equal(waits, "2");
    }
}

/* Twice without an answer, or nothing to be learned of it: the person must look. */
static void test_reply_stays_unknown(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer twice[] = {
        { .request = POST_REPLY, .status = 502, .times = 2 },
        { .request = "GET ", .body = "[]", .times = 2 },
    };
    static const CannedAnswer blind[] = {
        { .request = POST_REPLY, .status = 502 },
        { .request = "GET ", .status = 403 },
    };
    static const CannedAnswer *const tables[] = { twice, blind };
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_auto(PrFixture) fixture = pr_fixture_new(tables[i], 2);
        g_autoptr(json_t) detail =
            error_detail(&fixture, &operation_github_pr_reply_comment, "{" REPLY "}");
        assert_json("unknown", detail,
                    "{'code':'unavailable','message':'The reply may have been posted; check before "
                    "retrying','status':502,'retryable':false,'hint':'GitHub is unavailable "
                    "(502) during reply-comment'}");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reply),
        cmocka_unit_test(test_reply_to_reply),
        cmocka_unit_test(test_reply_is_refused),
        cmocka_unit_test(test_reply_after_outage),
        cmocka_unit_test(test_reply_stays_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
