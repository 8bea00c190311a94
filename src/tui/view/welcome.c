/*
 * The welcome (welcome.h): two columns in a box, or one below the other when it is narrow.
 */
#include "tui/view/welcome.h"

#include "base/timefmt.h"
#include "session/session_index.h"
#include "tui/text/clean.h"
#include "tui/text/width.h"
#include "tui/text/wrap.h"

#define MIN_CELLS        4
#define TWO_COLUMNS_FROM 56
#define LEFT_CELLS       24
#define SHOWN_SESSIONS   3

static const char *const logo[] = { "    o", "  --+--", "    |", " \\__|__/" };

static const struct {
    const char *key, *what;
} tips[] = {
    { "?", "shortcuts" }, { "/", "commands" },     { "@", "files" },
    { "#", "actions" },   { "!", "runs in bash" }, { "$", "runs in Python" },
};

static const Style plain = { .fg = TOKEN_TEXT };
static const Style muted = { .fg = TOKEN_MUTED };
static const Style head = { .fg = TOKEN_ACCENT, .attributes = STYLE_BOLD };

// ---- what is in it ----

static void add_text(const char *text, Style style, int width, GPtrArray *out)
{
    const WrapSpec spec = { .width = MAX(width, 1) };
    wrap_text(text, style, &spec, out);
}

static void add_name(const char *name, Style style, int width, GPtrArray *out)
{
    g_autofree char *clean = name ? clean_line(name, MAX(width, 1)) : NULL;
    if (clean && *clean)
        g_ptr_array_add(out, row_of(clean, style));
}

static void make_left(const WelcomeFacts *facts, int width, GPtrArray *out)
{
    for (size_t i = 0; i < G_N_ELEMENTS(logo); i++) {
        g_autoptr(Row) row = row_of(logo[i], (Style) { .fg = TOKEN_ACCENT });
        g_ptr_array_add(out, row_cut(row, width));
    }
    add_name(facts->model, plain, width, out);
    add_name(facts->provider, muted, width, out);
}

static void add_tips(int width, GPtrArray *out)
{
    add_text("Tips", head, width, out);
    for (size_t i = 0; i < G_N_ELEMENTS(tips); i++) {
        g_autoptr(RowBuilder) builder = row_builder_new();
        row_builder_add(builder, tips[i].key, -1, (Style) { .fg = TOKEN_ACCENT }, NULL);
        row_builder_add(builder, " ", -1, plain, NULL);
        row_builder_add(builder, tips[i].what, -1, plain, NULL);
        g_autoptr(Row) row = row_builder_take(builder);
        g_ptr_array_add(out, row_cut(row, width));
    }
}

/* "Fix the clock  2h ago": the name gives way. */
static void add_session(const json_t *session, gint64 now_ms, int width, GPtrArray *out)
{
    g_autofree char *name = session_info_name(session);
    g_autofree char *age = time_age_text(now_ms - json_get_int(session, "modified", 0));
    const char *shown = *age ? age : "just now";
    int room = MAX(width - text_cells(shown, strlen(shown)) - 2, 1);
    g_autofree char *clean = clean_line(name, room);
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, clean, -1, plain, NULL);
    row_builder_add(builder, "  ", -1, plain, NULL);
    row_builder_add(builder, shown, -1, (Style) { .fg = TOKEN_DIM }, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    g_ptr_array_add(out, row_cut(row, width));
}

static void make_right(const WelcomeFacts *facts, int width, GPtrArray *out)
{
    size_t count = MIN(json_array_size(facts->sessions), SHOWN_SESSIONS);
    add_tips(width, out);
    if (count > 0)
        add_text("Recent sessions (/resume)", head, width, out);
    for (size_t i = 0; i < count; i++)
        add_session(json_array_get(facts->sessions, i), facts->now_ms, width, out);
}

/* Without a key nothing can be asked: what to do about it. */
static void make_foot(const WelcomeFacts *facts, int width, GPtrArray *out)
{
    if (!facts->key_hint)
        return;
    const char *provider = facts->provider ? facts->provider : "";
    g_autofree char *name = clean_line(provider, MAX(width, 1));
    g_autofree char *hint = clean_line(facts->key_hint, G_MAXINT);
    g_autofree char *first = g_strdup_printf("No key for %s yet.", *name ? name : "this model");
    g_autofree char *rest =
        g_strdup_printf("%s Or here: /login %s, or another /model.", hint, name);
    add_text(first, (Style) { .fg = TOKEN_WARNING, .attributes = STYLE_BOLD }, width, out);
    add_text(rest, plain, width, out);
}

