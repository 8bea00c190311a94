/*
 * The conversation of the drawn interface: opened, welcomed or replayed, and taken leave of.
 * The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

/* `on_event` is told everything; what is wrong goes to `warnings` (of char *). */
void opening_open(Tui *self, EventFunc on_event, GPtrArray *warnings);
/* The messages of a session that goes on; of one that was on the screen before (`is_moved`) the
   last ones, after a rule that says where it is now. */
void opening_replay(Tui *self, bool is_moved);
/* The welcome, while it is live, for the width of the window. */
void opening_lay_out(Tui *self);
void opening_end_welcome(Tui *self);  // with the next frame it is history
void opening_drop_welcome(Tui *self); // it was given to the history
/* What it still looks for is given up. */
void opening_end(Tui *self);
/* How to go on later, or why nothing was saved; NULL: there is nothing to say. Caller frees. */
char *opening_goodbye(Tui *self);
