/*
 * Composing search queries and finding their scope (github-tool §5.2, §5.3).
 */
#include "unit.h"

#include "github/ops/query.h"

static void test_compose(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *query, *qualifier, *slug, *type, *display, *api;
    } cases[] = {
        { "a b", "created:>=2026-01-01", "o/r", "is:pr", "a b created:>=2026-01-01",
          "a b created:>=2026-01-01 repo:o/r is:pr" },
        { "  \"two  words\" \t", NULL, NULL, NULL, "\"two  words\"", "\"two  words\"" },
        { NULL, NULL, "o/r", NULL, "", "repo:o/r" },
        { "\xe2\x80\xa8\xef\xbb\xbf", " ", NULL, "is:issue", "", "is:issue" },
        { "", "", NULL, NULL, "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *display = query_display(cases[i].query, cases[i].qualifier);
        assert_string_equal(display, cases[i].display);
        g_autofree char *api = query_api(display, cases[i].slug, cases[i].type);
        assert_string_equal(api, cases[i].api);
    }
}

static void test_has_scope(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *query;
        bool want;
    } cases[] = {
        { "repo:o/r", true },        { "x org:foo", true },
        { "x -user:bob", true },     { "OWNER:me x", true },
        { "x\tRepo:o/r", true },     { "\"a repo:b c\"", true },
        { "myrepo:x", false },       { "repo: x", false },
        { "x repo:", false },        { "", false },
        { "x--repo:o/r", false },    { "team:o/t", false },
        { "x \xc2\xa0org:y", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (query_has_scope(cases[i].query) != cases[i].want)
            fail_msg("'%s'", cases[i].query);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compose),
        cmocka_unit_test(test_has_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
