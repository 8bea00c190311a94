/*
 * The viewer's window, with libvterm as the judge: what it shows after each key, and that the
 * screen below it is as it was.
 */
#include "base/str.h"
#include "viewer_fixture.h"

#include <string.h>

#include "terminal_fixture.h"
#include "tui/view/viewer.h"
#include "tui/view/viewer_rows.h"

// ---- the terminal, in place of the one that has a descriptor ----

struct Terminal {
    TestTerminal *shown;
    TermCaps caps;
    GString *bytes;
    size_t last_bytes; // of the last write
    bool is_busy;
};

const TermCaps *terminal_caps(const Terminal *self)
{
    return &self->caps;
}

TerminalSize terminal_size(Terminal *self)
{
    return self->shown->size;
}

bool terminal_is_busy(const Terminal *self)
{
    return self->is_busy;
}

void terminal_write(Terminal *self, const char *bytes, size_t size)
{
    self->last_bytes = size;
    g_string_append_len(self->bytes, bytes, (gssize)size);
    test_terminal_take(self->shown, self->bytes);
}

// ---- a viewer on it ----

typedef struct World {
    Terminal terminal;
    Theme *theme;
    Viewer *viewer;
    GPtrArray *all; // of Row; the whole conversation
    int closed;
} World;

static void on_closed(void *user_data)
{
    ((World *)user_data)->closed++;
}

static BlockSpec block_spec(int columns)
{
    return (BlockSpec) { .width = columns, .tab_width = 4, .is_expanded = true };
}

static void lay_out_all(World *self, const json_t *messages)
{
    BlockSpec spec = block_spec(self->terminal.shown->size.columns);
    g_autoptr(ViewerRows) rows = viewer_rows_new(messages, &spec);
    g_ptr_array_set_size(self->all, 0);
    for (guint i = 0; i < viewer_rows_item_count(rows); i++)
        viewer_rows_lay_out(rows, i, self->all);
}

static World *world_new(json_t *messages, int columns, int rows)
{
    World *self = g_new0(World, 1);
    self->terminal.shown = test_terminal_new(columns, rows);
    self->terminal.shown->allows_alternate = true;
    self->terminal.bytes = g_string_new(columns > 7 ? "below\r\n> draft" : "");
    test_terminal_take(self->terminal.shown, self->terminal.bytes);
    self->terminal.caps.depth = DEPTH_TRUE;
    self->theme = theme_load(&(ThemeSpec) { .name = "kedge-dark" }, NULL);
    self->all = rows_new();
    self->viewer = viewer_new(&(ViewerSpec) {
        .terminal = &self->terminal,
        .theme = self->theme,
        .block = block_spec(columns),
        .messages = messages,
        .closed = on_closed,
        .user_data = self,
    });
    return self;
}

static void world_free(World *self)
{
    viewer_free(self->viewer);
    theme_free(self->theme);
    test_terminal_free(self->terminal.shown);
    g_string_free(self->terminal.bytes, TRUE);
    g_ptr_array_unref(self->all);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(World, world_free)

static void press(World *self, uint32_t code, uint8_t mods)
{
    viewer_key(self->viewer, (KeyPress) { .code = code, .mods = mods }, ACTION_NONE);
}

static void type(World *self, const char *text)
{
    for (; *text; text++)
        press(self, (unsigned char)*text, 0);
}

static char *shown_row(const World *self, int row)
{
    return test_terminal_row(self->terminal.shown, row);
}

static char *status_of(const World *self)
{
    return shown_row(self, self->terminal.shown->size.rows - 1);
}

/* The window shows the conversation from its row `first` on. */
static void check_from(World *self, int first)
{
    int page = self->terminal.shown->size.rows - 1;
    for (int i = 0; i < page; i++) {
        g_autofree char *got = shown_row(self, i);
        bool is_in = first + i < (int)self->all->len;
        const Row *row = is_in ? g_ptr_array_index(self->all, (guint)(first + i)) : NULL;
        g_autofree char *want = g_strchomp(g_strdup(row ? row->text : ""));
        if (strcmp(got, want) != 0)
            fail_msg("row %d is '%s', not '%s'", i, got, want);
    }
}

// ---- opening and closing ----

static void test_alternate_screen(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(100);
    g_autoptr(World) world = world_new(messages, 60, 10);
    assert_true(world->terminal.shown->is_alternate);
    g_clear_pointer(&world->viewer, viewer_free);
    assert_false(world->terminal.shown->is_alternate);
    g_autofree char *all = test_terminal_all(world->terminal.shown);
    assert_string_equal(all, "below\n> draft");
    assert_int_equal(test_terminal_cursor(world->terminal.shown).col, 7);
}

static void test_closing_keys(void **state G_GNUC_UNUSED)
{
    static const KeyPress keys[] = {
        { .code = 'q' },
        { .code = KEY_ESCAPE },
        { .code = 'o', .mods = MOD_CTRL },
        { .code = 'c', .mods = MOD_CTRL },
    };
    g_autoptr(json_t) messages = numbered_messages(5);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autoptr(World) world = world_new(messages, 60, 10);
        press(world, 'x', 0);
        assert_int_equal(world->closed, 0);
        press(world, keys[i].code, keys[i].mods);
        press(world, keys[i].code, keys[i].mods); // its owner has not come to it yet
        assert_int_equal(world->closed, 1);
    }
}

