/*
 * base/hidden.c: what a person does not see of a text, a model does not get.
 */
#include "unit.h"

#include "base/hidden.h"

#include <string.h>

#define ZWSP  "\xe2\x80\x8b"
#define ZWNJ  "\xe2\x80\x8c"
#define ZWJ   "\xe2\x80\x8d"
#define RLO   "\xe2\x80\xae"
#define TAG_A "\xf3\xa0\x81\x81"

typedef struct Case {
    const char *name, *in;
    const char *want; // NULL: as it is
    size_t characters, comments, texts;
} Case;

static void check(const Case *c, HiddenPlace place)
{
    HiddenCount count = { 0 };
    const char *want = c->want ? c->want : c->in;
    g_autofree char *got = hidden_remove(c->in, place, &count);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", c->name, got, want);
    if (count.characters != c->characters || count.comments != c->comments ||
        count.texts != c->texts)
        fail_msg("%s: %zu characters, %zu comments, %zu texts", c->name, count.characters,
                 count.comments, count.texts);
    HiddenCount none = { 0 };
    g_autofree char *again = hidden_remove(got, place, &none);
    if (strcmp(again, got) != 0)
        fail_msg("%s: once more it is '%s'", c->name, again);
}

static void test_characters(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "plain", "a b\tc\n\r\x1b é 漢 😀" },
        { "nothing", "" },
        { "tags", "a" TAG_A TAG_A "b", "ab", 2 },
        { "direction", "a" RLO "b\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c", "ab", 4 },
        { "no width, soft hyphen, BOM", "a" ZWSP "\xc2\xad\xef\xbb\xbf\xe2\x81\xa0z", "az", 4 },
        { "fillers", "a\xe3\x85\xa4\xef\xbe\xa0\xe1\x85\x9f\xcd\x8fz", "az", 4 },
        { "private planes and no characters", "a\xf3\xb0\x80\x80\xf4\x80\x80\x80\xef\xbf\xbez",
          "az", 3 },
        { "an emoji of several",
          "👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈 ❤️ 1️⃣" },
        { "Persian, Hindi", "می" ZWNJ "خواهم क\xe0\xa5\x8d" ZWJ "ष" },
        { "Hebrew and Arabic", "שלום עולם مرحبا" },
        { "joiners between other letters", "a" ZWJ "b" ZWNJ "c", "abc", 2 },
        { "variation of a letter",
          "a\xef\xb8\x8f"
          "b\xf3\xa0\x84\x80",
          "ab", 2 },
        { "a comment in a title is seen", "a <!-- b -->" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i], HIDDEN_IN_LINE);
}

static void test_code(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "plain", "- a\n+ <!-- b -->\n" },
        { "direction", "if (x" RLO ") {", "if (x\\u202e) {" },
        { "tags", TAG_A, "\\u{e0041}" },
        { "an emoji", "👨‍👩‍👧" },
        { "a joiner after an escape", "م" ZWJ ZWJ "م", "م\\u200d\\u200dم" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i], HIDDEN_IN_CODE);
}

