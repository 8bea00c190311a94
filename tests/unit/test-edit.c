/* The edit tool: exact and fuzzy replacement, what stays as it was, and what errors say. */
#include "base/str.h"
#include "long_text.h"
#include "tool_fixture.h"

#include "tool/tool_set.h"
#include "tools/edit/edit_alike.h"
#include "tools/edit/edit_closest.h"
#include "tools/edit/edit_indent.h"
#include "tools/edit/edit_mode.h"
#include "tools/edit/edit_search.h"
#include "tools/tools.h"

#include <sys/stat.h>

static char *file_text(const ToolFixture *fixture, const char *name)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

static json_t *one_edit(const char *old_text, const char *new_text, bool all)
{
    json_t *item = json_object();
    json_set_text(item, "old_text", old_text);
    json_set_text(item, "new_text", new_text);
    json_set_bool(item, "all", all);
    json_t *edits = json_array();
    json_append_take(edits, item);
    json_t *arguments = json_object();
    json_set_text(arguments, "path", "f.txt");
    json_set_take(arguments, "edits", edits);
    return arguments;
}

static void test_replace(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *old_text, *new_text;
        bool all, is_error;
        const char *text, *after; // NULL: unchanged
    } cases[] = {
        { "once", "a\nb\nc\n", "b", "B", false, false, "Successfully replaced text in f.txt.",
          "a\nB\nc\n" },
        { "to nothing", "a\nb\nc\n", "b\n", "", false, false,
          "Successfully replaced text in f.txt.", "a\nc\n" },
        { "across lines", "a\nb\nc\n", "a\nb", "x\ny\nz", false, false,
          "Successfully replaced text in f.txt.", "x\ny\nz\nc\n" },
        { "tools-T51", "x = 1\ny = 1\n", "1", "2", false, true,
          "Found 2 occurrences in f.txt:\n\n  1 | x = 1\n  2 | y = 1\n  3 | \n\n  1 | x = 1\n"
          "  2 | y = 1\n  3 | \n\n"
          "Add more context lines to disambiguate.",
          NULL },
        { "tools-T51: all", "x = 1\ny = 1\n", "1", "2", true, false,
          "Successfully replaced 2 occurrences in f.txt.", "x = 2\ny = 2\n" },
        { "five lines around", "1\n2\n3\n4\n5\n6\nb\n8\n9\n10\n11\n12\nb", "b", "c", false, true,
          "Found 2 occurrences in f.txt:\n\n  2 | 2\n  3 | 3\n  4 | 4\n  5 | 5\n  6 | 6\n"
          "  7 | b\n  8 | 8\n  9 | 9\n  10 | 10\n  11 | 11\n  12 | 12\n\n  8 | 8\n  9 | 9\n"
          "  10 | 10\n  11 | 11\n  12 | 12\n  13 | b\n\nAdd more context lines to disambiguate.",
          NULL },
        { "all of one", "a\n", "a", "b", true, false, "Successfully replaced text in f.txt.",
          "b\n" },
        { "empty", "a\n", "", "b", false, true, "old_text must not be empty.", NULL },
        { "no change", "a\n", "a", "a", false, true,
          "Edits to f.txt resulted in no changes being made.", NULL },
        { "nothing like it", "a\n", "one\ntwo\nthree", "b", false, true,
          "Could not find this text in f.txt.", NULL },
        { "blank", "a\n", " \n \n", "b", false, true, "Could not find this text in f.txt.", NULL },
        { "CRLF stays", "a\r\nb\r\nc\r\n", "b\nc", "x\ny", false, false,
          "Successfully replaced text in f.txt.", "a\r\nx\r\ny\r\n" },
        { "CRLF asked for", "a\r\nb\r\n", "a\r\nb", "x\r\ny", false, false,
          "Successfully replaced text in f.txt.", "x\r\ny\r\n" },
        { "each line ends as it did", "a\nb\r\nc\rd\n", "a", "x", false, false,
          "Successfully replaced text in f.txt.", "x\nb\r\nc\rd\n" },
        { "a line in place of another ends as that one", "a\r\nb\nc\r\n", "b\nc", "B\nB2\nC", false,
          false, "Successfully replaced text in f.txt.", "a\r\nB\nB2\r\nC\r\n" },
        { "a line that is the same again, too", "a\nb\r\nc\nd\r\n", "a\nb\nc", "x\ny\nb\nC", false,
          false, "Successfully replaced text in f.txt.", "x\ny\nb\r\nC\nd\r\n" },
        { "BOM stays",
          "\xef\xbb\xbf"
          "a\nb\n",
          "a\n", "x\n", false, false, "Successfully replaced text in f.txt.",
          "\xef\xbb\xbfx\nb\n" },
        { "no newline at the end", "a\nb", "b", "c", false, false,
          "Successfully replaced text in f.txt.", "a\nc" },
        { "invalid UTF-8 elsewhere", "\xff\nb\n", "b", "c", false, false,
          "Successfully replaced text in f.txt.", "\xff\nc\n" },
        { "tools-T52", "if x:\n\tfoo(1)\n\tbar(2)\n", "    foo(1)\n    bar(2)\n",
          "    foo(1)\n        baz(3)\n    bar(4)\n", false, false,
          "Successfully replaced text in f.txt.", "if x:\n\tfoo(1)\n\t\tbaz(3)\n\tbar(4)\n" },
        { "typographic quotes", "say(“hello – world”)\n", "say(\"hello - world\")", "say(1)", false,
          false, "Successfully replaced text in f.txt.", "say(1)\n" },
        { "a closest place", "int f(void)\n{\nif (rc != 0)\n    return tide_fail(rc, 2);\n}\n",
          "if (rc != 0)\n    return tide_fail(rc, 3);\n}\n", "x", false, true,
          "Could not find this text in f.txt.\n\nClosest place, lines 3-5 (98% similar):\n"
          "     3 | if (rc != 0)\n*    4 |     return tide_fail(rc, 2);\n"
          "  you: |     return tide_fail(rc, 3);\n     5 | }\nLetters, digits and operators must "
          "be right; only white space, quotes, dashes and Unicode forms may differ.",
          NULL },
        { "tools-T165", "foo(“a”)\nx\nfoo(„a„)\n", "foo(\"a\")", "x", false, true,
          "Found 2 occurrences in f.txt:\n\n  1 | foo(“a”)\n  2 | x\n  3 | foo(„a„)\n  4 | \n\n"
          "  1 | foo(“a”)\n  2 | x\n  3 | foo(„a„)\n  4 | \n\n"
          "Add more context lines to disambiguate.",
          NULL },
        { "all that fit", "foo(“a”)\nx\n  foo(„a„)\n", "foo(\"a\")\n", "foo(1)\nbar()\n", true,
          false, "Successfully replaced 2 occurrences in f.txt.",
          "foo(1)\nbar()\nx\n  foo(1)\n  bar()\n" },
        { "another depth", "{\n    a_long_name();\n    another_long_name();\n}\n",
          "a_long_name();\n  another_long_name(); ", "x();\ny();", false, false,
          "Successfully replaced text in f.txt.", "{\nx();\ny();\n}\n" }, // no uniform difference
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "f.txt", cases[i].file);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_edit_replace,
                          one_edit(cases[i].old_text, cases[i].new_text, cases[i].all), &result);
        g_autofree char *text = tool_result_text(&result);
        if (cases[i].text)
            assert_text(cases[i].name, text, cases[i].text);
        if (result.is_error != cases[i].is_error)
            fail_msg("%s: is_error %d: %s", cases[i].name, result.is_error, text);
        g_autofree char *after = file_text(fixture, "f.txt");
        assert_text(cases[i].name, after, cases[i].after ? cases[i].after : cases[i].file);
    }
}