/* Ten thousand messages, most of which cost a gigabyte each to lay out: those are not looked at. */
static void test_opens_at_the_end(void **state G_GNUC_UNUSED)
{
    g_autofree char *large = g_strnfill(1024 * 1024, 'x');
    g_autoptr(json_t) heavy = json_pack("{s:s, s:s}", "role", "user", "content", large);
    g_autoptr(json_t) messages = json_array();
    for (int i = 0; i < 10000; i++)
        json_array_append(messages, heavy);
    for (int i = 0; i < 100; i++)
        add_user(messages, "one of the last");
    add_user(messages, "the very last");
    g_autoptr(World) world = world_new(messages, 80, 24);
    for (int i = 0; i < 20; i++)
        press(world, KEY_UP, 0);
    press(world, KEY_END, 0);
    g_autofree char *status = status_of(world);
    assert_true(str_has_prefix(status, "message 100"));
    assert_non_null(strstr(status, ", end"));
    bool has_last = false;
    for (int i = 0; i < 23; i++) {
        g_autofree char *row = shown_row(world, i);
        has_last = has_last || strstr(row, "the very last");
    }
    assert_true(has_last);
}

static void test_empty(void **state G_GNUC_UNUSED)
{
    static const uint32_t keys[] = { KEY_UP, KEY_DOWN, KEY_HOME, KEY_END, KEY_PAGE_UP, 'n', 'N' };
    g_autoptr(json_t) messages = json_array();
    g_autoptr(World) world = world_new(messages, 60, 10);
    g_autofree char *status = status_of(world);
    assert_true(str_has_prefix(status, "nothing was said yet"));
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        press(world, keys[i], 0);
    type(world, "/x");
    press(world, KEY_ENTER, 0);
    g_autofree char *first = shown_row(world, 0);
    assert_string_equal(first, "");
}

// ---- moving ----

static void test_moves(void **state G_GNUC_UNUSED)
{
    static const TerminalSize sizes[] = {
        { 60, 10 }, { 80, 24 }, { 20, 3 }, { 7, 2 }, { 120, 50 }
    };
    g_autoptr(json_t) messages = numbered_messages(60);
    for (guint32 seed = 0; seed < G_N_ELEMENTS(sizes); seed++) {
        g_autoptr(World) world = world_new(messages, sizes[seed].columns, sizes[seed].rows);
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        lay_out_all(world, messages);
        int page = sizes[seed].rows - 1, last = MAX(0, (int)world->all->len - page), first = last;
        const struct {
            uint32_t code;
            Action action;
            int rows;
        } keys[] = {
            { KEY_UP, ACTION_NONE, -1 },
            { 'k', ACTION_NONE, -1 },
            { KEY_DOWN, ACTION_NONE, 1 },
            { KEY_ENTER, ACTION_LIST_ACCEPT, 1 },
            { KEY_PAGE_UP, ACTION_NONE, -MAX(1, page - 1) },
            { 'b', ACTION_NONE, -MAX(1, page - 1) },
            { ' ', ACTION_NONE, MAX(1, page - 1) },
            { KEY_F1, ACTION_LIST_PAGE_DOWN, MAX(1, page - 1) }, // as the keymap has it
            { KEY_F1, ACTION_LIST_UP, -1 },
            { KEY_HOME, ACTION_NONE, -100000 },
            { KEY_END, ACTION_NONE, 100000 },
        };
        check_from(world, first);
        for (int i = 0; i < 300; i++) {
            guint pick =
                (guint)g_rand_int_range(rand, 0, G_N_ELEMENTS(keys) + 10) % G_N_ELEMENTS(keys);
            viewer_key(world->viewer, (KeyPress) { .code = keys[pick].code }, keys[pick].action);
            first = CLAMP(first + keys[pick].rows, 0, last);
            check_from(world, first);
        }
    }
}

