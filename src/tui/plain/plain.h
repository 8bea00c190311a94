/*
 * A conversation in a terminal, line by line (tui §12): the terminal edits what is typed, and every
 * line that is said is written once. Nothing is drawn, so it suits screen readers, dumb terminals
 * and slow lines. A door: it decides nothing.
 *
 * Everything happens on the calling thread's loop; what takes time is the conversation's. Signals:
 * SIGINT stops what runs, and when nothing does, twice within two seconds, leaves; SIGTERM and
 * SIGHUP end it in order, a second one at once; so does SIGQUIT.
 */
#pragma once

#include "tui/slash/converse.h"

/* Standard input and output are a terminal. The exit code: 0, 129, 131, 143. */
int plain_converse(const ConverseOptions *options);
