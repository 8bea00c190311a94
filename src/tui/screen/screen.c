/*
 * What a terminal shows of us: the bytes of a frame (tui §4.2, §4.5).
 *
 * A frame either writes what differs of the live area, or, when rows are given away, the window has
 * another size or no one knows what is drawn, goes to the area's first row and writes everything
 * from there on, so that the terminal itself scrolls. A step down is always LF: the row below may
 * not be there, also because the window has become lower before we are told (tmux then drops rows
 * below the cursor), and a move down would stop at the window's end, from where the way back up
 * leads into the history.
 */
#include "tui/screen/screen.h"

#include "tui/screen/picture_bytes.h"
#include "tui/screen/row_bytes.h"
#include "tui/text/wrap.h"

enum { COLUMN_UNKNOWN = -1 };

struct Screen {
    Look look;
    TerminalSize size; // of the last frame
    GPtrArray *drawn;  // of Row; the live area, never empty while is_known
    bool is_known;     // `drawn` is what the terminal shows
    bool is_stale;     // but in another look
    int row, column;   // of the cursor in the area
    bool is_large;     // the frame that is made touches more than one row
    bool keeps_margin; // and the terminal shall not wrap by itself while it is written
    GString *frame;
};

Screen *screen_new(void)
{
    Screen *self = g_new0(Screen, 1);
    self->drawn = rows_new();
    self->frame = g_string_new(NULL);
    return self;
}

void screen_free(Screen *self)
{
    if (!self)
        return;

    g_ptr_array_unref(self->drawn);
    g_string_free(self->frame, TRUE);
    g_free(self);
}

void screen_set_look(Screen *self, const Theme *theme, const TermCaps *caps)
{
    self->look = (Look) { theme, caps };
    self->is_stale = true;
}

void screen_forget(Screen *self)
{
    self->is_known = false;
    g_ptr_array_set_size(self->drawn, 0);
}

void screen_row_bytes(const Row *row, const Theme *theme, const TermCaps *caps, GString *out)
{
    row_bytes(row, row_whole(row), (Look) { theme, caps }, out);
}

// ---- what is wanted, made to fit ----

/* As many rows as leave one of the window free, the cursor's among them, none wider than it. */
static GPtrArray *fit_live(const LiveArea *live, TerminalSize size, int *ret_cursor_row)
{
    guint max = (guint)MAX(1, size.rows - 1);
    guint count = live->rows->len;
    guint cursor = count > 0 ? (guint)CLAMP(live->cursor_row, 0, (int)count - 1) : 0;
    guint first = count > max ? MIN(count - max, cursor) : 0;
    GPtrArray *rows = rows_new();
    for (guint i = first; i < count && rows->len < max; i++) {
        Row *row = g_ptr_array_index(live->rows, i);
        g_ptr_array_add(rows,
                        row->cells > size.columns ? row_cut(row, size.columns) : row_ref(row));
    }
    if (rows->len == 0) // the row that the cursor stands in
        g_ptr_array_add(rows, row_of("", (Style) { 0 }));
    *ret_cursor_row = (int)(cursor - first);
    return rows;
}

/* Rows that were laid out before the window became narrower lose nothing. */
static void fit_history(Row *row, int columns, GPtrArray *out)
{
    if (row->cells <= columns) {
        g_ptr_array_add(out, row_ref(row));
        return;
    }
    g_autoptr(GPtrArray) rows = rows_new();
    wrap_row(row, &(WrapSpec) { .width = columns, .is_code = true }, rows);
    for (guint i = 0; i < rows->len; i++) {
        Row *part = g_ptr_array_index(rows, i);
        g_ptr_array_add(out, part->cells > columns ? row_cut(part, columns) : row_ref(part));
    }
}

// ---- moves ----

static void move_rows(GString *frame, int rows)
{
    if (rows < -1)
        g_string_append_printf(frame, "\x1b[%dA", -rows);
    else if (rows == -1)
        g_string_append(frame, "\x1b[A");
    for (int i = 0; i < rows; i++)
        g_string_append_c(frame, '\n'); // the column stays
}

/* To a row of the area that is on the terminal. */
static void move_to(Screen *self, int row, int column)
{
    move_rows(self->frame, row - self->row);
    self->row = row;
    column = MIN(column, self->size.columns - 1);
    if (self->column == column)
        return;
    if (column == 0)
        g_string_append_c(self->frame, '\r');
    else
        g_string_append_printf(self->frame, "\x1b[%dG", column + 1);
    self->column = column;
}

/* To the start of the row below, which is made if it is not there. */
static void next_row(Screen *self)
{
    g_string_append(self->frame, "\r\n");
    self->row++;
    self->column = 0;
}

