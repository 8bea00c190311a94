/*
 * What the files of the plain front end share: its state and its output. Internal to tui.
 */
#pragma once

#include "base/loop.h"
#include "tui/plain/plain.h"
#include "tui/plain/plain_lines.h"
#include "tui/plain/plain_speech.h"
#include "tui/slash/slash.h"

#include <termios.h>

typedef struct Plain {
    const ConverseOptions *options;
    Loop *loop;
    Cancel *cancel;
    AgentSession *session;
    PlainLines *lines;
    PlainSpeech *speech;
    SlashDoor slash;
    LoopSource *input;
    size_t next_prompt;   // of options->prompts
    GPtrArray *questions; // of json_t *: those that are open; the first one is shown
    gint64 asked_at;      // when that was
    json_t *sent;         // the message that went out last; NULL: none
    char *key_provider;   // whose key the next line is; NULL: none's
    struct termios echoing;
    gint64 interrupted_at, begun_at; // by time_monotonic_ms(); 0: never
    bool is_prompted;                // the cursor comes after "You: "
    bool picks_session;              // the next line says which is gone on with
    bool is_stand_in;                // the model: there was no key for any
    bool is_bash_running, is_stopping, is_ending, is_output_gone;
    int exit_code;
} Plain;

// ---- plain_state.c: what is written, and the end ----

void plain_write(Plain *self, const char *text);
/* A whole line; SpeechFunc, `self` is the Plain. */
void plain_write_line(const char *line, void *self);
void plain_say(Plain *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
void plain_stop_hiding(Plain *self); // what is typed
void plain_end(Plain *self, int exit_code);
void plain_check_end(void *self); // the Plain: leaves the loop when nothing runs

// ---- plain_input.c: what is typed ----

void plain_on_input(int fd, short revents, void *self);
/* What is there already was typed before anything was asked: it answers nothing. The line that is
   being typed is taken from the terminal, too. */
void plain_take_early_input(Plain *self);
void plain_send(Plain *self, json_t *message);
void plain_list_sessions(Plain *self); // for one to be picked
void plain_ask_key(const char *provider, void *self);

// ---- plain_dialog.c: questions ----

void plain_open_question(Plain *self, json_t *question);
void plain_close_question(Plain *self, const json_t *closed);
/* False: the line is none for the question, or there is none. */
bool plain_answer(Plain *self, const char *line);
/* It would be one, had it not been typed before. */
bool plain_is_answer_like(const Plain *self, const char *line);
void plain_refuse_questions(Plain *self);
