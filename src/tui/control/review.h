/*
 * The viewer over the conversation (view/viewer.h), opened and closed. The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

void review_open(Tui *self);
