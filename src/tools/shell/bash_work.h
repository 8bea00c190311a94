/*
 * One command of the bash tool, from its start to its result (agent-tools §3.4): what runs in front
 * of the call and what runs as a job are the same. One thread at a time.
 */
#pragma once

#include "tools/shell/bash_shell.h"

typedef struct BashTimeout {
    double seconds;
    double requested; // 0: none
    double min, max;
} BashTimeout;

typedef struct BashWorkSpec { // copied, but for the context
    ToolContext *context;     // outlives the work
    const char *command, *cwd;
    const json_t *env; // may be NULL
    BashTimeout timeout;
    bool is_apart;     // in a shell of its own, whatever the conversation's does
    bool has_terminal; // the same, on a terminal of its own
} BashWorkSpec;

typedef struct BashWork BashWork;

BashWork *bash_work_new(const BashWorkSpec *spec);
void bash_work_free(BashWork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BashWork, bash_work_free)

/* Blocks until the command has ended or was stopped. False only when no shell could be started.
   `on_progress` (may be NULL) gets the end of what was printed, at most every 50 ms. */
bool bash_work_run(BashWork *self, void (*on_progress)(const char *text, void *user_data),
                   void *user_data, Cancel *cancel, GError **error);
/* What came of it; once, behind bash_work_run(). False: it was cancelled, and the error says how
   far it came. */
bool bash_work_result(BashWork *self, ToolResult *result, GError **error);

/* 1 to 3600 seconds, or what tools.maxTimeout lowers that to; `fallback` for a `requested` of 0. */
BashTimeout bash_timeout_clamp(const Settings *settings, double requested, double fallback);
/* What a result says of a timeout that is not the one that was asked for; NULL: nothing. Caller
   frees. */
char *bash_timeout_note(const BashTimeout *timeout);
void bash_timeout_add_details(const BashTimeout *timeout, ToolResult *result);
