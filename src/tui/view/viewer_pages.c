/*
 * The viewer's window: places, keys, frames.
 *
 * A place is a row of an item, not a number of rows from the start: what stands above need not be
 * laid out, and nothing jumps when it is.
 */
#include "tui/view/viewer_pages.h"

#include <limits.h>
#include <string.h>

#include "tui/screen/screen.h"
#include "tui/text/clean.h"
#include "tui/text/width.h"
#include "tui/view/viewer_search.h"

enum { NOTE_CELLS = 40 }; // of a query that is repeated in a message

struct ViewerPages {
    ViewerRows *rows;
    const Theme *theme;
    const TermCaps *caps;
    TerminalSize size;
    ViewerPlace top;
    bool is_at_end;   // the last row is in view
    bool keeps_place; // across changes of the width, until it is moved: after that much of an item
    guint place_item;
    size_t place_text;
    ViewerSearch search;
    GString *query;   // that is typed; NULL: none is
    char *note;       // in place of the position; NULL: none
    GPtrArray *drawn; // of Row; the window's; empty: all is to be drawn
};

/* Rows of the conversation in the window; the last one says where it is. */
static int page_rows(const ViewerPages *self)
{
    return MAX(1, self->size.rows - 1);
}

// ---- places ----

static bool has_next(ViewerPages *self, ViewerPlace *place)
{
    guint count = viewer_rows_item_count(self->rows);
    if (place->item < count && place->row + 1 < viewer_rows_count(self->rows, place->item)) {
        place->row++;
        return true;
    }
    for (guint item = place->item + 1; item < count; item++) {
        if (viewer_rows_count(self->rows, item) > 0) {
            *place = (ViewerPlace) { item, 0 };
            return true;
        }
    }
    return false;
}

static bool has_previous(ViewerPages *self, ViewerPlace *place)
{
    if (place->row > 0) {
        place->row--;
        return true;
    }
    for (guint item = place->item; item > 0; item--) {
        guint count = viewer_rows_count(self->rows, item - 1);
        if (count > 0) {
            *place = (ViewerPlace) { item - 1, count - 1 };
            return true;
        }
    }
    return false;
}

static bool is_before(ViewerPlace a, ViewerPlace b)
{
    return a.item < b.item || (a.item == b.item && a.row < b.row);
}

/* The first row of a window that ends with the conversation. */
static ViewerPlace last_top(ViewerPages *self)
{
    ViewerPlace place = { .item = viewer_rows_item_count(self->rows) };
    if (!has_previous(self, &place))
        return (ViewerPlace) { 0 };
    for (int i = 1; i < page_rows(self) && has_previous(self, &place); i++)
        continue;
    return place;
}

static void show_from(ViewerPages *self, ViewerPlace top)
{
    ViewerPlace last = last_top(self);
    self->top = is_before(top, last) ? top : last;
    self->is_at_end = !is_before(top, last);
    self->keeps_place = false;
    g_clear_pointer(&self->note, g_free);
}

static void viewer_pages_scroll(ViewerPages *self, int rows)
{
    ViewerPlace top = self->top;
    for (int i = 0; i < ABS(rows); i++) {
        if (rows < 0 ? !has_previous(self, &top) : !has_next(self, &top))
            break;
    }
    show_from(self, top);
}

static void scroll_to_start(ViewerPages *self)
{
    ViewerPlace top = { 0 };
    if (viewer_rows_item_count(self->rows) > 0 && viewer_rows_count(self->rows, 0) == 0)
        has_next(self, &top);
    show_from(self, top);
}

static bool is_in_view(ViewerPages *self, ViewerPlace wanted)
{
    ViewerPlace place = self->top;
    for (int i = 0; i < page_rows(self); i++) {
        if (place.item == wanted.item && place.row == wanted.row)
            return true;
        if (!has_next(self, &place))
            return false;
    }
    return false;
}

void viewer_pages_resize(ViewerPages *self, TerminalSize size)
{
    bool is_other_width = size.columns != self->size.columns;
    if (is_other_width && !self->keeps_place && !self->is_at_end) {
        self->keeps_place = true; // of where it was, not each time of where it has come to
        self->place_item = self->top.item;
        self->place_text = viewer_rows_text_before(self->rows, self->top);
    }
    bool keeps_place = self->keeps_place;
    self->size = size;
    g_ptr_array_set_size(self->drawn, 0);
    if (is_other_width)
        viewer_rows_set_width(self->rows, size.columns);
    ViewerPlace top = self->top;
    if (keeps_place)
        top = viewer_rows_place_behind(self->rows, self->place_item, self->place_text);
    else if (self->is_at_end)
        top = last_top(self);
    show_from(self, top);
    self->keeps_place = keeps_place;
}

