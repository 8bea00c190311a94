/*
 * What is wrong with a session file, without changing it (safety §8.3). Thread safe.
 */
#pragma once

#include "base/error.h"

typedef enum {
    SESSION_CLEAN,      // nothing
    SESSION_REPAIRED,   // kedge reads it; what is listed is left out or put right in memory
    SESSION_NOT_USABLE, // no session file, or one that cannot be read
} SessionHealth;

/* `problems` gets a char * for each, which it owns: "line 7: not JSON". */
SessionHealth session_check(const char *path, GPtrArray *problems);
