/*
 * The table of keys by state (key_table.h).
 */
#include "tui/control/key_table.h"

typedef struct KeyRow {
    Deed escape;
    Deed clear;       // Ctrl+C, with a draft
    Deed clear_empty; // without one
    Deed enter;
} KeyRow;

static const KeyRow rows[STATE_COUNT] = {
    [STATE_EMPTY] = { DEED_ESCAPE, DEED_CLEAR, DEED_HINT_EXIT, DEED_SUBMIT },
    [STATE_DRAFT] = { DEED_NONE, DEED_CLEAR, DEED_HINT_EXIT, DEED_SUBMIT },
    [STATE_RUNNING] = { DEED_INTERRUPT, DEED_CLEAR, DEED_INTERRUPT, DEED_STEER },
    [STATE_WAITING] = { DEED_CANCEL_WAIT, DEED_CLEAR, DEED_CANCEL_WAIT, DEED_QUEUE },
    [STATE_COMMAND] = { DEED_END_COMMAND, DEED_END_COMMAND, DEED_END_COMMAND, DEED_QUEUE },
    [STATE_COMPLETION] = { DEED_CLOSE_LIST, DEED_CLEAR, DEED_CLEAR, DEED_TAKE_ROW },
    [STATE_QUESTION] = { DEED_PANEL, DEED_PANEL, DEED_PANEL, DEED_PANEL },
    [STATE_SELECTOR] = { DEED_PANEL, DEED_PANEL, DEED_PANEL, DEED_PANEL },
};

static Deed clear_deed(const KeyMoment *moment, const KeyRow *row)
{
    bool is_ours = moment->state < STATE_QUESTION;
    if (is_ours && moment->is_second && moment->is_empty)
        return DEED_EXIT;
    return moment->is_empty ? row->clear_empty : row->clear;
}

Deed key_deed(const KeyMoment *moment, KeyRole role)
{
    const KeyRow *row = &rows[moment->state];
    switch (role) {
    case ROLE_ESCAPE: // what runs comes before a list
        if (moment->state == STATE_COMPLETION && moment->is_busy)
            return DEED_INTERRUPT;
        return row->escape;
    case ROLE_CLEAR:
        return clear_deed(moment, row);
    case ROLE_ENTER:
        return row->enter;
    case ROLE_COUNT:
        break;
    }
    return DEED_NONE;
}
