/*
 * The list selector: movement, filters on the spot and on a worker, what it calls, and its rows.
 */
#include "base/str.h"
#include "tui_rows.h"

#include "tui/view/select.h"

#define GUARD_MS (60 * 1000)

typedef struct List {
    Loop *loop;
    Panel *panel;
    const char *const *items; // NULL: "item N"
    size_t chosen, moved;     // SIZE_MAX: none
    size_t rows_made;
    int changes, texts, keys, frees;
    bool is_cancelled;
    Action action; // the last one that was passed on
} List;

static char *item_text(size_t index, void *list_)
{
    List *list = list_;
    __atomic_add_fetch(&list->texts, 1, __ATOMIC_RELAXED);
    return list->items ? g_strdup(list->items[index]) : g_strdup_printf("item %zu", index);
}

static Row *item_row(size_t index, int width, void *list_)
{
    List *list = list_;
    g_autofree char *text = item_text(index, list_);
    g_autoptr(Row) row = row_of(text, (Style) { .fg = TOKEN_TEXT });
    list->rows_made++;
    return row_cut(row, width);
}

static void on_chosen(size_t index, void *list)
{
    ((List *)list)->chosen = index;
}

static void on_cancelled(void *list)
{
    ((List *)list)->is_cancelled = true;
}

static PanelResult on_key(size_t index G_GNUC_UNUSED, KeyPress key G_GNUC_UNUSED, Action action,
                          void *list_)
{
    List *list = list_;
    list->keys++;
    list->action = action;
    return action == ACTION_LIST_DELETE ? PANEL_CHANGED : PANEL_UNUSED;
}

static void on_moved(size_t index, void *list)
{
    ((List *)list)->moved = index;
}

static void on_changed(void *list_)
{
    List *list = list_;
    list->changes++;
    loop_quit(list->loop);
}

static void on_freed(void *list)
{
    ((List *)list)->frees++;
}

static void list_init(List *self, const char *const *items, size_t count, size_t selected)
{
    *self = (List) { .loop = loop_new(), .items = items, .chosen = SIZE_MAX, .moved = SIZE_MAX };
    const SelectSpec spec = {
        .loop = self->loop,
        .title = "Things",
        .hint = "Enter takes it",
        .empty = "There is nothing.",
        .count = count,
        .selected = selected,
        .row = item_row,
        .text = item_text,
        .chosen = on_chosen,
        .cancelled = on_cancelled,
        .key = on_key,
        .moved = on_moved,
        .changed = on_changed,
        .freed = on_freed,
        .user_data = self,
    };
    self->panel = select_new(&spec);
}

