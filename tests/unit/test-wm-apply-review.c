/*
 * wm/apply/apply_review.c, and what else is about lines of a pull request: which calls an item
 * becomes (task-O22 to task-O26).
 */
#include "apply_fixture.h"

#define MARKER "\\n\\n<!-- wm-agent:x -->"

#define THREAD_ITEM(id)                                                                            \
    "{\"type\":\"resolve_pull_request_review_thread\",\"thread_id\":\"" id "\"}\n"
#define ASK_THREAD(id)                                                                             \
    "POST /graphql {\"query\":\"query($id:ID!){node(id:$id){... on PullRequestReviewThread{"       \
    "pullRequest{number repository{nameWithOwner}}}}}\",\"variables\":{\"id\":\"" id "\"}}\n"
#define THREAD_OF(number, repo)                                                                    \
    {                                                                                              \
        .request = "POST /graphql ",                                                               \
        .body = "{\"data\":{\"node\":{\"pullRequest\":{\"number\":" number                         \
                ",\"repository\":{\"nameWithOwner\":\"" repo "\"}}}}}"                             \
    }

static const ApplyCase review_cases[] = {
    { .name = "task-O22",
      .policy = "{\"add-reviewer\":{\"allowed-reviewers\":[\"a\",\"acme/core\"]}}",
      .items = "{\"type\":\"add_reviewer\",\"reviewers\":[\"a\",\"acme/core\"]}\n",
      .answers = { { .request = "POST ", .status = 201, .body = "{}" } },
      .calls = "POST /repos/o/r/pulls/42/requested_reviewers {\"reviewers\":[\"a\"],"
               "\"team_reviewers\":[\"core\"]}\n" },
    { .name = "task-O22, another",
      .policy = "{\"add-reviewer\":{\"allowed-reviewers\":[\"a\"]}}",
      .items = "{\"type\":\"add_reviewer\",\"reviewers\":[\"b\"]}\n",
      .calls = "",
      .error = "add_reviewer: reviewer \"b\" not allowed by policy" },
    { .name = "no login",
      .policy = "{\"add-reviewer\":null}",
      .items = "{\"type\":\"add_reviewer\",\"reviewers\":[\"a b\"]}\n",
      .calls = "",
      .error = "add_reviewer: reviewer \"a b\" is neither a login nor org/team" },
    { .name = "task-O23",
      .policy = "{\"create-pull-request-review-comment\":{\"side\":\"RIGHT\"}}",
      .items =
          "{\"type\":\"create_pull_request_review_comment\",\"body\":\"b\",\"commit_id\":\"c\","
          "\"path\":\"a.c\",\"line\":3,\"start_line\":1}\n",
      .answers = { { .request = "POST ", .status = 201, .body = "{}" } },
      .calls = "POST /repos/o/r/pulls/42/comments {\"body\":\"b" MARKER "\",\"commit_id\":\"c\","
               "\"path\":\"a.c\",\"line\":3,\"side\":\"RIGHT\",\"start_line\":1,\"start_side\":"
               "\"RIGHT\"}\n" },
    { .name = "task-O24",
      .policy = "{\"submit-pull-request-review\":null}",
      .items = "{\"type\":\"submit_pull_request_review\",\"event\":\"approve\"}\n",
      .answers = { { .request = "GET ", .body = "{\"head\":{\"sha\":\"abc\"}}" },
                   { .request = "POST ", .body = "{\"id\":1}" } },
      .calls = "GET /repos/o/r/pulls/42\nPOST /repos/o/r/pulls/42/reviews {\"event\":\"APPROVE\","
               "\"commit_id\":\"abc\"}\n" },
    { .name = "task-O25",
      .policy = "{\"reply-to-pull-request-review-comment\":null}",
      .items = "{\"type\":\"reply_to_pull_request_review_comment\",\"body\":\"b\",\"comment_id\":"
               "284312630,\"target\":2}\n",
      .answers = { { .request = "POST ", .status = 201, .body = "{}" } },
      .calls = "POST /repos/o/r/pulls/2/comments/284312630/replies {\"body\":\"b" MARKER "\"}\n" },
    { .name = "task-O26",
      .policy = "{\"resolve-pull-request-review-thread\":null}",
      .items = THREAD_ITEM("PRRT_x"),
      .answers = { THREAD_OF("7", "O/R"),
                   { .request = "POST /graphql ",
                     .body =
                         "{\"data\":{\"resolveReviewThread\":{\"thread\":{\"isResolved\":true}}}"
                         "}" } },
      .calls = ASK_THREAD("PRRT_x") "POST /graphql {\"query\":\"mutation($id:ID!){"
                                    "resolveReviewThread(input:{threadId:$id}){thread{isResolved}}}"
                                    "\",\"variables\":{\"id\":\"PRRT_x\"}}\n" },
    { .name = "a thread of another pull request than the policy's",
      .policy = "{\"resolve-pull-request-review-thread\":{\"target\":\"triggering\"}}",
      .items = THREAD_ITEM("PRRT_x"),
      .answers = { THREAD_OF("7", "o/r") },
      .calls = ASK_THREAD("PRRT_x"),
      .error = "resolve_pull_request_review_thread: the thread is one of #7, the policy (target:) "
               "allows #42" },
    { .name = "a thread of another repository",
      .policy = "{\"resolve-pull-request-review-thread\":null}",
      .items = THREAD_ITEM("PRRT_x"),
      .answers = { THREAD_OF("42", "o/other") },
      .calls = ASK_THREAD("PRRT_x"),
      .error = "resolve_pull_request_review_thread: cross-repository output is not supported" },
    { .name = "what is no thread",
      .policy = "{\"resolve-pull-request-review-thread\":null}",
      .items = THREAD_ITEM("PR_x"),
      .answers = { { .request = "POST /graphql ", .body = "{\"data\":{\"node\":{}}}" } },
      .calls = ASK_THREAD("PR_x"),
      .error = "resolve_pull_request_review_thread: \"PR_x\" is not the id of a review thread" },
};

static void test_reviews(void **state G_GNUC_UNUSED)
{
    APPLY_CASES(review_cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reviews),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
