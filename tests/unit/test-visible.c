/* What a person is asked about cannot look like something else. */
#include "unit.h"

#include "base/visible.h"

static void test_visible(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *want, *want_of_lines;
    } cases[] = {
        { "plain text stays", "fix é 漢", "fix é 漢", "fix é 漢" },
        { "only lines keep LF", "a\nb", "a\\x0ab", "a\nb" },
        { "other controls", "a\r\t\x1b[2K\x7f", "a\\x0d\\x09\\x1b[2K\\x7f",
          "a\\x0d\t\\x1b[2K\\x7f" },
        { "CR before LF", "a\r\nb\r", "a\\x0d\\x0ab\\x0d", "a\nb\\x0d" },
        { "8-bit controls",
          "\xc2\x9b"
          "2J",
          "\\x9b"
          "2J",
          "\\x9b"
          "2J" },
        { "tag characters", "\xf3\xa0\x81\x81", "\\u{e0041}", "\\u{e0041}" },
        { "direction of writing",
          "a\xe2\x80\xae"
          "b",
          "a\\u202eb", "a\\u202eb" },
        { "line separator", "\xe2\x80\xa8", "\\u2028", "\\u2028" },
        { "no width", "\xe2\x80\x8b\xef\xbb\xbf", "\\u200b\\ufeff", "\\u200b\\ufeff" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) got = g_string_new(NULL);
        visible_append(got, cases[i].text);
        if (strcmp(got->str, cases[i].want) != 0)
            fail_msg("%s: got '%s'", cases[i].name, got->str);
        g_string_truncate(got, 0);
        visible_append_lines(got, cases[i].text);
        if (strcmp(got->str, cases[i].want_of_lines) != 0)
            fail_msg("%s, lines: got '%s'", cases[i].name, got->str);
    }
}

/* What is read, not judged: a joiner that belongs to its neighbours is no disguise. */
static void test_on_terminal(void **state G_GNUC_UNUSED)
{
    static const char *const cases[][2] = {
        { "a\tb\r\nc", "a\tb\nc" },
        { "👩🏽‍💻 ❤️ 1️⃣ می\xe2\x80\x8cخواهم",
          "👩🏽‍💻 ❤️ 1️⃣ می\xe2\x80\x8cخواهم" },
        { "a\xe2\x80\x8d"
          "b\xe2\x80\xae\xf3\xa0\x81\x81",
          "a\\u200db\\u202e\\u{e0041}" },
        { "\x1b]0;x\x07\xc2\x9b"
          "2J\x0d",
          "\\x1b]0;x\\x07\\x9b2J\\x0d" },
        { "a\xcd\x8f\xe3\x85\xa4", "a\\u034f\\u3164" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = visible_on_terminal(cases[i][0]);
        assert_string_equal(got, cases[i][1]);
    }
    g_autoptr(GString) judged = g_string_new(NULL);
    visible_append(judged, "👩‍💻 ❤️");
    assert_string_equal(judged->str, "👩\\u200d💻 ❤️");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_visible),
                                        cmocka_unit_test(test_on_terminal) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
