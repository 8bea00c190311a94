/*
 * A tool call and its failure in one line each, as a person follows a run. Text of others: control
 * sequences are out, line ends are blanks, and it is cut. Pure; thread safe.
 */
#pragma once

#include "base/json.h"

/* "make test", "src/main.c", "pr_create Fix the clock"; "" without arguments. Caller frees. */
char *call_title_arguments(const json_t *arguments);

/* The title of a call (taken) and where the files lead that it names, when `from`, its event or the
   details of its result, has that (`leadsTo`): "notes.md → /home/u/notes.md". Caller frees. */
char *call_title_with_place(char *title, const json_t *from);

/* Why it failed: of a command's output the last line, of a message the first. Caller frees. */
char *call_title_failure(const char *tool, const json_t *result);

/* One line of any text, cut likewise. Caller frees. */
char *call_title_line(const char *text);