/* What may differ, and what may not; each against a file of that one line between two others. */
static void test_alike(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *line, *asked;
        bool is_alike;
    } cases[] = {
        { "tools-T163: indentation", "\t\tfoo(1);", "  foo(1);", true },
        { "tools-T163: double quotes", "say(“hello”)", "say(\"hello\")", true },
        { "tools-T163: single quotes", "say(‘it’)", "say('it')", true },
        { "tools-T163: guillemets", "«a» ‹b›", "\"a\" 'b'", true },
        { "tools-T163: dashes", "a ‐ b ‑ c ‒ d – e — f ― g − h", "a - b - c - d - e - f - g - h",
          true },
        { "tools-T163: blanks", "a\u00a0b\u2002c\u200ad\u202fe\u205ff\u3000g", "a b c d e f g",
          true },
        { "tools-T163: an en dash asked for", "1-2", "1–2", true },
        { "tools-T163: a ligature", "ﬁle", "file", true },
        { "tools-T163: full-width digits", "x = １２;", "x = 12;", true },
        { "ellipsis", "wait…", "wait...", true },
        { "zero width", "a\u200bb\ufeffc", "abc", true },
        { "a lone CR", "a\rb", "ab", true },
        { "tools-T164: a letter", "the quick brown fox jumps", "the quick brwn fox jumps", false },
        { "tools-T164: a digit", "limit = 1000;", "limit = 1001;", false },
        { "tools-T164: an operator", "if (a <= b)", "if (a < b)", false },
        { "tools-T164: case", "Foo(bar)", "foo(bar)", false },
        { "tools-T164: a superscript", "x²", "x2", false },
        { "tools-T164: a blank where none is", "a b", "ab", false },
        { "a fraction", "½ cup", "1/2 cup", false },
        { "a circled digit", "① one", "1 one", false },
        { "a bracket", "f(x)", "f[x]", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *content = g_strdup_printf("first\n%s\nlast\n", cases[i].line);
        g_autoptr(GArray) places = alike_find(content, cases[i].asked);
        if ((places->len == 1) != cases[i].is_alike)
            fail_msg("%s: %u places", cases[i].name, places->len);
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "f.txt", content);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_edit_replace, one_edit(cases[i].asked, "new", false),
                          &result);
        g_autofree char *after = file_text(fixture, "f.txt");
        if (cases[i].is_alike != (strstr(after, "new") != NULL))
            fail_msg("%s: %s", cases[i].name, after);
        if (!cases[i].is_alike)
            assert_text(cases[i].name, after, content);
    }
}

