/*
 * agenttools/pr/pr_diff.c, pr_review*.c: submit-review, through tool_call() against a server in
 * this process.
 */
#include "pr_fixture.h"

#include "github/pulls/diff_places.h"

#define BASE     "'owner':'o','repo':'r','pr_number':42,'body':'Fine.','event':'COMMENT'"
#define HEAD     "9fceb02d0ae598e95dc970b74767f19372d61af8"
#define PULL     "GET /repos/o/r/pulls/42 HTTP/1.1"
#define FILES    "GET /repos/o/r/pulls/42/files"
#define REVIEWS  "GET /repos/o/r/pulls/42/reviews?"
#define POST     "POST /repos/o/r/pulls/42/reviews HTTP/1.1"
#define COMMENTS "POST /repos/o/r/pulls/42/comments HTTP/1.1"
#define GENERAL  "POST /repos/o/r/issues/42/comments HTTP/1.1"

#define REVIEW                                                                                     \
    "{\"id\":77,\"html_url\":\"https://x/pull/42#pullrequestreview-77\",\"state\":\"COMMENTED\","  \
    "\"commit_id\":\"" HEAD "\"}"
#define HEAD_JSON "{\"number\":42,\"state\":\"open\",\"head\":{\"sha\":\"" HEAD "\"}}"

// one hunk each: RIGHT 12–15, LEFT 10–12; and of b.c two hunks
#define FILES_JSON                                                                                 \
    "[{\"filename\":\"a.c\",\"patch\":\"@@ -10,3 +12,4 @@ f\\n one\\n-two\\n+2\\n+zwei\\n "        \
    "three\"},"                                                                                    \
    "{\"filename\":\"b.c\",\"previous_filename\":\"old.c\",\"patch\":\"@@ -1,2 +1,2 @@\\n "        \
    "x\\n-y\\n+z"                                                                                  \
    "\\n\\\\ No newline at end of file\\n@@ -880,3 +880,5 @@\\n a\\n+b\\n+c\\n d\\n e\"},"         \
    "{\"filename\":\"logo.png\"}]"

static const CannedAnswer pull_and_files[] = {
    { .request = PULL, .body = HEAD_JSON, .times = 9 },
    { .request = FILES, .body = FILES_JSON, .times = 9 },
};

/* A fixture with the pull request, its files, and more answers. The answers are the caller's. */
static PrFixture open_fixture(const CannedAnswer *more, size_t count, GArray **ret_all)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(CannedAnswer));
    g_array_append_vals(all, more, (guint)count);
    g_array_append_vals(all, pull_and_files, G_N_ELEMENTS(pull_and_files));
    *ret_all = all;
    return pr_fixture_new((const CannedAnswer *)(void *)all->data, all->len);
}

