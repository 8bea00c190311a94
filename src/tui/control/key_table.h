/*
 * What Escape, Ctrl+C and Enter mean (tui §9): one state, one table, and no one else decides. Pure.
 */
#pragma once

#include <stdbool.h>

typedef enum {        // the first that holds, from the end
    STATE_EMPTY,      // nothing runs, and nothing is written
    STATE_DRAFT,      // nothing runs
    STATE_RUNNING,    // a model streams, a tool runs
    STATE_WAITING,    // for another attempt; compaction; the summary of a branch
    STATE_COMMAND,    // a command of the person runs
    STATE_COMPLETION, // its list is open
    STATE_QUESTION,
    STATE_SELECTOR, // or the viewer
    STATE_COUNT,
} TuiState;

typedef enum { ROLE_ESCAPE, ROLE_CLEAR, ROLE_ENTER, ROLE_COUNT } KeyRole;

typedef enum {
    DEED_NONE,
    DEED_ESCAPE,     // a second one within DOUBLE_KEY_MS: doubleEscapeAction
    DEED_HINT_EXIT,  // a second one leaves
    DEED_CLEAR,      // the draft, to the kill ring and to Up
    DEED_SUBMIT,     // what is written: a message, a command
    DEED_CLOSE_LIST, // of completions
    DEED_TAKE_ROW,
    DEED_INTERRUPT, // what waits and what is written are in the editor, and the run stops
    DEED_CANCEL_WAIT,
    DEED_STEER,
    DEED_QUEUE,
    DEED_END_COMMAND,
    DEED_PANEL, // the key is the panel's
    DEED_EXIT,
} Deed;

enum { DOUBLE_KEY_MS = 500 };

typedef struct KeyMoment {
    TuiState state;
    bool is_empty;  // nothing is written
    bool is_second; // the same key, within DOUBLE_KEY_MS, and nothing in between
    bool is_busy;   // something runs, whatever list is open
} KeyMoment;

Deed key_deed(const KeyMoment *moment, KeyRole role);
