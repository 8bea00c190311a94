/*
 * base/str.c: parsing, counting, distances, quoting.
 */
#include "unit.h"

#include "base/str.h"

static void test_truncate(void **state)
{
    static const struct {
        const char *name, *in, *want;
        size_t max;
    } cases[] = {
        { "shorter stays as it is", "abc", "abc", 8 },
        { "equal stays as it is", "abc", "abc", 3 },
        { "zero is empty", "abc", "", 0 },
        { "never splits a character", "ab\xc3\xa9", "ab", 3 },
        { "nor a long one", "\xf0\x9f\x98\x80x", "", 3 },
        { "whole characters fit", "\xf0\x9f\x98\x80x", "\xf0\x9f\x98\x80", 4 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = str_truncate(cases[i].in, cases[i].max);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", cases[i].name, got, cases[i].want);
    }
}

static void test_parse_int(void **state)
{
    static const struct {
        const char *in;
        bool is_good;
        int64_t want;
    } cases[] = {
        { "0", true, 0 },
        { "007", true, 7 },
        { "-12", true, -12 },
        { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775808", true, INT64_MIN },
        { "9223372036854775808", false, 0 },
        { "-9223372036854775809", false, 0 },
        { "99999999999999999999999", false, 0 },
        { "", false, 0 },
        { "-", false, 0 },
        { "+5", false, 0 },
        { " 5", false, 0 },
        { "5 ", false, 0 },
        { "1e3", false, 0 },
        { "0x10", false, 0 },
        { "--5", false, 0 },
        { NULL, false, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t got = 42;
        bool is_good = str_parse_int(cases[i].in, &got);
        int64_t want = cases[i].is_good ? cases[i].want : 42; // untouched on failure
        if (is_good != cases[i].is_good || got != want)
            fail_msg("'%s': got %d %" G_GINT64_FORMAT, cases[i].in, is_good, got);
    }
}

static void test_parse_bool(void **state)
{
    static const char *const yes[] = { "1", "y", "YES", "True", "on" };
    static const char *const no[] = { "0", "n", "No", "false", "OFF" };
    static const char *const neither[] = { "", "2", "tru", "yes ", "maybe" };
    for (size_t i = 0; i < G_N_ELEMENTS(yes); i++) {
        bool got = false;
        assert_true(str_parse_bool(yes[i], &got) && got);
        assert_true(str_parse_bool(no[i], &got) && !got);
        got = true;
        assert_false(str_parse_bool(neither[i], &got));
        assert_true(got);
    }
    bool unused;
    assert_false(str_parse_bool(NULL, &unused));
}

static void test_compare(void **state)
{
    assert_true(str_is_empty(NULL));
    assert_true(str_is_empty(""));
    assert_false(str_is_empty(" "));
    assert_true(str_equal_nocase("GitHub", "github"));
    assert_false(str_equal_nocase("github", "githu"));
    assert_true(str_equal_nocase(NULL, NULL));
    assert_false(str_equal_nocase(NULL, ""));
    assert_false(str_equal_nocase("", NULL));
    assert_true(str_contains_nocase("Rate LIMIT exceeded", "rate limit"));
    assert_true(str_contains_nocase("abc", ""));
    assert_true(str_contains_nocase("", ""));
    assert_false(str_contains_nocase("", "a"));
    assert_false(str_contains_nocase("rate limi", "rate limit"));
}

static void test_format_bytes(void **state)
{
    static const struct {
        uint64_t in;
        const char *want;
    } cases[] = {
        { 0, "0B" },
        { 1023, "1023B" },
        { 1024, "1.0KB" },
        { 51200, "50.0KB" },
        { 1536, "1.5KB" },
        { 1024 * 1024 - 1, "1024.0KB" },
        { 1024 * 1024, "1.0MB" },
        { UINT64_C(5) * 1024 * 1024 * 1024 / 2, "2.5GB" },
        { UINT64_C(1) << 50, "1048576.0GB" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = str_format_bytes(cases[i].in);
        assert_string_equal(got, cases[i].want);
    }
}

static void test_count_lines(void **state)
{
    assert_int_equal(str_count_lines("", 0), 1);
    assert_int_equal(str_count_lines("a", 1), 1);
    assert_int_equal(str_count_lines("a\n", 2), 2);
    assert_int_equal(str_count_lines("aa\nbb\ncc\n", 9), 4);
    assert_int_equal(str_count_lines("aa\nbb\ncc\n", 3), 2);
    assert_int_equal(str_count_lines("\0\n\0", 3), 2);
}

static void test_edit_distance(void **state)
{
    static const struct {
        const char *a, *b;
        size_t want;
    } cases[] = {
        { "", "", 0 },          { "", "abc", 3 },      { "kitten", "sitting", 3 },
        { "abc", "abc", 0 },    { "flaw", "lawn", 2 }, { "über", "uber", 1 },
        { "limit", "lmit", 1 }, { "a\xff", "a", 1 },   { "mian", "main", 1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_int_equal(str_edit_distance(cases[i].a, cases[i].b), cases[i].want);
        assert_int_equal(str_edit_distance(cases[i].b, cases[i].a), cases[i].want);
    }
}

static void test_nearest(void **state)
{
    static const char *const names[] = { "path", "limit", "oldText", "newText", NULL };
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "lmit", "limit" },
        { "limits", "limit" },
        { "old_text", "oldText" },
        { "newtext", "newText" },
        { "Path", "path" },
        { "file_path", NULL },
        { "x", NULL },
        { "", NULL },
        { "path", "path" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *got = str_nearest(cases[i].in, names);
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("'%s': got %s", cases[i].in, got);
    }
    // A name of a megabyte is no typing error, and must not cost a table of its size.
    g_autofree char *huge = g_strnfill(1024 * 1024, 'p');
    assert_null(str_nearest(huge, names));
    const char *const words[] = { "issues", "push", NULL };
    g_autofree char *hint = str_did_you_mean("isues", words);
    g_autofree char *none = str_did_you_mean("schedule", words);
    assert_string_equal(hint, " (did you mean \"issues\"?)");
    assert_string_equal(none, "");
}

static void test_kebab(void **state)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "limit", "limit" },       { "forceWithLease", "force-with-lease" },
        { "old_text", "old-text" }, { "baseURL", "base-url" },
        { "URLPath", "url-path" },  { "page2Size", "page2-size" },
        { "a_B", "a-b" },           { "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = str_to_kebab(cases[i].in);
        assert_string_equal(got, cases[i].want);
    }
}

static void test_shell_quote(void **state)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "plain-1.2_3/x:y,z=@%+", "plain-1.2_3/x:y,z=@%+" },
        { "", "''" },
        { "two words", "'two words'" },
        { "it's", "'it'\\''s'" },
        { "$(x)", "'$(x)'" },
        { "~", "'~'" },
        { "a\nb", "'a\nb'" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = str_shell_quote(cases[i].in);
        assert_string_equal(got, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncate),      cmocka_unit_test(test_parse_int),
        cmocka_unit_test(test_parse_bool),    cmocka_unit_test(test_compare),
        cmocka_unit_test(test_format_bytes),  cmocka_unit_test(test_count_lines),
        cmocka_unit_test(test_edit_distance), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_kebab),         cmocka_unit_test(test_shell_quote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