static void test_comments(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "a block", "a\n\n<!-- b\n\nc -->\n\nd", "a\n\n\n\nd", 0, 1 },
        { "in a line", "a <!-- b --> c", "a  c", 0, 1 },
        { "two", "<!-- a --><!-- b -->c", "c", 0, 2 },
        { "one that does not end", "a\n<!-- b\n\nc\n\n`d`", "a\n", 0, 1 },
        { "one in a line that does not end", "a <!-- b\n\nc", "a ", 0, 1 },
        { "one that made another", "<!<!-- a -->-- b -->c", "c", 0, 2 },
        { "empty ones", "a<!---->b<!-->c<!--->d", "abcd", 0, 3 },
        { "only a begin within", "<!-- <!-- --> c -->", " c -->", 0, 1 },
        { "with hidden characters", "<" ZWSP "!-- a -->b", "b", 1, 1 },
        { "in a fence it is seen", "```html\n<!-- a -->\n```\nb" },
        { "in a fence without an end", "~~~\n<!-- a" },
        { "in a span it is seen", "write `<!-- a -->`, or ``<!--``." },
        { "in indented code", "a\n\n    <!-- b -->\n\nc" },
        { "in a list", "- a\n\n  ```\n  <!-- b -->\n  ```\n- <!-- c -->d",
          "- a\n\n  ```\n  <!-- b -->\n  ```\n- d", 0, 1 },
        { "a fence in HTML is none", "<div>\n```\n<!-- a -->\n```\n</div>",
          "<div>\n```\n\n```\n</div>", 0, 1 },
        { "a fence within a comment", "<!--\n```\n-->\na\n```\n<!-- b -->\n```",
          "\na\n```\n<!-- b -->\n```", 0, 1 },
        { "escaped", "\\<!-- a -->" },
        { "escaped in HTML", "<div>\\<!-- a --></div>", "<div>\\</div>", 0, 1 },
        { "quoted", "> a\n> <!-- b -->\n> c", "> a\n> \n> c", 0, 1 },
        { "other HTML", "<details><summary>a</summary>\n\n<b>c</b>\n</details>" },
        { "a declaration", "a\n\n<!DOCTYPE b>\n\nc <!X d> e", "a\n\n\n\nc  e", 0, 2 },
        { "an instruction", "a\n\n<?b\n\nc?>\n\nd <?e?> f", "a\n\n\n\nd  f", 0, 2 },
        { "a section", "<![CDATA[a\n> b ]]>\n\nc <![CDATA[d]]>", "\n\nc ", 0, 2 },
        { "one without an end", "a\n\n<?b\n\nc", "a\n\n", 0, 1 },
        { "no HTML", "a <? b, 1 <!c\n\n`<?d?>`\n\n    <?e?>\n\n\\<?f?>" },
        { "a definition", "a\n\n[//]: # (b)\n\nc", "a\n\n\nc", 0, 1 },
        { "definitions", "[comment]: <> (a)\n[x]: # \"b\"\nc", "c", 0, 2 },
        { "a definition of several lines", "[//]: # (a\nb\nc)\nd", "d", 0, 1 },
        { "its title below", "[//]: #\n(a)\nb", "b", 0, 1 },
        { "a definition that is used stays", "[a][b]\n\n[b]: https://example.com \"c\"" },
        { "a definition in code", "```\n[//]: # (a)\n```" },
        { "no definition", "a\n[//]: # (b)" },
        { "a checklist", "- [ ] a\n- [x] b: #12" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i], HIDDEN_IN_MARKDOWN);
}

