/*
 * gh_review through the real tool_call(): what it refuses before it asks anybody, what it sends and
 * in which order, and what becomes of a review that is not sent (github-tool §8, item 9; gh-policy
 * §5.1, §5.4, §11.1).
 */
#include "base/str.h"
#include "unit.h"

#include "review_fixture.h"

#include "github/pulls/review.h"

#include <pthread.h>

// ---- what never reaches GitHub ----

static void test_refused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "no number", "{\"op\":\"threads\"}", "number" },
        { "a number that is none", "{\"op\":\"threads\",\"repo\":\"o/r\",\"number\":0}", "number" },
        { "too few digits",
          "{\"op\":\"submit\"," REPO ",\"event\":\"approve\",\"commit\":\"9f8e7d\"}",
          "commit is no id of a commit" },
        { "no digits", "{\"op\":\"submit\"," REPO ",\"event\":\"approve\",\"commit\":\"feature\"}",
          "commit is no id of a commit" },
        { "a commit of a reply",
          "{\"op\":\"resolve\"," REPO ",\"thread\":\"PRRT_1\",\"commit\":\"9f8e7d6\"}",
          "op resolve takes no commit" },
        { "an unknown op", "{\"op\":\"merge\"," REPO "}", "op" },
        { "an unknown field", "{\"op\":\"threads\"," REPO ",\"bod\":1}", "bod" },
        { "a reply to nothing", "{\"op\":\"reply\"," REPO ",\"body\":\"x\"}",
          "op reply needs thread" },
        { "a reply without words", "{\"op\":\"reply\"," REPO ",\"thread\":\"PRRT_1\"}",
          "op reply needs body" },
        { "a blank reply", "{\"op\":\"reply\"," REPO ",\"thread\":\"PRRT_1\",\"body\":\" \\n\\t\"}",
          "needs body or suggestion" },
        { "no silent loss of a text",
          "{\"op\":\"resolve\"," REPO ",\"thread\":\"PRRT_1\",\"body\":\"done\"}",
          "op resolve takes no body" },
        { "no id of a thread", "{\"op\":\"resolve\"," REPO ",\"thread\":\"a b\"}",
          "op threads shows the ids" },
        { "an empty id", "{\"op\":\"threads\"," REPO ",\"thread\":\"\"}",
          "op threads shows the ids" },
        { "a comment on nothing", "{\"op\":\"comment\"," REPO ",\"body\":\"x\"}",
          "op comment needs path" },
        { "an empty path", "{\"op\":\"comment\"," REPO ",\"path\":\"\",\"line\":1,\"body\":\"x\"}",
          "path is empty" },
        { "a comment without words", "{\"op\":\"comment\"," REPO ",\"path\":\"a\",\"line\":1}",
          "needs body or suggestion" },
        { "a range that ends before it begins",
          "{\"op\":\"comment\"," REPO ",\"path\":\"a\",\"line\":1,\"start_line\":3,\"body\":\"x\"}",
          "start_line 3 is after line 1" },
        { "a range without an end",
          "{\"op\":\"comment\"," REPO ",\"path\":\"a\",\"start_line\":3,\"body\":\"x\"}",
          "start_line needs line" },
        { "a side of no line",
          "{\"op\":\"comment\"," REPO
          ",\"path\":\"a\",\"line\":1,\"start_side\":\"LEFT\",\"body\":\"x\"}",
          "start_side needs start_line" },
        { "a suggestion for a line that is gone",
          "{\"op\":\"comment\"," REPO
          ",\"path\":\"a\",\"line\":1,\"side\":\"LEFT\",\"suggestion\":\"x\"}",
          "a suggestion is for lines of side RIGHT" },
        { "a suggestion for a whole file",
          "{\"op\":\"comment\"," REPO ",\"path\":\"a\",\"suggestion\":\"x\"}",
          "a suggestion needs line" },
        { "a review without a word", "{\"op\":\"submit\"," REPO ",\"event\":\"comment\"}",
          "event comment needs body or comments" },
        { "a review without a verdict", "{\"op\":\"submit\"," REPO ",\"body\":\"x\"}",
          "op submit needs event" },
        { "an unknown verdict", "{\"op\":\"submit\"," REPO ",\"event\":\"dismiss\"}", "event" },
        { "a wrong comment of several",
          "{\"op\":\"submit\"," REPO
          ",\"event\":\"approve\",\"comments\":[{\"path\":\"a\",\"line\":1,\"body\":\"x\"},{"
          "\"path\":\"a\",\"line\":2}]}",
          "comments[1]: needs body or suggestion" },
        { "a comment with a field of another name",
          "{\"op\":\"submit\"," REPO
          ",\"event\":\"approve\",\"comments\":[{\"path\":\"a\",\"line\":1,\"text\":\"x\"}]}",
          "text" },
        { "no repository to be had", "{\"op\":\"threads\",\"number\":7}", "No repository" },
        { "an unknown host", "{\"op\":\"threads\",\"number\":7,\"repo\":\"evil.example/o/r\"}",
          "evil.example" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        expect_in(cases[i].name, &result, "[gh - - - ", cases[i].want);
        assert_true(result.is_error);
        g_autofree char *text = tool_result_text(&result);
        assert_null(strstr(text, "Received arguments")); // what was to be posted is not said back
        gh_expect_calls(cases[i].name, fixture, 0);
    }
}

