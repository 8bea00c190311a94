/*
 * The bytes of frames, with libvterm as the judge (tui §18): what it shows and what has scrolled
 * off must be what was wanted, and no frame costs more than it must.
 */
#include "base/str.h"
#include "screen_fixture.h"

// ---- random areas, rows and sizes ----

static const char *const letters[] = {
    "a",
    "b",
    "x",
    "0",
    " ",
    "-",
    "\xc3\xa9",
    "e\xcc\x81",
    "\xe4\xb8\xad",
    "\xe3\x81\x82",
    "\xe2\x94\x82",
};

/* A row of our own that ends in no blank. */
static char *random_row(World *self, int max_cells)
{
    bool is_plain = max_cells < 2 || g_rand_int_range(self->rand, 0, 3) > 0;
    int cells = g_rand_int_range(self->rand, 0, MIN(max_cells, 200) + 1);
    GString *text = g_string_new(NULL);
    for (int used = 0; used < cells;) {
        size_t pick = (size_t)g_rand_int_range(self->rand, 0, G_N_ELEMENTS(letters));
        const char *letter = letters[is_plain ? pick % 6 : pick];
        int width = strlen(letter) == 3 && letter[0] != '\xe2' && letter[0] != 'e' ? 2 : 1;
        if (used + width > cells)
            break;
        g_string_append(text, letter);
        used += width;
    }
    if (text->len > 0 && text->str[text->len - 1] == ' ')
        text->str[text->len - 1] = '.';
    return g_string_free(text, FALSE);
}

static void random_live(World *self)
{
    TerminalSize size = self->terminal->size;
    GPtrArray *rows = self->live.rows;
    int max = MAX(1, size.rows - 1);
    int kept = g_rand_int_range(self->rand, 0, 4 * (max + 1));
    if (kept < (int)rows->len)
        g_ptr_array_set_size(rows, kept);
    while ((int)rows->len < max && g_rand_int_range(self->rand, 0, 3) == 0) {
        g_autofree char *text = random_row(self, size.columns);
        g_ptr_array_add(rows, row_of(text, (Style) { 0 }));
    }
    for (guint i = 0; i < rows->len; i++) {
        if (g_rand_int_range(self->rand, 0, 3) != 0)
            continue;
        g_autofree char *text = random_row(self, size.columns);
        row_unref(g_ptr_array_index(rows, i));
        rows->pdata[i] = row_of(text, (Style) { 0 });
    }
    self->live.cursor_row = rows->len > 0 ? g_rand_int_range(self->rand, 0, (int)rows->len) : 0;
    self->live.cursor_column = g_rand_int_range(self->rand, 0, size.columns + 2);
}

static void random_given(World *self)
{
    static const int counts[] = { 0, 0, 0, 0, 1, 1, 2, 3, 7, 60 };
    int count = counts[g_rand_int_range(self->rand, 0, G_N_ELEMENTS(counts))];
    for (int i = 0; i < count; i++) {
        g_autofree char *text = random_row(self, self->terminal->size.columns);
        give(self, text);
    }
}

static void test_random_frames(void **state G_GNUC_UNUSED)
{
    static const TerminalSize sizes[] = {
        { 80, 24 }, { 120, 40 }, { 40, 10 }, { 7, 5 },  { 3, 3 },
        { 2, 2 },   { 1, 2 },    { 1, 30 },  { 80, 2 }, { 200, 60 },
    };
    for (guint32 seed = 0; seed < (guint32)rounds_of(10 * G_N_ELEMENTS(sizes)); seed++) {
        TerminalSize size = sizes[seed % G_N_ELEMENTS(sizes)];
        g_autoptr(World) world = world_new(size.columns, size.rows, seed);
        world->caps.has_sync = seed % 2 == 0;
        for (guint32 i = 0; i < seed % 5; i++) { // what the shell has left there
            g_string_append(world->bytes, "$\r\n");
            g_ptr_array_add(world->given, g_strdup("$"));
        }
        test_terminal_take(world->terminal, world->bytes);
        for (int frame = 0; frame < 40; frame++) {
            random_live(world);
            random_given(world);
            draw(world);
        }
    }
}

