/*
 * Whether the vim keys are in use: as the setting is at each key and frame.
 */
#include "tui/control/tui_own.h"

Vim *tui_vim(Tui *self)
{
    TuiInput *input = input_own(self);
    const char *mode = settings_get_text(self->look->settings, "editor.mode");
    bool is_wanted = g_strcmp0(mode, "vim") == 0;
    if (is_wanted && !input->vim)
        input->vim = vim_new(input->editor);
    else if (!is_wanted)
        g_clear_pointer(&input->vim, vim_free);
    return input->vim;
}
