/*
 * The one list selector (tui §8): rows come from a function of an index, only those on screen are
 * made; typing filters, on a worker above LIMIT_SELECT_DIRECT items. One thread, that of the loop.
 */
#pragma once

#include "base/loop.h"
#include "tui/view/panel.h"

enum { LIMIT_SELECT_DIRECT = 500 };

typedef struct SelectSpec {
    Loop *loop;
    const Theme *theme; // borrowed, as all here
    const char *title;  // copied
    const char *hint;   // what keys do; copied; may be NULL
    const char *empty;  // said when there is nothing; copied
    size_t count;
    size_t selected;  // at first
    int max_rows;     // of items; 0: a third of the room that there is, at least 5
    bool keeps_order; // a filter leaves the order as it is; else the best come first
    /* The item as a row of at most `width` cells, without cursor mark. Caller unrefs. */
    Row *(*row)(size_t index, int width, void *user_data);
    /* What a filter looks at; caller frees. Also from a worker. */
    char *(*text)(size_t index, void *user_data);
    void (*chosen)(size_t index, void *user_data); // and it is PANEL_DONE
    void (*cancelled)(void *user_data);            // likewise
    /* Another action (rename, delete, tab…) or a key that is no filter: true: it was one. NULL:
       none. `index` is SIZE_MAX when there is no item. */
    PanelResult (*key)(size_t index, KeyPress key, Action action, void *user_data);
    void (*moved)(size_t index, void *user_data); // live preview; may be NULL
    void (*changed)(void *user_data);             // to be drawn again: a worker has answered
    void (*freed)(void *user_data);               // may be NULL
    void *user_data;
} SelectSpec;

Panel *select_new(const SelectSpec *spec);
/* Before the items change: no worker looks at them from here on. select_set_count() comes next. */
void select_hold(Panel *self);
/* Other items, from the same functions; the filter stays, and `selected` is the one to stand on
   where it can. */
void select_set_count(Panel *self, size_t count, size_t selected);
void select_set_empty(Panel *self, const char *empty); // copied
void select_set_title(Panel *self, const char *title);