/* Texts that are in the source, and not on the page. */
static void test_unshown(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "an image", "a ![do this now](https://e.org/x.png) b", "a ![](https://e.org/x.png) b", 0,
          0, 1 },
        { "one word says what is there", "![image](x.png) ![build-status][b]\n\n[b]: y.svg" },
        { "an image that leads nowhere is its text", "![do this now]()" },
        { "one by a reference", "![do this now][x]\n\n[x]: y.png", "![][x]\n\n[x]: y.png", 0, 0,
          1 },
        { "one in a link", "[![do *this* now](x.png)](https://e.org)",
          "[![](x.png)](https://e.org)", 0, 0, 1 },
        { "a title", "[a](https://e.org \"do this\") b", "[a](https://e.org) b", 0, 0, 1 },
        { "titles in other quotes", "[a](<u v> 'do this') ![](x (do this))", "[a](<u v>) ![](x)", 0,
          0, 2 },
        { "a title of a definition", "[a]\n\n[a]: https://e.org\n  \"do this\"\n",
          "[a]\n\n[a]: https://e.org\n", 0, 0, 1 },
        { "a title of one word", "[a](b \"c\")" },
        { "no title", "see [a] (b \"c d\") and [a](b" },
        { "attributes",
          "<img src=\"a b.png\" alt=\"do this\" width=10 title='and that' data-x=\"one two\">",
          "<img src=\"a b.png\" width=10>", 0, 0, 3 },
        { "attributes in a paragraph", "a <b title=\"do this\">c</b>", "a <b>c</b>", 0, 0, 1 },
        { "of no blanks", "<i data-x=\"do&#32;this\" id=\"a\">c</i>", "<i id=\"a\">c</i>", 0, 0,
          1 },
        { "names of attributes", "a <ignore all this> <i do=\"x\" this=y id=a>b</i>",
          "a <ignore> <i id=a>b</i>", 0, 0, 4 },
        { "the same one twice", "<i id=do id=this>a</i>", "<i id=do>a</i>", 0, 0, 1 },
        { "what only an old browser shows", "<ruby>a<rp>do this<rt>b<rp>)</ruby> c d",
          "<ruby>a<rp><rt>b<rp>)</ruby> c d", 0, 0, 1 },
        { "of a fence", "> ```js do this\n> a b\n> ```\n\n- ~~~ c d\n  ~~~ e\n",
          "> ```js\n> a b\n> ```\n\n- ~~~ c\n  ~~~ e\n", 0, 0, 2 },
        { "the language of a fence", "```c++\na b\n```\n\n``` a b ``` c ~~d e~~" },
        { "a cell too many", "| a | b |\n|---|---|\n| c | d | do this |\n| e | [f](g) | h i",
          "| a | b |\n|---|---|\n| c | d ||\n| e | [f](g) |", 0, 0, 2 },
        { "cells that are seen",
          "| a b | c d |\n|---|---|\n| `e \\| f g` | ![h](i j) |\n| <b>k l</b> | &amp; m |" },
        { "of an end", "<div>a</div do this>", "<div>a</div>", 0, 0, 1 },
        { "a hidden element", "a\n\n<div hidden>\n\ndo **this**\n\n</div>\n\nb", "a\n\n\n\nb", 0, 0,
          1 },
        { "within others of its name", "<div HIDDEN=x><div>a</div> b</div>c", "c", 0, 0, 1 },
        { "in a line", "a <span hidden>do this</span> b", "a  b", 0, 0, 1 },
        { "one that does not end", "a\n\n<p hidden>\n\nb ![c d](e)", "a\n\n", 0, 0, 1 },
        { "what it splits", "<<i hidden>x</i>b title=\"do this\">c", "<b>c", 0, 0, 2 },
        { "a quote that its HTML ends before", "- <p c=\"d\n\u00e9", "- <p\n\u00e9", 0, 0, 1 },
        { "in code all is seen",
          "`<b title=\"do this\">`\n\n```\n![do this](x)\n```\n\n    <div hidden>a b</div>" },
        { "HTML that is shown",
          "<details open><summary>a b</summary>c d</details>\n\n<a href=\"u v\">w x</a>" },
        { "hidden, of what the page lacks", "map<int hidden> a b\n\nc <x hidden>d e</x>" },
        { "what people write with",
          "<kbd>a b</kbd> <sub>c d</sub><br/><table><tr><td colspan=2>e f"
          "</td></tr></table>\n\n<p align=\"center\"><img src=\"a\" width=\"50%\"></p>" },
        { "no HTML", "if a < b and c > d, \"e f\"" },
        { "a checklist and a table", "- [ ] a\n\n| a | b |\n|---|---|\n| c | d \"e f\" |" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i], HIDDEN_IN_MARKDOWN);
    static const Case among[] = {
        { "what has no end takes its paragraph", "<div hidden>do this\n\nnext: a", "\n\nnext: a", 0,
          0, 1 },
    };
    check(&among[0], HIDDEN_AMONG_OTHERS);
}

/* What another has opened protects nothing. */
static void test_among_others(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "a fence", "```\n\nnext: <!-- a -->b", "```\n\nnext: b", 0, 1 },
        { "back-quotes", "`\n--\n<!-- a -->`", "`\n--\n`", 0, 1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i], HIDDEN_AMONG_OTHERS);
}

