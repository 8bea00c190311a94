/*
 * What each segment of the status line says (status_private.h).
 */
#include "base/str.h"
#include "tui/text/clean.h"
#include "tui/view/status_private.h"
#include "tui/view/text_end.h"

#define MAX_PATH_CELLS  40
#define MAX_NAME_CELLS  40
#define WARNING_PERCENT 70
#define ERROR_PERCENT   90

typedef struct Pen {
    RowBuilder *out;
    const Theme *theme;
    ThemeToken bg;
} Pen;

typedef struct Segment {
    const char *name;
    void (*draw)(const StatusFacts *facts, const Pen *pen); // nothing: it has no value
} Segment;

static void pen_put(const Pen *pen, ThemeToken token, const char *text)
{
    row_builder_add(pen->out, text, -1, (Style) { .fg = token, .bg = pen->bg }, NULL);
}

/* Text of others; NULL and blank ones are none. */
static void put_clean(const Pen *pen, ThemeToken token, const char *text)
{
    g_autofree char *clean = text ? clean_line(text, MAX_NAME_CELLS) : g_strdup("");
    pen_put(pen, token, clean);
}

G_GNUC_PRINTF(3, 4)
static void put_format(const Pen *pen, ThemeToken token, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    pen_put(pen, token, text);
}

// ---- figures ----

/* 950, 1.2k, 48k, 1.2M. Caller frees. */
static char *count_text(int64_t count)
{
    static const char units[] = "kMGT";
    double scaled = (double)count;
    size_t unit = 0;
    if (count < 1000)
        return g_strdup_printf("%d", (int)count);
    for (scaled /= 1000; scaled >= 999.5 && units[unit + 1]; unit++)
        scaled /= 1000;
    return g_strdup_printf(scaled < 9.95 ? "%.1f%c" : "%.0f%c", scaled, units[unit]);
}

static void put_count(const Pen *pen, ThemeToken token, int64_t count, const char *format)
{
    g_autofree char *text = count > 0 ? count_text(count) : NULL;
    g_auto(GStrv) parts = g_strsplit(format, "N", 2);
    if (text)
        put_format(pen, token, "%s%s%s", parts[0], text, parts[1]);
}

static ThemeToken context_token(double percent)
{
    return percent >= ERROR_PERCENT     ? TOKEN_ERROR
           : percent >= WARNING_PERCENT ? TOKEN_WARNING
                                        : TOKEN_STATUS_CONTEXT;
}

// ---- segments ----

static void draw_logo(const StatusFacts *facts G_GNUC_UNUSED, const Pen *pen)
{
    const Style style = { .fg = TOKEN_ACCENT, .bg = pen->bg, .attributes = STYLE_BOLD };
    row_builder_add(pen->out, "kedge", -1, style, NULL);
}

static ThemeToken thinking_token(const char *level)
{
    static const char *const levels[] = { "off", "minimal", "low", "medium", "high", "xhigh" };
    for (size_t i = 0; i < G_N_ELEMENTS(levels); i++) {
        if (g_str_equal(level, levels[i]))
            return TOKEN_THINKING_OFF + i;
    }
    return TOKEN_MUTED;
}

static void draw_model(const StatusFacts *facts, const Pen *pen)
{
    put_clean(pen, TOKEN_STATUS_MODEL, facts->model);
    if (!facts->model || !facts->thinking || g_str_equal(facts->thinking, "off"))
        return;
    pen_put(pen, TOKEN_STATUS_SEP, " · ");
    put_clean(pen, thinking_token(facts->thinking), facts->thinking);
}

/* One that asks nothing is a thing to be careful with (safety §10.3). */
static void draw_mode(const StatusFacts *facts, const Pen *pen)
{
    put_clean(pen, g_strcmp0(facts->mode, "yolo") == 0 ? TOKEN_WARNING : TOKEN_ACCENT, facts->mode);
}

static void draw_path(const StatusFacts *facts, const Pen *pen)
{
    const char *cwd = facts->cwd, *home = facts->home;
    if (!cwd)
        return;
    size_t size = home && str_has_prefix(cwd, home) ? strlen(home) : 0;
    while (size > 0 && home[size - 1] == '/')
        size--;
    bool is_in_home = size > 0 && (cwd[size] == '/' || cwd[size] == '\0');
    g_autofree char *path = is_in_home ? g_strconcat("~", cwd + size, NULL) : g_strdup(cwd);
    g_autofree char *clean = clean_line(path, G_MAXINT);
    g_autofree char *shown = text_end(clean, MAX_PATH_CELLS, pen->theme);
    pen_put(pen, TOKEN_STATUS_PATH, shown);
}

static void draw_git(const StatusFacts *facts, const Pen *pen)
{
    const struct {
        ThemeToken token;
        char mark;
        int count;
    } counts[] = {
        { TOKEN_STATUS_STAGED, '+', facts->staged },
        { TOKEN_STATUS_DIRTY, '*', facts->unstaged },
        { TOKEN_STATUS_UNTRACKED, '?', facts->untracked },
    };
    if (!facts->branch)
        return;
    bool is_dirty = facts->staged > 0 || facts->unstaged > 0 || facts->untracked > 0;
    ThemeToken token = is_dirty ? TOKEN_STATUS_GIT_DIRTY : TOKEN_STATUS_GIT_CLEAN;
    put_format(pen, token, "%s ", theme_symbol(pen->theme, SYMBOL_BRANCH));
    put_clean(pen, token, facts->branch);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        if (counts[i].count > 0)
            put_format(pen, counts[i].token, " %c%d", counts[i].mark, counts[i].count);
    }
}

