/*
 * Items to choose from, in the one list selector (pick_list.h).
 */
#include "tui/control/pick_list.h"

#include "tui/edit/loop_work.h"
#include "tui/text/clean.h"
#include "tui/text/width.h"

enum { MAX_TEXT_CELLS = 300, DETAIL_GAP = 2, MAX_COLUMN_CELLS = 44, MIN_ROWS = 5 };

#define READING "Reading…"

typedef struct Filling { // of a list whose items come later
    PickFill fill;
    void *data;
    GDestroyNotify free_data;
    LoopWork *work;
    GPtrArray *items; // of the worker; NULL: there are none
    GError *error;
} Filling;

struct PickList {
    Tui *tui;
    GPtrArray *items;
    PickSpec spec;
    int column;       // where details begin, unless a text is longer
    Panel *panel;     // that shows it; owned by the Tui, and owns this
    Filling *filling; // NULL: the items are there
};

// ---- items ----

static void item_free(void *item_)
{
    PickItem *item = item_;
    g_free(item->text);
    g_free(item->detail);
    g_free(item->meant);
    g_free(item);
}

GPtrArray *pick_items_new(void)
{
    return g_ptr_array_new_with_free_func(item_free);
}

void pick_items_add(GPtrArray *items, const char *text, const char *detail, const char *meant,
                    bool is_current)
{
    PickItem *item = g_new0(PickItem, 1);
    item->text = clean_line(text, MAX_TEXT_CELLS);
    item->detail = detail ? clean_line(detail, MAX_TEXT_CELLS) : NULL;
    item->meant = g_strdup(meant);
    item->is_current = is_current;
    g_ptr_array_add(items, item);
}

/* The text, and the mark of the current one. */
static int text_width(const PickList *self, const PickItem *item)
{
    const char *mark = theme_symbol(self->tui->look->theme, SYMBOL_SUCCESS);
    return text_cells(item->text, strlen(item->text)) +
           (item->is_current ? 1 + text_cells(mark, strlen(mark)) : 0);
}

/* After the widest text that is not too wide for a column. */
static void find_column(PickList *self)
{
    self->column = 0;
    for (guint i = 0; i < self->items->len; i++) {
        int width = text_width(self, self->items->pdata[i]);
        if (width <= MAX_COLUMN_CELLS)
            self->column = MAX(self->column, width + DETAIL_GAP);
    }
}

// ---- what the selector asks ----

static const PickItem *item_at(const PickList *self, size_t index)
{
    return index < self->items->len ? self->items->pdata[index] : NULL;
}

static Row *make_row(size_t index, int width, void *self_)
{
    const PickList *self = self_;
    const PickItem *item = item_at(self, index);
    const Style plain = { 0 }, dim = { .fg = TOKEN_DIM }, accent = { .fg = TOKEN_ACCENT };
    g_autoptr(RowBuilder) row = row_builder_new();
    if (!item)
        return row_builder_take(row);
    row_builder_add(row, item->text, -1, item->is_current ? accent : plain, NULL);
    if (item->is_current) {
        row_builder_add(row, " ", -1, plain, NULL);
        row_builder_add(row, theme_symbol(self->tui->look->theme, SYMBOL_SUCCESS), -1, accent,
                        NULL);
    }
    if (item->detail) {
        int behind = row_builder_cells(row) + DETAIL_GAP;
        row_builder_fill(row, MAX(behind, MIN(self->column, width / 2)), plain);
        row_builder_add(row, item->detail, -1, dim, NULL);
    }
    g_autoptr(Row) whole = row_builder_take(row);
    return row_cut(whole, width);
}

static char *text_of(size_t index, void *self)
{
    const PickItem *item = item_at(self, index);
    return item ? g_strconcat(item->text, " ", item->detail ? item->detail : "", NULL)
                : g_strdup("");
}

static void on_chosen(size_t index, void *self_)
{
    PickList *self = self_;
    const PickItem *item = item_at(self, index);
    if (item)
        self->spec.chosen(self->tui, item->meant);
}

static void on_cancelled(void *self_)
{
    PickList *self = self_;
    if (self->spec.cancelled)
        self->spec.cancelled(self->tui);
}

static void on_moved(size_t index, void *self_)
{
    PickList *self = self_;
    const PickItem *item = item_at(self, index);
    if (item && self->spec.moved)
        self->spec.moved(self->tui, item->meant);
}

