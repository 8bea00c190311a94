/*
 * How the drawn conversation looks: the theme by what the terminal has said of itself, and what
 * follows from it (tui §12, agent-core §7.10).
 */
#include "tui/control/tui_own.h"

#include "base/env.h"
#include "tui/text/clean.h"

// ---- themes ----

/* The console of Linux has a font of 256 or 512 characters. */
static const char *symbols(const Tui *self)
{
    const char *preset = settings_get_text(self->look->settings, "symbolPreset");
    const char *term = env_get_raw("TERM");
    bool is_console = g_strcmp0(term, "linux") == 0 && g_str_equal(preset, "unicode");
    return is_console ? "ascii" : preset;
}

static Theme *load(Tui *self, const char *name, char **ret_problem)
{
    g_autofree char *dir = g_build_filename(self->slash.place.agent_dir, "themes", NULL);
    const ThemeSpec spec = {
        .dir = dir,
        .name = name,
        .is_light = self->look->caps.is_light,
        .is_colour_blind = settings_get_bool(self->look->settings, "colorBlindMode"),
        .symbols = symbols(self),
    };
    return theme_load(&spec, ret_problem);
}

/* Takes it. Those of before stay until the end: the viewer may be open that was made with one. */
static void use_theme(Tui *self, Theme *theme)
{
    g_ptr_array_add(self->look->themes, theme);
    look_own(self)->theme = theme;
    screen_set_look(self->look->screen, theme, &self->look->caps);
    transcript_set_theme(self->run->transcript, theme);
    completer_set_theme(self->input->completer, theme);
    if (self->panels->panel)
        panel_set_theme(self->panels->panel, theme);
    frame_request(self->look->frames, FRAME_NOW);
}

PictureSpec tui_pictures(const Tui *self)
{
    const TermCaps *caps = &self->look->caps;
    bool is_inside = caps->is_tmux || caps->is_screen || caps->is_zellij;
    bool is_wanted = settings_get_bool(self->look->settings, "terminal.showImages");
    return (PictureSpec) {
        .protocol = is_wanted && !is_inside ? caps->images : IMAGES_NONE,
        .max_columns = (int)CLAMP(
            settings_get_number(self->look->settings, "tui.maxInlineImageColumns"), 1, 400),
        .max_rows =
            (int)CLAMP(settings_get_number(self->look->settings, "tui.maxInlineImageRows"), 1, 100),
        .cell_width = self->look->cell_width,
        .cell_height = self->look->cell_height,
        .max_bytes = caps->is_over_ssh ? LIMIT_PICTURE_SSH : LIMIT_PICTURE_BYTES,
    };
}

void tui_note_cells(Tui *self, TerminalSize size)
{
    if (size.cell_width == self->look->cell_width && size.cell_height == self->look->cell_height)
        return;
    look_own(self)->cell_width = size.cell_width;
    look_own(self)->cell_height = size.cell_height;
    transcript_set_pictures(self->run->transcript, tui_pictures(self));
}

const char *tui_theme_name(const Tui *self)
{
    return settings_get_text(self->look->settings,
                             self->look->caps.is_light ? "theme.light" : "theme.dark");
}

void tui_update_look(Tui *self)
{
    g_autofree char *problem = NULL;
    look_own(self)->caps = *terminal_caps(self->look->terminal);
    transcript_set_pictures(self->run->transcript, tui_pictures(self));
    use_theme(self, load(self, tui_theme_name(self), &problem));
    if (problem && g_strcmp0(problem, self->look->theme_problem) != 0)
        tui_error(self, "%s", problem);
    g_free(self->look->theme_problem);
    look_own(self)->theme_problem = g_steal_pointer(&problem);
}

/* self->settings are others now. */
static void tui_apply_settings(Tui *self)
{
    look_own(self)->hides_thinking = settings_get_bool(self->look->settings, "hideThinkingBlock");
    look_own(self)->has_motion = settings_get_bool(self->look->settings, "tui.motion");
    tui_set_tree_filter(
        self, tree_filter_parse(settings_get_text(self->look->settings, "treeFilterMode")));
    status_layout_free(self->look->status);
    look_own(self)->status = status_layout_new(self->look->settings, NULL);
    transcript_show_thinking(self->run->transcript, !self->look->hides_thinking);
    tui_update_look(self);
}

void tui_change_setting(Tui *self, const SettingChange *change)
{
    g_autoptr(json_t) map = json_incref((json_t *)change->value);
    for (guint i = g_strv_length((char **)change->parts); i > 0; i--) {
        json_t *outer = json_object();
        json_set_take(outer, change->parts[i - 1], map);
        map = outer;
    }
    Settings *now = settings_with(self->look->settings, map);
    settings_unref(self->look->settings);
    look_own(self)->settings = now;
    tui_apply_settings(self);
}

bool tui_set_theme(Tui *self, const char *name, GError **error)
{
    g_autofree char *problem = NULL;
    g_autoptr(Theme) theme = load(self, name, &problem);
    if (problem)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s", problem);
    use_theme(self, g_steal_pointer(&theme));
    return true;
}

void tui_toggle_thinking(Tui *self)
{
    look_own(self)->hides_thinking = !self->look->hides_thinking;
    transcript_show_thinking(self->run->transcript, !self->look->hides_thinking);
}

// ---- the title of the window ----

enum { MAX_TITLE_CELLS = 80 };

void tui_update_title(Tui *self)
{
    const char *name = json_get_text(tui_snapshot(self), "sessionName");
    g_autofree char *directory = g_path_get_basename(self->slash.place.cwd);
    g_autofree char *shown = clean_line(name ? name : directory, MAX_TITLE_CELLS);
    g_autofree char *title = g_strdup_printf("kedge: %s", shown);
    terminal_set_title(self->look->terminal, title);
}
