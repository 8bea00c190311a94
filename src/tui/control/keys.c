/*
 * What the terminal sends, to whom it belongs: the viewer, the panel, the list of completions, the
 * editor, or the program (tui §9).
 */
#include "tui/control/tui_own.h"

#include "base/timefmt.h"
#include "tui/control/attach.h"
#include "tui/control/opening.h"
#include "tui/view/dialog.h"

// ---- the editor ----

static void tui_recall(Tui *self, bool is_back)
{
    g_autofree char *text = editor_text(self->input->editor);
    const char *found = is_back ? recall_previous(self->input->recall, text)
                                : recall_next(self->input->recall, text);
    input_own(self)->awaits_recall = is_back && !found;
    if (found)
        editor_set_text(self->input->editor, found);
}

/* They are read at the first Up, which is carried out now, unless something was typed since. */
void tui_on_recall(void *self_)
{
    Tui *self = self_;
    if (self->input->awaits_recall)
        tui_recall(self, true);
    input_own(self)->awaits_recall = false;
    frame_request(self->look->frames, FRAME_NOW);
}

static void take_result(Tui *self, EditorResult result)
{
    switch (result) {
    case EDITOR_CHANGED:
        recall_leave(self->input->recall);
        completer_update(self->input->completer, self->input->editor);
        tui_hint(self, NULL);
        break;
    case EDITOR_MOVED:
        completer_update(self->input->completer, self->input->editor);
        break;
    case EDITOR_AT_TOP:
    case EDITOR_AT_BOTTOM:
        tui_recall(self, result == EDITOR_AT_TOP);
        break;
    case EDITOR_FULL:
        tui_hint(self, "The editor is full: put the text into a file, and name it with @.");
        break;
    case EDITOR_UNUSED:
    case EDITOR_SUBMITTED: // the table of keys says what becomes of it
        break;
    }
}

static bool has_role(const Tui *self, Action app, Action editor, KeyRole *ret_role)
{
    if (app == ACTION_INTERRUPT)
        *ret_role = ROLE_ESCAPE;
    else if (app == ACTION_CLEAR)
        *ret_role = ROLE_CLEAR;
    else if (editor == ACTION_SUBMIT)
        *ret_role = ROLE_ENTER;
    else
        return false;
    return self->panels->panel == NULL || *ret_role != ROLE_ENTER;
}

static bool is_second(Tui *self, KeyRole role, gint64 now_ms)
{
    bool is_again = self->input->last_role_at > 0 && self->input->last_role == role &&
                    now_ms - self->input->last_role_at <= DOUBLE_KEY_MS;
    input_own(self)->last_role = role;
    input_own(self)->last_role_at = is_again ? 0 : now_ms;
    return is_again;
}

/* Enter after a lone "\" is a new line, which the editor knows. */
static bool is_submitted(Tui *self, gint64 now_ms)
{
    EditorResult result = editor_act(self->input->editor, ACTION_SUBMIT, now_ms);
    take_result(self, result);
    return result == EDITOR_SUBMITTED;
}

/* "#app.model.select": true, and it is done. */
static bool is_action(Tui *self)
{
    g_autofree char *text = editor_text(self->input->editor);
    for (int action = ACTION_NONE + 1; *text == '#' && action < ACTION_COUNT; action++) {
        if (action_group(action) != KEYS_APP || strcmp(action_id(action), text + 1) != 0)
            continue;
        editor_set_text(self->input->editor, "");
        tui_act(self, action);
        return true;
    }
    return false;
}

static void do_role(Tui *self, KeyRole role, gint64 now_ms)
{
    const KeyMoment moment = {
        .state = tui_state(self),
        .is_empty = editor_is_empty(self->input->editor),
        .is_second = is_second(self, role, now_ms),
        .is_busy = tui_is_busy(self),
    };
    Deed deed = key_deed(&moment, role);
    if (role == ROLE_ESCAPE && deed != DEED_ESCAPE) // it has done something: the next is a first
        input_own(self)->last_role_at = 0;
    if (deed == DEED_ESCAPE && !moment.is_second)
        return;
    if (role != ROLE_ENTER || (is_submitted(self, now_ms) && !is_action(self)))
        tui_do(self, deed);
}

// ---- lists of completions ----

static bool is_completed(Tui *self, KeyPress key)
{
    Action action = keymap_find(self->input->keymap, KEYS_LIST, key);
    bool submits = false;
    if (!completer_is_open(self->input->completer) || action == ACTION_NONE ||
        action == ACTION_LIST_CANCEL ||
        !completer_act(self->input->completer, action, self->input->editor, &submits))
        return false;
    if (submits && !is_action(self))
        tui_do(self, DEED_SUBMIT);
    return true;
}

// ---- keys ----

static void tui_type(Tui *self, KeyPress key, gint64 now_ms)
{
    uint32_t character = key_character(key);
    if (character == '?' && editor_is_empty(self->input->editor))
        slash_run(&self->slash, "/hotkeys", NULL);
    else if (character)
        take_result(self, editor_type(self->input->editor, character, now_ms));
}

