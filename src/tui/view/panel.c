/* See panel.h. */
#include "tui/view/panel.h"

void panel_free(Panel *self)
{
    if (self)
        self->class->free(self);
}

PanelResult panel_paste(Panel *self, const char *text, size_t size, bool is_last)
{
    return self->class->paste ? self->class->paste(self, text, size, is_last) : PANEL_UNUSED;
}

void panel_set_theme(Panel *self, const Theme *theme)
{
    if (self->class->set_theme)
        self->class->set_theme(self, theme);
}
