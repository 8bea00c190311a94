/*
 * When to draw (frame.h). A wish sets a time; the earliest one arms the only timer, and without a
 * wish there is none.
 */
#include "tui/screen/frame.h"

#include "base/timefmt.h"

enum {
    NOW_MS = 16,    // after the last frame
    STREAM_MS = 33, // after the last frame
    SETTLE_MS = 50, // that a size must have been the same
    RESIZE_MS = 250 // after the first change of it
};

struct FrameClock {
    Loop *loop; // borrowed
    bool (*draw)(void *user_data);
    void *user_data;
    gint64 last_at;    // of the last frame; 0: none
    gint64 due_at;     // of the next one; 0: no one wishes one
    gint64 resized_at; // the first change of size since the last frame; 0: none
    unsigned held;
    LoopSource *timer; // armed for armed_at
    gint64 armed_at;
};

FrameClock *frame_clock_new(Loop *loop, bool (*draw)(void *user_data), void *user_data)
{
    FrameClock *self = g_new0(FrameClock, 1);
    self->loop = loop;
    self->draw = draw;
    self->user_data = user_data;
    return self;
}

static void disarm(FrameClock *self)
{
    loop_remove(self->loop, g_steal_pointer(&self->timer));
}

void frame_clock_free(FrameClock *self)
{
    if (!self)
        return;
    disarm(self);
    g_free(self);
}

/* The wishes are over with the call, whatever it says: without a frame the next wish comes when the
   terminal takes one. A wish from inside is a new one. */
static void on_time(void *self_)
{
    FrameClock *self = self_;
    gint64 before = self->last_at;
    self->timer = NULL;
    self->due_at = self->resized_at = 0;
    self->last_at = time_monotonic_ms(); // for wishes from inside
    bool is_drawn = self->draw(self->user_data);
    self->last_at = is_drawn ? time_monotonic_ms() : before;
}

static void arm(FrameClock *self)
{
    if (self->timer && self->armed_at == self->due_at)
        return;
    disarm(self);
    if (self->held > 0 || self->due_at == 0)
        return;
    self->armed_at = self->due_at;
    self->timer =
        loop_add_timer(self->loop, MAX(self->due_at - time_monotonic_ms(), 0), on_time, self);
}

void frame_request(FrameClock *self, FrameReason reason)
{
    gint64 now = time_monotonic_ms();
    if (reason == FRAME_RESIZE) {
        if (self->resized_at == 0)
            self->resized_at = now;
        self->due_at = MIN(now + SETTLE_MS, self->resized_at + RESIZE_MS);
    } else if (self->resized_at == 0) { // else nothing is drawn until the size is known
        gint64 at = MAX(now, self->last_at + (reason == FRAME_NOW ? NOW_MS : STREAM_MS));
        self->due_at = self->due_at == 0 ? at : MIN(self->due_at, at);
    }
    arm(self);
}

void frame_hold(FrameClock *self)
{
    self->held++;
    disarm(self);
}

void frame_release(FrameClock *self)
{
    g_assert(self->held > 0);
    if (--self->held == 0)
        arm(self);
}