/* A window of one row, of which libvterm does not say what scrolls off. */
static void test_single_row(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(20, 1, 0);
    for (int i = 0; i < 3; i++) {
        give(world, "given");
        set_live(world, 1, 3, "above", i == 1 ? "> b" : "> abc", "below", NULL);
        draw_only(world);
        test_terminal_take(world->terminal, world->bytes);
        g_autofree char *row = test_terminal_row(world->terminal, 0);
        assert_string_equal(row, i == 1 ? "> b" : "> abc");
        assert_int_equal(test_terminal_cursor(world->terminal).col, 3);
    }
    screen_wipe(world->screen, world->terminal->size, world->bytes);
    test_terminal_take(world->terminal, world->bytes);
    g_autofree char *left = test_terminal_all(world->terminal);
    assert_string_equal(left, "");
}

// ---- what a frame costs ----

static void check_bytes(World *self, const char *want)
{
    draw_only(self);
    assert_string_equal(self->bytes->str, want);
    test_terminal_take(self->terminal, self->bytes);
    check(self);
}

/* agent-core-97 */
static void test_unchanged(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(40, 10, 0);
    give(world, "given");
    set_live(world, 1, 4, "-----", "> ab", "status", NULL);
    draw(world);
    check_bytes(world, "");
    set_live(world, 1, 4, "-----", "> ab", "status", NULL); // other rows that look the same
    check_bytes(world, "");
}

static void test_keys(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *before, *now, *want;
        int cursor_before, cursor;
    } cases[] = {
        { "typed at the end", "> ab", "> abc", "c", 4, 5 },
        { "the first one", "> ", "> a", "a", 2, 3 },
        { "a wide one", "> a", "> a\xe4\xb8\xad", "\xe4\xb8\xad\x1b[6G", 3, 5 },
        { "in the middle", "> ad", "> abd", "bd\x1b[4G", 3, 3 + 0 },
        { "moved", "> abc", "> abc", "\x1b[4G", 5, 3 },
        { "to the start", "> abc", "> abc", "\r", 5, 0 },
        { "taken away", "> abc", "> ab", "\x1b[5G\x1b[K", 5, 4 },
        { "another one in its place", "> abcd", "> aXcd", "X", 3, 4 },
        { "an accent for the last one", "> e", "> e\xcc\x81", "\x1b[3Ge\xcc\x81\x1b[4G", 3, 3 },
        { "an accent taken away", "> e\xcc\x81", "> e", "\x1b[3Ge", 3, 3 },
        { "in the last column", "> 34567", "> 345678", "\x1b[?7l8\x1b[8G\x1b[?7h", 7, 8 },
        { "twice as wide it would be past it", "> 34567", "> 34567\xc3\xa9",
          "\x1b[?7l\xc3\xa9\x1b[8G\x1b[?7h", 7, 7 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(World) world = world_new(8, 5, 0);
        give(world, "given");
        set_live(world, 1, cases[i].cursor_before, "---", cases[i].before, "===", NULL);
        draw(world);
        set_live(world, 1, cases[i].cursor, "---", cases[i].now, "===", NULL);
        draw_only(world);
        if (strcmp(world->bytes->str, cases[i].want) != 0) {
            g_autofree char *got = g_strescape(world->bytes->str, NULL);
            fail_msg("%s: got '%s'", cases[i].name, got);
        }
        test_terminal_take(world->terminal, world->bytes);
        check(world);
    }
}

