/*
 * Questions to a person as rows (tui §8, safety §10.1): what is shown of whose text, and what gives
 * way.
 */
#include "tui_dialog.h"

#include "base/secrets.h"

// ---- rows ----

static void expect_rows(Asked *self, const char *name, int width, int max_rows, int want_row,
                        const char *want)
{
    g_autoptr(GPtrArray) rows = rows_new();
    int row = -2, column = -2;
    self->panel->class->rows(self->panel, width, max_rows, rows, &row, &column);
    assert_rows(name, rows, width, want);
    assert_true((int)rows->len <= max_rows);
    assert_int_equal(row, want_row);
}

static void test_rows(void **state G_GNUC_UNUSED)
{
    static const struct {
        int width, max_rows;
        const char *want;
    } cases[] = {
        { 20, 20,
          "WRITE on\ngithub.com/o/r:\nmerges a pull\nrequest\n  gh pr merge 171 --\nsquash\n"
          "  in ~/src/r (contex\nt: upstream)\n[y] once  [n] no\n[t] no, and tell it…\n"
          "[?] explain" },
        { 40, 20,
          "WRITE on github.com/o/r: merges a pull\nrequest\n  gh pr merge 171 --squash\n"
          "  in ~/src/r (context: upstream)\n[y] once  [n] no  [t] no, and tell it…\n[?] explain" },
        { 80, 20,
          "WRITE on github.com/o/r: merges a pull request\n  gh pr merge 171 --squash\n"
          "  in ~/src/r (context: upstream)\n"
          "[y] once  [n] no  [t] no, and tell it…  [?] explain" },
        { 200, 20,
          "WRITE on github.com/o/r: merges a pull request\n  gh pr merge 171 --squash\n"
          "  in ~/src/r (context: upstream)\n"
          "[y] once  [n] no  [t] no, and tell it…  [?] explain" },
        { 80, 3,
          "WRITE on github.com/o/r: merges a pull request\n… 2 more rows (page keys)\n"
          "[y] once  [n] no  [t] no, and tell it…  [?] explain" },
        { 80, 2,
          "WRITE on github.com/o/r: merges a pull request\n"
          "[y] once  [n] no  [t] no, and tell it…  [?] explain" },
        { 80, 1, "WRITE on github.com/o/r: merges a pull request" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Asked) asked;
        ask(&asked, plain);
        expect_rows(&asked, "approval", cases[i].width, cases[i].max_rows, -1, cases[i].want);
    }
    g_auto(Asked) asked;
    ask(&asked, plain);
    dialog_set_waiting(asked.panel, 2);
    asked.is_editor_empty = false;
    expect_rows(&asked, "a draft, and others", 100, 20, -1,
                "WRITE on github.com/o/r: merges a pull request\n  gh pr merge 171 --squash\n"
                "  in ~/src/r (context: upstream)\n"
                "[y] once  [n] no  [t] no, and tell it…  [?] explain  1 of 3\n"
                "You are writing: Tab or Up goes into the question.");
}

/* What [s] allows is shown in full, or [s] allows nothing. */
static void test_allowance_rows(void **state G_GNUC_UNUSED)
{
    static const struct {
        int width, max_rows;
        const char *want;
        bool can_allow;
    } cases[] = {
        { 40, 20,
          "WRITE on github.com/o/r: merges a pull\nrequest\n  gh pr merge 171 --squash\n"
          "[y] once  [s] this session  [n] no\n[t] no, and tell it…  [?] explain\n"
          "[s] allows until this session ends: gh\npr merge on github.com/o/r",
          true },
        { 80, 20,
          "WRITE on github.com/o/r: merges a pull request\n  gh pr merge 171 --squash\n"
          "[y] once  [s] this session  [n] no  [t] no, and tell it…  [?] explain\n"
          "[s] allows until this session ends: gh pr merge on github.com/o/r",
          true },
        { 80, 2,
          "WRITE on github.com/o/r: merges a pull request\n"
          "[y] once  [s] this session  [n] no  [t] no, and tell it…  [?] explain",
          false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Asked) asked;
        ask(&asked, longer);
        expect_rows(&asked, "allowance", cases[i].width, cases[i].max_rows, -1, cases[i].want);
        assert_int_equal(press(&asked, "s", 5000) == PANEL_DONE, cases[i].can_allow);
    }
}

