/* See tui_panels.h. */
#include "tui/control/tui_own.h"

TuiPanels *tui_panels_new(void)
{
    TuiPanels *self = g_new0(TuiPanels, 1);
    self->old_panels = g_ptr_array_new_with_free_func((GDestroyNotify)panel_free);
    self->questions = g_ptr_array_new_with_free_func(json_free);
    return self;
}

void tui_panels_free(TuiPanels *self)
{
    panel_free(self->panel);
    g_ptr_array_unref(self->old_panels);
    g_clear_pointer(&self->viewer, viewer_free);
    g_ptr_array_unref(self->questions);
    g_free(self->shown);
    g_free(self);
}

/* It may be in the middle of its own key: it is freed with the next frame. */
void tui_close_panel(Tui *self)
{
    if (!self->panels->panel)
        return;
    g_ptr_array_add(self->panels->old_panels, g_steal_pointer(&panels_own(self)->panel));
    panels_own(self)->is_asking = false;
    loop_post(self->loop, self->settle, self); // the first messages wait for it
    frame_request(self->look->frames, FRAME_NOW);
}

void tui_open_panel(Tui *self, Panel *panel)
{
    tui_close_panel(self);
    completer_close(self->input->completer);
    panels_own(self)->panel = panel;
}

void tui_free_old_panels(Tui *self)
{
    g_ptr_array_set_size(self->panels->old_panels, 0);
}

void tui_set_tree_filter(Tui *self, TreeFilter filter)
{
    panels_own(self)->tree_filter = filter;
}