static PanelResult on_key(size_t index, KeyPress key, Action action, void *self_)
{
    PickList *self = self_;
    return self->spec.key ? self->spec.key(self, item_at(self, index), key, action) : PANEL_UNUSED;
}

static void on_changed(void *self_)
{
    frame_request(((PickList *)self_)->tui->look->frames, FRAME_NOW);
}

static void filling_free(Filling *self)
{
    if (!self)
        return;
    loop_work_free(self->work);
    g_clear_pointer(&self->items, g_ptr_array_unref);
    g_clear_error(&self->error);
    self->free_data(self->data);
    g_free(self);
}

static void pick_list_free(void *self_)
{
    PickList *self = self_;
    filling_free(self->filling);
    g_ptr_array_unref(self->items);
    g_free(self);
}

// ---- the list ----

static size_t current_index(const GPtrArray *items, size_t otherwise)
{
    for (guint i = 0; i < items->len; i++) {
        if (((const PickItem *)items->pdata[i])->is_current)
            return i;
    }
    return otherwise;
}

static PickList *open_panel(Tui *tui, GPtrArray *items, size_t selected, const PickSpec *spec)
{
    PickList *self = g_new0(PickList, 1);
    self->tui = tui;
    self->items = items;
    self->spec = *spec;
    find_column(self);
    const SelectSpec select = {
        .loop = tui->loop,
        .theme = tui->look->theme,
        .title = spec->title,
        .hint = spec->hint,
        .empty = spec->empty,
        .count = items->len,
        .selected = current_index(items, selected),
        .max_rows =
            MAX(MIN_ROWS, terminal_size(tui->look->terminal).rows / (spec->is_tall ? 2 : 3)),
        .keeps_order = spec->keeps_order,
        .row = make_row,
        .text = text_of,
        .chosen = on_chosen,
        .cancelled = on_cancelled,
        .key = on_key,
        .moved = on_moved,
        .changed = on_changed,
        .freed = pick_list_free,
        .user_data = self,
    };
    self->panel = select_new(&select);
    tui_open_panel(tui, self->panel);
    return self;
}

PickList *pick_list_open(Tui *tui, GPtrArray *items, size_t selected, const PickSpec *spec)
{
    return open_panel(tui, items, selected, spec);
}

/* On a worker. */
static void pick_list_fill(void *self_, Cancel *cancel)
{
    const PickList *self = self_;
    Filling *filling = self->filling;
    filling->items = filling->fill(filling->data, cancel, &filling->error);
}

static void on_filled(void *self_)
{
    PickList *self = self_;
    Filling *filling = g_steal_pointer(&self->filling);
    if (filling->error)
        tui_error(self->tui, "%s", filling->error->message);
    select_set_empty(self->panel, self->spec.empty);
    if (filling->items)
        pick_list_set(self, g_steal_pointer(&filling->items), 0);
    filling_free(filling);
    frame_request(self->tui->look->frames, FRAME_NOW);
}

void pick_list_open_later(Tui *tui, const PickSpec *spec, PickFill fill_, void *data,
                          GDestroyNotify free_data)
{
    PickSpec reading = *spec;
    reading.empty = READING;
    PickList *self = open_panel(tui, pick_items_new(), 0, &reading);
    self->spec.empty = spec->empty;
    self->filling = g_new0(Filling, 1);
    *self->filling = (Filling) { .fill = fill_, .data = data, .free_data = free_data };
    self->filling->work = loop_work_start(tui->loop, "list", pick_list_fill, on_filled, self);
    if (self->filling->work)
        return;
    g_autoptr(Cancel) cancel = cancel_new(NULL); // no thread is left
    pick_list_fill(self, cancel);
    on_filled(self);
}

Tui *pick_list_tui(const PickList *self)
{
    return self->tui;
}

void pick_list_set(PickList *self, GPtrArray *items, size_t selected)
{
    GPtrArray *before = self->items;
    select_hold(self->panel);
    self->items = items;
    find_column(self);
    select_set_count(self->panel, items->len, current_index(items, selected));
    g_ptr_array_unref(before);
}

void pick_list_set_title(PickList *self, const char *title)
{
    select_set_title(self->panel, title);
}
