/*
 * How many rows each part of the live area gets (tui §4.1). Pure.
 */
#pragma once

#include <stdbool.h>

typedef enum {   // top to bottom
    PART_BLOCKS, // the tail and what runs
    PART_PENDING,
    PART_WORKING,
    PART_WATCH, // what is waited for beside the conversation
    PART_TODO,
    PART_RULE,
    PART_EDITOR,
    PART_LIST, // completions, or the panel
    PART_STATUS,
    PART_COUNT,
} LivePart;

typedef struct LiveLayout {
    int rows[PART_COUNT];
} LiveLayout;

enum { LIVE_MIN_COLUMNS = 20, LIVE_MIN_ROWS = 5, LIVE_WIDTH = 60 };

/* `self` has what the parts would like; afterwards what they get: together at most `room`. What
   gives way, in this order: the list (to 3 rows), what is watched (to 1), the todo list (to 1),
   what waits (to 1), the blocks, the editor (to 1), and then all but the editor and a panel, from
   the status line up. `has_panel`: a question stands in the list, which keeps what it has before
   all but the editor. */
void layout_fit(LiveLayout *self, int room, bool has_panel);
