/*
 * Hashline anchors (agent-tools §3.3.2): the number of a line and two letters made of its text, so
 * that an edit that names a line is refused when the line has become another. Thread safe.
 */
#pragma once

#include "tool/tool.h"

enum { HASHLINE_LETTERS = 2 };

/* The letters of line `number` (1-based) of a text. A BOM in front of it, CR, white space at the
   end and bytes that are no UTF-8 do not count, or count as in the text that is shown.
   NUL-terminated. */
void hashline_letters(size_t number, const char *line, size_t size,
                      char ret_letters[HASHLINE_LETTERS + 1]);

/* Is a line still the one that was seen, as far as its letters are made of it? All of it counts,
   not only the letters. */
bool hashline_is_same(size_t number, const char *seen, const char *line, size_t size);

/* `<number><letters>|`. */
void hashline_append(GString *out, size_t number, const char *line, size_t size);

/* Do the lines that this call shows have anchors? The edit tool beside it takes them, and
   readHashLines is on. */
bool hashline_is_shown(const ToolCall *call);

/* What is left of a text that is nothing but lines as they are shown, most with the letters of
   their text; NULL: it is not. Caller frees. */
char *hashline_strip(const char *text);