static void test_too_long(void **state G_GNUC_UNUSED)
{
    g_autofree char *most = g_strnfill(PULL_MAX_BODY_CHARS - 10, 'b');
    g_autofree char *arguments =
        g_strdup_printf("{\"op\":\"comment\"," REPO
                        ",\"path\":\"a\",\"line\":1,\"body\":\"%s\",\"suggestion\":\"x\"}",
                        most);
    g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
    g_auto(ToolResult) result = gh_fixture_call(fixture, arguments);
    expect_in("body and suggestion are one text", &result, "[gh - - - invalid-args]",
              "GitHub takes 65536");
    gh_expect_calls("too long", fixture, 0);
}

// ---- suggestions ----

static void test_suggestions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *body, *suggestion, *want;
    } cases[] = {
        { "none", "b", NULL, "b" },
        { "alone", NULL, "x = 1;", "```suggestion\nx = 1;\n```" },
        { "behind words", "Better:", "x\ny\n", "Better:\n\n```suggestion\nx\ny\n```" },
        { "nothing: the lines go", "Drop it.", "", "Drop it.\n\n```suggestion\n```" },
        { "a fence in it", NULL, "```c\n```", "````suggestion\n```c\n```\n````" },
        { "a longer one in the words", "`````", "x", "`````\n\n``````suggestion\nx\n``````" },
        { "backticks of code", "`a`", "`b`", "`a`\n\n```suggestion\n`b`\n```" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = pull_comment_text(cases[i].body, cases[i].suggestion);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got\n%s", cases[i].name, got);
    }
}

// ---- what is sent ----

typedef struct WriteCase {
    const char *name, *arguments, *facts;
    bool has_files;     // the diff is asked for
    const char *answer; // to the write
    const char *argv;   // of the write, up to the file
    const char *body;   // of the file
    const char *want;   // behind the header
} WriteCase;