static void test_missing_line(void **state G_GNUC_UNUSED)
{
    g_autoptr(GArray) places = alike_find("a\nb\nc\nd\n", "a\nb\nd\n"); // tools-T164
    assert_int_equal(places->len, 0);
    // one letter of 2,000
    g_autoptr(GString) content = g_string_new(NULL);
    for (int i = 0; i < 100; i++)
        g_string_append_printf(content, "    value_%03d = 0;\n", i);
    g_autofree char *old = g_strdup(content->str);
    *strstr(old, "value_050") = 'w';
    g_autoptr(GArray) none = alike_find(content->str, old);
    assert_int_equal(none->len, 0);
    g_autofree char *shown = closest_describe(content->str, old, false);
    assert_contains("tools-T164", shown,
                    "*   51 |     value_050 = 0;\n  you: |     walue_050 = 0;");
    assert_contains("tools-T164: lines", shown, "Closest place, lines 1-100 (99% similar):");
    assert_null(strstr(shown, "value_000")); // at most 20 lines
    // overlapping places are several
    g_autoptr(GArray) two = alike_find(" a\n a\n a\n", "a\na");
    assert_int_equal(two->len, 2);
}

static void test_not_fuzzy(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new("{'edit':{'fuzzyMatch':false}}", false);
    tool_fixture_put(fixture, "f.txt", "a  b c d\n");
    g_autofree char *text =
        tool_fixture_error(fixture, &tool_edit_replace, one_edit("a b c d", "x", false));
    assert_text(
        "closest", text,
        "Could not find the exact text in f.txt. The old text must match exactly including all "
        "whitespace and newlines.\n\nClosest place, lines 1-1 (100% similar):\n*    1 | a  b c d\n"
        "  you: | a b c d");
    g_autofree char *none =
        tool_fixture_error(fixture, &tool_edit_replace, one_edit("1\n2\n3", "x", false));
    assert_text(
        "none", none,
        "Could not find the exact text in f.txt. The old text must match exactly including all "
        "whitespace and newlines.");
}

