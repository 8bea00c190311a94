/*
 * What pie charts and git graphs share: one statement a line, quoted strings, comments anywhere.
 * Private to this folder.
 */
#pragma once

#include "agenttools/mermaid/mmd_parser.h"

/* Blanks, and a comment to the end of the line. */
void plain_skip(MmdParser *p);
/* The end of the line and all blank lines after it; `expected` is "a number". */
bool plain_take_line_end(MmdParser *p, const char *expected);
/* White space (or a comment, or the end) follows the word that was just taken. */
bool plain_is_word_end(const MmdParser *p);
/* `"…"` or `'…'`, where a backslash guards a quote. *ret_string belongs to the caller, and may be
   NULL when it is not wanted. False without an error when none stands here; with one when it is not
   closed. */
bool plain_take_string(MmdParser *p, char **ret_string, const char *expected);
/* A whole `title`, `accTitle:` or `accDescr` line. */
bool plain_take_title(MmdParser *p, bool *ret_taken);