// ---- looking for a text ----

static void set_note(ViewerPages *self, char *note)
{
    g_free(self->note);
    self->note = note;
}

static void viewer_pages_find(ViewerPages *self, bool is_backward)
{
    if (!self->search.query) {
        set_note(self, g_strdup("/ looks for a text"));
        return;
    }
    SearchResult result = viewer_search_step(&self->search, self->rows, is_backward);
    g_autofree char *query = clean_line(self->search.query, NOTE_CELLS);
    if (result == SEARCH_NOTHING) {
        set_note(self, g_strdup_printf("not found: %s", query));
    } else if (result == SEARCH_GOES_ON) {
        set_note(self, g_strdup_printf("not yet found: %s; %c goes on at message %u", query,
                                       is_backward ? 'N' : 'n',
                                       viewer_rows_message(self->rows, self->search.at.item)));
    } else {
        ViewerPlace top = self->search.at;
        g_clear_pointer(&self->note, g_free);
        if (is_in_view(self, top))
            return;
        for (int i = 0; i < page_rows(self) / 3 && has_previous(self, &top); i++)
            continue;
        show_from(self, top);
    }
}

/* The row above the first one that is shown, so that this one is looked at, too; above the very
   first one the end of all. */
static ViewerPlace before_top(ViewerPages *self)
{
    ViewerPlace place = self->top;
    guint count = viewer_rows_item_count(self->rows);
    return has_previous(self, &place) ? place : (ViewerPlace) { MAX(count, 1) - 1, INT_MAX };
}

static void end_query(ViewerPages *self)
{
    g_string_free(self->query, TRUE);
    self->query = NULL;
}

static void run_query(ViewerPages *self)
{
    if (self->query->len > 0)
        viewer_search_set(&self->search, self->query->str, before_top(self));
    end_query(self);
    viewer_pages_find(self, false);
}

static void add_to_query(ViewerPages *self, const char *text)
{
    if (self->query->len + strlen(text) <= LIMIT_VIEWER_QUERY_BYTES)
        g_string_append(self->query, text);
}

static ViewerOutcome key_of_query(ViewerPages *self, KeyPress key, Action action)
{
    uint32_t character = key_character(key);
    bool is_control = (key.mods & MOD_CTRL) != 0;
    if (key.code == KEY_ENTER) {
        run_query(self);
    } else if (key.code == KEY_ESCAPE || (is_control && (key.code == 'c' || key.code == 'o'))) {
        end_query(self);
    } else if (key.code == KEY_BACKSPACE && self->query->len == 0) {
        end_query(self);
    } else if (key.code == KEY_BACKSPACE) {
        g_string_truncate(self->query, cluster_start(self->query->str, self->query->len));
    } else if (is_control && key.code == 'u') {
        g_string_truncate(self->query, 0);
    } else if (character != 0) {
        char text[7] = "";
        g_unichar_to_utf8(character, text);
        g_autofree char *clean = clean_text(text, 1);
        add_to_query(self, clean);
    } else if (action == ACTION_LIST_CANCEL) {
        end_query(self);
    } else {
        return VIEWER_SAME;
    }
    return VIEWER_CHANGED;
}

ViewerOutcome viewer_pages_paste(ViewerPages *self, const char *text, size_t size)
{
    if (!self->query)
        return VIEWER_SAME;
    g_autofree char *whole = g_strndup(text, MIN(size, (size_t)LIMIT_VIEWER_QUERY_BYTES));
    g_autofree char *valid = g_utf8_make_valid(whole, -1); // it may be cut in a character
    g_autofree char *clean = clean_line(valid, LIMIT_VIEWER_QUERY_BYTES);
    add_to_query(self, clean);
    return VIEWER_CHANGED;
}

// ---- keys ----

