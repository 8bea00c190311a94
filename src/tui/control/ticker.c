/*
 * What moves by itself while something runs: the spinner, and the output of a person's command
 * (tui_state.h). With nothing to move there is no timer.
 */
#include "tui/control/tui_state.h"

enum { SPINNER_MS = 250 };

/* What a person's command prints is looked at then, too, also where nothing else moves. */
static bool is_ticking(const Tui *self)
{
    return !self->is_unfocused &&
           (self->run.is_shell_on || (self->has_motion && tui_is_busy(self)));
}

static void tick(void *self_)
{
    Tui *self = self_;
    self->ticker = NULL;
    if (!is_ticking(self))
        return;
    self->step += self->has_motion;
    self->ticker = loop_add_timer(self->loop, SPINNER_MS, tick, self);
    frame_request(self->frames, FRAME_STREAM);
}

void tui_turn_spinner(Tui *self)
{
    if (!self->ticker && is_ticking(self))
        self->ticker = loop_add_timer(self->loop, SPINNER_MS, tick, self);
}
