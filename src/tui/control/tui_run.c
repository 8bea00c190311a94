/* See tui_run.h. */
#include "tui/control/tui_own.h"

#include <stdarg.h>

// ---- making and freeing ----

TuiRun *tui_run_new(void)
{
    return g_new0(TuiRun, 1);
}

void tui_run_open(Tui *self, const TranscriptSpec *transcript, LoopFunc git_changed)
{
    TuiRun *run = run_own(self);
    run->transcript = transcript_new(transcript);
    run->history = rows_new();
    run->git = git_state_new(self->loop, self->slash.place.cwd, git_changed, self);
}

void tui_run_free(TuiRun *self)
{
    agent_session_free(self->session);
    git_state_free(self->git);
    transcript_free(self->transcript);
    g_clear_pointer(&self->history, g_ptr_array_unref);
    g_clear_pointer(&self->welcome, g_ptr_array_unref);
    g_clear_pointer(&self->short_welcome, g_ptr_array_unref);
    json_decref(self->snapshot);
    json_decref(self->stats);
    json_decref(self->queued);
    g_free(self->hint);
    g_free(self->intent);
    g_free(self->progress);
    json_decref(self->watched);
    g_free(self->sent);
    g_free(self->shell);
    g_free(self);
}

// ---- what is said ----

void tui_say(Tui *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    transcript_notice(self->run->transcript, text);
    frame_request(self->look->frames, FRAME_NOW);
}

void tui_error(Tui *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    transcript_error(self->run->transcript, text);
    frame_request(self->look->frames, FRAME_NOW);
}

bool tui_open_last(Tui *self)
{
    frame_request(self->look->frames, FRAME_NOW);
    return transcript_open_last(self->run->transcript);
}

void tui_hint(Tui *self, const char *text)
{
    if (g_strcmp0(self->run->hint, text) == 0)
        return;
    g_free(self->run->hint);
    run_own(self)->hint = g_strdup(text);
    frame_request(self->look->frames, FRAME_NOW);
}

// ---- how things stand ----

void tui_stale(Tui *self)
{
    json_decref(self->run->snapshot);
    json_decref(self->run->stats);
    run_own(self)->snapshot = run_own(self)->stats = NULL;
    frame_request(self->look->frames, FRAME_STREAM);
}

const json_t *tui_snapshot(Tui *self)
{
    if (!self->run->snapshot)
        run_own(self)->snapshot = agent_session_state(self->run->session);
    return self->run->snapshot;
}

const json_t *tui_stats(Tui *self)
{
    if (!self->run->stats)
        run_own(self)->stats = agent_session_stats(self->run->session);
    return self->run->stats;
}

bool tui_is_busy(const Tui *self)
{
    return self->run->is_on || self->run->is_shell_on || self->run->waits != WAITS_NOT ||
           !agent_session_is_idle(self->run->session);
}
