/* The text form of eval: cells, their attributes, what is wrong with them; and guessing languages.
 */
#include "unit.h"

#include "tools/eval/eval_input.h"

typedef struct WantCell {
    const char *code, *title;
    EvalLanguage language;
    int64_t timeout_ms;
    bool resets;
} WantCell;

static void check_cell(const char *name, unsigned index, const EvalCell *got, const WantCell *want)
{
    if (g_strcmp0(got->code, want->code) != 0 || g_strcmp0(got->title, want->title) != 0 ||
        got->language != want->language || got->timeout_ms != want->timeout_ms ||
        got->resets != want->resets)
        fail_msg("%s, cell %u: code '%s', title '%s', language %d, timeout %d, reset %d", name,
                 index, got->code, got->title ? got->title : "-", (int)got->language,
                 (int)got->timeout_ms, got->resets);
}

static void test_cells(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text;
        WantCell want[3];
        bool is_cut;
    } cases[] = {
        { "no header", "print(1)\n", { { "print(1)\n", NULL, EVAL_UNKNOWN, 0, false } }, false },
        { "a fence", "```js\n1\n2\n```", { { "1\n2", NULL, EVAL_JS, 0, false } }, false },
        { "an empty fence", "```py\n```", { { "", NULL, EVAL_PYTHON, 0, false } }, false },
        { "half a fence", "```py\n1", { { "```py\n1", NULL, EVAL_UNKNOWN, 0, false } }, false },
        { "one cell", "*** Cell py\nx\n\n", { { "x", NULL, EVAL_PYTHON, 0, false } }, false },
        { "any case, two stars",
          "** CELL TypeScript\nx",
          { { "x", NULL, EVAL_JS, 0, false } },
          false },
        { "stars behind", "*** Cell py ***\nx", { { "x", NULL, EVAL_PYTHON, 0, false } }, false },
        { "title of the language",
          "*** Cell js:\"the first\"\n1",
          { { "1", "the first", EVAL_JS, 0, false } },
          false },
        { "attributes",
          "*** Cell py t:500ms rst id:\"U\"\n1\n*** Cell js timeout:2m reset:no\n2",
          { { "1", "U", EVAL_PYTHON, 500, true }, { "2", NULL, EVAL_JS, 120000, false } },
          false },
        { "a bare duration and words",
          "*** Cell load 20s the rows\n1",
          { { "1", "load the rows", EVAL_UNKNOWN, 20000, false } },
          false },
        { "a bare number is a word",
          "*** Cell step 2\n1",
          { { "1", "step 2", EVAL_UNKNOWN, 0, false } },
          false },
        { "an unknown language is a title",
          "*** Cell ruby\nputs 1",
          { { "puts 1", "ruby", EVAL_UNKNOWN, 0, false } },
          false },
        { "end",
          "*** Cell py\n1\n*** End of it\nprose\n*** Cell js\n2",
          { { "1", NULL, EVAL_PYTHON, 0, false }, { "2", NULL, EVAL_JS, 0, false } },
          false },
        { "abort drops the open cell",
          "*** Cell js\n1\n*** Cell js\n2\n*** Abort\nx",
          { { "1", NULL, EVAL_JS, 0, false } },
          true },
        { "other white space",
          "*** Cell js\v\frst\n1",
          { { "1", NULL, EVAL_JS, 0, true } },
          false },
        { "abort alone", "*** Abort", { { NULL, NULL, EVAL_UNKNOWN, 0, false } }, true },
        { "a power is no header",
          "*** Cell py\nf(2\n** cell(3))\n**End.x",
          { { "f(2\n** cell(3))\n**End.x", NULL, EVAL_PYTHON, 0, false } },
          false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) cells = NULL;
        bool is_cut = false;
        g_autoptr(GError) error = NULL;
        if (!eval_input_parse(cases[i].text, &cells, &is_cut, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        unsigned want = 0;
        while (want < G_N_ELEMENTS(cases[i].want) && cases[i].want[want].code)
            want++;
        if (cells->len != want || is_cut != cases[i].is_cut)
            fail_msg("%s: %u cells, cut %d", cases[i].name, cells->len, is_cut);
        for (unsigned j = 0; j < want; j++)
            check_cell(cases[i].name, j, cells->pdata[j], &cases[i].want[j]);
    }
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "*** Cell py t:soon\n1",
          "Eval line 1: invalid duration `soon`; use a number with optional ms, s, or m units." },
        { "*** Cell py\n1\n*** Cell js rst:maybe\n1",
          "Eval line 3: invalid rst value `maybe`; use true or false." },
        { "1\n*** Cell js\n1", "Eval line 1: code in front of the first *** Cell header" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) cells = NULL;
        bool is_cut = false;
        g_autoptr(GError) error = NULL;
        assert_false(eval_input_parse(cases[i].text, &cells, &is_cut, &error));
        assert_string_equal(error->message, cases[i].want);
    }
    g_autoptr(GString) many = g_string_new(NULL);
    for (int i = 0; i <= EVAL_MAX_CELLS; i++)
        g_string_append(many, "*** Cell\n");
    g_autoptr(GPtrArray) cells = NULL;
    bool is_cut = false;
    assert_false(eval_input_parse(many->str, &cells, &is_cut, NULL));
}

static void test_sniff(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *code;
        EvalLanguage want;
    } cases[] = {
        { "const a = 1", EVAL_JS },
        { "x = 1\nconsole.log(x)", EVAL_JS },
        { "[1].map(x => x)", EVAL_JS },
        { "import a from 'b'", EVAL_JS },
        { "f();", EVAL_JS },
        { "#!/usr/bin/env node\n1", EVAL_JS },
        { "print('x')", EVAL_PYTHON },
        { "def f():\n  pass", EVAL_PYTHON },
        { "import os, sys", EVAL_PYTHON },
        { "from a import b", EVAL_PYTHON },
        { "class A(B):\n  pass", EVAL_PYTHON },
        { "@cached\n", EVAL_PYTHON },
        { "#!/usr/bin/python3\nx;", EVAL_PYTHON },
        { "1 + 1", EVAL_UNKNOWN },
        { "print(1);", EVAL_UNKNOWN },
        { "", EVAL_UNKNOWN },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (eval_sniff(cases[i].code) != cases[i].want)
            fail_msg("'%s': %d", cases[i].code, (int)eval_sniff(cases[i].code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sniff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
