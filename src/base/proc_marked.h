/*
 * Processes found by a mark in the environment that they were started with: also those that have
 * left their group (`setsid`, daemons) and whose parent is gone. Not found are those that were
 * started with another environment (`env -i`), or that belong to somebody else (`sudo`).
 */
#pragma once

#include <stdint.h>

/* SIGTERM to all whose environment has an entry that begins with `mark` ("NAME=value"), SIGKILL
   after `grace_ms` to those that are left. Blocks until there are none, at most that long and half
   a second. Never ends this process. Thread safe. */
void proc_end_marked(const char *mark, int64_t grace_ms);
