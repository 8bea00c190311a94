/*
 * What kedge says to a terminal about itself, as bytes (tui §6, §11, §12): modes on and off,
 * queries, title, notifications, the clipboard. Pure.
 */
#pragma once

#include "tui/term/caps.h"

enum { LIMIT_OSC52_BYTES = 74994 }; // of text, so that the sequence has 100,000

typedef enum {                // in the order of switching on
    MODE_TITLE = 1 << 0,      // the title that was is on the terminal's stack
    MODE_BRACKETS = 1 << 1,   // round pastes
    MODE_FOCUS = 1 << 2,      // it says when it is looked at
    MODE_SCHEME = 1 << 3,     // it says when it becomes dark or light
    MODE_CLUSTERS = 1 << 4,   // cells by grapheme clusters
    MODE_KITTY = 1 << 5,      // our flags are on the stack of the keyboard protocol
    MODE_OTHER_KEYS = 1 << 6, // or modifyOtherKeys
    MODE_ALTERNATE = 1 << 7,  // the other screen, which has a keyboard stack of its own
    MODE_ALTERNATE_KITTY = 1 << 8,
} TermMode;
typedef unsigned TermModes;

void sequences_on(TermModes modes, GString *out);
/* In reverse order. */
void sequences_off(TermModes modes, GString *out);
/* As off, and the cursor is shown: another program may have the terminal. */
void sequences_end(TermModes modes, GString *out);
/* They are on, or somebody switched some of them off: nothing is pushed a second time. */
void sequences_again(TermModes modes, GString *out);
/* As end, in the middle of whatever was written; leaves the cursor below what was drawn. */
void sequences_emergency(TermModes modes, bool has_sync, GString *out);
/* The last one is CSI c: when it is answered all others have been that ever will. */
void sequences_queries(const TermCaps *caps, GString *out);

/* Controls of the texts are taken out again, and they are cut. */
void sequences_title(const char *title, GString *out);
void sequences_notify(const char *text, const TermCaps *caps, EnvFunc env, GString *out);
/* Adds nothing where no terminal would take it. */
void sequences_clipboard(const char *text, const TermCaps *caps, GString *out);
