/*
 * The shell behind the bash tool (agent-tools §9.1.3): one co-process that lives across calls, so
 * that variables, functions, options and aliases persist; the working directory does not. It is
 * started at the first call, and again after `exit`, a crash, a timeout or a cancel. What it has
 * left in the background lives on after `exit` and a crash, until the BashShell is freed.
 *
 * Thread safe. A call that finds the shell busy gets a shell of its own, for that call only.
 */
#pragma once

#include "base/cancel.h"
#include "tool/context.h"
#include "tool/sink.h"

typedef struct BashShell BashShell;

/* The one of a conversation, made when it is first asked for. Borrowed. */
BashShell *bash_shell_of(ToolContext *context);

typedef enum {
    BASH_EXITED,    // the command's own end
    BASH_TIMED_OUT, // stopped; the shell is gone
    BASH_CANCELLED, // stopped; the shell is gone
    BASH_PAINTED,   // stopped, because it wanted a screen (screen_watch.h); the shell is gone
} BashEnd;

typedef struct BashOutcome {
    BashEnd end;
    int status;            // of BASH_EXITED: 128 + n for signal n
    bool has_shell_ended;  // by itself: what it knew is gone
    bool has_lost_parent;  // the shell, which goes on: said once
    bool was_busy;         // the shell: the command ran in one of its own
    unsigned left_running; // background processes that outlive the shell that has ended
} BashOutcome;

typedef struct BashRun { // all borrowed
    const char *command;
    const char *cwd;   // absolute, exists
    const json_t *env; // of this call only: an object of strings with valid names, or NULL
    int64_t timeout_ms;
    const Settings *settings;
    ToolContext *context; // whose commands ask before gh runs (lent_calls.h); NULL: they do not
    OutputSink *sink;     // gets stdout and stderr, merged; may be NULL
    /* The same, as it comes, on the calling thread. May be NULL. */
    void (*on_output)(const char *data, size_t size, void *user_data);
    bool keeps_cwd;       // a shell that runs stays where its last command has left it
    int last_status;      // what $? is to the command
    bool is_apart;        // in a shell of its own, also when the conversation's is not busy
    bool has_terminal;    // one of its own, and so apart
    bool has_no_snapshot; // of the call that starts the first shell: nothing of ~/.bashrc
    /* After output, at most every 50 ms, on the calling thread. May be NULL. */
    void (*on_progress)(void *user_data);
    void *user_data;
} BashRun;

/* False only when no shell could be started. */
bool bash_shell_run(BashShell *self, const BashRun *run, Cancel *cancel, BashOutcome *ret_outcome,
                    GError **error);

/* Where the shell is between calls; NULL: there is none. Caller frees. */
char *bash_shell_cwd(BashShell *self);
