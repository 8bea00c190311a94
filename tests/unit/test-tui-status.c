/*
 * The status line and the rule above the editor: segments, presets, what is left out when it is
 * narrow (agent-core §7.6).
 */
#include "base/str.h"
#include "tui_rows.h"

#include "tui/view/status.h"

static json_t *value_of(const char *text)
{
    json_t *value = NULL;
    assert_true(json_parse_text(text, &value, NULL));
    return value;
}

/* `preset` as JSON of settings below statusLine. */
static StatusLayout *layout_of(const char *line, GPtrArray *warnings)
{
    g_autofree char *text = g_strdup_printf("{\"statusLine\":{%s}}", line);
    g_autoptr(json_t) overrides = value_of(text);
    g_autoptr(Settings) settings = settings_new(overrides);
    return status_layout_new(settings, warnings);
}

static const StatusFacts whole = {
    .provider = "anthropic",
    .model = "opus-4",
    .thinking = "high",
    .mode = "plan",
    .cwd = "/home/dev/src/app",
    .home = "/home/dev",
    .session_name = "Fix the clock",
    .session_id = "a1b2c3d4",
    .host = "box",
    .branch = "main",
    .staged = 2,
    .unstaged = 1,
    .untracked = 3,
    .pull = "#12 ok",
    .cost = 0.4213,
    .tokens_in = 48211,
    .tokens_out = 1234,
    .cache_read = 1200000,
    .cache_write = 999,
    .context_window = 200000,
    .context_percent = 42,
    .tokens_per_second = 61.4,
    .elapsed_ms = 192000,
    .clock = "14:05",
    .subagents = 2,
};

/* The row with the branch symbol as B. Caller frees. */
static char *shown(const Row *row)
{
    g_auto(GStrv) parts = g_strsplit(row->text, theme_symbol(NULL, SYMBOL_BRANCH), -1);
    return g_strjoinv("B", parts);
}

static void expect_row(const char *name, const StatusLayout *layout, const StatusFacts *facts,
                       int width, const char *want)
{
    g_autoptr(Row) row = status_row(layout, facts, NULL, width);
    g_autofree char *got = shown(row);
    if (strcmp(got, want) != 0 || row->cells > MAX(width, 0))
        fail_msg("%s, %d columns:\n'%s' is wanted, got\n'%s'", name, width, want, got);
}

static void test_presets(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *preset;
        int width;
        const char *want;
    } cases[] = {
        { "default", 20, "kedge | opus-4 · hi…" },
        { "default", 40, "kedge | opus-4 · high | plan | ~/src/app" },
        { "default", 80,
          "kedge | opus-4 · high | plan | ~/src/app | B main +2 *1 ?3 | #12 ok | ctx 42%" },
        { "default", 110,
          "kedge | opus-4 · high | plan | ~/src/app | B main +2 *1 ?3 | #12 ok | ctx 42% | $0.42   "
          "         Fix the clock" },
        { "minimal", 20, "~/src/app | B main …" },
        { "minimal", 40, "~/src/app | B main +2 *1 ?3" },
        { "minimal", 45, "~/src/app | B main +2 *1 ?3     Fix the clock" },
        { "minimal", 60, "~/src/app | B main +2 *1 ?3   Fix the clock | plan | ctx 42%" },
        { "compact", 60, "opus-4 · high | plan | B main +2 *1 ?3 | #12 ok" },
        { "compact", 80,
          "opus-4 · high | plan | B main +2 *1 ?3 | #12 ok  Fix the clock | $0.42 | ctx 42%" },
        { "full", 200,
          "kedge | box | opus-4 · high | plan | ~/src/app | B main +2 *1 ?3 | #12 ok | 2 agents    "
          "                        Fix the clock | 48k in | 1.2k out | 61/s | 1.2M cached | $0.42 "
          "| ctx 42% | 3m12s | 14:05" },
        { "nerd", 220,
          "kedge | box | opus-4 · high | plan | ~/src/app | B main +2 *1 ?3 | #12 ok | a1b2c3d4 | "
          "2 agents                            48k in | 1.2k out | 61/s | 1.2M cached | 999 to "
          "cache | $0.42 | ctx 42% | of 200k | 3m12s | 14:05" },
        { "ascii", 200,
          "box | opus-4 · high | plan | ~/src/app | B main +2 *1 ?3 | #12 ok                       "
          "                                                     Fix the clock | 49k tokens | 61/s "
          "| $0.42 | ctx 42% | 14:05" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *line =
            g_strdup_printf("\"preset\":\"%s\",\"separator\":\"pipe\"", cases[i].preset);
        g_autoptr(StatusLayout) layout = layout_of(line, NULL);
        expect_row(cases[i].preset, layout, &whole, cases[i].width, cases[i].want);
    }
}