static const WriteCase writes[] = {
    { "a reply", "{\"op\":\"reply\"," REPO ",\"thread\":\"PRRT_1\",\"body\":\"Done.\"}",
      FACTS("false", "", NODE("PR_7", "false")), false, "{\"html_url\":\"https://x/1\"}",
      POST_TO "/repos/o/r/pulls/7/comments/2200000001/replies|--input|", "{\"body\":\"Done.\"}",
      "# Replied to thread PRRT_1 of o/r#7\n\nURL: https://x/1\n" },
    { "a pending review of somebody else is nobody's business",
      "{\"op\":\"reply\"," REPO ",\"thread\":\"PRRT_1\",\"body\":\"Done.\"}",
      FACTS("false", OTHERS, NODE("PR_7", "false")), false, "{}",
      POST_TO "/repos/o/r/pulls/7/comments/2200000001/replies|--input|", "{\"body\":\"Done.\"}",
      "# Replied to thread PRRT_1 of o/r#7\n\n" },
    { "a reply in the pending review",
      "{\"op\":\"reply\"," REPO
      ",\"thread\":\"PRRT_1\",\"body\":\"Done.\",\"include_pending\":true}",
      FACTS("false", PENDING, NODE("PR_7", "false")), false,
      "{\"data\":{\"addPullRequestReviewThreadReply\":{\"comment\":{\"url\":\"https://x/1\"}}}}",
      POST_TO "graphql|--input|",
      "\"variables\":{\"input\":{\"pullRequestReviewId\":\"PRR_1\",\"pullRequestReviewThreadId\":"
      "\"PRRT_1\",\"body\":\"Done.\"}}}",
      "# Replied to thread PRRT_1 of o/r#7\n\nURL: https://x/1\nIt is not sent: op submit with "
      "include_pending sends your pending review.\n" },
    { "resolving", "{\"op\":\"resolve\"," REPO ",\"thread\":\"PRRT_1\"}",
      FACTS("false", "", NODE("PR_7", "false")), false,
      "{\"data\":{\"resolveReviewThread\":{\"thread\":{\"isResolved\":true}}}}",
      POST_TO "graphql|--input|", "\"variables\":{\"input\":{\"threadId\":\"PRRT_1\"}}}",
      "# Thread PRRT_1 of o/r#7 is now resolved\n" },
    { "unresolving", "{\"op\":\"unresolve\"," REPO ",\"thread\":\"PRRT_1\"}",
      FACTS("false", PENDING, NODE("PR_7", "true")), false,
      "{\"data\":{\"unresolveReviewThread\":{\"thread\":{\"isResolved\":false}}}}",
      POST_TO "graphql|--input|", "{unresolveReviewThread(input:$input)",
      "# Thread PRRT_1 of o/r#7 is now open\n" },
    { "a line", "{\"op\":\"comment\"," REPO ",\"path\":\"src/a.c\",\"line\":3,\"body\":\"Why?\"}",
      FACTS("false", "", ""), true, "{\"html_url\":\"https://x/2\"}",
      POST_TO "/repos/o/r/pulls/7/comments|--input|",
      "{\"path\":\"src/a.c\",\"body\":\"Why?\",\"line\":3,\"side\":\"RIGHT\",\"commit_id\":\"" HEAD
      "\"}",
      "# Commented on src/a.c:3 of o/r#7\n\nURL: https://x/2\n" },
    { "a range with a suggestion",
      "{\"op\":\"comment\"," REPO
      ",\"path\":\"src/a.c\",\"start_line\":2,\"line\":3,\"suggestion\":\"23\"}",
      FACTS("false", "", ""), true, "{}", POST_TO "/repos/o/r/pulls/7/comments|--input|",
      "{\"path\":\"src/a.c\",\"body\":\"```suggestion\\n23\\n```\",\"line\":3,\"side\":\"RIGHT\","
      "\"start_line\":2,\"start_side\":\"RIGHT\",\"commit_id\":\"" HEAD "\"}",
      "# Commented on src/a.c:2-3 of o/r#7\n\n" },
    { "a range of one line is a line; the old side",
      "{\"op\":\"comment\"," REPO
      ",\"path\":\"src/a.c\",\"start_line\":2,\"line\":2,\"side\":\"LEFT\",\"body\":\"x\"}",
      FACTS("false", "", ""), true, "{}", POST_TO "/repos/o/r/pulls/7/comments|--input|",
      "{\"path\":\"src/a.c\",\"body\":\"x\",\"line\":2,\"side\":\"LEFT\",\"commit_id\":\"" HEAD
      "\"}",
      "# Commented on src/a.c:2 (LEFT) of o/r#7\n\n" },
    { "a file of which GitHub shows no diff",
      "{\"op\":\"comment\"," REPO ",\"path\":\"logo.bin\",\"body\":\"x\"}", FACTS("false", "", ""),
      true, "{}", POST_TO "/repos/o/r/pulls/7/comments|--input|",
      "{\"path\":\"logo.bin\",\"body\":\"x\",\"subject_type\":\"file\",\"commit_id\":\"" HEAD "\"}",
      "# Commented on logo.bin of o/r#7\n\n" },
    { "a comment in the pending review",
      "{\"op\":\"comment\"," REPO
      ",\"path\":\"src/a.c\",\"line\":10,\"body\":\"x\",\"include_pending\":true}",
      FACTS("false", PENDING, ""), true,
      "{\"data\":{\"addPullRequestReviewThread\":{\"thread\":{\"id\":\"PRRT_2\"}}}}",
      POST_TO "graphql|--input|",
      "\"variables\":{\"input\":{\"path\":\"src/a.c\",\"body\":\"x\",\"line\":10,\"side\":"
      "\"RIGHT\",\"pullRequestReviewId\":\"PRR_1\"}}}",
      "# Commented on src/a.c:10 of o/r#7\n\nIt is not sent: op submit with include_pending sends "
      "your pending review.\n" },
    { "an approval of what was reviewed",
      "{\"op\":\"submit\"," REPO ",\"event\":\"approve\",\"commit\":\"9F8E7d6\"}",
      FACTS("false", "", ""), false, "{}", POST_TO "/repos/o/r/pulls/7/reviews|--input|",
      "{\"commit_id\":\"" HEAD "\",\"event\":\"APPROVE\",\"comments\":[]}",
      "# Approved o/r#7\n\nCommit: 9f8e7d6c5b4a\nComments: 0\n" },
    { "an approval", "{\"op\":\"submit\"," REPO ",\"event\":\"approve\"}", FACTS("false", "", ""),
      false, "{\"html_url\":\"https://x/3\"}", POST_TO "/repos/o/r/pulls/7/reviews|--input|",
      "{\"commit_id\":\"" HEAD "\",\"event\":\"APPROVE\",\"comments\":[]}",
      "# Approved o/r#7\n\nURL: https://x/3\nCommit: 9f8e7d6c5b4a\nComments: 0\n" },
    { "a review with comments, all in one request",
      "{\"op\":\"submit\"," REPO
      ",\"event\":\"request_changes\",\"body\":\"No.\",\"comments\":[{\"path\":\"src/a.c\","
      "\"line\":2,\"body\":\"a\"},{\"path\":\"src/a.c\",\"line\":10,\"suggestion\":\"\"}]}",
      FACTS("false", "", ""), true, "{}", POST_TO "/repos/o/r/pulls/7/reviews|--input|",
      "{\"commit_id\":\"" HEAD
      "\",\"event\":\"REQUEST_CHANGES\",\"body\":\"No.\",\"comments\":[{\"path\":\"src/a.c\","
      "\"body\":\"a\",\"line\":2,\"side\":\"RIGHT\"},{\"path\":\"src/a.c\",\"body\":"
      "\"```suggestion\\n```\",\"line\":10,\"side\":\"RIGHT\"}]}",
      "# Requested changes on o/r#7\n\nCommit: 9f8e7d6c5b4a\nComments: 2\n" },
    { "a comment on one's own",
      "{\"op\":\"submit\"," REPO ",\"event\":\"comment\",\"body\":\"Note.\"}",
      FACTS("true", "", ""), false, "{}", POST_TO "/repos/o/r/pulls/7/reviews|--input|",
      "{\"commit_id\":\"" HEAD "\",\"event\":\"COMMENT\",\"body\":\"Note.\",\"comments\":[]}",
      "# Reviewed o/r#7\n\nCommit: 9f8e7d6c5b4a\nComments: 0\n" },
    { "the pending review, with the words of both",
      "{\"op\":\"submit\"," REPO
      ",\"event\":\"approve\",\"body\":\"Fine.\",\"include_pending\":true}",
      FACTS("false", PENDING, ""), false,
      "{\"data\":{\"submitPullRequestReview\":{\"pullRequestReview\":{\"url\":\"https://x/4\"}}}}",
      POST_TO "graphql|--input|",
      "\"variables\":{\"input\":{\"pullRequestReviewId\":\"PRR_1\",\"event\":\"APPROVE\",\"body\":"
      "\"draft\\n\\nFine.\"}}}",
      "# Approved o/r#7\n\nURL: https://x/4\nComments: 2\nSent with it: your pending review with "
      "2 comments\n" },
};

