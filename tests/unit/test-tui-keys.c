/*
 * Keys by state (tui §9) and the rows of the live area (tui §4.1): every cell of the tables.
 */
#include "unit.h"

#include "tui/control/key_table.h"
#include "tui/control/layout.h"

// ---- keys ----

typedef struct Cell {
    TuiState state;
    KeyRole role;
    bool is_empty;
    Deed first, second;
} Cell;

static const Cell cells[] = {
    { STATE_EMPTY, ROLE_ESCAPE, true, DEED_ESCAPE, DEED_ESCAPE },
    { STATE_EMPTY, ROLE_CLEAR, true, DEED_HINT_EXIT, DEED_EXIT },
    { STATE_EMPTY, ROLE_ENTER, true, DEED_SUBMIT, DEED_SUBMIT },
    { STATE_DRAFT, ROLE_ESCAPE, false, DEED_NONE, DEED_NONE },
    { STATE_DRAFT, ROLE_CLEAR, false, DEED_CLEAR, DEED_CLEAR },
    { STATE_DRAFT, ROLE_ENTER, false, DEED_SUBMIT, DEED_SUBMIT },
    { STATE_COMPLETION, ROLE_ESCAPE, false, DEED_CLOSE_LIST, DEED_CLOSE_LIST },
    { STATE_COMPLETION, ROLE_CLEAR, false, DEED_CLEAR, DEED_CLEAR },
    { STATE_COMPLETION, ROLE_ENTER, false, DEED_TAKE_ROW, DEED_TAKE_ROW },
    { STATE_RUNNING, ROLE_ESCAPE, false, DEED_INTERRUPT, DEED_INTERRUPT },
    { STATE_RUNNING, ROLE_ESCAPE, true, DEED_INTERRUPT, DEED_INTERRUPT },
    { STATE_RUNNING, ROLE_CLEAR, false, DEED_CLEAR, DEED_CLEAR },
    { STATE_RUNNING, ROLE_CLEAR, true, DEED_INTERRUPT, DEED_EXIT },
    { STATE_RUNNING, ROLE_ENTER, false, DEED_STEER, DEED_STEER },
    { STATE_WAITING, ROLE_ESCAPE, true, DEED_CANCEL_WAIT, DEED_CANCEL_WAIT },
    { STATE_WAITING, ROLE_CLEAR, false, DEED_CLEAR, DEED_CLEAR },
    { STATE_WAITING, ROLE_CLEAR, true, DEED_CANCEL_WAIT, DEED_EXIT },
    { STATE_WAITING, ROLE_ENTER, false, DEED_QUEUE, DEED_QUEUE },
    { STATE_COMMAND, ROLE_ESCAPE, true, DEED_END_COMMAND, DEED_END_COMMAND },
    { STATE_COMMAND, ROLE_CLEAR, true, DEED_END_COMMAND, DEED_EXIT },
    { STATE_COMMAND, ROLE_ENTER, false, DEED_QUEUE, DEED_QUEUE },
    { STATE_QUESTION, ROLE_ESCAPE, true, DEED_PANEL, DEED_PANEL },
    { STATE_QUESTION, ROLE_CLEAR, true, DEED_PANEL, DEED_PANEL },
    { STATE_QUESTION, ROLE_ENTER, true, DEED_PANEL, DEED_PANEL },
    { STATE_SELECTOR, ROLE_ESCAPE, true, DEED_PANEL, DEED_PANEL },
    { STATE_SELECTOR, ROLE_CLEAR, true, DEED_PANEL, DEED_PANEL },
    { STATE_SELECTOR, ROLE_ENTER, true, DEED_PANEL, DEED_PANEL },
};

static void test_keys_by_state(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
        KeyMoment moment = { .state = cells[i].state, .is_empty = cells[i].is_empty };
        Deed first = key_deed(&moment, cells[i].role);
        moment.is_second = true;
        Deed second = key_deed(&moment, cells[i].role);
        if (first != cells[i].first || second != cells[i].second)
            fail_msg("cell %zu: got %d and %d, want %d and %d", i, first, second, cells[i].first,
                     cells[i].second);
    }
}

static void test_escape_stops_what_runs_behind_a_list(void **state G_GNUC_UNUSED)
{
    const KeyMoment moment = { .state = STATE_COMPLETION, .is_busy = true };
    assert_int_equal(key_deed(&moment, ROLE_ESCAPE), DEED_INTERRUPT);
}

// ---- rows ----

static int total(const LiveLayout *layout)
{
    int rows = 0;
    for (int part = 0; part < PART_COUNT; part++)
        rows += layout->rows[part];
    return rows;
}

static const LiveLayout wish = { { 12, 5, 2, 4, 6, 1, 8, 5, 1 } }; // in the order of LivePart

static void test_everything_gives_way_but_the_editor(void **state G_GNUC_UNUSED)
{
    for (int room = 1; room < 60; room++) {
        LiveLayout layout = wish;
        layout_fit(&layout, room, false);
        assert_in_range(total(&layout), 1, room);
        assert_true(layout.rows[PART_EDITOR] >= 1);
        for (int part = 0; part < PART_COUNT; part++)
            assert_in_range(layout.rows[part], 0, wish.rows[part]);
    }
}

static void test_order_of_giving_way(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        int room;
        LiveLayout want;
    } cases[] = {
        { "all of it", 44, { { 12, 5, 2, 4, 6, 1, 8, 5, 1 } } },
        { "the list first", 42, { { 12, 5, 2, 4, 6, 1, 8, 3, 1 } } },
        { "then what is watched", 39, { { 12, 5, 2, 1, 6, 1, 8, 3, 1 } } },
        { "then the todo list", 34, { { 12, 5, 2, 1, 1, 1, 8, 3, 1 } } },
        { "then what waits", 30, { { 12, 1, 2, 1, 1, 1, 8, 3, 1 } } },
        { "then the blocks", 18, { { 0, 1, 2, 1, 1, 1, 8, 3, 1 } } },
        { "then the editor", 11, { { 0, 1, 2, 1, 1, 1, 1, 3, 1 } } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        LiveLayout layout = wish;
        layout_fit(&layout, cases[i].room, false);
        if (memcmp(&layout, &cases[i].want, sizeof(layout)) != 0)
            fail_msg("%s: %d rows in all", cases[i].name, total(&layout));
    }
}

static void test_a_question_keeps_its_rows(void **state G_GNUC_UNUSED)
{
    LiveLayout layout = wish;
    layout_fit(&layout, 8, true);
    assert_int_equal(layout.rows[PART_LIST], 5);
    assert_int_equal(layout.rows[PART_EDITOR], 1);
    layout_fit(&layout, 2, true);
    assert_int_equal(layout.rows[PART_LIST], 1);
    assert_int_equal(layout.rows[PART_EDITOR], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_by_state),
        cmocka_unit_test(test_escape_stops_what_runs_behind_a_list),
        cmocka_unit_test(test_everything_gives_way_but_the_editor),
        cmocka_unit_test(test_order_of_giving_way),
        cmocka_unit_test(test_a_question_keeps_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
