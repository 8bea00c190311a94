/*
 * base/utf8.c: bytes into text, cuts on boundaries, the trim set, the streaming decoder.
 */
#include "unit.h"

#include "base/utf8.h"

#include <string.h>

#define FFFD "\xef\xbf\xbd"

static const struct {
    const char *name;
    const char *in;
    size_t size;
    const char *want;
} bytes[] = {
    { "empty", "", 0, "" },
    { "valid", "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10,
      "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
    { "NUL", "a\0b", 3, "a" FFFD "b" },
    { "lone continuation", "a\x80z", 3, "a" FFFD "z" },
    { "two of them", "\x80\x80", 2, FFFD FFFD },
    { "cut at the end: one, not one a byte", "a\xf0\x9f\x98", 4, "a" FFFD },
    { "cut by another character", "\xe2\x82z", 3, FFFD "z" },
    { "cut by another lead", "\xe2\x82\xc3\xa9", 4, FFFD "\xc3\xa9" },
    { "overlong", "\xc0\xaf", 2, FFFD FFFD },
    { "overlong of three", "\xe0\x80\xaf", 3, FFFD FFFD FFFD },
    { "surrogate", "\xed\xa0\x80", 3, FFFD FFFD FFFD },
    { "beyond U+10FFFF", "\xf4\x90\x80\x80", 4, FFFD FFFD FFFD FFFD },
    { "never a lead", "\xff\xfe", 2, FFFD FFFD },
    { "last code point", "\xf4\x8f\xbf\xbf", 4, "\xf4\x8f\xbf\xbf" },
    { "a BOM is kept",
      "\xef\xbb\xbf"
      "x",
      4,
      "\xef\xbb\xbf"
      "x" },
};

static void test_from_bytes(void **state)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++) {
        g_autofree char *got = utf8_from_bytes(bytes[i].in, bytes[i].size);
        if (strcmp(got, bytes[i].want) != 0)
            fail_msg("%s: got '%s'", bytes[i].name, got);
        assert_true(g_utf8_validate(got, -1, NULL));
    }
}

static void test_bom_size(void **state)
{
    assert_int_equal(utf8_bom_size(UTF8_BOM "a", 4), 3);
    assert_int_equal(utf8_bom_size(UTF8_BOM, 3), 3);
    assert_int_equal(utf8_bom_size(UTF8_BOM, 2), 0); // what is behind is not the text's
    assert_int_equal(utf8_bom_size("a" UTF8_BOM, 4), 0);
    assert_int_equal(utf8_bom_size("", 0), 0);
}

// Whatever stands before, and however that is cut into words.
static void test_from_bytes_behind_ascii(void **state)
{
    const char *before = "0123456789 abcdefghijkl";
    for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++) {
        for (size_t size = 0; size <= strlen(before); size++) {
            g_autoptr(GString) in = g_string_new_len(before, (gssize)size);
            g_string_append_len(in, bytes[i].in, (gssize)bytes[i].size);
            g_autofree char *want = g_strdup_printf("%.*s%s", (int)size, before, bytes[i].want);
            g_autofree char *exact = g_memdup2(in->str, in->len);
            g_autofree char *got = utf8_from_bytes(exact, in->len);
            if (strcmp(got, want) != 0)
                fail_msg("%s behind %zu: got '%s'", bytes[i].name, size, got);
        }
    }
}

// However a text is split, the decoder gives what the whole gives.
static void test_decoder_splits(void **state)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++) {
        size_t size = bytes[i].size;
        for (size_t first = 0; first <= size; first++) {
            for (size_t second = first; second <= size; second++) {
                g_autoptr(GString) out = g_string_new(NULL);
                Utf8Decoder decoder = { 0 };
                utf8_decoder_push(&decoder, bytes[i].in, first, out);
                utf8_decoder_push(&decoder, bytes[i].in + first, second - first, out);
                utf8_decoder_push(&decoder, bytes[i].in + second, size - second, out);
                utf8_decoder_finish(&decoder, out);
                if (strcmp(out->str, bytes[i].want) != 0)
                    fail_msg("%s at %zu, %zu: got '%s'", bytes[i].name, first, second, out->str);
            }
        }
    }
}

