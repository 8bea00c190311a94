/*
 * The drawn conversation's state, and its end (tui_state.h).
 */
#include "tui/control/tui_state.h"

#include "base/children.h"

#include <stdarg.h>

enum {
    END_TIMEOUT_MS = 1200, // until what still runs is killed
    LAST_WORDS_MS = 650,   // for what it still says
};

// ---- what is said ----

void tui_say(Tui *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    transcript_notice(self->transcript, text);
    frame_request(self->frames, FRAME_NOW);
}

void tui_error(Tui *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    transcript_error(self->transcript, text);
    frame_request(self->frames, FRAME_NOW);
}

void tui_hint(Tui *self, const char *text)
{
    if (g_strcmp0(self->hint, text) == 0)
        return;
    g_free(self->hint);
    self->hint = g_strdup(text);
    frame_request(self->frames, FRAME_NOW);
}

// ---- how things stand ----

void tui_stale(Tui *self)
{
    json_decref(self->snapshot);
    json_decref(self->stats);
    self->snapshot = self->stats = NULL;
    frame_request(self->frames, FRAME_STREAM);
}

const json_t *tui_snapshot(Tui *self)
{
    if (!self->snapshot)
        self->snapshot = agent_session_state(self->session);
    return self->snapshot;
}

const json_t *tui_stats(Tui *self)
{
    if (!self->stats)
        self->stats = agent_session_stats(self->session);
    return self->stats;
}

bool tui_is_busy(const Tui *self)
{
    return self->run.is_on || self->run.is_shell_on || self->run.waits != WAITS_NOT ||
           !agent_session_is_idle(self->session);
}

TuiState tui_state(const Tui *self)
{
    if (self->viewer || (self->panel && !self->is_asking))
        return STATE_SELECTOR;
    if (self->panel)
        return STATE_QUESTION;
    if (completer_is_open(self->completer))
        return STATE_COMPLETION;
    if (self->run.waits != WAITS_NOT)
        return STATE_WAITING;
    if (self->run.is_on || !agent_session_is_idle(self->session))
        return STATE_RUNNING;
    if (self->run.is_shell_on)
        return STATE_COMMAND;
    return editor_is_empty(self->editor) ? STATE_EMPTY : STATE_DRAFT;
}

// ---- the panel ----

/* It may be in the middle of its own key: it is freed with the next frame. */
void tui_close_panel(Tui *self)
{
    if (!self->panel)
        return;
    g_ptr_array_add(self->old_panels, g_steal_pointer(&self->panel));
    self->is_asking = false;
    loop_post(self->loop, self->settle, self); // the first messages wait for it
    frame_request(self->frames, FRAME_NOW);
}

void tui_open_panel(Tui *self, Panel *panel)
{
    tui_close_panel(self);
    completer_close(self->completer);
    self->panel = panel;
}

// ---- the end ----

void tui_check_end(void *self_)
{
    Tui *self = self_;
    if (!agent_session_is_idle(self->session) || self->run.is_shell_on)
        return;
    if (event_hub_is_drained(agent_session_events(self->session)))
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
    agent_session_close_questions(self->session);
    cancel_fire(self->cancel);
    loop_add_timer(self->loop, END_TIMEOUT_MS, out_of_time, self);
    loop_post(self->loop, tui_check_end, self);
}