static void test_typing_rows(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    ask(&asked, plain);
    press(&asked, "t", 5000);
    type(&asked, "no", 6000);
    expect_rows(&asked, "a reason", 80, 20, 3,
                "WRITE on github.com/o/r: merges a pull request\n  gh pr merge 171 --squash\n"
                "  in ~/src/r (context: upstream)\n> no\n[Enter] no, with this reason  [Esc] back");
    // rows above the cursor are narrow, whatever they say
    g_auto(Asked) wide;
    g_autofree char *long_word = g_strnfill(150, 'x');
    g_autofree char *question =
        g_strdup_printf("{\"effect\":\"write\",\"text\":\"WRITE\\n  %s\"}", long_word);
    ask(&wide, question);
    press(&wide, "t", 5000);
    g_autoptr(GPtrArray) rows = rows_new();
    int row, column;
    wide.panel->class->rows(wide.panel, 200, 20, rows, &row, &column);
    assert_int_equal(row, 4);
    assert_int_equal(column, 2);
    for (int i = 0; i < row; i++)
        assert_true(((const Row *)rows->pdata[i])->cells <= 60);
}

static void test_option_rows(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    ask(&asked, options);
    expect_rows(&asked, "options", 80, 20, -1,
                "Which one?\n❯ 1. red\n  2. green\n  3. blue\n"
                "[Enter] takes the marked one  [t] own words  [p] no answer");
    press(&asked, "up", 5000);
    expect_rows(&asked, "the last", 80, 4, -1,
                "Which one?\n  2. green\n❯ 3. blue\n"
                "[Enter] takes the marked one  [t] own words  [p] no answer");
    expect_rows(&asked, "few rows", 80, 2, -1, "Which one?\n❯ 3. blue");
    expect_rows(&asked, "one row", 80, 1, -1, "Which one?");
    g_auto(Asked) boxes;
    ask(&boxes, "{\"method\":\"select\",\"title\":\"Which?\",\"options\":[\"☐ red\",\"Other\"],"
                "\"checks\":1}");
    expect_rows(&boxes, "a box", 80, 20, -1,
                "Which?\n❯ 1. ☐ red\n  2. Other\n"
                "[Enter] checks or unchecks it  [t] own words  [p] no answer");
    press(&boxes, "down", 5000);
    expect_rows(&boxes, "no box", 80, 20, -1,
                "Which?\n  1. ☐ red\n❯ 2. Other\n"
                "[Enter] takes the marked one  [t] own words  [p] no answer");
    g_auto(Asked) long_ones;
    ask(&long_ones, "{\"method\":\"select\",\"title\":\"A\\nB\",\"timeout\":30000,\"options\":["
                    "\"red as the evening sky above it\",\"green\"]}");
    expect_rows(&long_ones, "long", 24, 20, -1,
                "A\nB\n❯ 1. red as the evening\n     sky above it\n  2. green\n"
                "[Enter] takes the marke…\n[t] own words\n[p] no answer\n(closed after 30 s)");
}

/* Nothing that a repository or a model wrote hides in a question. */
static void test_hostile(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    secrets_register("hunter2hunter2");
    ask(&asked, "{\"effect\":\"write\",\"text\":\"WRITE: x\\u001b[2J\\n\\u202e  rm \\u0007\\tb"
                "\\n  key hunter2hunter2\"}");
    expect_rows(&asked, "hostile", 60, 20, -1,
                "WRITE: x\\x1b[2J\n\\u202e  rm \\x07 b\n  key [REDACTED]\n"
                "[y] once  [n] no  [t] no, and tell it…  [?] explain");
}

