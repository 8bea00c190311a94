/*
 * What the controllers of the drawn conversation share: everything that is there, and what each of
 * them may do to it. Internal to tui; the thread of its loop.
 */
#pragma once

#include "tool/settings_save.h"
#include "tui/control/key_table.h"
#include "tui/control/tree_rows.h"
#include "tui/edit/complete.h"
#include "tui/edit/recall.h"
#include "tui/screen/frame.h"
#include "tui/screen/screen.h"
#include "tui/slash/converse.h"
#include "tui/slash/slash.h"
#include "tui/view/git_state.h"
#include "tui/view/panel.h"
#include "tui/view/status.h"
#include "tui/view/transcript.h"
#include "tui/view/viewer.h"

typedef enum { WAITS_NOT, WAITS_RETRY, WAITS_COMPACTION, WAITS_SUMMARY } WaitKind;

typedef struct Attaching Attaching;   // attach.h
typedef struct External External;     // external.h
typedef struct Later Later;           // later.h
typedef struct Recent Recent;         // opening.h
typedef struct ThemeWatch ThemeWatch; // theme_watch.h

typedef struct TuiRun { // what goes on, for the working line and the keys
    bool is_on;         // between agent_start and agent_end
    bool is_stopping;
    bool is_shell_on; // a command of the person
    WaitKind waits;
    int attempt, max_attempts; // WAITS_RETRY
    gint64 retry_at;           // by time_monotonic_ms(), as all here
    gint64 begun_at;
    char *intent;    // of the call that runs; NULL: none
    char *progress;  // of a person's command, as it tells it; NULL: none
    json_t *watched; // the same at length, for watch_panel_rows(); NULL: none
    char *shell;     // what the person has run last: "!ls", "$$x"; NULL: nothing yet
} TuiRun;

typedef struct Tui {
    const ConverseOptions *options;
    Settings *settings; // as they were at the start; a reference
    Loop *loop;
    Cancel *cancel;
    AgentSession *session;
    LoopFunc settle; // tui_settle(): what is to happen when nothing does
    SlashDoor slash;
    size_t next_prompt; // of options->prompts

    Terminal *terminal;
    Screen *screen;
    FrameClock *frames;
    Keymap *keymap;
    GPtrArray *themes;   // of Theme *: that were used; the last one is in use
    char *theme_problem; // of the last one, which was said; NULL: none
    Theme *theme;
    ThemeWatch *theme_watch;
    Later *later;                // NULL: nothing was to be done yet
    TermCaps caps;               // that the look was made for
    int width;                   // of the last frame
    int cell_width, cell_height; // in pixels, as the terminal said; 0: it did not

    Editor *editor;
    GPtrArray *attached;      // of json_t *: the images that it may name
    unsigned attached_before; // that are not kept any more
    GQueue attaching;         // of Attaching: those that are being read
    GString *pasted;          // of a paste that goes on; NULL: none does
    Recall *recall;
    Completer *completer;
    CompleteItem *commands, *actions; // what it offers
    Transcript *transcript;
    GPtrArray *history; // rows for good that no frame has taken yet
    StatusLayout *status;
    GitState *git;
    GPtrArray *welcome;       // rows that are still live; NULL: they are history
    GPtrArray *short_welcome; // in their place while they have no room
    bool is_welcome_over;
    Recent *recent;         // the sessions that it shows; NULL: none are looked for
    Panel *panel;           // NULL: none
    GPtrArray *old_panels;  // closed, and not freed yet
    bool is_question_drawn; // its first frame was
    bool is_asking;         // the panel is the first of the questions
    Viewer *viewer;         // NULL: closed
    External *external;     // an editor that is open; NULL: none
    char *shown;            // that it is to show next; NULL: nothing
    GPtrArray *questions;   // of json_t *: those that are open
    bool is_choosing;       // the last answer was one of several; the question may come again
    char *key_provider;     // whose key the panel asks for; NULL: none

    json_t *snapshot, *stats; // of the conversation; NULL: to be taken anew
    json_t *queued;           // the event queue_update, or NULL
    TuiRun run;
    LoopSource *draft_timer; // NULL: nothing is to be kept
    LoopSource *ticker;      // turns the spinner; NULL: nothing turns
    int step;
    bool hides_thinking, has_motion, is_unfocused, awaits_recall;
    gint64 last_key_at;
    TreeFilter tree_filter; // of the navigator
    size_t setting_group;   // that the menu shows, from 1 on; 0: all
    KeyRole last_role;
    gint64 last_role_at; // 0: another key came since
    char *hint;          // beside the working line, for a moment; NULL: none
    bool is_ending;
    int exit_code;
} Tui;

// ---- tui_state.c: what all of them do ----

void tui_say(Tui *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
void tui_error(Tui *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
void tui_hint(Tui *self, const char *text); // NULL takes it away
/* State and costs are taken anew before the next frame. */
void tui_stale(Tui *self);
const json_t *tui_snapshot(Tui *self);
const json_t *tui_stats(Tui *self);
TuiState tui_state(const Tui *self);
bool tui_is_busy(const Tui *self); // something runs
/* Takes the panel over, in the place of the one that was there. */
void tui_open_panel(Tui *self, Panel *panel);
void tui_close_panel(Tui *self);
void tui_end(Tui *self, int exit_code);
void tui_check_end(void *self); // the Tui: leaves the loop when nothing runs

// ---- compose.c: the frame ----

bool tui_draw(void *self); // of the FrameClock

// ---- look.c: theme, terminal, sizes ----

/* The terminal has told something, or a setting has changed. */
void tui_update_look(Tui *self);
/* That pictures are drawn with: of the terminal itself, not through a multiplexer. */
PictureSpec tui_pictures(const Tui *self);
/* Pictures to come are made for cells of that size. */
void tui_note_cells(Tui *self, TerminalSize size);
/* One of them is another now, and is taken up. */
void tui_change_setting(Tui *self, const SettingChange *change);
/* What the window is called: by the session's name, or the directory. */
void tui_update_title(Tui *self);
/* By the settings, for the background that the terminal has. Valid as long as those. */
const char *tui_theme_name(const Tui *self);
bool tui_set_theme(Tui *self, const char *name, GError **error);

// ---- ask.c: questions of the conversation ----

void tui_open_question(Tui *self, json_t *question);
void tui_close_question(Tui *self, const json_t *closed);
void tui_show_question(Tui *self); // the first, where no panel is open

// ---- submit.c: what is written goes out ----

void tui_submit(Tui *self, bool is_follow_up);
/* False: it was refused, which was said; the text is the caller's to keep. */
bool tui_send(Tui *self, json_t *message, bool is_follow_up);
/* What waits goes back into the editor, before what is written there. */
void tui_take_back(Tui *self);

// ---- stop.c: what runs is stopped ----

void tui_refuse(Tui *self, const json_t *question);
void tui_interrupt(Tui *self);

// ---- act.c: actions of keys ----

void tui_act(Tui *self, Action action);
void tui_do(Tui *self, Deed deed);

// ---- ticker.c ----

void tui_turn_spinner(Tui *self); // while something runs and somebody looks

// ---- keys.c and hear.c: what comes in ----

void tui_on_input(const InputEvent *event, void *self);
void tui_on_recall(void *self); // what was asked before can be had now
void tui_on_event(json_t *event, void *self);
/* The Tui. When nothing runs and no panel is open: the next of the first messages, or the end. */
void tui_settle(void *self);
