/*
 * Text of others as a person is shown it (common §9): on standard error, in a question, in
 * a record. Nothing in it may look like something else or command a terminal. Pure.
 */
#pragma once

#include <glib.h>

/* Appends `text`; control characters, and those that turn the direction of writing or cannot be
   seen, become \x1b, \u202e, \u{e0041}. */
void visible_append(GString *out, const char *text);
/* The same for a text of several lines: LF and TAB stay, CR before LF goes. */
void visible_append_lines(GString *out, const char *text);
char *visible_lines(const char *text); // caller frees
/* Each line of `text` after LF and `bar`, so that none can pass for one of ours. */
void visible_append_block(GString *out, const char *bar, const char *text);
/* A text to be read, not to be judged: emoji of several characters and scripts whose letters join
   stay what they are. What any command prints on a terminal is this. Caller frees. */
char *visible_on_terminal(const char *text);