/* A long text: head, tail, and how much there is; `e` shows all, and it can be scrolled. */
static void test_long(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    g_autoptr(GString) text = g_string_new("{\"effect\":\"destructive\",\"text\":\"DESTRUCTIVE");
    for (int i = 1; i < 40; i++)
        g_string_append_printf(text, "\\nline %d", i);
    g_string_append(text, "\"}");
    ask(&asked, text->str);
    g_autoptr(GPtrArray) rows = rows_new();
    int row, column;
    asked.panel->class->rows(asked.panel, 80, 40, rows, &row, &column);
    assert_int_equal(rows->len, 21);
    assert_int_equal(row_style_of(rows->pdata[0], "DESTR").fg, TOKEN_ERROR);
    assert_string_equal(((const Row *)rows->pdata[11])->text, "line 11");
    assert_string_equal(((const Row *)rows->pdata[12])->text, "  … 21 more lines: ? shows them");
    assert_string_equal(((const Row *)rows->pdata[13])->text, "line 33");
    assert_int_equal(press(&asked, "?", 5000), PANEL_CHANGED);
    expect_rows(&asked, "explained", 80, 4, -1,
                "DESTRUCTIVE\nline 1\n… 38 more rows (page keys)\n"
                "[y] once  [n] no  [t] no, and tell it…  [?] less");
    assert_int_equal(press(&asked, "end", 6000), PANEL_CHANGED);
    expect_rows(&asked, "its end", 80, 4, -1,
                "line 38\nline 39\n… 38 rows above, 0 below (page keys)\n"
                "[y] once  [n] no  [t] no, and tell it…  [?] less");
    assert_int_equal(press(&asked, "end", 7000), PANEL_TAKEN);
    assert_int_equal(press(&asked, "pageUp", 8000), PANEL_CHANGED);
    expect_rows(&asked, "a page", 80, 3, -1,
                "line 37\n… 37 rows above, 2 below (page keys)\n"
                "[y] once  [n] no  [t] no, and tell it…  [?] less");
    assert_int_equal(press(&asked, "home", 9000), PANEL_CHANGED);
    assert_int_equal(press(&asked, "home", 10000), PANEL_TAKEN);
    assert_int_equal(asked.answers, 0);
}

/* Edits and writes show what they would change, and not twice. */
static void test_changes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *question;
        const char *const seen[4], *unseen;
    } cases[] = {
        { "write",
          "{\"effect\":\"write\",\"tool\":\"write\",\"text\":\"WRITE: w\\n  write\\n  path: "
          "\\\"a.c\\\"\\n"
          "  content: \\\"int x;\\\\n\\\"\",\"arguments\":{\"path\":\"a.c\",\"content\":\"int "
          "x;\\n\"}}",
          { "path: \"a.c\"", "int x;" },
          "content:" },
        { "replace",
          "{\"effect\":\"write\",\"tool\":\"edit\",\"text\":\"WRITE: e\\n  edits: "
          "[x]\",\"arguments\":{"
          "\"edits\":[{\"old_text\":\"before\",\"new_text\":\"after\\u001b[2J\"}]}}",
          { "before", "after\\x1b[2J" },
          "edits:" },
        { "patch",
          "{\"effect\":\"write\",\"tool\":\"edit\",\"text\":\"WRITE: e\",\"arguments\":{"
          "\"edits\":[{\"diff\":\"@@\\n-gone\\n+come\"}]}}",
          { "gone", "come" },
          "diff" },
        { "secret",
          "{\"effect\":\"write\",\"tool\":\"write\",\"text\":\"WRITE: w\",\"arguments\":{"
          "\"content\":\"key hunter2hunter2\\n\"}}",
          { "key [REDACTED]" },
          "hunter2" },
        { "another tool",
          "{\"effect\":\"write\",\"tool\":\"bash\",\"text\":\"WRITE: e\\n  content: "
          "x\",\"arguments\":{"
          "\"content\":\"y\"}}",
          { "content: x" },
          "y\n" },
        { "odd",
          "{\"effect\":\"write\",\"tool\":\"edit\",\"text\":\"WRITE: e\",\"arguments\":{"
          "\"edits\":[7,{\"old_text\":7}]}}",
          { "WRITE" },
          "7" },
    };
    secrets_register("hunter2hunter2");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Asked) asked;
        g_autoptr(GPtrArray) rows = rows_new();
        int row, column;
        ask(&asked, cases[i].question);
        asked.panel->class->rows(asked.panel, 80, 40, rows, &row, &column);
        g_autofree char *text = rows_text(rows);
        for (size_t k = 0; cases[i].seen[k]; k++) {
            if (!strstr(text, cases[i].seen[k]))
                fail_msg("%s: no '%s' in\n%s", cases[i].name, cases[i].seen[k], text);
        }
        if (strstr(text, cases[i].unseen))
            fail_msg("%s: '%s' in\n%s", cases[i].name, cases[i].unseen, text);
    }
}

