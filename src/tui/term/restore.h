/*
 * The terminal is made usable again whatever ends this process (tui §11): at exit(), by a handler
 * of the signals of crashes, and, where none of them runs, by the guardian. Each undoes what is
 * switched on at that moment, and the first one leaves nothing for the others.
 *
 * One terminal per process, and one thread that calls these. The handler runs on a stack of its
 * own in that thread; a crash of another thread is the guardian's.
 */
#pragma once

#include "base/error.h"
#include "tui/term/undo.h"

#include <stdbool.h>

/* Starts the guardian: before the first thread. Nothing is undone until restore_set(). Without a
   guardian (no process can be had) the rest works all the same. */
void restore_begin(int tty);
/* What is to be undone from now on; before it is switched on. Copied. */
void restore_set(const UndoPlan *plan);
/* Handlers as they were; the guardian ends. `is_undone`: false leaves it to the guardian. */
void restore_end(bool is_undone);