static bool is_vims(Tui *self, KeyPress key, bool is_bound, gint64 now_ms)
{
    Vim *vim = tui_vim(self);
    EditorResult result = vim ? vim_press(vim, key, is_bound, now_ms) : EDITOR_UNUSED;
    if (result == EDITOR_UNUSED)
        return false;
    input_own(self)->last_role_at = 0;
    take_result(self, result);
    if (!vim_is_inserting(vim))
        completer_close(self->input->completer);
    return true;
}

static void do_press(Tui *self, KeyPress key, Action app, Action editor, gint64 now_ms)
{
    KeyRole role = ROLE_COUNT;
    if (has_role(self, app, editor, &role)) {
        do_role(self, role, now_ms);
        return;
    }
    input_own(self)->last_role_at = 0;
    if (app != ACTION_NONE)
        tui_act(self, app);
    else if (editor == ACTION_TAB)
        completer_force(self->input->completer, self->input->editor);
    else if (editor != ACTION_NONE)
        take_result(self, editor_act(self->input->editor, editor, now_ms));
    else
        tui_type(self, key, now_ms);
}

static void tui_press(Tui *self, KeyPress key, gint64 now_ms)
{
    Action app = keymap_find(self->input->keymap, KEYS_APP, key);
    Action editor = keymap_find(self->input->keymap, KEYS_EDITOR, key);
    bool was_empty = editor_is_empty(self->input->editor);
    if (app == ACTION_EXIT && !was_empty)
        app = ACTION_NONE; // the editor's then
    if (is_completed(self, key) ||
        is_vims(self, key, app != ACTION_NONE || editor != ACTION_NONE, now_ms))
        return;
    do_press(self, key, app, editor, now_ms);
    if (self->input->vim && !was_empty && editor_is_empty(self->input->editor))
        vim_begin(self->input->vim); // it was sent, or cleared: another text begins
}

/* False: it is the editor's. */
static bool give_panel(Tui *self, KeyPress key, gint64 now_ms)
{
    if (!self->panels->panel)
        return false;
    bool covers_editor = self->panels->panel->class->covers_editor,
         was_asking = self->panels->is_asking;
    Action action = keymap_find(self->input->keymap, KEYS_LIST, key);
    Panel *panel = self->panels->panel;
    PanelResult result = panel->class->key(panel, key, action, now_ms);
    if (result == PANEL_DONE && self->panels->panel == panel)
        tui_close_panel(self);
    if (result == PANEL_DONE && !was_asking) // else it is closed first, and the next one shown then
        tui_show_question(self);
    return result != PANEL_UNUSED || covers_editor;
}

static void on_key(Tui *self, KeyPress key)
{
    gint64 now_ms = time_monotonic_ms();
    input_own(self)->awaits_recall = false;
    input_own(self)->last_key_at = now_ms;
    if (keymap_find(self->input->keymap, KEYS_APP, key) == ACTION_SUSPEND) { // in whatever state
        tui_act(self, ACTION_SUSPEND);
        return;
    }
    if (self->panels->viewer) {
        viewer_key(self->panels->viewer, key, keymap_find(self->input->keymap, KEYS_LIST, key));
        return;
    }
    opening_end_welcome(self);
    if (!give_panel(self, key, now_ms))
        tui_press(self, key, now_ms);
    frame_request(self->look->frames, FRAME_NOW);
}

/* To a line that a panel has open; nothing else of one takes a paste. */
static bool is_pasted_to_panel(Tui *self, const InputEvent *event)
{
    if (!self->panels->panel)
        return false;
    PanelResult result = panel_paste(self->panels->panel, event->text, event->size, event->is_last);
    if (result == PANEL_UNUSED && self->panels->panel->class->covers_editor)
        tui_hint(self, "A paste answers nothing.");
    return result != PANEL_UNUSED || self->panels->panel->class->covers_editor;
}

static void on_paste(Tui *self, const InputEvent *event)
{
    input_own(self)->last_key_at = time_monotonic_ms();
    if (self->panels->viewer) {
        viewer_paste(self->panels->viewer, event->text, event->size);
    } else if (!is_pasted_to_panel(self, event)) {
        take_result(self,
                    editor_paste(self->input->editor, event->text, event->size, event->is_last));
        attach_pasted(self, event->text, event->size, event->is_last);
    }
    if (event->is_cut)
        tui_error(self, "the paste was cut at %d MiB; put it into a file, and name it with @",
                  LIMIT_PASTE_BYTES / (1024 * 1024));
    frame_request(self->look->frames, FRAME_NOW);
}

static void on_focus(Tui *self, bool is_focused)
{
    input_own(self)->is_unfocused = !is_focused;
    if (self->panels->is_asking)
        dialog_note_focus(self->panels->panel, time_monotonic_ms());
    tui_turn_spinner(self);
    frame_request(self->look->frames, FRAME_STREAM);
}

void tui_on_input(const InputEvent *event, void *self_)
{
    Tui *self = self_;
    if (self->is_ending)
        return;
    switch (event->kind) {
    case INPUT_KEY:
        on_key(self, event->key);
        break;
    case INPUT_PASTE:
        on_paste(self, event);
        break;
    case INPUT_FOCUS:
        on_focus(self, event->is_focused);
        break;
    case INPUT_ANSWER: // the terminal has taken it
        if (memcmp(&self->look->caps, terminal_caps(self->look->terminal), sizeof(TermCaps)) != 0)
            tui_update_look(self);
        break;
    }
}
