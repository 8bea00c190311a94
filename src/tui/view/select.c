/*
 * The list selector (select.h): what a filter finds, what keys do, and the rows that are on screen.
 */
#include "tui/view/select.h"

#include "base/cancel.h"
#include "tui/edit/fuzzy.h"
#include "tui/edit/loop_work.h"
#include "tui/text/clean.h"
#include "tui/text/width.h"
#include "tui/view/text_end.h"

// ---- what a filter finds ----

typedef struct MatchHit {
    size_t index;
    int score;
} MatchHit;

typedef struct MatchSpec {
    const char *filter; // copied
    size_t count;
    bool keeps_order;                             // else the best come first
    char *(*text)(size_t index, void *user_data); // of an item; caller frees
    void *user_data;
} MatchSpec;

#define ITEMS_PER_LOOK 64 // at the token

typedef struct Match {
    MatchSpec spec;
    char *filter;
    GArray *hits;
    bool has_literal; // hits are those that have the words as they are written
} Match;

static Match *match_new(const MatchSpec *spec)
{
    Match *self = g_new0(Match, 1);
    self->spec = *spec;
    self->filter = g_strdup(spec->filter);
    self->hits = g_array_new(FALSE, FALSE, sizeof(MatchHit));
    return self;
}

static void match_free(Match *self)
{
    if (!self)
        return;
    g_free(self->filter);
    g_array_unref(self->hits);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Match, match_free)

