/*
 * A terminal for tests: libvterm and the reader of bytes.
 */
#include "base/str.h"
#include "unit.h"

#include <string.h>

#include "terminal_fixture.h"
#include "tui/text/width.h"

// ---- libvterm ----

static char *cells_text(const VTermScreenCell *cells, int count)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < count; i++) {
        if (cells[i].chars[0] == (uint32_t)-1) // the second half of a wide one
            continue;
        if (cells[i].chars[0] == 0)
            g_string_append_c(text, ' ');
        for (int k = 0; k < VTERM_MAX_CHARS_PER_CELL && cells[i].chars[k] != 0; k++)
            g_string_append_unichar(text, cells[i].chars[k]);
    }
    size_t size = text->len;
    while (size > 0 && text->str[size - 1] == ' ')
        size--;
    g_string_truncate(text, size);
    return g_string_free(text, FALSE);
}

static int on_scrolled(int columns, const VTermScreenCell *cells, void *user_data)
{
    TestTerminal *self = user_data;
    g_ptr_array_add(self->scrolled, cells_text(cells, columns));
    return 1;
}

static int on_taken_back(int columns, VTermScreenCell *cells, void *user_data)
{
    TestTerminal *self = user_data;
    if (!self->takes_back || self->scrolled->len == 0)
        return 0;

    memset(cells, 0, sizeof(*cells) * (size_t)columns);
    g_autofree char *text = g_ptr_array_steal_index(self->scrolled, self->scrolled->len - 1);
    int column = 0;
    for (const char *p = text; *p && column < columns; p = g_utf8_next_char(p)) {
        int width = MAX(1, text_cells(p, (size_t)(g_utf8_next_char(p) - p)));
        if (column + width > columns)
            break;
        cells[column].chars[0] = g_utf8_get_char(p);
        cells[column].width = (char)width;
        column += width;
    }
    for (; column < columns; column++)
        cells[column].width = 1;
    return 1;
}

static int on_property(VTermProp property, VTermValue *value, void *user_data)
{
    TestTerminal *self = user_data;
    if (property == VTERM_PROP_ALTSCREEN)
        self->is_alternate = value->boolean;
    return 1;
}

static const VTermScreenCallbacks callbacks = {
    .sb_pushline = on_scrolled,
    .sb_popline = on_taken_back,
    .settermprop = on_property,
};

TestTerminal *test_terminal_new(int columns, int rows)
{
    TestTerminal *self = g_new0(TestTerminal, 1);
    self->size = (TerminalSize) { columns, rows };
    self->scrolled = g_ptr_array_new_with_free_func(g_free);
    self->vt = vterm_new(rows, columns);
    vterm_set_utf8(self->vt, 1);
    self->screen = vterm_obtain_screen(self->vt);
    vterm_screen_set_callbacks(self->screen, &callbacks, self);
    vterm_screen_enable_altscreen(self->screen, 1);
    vterm_screen_reset(self->screen, 1);
    return self;
}

void test_terminal_free(TestTerminal *self)
{
    if (!self)
        return;

    vterm_free(self->vt);
    g_ptr_array_unref(self->scrolled);
    g_free(self);
}

void test_terminal_resize(TestTerminal *self, int columns, int rows)
{
    self->size = (TerminalSize) { columns, rows };
    vterm_set_size(self->vt, rows, columns);
    vterm_screen_flush_damage(self->screen);
}

char *test_terminal_row(const TestTerminal *self, int row)
{
    g_autofree VTermScreenCell *cells = g_new0(VTermScreenCell, self->size.columns);
    for (int i = 0; i < self->size.columns; i++)
        vterm_screen_get_cell(self->screen, (VTermPos) { row, i }, &cells[i]);
    return cells_text(cells, self->size.columns);
}

char *test_terminal_all(const TestTerminal *self)
{
    GString *all = g_string_new(NULL);
    for (guint i = 0; i < self->scrolled->len; i++)
        g_string_append_printf(all, "%s\n", (char *)g_ptr_array_index(self->scrolled, i));
    for (int i = 0; i < self->size.rows; i++) {
        g_autofree char *row = test_terminal_row(self, i);
        g_string_append_printf(all, "%s\n", row);
    }
    return g_strchomp(g_string_free(all, FALSE));
}

VTermPos test_terminal_cursor(const TestTerminal *self)
{
    VTermPos position = { 0 };
    vterm_state_get_cursorpos(vterm_obtain_state(self->vt), &position);
    return position;
}

// ---- the bytes ----

typedef struct Reader {
    TestTerminal *terminal;
    const char *start, *at, *end;
    bool is_sync, is_cut, is_hidden, has_link;
} Reader;