/* Below the cursor's row, whose start it stands at; the row itself is blank. Never from the first
   row of a screen, since tmux then keeps a copy of it. */
static void wipe_below(Screen *self)
{
    if (self->size.rows == 1)
        return;
    next_row(self);
    g_string_append(self->frame, "\x1b[J");
    move_to(self, self->row - 1, 0);
}

/* The rows between the area's first one and the cursor, now that the window is `columns` wide. */
static int rows_above(const Screen *self, int columns)
{
    bool wraps = self->look.caps && self->look.caps->wraps_again;
    if (!wraps || columns >= self->size.columns)
        return self->row;

    int above = 0;
    for (int i = 0; i < self->row; i++)
        above += row_wrapped_count(g_ptr_array_index(self->drawn, i), columns);
    const Row *own = g_ptr_array_index(self->drawn, self->row);
    if (self->column > 0 && own->cells > columns)
        above += MIN(self->column / columns, row_wrapped_count(own, columns) - 1);
    return above;
}

/* To the area's first row, wherever another size has put it. */
static void move_home(Screen *self, TerminalSize size)
{
    g_string_append_c(self->frame, '\r');
    move_rows(self->frame, -rows_above(self, size.columns));
    self->size = size;
    self->row = 0;
    self->column = 0;
}

// ---- rows ----

/* At the cursor, which stands at the piece's column. */
static void write_piece(Screen *self, const Row *row, RowPiece piece)
{
    row_bytes(row, piece, self->look, self->frame);
    bool is_sure = row_is_ascii(row, piece) && piece.end_column < self->size.columns;
    self->column = is_sure ? piece.end_column : COLUMN_UNKNOWN;
}

/* Terminals disagree on the cells of what the row has from the byte `from` on. */
static bool is_in_doubt(const Screen *self, const Row *row, size_t from)
{
    bool is_measured = self->look.caps && self->look.caps->has_clusters;
    return !is_measured && row_is_unsure(row, from);
}

/* The whole row, over whatever is there. That is wiped first: a cell that the terminal leaves out
   of a cluster keeps nothing, and tmux forgets that the line once went on in the next one, with
   which it would be joined in a wider window. */
static void write_row(Screen *self, const Row *row, bool is_blank)
{
    if (!is_blank)
        g_string_append(self->frame, "\x1b[K");
    write_piece(self, row, row_whole(row));
    if (is_in_doubt(self, row, 0) && row->cells < self->size.columns) // else it eats the last cell
        g_string_append(self->frame, "\x1b[K");
}

/* "Previous prompt" of the terminal finds it (tui §12). Without redraw=0 kitty and Ghostty would
   wipe all from there on when the window changes its size: a shell would draw its prompt again. */
static void write_mark(Screen *self, const Row *row)
{
    if (row->is_prompt && self->look.caps && self->look.caps->has_marks)
        g_string_append(self->frame, "\x1b]133;A;redraw=0\x1b\\");
}

/* Drawn with the last of its rows, once all of them are on the terminal; those that are not there
   (the window is lower, a start was left out) make it smaller. */
static void write_picture(Screen *self, const GPtrArray *rows, guint last)
{
    const Picture *picture = ((const Row *)rows->pdata[last])->picture;
    bool is_last =
        last + 1 == rows->len || ((const Row *)rows->pdata[last + 1])->picture != picture;
    int count = 1;
    if (!picture || !is_last)
        return;
    while ((guint)count <= last && ((const Row *)rows->pdata[last - count])->picture == picture)
        count++;
    picture_bytes(picture, MIN(count, self->size.rows), self->size.columns, self->frame);
}

/* What differs from the row that stands there. */
static void update_row(Screen *self, int index, const Row *now)
{
    const Row *old = g_ptr_array_index(self->drawn, index);
    RowPiece piece = row_difference(old, now);
    bool is_unsure = is_in_doubt(self, old, piece.from) || is_in_doubt(self, now, piece.from);
    if (is_unsure) { // the cells after it may be others than we think
        piece.end = now->size;
        piece.end_column = now->cells;
    }
    move_to(self, index, piece.column);
    if (is_unsure && piece.column < self->size.columns)
        g_string_append(self->frame, "\x1b[K");
    write_piece(self, now, piece);

    bool is_to_end = piece.end == now->size;
    if (is_to_end && now->cells < self->size.columns && (is_unsure || now->cells < old->cells))
        g_string_append(self->frame, "\x1b[K");
    /* The last column is written without wrapping, and so is what might get there if each character
       were twice as wide as we think, or a cluster as all that it is made of. */
    int cells = piece.end_column - piece.column;
    int at_most = piece.end_column + (row_is_ascii(now, piece) ? 0 : cells);
    if (is_unsure || at_most >= self->size.columns)
        self->keeps_margin = true;
}