static void list_clear(List *self)
{
    panel_free(self->panel);
    loop_free(self->loop);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(List, list_clear)

static PanelResult act(List *self, Action action)
{
    return self->panel->class->key(self->panel, (KeyPress) { 0 }, action, 0);
}

static PanelResult press(List *self, uint32_t code)
{
    return self->panel->class->key(self->panel, (KeyPress) { .code = code }, ACTION_NONE, 0);
}

static void type(List *self, const char *text)
{
    for (const char *p = text; *p; p = g_utf8_next_char(p))
        assert_int_equal(press(self, g_utf8_get_char(p)), PANEL_CHANGED);
}

static PanelResult escape(List *self)
{
    return self->panel->class->key(self->panel, (KeyPress) { .code = KEY_ESCAPE },
                                   ACTION_LIST_CANCEL, 0);
}

/* Cursors become ">". */
static void expect(List *self, const char *name, int width, int max_rows, const char *want)
{
    g_autoptr(GPtrArray) rows = rows_new();
    int row = -2, column = -2;
    self->panel->class->rows(self->panel, width, max_rows, rows, &row, &column);
    g_autofree char *text = rows_text(rows);
    g_auto(GStrv) parts = g_strsplit(text, theme_symbol(NULL, SYMBOL_CURSOR), -1);
    g_autofree char *got = g_strjoinv(">", parts);
    assert_rows_fit(name, rows, width);
    if (strcmp(got, want) != 0)
        fail_msg("%s, %d columns:\n%s\nis wanted, got\n%s", name, width, want, got);
    assert_true(rows->len >= 1 && (int)rows->len <= MAX(max_rows, 1));
    assert_int_equal(row, 0);
    assert_true(column >= 0 && column < width);
}

static const char *const fruit[] = { "apple", "banana", "cherry", "grape", "pineapple", "plum" };

static void test_rows(void **state G_GNUC_UNUSED)
{
    g_auto(List) list;
    list_init(&list, fruit, G_N_ELEMENTS(fruit), 1);
    expect(&list, "roomy", 40, 24,
           "Things:   2/6\n  apple\n> banana\n  cherry\n  grape\n  pineapple\n  plum\n"
           "Enter takes it");
    expect(&list, "some room", 20, 5, "Things:   2/6\n  apple\n> banana\n  cherry\nEnter takes it");
    expect(&list, "no room for a hint", 20, 3, "Things:   2/6\n  apple\n> banana");
    expect(&list, "one item", 20, 2, "Things:   2/6\n> banana");
    expect(&list, "one row", 20, 1, "Things:   2/6");
    expect(&list, "narrow", 8, 3, "Thi…: \n> banana\n  cherry");
    for (int width = 1; width < 30; width++) {
        g_autoptr(GPtrArray) rows = rows_new();
        int row, column;
        list.panel->class->rows(list.panel, width, 10, rows, &row, &column);
        assert_rows_fit("every width", rows, width);
    }
    assert_int_equal(list.panel->class->covers_editor, true);
}

/* Styles of the one that is selected. */
static void test_selected_style(void **state G_GNUC_UNUSED)
{
    g_auto(List) list;
    list_init(&list, fruit, G_N_ELEMENTS(fruit), 0);
    g_autoptr(GPtrArray) rows = rows_new();
    int row, column;
    list.panel->class->rows(list.panel, 40, 10, rows, &row, &column);
    assert_int_equal(row_style_of(rows->pdata[1], "apple").bg, TOKEN_SELECTED_BG);
    assert_int_equal(row_style_of(rows->pdata[1], "apple").fg, TOKEN_TEXT);
    assert_int_equal(row_style_of(rows->pdata[2], "banana").bg, TOKEN_DEFAULT);
}

static void test_moves(void **state G_GNUC_UNUSED)
{
    static const struct {
        Action action;
        size_t want;
    } steps[] = {
        { ACTION_LIST_DOWN, 1 },      { ACTION_LIST_DOWN, 2 },  { ACTION_LIST_UP, 1 },
        { ACTION_LIST_FIRST, 0 },     { ACTION_LIST_UP, 99 },   { ACTION_LIST_DOWN, 0 },
        { ACTION_LIST_PAGE_DOWN, 5 }, { ACTION_LIST_LAST, 99 }, { ACTION_LIST_PAGE_DOWN, 99 },
        { ACTION_LIST_PAGE_UP, 94 },  { ACTION_LIST_FIRST, 0 }, { ACTION_LIST_PAGE_UP, 0 },
    };
    g_auto(List) list;
    list_init(&list, NULL, 100, 0);
    expect(&list, "at first", 40, 7,
           "Things:   1/100\n> item 0\n  item 1\n  item 2\n  item 3\n  item 4\nEnter takes it");
    list.moved = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        size_t before = list.moved;
        PanelResult result = act(&list, steps[i].action);
        if (list.moved != steps[i].want)
            fail_msg("step %zu: at %zu, not %zu", i, list.moved, steps[i].want);
        assert_int_equal(result, before == steps[i].want ? PANEL_TAKEN : PANEL_CHANGED);
    }
    act(&list, ACTION_LIST_LAST);
    expect(&list, "the end", 40, 4, "Things:   100/100\n  item 98\n> item 99\nEnter takes it");
    act(&list, ACTION_LIST_UP);
    expect(&list, "no scrolling", 40, 4, "Things:   99/100\n> item 98\n  item 99\nEnter takes it");
    assert_int_equal(act(&list, ACTION_LIST_ACCEPT), PANEL_DONE);
    assert_int_equal(list.chosen, 98);
}

