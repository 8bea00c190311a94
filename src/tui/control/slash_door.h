/*
 * The slash commands' door of the drawn interface (slash.h), and what its completions offer. The
 * loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

void slash_door_init(Tui *self);
/* What "#" offers; the strings are constant, the array is the caller's. */
CompleteItem *slash_door_actions(void);
