/*
 * What was being written when the program ended, however it did: draft.txt beside the session, or
 * in a place of its own while there is no session file (agent-core §4.10). It is taken up again
 * when the session, or another one in that directory, goes on. The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

Draft *draft_new(void);
void draft_free(Draft *self); // what it has written stays

/* What the editor holds is kept now. */
void draft_keep(Tui *self);
/* A draft of the session that is open goes into the editor, before what is written there. */
void draft_take(Tui *self);
/* The same with what was written before there was a session, by a program that has ended. */
void draft_take_left(Tui *self);
/* Before each frame: what was written since is kept a second later, whatever becomes of the
   program. */
void draft_note(Tui *self);