static void test_several(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f.txt", "a\nb\nc\n");
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_edit_replace,
                      json_of("{'path':'f.txt','edits':[{'old_text':'a','new_text':'A\\nb'},"
                              "{'old_text':'A','new_text':'B'},"
                              "{'old_text':'b','new_text':'y','all':true}]}"),
                      &result);
    g_autofree char *text = tool_result_text(&result);
    assert_false(result.is_error);
    assert_text("a line each, in order", text,
                "Successfully replaced text in f.txt.\nSuccessfully replaced text in f.txt.\n"
                "Successfully replaced 2 occurrences in f.txt.");
    g_autofree char *after = file_text(fixture, "f.txt");
    assert_string_equal(after, "B\ny\ny\nc\n");
    assert_string_equal(json_get_text(result.details, "diff"),
                        "-1|a\n-2|b\n+1|B\n+2|y\n+3|y\n 3|c");
    assert_int_equal(json_get_int(result.details, "firstChangedLine", 0), 1);
    assert_string_equal(json_get_text(result.details, "op"), "update");

    g_autofree char *failed =
        tool_fixture_error(fixture, &tool_edit_replace,
                           json_of("{'path':'f.txt','edits':[{'old_text':'B','new_text':'x'},"
                                   "{'old_text':'','new_text':'A'},"
                                   "{'old_text':'c','new_text':'c'}]}"));
    assert_text("tools-T166", failed,
                "Edit 2 of 3: old_text must not be empty.\n"
                "Edit 3 of 3: Edits to f.txt resulted in no changes being made.\n"
                "None of the 3 edits was made.");
    g_autofree char *unchanged = file_text(fixture, "f.txt");
    assert_string_equal(unchanged, after);
}

/* tools-T168, tools-T160: somebody else's change is refused once, the same bytes are no change. */
static void test_changed_meanwhile(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f.txt", "a\nb\n");
    g_autofree char *read G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_read, json_of("{'path':'f.txt'}"));
    tool_fixture_put(fixture, "f.txt", "a\nb\nc\n");
    g_autofree char *refused =
        tool_fixture_error(fixture, &tool_edit_replace, one_edit("a", "x", false));
    assert_string_equal(refused, "Refused: f.txt changed on disk since you last read or wrote it. "
                                 "Read it again, then repeat the call.");
    g_autofree char *untouched = file_text(fixture, "f.txt");
    assert_string_equal(untouched, "a\nb\nc\n");
    g_autofree char *again G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_edit_replace, one_edit("a", "x", false));
    tool_fixture_put(fixture, "f.txt", "x\nb\nc\n"); // another inode, the same bytes
    g_autofree char *same G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_edit_replace, one_edit("x", "y", false));
    g_autofree char *after = file_text(fixture, "f.txt");
    assert_string_equal(after, "y\nb\nc\n");
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *missing =
        tool_fixture_error(fixture, &tool_edit_replace, one_edit("a", "b", false));
    assert_string_equal(missing, "File not found: f.txt");

    tool_fixture_put_bytes(fixture, "f.txt", "a\0b", 3);
    g_autofree char *binary =
        tool_fixture_error(fixture, &tool_edit_replace, one_edit("a", "b", false));
    assert_string_equal(binary, "Cannot edit binary file: f.txt");

    tool_fixture_put(fixture, "f.txt", "// Code generated by stringer\na\n");
    g_autofree char *other =
        tool_fixture_text(fixture, &tool_edit_replace, one_edit("a\n", "b\n", false));
    assert_string_equal(other, "Successfully replaced text in f.txt."); // no comment in a .txt
    tool_fixture_put(fixture, "f.go", "// Code generated by stringer\na\n");
    g_autofree char *generated =
        tool_fixture_error(fixture, &tool_edit_replace,
                           json_of("{'path':'f.go','edits':[{'old_text':'a','new_text':'b'}]}"));
    assert_contains("generated", generated, "Cannot modify auto-generated file: f.go\n");

    g_autofree char *empty =
        tool_fixture_error(fixture, &tool_edit_replace, json_of("{'path':'f.txt','edits':[]}"));
    assert_contains("no edits", empty, "edits: must NOT have fewer than 1 items");
}

