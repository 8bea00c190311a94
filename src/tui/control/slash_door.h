/*
 * The slash commands' door of the drawn interface (slash.h), and what its completions offer. The
 * loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

void slash_door_init(Tui *self);
/* What "/" and "#" offer; the strings are constant, the arrays the caller's. */
CompleteItem *slash_door_commands(void);
CompleteItem *slash_door_actions(void);
