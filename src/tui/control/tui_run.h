/*
 * TuiRun: the conversation as the interface follows it. Its session, transcript, queue and costs,
 * and what goes on. Its files (tui_run.c, on_event.c, opening.c, stop.c, submit.c) write it, by
 * tui_own.h; all others read it and call what is declared here. The loop's thread.
 */
#pragma once

#include "conversation/agent_session.h"
#include "tui/view/git_state.h"
#include "tui/view/transcript.h"

typedef struct Tui Tui;       // tui_state.h
typedef struct Recent Recent; // opening.h

typedef enum { WAITS_NOT, WAITS_RETRY, WAITS_COMPACTION, WAITS_SUMMARY } WaitKind;

typedef struct TuiRun {
    AgentSession *session;
    size_t next_prompt; // of the options' prompts
    Transcript *transcript;
    GPtrArray *history; // rows for good that no frame has taken yet
    GitState *git;
    GPtrArray *welcome;       // rows that are still live; NULL: they are history
    GPtrArray *short_welcome; // in their place while they have no room
    bool is_welcome_over;
    Recent *recent;           // the sessions that it shows; NULL: none are looked for
    json_t *snapshot, *stats; // of the conversation; NULL: they have changed
    json_t *queued;           // the event queue_update, or NULL
    char *hint;               // next to the working line, for a moment; NULL: none
    // for the working line and the keys
    bool is_on; // between agent_start and agent_end
    bool is_stopping;
    bool is_shell_on; // a command of the person
    WaitKind waits;
    int attempt, max_attempts; // WAITS_RETRY
    gint64 retry_at;           // by time_monotonic_ms(), as all here
    gint64 begun_at;
    char *intent;    // of the call that runs; NULL: none
    char *progress;  // of a person's command, in its words; NULL: none
    json_t *watched; // the same at length, for watch_panel_rows(); NULL: none
    char *sent;      // the message that went out last, in case it is refused; NULL: none
    char *shell;     // what the person has run last: "!ls", "$$x"; NULL: nothing yet
} TuiRun;

TuiRun *tui_run_new(void);
/* Transcript and git, whose changes `git_changed` is called for with the Tui; opening.c opens the
   session. */
void tui_run_open(Tui *tui, const TranscriptSpec *transcript, LoopFunc git_changed);
void tui_run_free(TuiRun *self);

void tui_say(Tui *tui, const char *format, ...) G_GNUC_PRINTF(2, 3);
void tui_error(Tui *tui, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool tui_open_last(Tui *tui);              // the last call once more, whole; false: there is none
void tui_hint(Tui *tui, const char *text); // NULL takes it away
/* State and costs are asked for again before the next frame. */
void tui_stale(Tui *tui);
const json_t *tui_snapshot(Tui *tui);
const json_t *tui_stats(Tui *tui);
bool tui_is_busy(const Tui *tui); // something runs

// ---- on_event.c ----

void tui_on_event(json_t *event, void *tui);
/* When nothing runs and no panel is open: the next of the first messages, or the end. */
void tui_settle(void *tui);
void tui_note_summary(Tui *tui); // of the branch that is left

// ---- submit.c: what is written goes out ----

void tui_submit(Tui *tui, bool is_follow_up);
/* False: it was refused, which was said; the text is the caller's to keep. */
bool tui_send(Tui *tui, json_t *message, bool is_follow_up);
/* Into the editor, before what is written there. */
void tui_write_before(Tui *tui, const char *text);
void tui_take_back(Tui *tui); // what waits
/* What goes out now, for when it is refused. Takes it. */
void tui_note_sent(Tui *tui, char *text);
void tui_take_back_refused(Tui *tui);

// ---- stop.c: what runs is stopped ----

void tui_refuse(Tui *tui, const json_t *question);
void tui_interrupt(Tui *tui);
