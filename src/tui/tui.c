/*
 * The drawn conversation (tui.h): what it is made of, its start and its end.
 */
#include "tui/tui.h"

#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "tui/control/attach.h"
#include "tui/control/background_save.h"
#include "tui/control/draft.h"
#include "tui/control/external.h"
#include "tui/control/opening.h"
#include "tui/control/pick.h"
#include "tui/control/slash_door.h"
#include "tui/control/theme_watch.h"
#include "tui/control/tui_state.h"
#include "tui/plain/plain.h"
#include "tui/text/width.h"

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
    if (self->viewer)
        viewer_resize(self->viewer);
    frame_request(self->frames, FRAME_RESIZE);
}

static void on_writable(void *self_)
{
    Tui *self = self_;
    if (self->viewer)
        viewer_writable(self->viewer);
    frame_request(self->frames, FRAME_NOW);
}

/* Another program may have written since. */
static void on_resume(void *self_)
{
    Tui *self = self_;
    screen_forget(self->screen);
    if (self->viewer)
        viewer_draw(self->viewer);
    frame_request(self->frames, FRAME_NOW);
}

static void redraw(void *self_)
{
    frame_request(((Tui *)self_)->frames, FRAME_NOW);
}

static void redraw_later(void *self_)
{
    frame_request(((Tui *)self_)->frames, FRAME_STREAM);
}

static bool open_terminal(Tui *self, GError **error)
{
    const TerminalSpec spec = {
        .loop = self->loop,
        .escape_ms = (int)settings_get_number(self->settings, "tui.escTimeoutMs"),
        .on_event = tui_on_input,
        .on_resize = on_resize,
        .on_writable = on_writable,
        .on_resume = on_resume,
        .on_gone = on_gone,
        .user_data = self,
    };
    if (!terminal_open(&spec, &self->terminal, error))
        return false;
    self->caps = *terminal_caps(self->terminal);
    return true;
}

// ---- the parts ----

static int tab_width(const Tui *self)
{
    return (int)CLAMP(settings_get_number(self->settings, "display.tabWidth"), 1, 16);
}

static void make_view(Tui *self)
{
    self->actions = slash_door_actions();
    const TranscriptSpec transcript = {
        .theme = self->theme,
        .tab_width = tab_width(self),
        .has_links = self->caps.has_links,
        .has_marks = self->caps.has_marks,
        .pictures = tui_pictures(self),
        .shows_thinking = !self->hides_thinking,
        .is_still = !self->has_motion,
        .cwd = self->slash.place.cwd,
    };
    const CompleteSpec complete = {
        .loop = self->loop,
        .cwd = self->slash.place.cwd,
        .actions = self->actions,
        .max_rows =
            (int)CLAMP(settings_get_number(self->settings, "autocompleteMaxVisible"), 3, 20),
        .theme = self->theme,
        .on_change = redraw,
        .user_data = self,
    };
    self->transcript = transcript_new(&transcript);
    self->history = rows_new();
    self->completer = completer_new(&complete);
    self->editor = editor_new(tab_width(self));
    self->recall = recall_new(self->loop, self->slash.place.agent_dir, tui_on_recall, self);
    self->git = git_state_new(self->loop, self->slash.place.cwd, redraw_later, self);
}

static void read_settings(Tui *self, GPtrArray *warnings)
{
    g_autofree char *keys = g_build_filename(self->slash.place.agent_dir, "keybindings.json", NULL);
    width_set_ambiguous((int)settings_get_number(self->settings, "display.ambiguousWidth"));
    self->hides_thinking = settings_get_bool(self->settings, "hideThinkingBlock");
    self->has_motion = settings_get_bool(self->settings, "tui.motion");
    self->tree_filter = tree_filter_parse(settings_get_text(self->settings, "treeFilterMode"));
    self->keymap = keymap_load(keys, warnings);
    self->status = status_layout_new(self->settings, warnings);
}