static void test_filter(void **state G_GNUC_UNUSED)
{
    g_auto(List) list;
    list_init(&list, fruit, G_N_ELEMENTS(fruit), 2);
    type(&list, "app");
    expect(&list, "app", 40, 24, "Things: app  1/2\n> apple\n  pineapple\nEnter takes it");
    assert_int_equal(list.moved, 0);
    act(&list, ACTION_LIST_DOWN);
    assert_int_equal(list.moved, 4);
    type(&list, "x");
    expect(&list, "appx", 40, 24, "Things: appx  0/0\n  Nothing fits.\nEnter takes it");
    assert_int_equal(act(&list, ACTION_LIST_ACCEPT), PANEL_CHANGED);
    assert_int_equal(act(&list, ACTION_LIST_DOWN), PANEL_TAKEN);
    assert_int_equal(list.chosen, SIZE_MAX);
    assert_int_equal(press(&list, KEY_BACKSPACE), PANEL_CHANGED);
    expect(&list, "app again", 40, 24, "Things: app  1/2\n> apple\n  pineapple\nEnter takes it");
    act(&list, ACTION_LIST_DOWN);
    assert_int_equal(escape(&list), PANEL_CHANGED);
    assert_false(list.is_cancelled);
    expect(&list, "none", 40, 4, "Things:   5/6\n  grape\n> pineapple\nEnter takes it");
    assert_int_equal(press(&list, KEY_BACKSPACE), PANEL_TAKEN);
    assert_int_equal(press(&list, ' '), PANEL_TAKEN); // of no use at the start
    assert_int_equal(escape(&list), PANEL_DONE);
    assert_true(list.is_cancelled);
}

/* Scattered letters fit while nothing has the words in one piece. */
static void test_literal_filter(void **state G_GNUC_UNUSED)
{
    static const char *const settings[] = { "compaction.enabled Shorten long talks",
                                            "steeringMode what is sent meanwhile",
                                            "theme.dark Colours", "Theme of the light screen" };
    g_auto(List) list;
    list_init(&list, settings, G_N_ELEMENTS(settings), 0);
    type(&list, "tme");
    expect(&list, "scattered", 40, 24,
           "Things: tme  1/3\n> theme.dark Colours\n  Theme of the light screen\n"
           "  steeringMode what is sent meanwhile\nEnter takes it");
    for (int i = 0; i < 3; i++)
        press(&list, KEY_BACKSPACE);
    type(&list, "theme");
    expect(&list, "in one piece", 40, 24,
           "Things: theme  1/2\n> theme.dark Colours\n  Theme of the light screen\n"
           "Enter takes it");
    type(&list, " the");
    expect(&list, "two words", 40, 24,
           "Things: theme the  1/2\n> theme.dark Colours\n  Theme of the light screen\n"
           "Enter takes it");
}

static void test_other_keys(void **state G_GNUC_UNUSED)
{
    g_auto(List) list;
    list_init(&list, fruit, G_N_ELEMENTS(fruit), 0);
    assert_int_equal(act(&list, ACTION_LIST_DELETE), PANEL_CHANGED);
    assert_int_equal(list.action, ACTION_LIST_DELETE);
    assert_int_equal(press(&list, KEY_F1), PANEL_UNUSED);
    assert_int_equal(list.keys, 2);
    type(&list, "p"); // a character is the filter's
    assert_int_equal(list.keys, 2);
    // one that has an action which nobody wants is a character
    const KeyPress key = { .code = 'L' };
    assert_int_equal(list.panel->class->key(list.panel, key, ACTION_TREE_LABEL, 0), PANEL_CHANGED);
    assert_int_equal(list.keys, 3);
    const KeyPress control = { .code = 'c', .mods = MOD_CTRL };
    assert_int_equal(list.panel->class->key(list.panel, control, ACTION_LIST_CANCEL, 0),
                     PANEL_DONE); // with a filter, too
    assert_true(list.is_cancelled);
}

static void test_long_filter(void **state G_GNUC_UNUSED)
{
    g_auto(List) list;
    list_init(&list, fruit, G_N_ELEMENTS(fruit), 0);
    int taken = 0;
    while (press(&list, 'a') == PANEL_CHANGED)
        taken++;
    assert_true(taken > 100 && taken < 300);
    expect(&list, "its end", 20, 1, "Things: …aaaaaaaaaa");
}

