/*
 * Panels (panel.h).
 */
#include "tui/view/panel.h"

void panel_free(Panel *self)
{
    if (self)
        self->class->free(self);
}

void panel_set_theme(Panel *self, const Theme *theme)
{
    if (self->class->set_theme)
        self->class->set_theme(self, theme);
}
