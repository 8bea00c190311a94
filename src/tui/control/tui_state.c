/* See tui_state.h. */
#include "tui/control/tui_state.h"

#include "base/children.h"

enum {
    END_TIMEOUT_MS = 1200, // until what still runs is killed
    LAST_WORDS_MS = 650,   // for what it still says
};

TuiState tui_state(const Tui *self)
{
    if (self->panels->viewer || (self->panels->panel && !self->panels->is_asking))
        return STATE_SELECTOR;
    if (self->panels->panel)
        return STATE_QUESTION;
    if (completer_is_open(self->input->completer))
        return STATE_COMPLETION;
    if (self->run->waits != WAITS_NOT)
        return STATE_WAITING;
    if (self->run->is_on || !agent_session_is_idle(self->run->session))
        return STATE_RUNNING;
    if (self->run->is_shell_on)
        return STATE_COMMAND;
    return editor_is_empty(self->input->editor) ? STATE_EMPTY : STATE_DRAFT;
}

// ---- the end ----

void tui_check_end(void *self_)
{
    Tui *self = self_;
    if (!agent_session_is_idle(self->run->session) || self->run->is_shell_on)
        return;
    if (event_hub_is_drained(agent_session_events(self->run->session)))
        loop_quit(self->loop);
    else
        loop_post(self->loop, tui_check_end, self);
}

static void give_up(void *self_)
{
    loop_quit(((Tui *)self_)->loop);
}

static void out_of_time(void *self_)
{
    Tui *self = self_;
    children_kill_all();
    loop_add_timer(self->loop, LAST_WORDS_MS, give_up, self);
}

void tui_end(Tui *self, int exit_code)
{
    if (self->is_ending)
        return;
    self->is_ending = true;
    self->exit_code = exit_code;
    tui_close_panel(self);
    agent_session_close_questions(self->run->session);
    cancel_fire(self->cancel);
    loop_add_timer(self->loop, END_TIMEOUT_MS, out_of_time, self);
    loop_post(self->loop, tui_check_end, self);
}
