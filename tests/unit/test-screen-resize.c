/*
 * A window that changes its size while rows are given away (tui §4.5): none is lost, none is
 * doubled, and nothing of the live area stays behind; on a terminal that cuts rows and on one that
 * wraps them again.
 */
#include "base/str.h"
#include "screen_fixture.h"

#include "tui/text/wrap.h"

static void give_numbered(World *self, int count)
{
    for (int i = 0; i < count; i++) {
        int number = self->number++;
        int blanks = number % 7 == 0 ? 150 : number % 50;
        g_autofree char *text = g_strdup_printf("#%05d %*s", number, blanks, "end");
        g_autoptr(Row) row = row_of(text, (Style) { 0 });
        g_autoptr(Row) cut = row_cut(row, self->terminal->size.columns);
        give(self, cut->text);
    }
}

/* A window as it is in use: short rows above the editor, a full one below. */
static void live_like_ours(World *self)
{
    int columns = self->terminal->size.columns;
    g_autofree char *above = g_strnfill((gsize)MIN(columns - 1, 60), '-');
    g_autofree char *status = g_strnfill((gsize)columns, '=');
    g_autofree char *tail = g_strdup_printf("tail %d", self->number);
    set_live(self, 2, 4, tail, above, "> ab", status, NULL);
}

/* Each numbered row once, in order, and below the last one the live area and nothing else. */
static void check_numbers(World *self)
{
    g_autofree char *all = test_terminal_all(self->terminal);
    g_auto(GStrv) rows = g_strsplit(all, "\n", -1);
    int at = 0, last = (int)g_strv_length(rows) - 1;
    for (int number = 0; number < self->number; number++, at++) {
        g_autofree char *want = g_strdup_printf("#%05d", number);
        if (at > last || !str_has_prefix(rows[at], want))
            fail_msg("%s is not where it should be:\n%s", want, all);
    }
    for (guint i = 0; i < self->live.rows->len; i++, at++) {
        if (at > last || strcmp(rows[at], text_of(self->live.rows, i)) != 0)
            fail_msg("row %u of the live area is not where it should be:\n%s", i, all);
    }
    assert_int_equal(at, last + 1);
}

/* A terminal that cuts, with one and more changes of its size between two frames. */
static void test_resize_storm(void **state G_GNUC_UNUSED)
{
    for (guint32 seed = 0; seed < 24; seed++) {
        g_autoptr(World) world = world_new(80, 24, seed);
        world->terminal->takes_back = seed % 2 == 1;
        for (int frame = 0; frame < 60; frame++) {
            int changes = MAX(0, g_rand_int_range(world->rand, -2, 4));
            for (int i = 0; i < changes; i++)
                test_terminal_resize(world->terminal, g_rand_int_range(world->rand, 20, 130),
                                     g_rand_int_range(world->rand, 8, 50));
            give_numbered(world, g_rand_int_range(world->rand, 0, 6));
            live_like_ours(world);
            draw_only(world);
            test_terminal_take(world->terminal, world->bytes);
            check_numbers(world);
        }
    }
}

/* The text as a terminal of that width wraps it by itself. */
static void append_wrapped(GString *all, const char *text, int columns)
{
    g_autoptr(Row) row = row_of(text, (Style) { 0 });
    g_autoptr(GPtrArray) rows = rows_new();
    wrap_row(row, &(WrapSpec) { .width = columns, .is_code = true }, rows);
    for (guint i = 0; i < rows->len; i++) {
        g_autofree char *part = g_strchomp(g_strdup(text_of(rows, i)));
        g_string_append_printf(all, "%s\n", part);
    }
}

static int wrapped_count(const char *text, int columns)
{
    g_autoptr(GString) all = g_string_new(NULL);
    append_wrapped(all, text, columns);
    int count = 0;
    for (const char *p = all->str; *p; p++)
        count += *p == '\n';
    return count;
}

/* A terminal that wraps what was written anew: another one with the same text, whose cursor stands
   at the same character. */
static void wrap_again(World *self, int columns, int rows)
{
    test_terminal_free(self->terminal);
    self->terminal = test_terminal_new(columns, rows);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < self->given->len; i++)
        g_string_append_printf(text, "%s\r\n", (char *)g_ptr_array_index(self->given, i));
    int below = -self->live.cursor_column / columns;
    for (guint i = 0; i < self->live.rows->len; i++) {
        g_string_append_printf(text, "%s%s", i > 0 ? "\r\n" : "", text_of(self->live.rows, i));
        if ((int)i >= self->live.cursor_row)
            below += wrapped_count(text_of(self->live.rows, i), columns);
    }
    if (below > 1)
        g_string_append_printf(text, "\x1b[%dA", below - 1);
    g_string_append_printf(text, "\x1b[%dG", self->live.cursor_column % columns + 1);
    vterm_input_write(self->terminal->vt, text->str, text->len);
}