static void test_mode_stays(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f.txt", "a\n");
    g_autofree char *path = g_build_filename(fixture->cwd, "f.txt", NULL);
    assert_int_equal(chmod(path, 0751), 0);
    g_autofree char *text G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_edit_replace, one_edit("a", "b", false));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0751);
}

static void test_reindent(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *old_text, *matched, *new_text, *want;
    } cases[] = {
        { "same", "  a", "  a", "b", "b" },
        { "only the indentation changes", "  a\n  b", " a\n b", "    a\n    b", "    a\n    b" },
        { "deeper", "a\n  b", "    a\n      b", "x\n  y\n\nz", "    x\n      y\n\n    z" },
        { "shallower", "    a", "  a", "    b\n      c\n d", "  b\n    c\nd" },
        { "tabs, deeper", "a", "\t\ta", "x\n\ty", "\t\tx\n\t\t\ty" },
        { "tabs to spaces", "\ta\n\t\tb", "    a\n        b", "\tx\n\t\t\ty",
          "    x\n            y" },
        { "tabs to spaces, not consistent", "\ta\n\t\tb", "    a\n      b", "\tx", "\tx" },
        { "spaces to tabs", "  a\n    b", "\ta\n\t\tb", "  x\n      y", "\tx\n\t\t\ty" },
        { "spaces to tabs, with offset", "  a\n      b", "a\n\tb", "  x\n      y", "x\n\ty" },
        { "spaces that are no whole tab", "  a\n    b", "\ta\n\t\tb", "     x", "\t\t x" },
        { "mixed", "  a\n\tb", "    a\n\tb", "  x", "  x" },
        { "not uniform", "a\nb", "  a\n    b", "x", "x" },
        { "blank lines do not count", "a\n\nb", "  a\n\n  b", "x\n\ny", "  x\n\n  y" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got =
            edit_reindent(cases[i].old_text, cases[i].matched, cases[i].new_text);
        assert_text(cases[i].name, got, cases[i].want);
    }
}

