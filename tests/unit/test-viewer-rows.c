/*
 * What the viewer shows as rows: calls beside their results, what is kept, places that are found
 * again, and looking for a text.
 */
#include "long_text.h"
#include "viewer_fixture.h"

#include <string.h>

#include "tui/view/viewer_search.h"

static const BlockSpec wide = { .width = 80, .tab_width = 4, .is_expanded = true };

static char *item_text(ViewerRows *rows, guint item)
{
    g_autoptr(GPtrArray) all = rows_new();
    GString *text = g_string_new(NULL);
    viewer_rows_lay_out(rows, item, all);
    for (guint i = 0; i < all->len; i++)
        g_string_append_printf(text, "%s\n", ((Row *)g_ptr_array_index(all, i))->text);
    return g_string_free(text, FALSE);
}

/* The items that show the text, as "0 2 ". */
static char *items_with(ViewerRows *rows, const char *text)
{
    GString *found = g_string_new(NULL);
    for (guint i = 0; i < viewer_rows_item_count(rows); i++) {
        g_autofree char *item = item_text(rows, i);
        if (strstr(item, text))
            g_string_append_printf(found, "%u ", i);
    }
    return g_string_free(found, FALSE);
}

static void assert_items_with(ViewerRows *rows, const char *text, const char *want)
{
    g_autofree char *got = items_with(rows, text);
    if (strcmp(got, want) != 0)
        fail_msg("'%s' is in '%s', not in '%s'", text, got, want);
}

/* A result stands beside its call, wherever it came; ids are used again; one without its call is
   shown all the same. */
static void test_pairs(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = json_array();
    add_user(messages, "prompt-text");
    json_append_take(messages,
                     json_loads("{\"role\":\"assistant\",\"stopReason\":\"toolUse\",\"content\":["
                                "{\"type\":\"toolCall\",\"id\":\"a\",\"name\":\"bash\","
                                "\"arguments\":{\"command\":\"first-call\"}},"
                                "{\"type\":\"toolCall\",\"id\":\"b\",\"name\":\"bash\","
                                "\"arguments\":{\"command\":\"second-call\"}}]}",
                                0, NULL));
    add_result(messages, "b", "second-result");
    add_result(messages, "a", "first-result");
    add_call(messages, "a", "third-call");
    add_result(messages, "a", "third-result");
    add_result(messages, "z", "lone-result");
    add_call(messages, "c", "unanswered-call");
    g_autoptr(ViewerRows) rows = viewer_rows_new(messages, &wide);
    /* 0 prompt, 1 answer without text, 2 and 3 its calls, 4, 5, 6 the lone one, 7, 8 */
    assert_int_equal(viewer_rows_item_count(rows), 9);
    assert_items_with(rows, "prompt-text", "0 ");
    assert_items_with(rows, "first-call", "2 ");
    assert_items_with(rows, "first-result", "2 ");
    assert_items_with(rows, "second-result", "3 ");
    assert_items_with(rows, "third-result", "5 ");
    assert_items_with(rows, "lone-result", "6 ");
    assert_items_with(rows, "unanswered-call", "8 ");
    assert_int_equal(viewer_rows_count(rows, 1), 0);
    assert_int_equal(viewer_rows_message(rows, 6), 7);
}

/* What is no message of ours is no reason to fall over. */
static void test_odd_messages(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = json_loads(
        "[{}, 1, null, [], {\"role\":\"assistant\"}, {\"role\":\"assistant\",\"content\":\"text\"},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\"}, 3, null]},"
        "{\"role\":\"toolResult\"}, {\"role\":\"toolResult\",\"toolCallId\":\"x\",\"content\":5},"
        "{\"role\":\"user\",\"content\":{}}, {\"role\":\"nobody\",\"content\":\"x\"}]",
        0, NULL);
    g_autoptr(ViewerRows) rows = viewer_rows_new(messages, &wide);
    for (guint i = 0; i < viewer_rows_item_count(rows); i++) {
        size_t bytes = 0;
        viewer_rows_count(rows, i);
        viewer_rows_may_have(rows, i, "word", &bytes);
    }
}

