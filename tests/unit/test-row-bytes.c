/*
 * Rows as bytes: clusters that terminals disagree on, links, what must not get out.
 */
#include "screen_fixture.h"

#include "tui/text/width.h"
#include "tui/text/wrap.h"

#define FAMILY "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7"

/* libvterm takes six cells for a family, we say two: what follows is in its place all the same. */
static void test_unsure_clusters(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(12, 6, 0);
    set_live(world, 0, 0, "a " FAMILY " bcd", "> " FAMILY "x", "12345678", NULL);
    draw_only(world);
    assert_non_null(strstr(world->bytes->str, FAMILY "\x1b[5G bcd"));
    test_terminal_take(world->terminal, world->bytes);
    g_autofree char *first = test_terminal_row(world->terminal, 0);
    assert_true(g_str_has_suffix(first, " bcd"));
    assert_int_equal(text_cells(first, strlen(first)), 8);

    set_live(world, 0, 0, "a xy bcd", "> ", "1234" FAMILY FAMILY, NULL); // and leaves nothing
    draw_only(world);
    test_terminal_take(world->terminal, world->bytes);
    g_autofree char *gone = test_terminal_row(world->terminal, 0);
    assert_string_equal(gone, "a xy bcd");
    g_autofree char *shorter = test_terminal_row(world->terminal, 1);
    assert_string_equal(shorter, ">");

    set_live(world, 0, 0, FAMILY, FAMILY FAMILY FAMILY FAMILY FAMILY FAMILY, "next", NULL);
    draw_only(world);
    test_terminal_take(world->terminal, world->bytes);
    set_live(world, 0, 0, "one", "two", "next", NULL);
    draw(world);
}

#define KEYCAP "1\xef\xb8\x8f\xe2\x83\xa3"

/* It takes one cell for a keycap: the other one keeps nothing of what stood there. And what a
   family takes too much goes, at the end of a row as well. */
static void test_cells_that_are_left_out(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(12, 6, 0);
    for (int is_given = 0; is_given < 2; is_given++) {
        set_live(world, 0, 0, "abcdef", "next", NULL);
        draw(world);
        if (is_given)
            give(world, "given");
        set_live(world, 0, 0, KEYCAP "cdef", "x" FAMILY, NULL);
        draw_only(world);
        test_terminal_take(world->terminal, world->bytes);
        int row = (int)world->given->len;
        g_autofree char *first = test_terminal_row(world->terminal, row);
        assert_string_equal(first, KEYCAP " cdef");
        g_autofree char *second = test_terminal_row(world->terminal, row + 1);
        assert_int_equal(g_utf8_strlen(second, -1),
                         2 + 1); // a blank, one woman, and what joins her
    }
}

static void test_measured_clusters(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(12, 6, 0);
    world->caps.has_clusters = true;
    set_live(world, 0, 0, "a " FAMILY " bcd", NULL);
    draw_only(world);
    assert_non_null(strstr(world->bytes->str, FAMILY " bcd"));
}

static Row *linked_row(const char *text, const char *link)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, "see ", -1, (Style) { 0 }, NULL);
    row_builder_add(builder, text, -1, (Style) { 0 }, link);
    return row_builder_take(builder);
}

static void test_links(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *link, *want;
        bool has_no_links;
    } cases[] = {
        { "an address", "https://a.example/x",
          "see \x1b]8;id=k4c483072;https://a.example/x\x1b\\it\x1b]8;;\x1b\\", false },
        { "a terminal without", "https://a.example/x", "see it", true },
        { "mail", "mailto:a@b.example",
          "see \x1b]8;id=kb4fe2e82;mailto:a@b.example\x1b\\it\x1b]8;;\x1b\\", false },
        { "blanks and letters", "file:///a b\xc3\xa9",
          "see \x1b]8;id=k56bbdefb;file:///a%20b%C3%A9\x1b\\it\x1b]8;;\x1b\\", false },
        { "what would end it", "https://a.example/\x1b\\\x1b]0;evil\a", "see it", false },
        { "a bell", "https://a.example/\a", "see it", false },
        { "another scheme", "javascript:alert(1)", "see it", false },
        { "none", "a.example", "see it", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Row) row = linked_row("it", cases[i].link);
        g_autoptr(GString) bytes = g_string_new(NULL);
        screen_row_bytes(row, NULL, &(TermCaps) { .has_links = !cases[i].has_no_links }, bytes);
        if (strcmp(bytes->str, cases[i].want) != 0) {
            g_autofree char *got = g_strescape(bytes->str, NULL);
            fail_msg("%s: got '%s'", cases[i].name, got);
        }
    }
    g_autofree char *path = g_strnfill(4000, 'x');
    g_autofree char *address = g_strconcat("https://a.example/", path, NULL);
    g_autoptr(Row) row = linked_row("it", address);
    g_autoptr(GString) bytes = g_string_new(NULL);
    screen_row_bytes(row, NULL, &(TermCaps) { .has_links = true }, bytes);
    assert_string_equal(bytes->str, "see it");
}

