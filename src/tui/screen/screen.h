/*
 * What a terminal shows of us (tui §4): rows that were given to it for good, and the live area
 * below them, of which alone anything is ever drawn again. Makes the bytes of a frame; writes
 * nothing. Moves are relative to the cursor, nothing is cleared but rows of the live area, and no
 * region is set. Pure but for its state; one thread.
 */
#pragma once

#include "tui/term/terminal.h"
#include "tui/text/row.h"

typedef struct LiveArea {
    GPtrArray *rows; // of Row; at most the window's height less 1. Those above the cursor are at
                     // most 60 cells wide; none is wider than the window
    int cursor_row, cursor_column; // of the area; from 0
} LiveArea;

typedef struct Screen Screen;

Screen *screen_new(void);
void screen_free(Screen *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Screen, screen_free)

/* Both borrowed until the next call. Another look: the whole live area is written at the next
   frame. */
void screen_set_look(Screen *self, const Theme *theme, const TermCaps *caps);

/* The frame from what is drawn to `history` (rows to be given away; may be empty) and `live`.
   Appends nothing when nothing has changed. `size` is the window's; when it is not that of the last
   frame the area is wiped and drawn again (tui §4.5). */
void screen_draw(Screen *self, TerminalSize size, const GPtrArray *history, const LiveArea *live,
                 GString *out);
/* Takes the live area away; the cursor stands where its first row began. */
void screen_wipe(Screen *self, TerminalSize size, GString *out);
/* Nothing of ours is on the terminal any more, or no one knows: the next frame begins at the
   cursor's row. */
void screen_forget(Screen *self);

/* For what draws a screen of its own (the viewer). One row as bytes, from and to the default style.
 */
void screen_row_bytes(const Row *row, const Theme *theme, const TermCaps *caps, GString *out);
/* Around a frame of several rows: shown at once, or at least without a cursor that jumps about, and
   a width that we got wrong is cut at the margin. */
void screen_begin_frame(const TermCaps *caps, GString *out);
void screen_end_frame(const TermCaps *caps, GString *out);