#define OPEN(fixture, answers)                                                                     \
    g_autoptr(GArray) fixture##_all = NULL;                                                        \
    g_auto(PrFixture) fixture = open_fixture(answers, G_N_ELEMENTS(answers), &fixture##_all)

static json_t *call(const PrFixture *fixture, const char *arguments)
{
    return operation_call(fixture->tool, &operation_github_pr_submit_review, json_of(arguments));
}

static json_t *placement(const json_t *envelope, size_t index)
{
    return json_array_get(json_get_path(envelope, "data.comments"), index);
}

static json_t *request_body(const PrFixture *fixture, unsigned number)
{
    g_autofree char *text = rest_fixture_body(fixture->rest, number);
    json_t *body = NULL;
    if (!json_parse_text(text, &body, NULL))
        fail_msg("request %u: %s", number, text);
    return body;
}

static void test_diff(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        DiffSpot spot;
        DiffPlace want;
        int64_t nearest;
    } cases[] = {
        { "cli-B-08: RIGHT 12", { "a.c", "RIGHT", 12, NULL, 0 }, PLACE_OK, 0 },
        { "cli-B-08: RIGHT 15", { "a.c", "RIGHT", 15, NULL, 0 }, PLACE_OK, 0 },
        { "cli-B-08: RIGHT 16", { "a.c", "RIGHT", 16, NULL, 0 }, PLACE_LINE_NOT_IN_DIFF, 15 },
        { "cli-B-08: RIGHT 11", { "a.c", "RIGHT", 11, NULL, 0 }, PLACE_LINE_NOT_IN_DIFF, 12 },
        { "cli-B-08: LEFT 10", { "a.c", "LEFT", 10, NULL, 0 }, PLACE_OK, 0 },
        { "cli-B-08: LEFT 12", { "a.c", "LEFT", 12, NULL, 0 }, PLACE_OK, 0 },
        { "cli-B-08: LEFT 13", { "a.c", "LEFT", 13, NULL, 0 }, PLACE_LINE_NOT_IN_DIFF, 12 },
        { "cli-B-09: one hunk", { "b.c", "RIGHT", 884, "RIGHT", 881 }, PLACE_OK, 0 },
        { "cli-B-09: two hunks", { "b.c", "RIGHT", 884, "RIGHT", 1 }, PLACE_DIFFERENT_HUNKS, 0 },
        { "start outside",
          { "b.c", "RIGHT", 884, "RIGHT", 500 },
          PLACE_START_LINE_NOT_IN_DIFF,
          880 },
        { "both sides of a hunk", { "a.c", "RIGHT", 14, "LEFT", 11 }, PLACE_OK, 0 },
        { "cli-B-07: other path", { "z.c", "RIGHT", 1, NULL, 0 }, PLACE_PATH_NOT_IN_DIFF, 0 },
        { "cli-B-10: no patch", { "logo.png", "RIGHT", 1, NULL, 0 }, PLACE_UNVERIFIABLE, 0 },
        { "old name, old lines", { "old.c", "LEFT", 2, NULL, 0 }, PLACE_OK, 0 },
        { "old name, new lines", { "old.c", "RIGHT", 2, NULL, 0 }, PLACE_PATH_NOT_IN_DIFF, 0 },
        { "no newline at the end counts for nothing",
          { "b.c", "RIGHT", 3, NULL, 0 },
          PLACE_LINE_NOT_IN_DIFF,
          2 },
    };
    g_autoptr(json_t) files = NULL;
    assert_true(json_parse_text(FILES_JSON, &files, NULL));
    g_autoptr(DiffPlaces) diff = diff_places_new(files);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t nearest = -1;
        DiffPlace place = diff_places_find(diff, &cases[i].spot, &nearest);
        if (place != cases[i].want || nearest != cases[i].nearest)
            fail_msg("%s: %d, nearest %d", cases[i].name, (int)place, (int)nearest);
    }
    g_autoptr(json_t) bare = json_of("[{'filename':'x','patch':'@@ -1 +1 @@\\n-a\\n+b'},{},7]");
    g_autoptr(DiffPlaces) small = diff_places_new(bare);
    int64_t nearest = 0;
    const DiffSpot spot = { "x", "RIGHT", 1, NULL, 0 };
    assert_int_equal(diff_places_find(small, &spot, &nearest), PLACE_OK); // a missing ,b means 1
}

static void test_without_comments(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .request = POST, .body = REVIEW } };
    OPEN(fixture, answers);
    g_autoptr(json_t) envelope = call(&fixture, "{" BASE "}");
    assert_json("cli-B-02", json_object_get(envelope, "data"),
                "{'review_id':77,'html_url':'https://x/pull/42#pullrequestreview-77',"
                "'comments_posted':0,'state':'COMMENTED','commit_id':'" HEAD "'}");
    assert_log(&fixture, "POST /repos/o/r/pulls/42/reviews\n");
    g_autofree char *body = rest_fixture_body(fixture.rest, 1);
    assert_string_equal(body, "{\"body\":\"Fine.\",\"event\":\"COMMENT\"}");
}

static void test_in_the_diff(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .request = POST, .body = REVIEW } };
    OPEN(fixture, answers);
    g_autoptr(json_t) envelope =
        call(&fixture, "{" BASE ",'comments':[{'path':'a.c','line':12,'body':'A'},"
                       "{'path':'a.c','line':11,'side':'LEFT','body':'B'},"
                       "{'path':'b.c','line':884,'start_line':881,'body':'C'},"
                       "{'path':'b.c','line':881,'start_line':881,'body':'D'}]}");
    assert_log(&fixture, "GET /repos/o/r/pulls/42\nGET /repos/o/r/pulls/42/files?per_page=100\n"
                         "POST /repos/o/r/pulls/42/reviews\n");
    g_autoptr(json_t) body = request_body(&fixture, 3);
    assert_json("cli-B-03, cli-B-09", body,
                "{'body':'Fine.','event':'COMMENT','commit_id':'" HEAD "','comments':["
                "{'path':'a.c','body':'A','line':12,'side':'RIGHT'},"
                "{'path':'a.c','body':'B','line':11,'side':'LEFT'},"
                "{'path':'b.c','body':'C','line':884,'side':'RIGHT','start_line':881,"
                "'start_side':'RIGHT'},"
                "{'path':'b.c','body':'D','line':881,'side':'RIGHT'}]}");
    assert_int_equal(json_integer_value(json_get_path(envelope, "data.comments_posted")), 4);
    assert_json("placed", placement(envelope, 0),
                "{'index':0,'path':'a.c','line':12,'placed_as':'inline'}");
    assert_null(json_object_get(envelope, "warnings"));
}