/* A key that changes nothing writes nothing. */
static void test_unchanged(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(60);
    g_autoptr(World) world = world_new(messages, 60, 10);
    world->terminal.last_bytes = 0;
    press(world, KEY_DOWN, 0);
    press(world, KEY_END, 0);
    press(world, 'x', 0);
    press(world, KEY_F1, 0);
    assert_int_equal(world->terminal.last_bytes, 0);
}

/* What stood in the first row is still in view at another width, and is there again at the old
   one, however often that changes. */
static void test_width(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(60);
    g_autoptr(World) world = world_new(messages, 60, 12);
    for (int i = 0; i < 25; i++) {
        for (int up = 0; up < 7; up++)
            press(world, KEY_UP, 0);
        g_autofree char *top = shown_row(world, 0);
        g_auto(GStrv) words = g_strsplit(g_strchug(top), " ", 0);
        const char *word = words[0] && *words[0] && words[1] ? words[1] : "m000";
        static const int widths[] = { 30, 100, 31, 200, 60 };
        for (size_t k = 0; k < G_N_ELEMENTS(widths); k++) {
            test_terminal_resize(world->terminal.shown, widths[k], 12);
            viewer_resize(world->viewer);
            bool is_there = false;
            for (int row = 0; row < 3; row++) {
                g_autofree char *text = shown_row(world, row);
                is_there = is_there || strstr(text, word);
            }
            if (!is_there)
                fail_msg("'%s' is not at the top at width %d", word, widths[k]);
        }
    }
    press(world, KEY_END, 0);
    test_terminal_resize(world->terminal.shown, 33, 20); // the end stays the end
    viewer_resize(world->viewer);
    lay_out_all(world, messages);
    check_from(world, (int)world->all->len - 19);
}

static void test_tiny_windows(void **state G_GNUC_UNUSED)
{
    static const uint32_t keys[] = { KEY_UP, KEY_HOME,  KEY_PAGE_DOWN, '/',
                                     'm',    KEY_ENTER, 'n',           KEY_END };
    g_autoptr(json_t) messages = numbered_messages(10);
    for (int columns = 1; columns < 5; columns++) {
        for (int rows = 1; rows < 4; rows++) {
            g_autoptr(World) world = world_new(messages, columns, rows);
            for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
                press(world, keys[i], 0); // the reader refuses what is past the margin
            viewer_draw(world->viewer);
        }
    }
}

// ---- looking for a text ----

static void search(World *self, const char *query)
{
    type(self, "/");
    type(self, query);
    press(self, KEY_ENTER, 0);
}

static bool shows(const World *self, const char *text)
{
    for (int i = 0; i < self->terminal.shown->size.rows - 1; i++) {
        g_autofree char *row = shown_row(self, i);
        if (strstr(row, text))
            return true;
    }
    return false;
}

static void test_search_keys(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(300);
    g_autoptr(World) world = world_new(messages, 60, 10);
    search(world, "M00045W0");
    assert_true(shows(world, "m00045w0"));
    search(world, "w43"); // only in 39, 79, 119…
    assert_true(shows(world, "m00079w43"));
    press(world, 'n', 0);
    assert_true(shows(world, "m00119w43"));
    press(world, 'N', 0);
    assert_true(shows(world, "m00079w43"));
    press(world, 'N', 0);
    press(world, 'N', 0); // around
    assert_true(shows(world, "m00279w43"));
    press(world, KEY_HOME, 0);
    search(world, "w0"); // what is in view first
    g_autofree char *first = shown_row(world, 0);
    assert_non_null(strstr(first, "m00000w0"));
    press(world, 'N', 0);
    assert_true(shows(world, "m00299w0"));
    search(world, "not in it");
    g_autofree char *status = status_of(world);
    assert_true(str_has_prefix(status, "not found: not in it"));
    assert_true(shows(world, "m00299w0"));

    press(world, KEY_ESCAPE, 0); // ends the search, not the viewer
    assert_int_equal(world->closed, 0);
    g_autofree char *after = status_of(world);
    assert_true(str_has_prefix(after, "message "));
    press(world, KEY_ESCAPE, 0);
    assert_int_equal(world->closed, 1);
}

