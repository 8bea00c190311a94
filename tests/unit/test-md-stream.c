/*
 * Markdown as rows (tui/text/md_stream.h): what each block looks like, that no cut of the text
 * changes a row, and what hostile text costs.
 */
#include "unit.h"

#include "tui/text/md_stream.h"
#include "tui/text/md_table.h"

#include <string.h>

static MdSpec spec_of(int width)
{
    return (MdSpec) { .width = width };
}

static char *text_of(const GPtrArray *rows)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < rows->len; i++)
        g_string_append_printf(text, "%s\n", ((const Row *)rows->pdata[i])->text);
    return g_string_free(text, FALSE);
}

static GPtrArray *rows_of(const char *text, const MdSpec *spec)
{
    GPtrArray *rows = rows_new();
    md_rows(text, spec, rows);
    return rows;
}

typedef struct Case {
    const char *name, *markdown, *want;
    int width; // 0: 40
} Case;

static void check_cases(const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const MdSpec spec = spec_of(cases[i].width ? cases[i].width : 40);
        g_autoptr(GPtrArray) rows = rows_of(cases[i].markdown, &spec);
        g_autofree char *got = text_of(rows);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s:\n got '%s'\nwant '%s'", cases[i].name, got, cases[i].want);
    }
}

static void test_blocks(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "nothing", "", "" },
        { "blank lines", "\n\n  \n", "" },
        { "lines of a paragraph are one", "one\ntwo\n", "one two\n" },
        { "paragraphs", "one\n\n\n\ntwo", "one\n\ntwo\n" },
        { "wrapped", "aaa bbb ccc ddd", "aaa bbb\nccc ddd\n", 8 },
        { "hard breaks", "one  \ntwo\\\nthree", "one\ntwo\nthree\n" },
        { "headings", "# One #\nTwo\n---\n\n###### Six", "One\n\nTwo\n\nSix\n" },
        { "no headings", "#one\n\n####### seven", "#one\n\n####### seven\n" },
        { "underlined by =", "One\n===\ntwo", "One\n\ntwo\n" },
        { "only a lone line is underlined", "one\ntwo\n---\n", "one two\n\n──────────\n", 10 },
        { "rule", "a\n\n***\n\nb", "a\n\n────\n\nb\n", 4 },
        { "quote", "> a\n> b\nc\n\nd", "│ a b c\n\nd\n" },
        { "nested quotes", "> a\n>> b\n>\n> c", "│ a\n│\n│ │ b\n│\n│ c\n" },
        { "quote is wrapped behind its bar", "> aaa bbb", "│ aaa\n│ bbb\n", 6 },
        { "HTML is text", "<div>\n<b>x</b>\n</div>", "<div>\n<b>x</b>\n</div>\n" },
        { "control characters are blanks", "a\x1b[2Jb\x07", "a [2Jb\n" },
        { "entities", "&lt;b&gt; &amp; &copy; &#65; &#x1b; &unknown;",
          "<b> & © A \xef\xbf\xbd &unknown;\n" },
        { "entities that hide or turn", "a&#x202e;b&#8203;c&#0;&#x110000;d&#10;e",
          "a\xef\xbf\xbd"
          "b\xef\xbf\xbd"
          "c\xef\xbf\xbd\xef\xbf\xbd"
          "d e\n" },
        { "definition of a link", "[a]: https://x.y\n\n[b][a] [a]\n",
          "b (https://x.y) a (https://x.y)\n" },
        { "definition that comes too late", "[a]\n\n[a]: https://x.y\n", "[a]\n" },
        { "note", "[^1]: text", "[^1]: text\n" },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
}

static void test_lists(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "list", "- a\n- b\n", "• a\n• b\n" },
        { "loose list is tight", "- a\n\n- b\n", "• a\n• b\n" },
        { "numbers count on", "3. a\n3. b\n", "3. a\n4. b\n" },
        { "nested", "- a\n  - b\n    1. c\n- d", "• a\n  • b\n    1. c\n• d\n" },
        { "two in one line", "- - a\n  - b", "• • a\n  • b\n" },
        { "tasks", "- [ ] a\n- [x] b\n1. [X] c", "□ a\n■ b\n1. ■ c\n" },
        { "goes on below its text", "- aaa bbb\n- c", "• aaa\n  bbb\n• c\n", 6 },
        { "lazy line", "- a\nb\n\nc", "• a b\n\nc\n" },
        { "after its paragraph", "a:\n- b", "a:\n• b\n" },
        { "apart from its paragraph", "a:\n\n- b", "a:\n\n• b\n" },
        { "paragraphs of an item", "- a\n\n  b\n- c", "• a\n\n  b\n• c\n" },
        { "code in an item", "1. a\n   ```c\n   x\n   ```\n2. b",
          "1. a\n   ```c\n   x\n   ```\n2. b\n" },
        { "empty item", "-\n- a", "• \n• a\n" },
        { "a number inside a paragraph", "in\n1986. x", "in 1986. x\n" },
        { "quote in an item", "- > a\n  > b", "• │ a b\n" },
        { "rule, not items", "- a\n\n- - -\n", "• a\n\n──────\n", 6 },
        { "no room for marks", "- - - - a", "a\n", 2 },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
}