static void test_separators(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        { "\"preset\":\"ascii\"", "box > opus-4          Fix the clock < 49k tokens" },
        { "\"preset\":\"ascii\",\"separator\":\"slash\"",
          "box / opus-4          Fix the clock / 49k tokens" },
        { "\"preset\":\"ascii\",\"separator\":\"none\"",
          "box  opus-4            Fix the clock  49k tokens" },
    };
    const StatusFacts facts = {
        .model = "opus-4",
        .host = "box",
        .session_name = "Fix the clock",
        .tokens_in = 49000,
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(StatusLayout) layout = layout_of(cases[i].line, NULL);
        expect_row(cases[i].line, layout, &facts, 48, cases[i].want);
    }
    g_autoptr(StatusLayout) thin = layout_of("", NULL);
    g_autofree char *want =
        g_strdup_printf("kedge %s opus-4", theme_symbol(NULL, SYMBOL_SEPARATOR));
    const StatusFacts few = { .model = "opus-4" };
    expect_row("the theme's", thin, &few, 80, want);
}

/* Every width, every preset: never wider, never nothing while there is room for something. */
static void test_all_widths(void **state G_GNUC_UNUSED)
{
    static const char *const names[] = { "default", "minimal", "compact", "full", "nerd", "ascii" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *line = g_strdup_printf("\"preset\":\"%s\"", names[i]);
        g_autoptr(StatusLayout) layout = layout_of(line, NULL);
        for (int width = -1; width < 250; width++) {
            g_autoptr(Row) row = status_row(layout, &whole, NULL, width);
            g_autoptr(Row) rule = status_rule(&whole, NULL, TOKEN_BORDER, width);
            if (row->cells > MAX(width, 0) || (width > 0 && row->cells == 0))
                fail_msg("%s: %d cells of %d: '%s'", names[i], row->cells, width, row->text);
            if (rule->cells != CLAMP(width, 0, 60))
                fail_msg("rule: %d cells of %d: '%s'", rule->cells, width, rule->text);
        }
    }
}

