/* Which lines of a source text are bodies (agent-tools §3.1.4), given tags that may hold anything.
 */
#include "unit.h"

#include "tools/read/source_bodies.h"
#include "tools/read/source_tags.h"

#include <string.h>

/* `1-8 10 …`: the line of each, and its end where that is known. */
static GArray *tags_of(const char *text)
{
    GArray *tags = g_array_new(FALSE, FALSE, sizeof(SourceTag));
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    for (char **word = words; *word; word++) {
        char *rest = NULL;
        SourceTag tag = { g_ascii_strtoull(*word, &rest, 10), 0 };
        if (*rest == '-')
            tag.end = g_ascii_strtoull(rest + 1, NULL, 10);
        g_array_append_val(tags, tag);
    }
    return tags;
}

static void check(const char *name, SourceForm form, const char *text, const char *given,
                  size_t min_lines, const char *want)
{
    g_autoptr(GArray) lines = text_lines_split(text);
    g_autoptr(GArray) tags = tags_of(given);
    g_autoptr(GArray) bodies = source_bodies_find(lines, tags, form, min_lines);
    g_autoptr(GString) got = g_string_new(NULL);
    for (unsigned i = 0; i < bodies->len; i++) {
        const SourceBody *body = &g_array_index(bodies, SourceBody, i);
        g_string_append_printf(got, "%s%zu-%zu", i > 0 ? " " : "", body->first, body->last);
    }
    if (strcmp(got->str, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, got->str, want);
}

static void test_braces(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *tags, *want;
    } cases[] = {
        { "brace behind the signature", "int f(void) {\n a\n b\n}\n", "1-4", "2-3" },
        { "brace in a line of its own", "int f(void)\n{\n a\n b\n}\n", "1-5", "3-4" },
        { "a long signature", "int f(int a,\n      int b)\n{\n a\n b\n}\n", "1-6", "4-5" },
        { "an object among the parameters", "f({a,\n  b}) {\n a\n b\n}\n", "1-5", "3-4" },
        { "a remark behind the brace", "int f(void) { // why\n a\n b\n}\n", "1-4", "2-3" },
        { "an initialiser list", "A()\n  : a(1),\n    b{2}\n{\n x\n y\n}\n", "1-7", "5-6" },
        { "a type in braces", "func f(x interface{}) {\n a\n b\n}\n", "1-4", "2-3" },
        { "a string with a bracket", "void f(char *s = \"({\") {\n a\n b\n}\n", "1-4", "2-3" },
        { "a table", "static const T t[] = {\n a,\n b,\n};\n", "1-4", "2-3" },
        { "a declaration", "int f(void);\nstruct s {\n a;\n b;\n};\n", "1-5", "" },
        { "code behind the brace", "int f(void) { a;\n b;\n c;\n}\n", "1-4", "" },
        { "one line", "int f(void) { a; }\nstruct s {\n a;\n b;\n};\n", "1-1", "" },
        { "too short", "int f(void) {\n a\n}\n", "1-3", "" },
        { "nothing in it", "int f(void) {\n}\n", "1-2", "" },
        { "the end is no brace", "int f(void) {\n a\n b\n c }\n", "1-4", "" },
        { "the end is an inner brace", "int f(void) {\n if (x) {\n  a\n }\n}\n", "1-4", "" },
        { "two", "f() {\n a\n b\n}\ng() {\n a\n b\n}\n", "5-8 1-4", "2-3 6-7" },
        { "one within another", "f() {\n a\n g() {\n  b\n  c\n }\n}\n", "1-7 3-6", "2-6" },
        { "one that swallows the next", "f() {\n a\n b\n}\ng() {\n a\n b\n}\n", "1-8 5-8", "6-7" },
        { "most of the file holds others", "f() {\n g() {\n  a\n  b\n }\n h() {\n  a\n  b\n }\n}\n",
          "1-10 2-5 6-9", "3-4 7-8" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(cases[i].name, SOURCE_BRACES, cases[i].text, cases[i].tags, 2, cases[i].want);
}

/* The lines say it. */
static void test_unknown_end(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *tags, *want;
    } cases[] = {
        { "by its indentation", "f() {\n a {\n  b\n }\n}\n", "1", "2-4" },
        { "a method", "class {\n f() {\n  a\n  b\n }\n}\n", "2", "3-4" },
        { "in tabs", "\tf() {\n\t\ta\n\t\tb\n\t}\n", "1", "2-3" },
        { "tabs and blanks", "\tf() {\n\t\ta\n\t\tb\n }\n", "1", "" },
        { "empty lines", "f() {\n a\n\n b\n}\n", "1", "2-4" },
        { "a line further left", "f() {\n a\n`\n b\n}\n", "1", "" },
        { "parameters over lines", "const f = (a,\n  b) => {\n a\n b\n};\n", "1", "3-4" },
        { "where", "fn f<T>(a: T)\nwhere\n    T: X,\n{\n a\n b\n}\n", "1", "5-6" },
        { "a declaration without a semicolon", "f(): void\nclass A {\n a\n b\n}\n", "1", "" },
        { "a declaration, then an empty line", "f(): void\n\n  x {\n a\n b\n}\n", "1", "" },
        { "a text that ends with a brace", "f() {\n a(qq{\n b\n},\n c);\n}\n", "1", "" },
        { "never closed", "f() {\n a\n b\n c\n", "1", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(cases[i].name, SOURCE_BRACES, cases[i].text, cases[i].tags, 2, cases[i].want);
}

static void test_other_forms(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        SourceForm form;
        const char *text, *tags, *want;
    } cases[] = {
        { "indented", SOURCE_INDENT, "def f(a):\n  b\n  c\n\nx\n", "1-3", "2-3" },
        { "blank lines at its end stay", SOURCE_INDENT, "def f(a):\n  b\n  c\n\n\nx\n", "1-5",
          "2-3" },
        { "parameters over lines", SOURCE_INDENT, "def f(a,\n      b={}):  # x\n  b\n  c\n", "1-4",
          "3-4" },
        { "a type behind", SOURCE_INDENT, "def f(a: int) -> Dict[str, int]:\n  b\n  c\n", "1-3",
          "2-3" },
        { "what it says of itself", SOURCE_INDENT,
          "def f():\n  \"\"\"Does.\n\n  More.\n  \"\"\"\n  b\n", "1-6", "3-6" },
        { "one line", SOURCE_INDENT, "def f(): return 1\nx\ny\n", "1-3", "" },
        { "not indented", SOURCE_INDENT, "def f():\nb\nc\n", "1-3", "" },
        { "no end", SOURCE_INDENT, "def f():\n  b\n  c\n", "1", "" },
        { "end", SOURCE_END, "def f(a)\n  b\n  c\nend\n", "1-4", "2-3" },
        { "end, parameters over lines", SOURCE_END, "def f(a,\n      b)\n  b\n  c\nend\n", "1-5",
          "3-4" },
        { "end, not known", SOURCE_END, "function f(a)\n  if x then\n  end\nend)\n", "1", "2-3" },
        { "end in its own line", SOURCE_END, "function f(a) b() end\nx()\ny()\nend\n", "1", "" },
        { "end, a name that ends so", SOURCE_END, "def f send\n  b\n  c\nend\n", "1-4", "2-3" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(cases[i].name, cases[i].form, cases[i].text, cases[i].tags, 2, cases[i].want);
}

/* What is given a name in a script. */
static void test_script(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "an arrow", "const f = async (a) => {\n a\n b\n};\n", "2-3" },
        { "a function", "const f = function () {\n a\n b\n};\n", "2-3" },
        { "a type", "const f: T<P> = ({ a }) => {\n a\n b\n};\n", "2-3" },
        { "an object", "const o = {\n a,\n b,\n};\n", "" },
        { "a method of an object", "m() {\n a\n b\n},\nn: 1,\n", "2-3" },
        { "a class", "const C = class extends D {\n a\n b\n};\n", "" },
        { "a value without a brace", "const a = 1\nclass C {\n a\n b\n}\n", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(cases[i].name, SOURCE_SCRIPT, cases[i].text, "1", 2, cases[i].want);
}

/* Tags that fit no text. */
static void test_wrong_tags(void **state G_GNUC_UNUSED)
{
    static const char text[] = "f() {\n a\n b\n}\n\ng() {\n a\n b\n}\n";
    static const struct {
        const char *name, *tags, *want;
    } cases[] = {
        { "none", "", "" },
        { "beyond the file", "900-1000", "" },
        { "an end beyond the file", "1-1000", "" },
        { "line 0", "0-4", "" },
        { "an end before its line", "6-4", "" },
        { "many of one line", "1-9 1 1-4 1-4", "2-3" },
        { "overlapping", "1-4 2-9 6-9 7-9", "2-3 7-8" },
        { "lines without text", "5-9 10-10", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(cases[i].name, SOURCE_BRACES, text, cases[i].tags, 2, cases[i].want);
    check("fewer lines are enough", SOURCE_BRACES, text, "1-4", 0, "2-3");
    check("more lines are not", SOURCE_BRACES, text, "1-4", 3, "");
}

static void test_output(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *output, *want; // NULL: it is not believed
    } cases[] = {
        { "tags",
          "{\"_type\":\"program\"}\n{\"_type\":\"tag\",\"line\":3,\"end\":9}\n"
          "{\"_type\":\"tag\",\"line\":12}\n{\"_type\":\"completed\"}\n",
          "3-9 12-0" },
        { "none", "{\"_type\":\"completed\"}\n", "" },
        { "numbers that are none",
          "{\"_type\":\"tag\",\"line\":-1}\n{\"_type\":\"tag\",\"line\":\"7\"}\n"
          "{\"_type\":\"tag\",\"line\":7,\"end\":1e300}\n{\"_type\":\"completed\"}\n",
          "7-0" },
        { "nothing", "", NULL },
        { "no end", "{\"_type\":\"tag\",\"line\":3,\"end\":9}\n", NULL },
        { "no JSON", "hello\n{\"_type\":\"completed\"}\n", NULL },
        { "no object", "[1]\n{\"_type\":\"completed\"}\n", NULL },
        { "an error", "{\"_type\":\"error\",\"message\":\"x\"}\n{\"_type\":\"completed\"}\n",
          NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) tags = source_tags_parse(cases[i].output);
        g_autoptr(GString) got = g_string_new(NULL);
        for (unsigned j = 0; tags && j < tags->len; j++) {
            const SourceTag *tag = &g_array_index(tags, SourceTag, j);
            g_string_append_printf(got, "%s%zu-%zu", j > 0 ? " " : "", tag->line, tag->end);
        }
        if (!tags != !cases[i].want || (tags && strcmp(got->str, cases[i].want) != 0))
            fail_msg("%s: got '%s'", cases[i].name, tags ? got->str : "(nothing)");
    }
}

static void test_languages(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "a/b.c", "C" }, { "b.h", "C++" },  { "x.py", "Python" }, { "x.test.js", "JavaScript" },
        { "a.md", NULL }, { "a.txt", NULL }, { "Makefile", NULL }, { "a.c/b", NULL },
        { "a.", NULL },   { "a.c h", NULL }, { "a. ", NULL },      { ".c", "C" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const SourceLanguage *language = source_language(cases[i].path);
        if (g_strcmp0(language ? language->name : NULL, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].path, language ? language->name : "none");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_braces),      cmocka_unit_test(test_unknown_end),
        cmocka_unit_test(test_other_forms), cmocka_unit_test(test_wrong_tags),
        cmocka_unit_test(test_script),      cmocka_unit_test(test_output),
        cmocka_unit_test(test_languages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
