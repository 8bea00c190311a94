/*
 * base/ansi.c: every case whole, and split at every position.
 */
#include "unit.h"

#include "base/ansi.h"

#include <string.h>

static const struct {
    const char *name, *in, *want;
} cases[] = {
    { "plain", "a b\tc\nd é €", "a b\tc\nd é €" },
    { "colour", "\x1b[1;31mred\x1b[0m.", "red." },
    { "private and intermediate", "\x1b[?25l\x1b[>0q\x1b[2 qx", "x" },
    { "title to BEL", "\x1b]0;a title\x07x", "x" },
    { "link to ST", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text" },
    { "DCS, APC, PM, SOS", "\x1bPq#0\x1b\\1\x1b_a\x1b\\2\x1b^b\x1b\\3\x1bXc\x1b\\4", "1234" },
    { "two bytes",
      "\x1b"
      "7a\x1b=b\x1b"
      "cc\x1bM",
      "abc" },
    { "character set", "\x1b(Ba\x1b)0b\x1b%Gc", "abc" },
    { "8-bit CSI",
      "\xc2\x9b"
      "31mred",
      "red" },
    { "8-bit OSC to 8-bit ST",
      "\xc2\x9d"
      "0;t\xc2\x9cx",
      "x" },
    { "8-bit DCS to BEL", "\xc2\x90q\x07x", "x" },
    { "other C1",
      "a\xc2\x84\xc2\x85\xc2\x80"
      "b",
      "ab" },
    { "what follows C1 in the table stays", "\xc2\xa0\xc2\xbf", "\xc2\xa0\xc2\xbf" },
    { "CR, BS, BEL, DEL, NUL-like",
      "a\rb\bc\x07"
      "d\x7f"
      "e\x01",
      "abcde" },
    { "CRLF", "a\r\nb", "a\nb" },
    { "a line end breaks CSI off", "\x1b[12\nx", "\nx" },
    { "so does another character", "\x1b[12éx", "éx" },
    { "and another sequence", "\x1b[1\x1b[2mx", "x" },
    { "ESC before a character", "\x1béx", "éx" },
    { "ESC ESC", "\x1b\x1b[1mx", "x" },
    { "a sequence breaks a string off", "\x1b]0;t\x1b[1mx", "x" },
    { "CAN breaks a string off", "\x1b]0;t\x18x", "x" },
    { "lines inside a string", "\x1b]1337;File=:\nAAAA\n\x07x", "x" },
    { "tmux passthrough", "\x1bPtmux;\x1b\x1b]52;c;QQ==\x07\x1b\\x", "x" },
    { "undecided at the end", "x\x1b[1;3", "x" },
    { "open string at the end", "x\x1b]0;t", "x" },
    { "lone ESC at the end", "x\x1b", "x" },
    { "emoji whose bytes hold C1 codes", "\xf0\x9f\x98\x9b\xe2\x82\x9c",
      "\xf0\x9f\x98\x9b\xe2\x82\x9c" },
    { "C2 inside a string", "\x1b]0;\xc2\xa9\x07\xc2\xa9", "\xc2\xa9" },
};

static void test_whole(void **state)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = ansi_strip(cases[i].in);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got '%s'", cases[i].name, got);
    }
}

static void test_split_everywhere(void **state)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t size = strlen(cases[i].in);
        for (size_t first = 0; first <= size; first++) {
            for (size_t second = first; second <= size; second++) {
                g_autoptr(AnsiFilter) filter = ansi_filter_new();
                g_autoptr(GString) out = g_string_new(NULL);
                ansi_filter_push(filter, cases[i].in, first, out);
                ansi_filter_push(filter, cases[i].in + first, second - first, out);
                ansi_filter_push(filter, cases[i].in + second, size - second, out);
                ansi_filter_finish(filter, out);
                if (strcmp(out->str, cases[i].want) != 0)
                    fail_msg("%s at %zu, %zu: got '%s'", cases[i].name, first, second, out->str);
            }
        }
    }
}

// Random mixtures: valid text, no control left, and the same for any chunk size.
static void test_random(void **state)
{
    static const char *const pieces[] = { "\x1b",     "[",        "]",    "P",  "\x07",
                                          "\\",       "1;2",      "m",    "é",  "\xc2\x9b",
                                          "\xc2\x9c", "\xc2\x9d", "\n",   " ",  "(",
                                          "\r",       "€",        "\x18", "abc" };
    g_autoptr(GRand) random = g_rand_new_with_seed(20);
    for (int round = 0; round < 2000; round++) {
        g_autoptr(GString) in = g_string_new(NULL);
        int count = g_rand_int_range(random, 0, 30);
        for (int i = 0; i < count; i++)
            g_string_append(in, pieces[g_rand_int_range(random, 0, G_N_ELEMENTS(pieces))]);
        g_autofree char *want = ansi_strip(in->str);
        assert_true(g_utf8_validate(want, -1, NULL));
        for (const char *p = want; *p != '\0'; p = g_utf8_next_char(p)) {
            gunichar c = g_utf8_get_char(p);
            assert_true(c == '\t' || c == '\n' || !g_unichar_iscntrl(c));
        }
        for (size_t chunk = 1; chunk <= 3; chunk++) {
            g_autoptr(AnsiFilter) filter = ansi_filter_new();
            g_autoptr(GString) out = g_string_new(NULL);
            for (size_t at = 0; at < in->len; at += chunk)
                ansi_filter_push(filter, in->str + at, MIN(chunk, in->len - at), out);
            ansi_filter_finish(filter, out);
            assert_string_equal(out->str, want);
        }
    }
}

// A sequence of up to 4 KiB is removed; one that goes on is text, and nothing after it is lost.
static void test_undecided_limit(void **state)
{
    g_autofree char *payload = g_strnfill(4000, 'x');
    g_autofree char *ended = g_strconcat("a\x1b]0;", payload,
                                         "\x07"
                                         "b",
                                         NULL);
    g_autofree char *got = ansi_strip(ended);
    assert_string_equal(got, "ab");

    g_autofree char *more = g_strnfill(6000, 'y');
    g_autofree char *open = g_strconcat("a\x1b]", more, "\nnext\x1b[1m line\n", NULL);
    g_autofree char *want = g_strconcat("a", more, "\nnext line\n", NULL);
    g_autofree char *shown = ansi_strip(open);
    assert_string_equal(shown, want);
}

static void test_reuse_after_finish(void **state)
{
    g_autoptr(AnsiFilter) filter = ansi_filter_new();
    g_autoptr(GString) out = g_string_new(NULL);
    ansi_filter_push(filter, "a\x1b]0;", 5, out);
    ansi_filter_finish(filter, out);
    ansi_filter_push(filter, "b", 1, out);
    assert_string_equal(out->str, "ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_split_everywhere),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_undecided_limit),
        cmocka_unit_test(test_reuse_after_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
