/*
 * The four objects of a Tui, to be written: each by the files that its header names, and no other.
 * Everywhere else they are constant.
 */
#pragma once

#include "tui/control/tui_state.h"

static inline TuiLook *look_own(Tui *tui)
{
    return (TuiLook *)tui->look;
}

static inline TuiInput *input_own(Tui *tui)
{
    return (TuiInput *)tui->input;
}

static inline TuiPanels *panels_own(Tui *tui)
{
    return (TuiPanels *)tui->panels;
}

static inline TuiRun *run_own(Tui *tui)
{
    return (TuiRun *)tui->run;
}