static char *long_text(int lines)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < lines; i++)
        g_string_append_printf(text, "line %05d of a long output, with some more words in it\n", i);
    return g_string_free(text, FALSE);
}

/* A place in the middle of an item that is larger than what is kept, and one among many. */
static void test_kept_rows(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(3000);
    const guint lines = OF_LONG_TEXT(8000);
    g_autofree char *text = long_text(lines);
    add_call(messages, "a", "make");
    add_result(messages, "a", text);
    g_autoptr(ViewerRows) rows = viewer_rows_new(messages, &wide);
    guint last = viewer_rows_item_count(rows) - 1;
    size_t most = 0;
    for (guint item = 0; item < last; item++) {
        for (guint row = 0; row < viewer_rows_count(rows, item); row++)
            assert_non_null(viewer_rows_get(rows, (ViewerPlace) { item, row }));
        most = MAX(most, viewer_rows_kept_bytes(rows));
        assert_in_range(viewer_rows_kept_bytes(rows), 1, LIMIT_VIEWER_ROWS_BYTES);
    }
    assert_true(most > LIMIT_VIEWER_ROWS_BYTES / 2); // more would have come

    guint count = viewer_rows_count(rows, last);
    assert_true(count > lines);
    g_autoptr(GPtrArray) all = rows_new();
    viewer_rows_lay_out(rows, last, all);
    for (guint row = 0; row < count; row += 97) {
        const Row *got = viewer_rows_get(rows, (ViewerPlace) { last, count - 1 - row });
        assert_true(row_equal(got, g_ptr_array_index(all, count - 1 - row)));
        assert_in_range(viewer_rows_kept_bytes(rows), 1, LIMIT_VIEWER_ROWS_BYTES);
    }
}

// ---- looking for a text ----

static SearchResult find(ViewerRows *rows, const char *query, ViewerPlace from, bool is_backward,
                         ViewerPlace *ret_place)
{
    ViewerSearch search = { 0 };
    viewer_search_set(&search, query, from);
    SearchResult result = SEARCH_GOES_ON;
    for (int i = 0; i < 1000 && result == SEARCH_GOES_ON; i++)
        result = viewer_search_step(&search, rows, is_backward);
    *ret_place = search.at;
    viewer_search_clear(&search);
    return result;
}

static void test_search(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = json_array();
    add_user(messages, "zero Apple");
    add_answer(messages, "one pear");
    add_user(messages, "two apple and Gr\xc3\x9c\xc3\x9f\x65 with many words so that the row is "
                       "full and the next one begins with pineapple");
    add_call(messages, "a", "pick cherries");
    add_result(messages, "a", "three   plums\nin two lines");
    static const struct {
        const char *query;
        guint from;
        bool is_backward;
        int want; // item; -1: none
    } cases[] = {
        { "apple", 1, false, 2 },
        { "APPLE", 1, true, 0 },
        { "pear", 2, false, 1 },
        { "pear", 1, false, 1 },
        { "nothing of it", 0, false, -1 },
        { "  ", 0, false, -1 },
        { "gr\xc3\xbc\xc3\x9f\x65", 0, false, 2 },
        { "pick cherries", 0, false, 4 },
        { "three plums", 0, true, 4 },
        { "begins  with pineapple", 0, false, 2 },
        { "n", 3, false, 4 },
    };
    g_autoptr(ViewerRows) rows = viewer_rows_new(messages, &wide);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ViewerPlace from = { cases[i].from, cases[i].is_backward ? 0 : 1000 }, place;
        int result = (int)find(rows, cases[i].query, from, cases[i].is_backward, &place);
        if (result != (cases[i].want < 0 ? SEARCH_NOTHING : SEARCH_FOUND))
            fail_msg("'%s': result %d", cases[i].query, result);
        if (cases[i].want >= 0 && (int)place.item != cases[i].want)
            fail_msg("'%s' is in %u", cases[i].query, place.item);
    }
}