/* What a key does where the keymap has nothing for it; NONE: nothing. */
static Action action_of(KeyPress key, Action action)
{
    static const struct {
        uint32_t code;
        Action action;
    } keys[] = {
        { KEY_UP, ACTION_LIST_UP },      { 'k', ACTION_LIST_UP },
        { KEY_DOWN, ACTION_LIST_DOWN },  { 'j', ACTION_LIST_DOWN },
        { KEY_ENTER, ACTION_LIST_DOWN }, { KEY_PAGE_UP, ACTION_LIST_PAGE_UP },
        { 'b', ACTION_LIST_PAGE_UP },    { KEY_PAGE_DOWN, ACTION_LIST_PAGE_DOWN },
        { ' ', ACTION_LIST_PAGE_DOWN },  { KEY_HOME, ACTION_LIST_FIRST },
        { 'g', ACTION_LIST_FIRST },      { KEY_END, ACTION_LIST_LAST },
        { 'G', ACTION_LIST_LAST },       { KEY_ESCAPE, ACTION_LIST_CANCEL },
    };
    if (action >= ACTION_LIST_UP && action <= ACTION_LIST_LAST)
        return action;
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        if (keys[i].code == key.code && (key.mods & ~MOD_SHIFT) == 0)
            return keys[i].action;
    }
    return action == ACTION_LIST_CANCEL ? action : ACTION_NONE;
}

static bool is_close(KeyPress key, Action action)
{
    bool is_control = (key.mods & MOD_CTRL) != 0;
    return action == ACTION_TOOLS_EXPAND || (is_control && (key.code == 'o' || key.code == 'c')) ||
           (key.code == 'q' && key.mods == 0);
}

/* Esc: first the search goes, then the viewer. */
static ViewerOutcome viewer_pages_cancel(ViewerPages *self)
{
    if (!self->search.query && !self->note)
        return VIEWER_CLOSED;
    viewer_search_clear(&self->search);
    g_clear_pointer(&self->note, g_free);
    return VIEWER_CHANGED;
}

ViewerOutcome viewer_pages_key(ViewerPages *self, KeyPress key, Action action)
{
    if (self->query)
        return key_of_query(self, key, action);
    if (is_close(key, action))
        return VIEWER_CLOSED;
    uint32_t character = key_character(key);
    if (character == 'e')
        return VIEWER_EDIT;
    if (character == '/')
        self->query = g_string_new(NULL);
    else if (character == 'n' || character == 'N')
        viewer_pages_find(self, character == 'N');
    if (character == '/' || character == 'n' || character == 'N')
        return VIEWER_CHANGED;

    int page = MAX(1, page_rows(self) - 1); // one row is in both
    switch (action_of(key, action)) {
    case ACTION_LIST_UP:
        viewer_pages_scroll(self, -1);
        break;
    case ACTION_LIST_DOWN:
        viewer_pages_scroll(self, 1);
        break;
    case ACTION_LIST_PAGE_UP:
        viewer_pages_scroll(self, -page);
        break;
    case ACTION_LIST_PAGE_DOWN:
        viewer_pages_scroll(self, page);
        break;
    case ACTION_LIST_FIRST:
        scroll_to_start(self);
        break;
    case ACTION_LIST_LAST:
        show_from(self, last_top(self));
        break;
    case ACTION_LIST_CANCEL:
        return viewer_pages_cancel(self);
    default:
        return VIEWER_SAME;
    }
    return VIEWER_CHANGED;
}

// ---- for an editor ----

static guint last_item(ViewerPages *self)
{
    ViewerPlace place = self->top;
    for (int i = 1; i < page_rows(self) && has_next(self, &place); i++)
        continue;
    return place.item;
}

char *viewer_pages_text(ViewerPages *self)
{
    GString *text = g_string_new(NULL);
    guint end = viewer_rows_item_count(self->rows) > 0 ? last_item(self) + 1 : 0;
    for (guint item = self->top.item; item < end; item++) {
        g_autoptr(GPtrArray) rows = rows_new();
        viewer_rows_lay_out(self->rows, item, rows);
        for (guint i = 0; i < rows->len; i++)
            g_string_append_printf(text, "%s\n", ((const Row *)rows->pdata[i])->text);
    }
    return g_string_free(text, FALSE);
}

// ---- frames ----

/* "message 812 of 10000, 42 %" */
static char *position_text(ViewerPages *self)
{
    guint count = viewer_rows_item_count(self->rows);
    if (count == 0)
        return g_strdup("nothing was said yet");

    gint64 all = MAX(viewer_rows_before(self->rows, count), 1);
    gint64 above = viewer_rows_before(self->rows, self->top.item) + self->top.row;
    int percent = (int)MIN((above + page_rows(self)) * 100 / all, 99);
    g_autofree char *share = self->is_at_end ? g_strdup("end") : g_strdup_printf("%d %%", percent);
    return g_strdup_printf("message %u of %u, %s", viewer_rows_message(self->rows, self->top.item),
                           viewer_rows_message_count(self->rows), share);
}