static void say_all(Tui *self, const GPtrArray *warnings)
{
    for (unsigned i = 0; i < warnings->len; i++)
        tui_say(self, "Warning: %s", (const char *)warnings->pdata[i]);
}

/* The first frame comes before the conversation, which takes longer to open. */
static bool tui_init(Tui *self, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    self->loop = loop_new();
    self->cancel = cancel_new(NULL);
    self->questions = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);
    self->attached = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);
    self->themes = g_ptr_array_new_with_free_func((GDestroyNotify)theme_free);
    self->old_panels = g_ptr_array_new_with_free_func((GDestroyNotify)panel_free);
    loop_add_end_signals(self->loop, on_signal, self);
    if (!open_terminal(self, error))
        return false;
    read_settings(self, warnings);
    self->screen = screen_new();
    self->frames = frame_clock_new(self->loop, tui_draw, self);
    make_view(self);
    tui_update_look(self);
    self->theme_watch = theme_watch_new(self);
    opening_open(self, tui_on_event, warnings);
    slash_door_init(self);
    draft_take(self);
    tui_update_title(self);
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
    theme_watch_free(self->theme_watch);
    opening_end(self);
    panel_free(self->panel);
    g_ptr_array_unref(self->old_panels);
    g_clear_pointer(&self->viewer, viewer_free);
    agent_session_free(self->session);
    git_state_free(self->git);
    completer_free(self->completer);
    g_free(self->commands);
    g_free(self->actions);
    recall_free(self->recall);
    editor_free(self->editor);
    g_ptr_array_unref(self->attached);
    transcript_free(self->transcript);
    g_clear_pointer(&self->history, g_ptr_array_unref);
    frame_clock_free(self->frames);
    terminal_free(self->terminal);
    screen_free(self->screen);
    status_layout_free(self->status);
    g_ptr_array_unref(self->themes);
    g_free(self->theme_problem);
    keymap_free(self->keymap);
    json_decref(self->snapshot);
    json_decref(self->stats);
    json_decref(self->queued);
    slash_door_clear(&self->slash);
    g_clear_pointer(&self->welcome, g_ptr_array_unref);
    g_clear_pointer(&self->short_welcome, g_ptr_array_unref);
    g_ptr_array_unref(self->questions);
    g_free(self->hint);
    g_free(self->shown);
    settings_unref(self->settings);
    g_free(self->run.intent);
    g_free(self->run.progress);
    json_decref(self->run.watched);
    g_free(self->run.shell);
    g_free(self->key_provider);
    loop_free(self->loop);
    cancel_unref(self->cancel);
}

enum { FLUSH_MS = 1000 }; // that a slow terminal has for what waits

/* The last frame: what was said is the terminal's, and the live area is gone. */
static void leave_screen(Tui *self)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    g_clear_pointer(&self->viewer, viewer_free);
    bool is_taken = false;
    do {
        is_taken = terminal_flush(self->terminal, FLUSH_MS);
    } while (is_taken && tui_draw(self) && self->history->len > 0);
    if (is_taken)
        terminal_flush(self->terminal, FLUSH_MS);
    screen_wipe(self->screen, terminal_size(self->terminal), bytes);
    terminal_write(self->terminal, bytes->str, bytes->len);
}

static int converse(const ConverseOptions *options)
{
    Tui self = {
        .options = options,
        .settle = tui_settle,
        .settings = settings_ref(options->conversation->settings),
        .slash.place = options->conversation->place,
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
    const TermCaps caps = caps_of_environment(env_get_raw);
    return options->is_plain || caps.is_dumb ||
           (accessible && *accessible && strcmp(accessible, "0") != 0) ||
           settings_get_bool(options->conversation->settings, "tui.plain");
}

int tui_converse(const ConverseOptions *options)
{
    return wants_plain(options) ? plain_converse(options) : converse(options);
}