/* Similarity of one line to another, against a table computed the plain way. */
static size_t plain_distance(const gunichar *a, size_t a_count, const gunichar *b, size_t b_count)
{
    g_autofree size_t *row = g_new(size_t, b_count + 1);
    for (size_t j = 0; j <= b_count; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_count; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_count; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = MIN(replaced, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_count];
}

static void test_scores(void **state G_GNUC_UNUSED)
{
    static const gunichar letters[] = { 'a', 'b', 'c', 0xe9, 0x4e2d, 0x1f600 };
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    for (int round = 0; round < 3000; round++) {
        gunichar a[300], b[300];
        int a_count = g_rand_int_range(random, 1, round % 3 == 0 ? 300 : 70);
        int b_count = g_rand_int_range(random, 1, round % 3 == 0 ? 300 : 70);
        for (int i = 0; i < 300; i++) {
            a[i] = letters[g_rand_int_range(random, 0, 6)];
            b[i] = g_rand_boolean(random) ? a[i] : letters[g_rand_int_range(random, 0, 6)];
        }
        g_autofree char *old = g_ucs4_to_utf8(a, a_count, NULL, NULL, NULL);
        g_autofree char *content = g_ucs4_to_utf8(b, b_count, NULL, NULL, NULL);
        ClosestPlace place = { 0 };
        bool is_found = closest_find(content, old, &place);
        size_t differences = plain_distance(a, (size_t)a_count, b, (size_t)b_count);
        double want = 1 - (double)differences / (double)MAX(a_count, b_count);
        if (is_found != (want >= 0.5) ||
            (is_found && (place.score < want - 1e-6 || place.score > want + 1e-6)))
            fail_msg("%s and %s: %f, not %f", old, content, place.score, want);
    }
}

static void test_large_file(void **state G_GNUC_UNUSED)
{
    enum { COUNT = OF_LONG_TEXT(20000), FIRST = COUNT * 3 / 4 };
    g_autoptr(GString) content = g_string_new(NULL);
    for (int i = 0; i < COUNT; i++)
        g_string_append_printf(content, "    result = compute_value_%d(input, %d);\n",
                               i * 7919 % COUNT, i);
    g_autoptr(GString) old = g_string_new(NULL);
    for (int i = FIRST; i < FIRST + 60; i++)
        g_string_append_printf(old, "    result = compute_value_%d(inpt, %d);\n", i * 7919 % COUNT,
                               i);
    ClosestPlace place = { 0 };
    assert_true(closest_find(content->str, old->str, &place));
    assert_int_equal(place.line, FIRST + 1);
    g_autoptr(GArray) places = alike_find(content->str, old->str);
    assert_int_equal(places->len, 0);
}

/* What would be larger than a file may be is refused before it is put together. */
static void test_growth(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *many = g_strnfill(300, 'a');
    g_autofree char *large = g_strnfill(1024 * 1024, 'b');
    tool_fixture_put(fixture, "f.txt", many);
    g_autofree char *text =
        tool_fixture_error(fixture, &tool_edit_replace, one_edit("a", large, true));
    assert_string_equal(text, "f.txt would become larger than 256 MiB");
    g_autofree char *after = file_text(fixture, "f.txt");
    assert_string_equal(after, many);
}

/* Many places in one long line take no longer than the line. */
static void test_many_places(void **state G_GNUC_UNUSED)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    enum { COUNT = 64 * 1024 }; // there each strstr() reads to the end of the text
#else
    enum { COUNT = 4 * 1024 * 1024 };
#endif
    g_autofree char *text = g_strnfill(COUNT, 'a');
    g_autofree char *told =
        g_strdup_printf("Found %d occurrences in f (showing first 5 of %d):", COUNT, COUNT);
    const EditSearch search = { .old_text = "a", .new_text = "bc", .all = true, .shown = "f" };
    g_autofree char *after = NULL;
    size_t count = 0;
    assert_true(edit_search_replace(text, &search, &after, NULL, &count, NULL));
    assert_int_equal(count, COUNT);
    assert_int_equal(strlen(after), 2 * COUNT);
    assert_true(str_has_prefix(after, "bcbcbc"));

    EditSearch one = search;
    one.all = false;
    g_autoptr(GError) error = NULL;
    g_autofree char *none = NULL;
    assert_false(edit_search_replace(text, &one, &none, NULL, &count, &error));
    assert_contains("counted", error->message, told);
}

/* Places that overlap are several, too. */
static void test_overlapping(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "f.txt", "0,\n0,\n0,\n");
    g_autofree char *refused =
        tool_fixture_error(fixture, &tool_edit_replace, one_edit("0,\n0,\n", "1,\n", false));
    assert_string_equal(refused, "Found 2 occurrences in f.txt:\n\n"
                                 "  1 | 0,\n  2 | 0,\n  3 | 0,\n  4 | \n\n"
                                 "  1 | 0,\n  2 | 0,\n  3 | 0,\n  4 | \n\n"
                                 "Add more context lines to disambiguate.");
    g_autofree char *all G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_edit_replace, one_edit("0,\n0,\n", "1,\n", true));
    g_autofree char *after = file_text(fixture, "f.txt");
    assert_string_equal(after, "1,\n0,\n");
}

static const ToolDef *offered(const Settings *settings, const char *model_id)
{
    static const ToolDef *const table[] = { &tool_edit, NULL };
    g_autoptr(ToolSet) all = tool_set_new(table);
    g_autoptr(ToolSet) tools = tool_set_for_model(all, settings, model_id);
    return tool_set_at(tools, 0);
}

