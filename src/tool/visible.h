/*
 * Text from outside as a person is asked about it: nothing in it may look like something else.
 * Pure.
 */
#pragma once

#include <glib.h>

/* Appends `text`; control characters, and those that turn the direction of writing or cannot be
   seen, become \x1b, \u202e. */
void visible_append(GString *out, const char *text);
/* The same for a text of several lines: LF stays. */
void visible_append_lines(GString *out, const char *text);
