/*
 * What is heard of the conversation: to the transcript, and to what else shows it (agent-core
 * §3.9).
 */
#include "tui/control/draft.h"
#include "tui/control/tui_own.h"

#include "base/timefmt.h"
#include "model/message.h"
#include "tui/text/clean.h"

enum {
    NOTIFY_AFTER_MS = 10000, // without a key
    PROGRESS_CELLS = 40,
};

// ---- what goes on ----

static void set_intent(TuiRun *run, const char *intent)
{
    g_free(run->intent);
    run->intent = g_strdup(intent);
}

static void notify_end(Tui *self)
{
    bool is_wanted =
        g_strcmp0(settings_get_text(self->look->settings, "completion.notify"), "on") == 0;
    if (is_wanted && self->input->is_unfocused &&
        time_monotonic_ms() - self->input->last_key_at >= NOTIFY_AFTER_MS)
        terminal_notify(self->look->terminal, "kedge is done");
}

static void note_run(Tui *self, bool is_start)
{
    TuiRun *run = run_own(self);
    run->is_on = is_start;
    run->begun_at = is_start ? time_monotonic_ms() : 0;
    run->waits = WAITS_NOT;
    run->is_stopping = false;
    set_intent(run, NULL);
    if (is_start)
        return;
    notify_end(self);
    git_state_refresh(self->run->git);
}

static void note_retry(TuiRun *run, const json_t *event)
{
    run->waits = WAITS_RETRY;
    run->attempt = (int)json_get_int(event, "attempt", 0);
    run->max_attempts = (int)json_get_int(event, "maxAttempts", 0);
    run->retry_at = time_monotonic_ms() + json_get_int(event, "delayMs", 0);
}

static void note_call(Tui *self, const json_t *event, bool is_start)
{
    set_intent(run_own(self), is_start ? json_get_text(event, "intent") : NULL);
    if (!is_start)
        git_state_refresh(self->run->git);
}

void tui_note_summary(Tui *self)
{
    run_own(self)->waits = WAITS_SUMMARY;
}

static void note_queue(TuiRun *run, json_t *event)
{
    json_decref(run->queued);
    run->queued = json_incref(event);
}

static void tui_note(Tui *self, EventKind kind, json_t *event)
{
    TuiRun *run = run_own(self);
    switch (kind) {
    case EVENT_AGENT_START:
    case EVENT_AGENT_END:
        note_run(self, kind == EVENT_AGENT_START);
        break;
    case EVENT_TOOL_EXECUTION_START:
    case EVENT_TOOL_EXECUTION_END:
        note_call(self, event, kind == EVENT_TOOL_EXECUTION_START);
        break;
    case EVENT_AUTO_RETRY_START:
        note_retry(run, event);
        break;
    case EVENT_COMPACTION_START:
    case EVENT_AUTO_COMPACTION_START:
        run->waits = WAITS_COMPACTION;
        break;
    case EVENT_AUTO_RETRY_END:
    case EVENT_COMPACTION_END:
    case EVENT_AUTO_COMPACTION_END:
        run->waits = WAITS_NOT;
        break;
    case EVENT_QUEUE_UPDATE:
        note_queue(run, event);
        break;
    default:
        break;
    }
    if (kind != EVENT_TOOL_EXECUTION_UPDATE)
        tui_stale(self);
    if (kind == EVENT_SESSION_INFO_CHANGED)
        tui_update_title(self);
}

// ---- what has ended ----

static void show_shell(Tui *self, const json_t *data)
{
    const char *text = self->run->shell ? self->run->shell : "!";
    g_autoptr(json_t) shown = json_copy((json_t *)data);
    json_set_text(shown, *text == '$' ? "code" : "command", text + strspn(text, "!$"));
    transcript_shell(self->run->transcript, shown);
}

static void end_shell(Tui *self, const json_t *event)
{
    const char *problem = json_get_text(event, "error");
    run_own(self)->is_shell_on = agent_session_has_bash(self->run->session);
    if (problem)
        tui_error(self, "%s", problem);
    else
        show_shell(self, json_get_object(event, "data"));
    git_state_refresh(self->run->git);
}