/* Every row with the word, in order, around the end and back. */
static void test_search_all(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(50);
    g_autoptr(ViewerRows) rows = viewer_rows_new(messages, &wide);
    for (int is_backward = 0; is_backward < 2; is_backward++) {
        ViewerSearch search = { 0 };
        viewer_search_set(&search, "w3", (ViewerPlace) { 20, 0 });
        guint first = 0;
        for (guint i = 0; i < 100; i++) {
            guint before = search.at.item;
            assert_int_equal(viewer_search_step(&search, rows, is_backward), SEARCH_FOUND);
            guint moved = is_backward ? before + 50 - search.at.item : search.at.item + 50 - before;
            assert_in_range(moved % 50, 0, 1);
            first = i == 0 ? search.at.item : first;
        }
        assert_in_range(first, 19, 21);
        viewer_search_clear(&search);
    }
}

/* A step looks through its part and no more; the next one goes on. */
static void test_search_in_parts(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = json_array();
    g_autofree char *text = long_text(2000);
    for (int i = 0; i < 60; i++)
        add_answer(messages, text);
    add_user(messages, "the needle that is looked for");
    g_autoptr(ViewerRows) rows = viewer_rows_new(messages, &wide);
    ViewerSearch search = { 0 };
    viewer_search_set(&search, "of ne ed", (ViewerPlace) { 0 }); // nothing tells it beforehand
    guint steps = 1;
    while (viewer_search_step(&search, rows, false) == SEARCH_GOES_ON)
        steps++;
    assert_in_range(steps, 2, 30);
    viewer_search_set(&search, "of ne edges",
                      (ViewerPlace) { 0 }); // what had less of it has no more
    assert_int_equal(viewer_search_step(&search, rows, false), SEARCH_NOTHING);
    viewer_search_set(&search, "the ne", (ViewerPlace) { 0 });
    assert_true(viewer_search_step(&search, rows, true) == SEARCH_FOUND && search.at.item == 60);
    viewer_search_clear(&search);

    viewer_search_set(&search, "needle", (ViewerPlace) { 0 }); // a word that few have
    assert_int_equal(viewer_search_step(&search, rows, false), SEARCH_FOUND);
    assert_int_equal(search.at.item, 60);
    viewer_search_clear(&search);
}

static void test_marks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *query, *text, *want; // reversed in < >
    } cases[] = {
        { "an", "banana", "b<an><an>a" },
        { "\xc3\xa9t", "\xc3\x89T\xc3\xa9 \xc3\xa9t\xc3\xa9",
          "<\xc3\x89T>\xc3\xa9 <\xc3\xa9t>\xc3\xa9" },
        { "a b", "a   b, a b", "<a   b>, <a b>" },
        { "x", "none", "none" },
        { "end", "the end", "the <end>" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ViewerSearch search = { 0 };
        viewer_search_set(&search, cases[i].query, (ViewerPlace) { 0 });
        g_autoptr(Row) row = row_of(cases[i].text, (Style) { 0 });
        g_autoptr(Row) marked = viewer_search_mark(&search, row);
        g_autoptr(GString) got = g_string_new(NULL);
        size_t offset = 0;
        for (uint32_t k = 0; k < marked->run_count; k++) {
            bool is_found = marked->runs[k].style.attributes & STYLE_REVERSE;
            g_autofree char *part = g_strndup(marked->text + offset, marked->runs[k].size);
            g_string_append_printf(got, is_found ? "<%s>" : "%s", part);
            offset += marked->runs[k].size;
        }
        g_autofree char *joined = g_strdup(cases[i].want); // neighbours are one run
        char *seam = strstr(joined, "><");
        if (seam)
            memmove(seam, seam + 2, strlen(seam + 2) + 1);
        assert_string_equal(got->str, joined);
        viewer_search_clear(&search);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),      cmocka_unit_test(test_odd_messages),
        cmocka_unit_test(test_kept_rows),  cmocka_unit_test(test_search),
        cmocka_unit_test(test_search_all), cmocka_unit_test(test_search_in_parts),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
