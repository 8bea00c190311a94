/* See tui_input.h. */
#include "tui/control/tui_own.h"

#include "tui/control/draft.h"
#include "tui/control/slash_door.h"

TuiInput *tui_input_new(void)
{
    TuiInput *self = g_new0(TuiInput, 1);
    self->attached = g_ptr_array_new_with_free_func(json_free);
    self->draft = draft_new();
    return self;
}

static void redraw(void *self)
{
    frame_request(((Tui *)self)->look->frames, FRAME_NOW);
}

void tui_input_open(Tui *self, GPtrArray *warnings)
{
    g_autofree char *keys = g_build_filename(self->slash.place.agent_dir, "keybindings.json", NULL);
    double rows = settings_get_number(self->look->settings, "autocompleteMaxVisible");
    TuiInput *input = input_own(self);
    input->keymap = keymap_load(keys, warnings);
    input->actions = slash_door_actions();
    input->after_external = tui_show_question;
    const CompleteSpec complete = {
        .loop = self->loop,
        .cwd = self->slash.place.cwd,
        .actions = input->actions,
        .max_rows = (int)CLAMP(rows, 3, 20),
        .theme = self->look->theme,
        .on_change = redraw,
        .user_data = self,
    };
    input->completer = completer_new(&complete);
    input->editor = editor_new(tui_tab_width(self));
    input->recall = recall_new(self->loop, self->slash.place.agent_dir, tui_on_recall, self);
}

void tui_input_free(TuiInput *self)
{
    vim_free(self->vim);
    completer_free(self->completer);
    g_free(self->commands);
    g_free(self->actions);
    draft_free(self->draft);
    recall_free(self->recall);
    editor_free(self->editor);
    g_ptr_array_unref(self->attached);
    keymap_free(self->keymap);
    g_free(self);
}
