/*
 * The conversation as rows (tui §3, §4.4, agent-core §7.7): what of it goes to the terminal for
 * good, in which order, and what of it is still live. Fed with the events of agent-core §3.9; keeps
 * nothing of what was given away but the last block's output. One thread.
 */
#pragma once

#include "base/json.h"
#include "tui/text/row.h"

typedef struct TranscriptSpec {
    const Theme *theme; // borrowed
    int tab_width;
    bool has_links, has_marks;
    PictureSpec pictures;
    bool shows_thinking;
    bool is_still;          // no spinner (tui.motion)
    const char *cwd;        // paths below it are shown relative; borrowed
    gint64 (*now_ms)(void); // for durations; NULL: the monotonic clock
} TranscriptSpec;

typedef struct Transcript Transcript;

Transcript *transcript_new(const TranscriptSpec *spec);
void transcript_free(Transcript *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Transcript, transcript_free)

void transcript_set_theme(Transcript *self, const Theme *theme);
void transcript_set_pictures(Transcript *self, PictureSpec pictures); // from now on
void transcript_show_thinking(Transcript *self, bool is_shown);       // from now on
void transcript_set_width(Transcript *self, int width);               // of rows to come

/* True: something is to be drawn. */
bool transcript_event(Transcript *self, const json_t *event);
/* Messages of a conversation that goes on: the last `max_rows` rows of them, at least from the last
   user message on; what is left out is said in one row, with the `before` messages that were not
   given. False: those are needed, too, and nothing was done. */
bool transcript_replay(Transcript *self, const json_t *messages, size_t before, int max_rows);
/* Text of ours: a notice, an error, what a slash command says; clean or not. */
void transcript_notice(Transcript *self, const char *text);
void transcript_error(Transcript *self, const char *text);
/* "❯ /usage", dim, comes above what is said next: a person asked it of kedge itself. NULL: no
   more. */
void transcript_command(Transcript *self, const char *line);
/* The same of "/ci", whose result comes now, unless the last notices belong to it already. */
void transcript_heading(Transcript *self, const char *command);
/* What a person's command came to, as command_end tells it ({output, exitCode, cancelled}, and
   `command`, or `code` of Python, where the caller knows it): at once while a run is on, whose end
   its message waits for. It is shown once, by whichever comes first. */
void transcript_shell(Transcript *self, const json_t *data);
/* "── now at: … ──" */
void transcript_rule(Transcript *self, const char *text);

/* Rows for good, each once and in order (tui §4.4). */
void transcript_take_rows(Transcript *self, GPtrArray *out);
/* The tail, and one short row, or a title and last lines, for each running block: at most
   `max_rows` and 60 cells each. `step` turns spinners. */
void transcript_live_rows(Transcript *self, int width, int max_rows, int step, GPtrArray *out);
/* A person's command that runs ("!make", "$$x"), with the end of what it has printed so far. */
void transcript_shell_rows(const Transcript *self, const char *typed, const char *output, int width,
                           int max_rows, GPtrArray *out);
bool transcript_is_running(const Transcript *self); // a spinner turns
/* The last tool call once more, whole, below what is there; false: there is none, or a person's
   command came since. */
bool transcript_open_last(Transcript *self);
/* Of the last tool call or command; NULL: none. Borrowed. */
const char *transcript_last_output(const Transcript *self);
