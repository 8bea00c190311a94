/*
 * The drawn conversation (tui.h): what it is made of, its start and its end.
 */
#include "tui/tui.h"

#include "base/env.h"
#include "base/log.h"
#include "tui/control/attach.h"
#include "tui/control/background_save.h"
#include "tui/control/draft.h"
#include "tui/control/external.h"
#include "tui/control/opening.h"
#include "tui/control/pick.h"
#include "tui/control/review.h"
#include "tui/control/slash_door.h"
#include "tui/control/theme_watch.h"
#include "tui/control/tui_state.h"
#include "tui/plain/plain.h"

#include <signal.h>

// ---- signals ----

static void on_signal(int signal_number, void *self_)
{
    Tui *self = self_;
    if (self->is_ending) {
        self->exit_code = 128 + signal_number;
        loop_quit(self->loop);
    } else {
        tui_end(self, signal_number == SIGINT ? 0 : 128 + signal_number);
    }
}

static void on_gone(void *self_)
{
    tui_end(self_, 128 + SIGHUP);
}

// ---- the terminal's side ----

static void on_resize(void *self_)
{
    Tui *self = self_;
    if (self->panels->viewer)
        viewer_resize(self->panels->viewer);
    frame_request(self->look->frames, FRAME_RESIZE);
}

static void on_writable(void *self_)
{
    Tui *self = self_;
    if (self->panels->viewer)
        viewer_writable(self->panels->viewer);
    frame_request(self->look->frames, FRAME_NOW);
}

/* Another program may have written since. */
static void on_resume(void *self_)
{
    Tui *self = self_;
    screen_forget(self->look->screen);
    if (self->panels->viewer)
        viewer_draw(self->panels->viewer);
    frame_request(self->look->frames, FRAME_NOW);
}

static void redraw_later(void *self)
{
    frame_request(((Tui *)self)->look->frames, FRAME_STREAM);
}

static void open_run(Tui *self)
{
    const TuiLook *look = self->look;
    const TranscriptSpec transcript = {
        .theme = look->theme,
        .tab_width = tui_tab_width(self),
        .has_links = look->caps.has_links,
        .has_marks = look->caps.has_marks,
        .pictures = tui_pictures(self),
        .shows_thinking = !look->hides_thinking,
        .is_still = !look->has_motion,
        .cwd = self->slash.place.cwd,
    };
    tui_run_open(self, &transcript, redraw_later);
}

static void say_all(Tui *self, const GPtrArray *warnings)
{
    for (unsigned i = 0; i < warnings->len; i++)
        tui_say(self, "Warning: %s", (const char *)warnings->pdata[i]);
}

/* The first frame is drawn by the loop, after this. */
static bool tui_init(Tui *self, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    const Settings *settings = self->look->settings;
    const TerminalSpec terminal = {
        .loop = self->loop,
        .escape_ms = (int)settings_get_number(settings, "tui.escTimeoutMs"),
        .on_event = tui_on_input,
        .on_resize = on_resize,
        .on_writable = on_writable,
        .on_resume = on_resume,
        .on_gone = on_gone,
        .user_data = self,
    };
    loop_add_end_signals(self->loop, on_signal, self);
    if (!tui_look_open(self, &terminal, tui_draw, warnings, error))
        return false;
    tui_set_tree_filter(self, tree_filter_parse(settings_get_text(settings, "treeFilterMode")));
    tui_input_open(self, warnings);
    open_run(self);
    tui_update_look(self);
    theme_watch_open(self);
    opening_open(self, tui_on_event, warnings);
    slash_door_init(self);
    draft_take(self);
    if (!self->picks_session)
        draft_take_left(self);
    tui_update_title(self);
    if (self->picks_session)
        pick_session(self);
    else
        pick_provider_at_start(self);
    say_all(self, warnings);
    loop_post(self->loop, tui_settle, self);
    return true;
}

static void tui_clear(Tui *self)
{
    external_end(self);
    attach_end(self);
    later_end(self);
    opening_end(self);
    tui_panels_free((TuiPanels *)self->panels);
    tui_run_free((TuiRun *)self->run);
    tui_input_free((TuiInput *)self->input);
    tui_look_free((TuiLook *)self->look);
    slash_door_clear(&self->slash);
    loop_free(self->loop);
    cancel_unref(self->cancel);
}

enum { FLUSH_MS = 1000 }; // that a slow terminal has for what waits

/* The last frame: what was said is the terminal's, and the live area is gone. */
static void leave_screen(Tui *self)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    review_end(self);
    bool is_taken = false;
    do {
        is_taken = terminal_flush(self->look->terminal, FLUSH_MS);
    } while (is_taken && tui_draw(self) && self->run->history->len > 0);
    if (is_taken)
        terminal_flush(self->look->terminal, FLUSH_MS);
    screen_wipe(self->look->screen, terminal_size(self->look->terminal), bytes);
    terminal_write(self->look->terminal, bytes->str, bytes->len);
}

static int converse_options_converse(const ConverseOptions *options)
{
    Tui self = {
        .options = options,
        .settle = tui_settle,
        .picks_session = options->picks_session,
        .slash.place = options->conversation->place,
        .loop = loop_new(),
        .cancel = cancel_new(NULL),
        .look = tui_look_new(options->conversation->settings),
        .input = tui_input_new(),
        .panels = tui_panels_new(),
        .run = tui_run_new(),
    };
    g_autoptr(GError) error = NULL;
    g_autofree char *hint = NULL;
    if (!tui_init(&self, &error)) {
        log_error("%s", error->message);
        self.exit_code = 1;
    } else {
        loop_run(self.loop);
        external_end(&self);
        draft_keep(&self);
        hint = opening_goodbye(&self);
        leave_screen(&self);
    }
    tui_clear(&self);
    if (hint)
        log_text("%s", hint);
    return self.exit_code;
}

// ---- which of the two ----

static bool wants_plain(const ConverseOptions *options)
{
    const char *accessible = env_get_raw("ACCESSIBLE");
    const TermCaps caps = caps_of_environment(env_get_raw, NULL);
    return options->is_plain || caps.is_dumb ||
           (accessible && *accessible && strcmp(accessible, "0") != 0) ||
           settings_get_bool(options->conversation->settings, "tui.plain");
}

int tui_converse(const ConverseOptions *options)
{
    return wants_plain(options) ? plain_converse(options) : converse_options_converse(options);
}
