/*
 * What a person has written goes out: as a message, a command of the shell, a command of kedge's
 * own (agent-core §7.4, §7.5, §7.8).
 */
#include "tui/control/attach.h"
#include "tui/control/draft.h"
#include "tui/control/tui_own.h"

#include "base/mask.h"
#include "base/utf8.h"
#include "model/message.h"

// ---- messages ----

bool tui_send(Tui *self, json_t *message, bool is_follow_up)
{
    g_autoptr(GError) error = NULL;
    bool is_pending = false;
    if (mask_finds_in_json(message))
        tui_say(self, "Warning: this holds a secret that kedge knows: the model gets it as it is, "
                      "session and events have " MASK_TEXT);
    bool is_stopping = self->run->is_stopping && !agent_session_is_idle(self->run->session);
    const char *behavior = is_follow_up ? "followUp" : "steer";
    bool is_sent = is_stopping ? agent_session_abort_and_prompt(self->run->session, message,
                                                                "prompt", &is_pending, &error)
                               : agent_session_prompt(self->run->session, message, behavior,
                                                      "prompt", &is_pending, &error);
    if (!is_sent)
        tui_error(self, "%s", error->message);
    tui_stale(self);
    return is_sent;
}

void tui_take_back(Tui *self)
{
    g_autoptr(json_t) messages = agent_session_take_back(self->run->session);
    g_autoptr(GString) text = g_string_new(NULL);
    json_each (messages, i, message) {
        g_autofree char *one = message_text(message);
        g_string_append_printf(text, "%s%s", text->len > 0 ? "\n\n" : "", one);
    }
    if (text->len > 0)
        tui_write_before(self, text->str);
}

void tui_note_sent(Tui *self, char *text)
{
    g_free(self->run->sent);
    run_own(self)->sent = text;
}

void tui_take_back_refused(Tui *self)
{
    g_autofree char *text = g_steal_pointer(&run_own(self)->sent);
    if (!text)
        return;
    tui_write_before(self, text);
    tui_hint(self, "It was not sent. Ctrl+C puts it aside, Up brings it back.");
}

// ---- commands of the shell ----

/* False: it stays in the editor. */
static bool run_shell(Tui *self, const char *text)
{
    bool is_private = text[1] == '!';
    g_autoptr(GError) error = NULL;
    bool is_started = false;
    g_autofree char *command = utf8_trim(text + 1 + is_private);
    if (*command == '\0')
        tui_hint(self, "! takes a command after it");
    else if (agent_session_has_shell(self->run->session))
        tui_hint(self, "A bash command is already running. Press Esc to cancel it first.");
    else if (!agent_session_bash(self->run->session, command, is_private, SLASH_SHELL_ID, &error))
        tui_error(self, "%s", error->message);
    else
        run_own(self)->is_shell_on = is_started = true;
    return is_started;
}

// ---- what it is ----

static void remember(Tui *self, const char *text)
{
    recall_add(self->input->recall, text, self->slash.place.cwd, !self->options->keeps_history);
}

/* True: it was one, and has gone out, or said why not; then it is written there again. */
static bool run_slash(Tui *self, const char *text)
{
    g_autoptr(GError) error = NULL;
    transcript_command(self->run->transcript, slash_is_command(&self->slash, text) ? text : NULL);
    bool is_done = slash_run(&self->slash, text, &error);
    run_own(self)->is_shell_on =
        self->run->is_shell_on || agent_session_has_bash(self->run->session);
    if (error)
        tui_error(self, "%s", error->message);
    if (error && editor_is_empty(self->input->editor))
        editor_set_text(self->input->editor, text);
    transcript_heading(self->run->transcript, NULL);
    return is_done || error;
}

/* An empty message while others wait: they go out now. */
static void deliver_queued(Tui *self)
{
    g_autoptr(json_t) messages = agent_session_take_back(self->run->session);
    if (json_array_size(messages) == 0)
        return;
    run_own(self)->is_stopping = !agent_session_is_idle(self->run->session);
    json_each (messages, i, message) {
        g_autofree char *text = message_text(message);
        if (!tui_send(self, message, false))
            editor_insert(self->input->editor, text);
    }
}

void tui_submit(Tui *self, bool is_follow_up)
{
    g_autofree char *text = editor_text(self->input->editor);
    g_autofree char *trimmed = utf8_trim(text);
    if (*trimmed == '\0') {
        deliver_queued(self);
        return;
    }
    tui_hint(self, NULL);
    if (*text == '!' && !run_shell(self, text))
        return;
    if (*text == '!' || *text == '$') {
        g_free(self->run->shell);
        run_own(self)->shell = g_strdup(trimmed);
    }
    remember(self, text);
    tui_note_sent(self, g_strdup(text));
    editor_set_text(self->input->editor, "");
    draft_keep(self);
    completer_close(self->input->completer);
    if (*text == '!' || run_slash(self, trimmed)) {
        tui_turn_spinner(self); // what runs now may say nothing for a while
        return;
    }
    g_autoptr(json_t) message = attach_message(self, text);
    if (!tui_send(self, message, is_follow_up))
        editor_set_text(self->input->editor, text);
}