static void test_resize_where_rows_wrap_again(void **state G_GNUC_UNUSED)
{
    for (guint32 seed = 0; seed < 60; seed++) {
        g_autoptr(World) world = world_new(100, 60, seed);
        world->caps.wraps_again = true;
        g_autofree char *draft = g_strnfill(99, 'd');
        for (int frame = 0; frame < 12; frame++) {
            give_numbered(world, g_rand_int_range(world->rand, 0, 6));
            g_autoptr(Row) row = row_of(draft, (Style) { 0 });
            g_autoptr(Row) cut = row_cut(row, world->terminal->size.columns);
            int column = g_rand_int_range(world->rand, 0, cut->cells);
            set_live(world, 2, column, "tail", cut->text, cut->text, cut->text, "====", NULL);
            draw_only(world);
            test_terminal_take(world->terminal, world->bytes);
            VTermPos cursor = test_terminal_cursor(world->terminal);

            g_autoptr(GString) want = g_string_new(NULL);
            for (guint i = 0; i < world->given->len; i++)
                append_wrapped(want, g_ptr_array_index(world->given, i),
                               world->terminal->size.columns);
            for (guint i = 0; i < world->live.rows->len; i++)
                g_string_append_printf(want, "%s\n", text_of(world->live.rows, i));
            g_autofree char *got = test_terminal_all(world->terminal);
            assert_string_equal(got, g_strchomp(want->str));
            assert_int_equal(cursor.col, column);
            wrap_again(world, g_rand_int_range(world->rand, 9, 120), 60);
        }
    }
}

/* agent-core-96 */
static void test_narrower_window(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(120, 30, 0);
    live_like_ours(world);
    draw(world);
    give_numbered(world, 10);
    live_like_ours(world);
    draw(world);
    test_terminal_resize(world->terminal, 40, 30);
    give_numbered(world, 10);
    live_like_ours(world);
    draw_only(world); // the reader refuses what is past the 40th column
    test_terminal_take(world->terminal, world->bytes);
    check_numbers(world);
}

/* Rows that were laid out for the old width lose nothing, and the live area's are cut. */
static void test_rows_too_wide(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(10, 6, 0);
    g_ptr_array_add(world->next, row_of("0123456789abcdefghijXYZ", (Style) { 0 }));
    set_live(world, 0, 3, "a row that is too wide", NULL);
    draw_only(world);
    test_terminal_take(world->terminal, world->bytes);
    g_autofree char *got = test_terminal_all(world->terminal);
    assert_string_equal(got, "0123456789\nabcdefghij\nXYZ\na row tha\xe2\x80\xa6");
}

/* One row of the window stays free, and the cursor's row is never the one that goes. */
static void test_rows_too_many(void **state G_GNUC_UNUSED)
{
    static const struct {
        int cursor_row;
        const char *want;
    } cases[] = { { 4, "c\nd\ne" }, { 2, "c\nd\ne" }, { 1, "b\nc\nd" }, { 0, "a\nb\nc" } };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(World) world = world_new(10, 4, 0);
        set_live(world, cases[i].cursor_row, 1, "a", "b", "c", "d", "e", NULL);
        draw_only(world);
        test_terminal_take(world->terminal, world->bytes);
        g_autofree char *got = test_terminal_all(world->terminal);
        assert_string_equal(got, cases[i].want);
        int row = test_terminal_cursor(world->terminal).row;
        g_autofree char *own = test_terminal_row(world->terminal, row);
        assert_int_equal(own[0], 'a' + cases[i].cursor_row);
    }
}

/* tmux changes its own size some time before it tells us: a frame is drawn for the old one. */
static void draw_late(World *self, TerminalSize told)
{
    screen_draw(self->screen, told, self->next, &self->live, self->bytes);
    g_ptr_array_set_size(self->next, 0);
    test_terminal_take(self->terminal, self->bytes);
}

/* As tmux does it: rows below the cursor go first, whatever is in them. */
static void lower_window(World *self, int rows)
{
    static const char wipe[] = "\x1b"
                               "7\r\n\x1b[J\x1b"
                               "8";
    vterm_input_write(self->terminal->vt, wipe, strlen(wipe));
    test_terminal_resize(self->terminal, self->terminal->size.columns, rows);
}

/* The window is lower and its rows below the cursor are gone, of which we change one. */
static void test_lower_than_told(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(80, 24, 1);
    const TerminalSize told = world->terminal->size;
    give_numbered(world, 40);
    set_live(world, 1, 4, "tail", "> ab", "below", "status 1", NULL);
    draw_late(world, told);
    lower_window(world, 22);
    set_live(world, 1, 4, "tail", "> ab", "below", "status 2", NULL);
    draw_late(world, told);
    give_numbered(world, 2);
    draw_only(world);
    test_terminal_take(world->terminal, world->bytes);
    check_numbers(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resize_storm),    cmocka_unit_test(test_resize_where_rows_wrap_again),
        cmocka_unit_test(test_narrower_window), cmocka_unit_test(test_rows_too_wide),
        cmocka_unit_test(test_rows_too_many),   cmocka_unit_test(test_lower_than_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