// ---- the box ----

typedef struct Box {
    const Theme *theme;
    int width;
    GPtrArray *out;
} Box;

static const Style border = { .fg = TOKEN_BORDER };

static int symbol_cells(const char *symbol)
{
    return MAX(text_cells(symbol, strlen(symbol)), 1);
}

/* Up to `cells`, with room for a corner after it. */
static void fill_line(const Box *self, RowBuilder *builder, int cells)
{
    const char *line = theme_symbol(self->theme, SYMBOL_RULE);
    while (row_builder_cells(builder) + symbol_cells(line) <= cells)
        row_builder_add(builder, line, -1, border, NULL);
}

static void add_edge(const Box *self, Symbol left, Symbol right, const char *title)
{
    const char *end = theme_symbol(self->theme, right);
    int room = self->width - symbol_cells(end);
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, theme_symbol(self->theme, left), -1, border, NULL);
    g_autofree char *clean = title ? clean_line(title, G_MAXINT) : NULL;
    if (clean && text_cells(clean, strlen(clean)) + 5 <= room) {
        fill_line(self, builder, 2);
        row_builder_add(builder, " ", -1, border, NULL);
        row_builder_add(builder, clean, -1, head, NULL);
        row_builder_add(builder, " ", -1, border, NULL);
    }
    fill_line(self, builder, room);
    row_builder_add(builder, end, -1, border, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    g_ptr_array_add(self->out, row_cut(row, self->width));
}

/* Between the sides; a NULL is blank. */
static void add_inside(const Box *self, const Row *left, const Row *right)
{
    const char *bar = theme_symbol(self->theme, SYMBOL_QUOTE_BAR);
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, bar, -1, border, NULL);
    row_builder_add(builder, " ", -1, plain, NULL);
    if (left)
        row_builder_add_row(builder, left);
    if (right) {
        row_builder_fill(builder, 2 + LEFT_CELLS + 2, (Style) { 0 });
        row_builder_add_row(builder, right);
    }
    row_builder_fill(builder, self->width - symbol_cells(bar), (Style) { 0 });
    row_builder_add(builder, bar, -1, border, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    g_ptr_array_add(self->out, row_cut(row, self->width));
}

static void add_columns(const Box *self, const GPtrArray *left, const GPtrArray *right)
{
    for (unsigned i = 0; i < MAX(left->len, right->len); i++)
        add_inside(self, i < left->len ? left->pdata[i] : NULL,
                   i < right->len ? right->pdata[i] : NULL);
}

static void add_column(const Box *self, const GPtrArray *rows)
{
    for (unsigned i = 0; i < rows->len; i++)
        add_inside(self, rows->pdata[i], NULL);
}

/* Side by side where there is room. */
static void add_body(const Box *self, const WelcomeFacts *facts, int inside)
{
    bool has_two = self->width >= TWO_COLUMNS_FROM;
    g_autoptr(GPtrArray) left = rows_new(), right = rows_new();
    make_left(facts, has_two ? LEFT_CELLS : inside, left);
    make_right(facts, has_two ? inside - LEFT_CELLS - 2 : inside, right);
    if (has_two)
        add_columns(self, left, right);
    else {
        add_column(self, left);
        add_column(self, right);
    }
}

void welcome_rows(const WelcomeFacts *facts, const Theme *theme, int width, GPtrArray *out)
{
    const Box box = { .theme = theme, .width = MIN(width, WELCOME_MAX_CELLS), .out = out };
    int inside = box.width - 4; // bars and blanks
    if (box.width < MIN_CELLS)
        return;
    g_autoptr(GPtrArray) model = rows_new(), foot = rows_new();
    g_autofree char *title = facts->version ? g_strdup_printf("kedge v%s", facts->version) : NULL;
    add_edge(&box, SYMBOL_BOX_TOP_LEFT, SYMBOL_BOX_TOP_RIGHT, title);
    add_name(facts->model, plain, inside, model);
    make_foot(facts, inside, foot);
    if (facts->is_short)
        add_column(&box, model);
    else
        add_body(&box, facts, inside);
    add_column(&box, foot);
    add_edge(&box, SYMBOL_BOX_BOTTOM_LEFT, SYMBOL_BOX_BOTTOM_RIGHT, NULL);
}
