/*
 * Colours of code (tui/text/highlight.h): the tables are in order, and each language tells
 * comments, strings, key words and numbers apart, over several lines where it must.
 */
#include "unit.h"

#include "lang/languages.h"
#include "tui/text/highlight.h"
#include "tui/text/highlight_words.h"

#include <string.h>

#define PLAIN    TOKEN_MD_CODE_BLOCK
#define COMMENT  TOKEN_SYNTAX_COMMENT
#define STRING   TOKEN_SYNTAX_STRING
#define KEYWORD  TOKEN_SYNTAX_KEYWORD
#define TYPE     TOKEN_SYNTAX_TYPE
#define NUMBER   TOKEN_SYNTAX_NUMBER
#define FUNCTION TOKEN_SYNTAX_FUNCTION
#define VARIABLE TOKEN_SYNTAX_VARIABLE

/* The rows of a text; each says what its line does. */
static GPtrArray *lines_of(const HighlightLanguage *language, const char *text)
{
    const Style style = { .fg = PLAIN };
    GPtrArray *rows = rows_new();
    g_autoptr(RowBuilder) builder = row_builder_new();
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    uint32_t state = 0;
    for (size_t i = 0; lines[i]; i++) {
        highlight_line(language, &state, lines[i], strlen(lines[i]), style, builder);
        g_ptr_array_add(rows, row_builder_take(builder));
        assert_string_equal(((Row *)rows->pdata[i])->text, lines[i]);
    }
    return rows;
}

static void test_tokens(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *tag, *text, *part; // the first place of `part`, which is of one colour
        ThemeToken want;
    } cases[] = {
        { "c", "int x = 0x1fu; // y", "int", TYPE },
        { "c", "int x = 0x1fu; // y", "x", PLAIN },
        { "c", "int x = 0x1fu; // y", "0x1fu", NUMBER },
        { "c", "int x = 0x1fu; // y", "// y", COMMENT },
        { "c", "#include <a.h>", "#include", KEYWORD },
        { "c", "f(\"a\\\"b\", 'c');", "\"a\\\"b\"", STRING },
        { "c", "f(\"a\\\"b\", 'c');", "f", FUNCTION },
        { "c", "/* a\n b */ return", " b */", COMMENT },
        { "c", "/* a\n b */ return", "return", KEYWORD },
        { "c", "\"open\nreturn", "return", KEYWORD },
        { "c++", "class A;", "class", KEYWORD },
        { "rust", "fn f<'a>(x: &'a str) { 'b' }", "'b'", STRING },
        { "rust", "fn f<'a>(x: &'a str) { 'b' }", "str", TYPE },
        { "rust", "/* a /* b */\nc */ fn", "c */", COMMENT },
        { "rust", "/* a /* b */\nc */ fn", "fn", KEYWORD },
        { "go", "x := `a\nfunc` // y", "func`", STRING },
        { "python", "def f(self): # x", "def", KEYWORD },
        { "python", "def f(self): # x", "f(", FUNCTION },
        { "python", "@cached", "@cached", FUNCTION },
        { "py", "'''a\n\"b\n''' + None", "\"b", STRING },
        { "py", "'''a\n\"b\n''' + None", "None", KEYWORD },
        { "js", "const x = `a\nb` // c", "b`", STRING },
        { "typescript", "let x: string = null", "string", TYPE },
        { "java", "public class Foo {}", "Foo", TYPE },
        { "kotlin", "fun f() = \"\"\"a\nb\"\"\"", "b\"\"\"", STRING },
        { "swift", "guard let x = nil", "guard", KEYWORD },
        { "c#", "namespace X;", "namespace", KEYWORD },
        { "scala", "val x = 1", "val", KEYWORD },
        { "zig", "const x: u8 = @as(u8, 1);", "u8", TYPE },
        { "bash", "if [ \"$a#b\" ]; then # x", "# x", COMMENT },
        { "sh", "echo a#b $HOME", "a#b", PLAIN },
        { "sh", "echo a $HOME", "$HOME", VARIABLE },
        { "sql", "SELECT 'a' FROM t -- x", "SELECT", KEYWORD },
        { "sql", "SELECT 'a' FROM t -- x", "-- x", COMMENT },
        { "dart", "x = r'''a\\''' + null", "null", KEYWORD }, // raw: no escape
        { "csharp", "var x = @\"a\nb\"; return", "b\"", STRING },
        { "ruby", "=begin\ndef\n=end\ndef f", "def", COMMENT },
        { "php", "$a = null; # x", "$a", VARIABLE },
        { "perl", "my $x = 1;", "$x", VARIABLE },
        { "lua", "--[[ a\nlocal ]] local x", "local ]]", COMMENT },
        { "haskell", "{- a {- b -}\nc -} where", "c -}", COMMENT },
        { "r", "x <- TRUE # y", "TRUE", KEYWORD },
        { "nix", "let a = ''\nb''; in a", "b''", STRING },
        { "elixir", "defmodule A do", "defmodule", KEYWORD },
        { "json", "{\"a\": \"b\", \"c\": true}", "\"a\"", VARIABLE },
        { "json", "{\"a\": \"b\", \"c\": true}", "\"b\"", STRING },
        { "json", "{\"a\": \"b\", \"c\": true}", "true", KEYWORD },
        { "yaml", "a-b: c # d", "a-b", VARIABLE },
        { "yaml", "a-b: c # d", "# d", COMMENT },
        { "toml", "a = 'b' # c", "a", VARIABLE },
        { "html", "<a href=\"b\"\nc='d'>e</a>", "a", KEYWORD },
        { "html", "<a href=\"b\"\nc='d'>e</a>", "'d'", STRING },
        { "html", "<a href=\"b\"\nc='d'>e</a>", "e<", PLAIN },
        { "html", "<!-- a\nb --> c", "b -->", COMMENT },
        { "css", "a { color: red; } /* x */", "color", VARIABLE },
        { "make", "all: $(x) # y", "all", VARIABLE },
        { "dockerfile", "FROM a # b", "FROM", KEYWORD },
        { "diff", "+a\n-b\n@@ x", "+a", TOKEN_DIFF_ADDED },
        { "diff", "+a\n-b\n@@ x", "-b", TOKEN_DIFF_REMOVED },
        { "markdown", "# a\n`b` c", "# a", KEYWORD },
        { "markdown", "# a\n`b` c", "`b`", STRING },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const HighlightLanguage *language = highlight_language(cases[i].tag);
        if (!language)
            fail_msg("%s has no language", cases[i].tag);
        g_autoptr(GPtrArray) rows = lines_of(language, cases[i].text);
        bool is_found = false;
        for (unsigned j = 0; j < rows->len && !is_found; j++) {
            const Row *row = rows->pdata[j];
            const char *found = strstr(row->text, cases[i].part);
            if (!found)
                continue;
            is_found = true;
            RowPlace place = { 0 };
            const RowRun *run = row_run_at(row, &place, (size_t)(found - row->text));
            if (run->style.fg != cases[i].want)
                fail_msg("%s: '%s' in '%s' has colour %d, not %d", cases[i].tag, cases[i].part,
                         row->text, run->style.fg, (int)cases[i].want);
        }
        assert_true(is_found);
    }
}