static void test_code(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "fence", "a\n```c\nint  x;\n\n  y\n```\nb", "a\n\n```c\nint  x;\n\n  y\n```\n\nb\n" },
        { "fence without an end", "```\n*a*\n", "```\n*a*\n" },
        { "ends at as many marks", "````\n```\n````\na", "````\n```\n````\n\na\n" },
        { "other marks do not end it", "~~~\n```\n~~~", "~~~\n```\n~~~\n" },
        { "more text behind the marks does not end it", "```\na\n```x\nb\n```",
          "```\na\n```x\nb\n```\n" },
        { "long lines are broken", "```\nabcdefgh\n```", "```\nabcd\nefgh\n```\n", 4 },
        { "indented", "    a\n\n      b\n\nc", "a\n\n  b\n\nc\n" },
        { "in a quote", "> ```\n> a\n\nb", "│ ```\n│ a\n\nb\n" },
        { "indentation of the fence", "  ```\n    a\n  ```", "```\n  a\n```\n" },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
}

static void test_tables(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "table", "| a | bb |\n|---|---:|\n| 1 | 2 |\n| x\\|y |\n\nz",
          "a   │ bb\n────────\n1   │  2\nx|y │   \n\nz\n" },
        { "without outer bars", "a | b\n--- | ---\n1 | 2", "a │ b\n─────\n1 │ 2\n" },
        { "center", "|abc|\n|:-:|\n|x|", "abc\n───\n x\n" },
        { "more cells than columns", "|a|b|\n|-|-|\n|1|2|3|", "a │ b\n───────\n1 │ 2|3\n" },
        { "the widest column shrinks", "|a|b|\n|-|-|\n|1|one two three|",
          "a │ b\n────────────\n1 │ one two\n  │ three\n", 12 },
        { "names and values", "|name|value|\n|-|-|\n|aaaaaaaaa|b c d e f g|\n|x|y|",
          "name:\n  aaaaaaaa\n  a\nvalue: b c\n  d e f g\n\nname: x\nvalue: y\n", 10 },
        { "line end in a cell", "|a|b|\n|-|-|\n|1<br>2|3|", "a │ b\n─────\n1 │ 3\n2 │ \n" },
        { "a row without a bar ends it", "|a|\n|-|\n|1|\nb", "a\n─\n1\n\nb\n" },
        { "other number of columns", "|a|b|\n|-|\n", "|a|b| |-|\n" },
        { "in a fence of Markdown", "```markdown\n|a|\n|-|\n|1|\n```\nb", "a\n─\n1\n\nb\n" },
        { "behind text in a fence of Markdown", "```md\n# x\n|a|\n|-|\n|1|\n```",
          "```md\n# x\na\n─\n1\n```\n" },
        { "bars alone are no table", "```md\na | b\nc\n```", "```md\na | b\nc\n```\n" },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
}

static void test_spans(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "marks are gone", "*a* **b** ***c*** _d_ ~~e~~ `f  g` a_b_c", "a b c d e f  g a_b_c\n" },
        { "escapes", "\\*a\\* 2\\. \\`", "*a* 2. `\n" },
        { "code with marks", "`` a`b `` and `*x*`", "a`b and *x*\n" },
        { "across lines", "**a\nb** c", "a b c\n" },
        { "the address follows", "[a](https://x.y \"t\")", "a (https://x.y)\n" },
        { "the text is the address", "<https://x.y> https://x.z. www.x.y a@b.cd",
          "https://x.y https://x.z. www.x.y a@b.cd\n" },
        { "picture", "![a](b.png) [![c](d.png)](https://e.f)", "a (b.png) c (https://e.f)\n" },
        { "open to the end", "**a [b `c", "**a [b `c\n" },
        { "three rows later it is no end", "one\n**aaaaaa bbbbbb cccccc dddddd eeeeee ffffff** g",
          "one\n**aaaaaa\nbbbbbb\ncccccc\ndddddd\neeeeee\nffffff**\ng\n", 8 },
        { "two rows later it is", "one\n**aaaaaa bbbbbb** cccccc dddddd eeeeee ffffff g",
          "one\naaaaaa\nbbbbbb\ncccccc\ndddddd\neeeeee\nffffff g\n", 8 },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
}

