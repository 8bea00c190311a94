/*
 * What stands around the editor: the todo list, messages that wait, the working line, the welcome
 * (agent-core §7.1, §7.7, §7.11, §7.13).
 */
#include "tui_rows.h"

#include "base/json.h"
#include "tui/view/pending.h"
#include "tui/view/todo_panel.h"
#include "tui/view/watch_panel.h"
#include "tui/view/welcome.h"
#include "tui/view/working.h"

static const int widths[] = { 20, 40, 80, 200 };

static json_t *value_of(const char *text)
{
    json_t *value = NULL;
    if (!json_parse_text(text, &value, NULL))
        fail_msg("no JSON: %s", text);
    return value;
}

// ---- the todo list ----

static const char two_phases[] =
    "[{\"name\":\"Plan\",\"tasks\":[{\"content\":\"Read\",\"status\":\"completed\"}]},"
    "{\"name\":\"Build\",\"tasks\":[{\"content\":\"Write parser\",\"status\":\"completed\"},"
    "{\"content\":\"Write\\u001b[2J printer with a long name\",\"status\":\"in_progress\"},"
    "{\"content\":\"Drop\",\"status\":\"abandoned\"},{\"content\":\"Test\",\"status\":\"pending\"}]"
    "}]";

static void test_todo(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *phases;
        bool is_expanded;
        int width;
        const char *want;
    } cases[] = {
        { "collapsed", two_phases, false, 60,
          "Build 2/4\n  ■ Write parser\n  • Write printer with a long name\n  ✗ Drop\n  □ Test" },
        { "narrow", two_phases, false, 20,
          "Build 2/4\n  ■ Write parser\n  • Write printer w…\n  ✗ Drop\n  □ Test" },
        { "expanded", two_phases, true, 60,
          "Plan 1/1\n  ■ Read\n"
          "Build 2/4\n  ■ Write parser\n  • Write printer with a long name\n  ✗ Drop\n  □ Test" },
        { "nothing is open",
          "[{\"name\":\"Plan\",\"tasks\":[{\"content\":\"Read\",\"status\":\"completed\"}]}]", true,
          60, "" },
        { "no list", "[]", false, 60, "" },
        { "odd", "[7,{\"name\":3,\"tasks\":[1,{\"status\":\"pending\"}]}]", false, 60,
          " 1/2\n  □ \n  □ " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) phases = value_of(cases[i].phases);
        g_autoptr(GPtrArray) rows = rows_new();
        todo_panel_rows(phases, cases[i].is_expanded, NULL, cases[i].width, rows);
        assert_rows(cases[i].name, rows, cases[i].width, cases[i].want);
    }
    g_autoptr(GPtrArray) none = rows_new();
    todo_panel_rows(NULL, true, NULL, 60, none);
    assert_int_equal(none->len, 0);
}

/* Of a long phase what is at work is shown. */
static void test_long_todo(void **state G_GNUC_UNUSED)
{
    static const struct {
        int done;
        const char *want;
    } cases[] = {
        { 0, "Run 0/9\n  □ t0\n  □ t1\n  □ t2\n  □ t3\n  □ t4\n    +4 more" },
        { 3, "Run 3/9\n  ■ t2\n  □ t3\n  □ t4\n  □ t5\n  □ t6\n    +4 more" },
        { 8, "Run 8/9\n  ■ t4\n  ■ t5\n  ■ t6\n  ■ t7\n  □ t8\n    +4 more" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) text = g_string_new("[{\"name\":\"Run\",\"tasks\":[");
        for (int k = 0; k < 9; k++)
            g_string_append_printf(text, "%s{\"content\":\"t%d\",\"status\":\"%s\"}", k ? "," : "",
                                   k, k < cases[i].done ? "completed" : "pending");
        g_string_append(text, "]}]");
        g_autoptr(json_t) phases = value_of(text->str);
        g_autoptr(GPtrArray) rows = rows_new();
        todo_panel_rows(phases, false, NULL, 40, rows);
        assert_rows("long", rows, 40, cases[i].want);
    }
}

