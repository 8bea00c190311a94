/*
 * The viewer over the conversation (view/viewer.h), opened and closed. The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

void review_open(Tui *self);
void review_close(Tui *self); // not from inside its own key; it may be closed
void review_end(Tui *self);   // at the end of the program
