/*
 * What gantt, journey, timeline and quadrant diagrams share: keywords in any case with text after
 * them, and comments. Private to this folder.
 */
#pragma once

#include "agenttools/mermaid/mmd_lex.h"

/* `word` and not more of it, in any case; not taken. */
bool lines_has_word(const MmdParser *p, const char *word);
/* `word`, one white space character and text up to one of `stops`; the text must not be empty. */
bool lines_take_keyword(MmdParser *p, const char *word, const char *stops);
/* accTitle and accDescr, whose text must not be missing. */
bool lines_take_accessibility(MmdParser *p, bool *ret_taken);
/* One character that is not a brace, and `marks` behind it: the real parser takes that for a
   comment as well. To the end of the line. */
bool lines_take_odd_comment(MmdParser *p, const char *marks);
/* Statements, with white space and comments between them, to the end. */
bool lines_parse(MmdParser *p, bool (*take_statement)(MmdParser *p, void *data), void *data);