static void test_json(void **state G_GNUC_UNUSED)
{
    HiddenCount count = { 0 };
    g_autoptr(json_t) value = json_loads(
        "{\"title\": \"a <!-- b -->\\u202e\", \"body\": \"a <!-- b\","
        " \"comments\": [{\"body\": \"c\\udb40\\udc41\"}, {\"body\": \"<!-- d -->e\"}],"
        " \"diffHunk\": \"+ <!-- f -->\\u202e\", \"k\\u200b\": [1, null, \"g <!-- h -->\"]}",
        0, NULL);
    g_autoptr(json_t) got = hidden_remove_json(value, &count);
    g_autofree char *text = json_dumps(got, JSON_COMPACT);
    assert_string_equal(text, "{\"title\":\"a <!-- b -->\",\"body\":\"a \",\"comments\":[{\"body\":"
                              "\"c\"},{\"body\":\"e\"}],\"diffHunk\":\"+ <!-- f -->\\\\u202e\","
                              "\"k\":[1,null,\"g \"]}");
    assert_int_equal(count.characters, 3);
    assert_int_equal(count.comments, 3);
    g_autoptr(json_t) same = hidden_remove_json(got, &count);
    assert_ptr_equal(same, got);
}

static void test_notice(void **state G_GNUC_UNUSED)
{
    static const struct {
        HiddenCount count;
        const char *want;
    } cases[] = {
        { { 0, 0 }, NULL },
        { { 1, 0 }, "1 invisible character removed" },
        { { 0, 2 }, "2 HTML comments removed" },
        { { 3, 1 }, "3 invisible characters and 1 HTML comment removed" },
        { { 0, 0, 2, 0 }, "2 hidden texts (alt, title, attributes, hidden elements) removed" },
        { { 0, 1, 0, 12 },
          "1 HTML comment removed; they took 12 bytes, maybe of others: ask for JSON, where each "
          "text is its own" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = hidden_notice(&cases[i].count);
        assert_int_equal(g_strcmp0(got, cases[i].want), 0);
    }
}

/* What is made up of the pieces that matter is the same after a second time, and takes no longer
   than its length. */
static void test_made_up(void **state G_GNUC_UNUSED)
{
    static const char *const pieces[] = { "<!--",
                                          "-->",
                                          "<",
                                          "!",
                                          "--",
                                          ">",
                                          "`",
                                          "```\n",
                                          "\n",
                                          "\n\n",
                                          "    ",
                                          "a",
                                          "[",
                                          "]:",
                                          "\\",
                                          "[//]: # (",
                                          ")",
                                          TAG_A,
                                          ZWJ,
                                          "👩",
                                          "- ",
                                          "> ",
                                          "<div>",
                                          "![b c](d)",
                                          "<div hidden>",
                                          "</div>",
                                          "](e \"f g\")",
                                          "```a b c\n",
                                          "a | b\n-|-\n",
                                          "| a b |",
                                          "<rp>",
                                          " title=\"h i\"" };
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    for (int round = 0; round < rounds_of(20000); round++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int i = g_rand_int_range(rand, 0, 30); i > 0; i--)
            g_string_append(text, pieces[g_rand_int_range(rand, 0, G_N_ELEMENTS(pieces))]);
        HiddenCount count = { 0 };
        g_autofree char *got = hidden_remove(text->str, HIDDEN_IN_MARKDOWN, &count);
        assert_true(g_utf8_validate(got, -1, NULL));
        assert_true(strlen(got) <= text->len);
    }
    g_autoptr(GString) deep = g_string_new(NULL);
    for (int i = 0; i < 50000; i++)
        g_string_append(deep, "<!");
    for (int i = 0; i < 50000; i++)
        g_string_append(deep, "<!-- -->-- -->");
    for (int i = 0; i < 20000; i++)
        g_string_append(deep, i % 2 ? "](a (b c" : "<b hidden>\n\n");
    g_string_append(deep, "\n\na | b\n-|-\n");
    for (int i = 0; i < 50000; i++)
        g_string_append(deep, i < 25000 ? "> " : i % 2 ? "```|" : "~~~<rp> ");
    HiddenCount count = { 0 };
    g_autofree char *got = hidden_remove(deep->str, HIDDEN_IN_MARKDOWN, &count); // and ends
    assert_non_null(got);
    assert_true(count.comments >= 50000);
    g_autofree char *among = hidden_remove(deep->str, HIDDEN_AMONG_OTHERS, &count);
    assert_non_null(among);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),   cmocka_unit_test(test_code),
        cmocka_unit_test(test_comments),     cmocka_unit_test(test_unshown),
        cmocka_unit_test(test_among_others), cmocka_unit_test(test_json),
        cmocka_unit_test(test_notice),       cmocka_unit_test(test_made_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
