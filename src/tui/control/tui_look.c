/* See tui_look.h. */
#include "tui/control/theme_watch.h"
#include "tui/control/tui_own.h"

#include "tui/text/width.h"

TuiLook *tui_look_new(Settings *settings)
{
    TuiLook *self = g_new0(TuiLook, 1);
    self->settings = settings_ref(settings);
    self->themes = g_ptr_array_new_with_free_func((GDestroyNotify)theme_free);
    return self;
}

bool tui_look_open(Tui *self, const TerminalSpec *spec, bool (*draw)(void *tui),
                   GPtrArray *warnings, GError **error)
{
    TuiLook *look = look_own(self);
    if (!terminal_open(spec, &look->terminal, error))
        return false;
    width_set_ambiguous((int)settings_get_number(look->settings, "display.ambiguousWidth"));
    look->caps = *terminal_caps(look->terminal);
    look->hides_thinking = settings_get_bool(look->settings, "hideThinkingBlock");
    look->has_motion = settings_get_bool(look->settings, "tui.motion");
    look->status = status_layout_new(look->settings, warnings);
    look->screen = screen_new();
    look->frames = frame_clock_new(self->loop, draw, self);
    return true;
}

void tui_look_free(TuiLook *self)
{
    theme_watch_free(self->theme_watch);
    frame_clock_free(self->frames);
    terminal_free(self->terminal);
    screen_free(self->screen);
    status_layout_free(self->status);
    g_ptr_array_unref(self->themes);
    g_free(self->theme_problem);
    settings_unref(self->settings);
    g_free(self);
}

int tui_tab_width(const Tui *self)
{
    return (int)CLAMP(settings_get_number(self->look->settings, "display.tabWidth"), 1, 16);
}
