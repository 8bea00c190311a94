/*
 * Tui: the drawn conversation, as the owner of the four objects that it is made of. Each has its
 * header, its files and its functions; what is not one's own is read only (tui_own.h). Internal to
 * tui; the thread of its loop.
 */
#pragma once

#include "tui/control/tui_input.h"
#include "tui/control/tui_look.h"
#include "tui/control/tui_panels.h"
#include "tui/control/tui_run.h"
#include "tui/slash/converse.h"
#include "tui/slash/slash.h"

struct Tui {
    const ConverseOptions *options;
    Loop *loop;
    Cancel *cancel;
    SlashDoor slash;
    LoopFunc settle; // tui_settle(): what is to happen when nothing does
    const TuiLook *look;
    const TuiInput *input;
    const TuiPanels *panels;
    const TuiRun *run;
    bool picks_session; // nothing else is gone on with until one is chosen
    bool is_ending;
    int exit_code;
};

/* What the keys go by. */
TuiState tui_state(const Tui *self);

void tui_end(Tui *self, int exit_code);
void tui_check_end(void *self); // the Tui: leaves the loop when nothing runs
