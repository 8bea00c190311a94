/*
 * tui/text/width.c: clusters and their cells.
 */
#include "unit.h"

#include "tui/text/width.h"

#include <string.h>

static const struct {
    const char *name, *text;
    int cells;
    bool is_unsure;
} clusters[] = {
    { "a letter", "a", 1, false },
    { "a blank", " ", 1, false },
    { "a control character", "\x01", 0, false },
    { "delete", "\x7f", 0, false },
    { "a letter and its accent", "e\xcc\x81", 1, false },
    { "ideograph", "漢", 2, false },
    { "full width", "Ａ", 2, false },
    { "Hangul syllable", "한", 2, false },
    { "Hangul of three letters, not their sum", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2, false },
    { "emoji", "😀", 2, false },
    { "a heart as text", "\xe2\x9d\xa4", 1, false },
    { "a heart as emoji", "\xe2\x9d\xa4\xef\xb8\x8f", 2, true },
    { "a watch as text", "\xe2\x8c\x9a\xef\xb8\x8e", 2, true },
    { "a letter with the emoji mark", "a\xef\xb8\x8f", 1, false },
    { "flag", "🇩🇪", 2, true },
    { "keycap", "1\xef\xb8\x8f\xe2\x83\xa3", 2, true },
    { "a family", "👨‍👩‍👧", 2, true },
    { "skin tone", "👍🏽", 2, true },
    { "a skin tone alone", "🏽", 2, false },
    { "private use", "\xee\x82\xb0", 1, false },
    { "ambiguous", "…", 1, false },
    { "not assigned", "\xe2\xbf\xa0", 1, true },
    { "a join without an emoji", "न\xe0\xa5\x8d\xe2\x80\x8d", 1, false },
};

static void test_clusters(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(clusters); i++) {
        size_t size = strlen(clusters[i].text);
        int cells;
        size_t got = cluster_size(clusters[i].text, size, &cells);
        if (got != size || cells != clusters[i].cells)
            fail_msg("%s: %zu of %zu bytes, %d cells", clusters[i].name, got, size, cells);
        if (cluster_is_unsure(clusters[i].text, size) != clusters[i].is_unsure)
            fail_msg("%s: unsure or not", clusters[i].name);
        assert_int_equal(text_cells(clusters[i].text, size), cells);
        assert_int_equal(cluster_start(clusters[i].text, size), 0);
    }
    assert_int_equal(cluster_size("", 0, NULL), 0);
    assert_int_equal(text_cells("", 0), 0);
    assert_int_equal(cluster_start("", 0), 0);
}

static void test_pairs(void **state G_GNUC_UNUSED)
{
    // flags begin in pairs from the start of the run
    const char *flags = "🇩🇪🇫🇷🇯";
    assert_int_equal(text_cells(flags, strlen(flags)), 5);
    assert_int_equal(cluster_start(flags, 16), 8);
    assert_int_equal(cluster_start(flags, 20), 16);
    // an emoji behind a join that belongs to none is its own
    assert_int_equal(cluster_size("a\xe2\x80\x8d😀", 8, NULL), 4);
    // the size bounds what is read
    assert_int_equal(cluster_size("e\xcc\x81", 1, NULL), 1);
    assert_int_equal(text_cells("漢漢", 3), 2);
}

/* Walks forwards and backwards meet the same places, in any mixture. */
static void test_backwards(void **state G_GNUC_UNUSED)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(11);
    for (int round = 0; round < 500; round++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int i = 0; i < 30; i++) {
            const char *piece = clusters[g_rand_int_range(rand, 0, G_N_ELEMENTS(clusters))].text;
            const char *end = piece + strlen(piece);
            if (g_rand_boolean(rand)) // halves too
                piece = g_utf8_next_char(piece);
            g_string_append_len(text, piece, end - piece);
        }
        int sum = 0;
        for (size_t i = 0, size; i < text->len; i += size) {
            int cells;
            size = cluster_size(text->str + i, text->len - i, &cells);
            assert_in_range(size, 1, text->len - i);
            assert_int_equal(cluster_start(text->str, i + size), i);
            sum += cells;
        }
        assert_int_equal(text_cells(text->str, text->len), sum);
    }
}

static void test_ambiguous(void **state G_GNUC_UNUSED)
{
    width_set_ambiguous(2);
    assert_int_equal(text_cells("…│é", strlen("…│é")), 5 + (text_cells("é", 2) - 1));
    assert_int_equal(text_cells("e\xcc\x81", 3), 1);
    assert_int_equal(text_cells("漢a", 4), 3);
    width_set_ambiguous(1);
    assert_int_equal(text_cells("…│", strlen("…│")), 2);
    width_set_ambiguous(7); // no such width
    assert_int_equal(text_cells("…", strlen("…")), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_ambiguous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
