/*
 * What is written, or shown in the viewer, in the person's own editor ($VISUAL, $EDITOR): the run
 * goes on, frames do not (tui §11). The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

void external_edit(Tui *self);
/* A text that becomes another one: `taken` gets what it is then, with `subject`, a copy. */
typedef void (*ExternalTaken)(Tui *self, const char *subject, const char *text);
void external_change(Tui *self, const char *text, const char *subject, ExternalTaken taken);
/* A text that is not the draft; what is changed of it stays there. */
void external_show(Tui *self, const char *text);
/* An editor that is open is ended; what was saved in it is what is written. */
void external_end(Tui *self);
