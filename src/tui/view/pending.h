/*
 * Messages that wait for their turn, above the editor (agent-core §7.1): those of the event
 * queue_update. Pure.
 */
#pragma once

#include "base/json.h"
#include "tui/text/row.h"

/* Arrays of texts; NULL is empty. One row each, or, when that is more than `max_rows`, one that
   says how many there are. */
void pending_rows(const json_t *steering, const json_t *follow_up, const Theme *theme, int width,
                  int max_rows, GPtrArray *out);
