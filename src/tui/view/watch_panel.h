/*
 * What a command beside the conversation is waiting for, above the editor. Pure.
 */
#pragma once

#include "base/json.h"
#include "tui/text/row.h"

/* `block` of command_progress (conversation/session_aside.h); NULL and blocks without rows have
   none. The title, and at most 8 rows, those that come first. */
void watch_panel_rows(const json_t *block, const Theme *theme, int width, GPtrArray *out);
