/*
 * The todo list above the editor (agent-core §7.11). Pure.
 */
#pragma once

#include "base/json.h"
#include "tui/text/row.h"

/* `phases` as in tool/todo.h; NULL and lists without an open task have no rows. The phase that is
   at work with at most 5 of its tasks, or, with `is_expanded`, all there is; the first row says the
   phase and how far it has come. */
void todo_panel_rows(const json_t *phases, bool is_expanded, const Theme *theme, int width,
                     GPtrArray *out);
