/*
 * agenttools/mermaid/mmd_pattern.c: what patterns match, and that no choice is taken back.
 */
#include "unit.h"

#include "agenttools/mermaid/mmd_parser.h"

static void test_match(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *pattern, *text;
        int want; // bytes; -1: it does not fit
    } cases[] = {
        { "abc", "abcd", 3 },
        { "abc", "ab", -1 },
        { "a|abc", "abc", 1 },    // the first choice that fits
        { "(a|ab)c", "abc", -1 }, // is not taken back
        { "(ab|a)c", "abc", 3 },
        { "a*ab", "aaab", -1 }, // nor is a repetition
        { "x?y+z*", "yyz!", 3 },
        { "(a(b|c))*d", "abacd", 5 },
        { "(a?)*b", "aab", 3 }, // what takes nothing is not repeated
        { "[a-c_\\-]+", "b_-d", 3 },
        { "[^\"\n]*", "a]\"", 2 },
        { "[^\\]]+", "a[]", 2 },
        { "\\(\\|\\\\", "(|\\", 3 },
        { "a(?=b)", "ab", 1 },
        { "a(?!b|c)", "ac", -1 },
        { "a(?!b|c)", "a", 1 },
        { "end\\>", "end1", -1 },
        { "end\\>", "end-", 3 },
        { "a$", "a", 1 },
        { "a$", "a\n", -1 },
        { ".*", "a\nb", 1 },
        { ".", "\xc3\xa9", 2 },
        { "\\s+", " \n\xc2\xa0x", 4 },
        { "\\h+", " \t\n", 2 },
        { "\\d+\\w", "12a", 3 },
        { "\\e\\w+\\e", "\x01quot\x02", 6 },
        { "\\u", "\xc2\xa0", 2 },
        { "\\x", "\xc2\xa0", -1 }, // U+00A0
        { "\\l", "\xe6\x97\xa5", 3 },
        { "\\l|\\b", "\xf0\x9f\x98\x80", -1 }, // beyond U+FFFF
        { "(?i)title\\>|as", "TITLE", 5 },
        { "title", "TITLE", -1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *text = cases[i].text;
        const char *stop = mmd_match(text, text + strlen(text), cases[i].pattern);
        int got = stop ? (int)(stop - text) : -1;
        if (got != cases[i].want)
            fail_msg("%s in %s: %d, want %d", cases[i].pattern, text, got, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
