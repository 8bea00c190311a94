/*
 * What the types without nested statements share: gantt, journey, timeline and quadrant diagrams,
 * whose keywords count in any case, and pie charts and git graphs. Private to this folder.
 */
#pragma once

#include "agenttools/mermaid/mmd_parser.h"

/* One character that is not a brace, and marks after it: the real parser takes that for a comment
   as well. */
#define MMD_ODD_COMMENT(marks) "(?!})\\b(?=" marks ").*"

/* accTitle and accDescr, whose text must not be missing. */
bool lines_take_accessibility(MmdParser *p, bool *ret_taken);

// ---- pie charts and git graphs: one statement a line, quoted strings, comments anywhere ----

/* Blanks, and a comment to the end of the line; true. */
bool plain_skip(MmdParser *p);
/* The end of the line and all blank lines after it; `expected` is "a number". */
bool plain_take_line_end(MmdParser *p, const char *expected);
/* White space (or a comment, or the end) follows the word that was just taken. */
bool plain_is_word_end(const MmdParser *p);
/* `"…"` or `'…'`, where a backslash guards a quote. *ret_string belongs to the caller, and may be
   NULL when it is not wanted. */
bool plain_take_string(MmdParser *p, char **ret_string, const char *expected);
/* A whole `title`, `accTitle:` or `accDescr` line. */
bool plain_take_title(MmdParser *p, bool *ret_taken);
