/*
 * What the lines of a file end with, LF or CRLF, for the modes of edit, which work on a text with
 * LF only: a line that an edit does not name keeps its end (agent-tools §3.3.1). Pure; thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* CRLF becomes LF; a lone CR is a character of its line. Caller frees. */
char *edit_to_lf(const char *text);

/* Of each newline of edit_to_lf(text): '\r' for CRLF, '\n' for LF. NULL where all are alike:
 * *ret_is_crlf says what they are, also of a text without any. Caller unrefs. */
GByteArray *edit_ends_of(const char *text, bool *ret_is_crlf);

/* Of size_t: for each newline of a new text where it is in the old one; TEXT_LINES_NEW
   (text_lines.h) for a new one. Those of the old text keep their order. */
GArray *edit_newlines_new(void);

/*
 * The ends of the text `after`, which an edit has made of `before`, whose ends are `ends`. Newlines
 * that are kept, and those of lines that are the same between two of these, are what they were. A
 * line in place of another one ends as that one did; one that is only put in, as the line above it.
 * Caller unrefs.
 */
GByteArray *edit_ends_carry(const GByteArray *ends, const char *before, const char *after,
                            const GArray *newlines);
