/*
 * Undo and redo of the vim keys: states of the whole text, each as a command or an insertion left
 * it. Bounded by LIMIT_VIM_STATES and LIMIT_VIM_STATE_BYTES: the oldest go.
 */
#include "tui/edit/vim_state.h"

static void state_free(void *state_)
{
    VimState *state = state_;
    piece_free(state->text);
    g_free(state);
}

static VimState *state_at(const VimUndo *undo, guint index)
{
    return undo->states->pdata[index];
}

static void state_push(Vim *self)
{
    VimUndo *undo = &self->undo;
    VimState *state = g_new0(VimState, 1);
    state->text = text_buffer_copy(self->text, 0, text_buffer_size(self->text));
    g_ptr_array_add(undo->states, state);
    undo->at = undo->states->len - 1;
    undo->bytes += piece_meant_size(state->text);
    undo->changes = editor_changes(self->editor);
}

static void state_drop(VimUndo *undo, guint index)
{
    undo->bytes -= piece_meant_size(state_at(undo, index)->text);
    g_ptr_array_remove_index(undo->states, index);
}

void vim_undo_begin(Vim *self)
{
    VimUndo *undo = &self->undo;
    if (!undo->states)
        undo->states = g_ptr_array_new_with_free_func(state_free);
    g_ptr_array_set_size(undo->states, 0);
    undo->bytes = 0;
    vim_undo_place(self, editor_cursor(self->editor));
    state_push(self);
}

void vim_undo_place(Vim *self, size_t at)
{
    self->change_line = text_buffer_line_start(self->text, at);
    self->change_column = vim_column(self->text, at);
}

void vim_undo_clear(Vim *self)
{
    if (self->undo.states)
        g_ptr_array_unref(self->undo.states);
}

void vim_undo_note(Vim *self)
{
    VimUndo *undo = &self->undo;
    if (undo->changes == editor_changes(self->editor))
        return;
    while (undo->states->len > undo->at + 1)
        state_drop(undo, undo->states->len - 1);
    state_at(undo, undo->at)->line = self->change_line;
    state_at(undo, undo->at)->column = self->change_column;
    state_push(self);
    while (undo->states->len > 2 &&
           (undo->states->len > LIMIT_VIM_STATES || undo->bytes > LIMIT_VIM_STATE_BYTES)) {
        state_drop(undo, 0);
        undo->at--;
    }
}

EditorResult vim_undo_step(Vim *self, int steps)
{
    VimUndo *undo = &self->undo;
    gint64 last = (gint64)undo->states->len - 1, wanted = CLAMP((gint64)undo->at - steps, 0, last);
    if (wanted == undo->at)
        return EDITOR_MOVED;
    // the cursor is where the change is, of which the earlier one knows
    const VimState *before = state_at(undo, (guint)(steps > 0 ? wanted : wanted - 1));
    undo->at = (guint)wanted;
    EditorResult result = editor_put(self->editor, 0, text_buffer_size(self->text),
                                     state_at(undo, undo->at)->text, 0);
    size_t line = step_settle(self->text, MIN(before->line, text_buffer_size(self->text)));
    editor_move(self->editor, vim_at_column(self->text, line, before->column));
    undo->changes = editor_changes(self->editor);
    return result;
}
