/*
 * Rehearsals of tasks as one HTML page: everything is in it, nothing is loaded, no script is
 * needed. Texts are rendered by the renderer of the browser page, which takes no markup from them.
 * Pure.
 */
#pragma once

#include "base/json.h"

/* `reports` is an array of those of wm_rehearse() (wm/run/rehearse.h). Caller frees. */
char *rehearsal_page(const json_t *reports);
