/*
 * The whole conversation as a pager on the alternate screen (tui §1 rule 6, §4.6), everything
 * expanded, with search. Rows are made when they are shown, and LIMIT_VIEWER_ROWS_BYTES of them are
 * kept. It draws for itself, and leaves the screen as it was. One thread, that of the loop.
 */
#pragma once

#include "tui/term/keymap.h"
#include "tui/term/terminal.h"
#include "tui/view/block.h"

typedef struct ViewerSpec {
    Terminal *terminal; // borrowed, as all here
    const Theme *theme;
    BlockSpec block;        // width is the terminal's
    const json_t *messages; // of the path from the root to the leaf; a reference is taken
    void (*closed)(void *user_data);
    /* What is on screen, each message and call of it whole: for an editor. Takes `text`. */
    void (*edit)(char *text, void *user_data);
    void *user_data;
} ViewerSpec;

typedef struct Viewer Viewer;

Viewer *viewer_new(const ViewerSpec *spec); // opened at the last block
void viewer_free(Viewer *self);             // leaves the alternate screen
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Viewer, viewer_free)

void viewer_key(Viewer *self, KeyPress key, Action action);
void viewer_paste(Viewer *self, const char *text, size_t size);
void viewer_resize(Viewer *self);
void viewer_draw(Viewer *self); // again, whole: after a stop
/* The terminal has taken what waited: a change that was not drawn because of it is, now. */
void viewer_writable(Viewer *self);