#define OUTSIDE                                                                                    \
    ",'comments':[{'path':'a.c','line':12,'body':'A'},{'path':'b.c','line':900,'body':'far'}]"

static void test_outside_the_diff(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST, .body = REVIEW },
        { .request = COMMENTS, .status = 201, .body = "{\"id\":5}" },
    };
    OPEN(in_body, answers);
    g_autoptr(json_t) envelope = call(&in_body, "{" BASE OUTSIDE "}");
    g_autoptr(json_t) body = request_body(&in_body, 3);
    assert_int_equal(json_array_size(json_get_array(body, "comments")), 1);
    assert_string_equal(
        json_get_text(body, "body"),
        "Fine.\n\n### Comments outside the diff\n\n**b.c:900** (line is not part of "
        "the diff)\n\nfar");
    assert_json("cli-B-04", placement(envelope, 1),
                "{'index':1,'path':'b.c','line':900,'placed_as':'body','reason':"
                "'line_not_in_diff','nearest_line':884}");
    assert_json("cli-B-04: warning", json_object_get(envelope, "warnings"),
                "['comments[1] (b.c:900) is outside the diff and was placed in the review body']");

    OPEN(on_file, answers);
    g_autoptr(json_t) filed = call(&on_file, "{" BASE OUTSIDE ",'on_invalid_line':'file'}");
    assert_json("cli-B-06", placement(filed, 1),
                "{'index':1,'path':'b.c','line':900,'placed_as':'file','reason':"
                "'line_not_in_diff','nearest_line':884}");
    g_autoptr(json_t) comment = request_body(&on_file, 4);
    assert_json("cli-B-06: request", comment,
                "{'commit_id':'" HEAD
                "','path':'b.c','body':'Line 900: far','subject_type':'file'}");
    assert_int_equal(json_integer_value(json_get_path(filed, "data.comments_posted")), 2);
}

static void test_refused_lines(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .request = POST, .body = REVIEW, .times = 3 } };
    OPEN(fixture, answers);
    g_autofree char *text =
        operation_error(fixture.tool, &operation_github_pr_submit_review,
                        "{" BASE OUTSIDE ",'on_invalid_line':'fail'}", "validation");
    assert_text("cli-B-05", text,
                "Validation failed: comments[1] (b.c:900) line is not part of the diff; nearest "
                "commentable line is 884");
    assert_int_equal(rest_fixture_count(fixture.rest), 2); // no POST

    OPEN(elsewhere, answers);
    g_autoptr(json_t) envelope =
        call(&elsewhere,
             "{" BASE ",'on_invalid_line':'file','comments':[{'path':'z.c','line':1,'body':'A'},"
             "{'path':'z.c','subject_type':'file','body':'B'}]}");
    assert_json("cli-B-07", placement(envelope, 0),
                "{'index':0,'path':'z.c','line':1,'placed_as':'body','reason':'path_not_in_diff'}");
    assert_json("a file comment", placement(envelope, 1),
                "{'index':1,'path':'z.c','placed_as':'body','reason':'path_not_in_diff'}");
}

#define UNRESOLVED                                                                                 \
    "{\"message\":\"Unprocessable Entity\",\"errors\":[\"Line could not be resolved\"]}"

