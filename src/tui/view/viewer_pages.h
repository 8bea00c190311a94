/*
 * The viewer's window (viewer.h): which rows it shows, what keys do, the bytes of its frames. Draws
 * for the alternate screen, where rows have numbers. Writes nothing; one thread.
 */
#pragma once

#include "tui/term/keymap.h"
#include "tui/term/terminal.h"
#include "tui/view/block.h"

typedef enum { VIEWER_SAME, VIEWER_CHANGED, VIEWER_CLOSED, VIEWER_EDIT } ViewerOutcome;

typedef struct ViewerPages ViewerPages;

/* At the last rows. A reference to `messages` is taken; all else is borrowed, also what `block`
   points to, whose width is the window's. */
ViewerPages *viewer_pages_new(const json_t *messages, const BlockSpec *block, const Theme *theme,
                              const TermCaps *caps, TerminalSize size);
void viewer_pages_free(ViewerPages *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerPages, viewer_pages_free)

/* `action` by KEYS_LIST. */
ViewerOutcome viewer_pages_key(ViewerPages *self, KeyPress key, Action action);
ViewerOutcome viewer_pages_paste(ViewerPages *self, const char *text, size_t size);
/* The messages and calls of which something is on screen, whole. Caller frees. */
char *viewer_pages_text(ViewerPages *self);
/* What was shown stays in view, also in rows of another width. */
void viewer_pages_resize(ViewerPages *self, TerminalSize size);

/* What has changed since the last frame, or everything. Appends nothing when nothing has. */
void viewer_pages_draw(ViewerPages *self, bool is_whole, GString *out);