/* Which form is offered; what is no mode is said by the call. */
static void test_modes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *variable, *settings, *model;
        const ToolDef *mode;
    } cases[] = {
        { "nothing said", NULL, NULL, NULL, &tool_edit_hashline },
        { "setting", NULL, "{'edit':{'mode':'replace'}}", "m", &tool_edit_replace },
        { "no variable", "auto", NULL, "m", &tool_edit_hashline },
        { "variable", "replace", "{'edit':{'modelVariants':{'m':'hashline'}}}", "m",
          &tool_edit_replace },
        { "model", NULL, "{'edit':{'modelVariants':{'gpt':'replace'}}}", "gpt-5",
          &tool_edit_replace },
        { "another model", NULL, "{'edit':{'modelVariants':{'gpt':'replace'}}}", "claude",
          &tool_edit_hashline },
        { "the longest text", NULL,
          "{'edit':{'modelVariants':{'gpt-5':'hashline','gpt':'replace'}}}", "gpt-5",
          &tool_edit_hashline },
        { "no mode", NULL, "{'edit':{'mode':'replace','modelVariants':{'gpt':'nothing'}}}", "gpt-5",
          &tool_edit_replace },
        { "no model known", NULL, "{'edit':{'modelVariants':{'gpt':'replace'}}}", NULL,
          &tool_edit_hashline },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) overrides = cases[i].settings ? json_of(cases[i].settings) : NULL;
        g_autoptr(Settings) settings = settings_new(overrides);
        if (cases[i].variable)
            g_setenv("KEDGE_EDIT_VARIANT", cases[i].variable, true);
        const ToolDef *got = offered(settings, cases[i].model);
        g_unsetenv("KEDGE_EDIT_VARIANT");
        if (got != cases[i].mode)
            fail_msg("%s", cases[i].name);
    }
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_setenv("KEDGE_EDIT_VARIANT", "foo", true);
    const ToolDef *unknown = offered(tool_context_settings(fixture->context), NULL);
    g_autofree char *text =
        tool_fixture_error(fixture, unknown, json_of("{'input':'@@ f.txt\\n'}"));
    g_unsetenv("KEDGE_EDIT_VARIANT");
    assert_text("tools-T56", text, "Invalid KEDGE_EDIT_VARIANT: foo");
}

static void test_fuzzy_variable(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *value, *error; // NULL: fuzzy
    } cases[] = {
        { "auto", NULL },
        { "true", NULL },
        { "1", NULL },
        { "0", "Could not find the exact text in f.txt." },
        { "false", "Could not find the exact text in f.txt." },
        { "maybe", "Invalid KEDGE_EDIT_FUZZY: maybe" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "f.txt", "a  b\n");
        g_setenv("KEDGE_EDIT_FUZZY", cases[i].value, true);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_edit_replace, one_edit("a b", "x", false), &result);
        g_unsetenv("KEDGE_EDIT_FUZZY");
        g_autofree char *text = tool_result_text(&result);
        assert_int_equal(result.is_error, cases[i].error != NULL);
        if (cases[i].error)
            assert_contains(cases[i].value, text, cases[i].error);
    }
}

/* A notebook is edited by its cells, in every mode. */
static void test_notebook(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "n.ipynb",
                     "{\"cells\":[{\"cell_type\":\"code\",\"execution_count\":1,\"metadata\":"
                     "{\"a\":1},\"outputs\":[],\"source\":[\"x = 1\"]}],\"metadata\":{},"
                     "\"nbformat\":4,\"nbformat_minor\":4}\n");
    g_autofree char *text G_GNUC_UNUSED = tool_fixture_text(
        fixture, &tool_edit_replace,
        json_of("{'path':'n.ipynb','edits':[{'old_text':'x = 1','new_text':'x = 2\\ny'}]}"));
    g_autofree char *after = file_text(fixture, "n.ipynb");
    assert_contains("source", after, "    \"x = 2\\n\",\n    \"y\"");
    assert_contains("metadata", after, "\"a\": 1");
    g_autofree char *refused = tool_fixture_error(
        fixture, &tool_edit_replace,
        json_of("{'path':'n.ipynb','edits':[{'old_text':'# %%','new_text':'%%'}]}"));
    assert_contains("marker", refused, "Invalid notebook editable representation for n.ipynb");
    g_autofree char *untouched = file_text(fixture, "n.ipynb");
    assert_string_equal(untouched, after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_not_fuzzy),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_missing_line),
        cmocka_unit_test(test_changed_meanwhile),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_mode_stays),
        cmocka_unit_test(test_reindent),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_large_file),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_many_places),
        cmocka_unit_test(test_overlapping),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_fuzzy_variable),
        cmocka_unit_test(test_notebook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
