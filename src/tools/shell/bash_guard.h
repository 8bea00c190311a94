/*
 * What sees to it that nothing of a shell outlives it: a mark in the environment of all that it
 * starts, which `setsid`, `nohup` and daemons keep; and a watcher, a process that waits for the end
 * of this one and then ends all with the mark, so that they go even when kedge is killed. What was
 * started with another environment (`env -i`) or as somebody else (`sudo`) is not found.
 *
 * One guard for the shells that follow one another. One thread at a time.
 */
#pragma once

#include "base/proc_guard.h"

typedef struct BashGuard { // zeroed: nothing is guarded
    char *family;          // what the marks of all its shells begin with, "NAME=value."
    char *mark;            // of the shell that runs
    unsigned count;        // of shells
    ProcGuard guard;       // of the family
} BashGuard;

/* For a new shell: `env` with a mark of its own. Without a watcher, when none can be started, only
   a kedge that is killed leaves something behind. Caller frees with g_strfreev(). */
char **bash_guard_begin(BashGuard *self, char **env);
/* Ends what the shell that runs has started; its group has ended already. */
void bash_guard_end(BashGuard *self, int64_t grace_ms);
/* The same for all its shells. */
void bash_guard_clear(BashGuard *self, int64_t grace_ms);
