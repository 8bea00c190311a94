/* Fuzzy matching: what fits, and what fits better. */
#include "unit.h"

#include "tui/edit/fuzzy.h"

static void test_fits(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *query, *text;
        bool want;
    } cases[] = {
        { "", "anything", true },
        { "", "", true },
        { "  ", "x", true },
        { "abc", "a/b/c", true },
        { "abc", "acb", false },
        { "abc", "ab", false },
        { "a", "", false },
        { "readme", "README.md", true },
        { "Readme", "README.md", false },
        { "READ", "README.md", true },
        { "READ", "readme.md", false },
        { "main src", "src/main.c", true },
        { "main lib", "src/main.c", false },
        { "é", "É", true },
        { "É", "é", false },
        { "日語", "日本語", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int score = 12345;
        bool got = fuzzy_match(cases[i].query, cases[i].text, &score);
        if (got != cases[i].want)
            fail_msg("'%s' in '%s': %d", cases[i].query, cases[i].text, got);
        if (!got && score != 12345)
            fail_msg("'%s' in '%s': a score without a match", cases[i].query, cases[i].text);
    }
}

static void test_literal(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *query, *text;
        bool want;
    } cases[] = {
        { "", "", true },
        { "", "x", true },
        { "a", "", false },
        { "dark", "theme.Dark", true },
        { "Dark", "theme.dark", false },
        { "drk", "dark", false },
        { "dark the", "theme.dark", true },
        { "dark no", "theme.dark", false },
        { "é", "aÉ", true },
        { "本語", "日本語", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (fuzzy_is_literal(cases[i].query, cases[i].text) != cases[i].want)
            fail_msg("'%s' in '%s'", cases[i].query, cases[i].text);
}

static void test_ranking(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *query, *better, *worse;
    } cases[] = {
        { "the last part of a path", "edit", "src/tui/editor.c", "src/edit/buffer.c" },
        { "a run", "main", "domain.c", "mraqinx.c" },
        { "the start of a word", "row", "md_rows.c", "arrow.c" },
        { "starts of words", "tes", "tui_edit_steps.c", "attestation.c" },
        { "the start of the text", "re", "resume", "share" },
        { "the whole", "model", "model", "models" },
        { "the whole last part", "test", "src/test", "src/tests.c" },
        { "a directory", "test", "src/test/", "src/tests.c" },
        { "a shorter text", "buf", "edit/buffer.c", "some/long/path/edit/buffer.c" },
        { "capitals inside", "fb", "FooBar", "Foobar" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int better = 0, worse = 0;
        assert_true(fuzzy_match(cases[i].query, cases[i].better, &better));
        assert_true(fuzzy_match(cases[i].query, cases[i].worse, &worse));
        if (better <= worse)
            fail_msg("%s: %d is not more than %d", cases[i].name, better, worse);
    }
}

static void test_long_texts(void **state G_GNUC_UNUSED)
{
    g_autofree char *text = g_strnfill(1000 * 1000, 'a'), *query = g_strnfill(1000, 'a');
    int score;
    assert_true(fuzzy_match(query, text, &score));
    query[999] = 'b';
    assert_false(fuzzy_match(query, text, &score));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_literal),
        cmocka_unit_test(test_ranking),
        cmocka_unit_test(test_long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
