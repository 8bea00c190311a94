/*
 * The line that says what is being done, and which key stops it (agent-core §7.7). Pure.
 */
#pragma once

#include "tui/text/row.h"

typedef enum {
    WORKING_ON, // a model answers, a tool runs
    WORKING_COMMAND,
    WORKING_RETRY, // the wait for another attempt
    WORKING_COMPACTION,
    WORKING_SUMMARY, // of a branch that is left
} WorkingKind;

typedef struct WorkingFacts {
    WorkingKind kind;
    const char *intent; // of the call that runs, in place of "Working"; borrowed; NULL: none
    int attempt, max_attempts;
    gint64 wait_ms;    // until that attempt
    gint64 elapsed_ms; // of the whole; 0: not known
    bool is_stopping;  // a key has said so
    bool has_motion;   // else nothing in it changes by itself (tui.motion)
} WorkingFacts;

/* `step` turns the spinner. At most `width` cells; what stops it outlives a long intent. Caller
   unrefs. */
Row *working_row(const WorkingFacts *facts, const Theme *theme, int step, int width);
