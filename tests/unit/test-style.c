/*
 * tui/text/style.c: what switches a terminal from one style to another, and the symbols. The
 * built-in themes are legible at each depth.
 */
#include "base/str.h"
#include "unit.h"

#include "tui/text/style.h"
#include "tui/text/width.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Theme *load(const char *name)
{
    char *problem = NULL;
    Theme *theme = theme_load(&(ThemeSpec) { .name = name }, &problem);
    assert_null(problem);
    return theme;
}

static char *switched(const Theme *theme, ColourDepth depth, Style from, Style to)
{
    GString *out = g_string_new(NULL);
    theme_switch(theme, depth, from, to, out);
    return g_string_free(out, FALSE);
}

#define PLAIN                                                                                      \
    {                                                                                              \
        0                                                                                          \
    }
#define WITH(a)                                                                                    \
    {                                                                                              \
        .attributes = (a)                                                                          \
    }
#define ACCENT                                                                                     \
    {                                                                                              \
        .fg = TOKEN_ACCENT                                                                         \
    }
#define ACCENT_BOLD                                                                                \
    {                                                                                              \
        .fg = TOKEN_ACCENT, .attributes = STYLE_BOLD                                               \
    }
#define SELECTED                                                                                   \
    {                                                                                              \
        .fg = TOKEN_ACCENT, .bg = TOKEN_SELECTED_BG                                                \
    }

static const struct {
    const char *name;
    ColourDepth depth;
    Style from, to;
    const char *want;
} switches[] = {
    { "nothing", DEPTH_TRUE, PLAIN, PLAIN, "" },
    { "a colour", DEPTH_TRUE, PLAIN, ACCENT, "\x1b[38;2;127;168;220m" },
    { "back", DEPTH_TRUE, ACCENT, PLAIN, "\x1b[m" },
    { "of 256", DEPTH_256, PLAIN, ACCENT, "\x1b[38;5;110m" },
    { "of 16", DEPTH_16, PLAIN, ACCENT, "\x1b[94m" },
    { "no colours", DEPTH_NONE, PLAIN, SELECTED, "" },
    { "but attributes", DEPTH_NONE, PLAIN, ACCENT_BOLD, "\x1b[1m" },
    { "the same colour by another name", DEPTH_TRUE, ACCENT, { .fg = TOKEN_MD_HEADING }, "" },
    { "a name for the default", DEPTH_TRUE, PLAIN, { .fg = TOKEN_TEXT }, "" },
    { "a background", DEPTH_16, ACCENT, SELECTED, "\x1b[44m" },
    { "without it", DEPTH_16, SELECTED, ACCENT, "\x1b[49m" },
    { "both away", DEPTH_TRUE, SELECTED, PLAIN, "\x1b[m" },
    { "both at once", DEPTH_256, PLAIN, SELECTED, "\x1b[38;5;110;48;5;237m" },
    { "all attributes", DEPTH_16, PLAIN, WITH(63), "\x1b[1;2;3;4;7;9m" },
    { "one less", DEPTH_16, WITH(63), WITH(63 - STYLE_ITALIC), "\x1b[23m" },
    { "bold goes and dim stays", DEPTH_16, WITH(STYLE_BOLD | STYLE_DIM | STYLE_ITALIC),
      WITH(STYLE_DIM | STYLE_ITALIC), "\x1b[22;2m" },
    { "from bold to dim", DEPTH_16, WITH(STYLE_BOLD), WITH(STYLE_DIM), "\x1b[0;2m" },
    { "bold goes, the colour stays", DEPTH_TRUE, ACCENT_BOLD, ACCENT, "\x1b[22m" },
    { "anew where that is shorter", DEPTH_TRUE, WITH(STYLE_ITALIC | STYLE_STRIKE | STYLE_BOLD),
      WITH(STYLE_UNDERLINE), "\x1b[0;4m" },
};