static void check_write(const WriteCase *one)
{
    g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
    reply_to(fixture, IS_FACTS, one->facts);
    if (one->has_files)
        reply_to(fixture, IS_FILES, FILES);
    reply_to(fixture, IS_POST, one->answer);
    g_auto(ToolResult) result = gh_fixture_call(fixture, one->arguments);
    expect_in(one->name, &result, "[gh github.com/o/r write confirmed 0.", one->want);
    assert_false(result.is_error);
    unsigned last = one->has_files ? 2 : 1;
    gh_expect_calls(one->name, fixture, last + 1);
    g_autofree char *argv = gh_fixture_argv(fixture, last);
    if (!str_has_prefix(argv, one->argv))
        fail_msg("%s: got %s", one->name, argv);
    g_autofree char *body = gh_fixture_body(fixture, last);
    if (!str_has_prefix(body, "600\n{") || !strstr(body, one->body))
        fail_msg("%s: sent\n%s\nwant\n%s", one->name, body, one->body);
    const char *path = strstr(argv, "--input|") + strlen("--input|");
    assert_false(g_file_test(path, G_FILE_TEST_EXISTS)); // nothing is left behind
}

/* Pushed since: neither an approval nor a comment is for what nobody has seen. */
static void test_another_head(void **state G_GNUC_UNUSED)
{
    static const char *const calls[] = {
        "{\"op\":\"submit\"," REPO ",\"event\":\"approve\",\"commit\":\"9f8e7d7\"}",
        "{\"op\":\"comment\"," REPO ",\"path\":\"src/a.c\",\"line\":3,\"body\":\"x\","
        "\"commit\":\"9f8e7d7\"}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
        reply_to(fixture, IS_FACTS, FACTS("false", "", ""));
        g_auto(ToolResult) result = gh_fixture_call(fixture, calls[i]);
        expect_in(calls[i], &result, "[gh github.com/o/r write error invalid-args]",
                  "the head is 9f8e7d6c5b4a now, not 9f8e7d7; nothing was posted");
        gh_expect_calls(calls[i], fixture, 1);
    }
}

