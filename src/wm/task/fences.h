/*
 * Places in a Markdown text outside of its fenced code (task-engine §5.4). Pure; a whole text is
 * gone through once.
 */
#pragma once

#include "wm/task/notes.h"

typedef struct WmFences {  // of one search; the text is borrowed
    const char *at;        // where it goes on; may be moved on
    const char *end;       // of the text
    const char *fence;     // the one before which it has not come yet; NULL: there are no more
    const char *fence_end; // after it
} WmFences;

WmFences wm_fences_begin(const char *text);
/* The next place of `what`, from `at` on; NULL: none. The search does not move past it. */
const char *wm_fences_find(WmFences *self, const char *what);

/* `at`, in a body, for a note. */
WmNotePlace wm_fences_place(const WmFences *self, const char *at);
