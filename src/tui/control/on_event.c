/*
 * What is heard of the conversation: to the transcript, and to what else shows it (agent-core
 * §3.9).
 */
#include "tui/control/draft.h"
#include "tui/control/tui_state.h"

#include "base/timefmt.h"
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
    bool is_wanted = g_strcmp0(settings_get_text(self->settings, "completion.notify"), "on") == 0;
    if (is_wanted && self->is_unfocused &&
        time_monotonic_ms() - self->last_key_at >= NOTIFY_AFTER_MS)
        terminal_notify(self->terminal, "kedge is done");
}

static void note_run(Tui *self, bool is_start)
{
    TuiRun *run = &self->run;
    run->is_on = is_start;
    run->begun_at = is_start ? time_monotonic_ms() : 0;
    run->waits = WAITS_NOT;
    run->is_stopping = false;
    set_intent(run, NULL);
    if (is_start)
        return;
    notify_end(self);
    git_state_refresh(self->git);
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
    set_intent(&self->run, is_start ? json_get_text(event, "intent") : NULL);
    if (!is_start)
        git_state_refresh(self->git);
}

static void note_waits(Tui *self, const char *type, const json_t *event)
{
    TuiRun *run = &self->run;
    if (g_str_equal(type, "auto_retry_start"))
        note_retry(run, event);
    else if (g_str_equal(type, "compaction_start") || g_str_equal(type, "auto_compaction_start"))
        run->waits = WAITS_COMPACTION;
    else if (g_str_equal(type, "auto_retry_end") || g_str_equal(type, "compaction_end") ||
             g_str_equal(type, "auto_compaction_end"))
        run->waits = WAITS_NOT;
}

static void note(Tui *self, const char *type, json_t *event)
{
    if (g_str_equal(type, "agent_start") || g_str_equal(type, "agent_end"))
        note_run(self, g_str_equal(type, "agent_start"));
    else if (g_str_equal(type, "tool_execution_start") || g_str_equal(type, "tool_execution_end"))
        note_call(self, event, g_str_equal(type, "tool_execution_start"));
    else
        note_waits(self, type, event);
    if (g_str_equal(type, "queue_update")) {
        json_decref(self->queued);
        self->queued = json_incref(event);
    }
    if (!g_str_equal(type, "tool_execution_update"))
        tui_stale(self);
    if (g_str_equal(type, "session_info_changed"))
        tui_update_title(self);
}

// ---- what has ended ----

static void show_shell(Tui *self, const json_t *data)
{
    const char *text = self->run.shell ? self->run.shell : "!";
    g_autoptr(json_t) shown = json_copy((json_t *)data);
    json_set_text(shown, *text == '$' ? "code" : "command", text + strspn(text, "!$"));
    transcript_shell(self->transcript, shown);
}

static void end_shell(Tui *self, const json_t *event)
{
    const char *problem = json_get_text(event, "error");
    self->run.is_shell_on = agent_session_has_bash(self->session);
    if (problem)
        tui_error(self, "%s", problem);
    else
        show_shell(self, json_get_object(event, "data"));
    git_state_refresh(self->git);
}

static void end_prompt(Tui *self, const json_t *event)
{
    const char *end = json_get_text(json_get_object(event, "data"), "end");
    const char *problem = json_get_text(event, "error");
    size_t left = self->options->prompt_count - self->next_prompt;
    if (problem)
        tui_error(self, "%s", problem);
    if (left == 0 || (!problem && g_strcmp0(end, "done") == 0))
        return;
    tui_say(self, "Messages of the command line that were not sent: %zu.", left);
    self->next_prompt = self->options->prompt_count;
}

/* Another session may be open now, with another name and a draft of its own. */
static void end_slash(Tui *self)
{
    tui_stale(self);
    self->run.waits = WAITS_NOT;
    tui_update_title(self);
    draft_take(self);
}

/* NULL: there is none any more. */
static void set_progress(Tui *self, const json_t *event)
{
    const char *text = json_get_text(event, "text");
    g_free(self->run.progress);
    json_decref(self->run.watched);
    self->run.progress = text ? clean_line(text, PROGRESS_CELLS) : NULL;
    self->run.watched = json_incref(json_get_object(event, "block"));
    frame_request(self->frames, FRAME_STREAM);
}

static void on_command_end(Tui *self, const json_t *event)
{
    if (g_strcmp0(json_get_text(event, "command"), "aside") == 0)
        set_progress(self, NULL);
    self->run.is_shell_on = self->run.is_shell_on && agent_session_has_bash(self->session);
    if (agent_session_is_idle(self->session)) // what was stopped need not have been a run
        self->run.is_stopping = false;
    if (g_strcmp0(json_get_text(event, "id"), SLASH_SHELL_ID) == 0)
        end_shell(self, event);
    else if (slash_end(&self->slash, event))
        end_slash(self);
    else if (g_strcmp0(json_get_text(event, "command"), "prompt") == 0)
        end_prompt(self, event);
    tui_stale(self);
}

void tui_settle(void *self_)
{
    Tui *self = self_;
    if (self->is_ending) {
        tui_check_end(self);
        return;
    }
    if (tui_is_busy(self) || self->panel || self->questions->len > 0 ||
        self->next_prompt >= self->options->prompt_count)
        return;
    tui_send(self, self->options->prompts[self->next_prompt++], false);
    loop_post(self->loop, tui_settle, self);
}

void tui_on_event(json_t *event, void *self_)
{
    Tui *self = self_;
    const char *type = json_get_text(event, "type");
    if (!type)
        return;
    if (g_str_equal(type, "message_update")) { // so many that nothing else is looked at
        if (transcript_event(self->transcript, event))
            frame_request(self->frames, FRAME_STREAM);
        return;
    }
    if (g_str_equal(type, "question"))
        tui_open_question(self, event);
    else if (g_str_equal(type, "question_closed"))
        tui_close_question(self, event);
    else if (g_str_equal(type, "command_end"))
        on_command_end(self, event);
    else if (g_str_equal(type, "command_progress"))
        set_progress(self, event);
    else if (transcript_event(self->transcript, event))
        frame_request(self->frames, FRAME_STREAM);
    note(self, type, event);
    tui_turn_spinner(self);
    loop_post(self->loop, tui_settle, self);
}
