/*
 * When to draw (tui §4.3): wishes are merged into one timer, or none. One thread, that of the loop.
 */
#pragma once

#include "base/loop.h"

typedef enum {
    FRAME_NOW,    // keys, questions: at once, but 16 ms after the last frame
    FRAME_STREAM, // what arrives: 33 ms after the last frame
    FRAME_RESIZE, // when the size has been the same for 50 ms, at most 250 ms in all
} FrameReason;

typedef struct FrameClock FrameClock;

/* `draw` is called on the loop; false: it could not, since the terminal is busy, and
   frame_request() comes again when it is not. */
FrameClock *frame_clock_new(Loop *loop, bool (*draw)(void *user_data), void *user_data);
void frame_clock_free(FrameClock *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FrameClock, frame_clock_free)

void frame_request(FrameClock *self, FrameReason reason);
/* No frames, whatever is wished; a wish of that time is drawn at the end. */
void frame_hold(FrameClock *self);
void frame_release(FrameClock *self);