/* The end of what is typed, as much as there is room for. */
static Row *query_row(const ViewerPages *self)
{
    const char *text = self->query->str;
    size_t size = self->query->len;
    int cells = text_cells(text, size), room = MAX(0, self->size.columns - 2);
    while (cells > room) {
        int first_cells = 0;
        size_t first = cluster_size(text, size, &first_cells);
        text += first;
        size -= first;
        cells -= first_cells;
    }
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, "/", 1, (Style) { .fg = TOKEN_ACCENT }, NULL);
    row_builder_add(builder, text, (gssize)size, (Style) { 0 }, NULL);
    return row_builder_take(builder);
}

static Row *status_row_of(ViewerPages *self)
{
    if (self->query)
        return query_row(self);
    g_autofree char *text = self->note ? g_strdup(self->note) : position_text(self);
    g_autoptr(RowBuilder) builder = row_builder_new();
    const Style style = { .fg = TOKEN_ACCENT, .attributes = self->note ? STYLE_BOLD : 0 };
    row_builder_add(builder, text, -1, style, NULL);
    const char *keys = self->search.query ? "  n next, N previous, Esc ends the search"
                                          : "  / search, Home, End, e edits, q closes";
    row_builder_add(builder, keys, -1, (Style) { .fg = TOKEN_MUTED }, NULL);
    return row_builder_take(builder);
}

static void add_fitting(ViewerPages *self, const Row *row, GPtrArray *out)
{
    g_ptr_array_add(out, row_cut(row, self->size.columns));
}

static GPtrArray *window_rows(ViewerPages *self)
{
    GPtrArray *rows = rows_new();
    ViewerPlace place = self->top;
    bool has_row = viewer_rows_item_count(self->rows) > 0 &&
                   place.row < viewer_rows_count(self->rows, place.item);
    for (int i = 0; i < page_rows(self); i++) {
        if (!has_row) {
            g_ptr_array_add(rows, row_of("", (Style) { 0 }));
            continue;
        }
        g_autoptr(Row) row = viewer_search_mark(&self->search, viewer_rows_get(self->rows, place));
        add_fitting(self, row, rows);
        has_row = has_next(self, &place);
    }
    if (self->size.rows > 1) {
        g_autoptr(Row) row = status_row_of(self);
        add_fitting(self, row, rows);
    }
    return rows;
}

static void draw_row(const ViewerPages *self, guint index, const Row *row, GString *out)
{
    g_string_append_printf(out, "\x1b[%uH\x1b[K", index + 1);
    screen_row_bytes(row, self->theme, self->caps, out);
    if (row->cells < self->size.columns) // a cluster may be wider there than we think
        g_string_append(out, "\x1b[K");
}

void viewer_pages_draw(ViewerPages *self, bool is_whole, GString *out)
{
    g_autoptr(GPtrArray) rows = window_rows(self);
    g_autoptr(GString) frame = g_string_new(NULL);
    is_whole = is_whole || self->drawn->len != rows->len;
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = g_ptr_array_index(rows, i);
        if (is_whole || !row_equal(row, g_ptr_array_index(self->drawn, i)))
            draw_row(self, i, row, frame);
    }
    const Row *last = g_ptr_array_index(rows, rows->len - 1);
    int column = MIN(last->cells, self->size.columns - 1);
    if (frame->len > 0) {
        screen_begin_frame(self->caps, out);
        g_string_append_len(out, frame->str, (gssize)frame->len);
        g_string_append_printf(out, "\x1b[%u;%dH", rows->len, column + 1);
        screen_end_frame(self->caps, out);
    }
    g_ptr_array_unref(self->drawn);
    self->drawn = g_steal_pointer(&rows);
}

// ---- the whole ----

ViewerPages *viewer_pages_new(const json_t *messages, const BlockSpec *block, const Theme *theme,
                              const TermCaps *caps, TerminalSize size)
{
    BlockSpec spec = *block;
    spec.width = size.columns;
    ViewerPages *self = g_new0(ViewerPages, 1);
    self->rows = viewer_rows_new(messages, &spec);
    self->theme = theme;
    self->caps = caps;
    self->size = size;
    self->drawn = rows_new();
    show_from(self, last_top(self));
    return self;
}

void viewer_pages_free(ViewerPages *self)
{
    if (!self)
        return;
    viewer_rows_free(self->rows);
    viewer_search_clear(&self->search);
    if (self->query)
        g_string_free(self->query, TRUE);
    g_free(self->note);
    g_ptr_array_unref(self->drawn);
    g_free(self);
}