static void test_decoder_waits(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);
    Utf8Decoder decoder = { 0 };
    utf8_decoder_push(&decoder, "a\xe2\x82", 3, out);
    assert_string_equal(out->str, "a");
    utf8_decoder_push(&decoder, "\xac", 1, out);
    assert_string_equal(out->str, "a\xe2\x82\xac");
    utf8_decoder_finish(&decoder, out);
    assert_string_equal(out->str, "a\xe2\x82\xac");
}

static void test_boundaries(void **state)
{
    const char *text = "a\xe2\x82\xac"
                       "b"; // a at 0, € at 1, b at 4
    static const size_t before[] = { 0, 1, 1, 1, 4, 5, 5 };
    static const size_t after[] = { 0, 1, 4, 4, 4, 5, 5 };
    for (size_t n = 0; n < G_N_ELEMENTS(before); n++) {
        assert_int_equal(utf8_boundary_before(text, 5, n), before[n]);
        assert_int_equal(utf8_boundary_after(text, 5, n), after[n]);
    }
}

static void test_length_and_ellipsize(void **state)
{
    assert_int_equal(utf8_length("a\xc3\xa9\xf0\x9f\x98\x80"), 3);
    static const struct {
        const char *in;
        size_t max;
        const char *want;
    } cases[] = {
        { "abc", 3, "abc" },
        { "abc", 2, "ab…" },
        { "\xc3\xa9\xc3\xa9\xc3\xa9", 2, "\xc3\xa9\xc3\xa9…" },
        { "abc", 0, "…" },
        { "", 0, "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = utf8_ellipsize(cases[i].in, cases[i].max);
        assert_string_equal(got, cases[i].want);
    }
}

static void test_trim(void **state)
{
    static const gunichar blanks[] = { 0x09,   0x0a,   0x0b,   0x0c,   0x0d,   0x20,
                                       0xa0,   0x1680, 0x2000, 0x200a, 0x2028, 0x2029,
                                       0x202f, 0x205f, 0x3000, 0xfeff };
    static const gunichar others[] = { 0x08, 0x0e, 0x85, 0x180e, 0x200b, 0x2060, 0x00a1 };
    for (size_t i = 0; i < G_N_ELEMENTS(blanks); i++) {
        char blank[7] = { 0 };
        g_unichar_to_utf8(blanks[i], blank);
        g_autofree char *text = g_strconcat(blank, "a", blank, "b", blank, NULL);
        g_autofree char *both = g_strconcat("a", blank, "b", NULL);
        g_autofree char *end = g_strconcat(blank, both, NULL);
        g_autofree char *got_both = utf8_trim(text);
        g_autofree char *got_end = utf8_trim_end(text);
        assert_string_equal(got_both, both);
        assert_string_equal(got_end, end);
        assert_true(utf8_is_blank(blank));
    }
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        char other[7] = { 0 };
        g_unichar_to_utf8(others[i], other);
        g_autofree char *got = utf8_trim(other);
        assert_string_equal(got, other);
        assert_false(utf8_is_blank(other));
    }
    g_autofree char *nothing = utf8_trim(" \t\xef\xbb\xbf\n");
    assert_string_equal(nothing, "");
    assert_true(utf8_is_blank(NULL));
    assert_true(utf8_is_blank(""));
}

static void test_without_fence(void **state G_GNUC_UNUSED)
{
    static const char *const cases[][2] = {
        { "a", "a" },
        { " {} \n", "{}" },
        { "```json\n{}\n```", "{}" },
        { "```\n{}\n```\n", "{}" },
        { "```json\n{}```", "{}" },
        { "```\n```", "" },
        { "```json\n{}", "```json\n{}" },
        { "```json {} ```", "```json {} ```" },
        { "````\na\n````", "````\na\n````" },
        { "```\na\n``` b", "```\na\n``` b" },
        { "```", "```" },
        { "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = utf8_without_fence(cases[i][0]);
        assert_string_equal(got, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_bytes),
        cmocka_unit_test(test_from_bytes_behind_ascii),
        cmocka_unit_test(test_bom_size),
        cmocka_unit_test(test_decoder_splits),
        cmocka_unit_test(test_decoder_waits),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_without_fence),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_length_and_ellipsize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