static void check_sorted(const HighlightWords *words, const char *names)
{
    for (size_t i = 1; i < words->count; i++)
        if (strcmp(words->words[i - 1], words->words[i]) >= 0)
            fail_msg("%s: '%s' before '%s'", names, words->words[i - 1], words->words[i]);
}

static void test_tables(void **state G_GNUC_UNUSED)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    unsigned count = 0;
    for (const HighlightLanguage *language = highlight_languages;
         language->languages || language->tags; language++) {
        const char *name = language->languages ? language->languages : language->tags;
        check_sorted(&language->words, name);
        check_sorted(&language->types, name);
        g_autofree char *all =
            g_strdup_printf("%s %s", language->languages ? language->languages : "",
                            language->tags ? language->tags : "");
        g_auto(GStrv) names = g_strsplit(g_strstrip(all), " ", -1);
        for (size_t i = 0; names[i]; i++)
            if (!g_hash_table_add(seen, g_strdup(names[i])))
                fail_msg("two languages are %s", names[i]);
        g_auto(GStrv) rows = g_strsplit(language->languages ? language->languages : "", " ", -1);
        for (size_t i = 0; rows[i]; i++)
            if (!language_find(rows[i]))
                fail_msg("no language is %s", rows[i]);
        count++;
    }
    assert_true(count >= 30);
}

static void test_names(void **state G_GNUC_UNUSED)
{
    const HighlightLanguage *c = highlight_language("c"), *python = highlight_language("python");
    assert_non_null(c);
    assert_ptr_equal(highlight_language("{.python}"), python);
    assert_ptr_equal(highlight_language("language-Python"), python);
    assert_ptr_equal(highlight_language("python,ignore"), python);
    assert_null(highlight_language(""));
    assert_null(highlight_language("no such language"));
    assert_ptr_equal(highlight_language_of_file("/a.py/b.c"), c);
    assert_ptr_equal(highlight_language_of_file("/a.c/b.PY"), python);
    assert_ptr_equal(highlight_language_of_file("b.C"), highlight_language("c++"));
    assert_ptr_equal(highlight_language("rs"), highlight_language("rust"));
    assert_ptr_equal(highlight_language_of_file("x.patch"), highlight_language("diff"));
    assert_ptr_equal(highlight_language_of_file("Makefile"), highlight_language("make"));
    assert_ptr_equal(highlight_language_of_file("/x/.bashrc"), highlight_language("bash"));
    assert_null(highlight_language_of_file("/a.py/b"));
    assert_null(highlight_language_of_file(""));
}

static void test_no_language(void **state G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) rows = lines_of(NULL, "int x; /*");
    const Row *row = rows->pdata[0];
    assert_int_equal(row->run_count, 1);
    assert_int_equal(row->runs[0].style.fg, PLAIN);
}

/* Any text stays as it is (lines_of() looks), whatever it leaves open. */
static void test_random_texts(void **state G_GNUC_UNUSED)
{
    static const char bytes[] = "aB0_ \"'`\\/*#-<>{}=:$@[]()!r\n.;|+\xc3\xa9";
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    for (const HighlightLanguage *language = highlight_languages;
         language->languages || language->tags; language++)
        for (int n = 0; n < 50; n++) {
            g_autoptr(GString) text = g_string_new(NULL);
            for (int i = 0; i < 60; i++)
                g_string_append_c(text, bytes[g_rand_int_range(random, 0, sizeof(bytes) - 1)]);
            g_autoptr(GPtrArray) rows = lines_of(language, text->str);
            assert_true(rows->len > 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),       cmocka_unit_test(test_tables),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_no_language),
        cmocka_unit_test(test_random_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
