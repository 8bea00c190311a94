/*
 * TuiLook: how the drawn conversation looks. Terminal and screen, theme, settings, sizes, and what
 * moves. Its files (tui_look.c, appearance.c, background_save.c, compose.c, theme_watch.c,
 * ticker.c) write it, by tui_own.h; all others read it and call what is declared here. The loop's
 * thread.
 */
#pragma once

#include "tool/settings_save.h"
#include "tui/screen/frame.h"
#include "tui/screen/screen.h"
#include "tui/text/picture.h"
#include "tui/view/status.h"

typedef struct Tui Tui;               // tui_state.h
typedef struct Later Later;           // background_save.h
typedef struct ThemeWatch ThemeWatch; // theme_watch.h

typedef struct TuiLook {
    Settings *settings; // a reference; as they are now
    Terminal *terminal;
    Screen *screen;
    FrameClock *frames;
    GPtrArray *themes;   // of Theme *: all that were used, since the viewer may have an older one
    Theme *theme;        // the last of them
    char *theme_problem; // of the last one, which was reported; NULL: none
    ThemeWatch *theme_watch;
    Later *later;                // NULL: nothing was to be done yet
    TermCaps caps;               // for which the theme was loaded
    int width;                   // of the last frame
    int cell_width, cell_height; // in pixels, as the terminal said; 0: it did not
    StatusLayout *status;
    bool hides_thinking, has_motion;
    LoopSource *ticker; // turns the spinner; NULL: nothing turns
    int step;           // of the spinner
} TuiLook;

TuiLook *tui_look_new(Settings *settings); // takes a reference
/* Terminal, screen, and the clock of its frames, which calls `draw` (tui_draw()) with the Tui. */
bool tui_look_open(Tui *tui, const TerminalSpec *spec, bool (*draw)(void *tui), GPtrArray *warnings,
                   GError **error);
void tui_look_free(TuiLook *self);

/* For tabs of texts, by the settings. */
int tui_tab_width(const Tui *tui);

// ---- appearance.c ----

/* The terminal has answered a question about itself, or a setting has changed. */
void tui_update_look(Tui *tui);
/* How pictures are drawn: of the terminal itself, not through a multiplexer. */
PictureSpec tui_pictures(const Tui *tui);
/* Pictures to come are made for cells of that size. */
void tui_note_cells(Tui *tui, TerminalSize size);
/* One of the settings has another value now, which is used from now on. */
void tui_change_setting(Tui *tui, const SettingChange *change);
void tui_toggle_thinking(Tui *tui);
/* What the window is called: by the session's name, or the directory. */
void tui_update_title(Tui *tui);
/* By the settings, for the background that the terminal has. Valid as long as those. */
const char *tui_theme_name(const Tui *tui);
bool tui_set_theme(Tui *tui, const char *name, GError **error);

// ---- compose.c ----

bool tui_draw(void *tui); // the frame; of the FrameClock

// ---- ticker.c ----

void tui_turn_spinner(Tui *tui); // while something runs and the window has the focus