static void test_todo_styles(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) phases = value_of(two_phases);
    g_autoptr(GPtrArray) rows = rows_new();
    todo_panel_rows(phases, false, NULL, 60, rows);
    assert_true(row_style_of(rows->pdata[1], "Write").attributes & STYLE_STRIKE);
    assert_int_equal(row_style_of(rows->pdata[2], "Write").fg, TOKEN_ACCENT);
    assert_int_equal(row_style_of(rows->pdata[3], "Drop").fg, TOKEN_ERROR);
    assert_true(row_style_of(rows->pdata[3], "Drop").attributes & STYLE_STRIKE);
    assert_int_equal(row_style_of(rows->pdata[4], "Test").fg, TOKEN_DIM);
}

// ---- what is watched ----

static void test_watched(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *block;
        int width;
        const char *want;
    } cases[] = {
        { "each state",
          "{\"title\":\"CI of a1b2\",\"rows\":["
          "{\"state\":\"failed\",\"text\":\"ci: lint\",\"detail\":\"make lint (3/5)\"},"
          "{\"state\":\"running\",\"text\":\"ci: test\",\"detail\":\"make\"},"
          "{\"state\":\"waiting\",\"text\":\"docs (push)\",\"detail\":\"queued\"},"
          "{\"state\":\"passed\",\"text\":\"a\",\"detail\":\"success\"},"
          "{\"state\":\"skipped\",\"text\":\"b\",\"detail\":\"skipped\"}]}",
          60,
          "CI of a1b2\n  ✗ ci: lint  make lint (3/5)\n  • ci: test  make\n  ○ docs (push)  queued\n"
          "  ✓ a  success\n  • b  skipped" },
        { "narrow",
          "{\"title\":\"CI of a1b2\",\"rows\":[{\"text\":\"long name\",\"detail\":\"x\"}]}", 8,
          "CI of a…\n  ○ lon…" },
        { "hostile",
          "{\"title\":\"T\\u001b[2J\",\"rows\":[{\"state\":7,\"text\":\"a\\nb\\u0007\"},3]}", 60,
          "T\n  ○ a b  \n  ○   " },
        { "many",
          "{\"title\":\"T\",\"rows\":[{\"text\":\"1\"},{\"text\":\"2\"},{\"text\":\"3\"},{\"text\":"
          "\"4\"},"
          "{\"text\":\"5\"},{\"text\":\"6\"},{\"text\":\"7\"},{\"text\":\"8\"},{\"text\":\"9\"}]}",
          60,
          "T\n  ○ 1  \n  ○ 2  \n  ○ 3  \n  ○ 4  \n  ○ 5  \n  ○ 6  \n  ○ 7  \n  ○ 8  \n    +1 "
          "more" },
        { "none", "{\"title\":\"T\",\"rows\":[]}", 60, "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) block = value_of(cases[i].block);
        g_autoptr(GPtrArray) rows = rows_new();
        watch_panel_rows(block, NULL, cases[i].width, rows);
        assert_rows(cases[i].name, rows, cases[i].width, cases[i].want);
    }
    g_autoptr(GPtrArray) none = rows_new();
    watch_panel_rows(NULL, NULL, 60, none);
    assert_int_equal(none->len, 0);
}

// ---- messages that wait ----

