/*
 * What was being written when the program ended: draft.txt beside the session (agent-core §4.10),
 * taken up again when the session goes on. The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

/* What the editor holds is kept, with the session where it has a file, else with the prompts. */
void draft_keep(Tui *self);
/* A draft of the session that is open goes into the editor when that is empty, and is gone then. */
void draft_take(Tui *self);
/* The text has changed: a long one is kept a second later, whatever becomes of the program. */
void draft_note(Tui *self);
