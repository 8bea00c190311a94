/*
 * What makes a terminal usable again, prepared before it is needed (tui §11): bytes that switch off
 * what was switched on, and its settings as they were. Everything here is async-signal-safe and
 * allocates nothing: a signal handler and the guardian process call it.
 */
#pragma once

#include <stdbool.h>
#include <termios.h>

enum { UNDO_BYTES = 192 };

/* Plain data, which goes through a pipe in one piece. */
typedef struct UndoPlan {
    struct termios cooked, raw; // as it was, and as we set it
    bool is_on;                 // false: nothing is to be undone
    unsigned size;
    char bytes[UNDO_BYTES];
} UndoPlan;

/* The settings as they were, when they are still those that we made: another program (a shell that
   has the terminal again) may have made its own. `when` as for tcsetattr(). */
void undo_settings(int fd, const UndoPlan *plan, int when);
/* Bytes, then settings. Waits at most `patience_ms` in all for a terminal that takes nothing; what
   it took is out of the plan. False: bytes are left. */
bool undo_all(int fd, UndoPlan *plan, int patience_ms);