// ---- frames ----

/* From the area's first row on: `history`, then `live`, which becomes what is drawn. */
static void draw_all(Screen *self, TerminalSize size, const GPtrArray *history, GPtrArray *live)
{
    bool is_resized =
        self->is_known && (size.columns != self->size.columns || size.rows != self->size.rows);
    bool is_blank = !self->is_known || is_resized;
    int old_count = (int)self->drawn->len;
    self->is_large = true;
    if (self->is_known) {
        move_home(self, size);
    } else {
        g_string_append_c(self->frame, '\r');
        self->size = size;
        self->row = self->column = 0;
    }
    if (is_blank) {
        g_string_append(self->frame, "\x1b[K");
        wipe_below(self);
    }

    g_autoptr(GPtrArray) rows = rows_new();
    for (guint i = 0; i < history->len; i++)
        fit_history(g_ptr_array_index(history, i), size.columns, rows);
    int given = (int)rows->len;
    for (guint i = 0; i < live->len; i++)
        g_ptr_array_add(rows, row_ref(g_ptr_array_index(live, i)));
    for (guint i = 0; i < rows->len; i++) {
        if (i > 0)
            next_row(self);
        if ((int)i < given)
            write_mark(self, g_ptr_array_index(rows, i));
        write_row(self, g_ptr_array_index(rows, i), is_blank);
        write_picture(self, rows, i);
    }
    if (!is_blank && (int)rows->len < old_count) {
        next_row(self);
        g_string_append(self->frame, "\x1b[J");
    }
    self->row -= given;
}

/* What differs between what is drawn and `live`. */
static void draw_changes(Screen *self, GPtrArray *live)
{
    int old_count = (int)self->drawn->len, count = (int)live->len, changed = 0;
    for (int i = 0; i < MIN(old_count, count); i++) {
        const Row *now = g_ptr_array_index(live, i);
        if (row_equal(g_ptr_array_index(self->drawn, i), now))
            continue;
        update_row(self, i, now);
        changed++;
    }
    for (int i = old_count; i < count; i++) {
        move_to(self, i - 1, 0);
        next_row(self);
        write_row(self, g_ptr_array_index(live, i), false);
        changed++;
    }
    if (count < old_count) {
        move_to(self, count - 1, 0);
        next_row(self);
        g_string_append(self->frame, "\x1b[J");
        changed += 2;
    }
    self->is_large = changed > 1;
}

static bool has_sync(const TermCaps *caps)
{
    return caps && caps->has_sync && !caps->is_zellij && !caps->is_screen;
}

void screen_begin_frame(const TermCaps *caps, GString *out)
{
    g_string_append(out, has_sync(caps) ? "\x1b[?2026h" : "\x1b[?25l");
    g_string_append(out, "\x1b[?7l");
}

void screen_end_frame(const TermCaps *caps, GString *out)
{
    g_string_append(out, "\x1b[?7h");
    g_string_append(out, has_sync(caps) ? "\x1b[?2026l" : "\x1b[?25h");
}

static void append_frame(Screen *self, GString *out)
{
    if (self->frame->len == 0)
        return;
    if (self->is_large)
        screen_begin_frame(self->look.caps, out);
    else if (self->keeps_margin)
        g_string_append(out, "\x1b[?7l");
    g_string_append_len(out, self->frame->str, (gssize)self->frame->len);
    if (self->is_large)
        screen_end_frame(self->look.caps, out);
    else if (self->keeps_margin)
        g_string_append(out, "\x1b[?7h");
    g_string_truncate(self->frame, 0);
}

void screen_draw(Screen *self, TerminalSize size, const GPtrArray *history, const LiveArea *live,
                 GString *out)
{
    int cursor_row = 0;
    g_autoptr(GPtrArray) rows = fit_live(live, size, &cursor_row);
    bool is_other_size = size.columns != self->size.columns || size.rows != self->size.rows;
    self->is_large = self->keeps_margin = false;
    if (!self->is_known || self->is_stale || is_other_size || history->len > 0)
        draw_all(self, size, history, rows);
    else
        draw_changes(self, rows);
    move_to(self, cursor_row, MAX(0, live->cursor_column));
    append_frame(self, out);

    g_ptr_array_unref(self->drawn);
    self->drawn = g_steal_pointer(&rows);
    self->is_known = true;
    self->is_stale = false;
}

void screen_wipe(Screen *self, TerminalSize size, GString *out)
{
    if (!self->is_known)
        return;

    bool has_rows_below = self->drawn->len > 1;
    self->is_large = self->keeps_margin = false;
    move_home(self, size);
    g_string_append(self->frame, "\x1b[K");
    if (has_rows_below)
        wipe_below(self);
    append_frame(self, out);
    screen_forget(self);
}
