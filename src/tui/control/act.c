/*
 * Carries out the actions of keys, and what an editor or a list asks for (tui_state.h).
 */
#include "tui/control/tui_state.h"

#include "tui/control/attach.h"
#include "tui/control/external.h"
#include "tui/control/pick.h"
#include "tui/control/review.h"

// ---- deeds: Escape, Ctrl+C, Enter ----

static void cancel_wait(Tui *self)
{
    bool is_pending = false;
    tui_take_back(self);
    if (self->run->waits == WAITS_RETRY)
        agent_session_abort_retry(self->run->session);
    else
        agent_session_abort(self->run->session, "abort", &is_pending);
}

static void clear_draft(Tui *self)
{
    g_autofree char *text = editor_text(self->input->editor);
    recall_add(self->input->recall, text, NULL, true);
    editor_clear(self->input->editor);
    completer_close(self->input->completer);
    tui_hint(self, NULL);
}

static void double_escape(Tui *self)
{
    const char *action = settings_get_text(self->look->settings, "doubleEscapeAction");
    if (g_str_equal(action, "tree"))
        pick_tree(self);
    else if (g_str_equal(action, "branch"))
        pick_branch(self);
}

void tui_do(Tui *self, Deed deed)
{
    switch (deed) {
    case DEED_NONE:
    case DEED_PANEL:
    case DEED_TAKE_ROW: // the completer's
        break;
    case DEED_ESCAPE:
        double_escape(self);
        break;
    case DEED_HINT_EXIT:
        tui_hint(self, "Ctrl+C again leaves.");
        break;
    case DEED_CLEAR:
        clear_draft(self);
        break;
    case DEED_CLOSE_LIST:
        completer_close(self->input->completer);
        break;
    case DEED_SUBMIT:
    case DEED_STEER:
        tui_submit(self, false);
        break;
    case DEED_QUEUE:
        tui_submit(self, true);
        break;
    case DEED_INTERRUPT:
        tui_interrupt(self);
        break;
    case DEED_CANCEL_WAIT:
        cancel_wait(self);
        break;
    case DEED_END_COMMAND:
        agent_session_abort_bash(self->run->session);
        break;
    case DEED_EXIT:
        tui_end(self, 0);
        break;
    }
    frame_request(self->look->frames, FRAME_NOW);
}

// ---- actions ----

static void cycle_model(Tui *self, bool is_backward)
{
    const char *role = NULL;
    if (!agent_session_cycle_model(self->run->session, is_backward, &role))
        tui_hint(self, "There is no other model to go to.");
    tui_stale(self);
}

static void next_model(Tui *self)
{
    cycle_model(self, false);
}

static void model_before(Tui *self)
{
    cycle_model(self, true);
}

static void cycle_thinking(Tui *self)
{
    if (!agent_session_cycle_thinking(self->run->session)) {
        tui_hint(self, "This model has no other thinking level.");
        return;
    }
    tui_stale(self);
    const char *level = json_get_text(tui_snapshot(self), "thinkingLevel");
    g_autofree char *hint = g_strdup_printf("Thinking: %s. Plan mode: /plan.", level);
    tui_hint(self, hint);
}

static void toggle_thinking(Tui *self)
{
    tui_toggle_thinking(self);
    tui_hint(self, self->look->hides_thinking ? "Thinking is hidden from now on."
                                              : "Thinking is shown from now on.");
}

/* The shell gets the screen of before: the viewer is closed. */
static void tui_suspend(Tui *self)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    review_close(self);
    frame_hold(self->look->frames);
    screen_wipe(self->look->screen, terminal_size(self->look->terminal), bytes);
    terminal_write(self->look->terminal, bytes->str, bytes->len);
    terminal_suspend(self->look->terminal);
    frame_release(self->look->frames);
    frame_request(self->look->frames, FRAME_NOW);
}

static void tui_copy(Tui *self, char *text)
{
    g_autofree char *owned = text;
    if (!owned || *owned == '\0')
        tui_hint(self, "There is nothing to copy.");
    else if (terminal_copy(self->look->terminal, owned))
        tui_hint(self, "Sent to the terminal's clipboard.");
    else
        tui_hint(self, "That is too long for the terminal's clipboard.");
}

static void run_command(Tui *self, const char *command)
{
    g_autoptr(GError) error = NULL;
    if (!slash_run(&self->slash, command, &error) && error)
        tui_error(self, "%s", error->message);
}

typedef struct ActionRow {
    Action action;
    void (*func)(Tui *self);
    const char *command; // a slash command; NULL: func
} ActionRow;

static void follow_up(Tui *self)
{
    tui_submit(self, tui_is_busy(self));
}

static void copy_line(Tui *self)
{
    tui_copy(self, editor_line(self->input->editor));
}

static void copy_prompt(Tui *self)
{
    tui_copy(self, editor_text(self->input->editor));
}

static void tui_leave(Tui *self)
{
    if (editor_is_empty(self->input->editor))
        tui_end(self, 0);
}

static const ActionRow rows[] = {
    { ACTION_EXIT, tui_leave, NULL },
    { ACTION_SUSPEND, tui_suspend, NULL },
    { ACTION_THINKING_CYCLE, cycle_thinking, NULL },
    { ACTION_THINKING_TOGGLE, toggle_thinking, NULL },
    { ACTION_MODEL_CYCLE_FORWARD, next_model, NULL },
    { ACTION_MODEL_CYCLE_BACKWARD, model_before, NULL },
    { ACTION_MODEL_SELECT, pick_model, NULL },
    { ACTION_MODEL_SELECT_TEMPORARY, pick_model_for_session, NULL },
    { ACTION_TOOLS_EXPAND, review_open, NULL },
    { ACTION_TOOLS_OPEN_LAST, NULL, "/output" },
    { ACTION_EDITOR_EXTERNAL, external_edit, NULL },
    { ACTION_FOLLOW_UP, follow_up, NULL },
    { ACTION_DEQUEUE, tui_take_back, NULL },
    { ACTION_PASTE_IMAGE, attach_clipboard, NULL },
    { ACTION_COPY_LINE, copy_line, NULL },
    { ACTION_COPY_PROMPT, copy_prompt, NULL },
    { ACTION_HISTORY_SEARCH, pick_prompt, NULL },
    { ACTION_PLAN_TOGGLE, NULL, "/plan" },
    { ACTION_SESSION_NEW, NULL, "/new" },
    { ACTION_SESSION_TREE, pick_tree, NULL },
    { ACTION_SESSION_FORK, NULL, "/fork" },
    { ACTION_SESSION_RESUME, pick_session, NULL },
};

void tui_act(Tui *self, Action action)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].action != action)
            continue;
        if (rows[i].command)
            run_command(self, rows[i].command);
        else
            rows[i].func(self);
        frame_request(self->look->frames, FRAME_NOW);
        return;
    }
}
