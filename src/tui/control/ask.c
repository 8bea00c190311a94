/*
 * Questions of the conversation, one at a time, and what a person says to them (tui §8, common §4).
 */
#include "tui/control/tui_own.h"

#include "base/timefmt.h"
#include "model/message.h"
#include "tool/question_edit.h"
#include "tui/control/external.h"
#include "tui/view/dialog.h"

static const char *id_of(const Tui *self)
{
    return self->panels->questions->len > 0 ? json_get_text(self->panels->questions->pdata[0], "id")
                                            : NULL;
}

/* The model hears the reason with what is refused: it waits before the refusal goes on. */
static void refuse_with(Tui *self, const char *reason)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) message = reason ? message_user(reason) : NULL;
    if (message && !agent_session_steer(self->run->session, message, &error))
        tui_error(self, "%s", error->message);
    tui_refuse(self, self->panels->questions->pdata[0]);
}

static void question_allow(Tui *self, const char *id)
{
    const char *allowance = json_get_text(self->panels->questions->pdata[0], "allowance");
    if (agent_session_allow(self->run->session, id, NULL) && allowance)
        tui_say(self, "Allowed for this session: %s (/permissions)", allowance);
}

/* The call comes again with it, as another question; what is as it was answers nothing. */
static void take_edited(Tui *self, const char *id, const char *text)
{
    const json_t *question =
        self->panels->questions->len > 0 ? self->panels->questions->pdata[0] : NULL;
    const char *before = question_editable(json_get_object(question, "arguments"));
    g_autoptr(GError) error = NULL;
    if (g_strcmp0(id_of(self), id) != 0 || !before) {
        tui_say(self, "That question is closed: what you have written was not used.");
        return;
    }
    bool has_end = g_str_has_suffix(before, "\n");
    g_autofree char *whole = g_strconcat(text, has_end ? "\n" : "", NULL);
    if (strcmp(whole, before) != 0 && !agent_session_edit(self->run->session, id, whole, &error))
        tui_error(self, "%s", error->message);
}

static void edit_call(Tui *self, const char *id)
{
    const json_t *question = self->panels->questions->pdata[0];
    const char *text = question_editable(json_get_object(question, "arguments"));
    if (text)
        external_change(self, text, id, take_edited);
}

static void on_answer(DialogAnswer answer, const char *text, void *self_)
{
    Tui *self = self_;
    const char *id = id_of(self);
    if (!id)
        return;
    panels_own(self)->is_choosing =
        answer == DIALOG_CHOSEN && json_get_int(self->panels->questions->pdata[0], "checks", 0) > 0;
    switch (answer) {
    case DIALOG_ALLOWED:
        agent_session_answer(self->run->session, id, true, NULL);
        return;
    case DIALOG_ALLOWED_SESSION:
        question_allow(self, id);
        return;
    case DIALOG_EDIT:
        edit_call(self, id);
        return;
    case DIALOG_REFUSED:
        refuse_with(self, text);
        return;
    case DIALOG_CHOSEN:
    case DIALOG_PASSED:
        agent_session_answer_text(self->run->session, id, answer == DIALOG_CHOSEN ? text : NULL,
                                  false, NULL);
        return;
    case DIALOG_STOP:
        tui_interrupt(self);
        return;
    }
}

static bool is_editor_empty(void *self_)
{
    return editor_is_empty(((Tui *)self_)->input->editor);
}

static bool has_focus(void *self_)
{
    return !((Tui *)self_)->input->is_unfocused;
}

/* What was typed before its first frame was drawn is the editor's. */
static void take_early_input(void *self_)
{
    Tui *self = self_;
    if (self->panels->is_asking)
        terminal_read_early(self->look->terminal);
}

void tui_show_question(Tui *self)
{
    if (self->panels->panel || self->panels->viewer || self->input->external || self->is_ending ||
        self->panels->questions->len == 0)
        return;
    const json_t *question = self->panels->questions->pdata[0];
    bool goes_on = self->panels->is_choosing && json_get_bool(question, "again", false);
    panels_own(self)->is_choosing = false;
    const DialogSpec spec = {
        .question = question,
        .theme = self->look->theme,
        .waiting = self->panels->questions->len - 1,
        .tab_width = (int)settings_get_number(self->look->settings, "display.tabWidth"),
        .shown_at_ms = goes_on ? 0 : time_monotonic_ms(),
        .keymap = self->input->keymap,
        .is_editor_empty = is_editor_empty,
        .has_focus = has_focus,
        .answered = on_answer,
        .user_data = self,
    };
    tui_open_panel(self, dialog_new(&spec));
    panels_own(self)->is_asking = true;
    panels_own(self)->is_question_drawn = goes_on; // what is typed is for the next of its boxes
    if (!goes_on)
        loop_post(self->loop, take_early_input, self);
    if (self->input->is_unfocused &&
        g_strcmp0(settings_get_text(self->look->settings, "ask.notify"), "on") == 0)
        terminal_notify(self->look->terminal, "kedge asks whether it may go on");
}

void tui_note_question_drawn(Tui *self)
{
    panels_own(self)->is_question_drawn = true;
}

void tui_open_question(Tui *self, json_t *question)
{
    g_ptr_array_add(self->panels->questions, json_incref(question));
    if (self->panels->is_asking)
        dialog_set_waiting(self->panels->panel, self->panels->questions->len - 1);
    if (self->panels->viewer) // it waits until that has closed
        terminal_notify(self->look->terminal, "kedge asks whether it may go on");
    tui_show_question(self);
}

void tui_close_question(Tui *self, const json_t *closed)
{
    const char *id = json_get_text(closed, "id"), *reason = json_get_text(closed, "reason");
    for (unsigned i = 0; i < self->panels->questions->len; i++) {
        if (g_strcmp0(json_get_text(self->panels->questions->pdata[i], "id"), id) != 0)
            continue;
        g_ptr_array_remove_index(self->panels->questions, i);
        if (g_strcmp0(reason, "answered") != 0 && !self->is_ending)
            tui_say(self, "That question is closed: %s.", reason ? reason : "it was withdrawn");
        if (i == 0 && self->panels->is_asking)
            tui_close_panel(self);
        tui_show_question(self);
        return;
    }
}