/* While a query is typed, keys are its text. */
static void test_query(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(30);
    g_autoptr(World) world = world_new(messages, 60, 10);
    type(world, "/qn N/");
    g_autofree char *typed = status_of(world);
    assert_string_equal(typed, "/qn N/");
    assert_int_equal(test_terminal_cursor(world->terminal.shown).row, 9);
    assert_int_equal(test_terminal_cursor(world->terminal.shown).col, 6);
    press(world, KEY_BACKSPACE, 0);
    viewer_paste(world->viewer, "two\nlines\x1b[2J\xc3", 15);
    g_autofree char *pasted = status_of(world);
    assert_true(str_has_prefix(pasted, "/qn Ntwo lines"));
    press(world, 'u', MOD_CTRL);
    g_autofree char *cleared = status_of(world);
    assert_string_equal(cleared, "/");
    press(world, KEY_BACKSPACE, 0);
    g_autofree char *left = status_of(world);
    assert_true(str_has_prefix(left, "message "));

    type(world, "/abc");
    press(world, KEY_ESCAPE, 0); // not looked for
    g_autofree char *stopped = status_of(world);
    assert_true(str_has_prefix(stopped, "message "));
    assert_int_equal(world->closed, 0);

    type(world, "/");
    for (int i = 0; i < 2000; i++)
        type(world, "y"); // the end of it stays in view
    g_autofree char *end = status_of(world);
    assert_int_equal(strlen(end), 59);
    viewer_paste(world->viewer, "more", 4);
    press(world, KEY_ENTER, 0);
}

// ---- text of others ----

/* agent-core-99: the reader of bytes refuses all that would get out of it. */
static void test_hostile_text(void **state G_GNUC_UNUSED)
{
    static const char *const texts[] = {
        "\x1b]0;evil\a title",
        "\x1b[2J\x1b[3J\x1b[?1049l cleared",
        "\x1b[5;1r\x1b[10S region",
        "a\rb\bc\x7f\t controls",
        "\xc2\x9b[2J c1",
        "\x1bP1$r\x1b\\ \x1b_apc\x1b\\ \x1b^pm\x1b\\",
        "\xe2\x80\xae turned \xe2\x81\xa6",
        "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
        "[x](javascript:alert(1)) <script>",
        "```\nnever closed",
        "| a | b",
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 family",
    };
    g_autoptr(json_t) messages = json_array();
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        add_user(messages, texts[i]);
        add_answer(messages, texts[i]);
        add_call(messages, texts[i], texts[i]);
        add_result(messages, texts[i], texts[i]);
    }
    static const int widths[] = { 80, 40, 9, 2, 1, 200 };
    g_autoptr(World) world = world_new(messages, 80, 24);
    world->terminal.caps.has_links = true;
    for (size_t i = 0; i < G_N_ELEMENTS(widths); i++) {
        test_terminal_resize(world->terminal.shown, widths[i], 24);
        viewer_resize(world->viewer);
        press(world, KEY_HOME, 0);
        for (int k = 0; k < 60; k++)
            press(world, KEY_PAGE_DOWN, 0);
        search(world, "evil");
        search(world, "\x1b[2J");
        assert_true(world->terminal.shown->is_alternate);
    }
}

// ---- a slow terminal ----

static void test_busy(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(60);
    g_autoptr(World) world = world_new(messages, 60, 10);
    lay_out_all(world, messages);
    int last = (int)world->all->len - 9;
    world->terminal.is_busy = true;
    for (int i = 0; i < 5; i++)
        press(world, KEY_UP, 0);
    check_from(world, last); // fewer frames,
    world->terminal.is_busy = false;
    viewer_writable(world->viewer);
    check_from(world, last - 5); // none of them late
    world->terminal.last_bytes = 0;
    viewer_writable(world->viewer);
    assert_int_equal(world->terminal.last_bytes, 0);
}

static void test_drawn_again(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = numbered_messages(60);
    g_autoptr(World) world = world_new(messages, 60, 10);
    lay_out_all(world, messages);
    g_string_append(world->terminal.bytes, "\x1b[H\x1b[J");
    test_terminal_take(world->terminal.shown, world->terminal.bytes);
    viewer_draw(world->viewer);
    check_from(world, (int)world->all->len - 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alternate_screen),
        cmocka_unit_test(test_closing_keys),
        cmocka_unit_test(test_opens_at_the_end),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_unchanged),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_tiny_windows),
        cmocka_unit_test(test_search_keys),
        cmocka_unit_test(test_query),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_drawn_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
