/*
 * What sees to it that nothing of a child outlives it, or us: all that has a mark in its
 * environment ends, also what left the child's group (proc_marked.h), and a watcher does that when
 * we are killed. The watcher is a process that waits for our end. One thread at a time.
 */
#pragma once

#include "base/proc.h"

typedef struct ProcGuard { // zeroed: nothing is guarded
    char *mark;
    ProcChild watcher; // pid 0 or less: none
} ProcGuard;

/* `mark`: "NAME=value", or what such begin with, on one line. Without a watcher, when none can be
   started, only a kedge that is killed leaves something behind; a second call tries it again. */
void proc_guard_begin(ProcGuard *self, const char *mark);
/* Ends all with the mark, SIGKILL after `grace_ms`, and the watcher. */
void proc_guard_end(ProcGuard *self, int64_t grace_ms);
