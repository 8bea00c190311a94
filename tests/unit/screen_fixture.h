/*
 * A screen and the terminal that shows it, and what should be on it: the rows that were given away,
 * each once and in order, and the live area below them.
 */
#pragma once

#include "unit.h"

#include <string.h>

#include "terminal_fixture.h"
#include "tui/screen/screen.h"

typedef struct World { // what should be on the terminal
    TestTerminal *terminal;
    Screen *screen;
    TermCaps caps;
    GPtrArray *given; // of char *; all that was given away
    GPtrArray *next;  // of Row; goes with the next frame
    LiveArea live;
    GRand *rand;
    GString *bytes;
    size_t last_bytes; // of the last frame
    int number;        // of the next row
} World;

static G_GNUC_UNUSED World *world_new(int columns, int rows, guint32 seed)
{
    World *self = g_new0(World, 1);
    self->terminal = test_terminal_new(columns, rows);
    self->screen = screen_new();
    screen_set_look(self->screen, NULL, &self->caps);
    self->given = g_ptr_array_new_with_free_func(g_free);
    self->next = rows_new();
    self->live.rows = rows_new();
    self->rand = g_rand_new_with_seed(seed);
    self->bytes = g_string_new(NULL);
    return self;
}

static void world_free(World *self)
{
    test_terminal_free(self->terminal);
    screen_free(self->screen);
    g_ptr_array_unref(self->given);
    g_ptr_array_unref(self->next);
    g_ptr_array_unref(self->live.rows);
    g_rand_free(self->rand);
    g_string_free(self->bytes, TRUE);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(World, world_free)

static G_GNUC_UNUSED void give(World *self, const char *text)
{
    g_ptr_array_add(self->next, row_of(text, (Style) { 0 }));
    g_ptr_array_add(self->given, g_strdup(text));
}

static G_GNUC_UNUSED void set_live(World *self, int cursor_row, int cursor_column, ...)
{
    va_list rows;
    va_start(rows, cursor_column);
    g_ptr_array_set_size(self->live.rows, 0);
    for (const char *text; (text = va_arg(rows, const char *));)
        g_ptr_array_add(self->live.rows, row_of(text, (Style) { 0 }));
    va_end(rows);
    self->live.cursor_row = cursor_row;
    self->live.cursor_column = cursor_column;
}

/* Draws without looking at what came of it; the bytes are judged all the same. */
static G_GNUC_UNUSED void draw_only(World *self)
{
    screen_draw(self->screen, self->terminal->size, self->next, &self->live, self->bytes);
    g_ptr_array_set_size(self->next, 0);
    self->last_bytes = self->bytes->len;
}

static const char *text_of(const GPtrArray *rows, guint index)
{
    const Row *row = g_ptr_array_index(rows, index);
    return row->text;
}

static char *expected_text(const World *self)
{
    GString *all = g_string_new(NULL);
    for (guint i = 0; i < self->given->len; i++)
        g_string_append_printf(all, "%s\n", (char *)g_ptr_array_index(self->given, i));
    for (guint i = 0; i < self->live.rows->len; i++)
        g_string_append_printf(all, "%s\n", text_of(self->live.rows, i));
    g_auto(GStrv) rows = g_strsplit(all->str, "\n", -1); // blanks at the end cannot be told
    for (char **row = rows; *row; row++)
        g_strchomp(*row);
    g_string_free(all, TRUE);
    return g_strchomp(g_strjoinv("\n", rows));
}

static void check_cursor(const World *self)
{
    int given = (int)self->given->len - (int)self->terminal->scrolled->len;
    VTermPos cursor = test_terminal_cursor(self->terminal);
    assert_int_equal(cursor.row, given + self->live.cursor_row);
    assert_int_equal(cursor.col, MIN(self->live.cursor_column, self->terminal->size.columns - 1));
}

static G_GNUC_UNUSED void check(World *self)
{
    g_autofree char *want = expected_text(self);
    g_autofree char *got = test_terminal_all(self->terminal);
    assert_string_equal(got, want);
    check_cursor(self);
}

static G_GNUC_UNUSED void draw(World *self)
{
    draw_only(self);
    test_terminal_take(self->terminal, self->bytes);
    check(self);
}