static int compare_hits(const void *a_, const void *b_)
{
    const MatchHit *a = a_, *b = b_;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Letters that are scattered over a text count only while no text has the words in one piece: long
   texts have all letters of nearly everything. */
static void add_hit(Match *self, const char *text, MatchHit hit)
{
    bool is_literal = fuzzy_is_literal(self->filter, text);
    if (self->has_literal && !is_literal)
        return;
    if (is_literal && !self->has_literal)
        g_array_set_size(self->hits, 0);
    self->has_literal = is_literal;
    g_array_append_val(self->hits, hit);
}

/* From the beginning; without an end when `cancel` has fired. */
static void match_run(Match *self, Cancel *cancel)
{
    const MatchSpec *spec = &self->spec;
    g_array_set_size(self->hits, 0);
    self->has_literal = false;
    for (size_t i = 0; i < spec->count; i++) {
        if (i % ITEMS_PER_LOOK == 0 && cancel_has_fired(cancel))
            return;
        g_autofree char *text = spec->text(i, spec->user_data);
        MatchHit hit = { .index = i };
        if (fuzzy_match(self->filter, text, &hit.score))
            add_hit(self, text, hit);
    }
    if (!spec->keeps_order)
        g_array_sort(self->hits, compare_hits);
}

/* Of MatchHit; caller unrefs. */
static GArray *match_take_hits(Match *self)
{
    GArray *hits = self->hits;
    self->hits = g_array_new(FALSE, FALSE, sizeof(MatchHit));
    return hits;
}

// ---- the list ----

#define MAX_FILTER_BYTES 256
#define MIN_ITEMS        5
#define HEAD_CELLS       18 // of the first row, for the colon, the cursor and "  120/5000…"
#define HINT_FROM_ROWS   4  // there is a hint when there is room for so many rows

typedef struct Select {
    Panel panel;
    SelectSpec spec; // its texts are ours
    GString *filter;
    Match *match;   // what is being looked for; NULL: nothing is
    LoopWork *work; // the worker that does
    GArray *found;  // of MatchHit; NULL: there is no filter, and all items are shown
    size_t place;   // the selected one, among those that are shown
    size_t top;     // the first one on screen
    size_t wanted;  // the item to stand on when the match has come; SIZE_MAX: the first
    size_t told;    // spec.moved was called for it; SIZE_MAX: for none
    size_t on_screen;
} Select;

static size_t shown_count(const Select *self)
{
    return self->found ? self->found->len : self->spec.count;
}

/* SIZE_MAX: there is none. */
static size_t index_at(const Select *self, size_t place)
{
    if (place >= shown_count(self))
        return SIZE_MAX;
    return self->found ? g_array_index(self->found, MatchHit, place).index : place;
}

static void tell_moved(Select *self)
{
    size_t index = index_at(self, self->place);
    if (index == self->told || index == SIZE_MAX)
        return;
    self->told = index;
    if (self->spec.moved)
        self->spec.moved(index, self->spec.user_data);
}

// ---- the filter ----

static void stop_match(Select *self)
{
    g_clear_pointer(&self->work, loop_work_free);
    g_clear_pointer(&self->match, match_free);
}

/* Where the item stands among those that are shown; the first when it does not. */
static size_t place_of(const Select *self, size_t index)
{
    for (size_t i = 0; self->found && i < self->found->len; i++) {
        if (g_array_index(self->found, MatchHit, i).index == index)
            return i;
    }
    return self->found || index >= self->spec.count ? 0 : index;
}

static void take_match(Select *self)
{
    g_clear_pointer(&self->found, g_array_unref);
    self->found = match_take_hits(self->match);
    stop_match(self);
    self->place = place_of(self, self->wanted);
    self->top = 0;
}

static void on_matched(void *self_)
{
    Select *self = self_;
    take_match(self);
    tell_moved(self);
    self->spec.changed(self->spec.user_data);
}

static void run_match(void *self_, Cancel *cancel)
{
    match_run(((Select *)self_)->match, cancel);
}

/* What is shown stays until the answer is there. */
static void start_match(Select *self)
{
    const SelectSpec *spec = &self->spec;
    stop_match(self);
    if (self->filter->len == 0) {
        g_clear_pointer(&self->found, g_array_unref);
        self->place = place_of(self, self->wanted);
        return;
    }
    const MatchSpec wanted = { .filter = self->filter->str,
                               .count = spec->count,
                               .keeps_order = spec->keeps_order,
                               .text = spec->text,
                               .user_data = spec->user_data };
    self->match = match_new(&wanted);
    if (spec->count > LIMIT_SELECT_DIRECT)
        self->work = loop_work_start(spec->loop, "filter", run_match, on_matched, self);
    if (self->work)
        return;
    match_run(self->match, NULL);
    take_match(self);
}

/* The answer is needed now. */
static void finish_match(Select *self)
{
    if (!self->match)
        return;
    loop_work_join(self->work);
    take_match(self);
}

static PanelResult filter_changed(Select *self)
{
    size_t index = index_at(self, self->place);
    bool stays = self->spec.keeps_order || self->filter->len == 0;
    if (!self->match || !stays)
        self->wanted = stays ? index : SIZE_MAX;
    start_match(self);
    tell_moved(self);
    return PANEL_CHANGED;
}

static PanelResult type_character(Select *self, uint32_t character)
{
    bool is_full = self->filter->len + 6 > MAX_FILTER_BYTES;
    if (is_full || (character == ' ' && self->filter->len == 0))
        return PANEL_TAKEN;
    g_string_append_unichar(self->filter, character);
    return filter_changed(self);
}

static PanelResult select_erase(Select *self, bool is_all)
{
    if (self->filter->len == 0)
        return PANEL_TAKEN;
    g_string_truncate(self->filter,
                      is_all ? 0 : cluster_start(self->filter->str, self->filter->len));
    return filter_changed(self);
}

static PanelResult edit_filter(Select *self, KeyPress key)
{
    uint32_t character = key_character(key);
    if (key.code == KEY_BACKSPACE)
        return select_erase(self, key.mods != 0);
    if (key.code == 'u' && key.mods == MOD_CTRL)
        return select_erase(self, true);
    return character ? type_character(self, character) : PANEL_UNUSED;
}

// ---- keys ----

static PanelResult go_to(Select *self, size_t place)
{
    if (place == self->place)
        return PANEL_TAKEN;
    self->place = place;
    self->wanted = index_at(self, place);
    tell_moved(self);
    return PANEL_CHANGED;
}

static PanelResult select_step(Select *self, bool is_down)
{
    size_t count = shown_count(self);
    if (count == 0)
        return PANEL_TAKEN;
    return go_to(self, (self->place + (is_down ? 1 : count - 1)) % count);
}

static PanelResult select_page(Select *self, bool is_down)
{
    size_t count = shown_count(self), rows = MAX(self->on_screen, 1);
    if (count == 0)
        return PANEL_TAKEN;
    if (is_down)
        return go_to(self, MIN(self->place + rows, count - 1));
    return go_to(self, self->place - MIN(rows, self->place));
}

static PanelResult accept_item(Select *self)
{
    finish_match(self);
    size_t index = index_at(self, self->place);
    if (index == SIZE_MAX)
        return PANEL_CHANGED;
    self->spec.chosen(index, self->spec.user_data);
    return PANEL_DONE;
}

/* Escape takes the filter away first. */
static PanelResult close_list(Select *self, KeyPress key)
{
    if (key.code == KEY_ESCAPE && self->filter->len > 0)
        return select_erase(self, true);
    self->spec.cancelled(self->spec.user_data);
    return PANEL_DONE;
}

static PanelResult other_key(Select *self, KeyPress key, Action action)
{
    const SelectSpec *spec = &self->spec;
    PanelResult result = PANEL_UNUSED;
    bool is_filter = action == ACTION_NONE && key_character(key) != 0;
    if (spec->key && !is_filter)
        result = spec->key(index_at(self, self->place), key, action, spec->user_data);
    if (result != PANEL_UNUSED)
        return result;
    if (action == ACTION_NONE && (key.code == KEY_LEFT || key.code == KEY_RIGHT))
        return select_page(self, key.code == KEY_RIGHT);
    return edit_filter(self, key);
}

static PanelResult select_key(Panel *panel, KeyPress key, Action action,
                              gint64 now_ms G_GNUC_UNUSED)
{
    Select *self = (Select *)panel;
    switch (action) {
    case ACTION_LIST_UP:
    case ACTION_LIST_DOWN:
        return select_step(self, action == ACTION_LIST_DOWN);
    case ACTION_LIST_PAGE_UP:
    case ACTION_LIST_PAGE_DOWN:
        return select_page(self, action == ACTION_LIST_PAGE_DOWN);
    case ACTION_LIST_FIRST:
        return go_to(self, 0);
    case ACTION_LIST_LAST:
        return go_to(self, MAX(shown_count(self), 1) - 1);
    case ACTION_LIST_ACCEPT:
        return accept_item(self);
    case ACTION_LIST_CANCEL:
        return close_list(self, key);
    default:
        return other_key(self, key, action);
    }
}

// ---- rows ----

/* "Sessions: fix  3/120"; the cursor comes after the filter. */
static Row *head_row(const Select *self, int width, int *ret_column)
{
    static const Style bold = { .fg = TOKEN_ACCENT, .attributes = STYLE_BOLD };
    g_autoptr(RowBuilder) builder = row_builder_new();
    g_autofree char *filter = clean_line(self->filter->str, G_MAXINT);
    int left = width - text_cells(filter, strlen(filter)) - HEAD_CELLS;
    g_autofree char *title = clean_line(self->spec.title, MAX(MAX(left, width / 2), 1));
    row_builder_add(builder, title, -1, bold, NULL);
    row_builder_add(builder, ": ", -1, bold, NULL);
    int room = width - row_builder_cells(builder) - 1; // the cursor's cell
    g_autofree char *end = text_end(filter, MAX(room, 0), self->spec.theme);
    row_builder_add(builder, end, -1, (Style) { .fg = TOKEN_TEXT }, NULL);
    *ret_column = MIN(row_builder_cells(builder), MAX(width - 1, 0));

    size_t count = shown_count(self);
    g_autofree char *where =
        g_strdup_printf("  %zu/%zu%s", count > 0 ? self->place + 1 : 0, count,
                        self->match ? theme_symbol(self->spec.theme, SYMBOL_ELLIPSIS) : "");
    if (row_builder_cells(builder) + text_cells(where, strlen(where)) <= width)
        row_builder_add(builder, where, -1, (Style) { .fg = TOKEN_DIM }, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    return row_cut(row, width);
}

static void add_selected(RowBuilder *out, const Row *row)
{
    size_t at = 0;
    for (uint32_t i = 0; i < row->run_count; i++) {
        Style style = row->runs[i].style;
        style.bg = TOKEN_SELECTED_BG;
        row_builder_add(out, row->text + at, row->runs[i].size, style, row->runs[i].link);
        at += row->runs[i].size;
    }
}

static Row *item_row(const Select *self, size_t place, int width)
{
    const char *mark = theme_symbol(self->spec.theme, SYMBOL_CURSOR);
    int mark_cells = text_cells(mark, strlen(mark)) + 1;
    bool is_selected = place == self->place;
    g_autoptr(RowBuilder) builder = row_builder_new();
    g_autoptr(Row) item =
        self->spec.row(index_at(self, place), MAX(width - mark_cells, 1), self->spec.user_data);
    if (is_selected)
        row_builder_add(builder, mark, -1, (Style) { .fg = TOKEN_ACCENT }, NULL);
    row_builder_fill(builder, mark_cells, (Style) { 0 });
    if (is_selected)
        add_selected(builder, item);
    else
        row_builder_add_row(builder, item);
    g_autoptr(Row) row = row_builder_take(builder);
    return row_cut(row, width);
}

static Row *said_row(const char *text, int indent, int width)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    g_autofree char *clean = clean_line(text, G_MAXINT);
    row_builder_fill(builder, indent, (Style) { 0 });
    row_builder_add(builder, clean, -1, (Style) { .fg = TOKEN_DIM }, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    return row_cut(row, width);
}

static Row *empty_row(const Select *self, int width)
{
    const char *text = self->match             ? "Searching…"
                       : self->filter->len > 0 ? "Nothing fits."
                                               : self->spec.empty;
    return said_row(text, 2, width);
}

/* How many items there is room for. */
static size_t item_room(const Select *self, int max_rows, bool has_hint)
{
    int room = max_rows - 1 - has_hint;
    int wish = self->spec.max_rows > 0 ? self->spec.max_rows : MAX(max_rows / 3, MIN_ITEMS);
    return (size_t)MAX(MIN(room, wish), 0);
}

static void select_rows(Panel *panel, int width, int max_rows, GPtrArray *out, int *ret_row,
                        int *ret_column)
{
    Select *self = (Select *)panel;
    bool has_hint = self->spec.hint && max_rows >= HINT_FROM_ROWS;
    size_t count = shown_count(self), room = item_room(self, max_rows, has_hint);
    *ret_row = 0;
    g_ptr_array_add(out, head_row(self, width, ret_column));
    if (count == 0 && room > 0)
        g_ptr_array_add(out, empty_row(self, width));
    if (self->place < self->top)
        self->top = self->place;
    if (room > 0 && self->place >= self->top + room)
        self->top = self->place - room + 1;
    self->top = MIN(self->top, count - MIN(room, count));
    self->on_screen = MIN(room, count);
    for (size_t i = 0; i < self->on_screen; i++)
        g_ptr_array_add(out, item_row(self, self->top + i, width));
    if (has_hint)
        g_ptr_array_add(out, said_row(self->spec.hint, 0, width));
}

// ---- the panel ----

static void select_set_theme(Panel *panel, const Theme *theme)
{
    ((Select *)panel)->spec.theme = theme;
}

static void select_free(Panel *panel)
{
    Select *self = (Select *)panel;
    stop_match(self);
    if (self->spec.freed)
        self->spec.freed(self->spec.user_data);
    g_clear_pointer(&self->found, g_array_unref);
    g_string_free(self->filter, TRUE);
    g_free((char *)self->spec.title);
    g_free((char *)self->spec.hint);
    g_free((char *)self->spec.empty);
    g_free(self);
}

Panel *select_new(const SelectSpec *spec)
{
    static const PanelClass class = { .rows = select_rows,
                                      .key = select_key,
                                      .free = select_free,
                                      .set_theme = select_set_theme,
                                      .covers_editor = true };
    Select *self = g_new0(Select, 1);
    self->panel.class = &class;
    self->spec = *spec;
    self->spec.title = g_strdup(spec->title);
    self->spec.hint = g_strdup(spec->hint);
    self->spec.empty = g_strdup(spec->empty ? spec->empty : "");
    self->filter = g_string_new(NULL);
    self->place = spec->selected < spec->count ? spec->selected : 0;
    self->wanted = self->place;
    self->told = index_at(self, self->place);
    return &self->panel;
}

void select_hold(Panel *panel)
{
    stop_match((Select *)panel);
}

void select_set_count(Panel *panel, size_t count, size_t selected)
{
    Select *self = (Select *)panel;
    stop_match(self);
    self->spec.count = count;
    self->wanted = selected;
    if (self->found) // of items that may not be there any more
        g_array_set_size(self->found, 0);
    self->place = self->top = 0;
    start_match(self);
    self->told = index_at(self, self->place);
}

void select_set_empty(Panel *panel, const char *empty)
{
    Select *self = (Select *)panel;
    g_free((char *)self->spec.empty);
    self->spec.empty = g_strdup(empty);
}

void select_set_title(Panel *panel, const char *title)
{
    Select *self = (Select *)panel;
    g_free((char *)self->spec.title);
    self->spec.title = g_strdup(title);
}
