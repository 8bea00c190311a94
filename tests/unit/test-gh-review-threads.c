/*
 * gh_review's op threads: grouped, marked, bounded, and nothing in it that commands a terminal
 * (github-tool §8, item 7).
 */
#include "unit.h"

#include "review_fixture.h"

#define THREAD(id, path, line, resolved, outdated, comments)                                       \
    "{\"id\":\"" id "\",\"isResolved\":" resolved ",\"isOutdated\":" outdated ",\"path\":\"" path  \
    "\",\"line\":" line ",\"originalLine\":40,\"diffSide\":\"RIGHT\",\"subjectType\":\"LINE\","    \
    "\"comments\":{\"totalCount\":1,\"nodes\":[" comments "]}}"
#define SAID(who, body)                                                                            \
    "{\"author\":{\"login\":\"" who "\"},\"body\":\"" body                                         \
    "\",\"createdAt\":\"2026-05-02T10:29:00Z\",\"state\":\"SUBMITTED\",\"isMinimized\":false}"
#define THREADS(nodes, more)                                                                       \
    "{\"data\":{\"repository\":{\"pullRequest\":{\"reviewThreads\":{\"pageInfo\":{"                \
    "\"hasNextPage\":" more ",\"endCursor\":\"c\"},\"nodes\":[" nodes "]}}}}}"

static const char listed[] = THREADS(
    THREAD("T3", "src/b.c", "9", "true", "false", SAID("okoro", "Old.")) "," THREAD(
        "T2", "src/a.c", "12", "false", "false",
        SAID("eve", "x\\u001b[2J\\u202ey")) "," THREAD("T1", "src/a.c", "null", "false", "true",
                                                       "{\"author\":null,\"body\":\"spam\","
                                                       "\"isMinimized\":true}"),
    "false");

static ToolResult read_threads(GhFixture *fixture, const char *threads, const char *more)
{
    g_autofree char *arguments = g_strdup_printf("{\"op\":\"threads\"," REPO "%s}", more);
    reply_to(fixture, IS_FACTS "viewerDidAuthor*", FACTS("false", PENDING, ""));
    gh_fixture_reply(fixture,
                     &(GhReply) { .match = IS_FACTS, .out = threads, .is_repeated = true });
    return gh_fixture_call(fixture, arguments);
}

static void test_threads(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
    g_auto(ToolResult) result = read_threads(fixture, listed, "");
    gh_expect_text("by file and line, marked, nothing of it a command to a terminal", &result,
                   "[gh github.com/o/r read ok 0.5KB]\n"
                   "# Review threads of o/r#7 (3: 2 open, 1 resolved)\n\n"
                   "Head: 9f8e7d6c5b4a\nYour review with 2 comments is not sent. op submit with "
                   "include_pending sends "
                   "it.\nPending: https://github.com/o/r/pull/7#pullrequestreview-1\n\n"
                   "## src/a.c\n\n"
                   "### src/a.c:12 [open]\n\nThread: T2\n\n"
                   "#### @eve · 2026-05-02T10:29:00Z\n\nx\\x1b[2J\\u202ey\n\n\n"
                   "### src/a.c:40 [open] [outdated]\n\nThread: T1\n\n"
                   "#### unknown\n\n(minimized)\n\n"
                   "## src/b.c\n\n"
                   "### src/b.c:9 [resolved]\n\nThread: T3\n\n"
                   "#### @okoro · 2026-05-02T10:29:00Z\n\nOld.\n\n\n");
    static const struct {
        const char *name, *more, *want;
    } cases[] = {
        { "those that are open", ",\"unresolved\":true", "#7 (2: 2 open, 0 resolved)" },
        { "of a file", ",\"path\":\"src/b.c\"", "#7 (1: 0 open, 1 resolved)" },
        { "of a file without any", ",\"path\":\"src/c.c\"", "_No thread fits._" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gh_fixture_reset(fixture);
        g_auto(ToolResult) part = read_threads(fixture, listed, cases[i].more);
        expect_in(cases[i].name, &part, "[gh github.com/o/r read ok ", cases[i].want);
    }
}

/* A list that never ends, and threads beyond what an answer has room for. */
static void test_bounds(void **state G_GNUC_UNUSED)
{
    g_autofree char *words = g_strnfill(40000, 'w');
    g_autofree char *thread =
        g_strdup_printf(THREAD("T1", "a", "1", "false", "false", SAID("okoro", "%s")), words);
    g_autofree char *endless = g_strdup_printf(THREADS("%s", "true"), thread);
    g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
    g_auto(ToolResult) result = read_threads(fixture, endless, "");
    g_autofree char *text = tool_result_text(&result);
    gh_expect_calls("pages end", fixture, 101);
    assert_non_null(strstr(text, "\n99 more threads: narrow with path, unresolved or thread.\n"));
    assert_true(strlen(text) < 64 * 1024);

    g_autofree char *long_words = g_strnfill(90000, 'w');
    g_autofree char *one = g_strdup_printf(
        THREADS(THREAD("T1", "a", "1", "false", "false", SAID("okoro", "%s")), "false"),
        long_words);
    gh_fixture_reset(fixture);
    g_auto(ToolResult) cut = read_threads(fixture, one, "");
    g_autofree char *shown = tool_result_text(&cut);
    assert_non_null(strstr(shown, "w… (+"));
    assert_true(strlen(shown) < 64 * 1024);
}

static void test_one_thread(void **state G_GNUC_UNUSED)
{
    static const char first[] =
        "{\"data\":{\"node\":{\"id\":\"PRRT_1\",\"path\":\"a\",\"line\":3,\"isResolved\":false,"
        "\"comments\":{\"totalCount\":2,\"pageInfo\":{\"hasNextPage\":true,\"endCursor\":\"c\"},"
        "\"nodes\":[" SAID("okoro", "One.") "]}}}}";
    static const char second[] =
        "{\"data\":{\"node\":{\"comments\":{\"totalCount\":2,\"pageInfo\":{\"hasNextPage\":false},"
        "\"nodes\":[" SAID("lindq", "Two.") "]}}}}";
    g_autoptr(GhFixture) fixture = review_fixture_new(NULL);
    reply_to(fixture, IS_FACTS "viewerDidAuthor*", FACTS("false", "", NODE("PR_7", "false")));
    reply_to(fixture, IS_FACTS, first);
    reply_to(fixture, IS_FACTS, second);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"threads\"," REPO ",\"thread\":\"PRRT_1\"}");
    expect_in("all of one", &result, "[gh github.com/o/r read ok ", "One.\n");
    expect_in("all of one", &result, "[gh github.com/o/r read ok ", "Two.\n");
    gh_expect_calls("all of one", fixture, 3);

    gh_fixture_reset(fixture);
    reply_to(fixture, IS_FACTS "viewerDidAuthor*", FACTS("false", "", NODE("PR_8", "false")));
    g_auto(ToolResult) other =
        gh_fixture_call(fixture, "{\"op\":\"threads\"," REPO ",\"thread\":\"PRRT_1\"}");
    expect_in("one of elsewhere is not shown", &other, "[gh github.com/o/r read error ",
              "is none of pull request 7");
    gh_expect_calls("one of elsewhere", fixture, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
