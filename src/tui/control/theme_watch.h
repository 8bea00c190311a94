/*
 * The theme in use is drawn again when its file changes (agent-core §7.10). inotify tells; nothing
 * wakes up while nothing happens. The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

void theme_watch_open(Tui *tui);
void theme_watch_free(ThemeWatch *self);