static void test_switch(void **state G_GNUC_UNUSED)
{
    g_autoptr(Theme) theme = load("kedge-dark");
    for (size_t i = 0; i < G_N_ELEMENTS(switches); i++) {
        g_autofree char *got = switched(theme, switches[i].depth, switches[i].from, switches[i].to);
        if (strcmp(got, switches[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", switches[i].name, got, switches[i].want);
    }
}

typedef struct Shown { // by a terminal
    char fg[24], bg[24];
    unsigned attributes;
} Shown;

static void show_colour(char *colour, int number, char **parameters, int *i)
{
    if (number == 38 || number == 48) { // 5;n or 2;r;g;b
        int count = strcmp(parameters[*i + 1], "2") == 0 ? 4 : 2;
        *colour = '\0';
        for (int end = *i + count; *i < end; ++*i) {
            g_strlcat(colour, ";", 24);
            g_strlcat(colour, parameters[*i + 1], 24);
        }
    } else {
        g_snprintf(colour, 24, "%d", number % 10 + (number >= 90 ? 8 : 0));
        if (number == 39 || number == 49)
            *colour = '\0';
    }
}

/* What a terminal makes of the bytes. */
static void show(Shown *self, const char *bytes)
{
    static const uint8_t bits[] = {
        [1] = STYLE_BOLD,      [2] = STYLE_DIM,     [3] = STYLE_ITALIC,
        [4] = STYLE_UNDERLINE, [7] = STYLE_REVERSE, [9] = STYLE_STRIKE
    };
    if (*bytes == '\0')
        return;
    assert_true(str_has_prefix(bytes, "\x1b[") && g_str_has_suffix(bytes, "m"));
    g_autofree char *inner = g_strndup(bytes + 2, strlen(bytes) - 3);
    g_auto(GStrv) parameters = g_strsplit(*inner ? inner : "0", ";", -1);
    for (int i = 0; parameters[i]; i++) {
        int number = (int)g_ascii_strtoll(parameters[i], NULL, 10);
        if (number == 0)
            *self = (Shown) { 0 };
        else if (number < 10)
            self->attributes |= bits[number];
        else if (number == 22)
            self->attributes &= ~(unsigned)(STYLE_BOLD | STYLE_DIM);
        else if (number < 30)
            self->attributes &= ~(unsigned)bits[number - 20];
        else if (number < 40 || (number >= 90 && number < 100))
            show_colour(self->fg, number, parameters, &i);
        else
            show_colour(self->bg, number, parameters, &i);
    }
}

/* From any style to any other a terminal shows the same as from none to that. */
static void test_any_switch(void **state G_GNUC_UNUSED)
{
    g_autoptr(Theme) theme = load("kedge-light");
    g_autoptr(GRand) rand = g_rand_new_with_seed(12);
    for (ColourDepth depth = DEPTH_NONE; depth <= DEPTH_TRUE; depth++) {
        Shown now = { 0 };
        Style from = { 0 };
        for (int i = 0; i < 4000; i++) {
            Style to = { (uint8_t)g_rand_int_range(rand, 0, TOKEN_COUNT),
                         (uint8_t)g_rand_int_range(rand, 0, TOKEN_COUNT),
                         (uint8_t)g_rand_int_range(rand, 0, 64) };
            g_autofree char *bytes = switched(theme, depth, from, to);
            g_autofree char *fresh = switched(theme, depth, (Style) { 0 }, to);
            Shown want = { 0 };
            show(&want, fresh);
            show(&now, bytes);
            if (strcmp(now.fg, want.fg) != 0 || strcmp(now.bg, want.bg) != 0 ||
                now.attributes != want.attributes || now.attributes != to.attributes)
                fail_msg("'%s' does not do what '%s' does", bytes, fresh);
            assert_true(strlen(bytes) <= MAX(strlen(fresh) + 2, 3)); // 3: the reset
            if (depth == DEPTH_NONE)
                assert_true(*now.fg == '\0' && *now.bg == '\0');
            from = to;
        }
    }
}

static double linear(int level)
{
    double part = level / 255.0;
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static double luminance(int rgb)
{
    return 0.2126 * linear(rgb >> 16 & 255) + 0.7152 * linear(rgb >> 8 & 255) +
           0.0722 * linear(rgb & 255);
}

/* As WCAG 2 counts it. */
static double contrast(int a, int b)
{
    double x = luminance(a), y = luminance(b);
    return (MAX(x, y) + 0.05) / (MIN(x, y) + 0.05);
}

/* 0xrrggbb, or `fallback` for the terminal's own. */
static int rgb_of(const Theme *theme, ThemeToken token, int fallback)
{
    g_autofree char *bytes = switched(theme, DEPTH_TRUE, (Style) { 0 }, (Style) { .fg = token });
    int r, g, b;
    if (sscanf(bytes, "\x1b[38;2;%d;%d;%dm", &r, &g, &b) != 3)
        return fallback;
    return r << 16 | g << 8 | b;
}

static bool is_line(ThemeToken token) // drawn, not read
{
    return token == TOKEN_BORDER || token == TOKEN_BORDER_MUTED || token == TOKEN_MD_HR ||
           token == TOKEN_MD_CODE_BLOCK_BORDER || token == TOKEN_MD_QUOTE_BORDER ||
           token == TOKEN_STATUS_SEP || token == TOKEN_THINKING_OFF;
}

static bool is_background(ThemeToken token)
{
    return token >= TOKEN_SELECTED_BG && token <= TOKEN_STATUS_LINE_BG;
}

static void test_legible(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        int text, screens[3];
    } themes[] = {
        { "kedge-dark", 0xd0d0d0, { 0x000000, 0x1e1e1e, 0x282c34 } },
        { "kedge-light", 0x202020, { 0xffffff, 0xfafafa, 0xf5f5f5 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(themes); i++) {
        g_autoptr(Theme) theme = load(themes[i].name);
        for (ThemeToken token = TOKEN_ACCENT; token < TOKEN_COUNT; token++) {
            if (is_line(token))
                continue;
            for (int j = 0; j < 3; j++) {
                int screen = themes[i].screens[j];
                double got = is_background(token)
                                 ? contrast(themes[i].text, rgb_of(theme, token, screen))
                                 : contrast(rgb_of(theme, token, themes[i].text), screen);
                if (got < (is_background(token) ? 7 : 4))
                    fail_msg("%s: token %u on #%06x has a contrast of %.1f", themes[i].name, token,
                             screen, got);
            }
        }
    }
}

static void test_colour_blind(void **state G_GNUC_UNUSED)
{
    static const char *const names[] = { "kedge-dark", "kedge-light" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(Theme) usual = load(names[i]);
        g_autoptr(Theme) blue =
            theme_load(&(ThemeSpec) { .name = names[i], .is_colour_blind = true }, NULL);
        int before = rgb_of(usual, TOKEN_DIFF_ADDED, 0), after = rgb_of(blue, TOKEN_DIFF_ADDED, 0);
        assert_true((before >> 8 & 255) > (before & 255)); // green
        assert_true((after & 255) > (after >> 8 & 255));   // blue
        assert_int_equal(rgb_of(usual, TOKEN_DIFF_REMOVED, 0), rgb_of(blue, TOKEN_DIFF_REMOVED, 0));
        assert_true(contrast(after, i == 0 ? 0x282c34 : 0xf5f5f5) >= 4);
        g_autofree char *basic =
            switched(blue, DEPTH_16, (Style) { 0 }, (Style) { .fg = TOKEN_DIFF_ADDED });
        assert_string_equal(basic, i == 0 ? "\x1b[94m" : "\x1b[34m");
    }
}

static void test_symbols(void **state G_GNUC_UNUSED)
{
    static const char *const presets[] = { "unicode", "nerd", "ascii" };
    for (size_t i = 0; i < G_N_ELEMENTS(presets); i++) {
        g_autoptr(Theme) theme =
            theme_load(&(ThemeSpec) { .name = "kedge-dark", .symbols = presets[i] }, NULL);
        for (Symbol symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
            const char *text = theme_symbol(theme, symbol);
            assert_non_null(text);
            assert_in_range(text_cells(text, strlen(text)), 1, 3);
            for (const char *p = text; *p; p = g_utf8_next_char(p)) {
                gunichar c = g_utf8_get_char(p);
                // an emoji, were a variation selector behind it
                g_autofree char *emoji =
                    g_strdup_printf("%.*s\xef\xb8\x8f", (int)(g_utf8_next_char(p) - p), p);
                if (c >= 0x80 && cluster_is_unsure(emoji, strlen(emoji)))
                    fail_msg("%s: symbol %u has U+%04x", presets[i], symbol, c);
                if (i == 2)
                    assert_in_range(c, 0x20, 0x7e);
            }
        }
    }
    assert_string_equal(theme_symbol(NULL, SYMBOL_CURSOR), "❯");
    g_autoptr(Theme) other =
        theme_load(&(ThemeSpec) { .name = "kedge-dark", .symbols = "no such" }, NULL);
    assert_string_equal(theme_symbol(other, SYMBOL_CURSOR), "❯");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switch),  cmocka_unit_test(test_any_switch),
        cmocka_unit_test(test_legible), cmocka_unit_test(test_colour_blind),
        cmocka_unit_test(test_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
