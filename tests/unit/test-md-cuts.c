/*
 * Markdown that streams (tui §5.4): wherever the text is cut, the rows are those of the whole; none
 * is wider than asked; hostile text costs what its size does.
 */
#include "unit.h"

#include "tui/text/md_stream.h"
#include "tui/text/width.h"

#include <string.h>

static const char *const corpus[] = {
    "# Title\n\nSome **bold** and *it* text with `code`, a [link](https://x.y/z \"t\") and\n"
    "more ~~old~~ words that wrap <https://a.b> www.c.d.\n\n- one\n- two **x\n  y**\n  - three\n"
    "\n1. a\n2. [ ] b\n\n> quote\n> > deeper\nlazy\n\nUnder\n---\n",
    "```c\nint main(void)\n{\n\treturn 0; /* a\n b */\n}\n```\n    indented\n\n    more\nText\n",
    "| a | b |\n|---|:-:|\n| 1 | **2** |\n| long cell with words | x<br>y |\n\nafter\n",
    "```markdown\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| c |\n| - |\n| d |\ntext | bar\n```\n"
    "~~~\nopen | fence",
    "wide \xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92"
    "\xbb e\xcc\x81 **\xe6\xbc\xa2** \xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\n",
    "a * b _ c ` d ~ e [ f < g ! h ![ i ](j **k\nl _m_ n\\\no  \np &amp; q &#x1f; \\",
    "[r]: <https://x.y> 'z'\n\n[r] [s][r] ![t][r]\n\n[r]\n===\n\n***\n+ + - 1) x\n\n      y\n",
    "word word word word word word word word word word word word word word word word word word "
    "word word word word word word word word **word word word word word word word word word word "
    "word word word word word word word** word `word word` [word](https://word.word/word) word.\n",
};

static GPtrArray *rows_of_whole(const char *text, int width)
{
    const MdSpec spec = { .width = width };
    GPtrArray *rows = rows_new();
    md_rows(text, &spec, rows);
    return rows;
}

static void check_same(const GPtrArray *want, const GPtrArray *got, const char *what, size_t cut)
{
    for (unsigned i = 0; i < MIN(want->len, got->len); i++)
        if (!row_equal(want->pdata[i], got->pdata[i]))
            fail_msg("%s, cut at %zu: row %u is '%s', not '%s'", what, cut, i,
                     ((Row *)got->pdata[i])->text, ((Row *)want->pdata[i])->text);
    if (want->len != got->len)
        fail_msg("%s, cut at %zu: %u rows, not %u", what, cut, got->len, want->len);
}

static void check_cut(const char *text, size_t cut, int width, const GPtrArray *want)
{
    const MdSpec spec = { .width = width };
    g_autoptr(MdStream) stream = md_stream_new(&spec);
    g_autoptr(GPtrArray) rows = rows_new();
    g_autoptr(GPtrArray) open = rows_new();
    md_stream_push(stream, text, cut);
    md_stream_take_settled(stream, rows);
    md_stream_open_rows(stream, open); // which leaves no trace
    md_stream_push(stream, text + cut, strlen(text) - cut);
    md_stream_finish(stream);
    md_stream_take_settled(stream, rows);
    check_same(want, rows, text, cut);
    g_ptr_array_set_size(open, 0);
    md_stream_open_rows(stream, open);
    assert_int_equal(open->len, 0);
}

static void test_every_cut(void **state G_GNUC_UNUSED)
{
    static const int widths[] = { 1, 2, 7, 20, 80 };
    for (size_t i = 0; i < G_N_ELEMENTS(corpus); i++)
        for (size_t w = 0; w < G_N_ELEMENTS(widths); w++) {
            g_autoptr(GPtrArray) want = rows_of_whole(corpus[i], widths[w]);
            for (size_t cut = 0; cut <= strlen(corpus[i]); cut++)
                check_cut(corpus[i], cut, widths[w], want);
        }
}

static void check_width(const GPtrArray *rows, int width, const char *what)
{
    for (unsigned i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        if (row->cells > width || text_cells(row->text, row->size) != row->cells ||
            !g_utf8_validate(row->text, (gssize)row->size, NULL) || strchr(row->text, '\n'))
            fail_msg("%s at width %d: '%s'", what, width, row->text);
    }
}

/* Byte by byte, looking at what is settled and what is open after each. */
static void check_bytes(const char *text, int width)
{
    const MdSpec spec = { .width = width };
    g_autoptr(GPtrArray) want = rows_of_whole(text, width);
    check_width(want, width, text);
    g_autoptr(MdStream) stream = md_stream_new(&spec);
    g_autoptr(GPtrArray) rows = rows_new();
    for (size_t i = 0; text[i]; i++) {
        g_autoptr(GPtrArray) open = rows_new();
        md_stream_push(stream, text + i, 1);
        md_stream_take_settled(stream, rows);
        md_stream_open_rows(stream, open);
        check_width(open, width, text);
    }
    md_stream_finish(stream);
    md_stream_take_settled(stream, rows);
    check_same(want, rows, text, 1);
}