static void test_writes(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(writes); i++)
        check_write(&writes[i]);
}

// ---- what is looked at first, and then not sent ----

static void test_not_sent(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *facts, *want;
        unsigned calls;
    } cases[] = {
        { "a pending review in the way of a reply",
          "{\"op\":\"reply\"," REPO ",\"thread\":\"PRRT_1\",\"body\":\"x\"}",
          FACTS("false", PENDING, NODE("PR_7", "false")),
          "you have a review of o/r#7 with 2 comments that is not sent "
          "(https://github.com/o/r/pull/7#pullrequestreview-1), and GitHub posts nothing of yours "
          "beside it; nothing was posted. Finish it on GitHub, or add this to it",
          1 },
        { "of a review", "{\"op\":\"submit\"," REPO ",\"event\":\"approve\"}",
          FACTS("false", PENDING, ""), "or send it together with this: include_pending", 1 },
        { "one's own pull request", "{\"op\":\"submit\"," REPO ",\"event\":\"approve\"}",
          FACTS("true", "", ""),
          "o/r#7 is your own pull request, which GitHub does not let you approve", 1 },
        { "a thread of another pull request",
          "{\"op\":\"reply\"," REPO ",\"thread\":\"PRRT_1\",\"body\":\"x\"}",
          FACTS("false", "", NODE("PR_8", "false")),
          "thread PRRT_1 is none of pull request 7 of github.com/o/r", 1 },
        { "a node that is no thread", "{\"op\":\"resolve\"," REPO ",\"thread\":\"PRRT_1\"}",
          FACTS("false", "", ",\"node\":{}"), "thread PRRT_1 is none of", 1 },
        { "it is resolved already", "{\"op\":\"resolve\"," REPO ",\"thread\":\"PRRT_1\"}",
          FACTS("false", "", NODE("PR_7", "true")), "# Thread PRRT_1 of o/r#7 was already resolved",
          1 },
        { "a line outside of the diff",
          "{\"op\":\"comment\"," REPO ",\"path\":\"src/a.c\",\"line\":5,\"body\":\"x\"}",
          FACTS("false", "", ""),
          "src/a.c:5: the line is not part of the diff; nothing was posted. Lines that can be "
          "commented: RIGHT 1-3, 10; LEFT 1-2, 9",
          2 },
        { "a range over two parts of it",
          "{\"op\":\"comment\"," REPO
          ",\"path\":\"src/a.c\",\"start_line\":3,\"line\":10,\"body\":\"x\"}",
          FACTS("false", "", ""), "start line and line are in different hunks", 2 },
        { "another file",
          "{\"op\":\"submit\"," REPO
          ",\"event\":\"comment\",\"comments\":[{\"path\":\"src/a.c\",\"line\":1,\"body\":\"x\"},"
          "{\"path\":\"b\\u202e\\nc\",\"line\":1,\"body\":\"x\"}]}",
          FACTS("false", "", ""),
          "b\\u202e\\x0ac:1: the file is not part of the diff; nothing was posted. Files: "
          "src/a.c, logo.bin",
          2 },
        { "an answer without a commit", "{\"op\":\"submit\"," REPO ",\"event\":\"approve\"}",
          "{\"data\":{\"repository\":{\"pullRequest\":null}}}", "names no commit", 1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
        reply_to(fixture, IS_FACTS, cases[i].facts);
        reply_to(fixture, IS_FILES, FILES);
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        expect_in(cases[i].name, &result, "[gh github.com/o/r write ", cases[i].want);
        gh_expect_calls(cases[i].name, fixture, cases[i].calls);
    }
}