static void test_pending(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *steering, *follow_up;
        int width, max_rows;
        const char *want;
    } cases[] = {
        { "none", "[]", "[]", 60, 5, "" },
        { "both", "[\"use tabs\"]", "[\"then\\nrun make\", \"and push\"]", 60, 3,
          "↳ steer: use tabs\n↳ follow-up: then run make\n↳ follow-up: and push" },
        { "no room", "[\"use tabs\"]", "[\"then\", \"and push\"]", 60, 2, "3 queued" },
        { "no row", "[\"use tabs\"]", "[]", 60, 0, "" },
        { "narrow", "[\"use tabs everywhere\"]", "[]", 20, 5, "↳ steer: use tabs e…" },
        { "hostile", "[\"a\\u001b]0;t\\u0007b\\u202ec\", 7]", "[]", 60, 5,
          "↳ steer: abc\n↳ steer: " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) steering = value_of(cases[i].steering);
        g_autoptr(json_t) follow_up = value_of(cases[i].follow_up);
        g_autoptr(GPtrArray) rows = rows_new();
        pending_rows(steering, follow_up, NULL, cases[i].width, cases[i].max_rows, rows);
        assert_rows(cases[i].name, rows, cases[i].width, cases[i].want);
    }
    g_autoptr(GPtrArray) none = rows_new();
    pending_rows(NULL, NULL, NULL, 60, 5, none);
    assert_int_equal(none->len, 0);
}

// ---- the working line ----

static void test_working(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        WorkingFacts facts;
        int width;
        const char *want; // "*" is the spinner
    } cases[] = {
        { "at first", { .has_motion = true }, 60, "* Working… (esc to interrupt)" },
        { "later",
          { .has_motion = true, .elapsed_ms = 12999 },
          60,
          "* Working… (esc to interrupt) 12s" },
        { "minutes",
          { .has_motion = true, .elapsed_ms = 185000 },
          60,
          "* Working… (esc to interrupt) 3m05s" },
        { "hours",
          { .has_motion = true, .elapsed_ms = 3720000 },
          60,
          "* Working… (esc to interrupt) 1h02m" },
        { "no motion", { .elapsed_ms = 12999 }, 60, "* Working… (esc to interrupt)" },
        { "intent",
          { .has_motion = true, .intent = "run the\x1b[31m tests\n" },
          60,
          "* run the tests… (esc to interrupt)" },
        { "long intent",
          { .has_motion = true, .intent = "look for every place that could be wrong" },
          40,
          "* look for every pla… (esc to interrupt)" },
        { "retry",
          { WORKING_RETRY, .has_motion = true, .attempt = 1, .max_attempts = 3, .wait_ms = 2000 },
          60,
          "* Retrying (1/3) in 2s… (esc to cancel)" },
        { "retry, begun second",
          { WORKING_RETRY, .has_motion = true, .attempt = 2, .max_attempts = 3, .wait_ms = 1001 },
          60,
          "* Retrying (2/3) in 2s… (esc to cancel)" },
        { "retry without motion",
          { WORKING_RETRY, .attempt = 2, .max_attempts = 3, .wait_ms = 1001 },
          60,
          "* Retrying (2/3)… (esc to cancel)" },
        { "compaction",
          { WORKING_COMPACTION, .has_motion = true, .elapsed_ms = 4000 },
          60,
          "* Auto-compacting… (esc to cancel) 4s" },
        { "summary",
          { WORKING_SUMMARY, .has_motion = true },
          60,
          "* Summarizing… (esc to cancel)" },
        { "command", { WORKING_COMMAND, .has_motion = true }, 60, "* Running… (esc to interrupt)" },
        { "stopping",
          { .is_stopping = true, .has_motion = true, .intent = "run", .elapsed_ms = 3000 },
          60,
          "* Stopping… 3s" },
        { "narrow", { .has_motion = true }, 20, "* Working… (esc to …" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Symbol symbol = cases[i].facts.has_motion ? SYMBOL_SPINNER_2 : SYMBOL_ACTIVE;
        g_autoptr(Row) row = working_row(&cases[i].facts, NULL, 6, cases[i].width);
        g_autofree char *want = g_strconcat(theme_symbol(NULL, symbol), cases[i].want + 1, NULL);
        if (strcmp(row->text, want) != 0 || row->cells > cases[i].width)
            fail_msg("%s: '%s' is wanted, got '%s'", cases[i].name, want, row->text);
    }
}