/* A link of two rows is closed at the end of the first, and both have the same id. */
static void test_link_of_two_rows(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(10, 6, 0);
    world->caps.has_links = true;
    g_autoptr(Row) row = linked_row("a long text", "https://a.example/");
    wrap_row(row, &(WrapSpec) { .width = 10 }, world->next);
    guint count = world->next->len;
    set_live(world, 0, 2, "> ", NULL);
    draw_only(world);
    test_terminal_take(world->terminal, world->bytes); // which refuses open links and missing ids
    assert_int_equal(count, 2);
    assert_int_equal(world->terminal->link_count, 2);
}

/* Whatever gets into a row, nothing but text gets out: agent-core-99. */
static void test_controls(void **state G_GNUC_UNUSED)
{
    g_autoptr(Row) row = row_of("a\x1b]0;evil\ab\x9b\xc2\x9b"
                                "31mc\x7f\td\x01",
                                (Style) { 0 });
    g_autoptr(GString) bytes = g_string_new(NULL);
    screen_row_bytes(row, NULL, NULL, bytes);
    assert_null(strchr(bytes->str, '\x1b'));
    for (size_t i = 0; i < bytes->len; i++)
        assert_true((unsigned char)bytes->str[i] >= ' ' && bytes->str[i] != 0x7f);
    assert_null(strstr(bytes->str, "\xc2\x9b"));
}

static bool cell_is_bold(const World *self, int row, int column)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(self->terminal->screen, (VTermPos) { row, column }, &cell);
    return cell.attrs.bold;
}

/* Each row ends in the default style, whatever it has, and a change of style alone is drawn. */
static void test_styles(void **state G_GNUC_UNUSED)
{
    g_autoptr(Theme) theme = theme_load(&(ThemeSpec) { .name = "kedge-dark" }, NULL);
    g_autoptr(World) world = world_new(10, 6, 0);
    world->caps.depth = DEPTH_TRUE;
    screen_set_look(world->screen, theme, &world->caps);
    for (int bold = 5; bold >= 1; bold--) { // letters that are bold
        const Style style = { .fg = TOKEN_ERROR, .attributes = STYLE_BOLD };
        g_autoptr(RowBuilder) builder = row_builder_new();
        row_builder_add(builder, "abcde", bold, style, NULL);
        row_builder_add(builder, &"abcde"[bold], -1, (Style) { 0 }, NULL);
        g_ptr_array_set_size(world->live.rows, 0);
        g_ptr_array_add(world->live.rows, row_builder_take(builder));
        g_ptr_array_add(world->live.rows, row_of("next", (Style) { 0 }));
        draw(world);
        assert_in_range(world->last_bytes, 1, bold == 5 ? 200 : 30);
        for (int i = 0; i < 5; i++)
            assert_int_equal(cell_is_bold(world, 0, i), i < bold);
        assert_false(cell_is_bold(world, 1, 0));
    }
    set_live(world, 0, 0, "", "next", NULL); // what is wiped has no colour
    draw(world);
    assert_false(cell_is_bold(world, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsure_clusters),
        cmocka_unit_test(test_cells_that_are_left_out),
        cmocka_unit_test(test_measured_clusters),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_link_of_two_rows),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_styles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