static void draw_pr(const StatusFacts *facts, const Pen *pen)
{
    put_clean(pen, TOKEN_ACCENT, facts->pull);
}

static void draw_subagents(const StatusFacts *facts, const Pen *pen)
{
    if (facts->subagents > 0)
        put_format(pen, TOKEN_STATUS_SUBAGENTS, facts->subagents == 1 ? "%d agent" : "%d agents",
                   facts->subagents);
}

static void draw_token_in(const StatusFacts *facts, const Pen *pen)
{
    put_count(pen, TOKEN_STATUS_OUTPUT, facts->tokens_in, "N in");
}

static void draw_token_out(const StatusFacts *facts, const Pen *pen)
{
    put_count(pen, TOKEN_STATUS_OUTPUT, facts->tokens_out, "N out");
}

static void draw_token_total(const StatusFacts *facts, const Pen *pen)
{
    int64_t in = MAX(facts->tokens_in, 0), out = MAX(facts->tokens_out, 0);
    put_count(pen, TOKEN_STATUS_SPEND, in + out, "N tokens");
}

static void draw_token_rate(const StatusFacts *facts, const Pen *pen)
{
    if (facts->tokens_per_second >= 0.05)
        put_format(pen, TOKEN_STATUS_OUTPUT, facts->tokens_per_second < 9.95 ? "%.1f/s" : "%.0f/s",
                   facts->tokens_per_second);
}

static void draw_cost(const StatusFacts *facts, const Pen *pen)
{
    if (facts->cost > 0)
        put_format(pen, TOKEN_STATUS_COST, facts->cost < 0.1 ? "$%.3f" : "$%.2f", facts->cost);
}

static void draw_context_pct(const StatusFacts *facts, const Pen *pen)
{
    if (facts->context_window <= 0)
        return;
    if (facts->context_percent < 0)
        pen_put(pen, TOKEN_STATUS_CONTEXT, "ctx ?"); // right after a compaction no one knows
    else
        put_format(pen, context_token(facts->context_percent), "ctx %.0f%%",
                   facts->context_percent);
}

static void draw_context_total(const StatusFacts *facts, const Pen *pen)
{
    put_count(pen, TOKEN_STATUS_CONTEXT, facts->context_window, "of N");
}

static void draw_time_spent(const StatusFacts *facts, const Pen *pen)
{
    gint64 seconds = facts->elapsed_ms / 1000, minutes = seconds / 60;
    if (seconds <= 0)
        return;
    if (minutes >= 60)
        put_format(pen, TOKEN_MUTED, "%dh%02dm", (int)MIN(minutes / 60, 99999),
                   (int)(minutes % 60));
    else if (minutes > 0)
        put_format(pen, TOKEN_MUTED, "%dm%02ds", (int)minutes, (int)(seconds % 60));
    else
        put_format(pen, TOKEN_MUTED, "%ds", (int)seconds);
}

static void draw_time(const StatusFacts *facts, const Pen *pen)
{
    put_clean(pen, TOKEN_MUTED, facts->clock);
}

static void draw_session(const StatusFacts *facts, const Pen *pen)
{
    put_clean(pen, TOKEN_MUTED, facts->session_id);
}

static void draw_hostname(const StatusFacts *facts, const Pen *pen)
{
    put_clean(pen, TOKEN_MUTED, facts->host);
}

static void draw_cache_read(const StatusFacts *facts, const Pen *pen)
{
    put_count(pen, TOKEN_STATUS_SPEND, facts->cache_read, "N cached");
}

static void draw_cache_write(const StatusFacts *facts, const Pen *pen)
{
    put_count(pen, TOKEN_STATUS_SPEND, facts->cache_write, "N to cache");
}

static void draw_session_name(const StatusFacts *facts, const Pen *pen)
{
    put_clean(pen, TOKEN_TEXT, facts->session_name);
}

static void draw_vim(const StatusFacts *facts, const Pen *pen)
{
    put_clean(pen, TOKEN_ACCENT, facts->vim);
}

#define SEGMENT(word) .name = #word, .draw = draw_##word

static const Segment segments[] = {
    { SEGMENT(logo) },        { SEGMENT(model) },         { SEGMENT(mode) },
    { SEGMENT(path) },        { SEGMENT(git) },           { SEGMENT(pr) },
    { SEGMENT(subagents) },   { SEGMENT(token_in) },      { SEGMENT(token_out) },
    { SEGMENT(token_total) }, { SEGMENT(token_rate) },    { SEGMENT(cost) },
    { SEGMENT(context_pct) }, { SEGMENT(context_total) }, { SEGMENT(time_spent) },
    { SEGMENT(time) },        { SEGMENT(session) },       { SEGMENT(hostname) },
    { SEGMENT(cache_read) },  { SEGMENT(cache_write) },   { SEGMENT(session_name) },
    { SEGMENT(vim) },
};

const char *status_segment_name(size_t number)
{
    return number < G_N_ELEMENTS(segments) ? segments[number].name : NULL;
}

Row *status_segment_row(size_t number, const StatusFacts *facts, const Theme *theme, ThemeToken bg)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    const Pen pen = { .out = builder, .theme = theme, .bg = bg };
    segments[number].draw(facts, &pen);
    return row_builder_cells(builder) > 0 ? row_builder_take(builder) : NULL;
}