// ---- looks ----

static const RowRun *run_of(const GPtrArray *rows, unsigned index, const char *text)
{
    assert_in_range(index, 0, rows->len - 1);
    const Row *row = rows->pdata[index];
    const char *found = strstr(row->text, text);
    if (!found)
        fail_msg("'%s' is not in '%s'", text, row->text);
    RowPlace place = { 0 };
    return row_run_at(row, &place, (size_t)(found - row->text));
}

static void test_styles(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *markdown, *text;
        Style want;
    } cases[] = {
        { "# a", "a", { TOKEN_MD_HEADING, 0, STYLE_BOLD | STYLE_UNDERLINE } },
        { "## a", "a", { TOKEN_MD_HEADING, 0, STYLE_BOLD } },
        { "a *b*", "b", { 0, 0, STYLE_ITALIC } },
        { "a **b *c***", "c", { 0, 0, STYLE_ITALIC | STYLE_BOLD } },
        { "~~a~~", "a", { 0, 0, STYLE_STRIKE } },
        { "a `b`", "b", { TOKEN_MD_CODE, 0, 0 } },
        { "> a", "a", { TOKEN_MD_QUOTE, 0, 0 } },
        { "> a", "│", { TOKEN_MD_QUOTE_BORDER, 0, 0 } },
        { "- a", "•", { TOKEN_MD_LIST_BULLET, 0, 0 } },
        { "    a", "a", { TOKEN_MD_CODE_BLOCK, 0, 0 } },
        { "```c", "c", { TOKEN_MD_CODE_BLOCK_BORDER, 0, 0 } },
        { "---", "─", { TOKEN_MD_HR, 0, 0 } },
        { "|a|\n|-|\n", "a", { 0, 0, STYLE_BOLD } },
        { "[a](b)", "a", { TOKEN_MD_LINK, 0, 0 } },
        { "[a](b)", "b", { TOKEN_MD_LINK_URL, 0, 0 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const MdSpec spec = spec_of(40);
        g_autoptr(GPtrArray) rows = rows_of(cases[i].markdown, &spec);
        const RowRun *run = run_of(rows, 0, cases[i].text);
        if (!style_equal(run->style, cases[i].want))
            fail_msg("%s: colour %d, attributes %d", cases[i].markdown, run->style.fg,
                     run->style.attributes);
    }
}

static void test_base_style_stays(void **state G_GNUC_UNUSED)
{
    MdSpec spec = spec_of(40);
    spec.style = (Style) { TOKEN_THINKING_TEXT, TOKEN_USER_MESSAGE_BG, STYLE_DIM };
    g_autoptr(GPtrArray) rows = rows_of("a **b**", &spec);
    Style bold = spec.style;
    bold.attributes |= STYLE_BOLD;
    assert_true(style_equal(run_of(rows, 0, "a")->style, spec.style));
    assert_true(style_equal(run_of(rows, 0, "b")->style, bold));
}

static void test_links(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *markdown, *link;
    } cases[] = {
        { "[a](https://x.y/z)", "https://x.y/z" },
        { "[a](http://x.y)", "http://x.y" },
        { "[a](mailto:b@c.de)", "mailto:b@c.de" },
        { "[a](file:///b)", "file:///b" },
        { "[a](HTTPS://x.y)", "HTTPS://x.y" },
        { "[a](https://x.y/\xc3\xa9)", "https://x.y/%C3%A9" },
        { "[a](https://x.y/&#27;]8;;)", "https://x.y/%EF%BF%BD]8;;" },
        { "[a](javascript:x)", NULL },
        { "[a](java&#115;cript:x)", NULL },
        { "[a](data:x)", NULL },
        { "[a](b/c)", NULL },
        { "a", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (int has_links = 0; has_links < 2; has_links++) {
            MdSpec spec = spec_of(80);
            spec.has_links = has_links;
            g_autoptr(GPtrArray) rows = rows_of(cases[i].markdown, &spec);
            const char *link = run_of(rows, 0, "a")->link;
            if (g_strcmp0(link, has_links ? cases[i].link : NULL) != 0)
                fail_msg("%s: '%s'", cases[i].markdown, link);
        }
}

static void test_what_rows_begin_with(void **state G_GNUC_UNUSED)
{
    g_autoptr(Row) first = row_of("* ", (Style) { 0 });
    g_autoptr(Row) rest = row_of("  ", (Style) { 0 });
    MdSpec spec = spec_of(8);
    spec.first = first;
    spec.rest = rest;
    g_autoptr(GPtrArray) rows = rows_of("aaa bbb\n\n- c", &spec);
    g_autofree char *got = text_of(rows);
    assert_string_equal(got, "* aaa\n  bbb\n  \n  • c\n");
    spec.width = 2;
    g_autoptr(GPtrArray) narrow = rows_of("aaa", &spec);
    g_autofree char *narrow_text = text_of(narrow);
    assert_string_equal(narrow_text, "aa\na\n");
}

// ---- what is settled when ----

static void test_settled(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *markdown, *settled, *open;
    } cases[] = {
        { "lone line waits", "a\n", "", "a\n" },
        { "paragraph, all rows but the last", "aaaa bbbb\ncccc dddd eeee ffff gggg hhhh iii jjj",
          "aaaa bbbb\ncccc dddd\neeee ffff\ngggg hhhh\n", "iii jjj\n" },
        { "up to what is open", "aaaa bbbb\ncccc dddd eeee **ffff gggg hhhh ii",
          "aaaa bbbb\ncccc dddd\n", "eeee ffff\ngggg hhhh\nii\n" },
        { "heading at the end of its line", "# a\n", "a\n", "" },
        { "rule", "***\n", "──────────\n", "" },
        { "fence, line by line", "```\na\nb", "```\na\n", "b\n" },
        { "item, when the next begins", "- a\n- b\n", "• a\n", "• b\n" },
        { "table, its last line", "|a|\n|-|\n|1|\n|2|\n", "", "|2|\n" },
        { "a dash says nothing yet", "a\n-", "", "a\n" },
        { "what is open looks as if it ended", "a **b", "", "a b\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const MdSpec spec = spec_of(10);
        g_autoptr(MdStream) stream = md_stream_new(&spec);
        md_stream_push(stream, cases[i].markdown, strlen(cases[i].markdown));
        g_autoptr(GPtrArray) settled = rows_new();
        g_autoptr(GPtrArray) open = rows_new();
        md_stream_take_settled(stream, settled);
        md_stream_open_rows(stream, open);
        g_autofree char *settled_text = text_of(settled);
        g_autofree char *open_text = text_of(open);
        if (strcmp(settled_text, cases[i].settled) != 0 || strcmp(open_text, cases[i].open) != 0)
            fail_msg("%s:\nsettled '%s'\nopen '%s'", cases[i].name, settled_text, open_text);
    }
}

static void test_long_line_settles(void **state G_GNUC_UNUSED)
{
    const MdSpec spec = spec_of(20);
    g_autoptr(MdStream) stream = md_stream_new(&spec);
    for (int i = 0; i < 100; i++)
        md_stream_push(stream, "word ", 5);
    g_autoptr(GPtrArray) settled = rows_new();
    md_stream_take_settled(stream, settled);
    assert_int_equal(settled->len, 24); // four words a row, the last row waits
}

static void test_long_table_settles(void **state G_GNUC_UNUSED)
{
    const MdSpec spec = spec_of(20);
    g_autoptr(MdStream) stream = md_stream_new(&spec);
    g_autoptr(GPtrArray) settled = rows_new();
    md_stream_push(stream, "|a|\n|-|\n", 8);
    for (int i = 1; i < MD_TABLE_HELD; i++)
        md_stream_push(stream, "|1|\n", 4);
    md_stream_take_settled(stream, settled);
    assert_int_equal(settled->len, 0);
    md_stream_push(stream, "|1|\n", 4);
    md_stream_take_settled(stream, settled);
    assert_int_equal(settled->len, MD_TABLE_HELD + 2);
    md_stream_push(stream, "|wider than all of them|\n", 25);
    md_stream_take_settled(stream, settled);
    assert_true(settled->len > MD_TABLE_HELD + 3);
}

static void test_width_changes(void **state G_GNUC_UNUSED)
{
    const MdSpec spec = spec_of(10);
    g_autoptr(MdStream) stream = md_stream_new(&spec);
    const char *text = "aaaa bbbb\ncccc dddd\neeee ffff\n";
    md_stream_push(stream, text, strlen(text));
    g_autoptr(GPtrArray) rows = rows_new();
    md_stream_take_settled(stream, rows);
    md_stream_set_width(stream, 4);
    md_stream_finish(stream);
    md_stream_take_settled(stream, rows);
    g_autofree char *got = text_of(rows);
    assert_string_equal(got, "aaaa bbbb\ncccc dddd\neeee\nffff\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_base_style_stays),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_what_rows_begin_with),
        cmocka_unit_test(test_settled),
        cmocka_unit_test(test_long_line_settles),
        cmocka_unit_test(test_long_table_settles),
        cmocka_unit_test(test_width_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