static void test_lines_that_github_refuses(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer once[] = {
        { .request = POST, .status = 422, .body = UNRESOLVED },
        { .request = POST, .body = REVIEW },
    };
    OPEN(binary, once);
    g_autoptr(json_t) envelope =
        call(&binary, "{" BASE ",'comments':[{'path':'logo.png','line':1,'body':'A'}]}");
    g_autoptr(json_t) first = request_body(&binary, 3);
    assert_int_equal(json_array_size(json_get_array(first, "comments")), 1);
    assert_json("cli-B-10, cli-B-11", placement(envelope, 0),
                "{'index':0,'path':'logo.png','line':1,'placed_as':'body','reason':"
                "'line_not_in_diff'}");
    assert_log(&binary, "GET /repos/o/r/pulls/42\nGET /repos/o/r/pulls/42/files?per_page=100\n"
                        "POST /repos/o/r/pulls/42/reviews\nGET /repos/o/r/pulls/42\n"
                        "GET /repos/o/r/pulls/42/files?per_page=100\n"
                        "POST /repos/o/r/pulls/42/reviews\n");

    static const CannedAnswer twice[] = {
        { .request = POST, .status = 422, .body = UNRESOLVED, .times = 2 },
        { .request = POST, .body = REVIEW },
        { .request = COMMENTS, .status = 201, .body = "{\"id\":1}" },
        { .request = COMMENTS, .status = 422, .body = UNRESOLVED },
        { .request = GENERAL, .status = 201, .body = "{\"id\":99}" },
    };
    OPEN(singly, twice);
    g_autoptr(json_t) each =
        call(&singly, "{" BASE ",'comments':[{'path':'a.c','line':12,'body':'A'},"
                      "{'path':'a.c','line':13,'body':'B'}]}");
    g_autoptr(json_t) bare = request_body(&singly, 7);
    assert_null(json_object_get(bare, "comments"));
    assert_string_equal(json_get_text(placement(each, 0), "placed_as"), "inline");
    assert_string_equal(json_get_text(placement(each, 1), "placed_as"), "issue_comment");
    assert_non_null(strstr(json_get_text(placement(each, 1), "error"), "could not be resolved"));
    assert_json("cli-B-12", json_get_path(each, "data.issue_comments"), "[99]");
    g_autoptr(json_t) general = request_body(&singly, 10);
    assert_non_null(strstr(json_get_text(general, "body"), "**a.c:13** ("));
}

#define PENDING                                                                                    \
    "{\"message\":\"Unprocessable Entity\",\"errors\":[\"User can only have one pending review "   \
    "per "                                                                                         \
    "pull request\"]}"
#define PENDING_LIST                                                                               \
    "[{\"id\":1,\"state\":\"COMMENTED\",\"body\":\"x\"},{\"id\":5029,\"state\":\"PENDING\","       \
    "\"body\":\"draft\",\"html_url\":\"https://x/5029\"}]"

static void test_pending_review(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST, .status = 422, .body = PENDING },
        { .request = REVIEWS, .body = PENDING_LIST },
        { .request = "GET /repos/o/r/pulls/42/reviews/5029/comments",
          .body =
              "[{\"id\":3,\"path\":\"a.c\",\"line\":null,\"original_line\":7,\"body\":\"kept\"}]" },
        { .request = "DELETE /repos/o/r/pulls/42/reviews/5029", .status = 200, .body = "{}" },
        { .request = POST, .body = REVIEW },
    };
    OPEN(refusing, answers);
    g_autoptr(json_t) detail =
        error_detail(&refusing, &operation_github_pr_submit_review, "{" BASE "}");
    assert_json("cli-B-13", detail,
                "{'code':'conflict','message':'Conflict: you already have a pending review (ID "
                "5029) on this pull request; submit or delete it first','status':422,'hint':"
                "'https://x/5029'}");
    assert_int_equal(rest_fixture_count(refusing.rest), 2); // nothing was deleted

    OPEN(deleting, answers);
    g_autoptr(json_t) envelope = call(&deleting, "{" BASE ",'on_pending_review':'delete'}");
    assert_json("cli-B-14", json_get_path(envelope, "data.deleted_pending"),
                "{'review_id':5029,'body':'draft','comments':[{'path':'a.c','original_line':7,"
                "'body':'kept'}]}");
    assert_json("cli-B-14: warning", json_object_get(envelope, "warnings"),
                "['Deleted your pending review 5029']");
    assert_int_equal(json_integer_value(json_get_path(envelope, "data.review_id")), 77);
}

static void test_refusals(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer own[] = {
        { .request = POST,
          .status = 422,
          .body =
              "{\"message\":\"Unprocessable Entity\",\"errors\":[\"Can not approve your own pull "
              "request\"]}" },
    };
    OPEN(fixture, own);
    g_autoptr(json_t) detail = error_detail(
        &fixture, &operation_github_pr_submit_review,
        "{'owner':'o','repo':'r','pr_number':42,'event':'APPROVE','body':''}"); // cli-B-16
    assert_json("cli-B-15", detail,
                "{'code':'unprocessable','message':'Validation failed: Unprocessable Entity: Can "
                "not approve your own pull request','hint':'Use event COMMENT on your own pull "
                "request','status':422}");
}