static void on_guard(void *loop)
{
    loop_quit(loop);
}

static void wait_for_change(List *self)
{
    int before = self->changes;
    LoopSource *guard = loop_add_timer(self->loop, GUARD_MS, on_guard, self->loop);
    loop_run(self->loop);
    loop_remove(self->loop, guard);
    if (self->changes == before)
        fail_msg("the worker has not answered");
}

#define MANY 50000

/* Only what is on screen is made; the worker finds, and a newer filter stops it. */
static void test_many(void **state G_GNUC_UNUSED)
{
    g_auto(List) list;
    list_init(&list, NULL, MANY, 40000);
    expect(&list, "at first", 40, 4,
           "Things:   40001/50000\n  item 39999\n> item 40000\nEnter takes it");
    assert_int_equal(list.rows_made, 2);
    type(&list, "4999");
    g_autoptr(GPtrArray) rows = rows_new();
    int row, column;
    list.panel->class->rows(list.panel, 60, 4, rows, &row, &column);
    const Row *head = rows->pdata[0];
    assert_true(str_has_prefix(head->text, "Things: 4999  40001/50000")); // what was there
    wait_for_change(&list);
    expect(&list, "found", 14, 2, "Things: 4999\n> item 4999");
    assert_int_equal(list.moved, 4999);
    assert_int_equal(list.changes, 1);
    type(&list, "9");
    assert_int_equal(act(&list, ACTION_LIST_ACCEPT), PANEL_DONE); // not one of the old ones
    assert_int_equal(list.chosen, 49999);
}

/* Its end comes while a worker is busy. */
static void test_free_early(void **state G_GNUC_UNUSED)
{
    List list;
    list_init(&list, NULL, MANY, 0);
    type(&list, "9");
    list_clear(&list);
    assert_int_equal(list.frees, 1);
    assert_int_equal(list.changes, 0);
}

static void test_other_items(void **state G_GNUC_UNUSED)
{
    g_auto(List) list;
    list_init(&list, fruit, G_N_ELEMENTS(fruit), 5);
    type(&list, "pl");
    select_hold(list.panel);
    static const char *const fewer[] = { "plum", "quince", "apple" };
    list.items = fewer;
    select_set_count(list.panel, G_N_ELEMENTS(fewer), 2);
    expect(&list, "filtered", 40, 24, "Things: pl  2/2\n  plum\n> apple\nEnter takes it");
    select_set_title(list.panel, "Others\n");
    escape(&list);
    expect(&list, "all", 40, 24, "Others:   3/3\n  plum\n  quince\n> apple\nEnter takes it");
    select_hold(list.panel);
    select_set_count(list.panel, 0, 0);
    expect(&list, "none", 40, 24, "Others:   0/0\n  There is nothing.\nEnter takes it");
    assert_int_equal(act(&list, ACTION_LIST_DOWN), PANEL_TAKEN);
    assert_int_equal(act(&list, ACTION_LIST_LAST), PANEL_TAKEN);
    assert_int_equal(act(&list, ACTION_LIST_ACCEPT), PANEL_CHANGED);

    select_hold(list.panel);
    list.items = NULL;
    select_set_count(list.panel, MANY, 0);
    type(&list, "49999");
    select_hold(list.panel); // while it is being looked for
    select_set_count(list.panel, MANY, 0);
    wait_for_change(&list);
    expect(&list, "found", 40, 24, "Others: 49999  1/1\n> item 49999\nEnter takes it");
    select_hold(list.panel);
    select_set_count(list.panel, MANY - 1, 0);
    expect(&list, "not there yet", 40, 24, "Others: 49999  0/0…\n  Searching…\nEnter takes it");
    wait_for_change(&list);
    expect(&list, "none", 40, 24, "Others: 49999  0/0\n  Nothing fits.\nEnter takes it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),           cmocka_unit_test(test_selected_style),
        cmocka_unit_test(test_moves),          cmocka_unit_test(test_filter),
        cmocka_unit_test(test_literal_filter), cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_long_filter),    cmocka_unit_test(test_many),
        cmocka_unit_test(test_free_early),     cmocka_unit_test(test_other_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