// ---- the welcome ----

static const char sessions[] =
    "[{\"title\":\"Fix the clock\",\"modified\":1000000},"
    "{\"title\":\"A name \\u001b[2Jthat is much longer than the room that there is for it in the "
    "box, wherever it stands\",\"modified\":3600000},"
    "{\"firstMessage\":\"look at this\\nplease\",\"modified\":7199999},"
    "{\"title\":\"The fourth\",\"modified\":1}]";

static char *welcome_text(bool has_key, int width)
{
    g_autoptr(json_t) list = value_of(sessions);
    const WelcomeFacts facts = {
        .version = "1.2.3",
        .provider = "anthropic",
        .model = "claude-opus-4",
        .key_hint = has_key ? NULL : "Set ANTHROPIC_API_KEY, or run kedge login anthropic.",
        .sessions = list,
        .now_ms = 7200000,
    };
    g_autoptr(GPtrArray) rows = rows_new();
    welcome_rows(&facts, NULL, width, rows);
    assert_rows_fit("welcome", rows, MIN(width, WELCOME_MAX_CELLS));
    for (unsigned i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        if (row->cells != MIN(width, WELCOME_MAX_CELLS))
            fail_msg("welcome, %d columns: row %u has %d cells: '%s'", width, i, row->cells,
                     row->text);
    }
    return rows_text(rows);
}

static void test_welcome(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(widths); i++) {
        g_autofree char *with = welcome_text(true, widths[i]);
        g_autofree char *without = welcome_text(false, widths[i]);
        g_string_append_printf(all, "%d\n%s\n%d, no key\n%s\n", widths[i], with, widths[i],
                               without);
    }
    g_autofree char *path = g_build_filename(TEST_DATA_DIR, "tui", "welcome.txt", NULL);
    if (g_getenv("UPDATE"))
        assert_true(g_file_set_contents(path, all->str, -1, NULL));
    g_autofree char *want = NULL;
    assert_true(g_file_get_contents(path, &want, NULL, NULL));
    assert_string_equal(all->str, want);
}

static void test_small_welcome(void **state G_GNUC_UNUSED)
{
    for (int width = -1; width < 4; width++) {
        g_autofree char *text = welcome_text(true, width);
        assert_string_equal(text, "");
    }
    for (int width = 4; width < 120; width++)
        g_free(welcome_text(false, width));
    const WelcomeFacts nothing = { 0 };
    g_autoptr(GPtrArray) rows = rows_new();
    welcome_rows(&nothing, NULL, 80, rows);
    assert_true(rows->len > 5);
}

static void test_short_welcome(void **state G_GNUC_UNUSED)
{
    const WelcomeFacts facts = {
        .version = "1.2.3",
        .provider = "anthropic",
        .model = "claude-opus-4",
        .key_hint = "Set ANTHROPIC_API_KEY.",
        .is_short = true,
    };
    g_autoptr(GPtrArray) rows = rows_new();
    welcome_rows(&facts, NULL, 40, rows);
    g_autofree char *text = rows_text(rows);
    assert_string_equal(text, "╭─ kedge v1.2.3 ───────────────────────╮\n"
                              "│ claude-opus-4                        │\n"
                              "│ No key for anthropic yet.            │\n"
                              "│ Set ANTHROPIC_API_KEY. Or here:      │\n"
                              "│ /login anthropic, or another /model. │\n"
                              "╰──────────────────────────────────────╯");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_todo),          cmocka_unit_test(test_long_todo),
        cmocka_unit_test(test_todo_styles),   cmocka_unit_test(test_pending),
        cmocka_unit_test(test_watched),       cmocka_unit_test(test_working),
        cmocka_unit_test(test_welcome),       cmocka_unit_test(test_small_welcome),
        cmocka_unit_test(test_short_welcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