/* What GitHub answers, and what is not known when it does not. */
static void test_failures(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        GhReply reply;
        bool is_unsure;
    } cases[] = {
        { "it says no",
          { .match = IS_POST,
            .out = "{\"message\":\"Unprocessable Entity\",\"errors\":[\"Review Can not approve\"]}",
            .err = "gh: Unprocessable Entity (HTTP 422)",
            .status = 1 },
          false },
        { "it breaks", { .match = IS_POST, .err = "gh: HTTP 502", .status = 1 }, true },
        { "the line breaks",
          { .match = IS_POST, .err = "Post \"https://api.github.com/x\": EOF", .status = 1 },
          true },
        { "there is no line",
          { .match = IS_POST, .err = "error connecting to api.github.com", .status = 1 },
          false },
        { "half an answer", { .match = IS_POST, .out = "{\"id\":" }, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
        reply_to(fixture, IS_FACTS, FACTS("false", "", ""));
        gh_fixture_reply(fixture, &cases[i].reply);
        g_auto(ToolResult) result =
            gh_fixture_call(fixture, "{\"op\":\"submit\"," REPO ",\"event\":\"approve\"}");
        expect_in(cases[i].name, &result, "[gh github.com/o/r write error gh-exit]", "Error: ");
        g_autofree char *text = tool_result_text(&result);
        if ((strstr(text, "it may have been posted all the same") != NULL) != cases[i].is_unsure)
            fail_msg("%s: got\n%s", cases[i].name, text);
        gh_expect_calls(cases[i].name, fixture, 2); // never a second time
    }
}