/* A key changes the area by a row, and still costs little. */
static void test_key_bytes(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(200, 50, 0);
    g_autofree char *rule = g_strnfill(60, '-');
    g_autofree char *status = g_strnfill(200, '=');
    g_autofree char *draft = g_strnfill(190, 'd');
    set_live(world, 1, 190, rule, draft, status, NULL);
    draw(world);
    g_autofree char *inserted = g_strconcat("X", draft, NULL);
    set_live(world, 1, 1, rule, inserted, status, NULL);
    draw(world);
    assert_in_range(world->last_bytes, 1, 200);
    set_live(world, 2, 0, rule, inserted, "", status, NULL);
    draw(world);
    assert_in_range(world->last_bytes, 200, 300); // the status line moves down, and is 200 itself
    set_live(world, 1, 191, rule, inserted, status, NULL);
    draw(world);
    assert_in_range(world->last_bytes, 200, 300);
}

// ---- modes around a frame ----

static void test_synchronized(void **state G_GNUC_UNUSED)
{
    static const struct {
        TermCaps caps;
        const char *begin, *end;
    } cases[] = {
        { { .has_sync = true }, "\x1b[?2026h\x1b[?7l", "\x1b[?7h\x1b[?2026l" },
        { { .has_sync = false }, "\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h" },
        { { .has_sync = true, .is_zellij = true }, "\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h" },
        { { .has_sync = true, .is_screen = true }, "\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(World) world = world_new(40, 10, 0);
        world->caps = cases[i].caps;
        set_live(world, 0, 1, "a", "b", NULL);
        draw(world);
        set_live(world, 0, 1, "A", "B", NULL);
        draw_only(world);
        assert_true(str_has_prefix(world->bytes->str, cases[i].begin));
        assert_true(g_str_has_suffix(world->bytes->str, cases[i].end));
        test_terminal_take(world->terminal, world->bytes);
        check(world);
        set_live(world, 0, 1, "A", "C", NULL); // a single row needs neither
        check_bytes(world, "\n\rC\x1b[A");
    }
}

/* tmux keeps with a line that it once went on in the next one, whatever is written over it, and
   joins the two in a wider window: a wiped one is wiped of that, too. */
static void test_rows_are_wiped_first(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(20, 10, 0);
    set_live(world, 1, 2, "above", "> ", "status", NULL);
    draw(world);
    give(world, "given");
    check_bytes(world, "\x1b[?25l\x1b[?7l\r\x1b[A\x1b[Kgiven\r\n\x1b[Kabove\r\n\x1b[K> \r\n"
                       "\x1b[Kstatus\x1b[A\x1b[3G\x1b[?7h\x1b[?25h");
}

// ---- another look, wiping, forgetting ----

static void test_look(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(20, 10, 0);
    give(world, "given");
    set_live(world, 1, 1, "above", "> ", "status", NULL);
    draw(world);
    screen_set_look(world->screen, NULL, &world->caps);
    draw_only(world);
    assert_non_null(strstr(world->bytes->str, "above"));
    assert_non_null(strstr(world->bytes->str, "status"));
    assert_null(strstr(world->bytes->str, "given"));
    test_terminal_take(world->terminal, world->bytes);
    check(world);
    check_bytes(world, "");
}

/* The terminal is told once where a person has said something, if it can make use of it. */
static void test_prompt_marks(void **state G_GNUC_UNUSED)
{
    for (int has_marks = 0; has_marks < 2; has_marks++) {
        g_autoptr(World) world = world_new(20, 10, 0);
        world->caps.has_marks = world->terminal->allows_marks = has_marks;
        g_autoptr(Row) row = row_of("> hello", (Style) { 0 });
        give(world, "before");
        g_ptr_array_add(world->next, row_of_prompt(row));
        g_ptr_array_add(world->given, g_strdup("> hello"));
        give(world, "behind");
        set_live(world, 0, 1, "> ", NULL);
        draw_only(world);
        const char *mark = strstr(world->bytes->str, "\x1b]133;A;redraw=0\x1b\\> hello");
        assert_true((mark != NULL) == (has_marks != 0));
        assert_true(!mark || !strstr(mark + 1, "\x1b]133"));
        test_terminal_take(world->terminal, world->bytes);
        check(world);
        set_live(world, 0, 1, "> x", NULL);
        draw_only(world);
        assert_null(strstr(world->bytes->str, "\x1b]133"));
    }
}

static void test_wipe(void **state G_GNUC_UNUSED)
{
    for (int rows = 2; rows < 8; rows++) {
        for (int cursor = 0; cursor < 5; cursor++) {
            g_autoptr(World) world = world_new(20, rows, 0);
            give(world, "given");
            set_live(world, cursor, 1, "a", "b", "c", "d", "e", NULL);
            g_ptr_array_set_size(world->live.rows, MIN(5, MAX(1, rows - 1)));
            world->live.cursor_row = MIN(cursor, (int)world->live.rows->len - 1);
            draw(world);
            screen_wipe(world->screen, world->terminal->size, world->bytes);
            test_terminal_take(world->terminal, world->bytes);
            g_autofree char *left = test_terminal_all(world->terminal);
            assert_string_equal(left, "given");
            VTermPos at = test_terminal_cursor(world->terminal);
            assert_int_equal(at.col, 0);
            assert_int_equal(at.row, 1 - (int)world->terminal->scrolled->len);

            screen_wipe(world->screen, world->terminal->size, world->bytes); // nothing is there
            assert_int_equal(world->bytes->len, 0);
            draw(world); // and anew
        }
    }
}

/* The window has become lower, and the terminal has dropped what stood below the cursor, as tmux
   does: there is nothing to step down to. */
static void test_rows_below_are_gone(void **state G_GNUC_UNUSED)
{
    for (int is_wiped = 0; is_wiped < 2; is_wiped++) {
        g_autoptr(World) world = world_new(20, 6, 0);
        for (int i = 0; i < 4; i++)
            give(world, "given");
        set_live(world, 0, 2, "> ", "status", NULL);
        draw(world);
        g_string_append(world->bytes, "\r\n\x1b[K\x1b[A\x1b[3G");
        test_terminal_take(world->terminal, world->bytes);
        test_terminal_resize(world->terminal, 20, 5);
        assert_int_equal(test_terminal_cursor(world->terminal).row, 4);
        if (is_wiped) {
            screen_wipe(world->screen, world->terminal->size, world->bytes);
            test_terminal_take(world->terminal, world->bytes);
        }
        draw_only(world);
        test_terminal_take(world->terminal, world->bytes);
        g_autofree char *got = test_terminal_all(world->terminal);
        assert_string_equal(got, "given\ngiven\ngiven\ngiven\n>\nstatus");
    }
}

/* Somebody else has written, and the cursor stands in a new row. */
static void test_forget(void **state G_GNUC_UNUSED)
{
    g_autoptr(World) world = world_new(20, 5, 0);
    set_live(world, 0, 1, "> ", "status", NULL);
    draw(world);
    screen_forget(world->screen);
    g_string_append(world->bytes, "\r\n\n\x1b[mfrom others\r\n");
    test_terminal_take(world->terminal, world->bytes);
    give(world, "given");
    draw_only(world);
    test_terminal_take(world->terminal, world->bytes);
    g_autofree char *got = test_terminal_all(world->terminal);
    assert_string_equal(got, ">\nstatus\nfrom others\ngiven\n>\nstatus");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_frames),
        cmocka_unit_test(test_single_row),
        cmocka_unit_test(test_unchanged),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_key_bytes),
        cmocka_unit_test(test_synchronized),
        cmocka_unit_test(test_rows_are_wiped_first),
        cmocka_unit_test(test_look),
        cmocka_unit_test(test_prompt_marks),
        cmocka_unit_test(test_wipe),
        cmocka_unit_test(test_rows_below_are_gone),
        cmocka_unit_test(test_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
