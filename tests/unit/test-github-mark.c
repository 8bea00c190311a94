/*
 * session/github_mark.c: the record of a GitHub thing and its one line, also out of a session that
 * somebody else wrote.
 */
#include "unit.h"

#include "session/github_mark.h"

static void test_marks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        GithubMark mark;
        const char *json, *line;
    } cases[] = {
        { "pull request",
          { "github.com", "o/r", GITHUB_PULL, 9 },
          "{\"host\":\"github.com\",\"repository\":\"o/r\",\"kind\":\"pull request\",\"number\":9,"
          "\"url\":\"https://github.com/o/r/pull/9\"}",
          "GitHub: github.com/o/r pull request 9 https://github.com/o/r/pull/9" },
        { "issue",
          { "ghe.example.com", "o/r", GITHUB_ISSUE, 12 },
          "{\"host\":\"ghe.example.com\",\"repository\":\"o/r\",\"kind\":\"issue\",\"number\":12,"
          "\"url\":\"https://ghe.example.com/o/r/issues/12\"}",
          "GitHub: ghe.example.com/o/r issue 12 https://ghe.example.com/o/r/issues/12" },
        { "run",
          { "github.com", "o/r", GITHUB_RUN, 16045200302 },
          "{\"host\":\"github.com\",\"repository\":\"o/r\",\"kind\":\"run\",\"number\":16045200302,"
          "\"url\":\"https://github.com/o/r/actions/runs/16045200302\"}",
          "GitHub: github.com/o/r run 16045200302 https://github.com/o/r/actions/runs/"
          "16045200302" },
        { "repository",
          { "github.com", "o/r", GITHUB_REPOSITORY, 0 },
          "{\"host\":\"github.com\",\"repository\":\"o/r\",\"kind\":\"repository\",\"url\":"
          "\"https://github.com/o/r\"}",
          "GitHub: github.com/o/r https://github.com/o/r" },
        { "host",
          { "github.com", NULL, GITHUB_ISSUE, 3 },
          "{\"host\":\"github.com\",\"url\":\"https://github.com\"}",
          "GitHub: github.com https://github.com" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) details = json_object();
        json_set_take(details, "github", github_mark_to_json(&cases[i].mark));
        g_autofree char *json = json_to_text(json_object_get(details, "github"));
        g_autofree char *line = github_mark_line(details);
        if (strcmp(json, cases[i].json) != 0 || strcmp(line, cases[i].line) != 0)
            fail_msg("%s: %s\n%s", cases[i].name, json, line);
    }
}

static void test_lines(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *details, *want; // NULL: none
    } cases[] = {
        { "{}", NULL },
        { "[1]", NULL },
        { "{\"github\":7}", NULL },
        { "{\"github\":{\"repository\":\"o/r\"}}", NULL },
        { "{\"github\":{\"host\":\"a\\nb\",\"repository\":3,\"number\":-1,\"url\":\"x\\r\\ny\"}}",
          "GitHub: a b x  y" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) details = NULL;
        assert_true(json_parse_text(cases[i].details, &details, NULL));
        g_autofree char *got = github_mark_line(details);
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].details, got);
    }
    assert_null(github_mark_line(NULL));
    g_autofree char *word = g_strnfill(5000, 'x');
    g_autoptr(json_t) details = json_pack("{s:{s:s, s:s}}", "github", "host", word, "url", word);
    g_autofree char *line = github_mark_line(details);
    assert_true(strlen(line) < 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_marks),
                                        cmocka_unit_test(test_lines) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
