/*
 * The drawn conversation in a terminal (docs/spec/tui.md, agent-core §7): an adapter of
 * AgentSession. The normal screen; what was said scrolls away with the terminal's own scrollback,
 * and only the last rows are ever drawn again.
 *
 * Everything happens on the calling thread's loop. SIGTERM and SIGHUP end it in order, a second one
 * at once; Ctrl+Z stops the program; however it ends the terminal is restored.
 */
#pragma once

#include "tui/slash/converse.h"

/* Standard input and output are a terminal. Draws nothing, and is plain_converse(), when the person
   (options, setting tui.plain, ACCESSIBLE) or the terminal wants that. The exit code: 0, 129, 131,
   143. */
int tui_converse(const ConverseOptions *options);