static void end_prompt(Tui *self, const json_t *event)
{
    const char *end = json_get_text(json_get_object(event, "data"), "end");
    const char *problem = json_get_text(event, "error");
    size_t left = self->options->prompt_count - self->run->next_prompt;
    if (problem)
        tui_error(self, "%s", problem);
    if (left == 0 || (!problem && g_strcmp0(end, "done") == 0))
        return;
    tui_say(self, "Messages of the command line that were not sent: %zu.", left);
    run_own(self)->next_prompt = self->options->prompt_count;
}

/* Another session may be open now, with another name and a draft of its own. */
static void end_slash(Tui *self)
{
    tui_stale(self);
    run_own(self)->waits = WAITS_NOT;
    tui_update_title(self);
    draft_take(self);
}

/* NULL: there is none any more. */
static void set_progress(Tui *self, const json_t *event)
{
    const char *text = json_get_text(event, "text");
    g_free(self->run->progress);
    json_decref(self->run->watched);
    run_own(self)->progress = text ? clean_line(text, PROGRESS_CELLS) : NULL;
    run_own(self)->watched = json_incref(json_get_object(event, "block"));
    frame_request(self->look->frames, FRAME_STREAM);
}

/* A prompt, also one of a command (/plan PROMPT), that is no part of the session. One that had
   waited waits again. */
static bool is_refused(const json_t *event)
{
    return json_get_text(event, "id") && json_get_text(event, "error") &&
           g_strcmp0(json_get_text(event, "command"), "prompt") == 0;
}

static void on_command_end(Tui *self, const json_t *event)
{
    if (g_strcmp0(json_get_text(event, "command"), "aside") == 0)
        set_progress(self, NULL);
    run_own(self)->is_shell_on =
        self->run->is_shell_on && agent_session_has_bash(self->run->session);
    if (agent_session_is_idle(self->run->session)) // what was stopped need not have been a run
        run_own(self)->is_stopping = false;
    if (g_strcmp0(json_get_text(event, "id"), SLASH_SHELL_ID) == 0)
        end_shell(self, event);
    else if (slash_end(&self->slash, event))
        end_slash(self);
    else if (g_strcmp0(json_get_text(event, "command"), "prompt") == 0)
        end_prompt(self, event);
    if (is_refused(event))
        tui_take_back_refused(self);
    tui_stale(self);
}

void tui_settle(void *self_)
{
    Tui *self = self_;
    if (self->is_ending) {
        tui_check_end(self);
        return;
    }
    if (tui_is_busy(self) || self->panels->panel || self->panels->questions->len > 0 ||
        self->run->next_prompt >= self->options->prompt_count)
        return;
    json_t *prompt = self->options->prompts[run_own(self)->next_prompt++];
    tui_note_sent(self, message_text(prompt));
    if (!tui_send(self, prompt, false))
        tui_take_back_refused(self);
    loop_post(self->loop, tui_settle, self);
}

static void show_event(Tui *self, EventKind kind, json_t *event)
{
    switch (kind) {
    case EVENT_QUESTION:
        tui_open_question(self, event);
        break;
    case EVENT_QUESTION_CLOSED:
        tui_close_question(self, event);
        break;
    case EVENT_COMMAND_END:
        on_command_end(self, event);
        break;
    case EVENT_COMMAND_PROGRESS:
        set_progress(self, event);
        break;
    default:
        if (transcript_event(self->run->transcript, event))
            frame_request(self->look->frames, FRAME_STREAM);
        break;
    }
}

void tui_on_event(json_t *event, void *self_)
{
    Tui *self = self_;
    EventKind kind = event_kind(event);
    show_event(self, kind, event);
    if (kind == EVENT_MESSAGE_UPDATE) // so many that nothing else is looked at
        return;
    tui_note(self, kind, event);
    tui_turn_spinner(self);
    loop_post(self->loop, tui_settle, self);
}