static void test_arguments(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer none[] = { { .request = "NONE" } };
    g_autofree char *letters = g_strnfill(65537, 'x');
    g_autofree char *long_body = g_strdup_printf(
        "{'owner':'o','repo':'r','pr_number':42,'event':'COMMENT','body':'%s'}", letters);
    const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "cli-B-16", "{'owner':'o','repo':'r','pr_number':42,'event':'COMMENT','body':''}",
          "Validation failed: body is required and must be a non-empty string" },
        { "cli-B-17", long_body,
          "Validation failed: body is too long: 65537 characters (limit 65536)" },
        { "cli-B-09: start after line",
          "{" BASE ",'comments':[{'path':'a','line':14,'start_line':15,'body':'x'}]}",
          "Validation failed: comments[0].start_line must not be greater than line" },
        { "cli-B-35: absolute", "{" BASE ",'comments':[{'path':'/etc/x','line':1,'body':'x'}]}",
          "Validation failed: comments[0].path must be a relative path inside the repository" },
        { "cli-B-35: dots", "{" BASE ",'comments':[{'path':'a/../b','line':1,'body':'x'}]}",
          "Validation failed: comments[0].path must be a relative path inside the repository" },
        { "no line", "{" BASE ",'comments':[{'path':'a','body':'x'}]}",
          "Validation failed: comments[0].line is required and must be a positive integer" },
        { "commit", "{" BASE ",'commit_id':'main'}",
          "Validation failed: commit_id must be 40 hexadecimal digits" },
        { "key", "{" BASE ",'idempotency_key':'a b'}",
          "Validation failed: idempotency_key must be 1 to 64 of the characters A-Z a-z 0-9 . _ "
          "-" },
    };
    OPEN(fixture, none);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = operation_error(fixture.tool, &operation_github_pr_submit_review,
                                                cases[i].in, "validation");
        assert_text(cases[i].name, text, cases[i].want);
    }
    assert_int_equal(rest_fixture_count(fixture.rest), 0);
}

/* The list of reviews with one that was just submitted. */
static char *list_with_ours(const char *request G_GNUC_UNUSED, unsigned number G_GNUC_UNUSED)
{
    g_autofree char *now = time_format_iso(time_now_ms());
    return g_strdup_printf("[{\"id\":78,\"html_url\":\"https://x/78\",\"state\":\"COMMENTED\","
                           "\"body\":\"Fine.\",\"commit_id\":\"" HEAD
                           "\",\"submitted_at\":\"%s\"}]",
                           now);
}

static void test_unknown_outcome(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer arrived[] = {
        { .request = POST, .end = CANNED_DROP },
        { .request = REVIEWS, .make = list_with_ours },
    };
    OPEN(found, arrived);
    g_autoptr(json_t) envelope = call(&found, "{" BASE "}");
    assert_true(json_is_true(json_get_path(envelope, "data.recovered"))); // cli-B-18
    assert_int_equal(json_integer_value(json_get_path(envelope, "data.review_id")), 78);
    assert_log(&found, "POST /repos/o/r/pulls/42/reviews\n"
                       "GET /repos/o/r/pulls/42/reviews?per_page=100\n");

    static const CannedAnswer absent[] = {
        { .request = POST, .status = 502 },
        { .request = REVIEWS, .body = "[]" },
        { .request = POST, .body = REVIEW },
    };
    OPEN(again, absent);
    g_autoptr(json_t) second = call(&again, "{" BASE "}");
    assert_null(json_get_path(second, "data.recovered"));
    assert_int_equal(json_integer_value(json_get_path(second, "data.review_id")), 77); // cli-B-19

    static const CannedAnswer never[] = {
        { .request = POST, .end = CANNED_DROP, .times = 2 },
        { .request = REVIEWS, .body = "[]", .times = 2 },
    };
    OPEN(lost, never);
    g_autofree char *text =
        operation_error(lost.tool, &operation_github_pr_submit_review, "{" BASE "}", "unavailable");
    assert_string_equal(text, "The review may have been posted; check before retrying");
}

