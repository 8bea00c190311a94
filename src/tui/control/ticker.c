/*
 * What moves by itself while something runs: the spinner, and the output of a person's command
 * (tui_state.h). With nothing to move there is no timer.
 */
#include "tui/control/tui_own.h"

enum { SPINNER_MS = 250 };

/* What a person's command prints is looked at then, too, also where nothing else moves. */
static bool is_ticking(const Tui *self)
{
    return !self->input->is_unfocused &&
           (self->run->is_shell_on || (self->look->has_motion && tui_is_busy(self)));
}

static void tick(void *self_)
{
    Tui *self = self_;
    look_own(self)->ticker = NULL;
    if (!is_ticking(self))
        return;
    look_own(self)->step += self->look->has_motion;
    look_own(self)->ticker = loop_add_timer(self->loop, SPINNER_MS, tick, self);
    frame_request(self->look->frames, FRAME_STREAM);
}

void tui_turn_spinner(Tui *self)
{
    if (!self->look->ticker && is_ticking(self))
        look_own(self)->ticker = loop_add_timer(self->loop, SPINNER_MS, tick, self);
}