/* What the gate has cut is there when it is asked for, up to a bound. */
static void test_explained_arguments(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    g_autoptr(json_t) question = json_object();
    json_t *arguments = json_object();
    g_autoptr(GString) command = g_string_new(NULL);
    for (int i = 0; i < 3000; i++)
        g_string_append_printf(command, "echo %d\n", i);
    json_set_text(arguments, "command", command->str);
    g_autofree char *huge = g_strnfill(1024 * 1024, 'x');
    json_set_text(arguments, "huge", huge);
    json_set_text(question, "effect", "unknown");
    json_set_text(question, "text", "UNKNOWN: runs");
    json_set_take(question, "arguments", arguments);
    g_autofree char *text = json_to_text(question);
    ask(&asked, text);
    press(&asked, "?", 5000);
    g_autoptr(GPtrArray) rows = rows_new();
    int row, column;
    asked.panel->class->rows(asked.panel, 80, 100000, rows, &row, &column);
    g_autofree char *shown = rows_text(rows);
    assert_non_null(strstr(shown, "command, whole:\necho 0\necho 1\n"));
    assert_non_null(strstr(shown, "\necho 2999\n"));
    assert_non_null(strstr(shown, "… the rest is too long to be shown"));
    assert_true(rows->len < 10000);
    assert_rows_fit("explained", rows, 80);
}

static void test_all_sizes(void **state G_GNUC_UNUSED)
{
    static const char *const questions[] = { plain, options, text_wanted, "{}" };
    for (size_t i = 0; i < G_N_ELEMENTS(questions); i++) {
        for (int width = 1; width < 100; width += 3) {
            for (int max_rows = 1; max_rows < 14; max_rows++) {
                g_auto(Asked) asked;
                ask(&asked, questions[i]);
                for (int is_typing = 0; is_typing < 2; is_typing++) {
                    g_autoptr(GPtrArray) rows = rows_new();
                    int row = -2, column = -2;
                    asked.panel->class->rows(asked.panel, width, max_rows, rows, &row, &column);
                    assert_rows_fit(questions[i], rows, width);
                    assert_true(rows->len >= 1 && (int)rows->len <= max_rows);
                    assert_true(row >= -1 && row < (int)rows->len);
                    assert_true(column >= 0 && (row < 0 || column < MAX(width, 3)));
                    press(&asked, "t", 5000);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_allowance_rows),
        cmocka_unit_test(test_typing_rows), cmocka_unit_test(test_option_rows),
        cmocka_unit_test(test_hostile),     cmocka_unit_test(test_long),
        cmocka_unit_test(test_changes),     cmocka_unit_test(test_explained_arguments),
        cmocka_unit_test(test_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