static void test_all_widths(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(corpus); i++)
        for (int width = 1; width <= 200; width += width < 24 ? 1 : 22)
            check_bytes(corpus[i], width);
    for (size_t i = 0; i < G_N_ELEMENTS(corpus); i++)
        for (int width = 1; width <= 200; width++) {
            g_autoptr(GPtrArray) rows = rows_of_whole(corpus[i], width);
            check_width(rows, width, corpus[i]);
        }
}

static void test_random_texts(void **state G_GNUC_UNUSED)
{
    static const char *const parts[] = {
        "*",
        "**",
        "_",
        "`",
        "```",
        "~~~",
        "\n",
        "\n\n",
        " ",
        "  ",
        "- ",
        "1.",
        "> ",
        "#",
        "|",
        "|-|-|",
        "[a]",
        "](",
        ")",
        "<",
        "!",
        "a",
        "word",
        "\xc3\xa9",
        "\\",
        "---",
        "    ",
        "x|y",
        "===",
        "[a]: b",
        "&#9;",
        "~",
        "long words that wrap and wrap",
        "https://x.y",
        "\xe6\xbc\xa2",
        "| a | b |",
    };
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    for (int n = 0; n < rounds_of(1500); n++) {
        g_autoptr(GString) text = g_string_new(NULL);
        int count = g_rand_int_range(random, 1, 40);
        for (int i = 0; i < count; i++)
            g_string_append(text, parts[g_rand_int_range(random, 0, G_N_ELEMENTS(parts))]);
        int width = g_rand_int_range(random, 1, 40);
        g_autoptr(GPtrArray) want = rows_of_whole(text->str, width);
        check_width(want, width, text->str);
        for (int i = 0; i < 4; i++)
            check_cut(text->str, (size_t)g_rand_int_range(random, 0, (int)text->len + 1), width,
                      want);
    }
}

// ---- what it costs ----

#define BIG        ((size_t)1024 * 1024)
#define LARGE      ((size_t)128 * 1024)
#define MOST_LOOKS 16 // at a byte

static void test_hostile_texts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *begin, *repeat, *end;
        size_t size; // 0: LARGE
    } cases[] = {
        { "no line end", "", "word ", "", BIG },
        { "no blank", "", "x", "", BIG },
        { "quotes in one another", "", ">", "a" },
        { "lines of quotes", "", "> > > > > > > > > > > > > > > > > > > > a\n", "" },
        { "lists in one another", "", "- ", "a" },
        { "lines of lists", "", "- 1. + - 1. + - 1. + - 1. + - 1. + a\n", "" },
        { "brackets", "", "[", "" },
        { "brackets with blanks", "", "[ ", "" },
        { "closed brackets", "", "[a]", "" },
        { "addresses that do not end", "", "[a](b", "" },
        { "titles that do not end", "", "[a](b \"c ", "" },
        { "pictures", "", "![", "" },
        { "openers", "", "*a **b _c ~~d ", "" },
        { "openers at once", "", "*a_", "" },
        { "runs of marks", "", "a***", "" },
        { "marks", "", "*", "" },
        { "code that does not end", "", "`a ``b ```c ````d ", "" },
        { "code marks", "", "`", "x" },
        { "angles", "", "<a", "" },
        { "angles with blanks", "", "<a ", "" },
        { "entities", "", "&amp;", "" },
        { "escapes", "", "\\", "" },
        { "definitions", "", "[a]: b\n", "[a] [a] [a]" },
        { "table of columns", "", "|a", "|\n|-" },
        { "table of rows", "|a|b|\n|-|-|\n", "|1|2|\n", "" },
        { "code in one line", "```c\n", "int x; ", "" },
        { "code of lines", "```js\n", "/* x\n", "" },
        { "blank lines", "", "\n", "" },
        { "dashes", "", "-", "" },
        { "heading", "# ", "a ", "" },
        { "openers before marks over letters", "", "*a\xcc\x81\xcc\x81\xcc\x81\xcc\x81 ", "" },
        { "an opener before many marks", "x\n*", "\xcc\x81 ", "" },
        { "marks over letters", "*", "\xcc\x81", "" },
        { "addresses", "", "www.a.b ", "" },
        { "strikes", "", "~~a~", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (int width = 20; width <= 200; width += 180) {
            g_autoptr(GString) text = g_string_new(cases[i].begin);
            size_t size = cases[i].size ? cases[i].size : LARGE;
            while (text->len < (size_t)rounds_of((int)size))
                g_string_append(text, cases[i].repeat);
            g_string_append(text, cases[i].end);
            const MdSpec spec = { .width = width };
            g_autoptr(MdStream) stream = md_stream_new(&spec);
            gint64 start = g_get_monotonic_time();
            md_stream_push(stream, text->str, text->len);
            md_stream_finish(stream);
            if (g_getenv("MD_TIMES"))
                print_message("%s, %d: %.2f s, %.1f looks at a byte\n", cases[i].name, width,
                              (double)(g_get_monotonic_time() - start) / 1e6,
                              (double)md_stream_parsed_bytes(stream) / (double)text->len);
            if (md_stream_parsed_bytes(stream) > MOST_LOOKS * text->len)
                fail_msg("%s: %zu bytes were looked at for %zu", cases[i].name,
                         md_stream_parsed_bytes(stream), text->len);
            g_autoptr(GPtrArray) rows = rows_new();
            md_stream_take_settled(stream, rows);
            check_width(rows, width, cases[i].name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_all_widths),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_hostile_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
