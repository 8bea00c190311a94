/*
 * The plain front end's state: its output, and its end (plain_private.h).
 */
#include "tui/plain/plain_private.h"

#include "base/children.h"
#include "base/fd.h"
#include "base/visible.h"

#include <stdarg.h>
#include <unistd.h>

enum {
    END_TIMEOUT_MS = 1200, // until what still runs is killed
    LAST_WORDS_MS = 650,   // for what it still says
};

// ---- output ----

void plain_write(Plain *self, const char *text)
{
    if (self->is_output_gone || fd_write_all(STDOUT_FILENO, text, strlen(text), "terminal", NULL))
        return;
    self->is_output_gone = true;
    plain_end(self, 129);
}

void plain_write_line(const char *line, void *self_)
{
    Plain *self = self_;
    g_autofree char *shown = visible_on_terminal(line);
    g_autofree char *text = g_strconcat(self->is_prompted ? "\n" : "", shown, "\n", NULL);
    self->is_prompted = false;
    plain_write(self, text);
}

void plain_say(Plain *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    plain_speech_say(self->speech, text);
}

// ---- the end ----

void plain_stop_hiding(Plain *self)
{
    if (!self->key_provider)
        return;
    tcsetattr(STDIN_FILENO, TCSANOW, &self->echoing);
    g_clear_pointer(&self->key_provider, g_free);
}

void plain_check_end(void *self_)
{
    Plain *self = self_;
    if (!agent_session_is_idle(self->session) || self->is_bash_running)
        return;
    if (event_hub_is_drained(agent_session_events(self->session)))
        loop_quit(self->loop);
    else
        loop_post(self->loop, plain_check_end, self);
}

static void give_up(void *self_)
{
    loop_quit(((Plain *)self_)->loop);
}

static void out_of_time(void *self_)
{
    Plain *self = self_;
    children_kill_all();
    loop_add_timer(self->loop, LAST_WORDS_MS, give_up, self);
}

void plain_end(Plain *self, int exit_code)
{
    if (self->is_ending)
        return;
    self->is_ending = true;
    self->exit_code = exit_code;
    plain_stop_hiding(self);
    loop_remove(self->loop, g_steal_pointer(&self->input));
    agent_session_close_questions(self->session);
    cancel_fire(self->cancel);
    loop_add_timer(self->loop, END_TIMEOUT_MS, out_of_time, self);
    loop_post(self->loop, plain_check_end, self);
}