static void test_segments(void **state G_GNUC_UNUSED)
{
    static const char home[] = "/home/dev";
    static const struct {
        const char *segment;
        StatusFacts facts;
        const char *want;
    } cases[] = {
        { "model", { .model = "opus-4", .thinking = "off" }, "opus-4" },
        { "model", { .thinking = "high" }, "" },
        { "mode", { 0 }, "" },
        { "path", { .cwd = "/home/dev", .home = home }, "~" },
        { "path", { .cwd = "/home/developer", .home = home }, "/home/developer" },
        { "path", { .cwd = "/home/dev/a", .home = "/home/dev/" }, "~/a" },
        { "path", { .cwd = "/srv", .home = "/" }, "/srv" },
        { "path", { .cwd = "/srv", .home = "" }, "/srv" },
        { "path",
          { .cwd = "/home/dev/projects/very/deep/below/the/harbour/wall", .home = home },
          "…ojects/very/deep/below/the/harbour/wall" },
        { "path", { .cwd = "/a\x1b[2Jb\nc" }, "/ab c" },
        { "git", { .branch = NULL, .staged = 3 }, "" },
        { "git", { .branch = "main", .staged = -1, .unstaged = -1, .untracked = -1 }, "B main" },
        { "git", { .branch = "main", .unstaged = 7 }, "B main *7" },
        { "git", { .branch = "(a1b2c3d)" }, "B (a1b2c3d)" },
        { "git",
          { .branch = "a\x1b]0;x\x07"
                      "b" },
          "B ab" },
        { "pr", { .pull = "#7" }, "#7" },
        { "subagents", { .subagents = 1 }, "1 agent" },
        { "token_in", { .tokens_in = 999 }, "999 in" },
        { "token_in", { .tokens_in = 1000 }, "1.0k in" },
        { "token_in", { .tokens_in = 9949 }, "9.9k in" },
        { "token_in", { .tokens_in = 9951 }, "10k in" },
        { "token_in", { .tokens_in = 999600 }, "1.0M in" },
        { "token_in", { .tokens_in = -1 }, "" },
        { "token_out", { .tokens_out = G_MAXINT64 }, "9223372T out" },
        { "token_total", { .tokens_in = -1, .tokens_out = 5 }, "5 tokens" },
        { "token_rate", { .tokens_per_second = 3.25 }, "3.2/s" },
        { "token_rate", { .tokens_per_second = -1 }, "" },
        { "cost", { .cost = 0.0042 }, "$0.004" },
        { "cost", { .cost = 12.5 }, "$12.50" },
        { "cost", { 0 }, "" },
        { "context_pct", { .context_window = 200000, .context_percent = -1 }, "ctx ?" },
        { "context_pct", { .context_percent = -1 }, "" },
        { "context_pct", { .context_window = 200000 }, "ctx 0%" },
        { "context_total", { .context_window = 1000000 }, "of 1.0M" },
        { "time_spent", { .elapsed_ms = 999 }, "" },
        { "time_spent", { .elapsed_ms = 59999 }, "59s" },
        { "time_spent", { .elapsed_ms = 3 * 3600000 + 60000 }, "3h01m" },
        { "time", { .clock = "14:05" }, "14:05" },
        { "session", { .session_id = "a1b2" }, "a1b2" },
        { "hostname", { .host = "bo\x1b[0mx" }, "box" },
        { "session_name",
          { .session_name = "\xe2\x80\xae"
                            "drow" },
          "drow" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *line =
            g_strdup_printf("\"preset\":\"custom\",\"leftSegments\":[\"%s\"]", cases[i].segment);
        g_autoptr(StatusLayout) layout = layout_of(line, NULL);
        expect_row(cases[i].segment, layout, &cases[i].facts, 80, cases[i].want);
    }
}

static void test_colours(void **state G_GNUC_UNUSED)
{
    static const struct {
        double percent;
        ThemeToken token;
    } cases[] = {
        { 69.9, TOKEN_STATUS_CONTEXT },
        { 70, TOKEN_WARNING },
        { 89.9, TOKEN_WARNING },
        { 90, TOKEN_ERROR },
    };
    g_autoptr(StatusLayout) layout = layout_of("", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const StatusFacts facts = { .context_window = 1000, .context_percent = cases[i].percent };
        g_autoptr(Row) row = status_row(layout, &facts, NULL, 80);
        assert_int_equal(row_style_of(row, "ctx").fg, cases[i].token);
    }
    const StatusFacts clean = { .branch = "main", .mode = "plan" };
    const StatusFacts dirty = { .branch = "main", .untracked = 1, .mode = "yolo" };
    g_autoptr(Row) row = status_row(layout, &clean, NULL, 80);
    g_autoptr(Row) other = status_row(layout, &dirty, NULL, 80);
    assert_int_equal(row_style_of(row, "main").fg, TOKEN_STATUS_GIT_CLEAN);
    assert_int_equal(row_style_of(other, "main").fg, TOKEN_STATUS_GIT_DIRTY);
    assert_int_equal(row_style_of(row, "plan").fg, TOKEN_ACCENT);
    assert_int_equal(row_style_of(other, "yolo").fg, TOKEN_WARNING);
    assert_int_equal(row_style_of(other, "?1").fg, TOKEN_STATUS_UNTRACKED);
}

/* An open question is in front of all, and the last thing to go. */
static void test_notice(void **state G_GNUC_UNUSED)
{
    g_autoptr(StatusLayout) layout = layout_of("\"separator\":\"pipe\"", NULL);
    const StatusFacts facts = { .model = "opus-4", .notice = "bash asks: rm -r build\n" };
    expect_row("wide", layout, &facts, 80, "bash asks: rm -r build | kedge | opus-4");
    expect_row("narrow", layout, &facts, 30, "bash asks: rm -r build | kedge");
    g_autoptr(Row) row = status_row(layout, &facts, NULL, 10);
    assert_true(str_has_prefix(row->text, "bash ask"));
    assert_int_equal(row_style_of(row, "bash").fg, TOKEN_WARNING);
}

static void test_rule(void **state G_GNUC_UNUSED)
{
    static const struct {
        int width;
        const char *want;
    } cases[] = {
        { 20, "-- opus-4 · high ---" },
        { 40, "-- opus-4 · high -- plan ---------------" },
        { 80, "-- opus-4 · high -- plan -- Fix the clock ------------------" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Row) row = status_rule(&whole, NULL, TOKEN_BASH_MODE, cases[i].width);
        g_auto(GStrv) parts = g_strsplit(row->text, theme_symbol(NULL, SYMBOL_RULE), -1);
        g_autofree char *got = g_strjoinv("-", parts);
        assert_string_equal(got, cases[i].want);
        assert_int_equal(row->runs[0].style.fg, TOKEN_BASH_MODE);
    }
}

static void test_custom(void **state G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(StatusLayout) layout = layout_of(
        "\"preset\":\"custom\",\"separator\":\"pipe\",\"leftSegments\":[\"cost\",\"clock\","
        "7,\"model\"],\"rightSegments\":[\"time\"]",
        warnings);
    assert_int_equal(warnings->len, 2);
    const char *first = warnings->pdata[0];
    assert_non_null(strstr(first, "statusLine.leftSegments: there is no segment \"clock\""));
    assert_non_null(strstr(first, "segments are logo, model, "));
    assert_non_null(strstr(warnings->pdata[1], "there is no segment 7"));
    assert_true(status_layout_has(layout, "time"));
    assert_true(status_layout_has(layout, "cost"));
    assert_false(status_layout_has(layout, "logo"));
    assert_false(status_layout_has(layout, "clock"));
    expect_row("custom", layout, &whole, 40, "$0.42 | opus-4 · high              14:05");

    g_autoptr(GString) many = g_string_new("\"preset\":\"custom\",\"rightSegments\":[\"time\"");
    for (int i = 0; i < 100; i++)
        g_string_append(many, ",\"time\"");
    g_string_append_c(many, ']');
    g_ptr_array_set_size(warnings, 0);
    g_autoptr(StatusLayout) bounded = layout_of(many->str, warnings);
    assert_true(status_layout_has(bounded, "time"));
    assert_int_equal(warnings->len, 1);
    assert_non_null(strstr(warnings->pdata[0], "more than 32 segments"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),    cmocka_unit_test(test_separators),
        cmocka_unit_test(test_all_widths), cmocka_unit_test(test_segments),
        cmocka_unit_test(test_colours),    cmocka_unit_test(test_notice),
        cmocka_unit_test(test_rule),       cmocka_unit_test(test_custom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