/* The comments go one by one into a review that is there: what is in it then is said. */
static void test_half_done(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
    reply_to(fixture, IS_FACTS, FACTS("false", PENDING, ""));
    reply_to(fixture, IS_FILES, FILES);
    reply_to(fixture, IS_POST,
             "{\"data\":{\"addPullRequestReviewThread\":{\"thread\":{\"id\":\"PRRT_2\"}}}}");
    reply_to(fixture, IS_POST, "{\"data\":{\"addPullRequestReviewThread\":{\"thread\":null}}}");
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"submit\"," REPO
                                 ",\"event\":\"approve\",\"include_pending\":true,\"comments\":["
                                 "{\"path\":\"src/a.c\",\"line\":1,\"body\":\"x\"},"
                                 "{\"path\":\"src/a.c\",\"line\":2,\"body\":\"y\"},"
                                 "{\"path\":\"src/a.c\",\"line\":3,\"body\":\"z\"}]}");
    expect_in("half done", &result, "[gh github.com/o/r write error gh-exit]",
              "your pending review is not sent, and has 1 of the 3 comments now; src/a.c:2: "
              "GitHub did not take the comment");
    gh_expect_calls("half done", fixture, 4);
}

// ---- who is asked ----

typedef struct Person {
    bool approves;
    unsigned asked;
    char *text;
} Person;

static bool ask(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED, bool *ret_approved,
                void *user_data, GError **error G_GNUC_UNUSED)
{
    Person *person = user_data;
    person->asked++;
    g_free(person->text);
    person->text = g_strdup(question->text);
    *ret_approved = person->approves;
    return true;
}

#define REVIEW_CALL                                                                                \
    "{\"op\":\"submit\"," REPO ",\"event\":\"approve\",\"commit\":\"9f8e7d6\",\"body\":"           \
    "\"Good\\nWRITE on x\\u202ey\",\"comments\":[{\"path\":"                                       \
    "\"src/a.c\",\"line\":3,\"start_line\":2,\"body\":\"Why?\"}]}"

static void test_question(void **state G_GNUC_UNUSED)
{
    for (int approves = 0; approves <= 1; approves++) {
        g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
        Person person = { .approves = approves };
        const ToolDoor door = { .kind = DOOR_AGENT, .ask = ask, .user_data = &person };
        fixture->door = &door;
        reply_to(fixture, IS_FACTS, FACTS("false", "", ""));
        reply_to(fixture, IS_FILES, FILES);
        reply_to(fixture, IS_POST, "{}");
        g_auto(ToolResult) result = gh_fixture_call(fixture, REVIEW_CALL);
        assert_int_equal(person.asked, 1);
        assert_string_equal(
            person.text,
            "WRITE on github.com/o/r: approves pull request 7 at 9f8e7d6 with 1 comment\n"
            "    | Good\n"
            "    | WRITE on x\\u202ey\n"
            "  on src/a.c:2-3\n"
            "    | Why?\n"
            "  (context: explicit-repo)");
        gh_expect_calls("asked", fixture, approves ? 3 : 0);
        expect_in("answered", &result,
                  approves ? "[gh github.com/o/r write confirmed"
                           : "[gh github.com/o/r submit write confirm-declined]",
                  approves ? "# Approved" : "Declined by the user: review of pull request 7");
        g_free(person.text);
    }
}

