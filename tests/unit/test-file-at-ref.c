/*
 * gh://OWNER/REPO/PATH@REF: what is asked, what is shown, what is refused.
 */
#include "unit.h"

#include "item_fixture.h"

#define ACCEPT "-H|Accept: application/vnd.github+json|"
#define USAGE                                                                                      \
    "Invalid gh:// URL. Expected gh://<owner>/<repo>/<path>@<ref> or "                             \
    "gh://<host>/<owner>/<repo>/<path>@<ref>"

static void test_argv(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *want;
    } cases[] = {
        { "gh://o/r/src/a.c@v1", "api|--method|GET|" ACCEPT "repos/o/r/contents/src/a.c?ref=v1" },
        { "gh://o/r/a.c@feature/x",
          "api|--method|GET|" ACCEPT "repos/o/r/contents/a.c?ref=feature%2Fx" },
        { "gh://o/r/a%20%3F.c", "api|--method|GET|" ACCEPT "repos/o/r/contents/a%20%3F.c" },
        { "gh://o/r/@types/x.ts@main",
          "api|--method|GET|" ACCEPT "repos/o/r/contents/%40types/x.ts?ref=main" },
        { "gh://o/r", "api|--method|GET|" ACCEPT "repos/o/r/contents" },
        { "gh://o/r@v1", "api|--method|GET|" ACCEPT "repos/o/r/contents?ref=v1" },
        { "gh://ghe.example.com/o/r/a.c@v1",
          "api|--hostname|ghe.example.com|--method|GET|" ACCEPT "repos/o/r/contents/a.c?ref=v1" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        gh_fixture_reply_out(fixture, "{\"type\":\"file\",\"encoding\":\"base64\",\"content\":"
                                      "\"aGkK\"}");
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        gh_expect_text(cases[i].url, &result, "hi\n");
        gh_expect_argv(cases[i].url, fixture, 0, cases[i].want);
    }
}

static void test_answers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *reply, *want;
        bool is_error;
    } cases[] = {
        { "a directory",
          "[{\"name\":\"src\",\"type\":\"dir\"},{\"name\":\"a.c\",\"type\":"
          "\"file\"}]",
          "src/\na.c\n", false },
        { "an empty one", "[]", "(empty)\n", false },
        { "a binary file", "{\"type\":\"file\",\"encoding\":\"base64\",\"content\":\"AAEC\"}",
          "gh:// resolution failed: a.c is a binary file of 3 bytes", true },
        { "a link", "{\"type\":\"symlink\",\"target\":\"../x\"}",
          "gh:// resolution failed: a.c is a symlink to ../x, and no file", true },
        { "no JSON", "<html>", "gh:// resolution failed: GitHub CLI returned invalid JSON output.",
          true },
        { "no content", "{\"type\":\"file\",\"encoding\":\"base64\"}", "", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        gh_fixture_reply_out(fixture, cases[i].reply);
        g_auto(ToolResult) result = item_fixture_read(fixture, "gh://o/r/a.c@v1");
        if (cases[i].is_error)
            gh_expect_error(cases[i].name, &result, cases[i].want);
        else
            gh_expect_text(cases[i].name, &result, cases[i].want);
    }
}

static void test_large(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_reply(fixture, &(GhReply) { .match = "*raw+json*", .out = "large\n" });
    gh_fixture_reply_out(fixture, "{\"type\":\"file\",\"encoding\":\"none\",\"content\":\"\"}");
    g_auto(ToolResult) result = item_fixture_read(fixture, "gh://o/r/a.c");
    gh_expect_text("over 1 MB", &result, "large\n");
    item_expect_notes("over 1 MB", &result, "a.c of o/r at its default branch");
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *want;
    } cases[] = {
        { "gh://", USAGE },
        { "gh://o", USAGE },
        { "gh://-x/r/a", USAGE },
        { "gh://o/r/../x", USAGE },
        { "gh://o/r/a/%2e%2e/x", USAGE },
        { "gh://o/r/a//b", USAGE },
        { "gh://o/r/a%2F..%2Fb", USAGE },
        { "gh://o/r/a%00", USAGE },
        { "gh://o/r/a@", USAGE },
        { "gh://evil.example.com/o/r/a",
          "host \"evil.example.com\" is not a known host; add it to gh.knownHosts" },
    };
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        gh_expect_error(cases[i].url, &result, cases[i].want);
    }
    gh_expect_calls("what is refused asks nobody", fixture, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_argv),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