static void test_key_and_dry_run(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer first[] = {
        { .request = REVIEWS, .body = "[]" },
        { .request = POST, .body = REVIEW },
        { .request = REVIEWS,
          .body =
              "[{\"id\":77,\"state\":\"COMMENTED\",\"html_url\":\"u\",\"commit_id\":\"c\",\"body\":"
              "\"Fine.\\n\\n<!-- kedge-key:k.1 -->\"}]" },
    };
    OPEN(fixture, first);
    g_autoptr(json_t) posted = call(&fixture, "{" BASE ",'idempotency_key':'k.1'}");
    assert_true(json_get_bool(posted, "success", false));
    g_autoptr(json_t) body = request_body(&fixture, 2);
    assert_string_equal(json_get_text(body, "body"), "Fine.\n\n<!-- kedge-key:k.1 -->");
    g_autoptr(json_t) again = call(&fixture, "{" BASE ",'idempotency_key':'k.1'}");
    assert_json("cli-B-20", json_object_get(again, "data"),
                "{'review_id':77,'html_url':'u','comments_posted':0,'state':'COMMENTED',"
                "'commit_id':'c','already_submitted':true}");
    assert_int_equal(rest_fixture_count(fixture.rest), 3);

    static const CannedAnswer none[] = { { .request = "NONE" } };
    OPEN(dry, none);
    g_autoptr(json_t) told = call(&dry, "{" BASE OUTSIDE ",'dry_run':true}");
    assert_true(json_is_true(json_get_path(told, "data.dry_run")));
    assert_string_equal(json_get_text(placement(told, 1), "placed_as"), "body");
    assert_non_null(json_get_path(told, "data.request.comments"));
    assert_int_equal(rest_fixture_count(dry.rest), 2); // what it needs to know, no POST
}

static void test_failure_after_the_review(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST, .body = REVIEW },
        { .request = COMMENTS,
          .status = 403,
          .headers = "retry-after: 3600\r\n",
          .body = "{\"message\":\"rate limit\"}" },
    };
    OPEN(fixture, answers);
    g_autoptr(json_t) envelope = call(&fixture, "{" BASE OUTSIDE ",'on_invalid_line':'file'}");
    assert_false(json_get_bool(envelope, "success", true));
    assert_int_equal(json_integer_value(json_get_path(envelope, "data.review_id")), 77);
    assert_string_equal(json_get_text(placement(envelope, 0), "placed_as"), "inline");
    assert_string_equal(json_get_text(placement(envelope, 1), "placed_as"), "not_posted");
    const json_t *detail = json_array_get(json_get_array(envelope, "error_details"), 0);
    assert_string_equal(json_get_text(detail, "code"), "rate_limited");
}

static void test_long_comments(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = POST, .body = REVIEW },
        { .request = GENERAL, .status = 201, .body = "{\"id\":9}", .times = 3 },
    };
    OPEN(fixture, answers);
    g_autofree char *text = g_strnfill(40000, 'y');
    g_autofree char *arguments = g_strdup_printf(
        "{" BASE ",'comments':[{'path':'z.c','line':1,'body':'1%s'},{'path':'z.c','line':2,'body':"
        "'2%s'},{'path':'z.c','line':3,'body':'3%s'}]}",
        text, text, text);
    g_autoptr(json_t) envelope = call(&fixture, arguments);
    static const char *const want[] = { "body", "issue_comment", "issue_comment" };
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++)
        assert_string_equal(json_get_text(placement(envelope, i), "placed_as"), want[i]);
    for (unsigned i = 3; i <= 5; i++) { // each within GitHub's limit, and every text is there
        g_autoptr(json_t) body = request_body(&fixture, i);
        const char *said = json_get_text(body, "body");
        assert_true(strlen(said) <= 65536);
        assert_non_null(strstr(said, text));
    }
}

static void test_same_comment_twice(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .request = POST, .body = REVIEW } };
    OPEN(fixture, answers);
    g_autoptr(json_t) envelope =
        call(&fixture, "{" BASE ",'comments':[{'path':'a.c','line':12,'body':'A'},"
                       "{'path':'a.c','line':12,'body':'A'}]}");
    g_autoptr(json_t) body = request_body(&fixture, 3);
    assert_int_equal(json_array_size(json_get_array(body, "comments")), 1);
    assert_int_equal(json_integer_value(json_get_path(envelope, "data.comments_posted")), 1);
    assert_json("warning", json_object_get(envelope, "warnings"),
                "['comments[1] is the same as comments[0] and is posted once']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_without_comments),
        cmocka_unit_test(test_in_the_diff),
        cmocka_unit_test(test_outside_the_diff),
        cmocka_unit_test(test_refused_lines),
        cmocka_unit_test(test_lines_that_github_refuses),
        cmocka_unit_test(test_pending_review),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_unknown_outcome),
        cmocka_unit_test(test_key_and_dry_run),
        cmocka_unit_test(test_failure_after_the_review),
        cmocka_unit_test(test_long_comments),
        cmocka_unit_test(test_same_comment_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