static void G_GNUC_PRINTF(2, 3) refuse(const Reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *problem = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *before = g_strescape(reader->start, NULL);
    fail_msg("%s, at byte %td of %s", problem, reader->at - reader->start, before);
}

static void read_mode(Reader *reader, const char *mode, bool is_on)
{
    bool *state = NULL;
    if (strcmp(mode, "?2026") == 0)
        state = &reader->is_sync;
    else if (strcmp(mode, "?7") == 0)
        state = &reader->is_cut;
    else if (strcmp(mode, "?25") == 0)
        state = &reader->is_hidden;
    else if (strcmp(mode, "?1049") != 0 || !reader->terminal->allows_alternate)
        refuse(reader, "mode %s", mode);
    if (!state)
        return;
    bool is_begun = state == &reader->is_sync ? is_on : !is_on;
    if (*state == is_begun)
        refuse(reader, "mode %s twice", mode);
    *state = is_begun;
}

static void read_csi(Reader *reader)
{
    const char *p = reader->at + 2;
    while (p < reader->end && *p >= 0x20 && *p < 0x40)
        p++;
    if (p == reader->end)
        refuse(reader, "a sequence without its end");
    g_autofree char *text = g_strndup(reader->at + 2, (gsize)(p - reader->at - 2));
    if (*p == 'h' || *p == 'l')
        read_mode(reader, text, *p == 'h');
    else if (*p == 'G')
        reader->terminal->column = (int)g_ascii_strtoll(text, NULL, 10) - 1;
    else if (*p == 'H' && reader->terminal->allows_alternate)
        reader->terminal->column =
            strchr(text, ';') ? (int)g_ascii_strtoll(strchr(text, ';') + 1, NULL, 10) - 1 : 0;
    else if ((*p == 'J' || *p == 'K') && *text)
        refuse(reader, "CSI %s%c", text, *p);
    else if (!strchr("ABJKm", *p)) // no regions, no clears, no rows by number
        refuse(reader, "CSI %s%c", text, *p);
    reader->at = p + 1;
}

static void read_link(Reader *reader)
{
    const char *stop = strstr(reader->at, "\x1b\\");
    g_autofree char *text = stop ? g_strndup(reader->at, (gsize)(stop - reader->at)) : NULL;
    bool is_mark = reader->terminal->allows_marks && g_strcmp0(text, "\x1b]133;A;redraw=0") == 0;
    if (is_mark) {
        reader->at = stop + 2;
        return;
    }
    if (!text || !str_has_prefix(text, "\x1b]8;"))
        refuse(reader, "OSC");
    const char *address = strchr(text + 4, ';');
    if (!address)
        refuse(reader, "a link without address");
    reader->has_link = address[1] != '\0';
    if (reader->has_link && !str_has_prefix(text + 4, "id="))
        refuse(reader, "a link without id");
    reader->terminal->link_count += reader->has_link;
    reader->at = stop + 2;
}

static void read_text(Reader *reader)
{
    const char *p = reader->at;
    while (p < reader->end && (unsigned char)*p >= 0x20)
        p++;
    while (reader->at < p) {
        int cells = 0;
        size_t size = cluster_size(reader->at, (size_t)(p - reader->at), &cells);
        reader->terminal->column += cells;
        if (reader->terminal->column > reader->terminal->size.columns)
            refuse(reader, "past the margin");
        reader->at += size;
    }
}

static void read_bytes(TestTerminal *self, const GString *bytes)
{
    Reader reader = { self, bytes->str, bytes->str, bytes->str + bytes->len, .has_link = false };
    while (reader.at < reader.end) {
        if (str_has_prefix(reader.at, "\x1b[")) {
            read_csi(&reader);
        } else if (str_has_prefix(reader.at, "\x1b]")) {
            read_link(&reader);
        } else if (*reader.at == '\r' || *reader.at == '\n') {
            if (reader.has_link)
                refuse(&reader, "a link over the end of its row");
            if (*reader.at++ == '\r')
                self->column = 0;
        } else if ((unsigned char)*reader.at >= 0x20) {
            read_text(&reader);
        } else {
            refuse(&reader, "control %02x", *reader.at);
        }
    }
    if (reader.is_sync || reader.is_cut || reader.is_hidden || reader.has_link)
        refuse(&reader, "a mode or link that is left on");
}

void test_terminal_take(TestTerminal *self, GString *bytes)
{
    read_bytes(self, bytes);
    vterm_input_write(self->vt, bytes->str, bytes->len);
    vterm_screen_flush_damage(self->screen);
    g_string_truncate(bytes, 0);
}