static void test_policy(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *settings, *arguments, *first, *want;
        DoorKind door;
        unsigned calls;
    } cases[] = {
        { "an own session without anybody to ask", NULL,
          "{\"op\":\"submit\"," REPO ",\"event\":\"approve\"}",
          "[gh github.com/o/r submit write confirm-unavailable]\n",
          "nobody can be asked here: review of pull request 7 in github.com/o/r, op submit.",
          DOOR_AGENT, 0 },
        { "reading needs nobody", NULL, "{\"op\":\"threads\"," REPO "}",
          "[gh github.com/o/r read ok 0.1KB]\n", "_No threads._", DOOR_AGENT, 2 },
        { "a host that is only read", "{\"gh\":{\"hostPolicy\":{\"github.com\":\"read-only\"}}}",
          "{\"op\":\"resolve\"," REPO ",\"thread\":\"PRRT_1\"}",
          "[gh github.com/o/r resolve write policy-blocked]\n",
          "writes are disabled for github.com", DOOR_DIRECT, 0 },
        { "a repository that is not even read",
          "{\"gh\":{\"hostPolicy\":{\"github.com/O/R\":\"deny\"}}}",
          "{\"op\":\"threads\"," REPO "}", "[gh github.com/o/r threads read policy-blocked]\n",
          "reads are disabled for github.com/", DOOR_DIRECT, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = review_fixture_new(cases[i].settings);
        const ToolDoor door = { .kind = cases[i].door };
        fixture->door = &door;
        gh_fixture_reply(
            fixture,
            &(GhReply) { .match = IS_FACTS, .out = FACTS("false", "", ""), .is_repeated = true });
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        expect_in(cases[i].name, &result, cases[i].first, cases[i].want);
        gh_expect_calls(cases[i].name, fixture, cases[i].calls);
    }
}

static void test_cancelled(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
    cancel_fire(fixture->cancel);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"resolve\"," REPO ",\"thread\":\"PRRT_1\"}");
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    gh_expect_calls("cancelled", fixture, 0);
}

/* Fires the token of the call when gh has been started as often as `calls`. */
typedef struct Stopper {
    GhFixture *fixture;
    unsigned calls;
} Stopper;

static void *stop_it(void *data)
{
    const Stopper *self = data;
    for (int i = 0; i < 3000 && gh_fixture_call_count(self->fixture) < self->calls; i++)
        g_usleep(10000);
    cancel_fire(self->fixture->cancel);
    return NULL;
}

/* What had been posted by then is not known, and what had been done is said. */
static void test_stopped_while_posting(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
    reply_to(fixture, IS_FACTS, FACTS("false", PENDING, ""));
    reply_to(fixture, IS_FILES, FILES);
    reply_to(fixture, IS_POST,
             "{\"data\":{\"addPullRequestReviewThread\":{\"thread\":{\"id\":\"PRRT_2\"}}}}");
    gh_fixture_reply(fixture, &(GhReply) { .match = IS_POST, .out = "{}", .sleep_s = 60 });
    Stopper stopper = { .fixture = fixture, .calls = 4 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_it, &stopper), 0);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"submit\"," REPO
                                 ",\"event\":\"approve\",\"include_pending\":true,\"comments\":["
                                 "{\"path\":\"src/a.c\",\"line\":1,\"body\":\"x\"},"
                                 "{\"path\":\"src/a.c\",\"line\":2,\"body\":\"y\"}]}");
    pthread_join(thread, NULL);
    expect_in("what was done", &result, "[gh github.com/o/r write error cancelled]",
              "has 1 of the 2 comments now");
    expect_in("what is not known", &result, "[gh github.com/o/r write error cancelled]",
              "it may have been posted all the same");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_not_sent),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_half_done),
        cmocka_unit_test(test_question),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_stopped_while_posting),
        cmocka_unit_test(test_another_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
