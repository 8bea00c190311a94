/*
 * The comments of one text (agent-tools-cli §7.3): a table-driven lexer, one row a language
 * (languages.h), with small machines for what a table cannot say. No syntax tree: finding
 * comments needs strings, a few literal forms and nesting.
 *
 * Pure; thread safe; time is linear in the text, whatever it holds; memory is bounded by the text
 * and LEXER_DEPTH_MAX. Texts are LF only (comment_text.h); other bytes may be anything.
 */
#pragma once

#include "lang/languages.h"

typedef enum { COMMENT_LINE, COMMENT_BLOCK, COMMENT_DOC } CommentKind;

typedef struct Comment {
    size_t start, end;             // bytes of the text, markers included
    size_t line, end_line, column; // from 1; the column counts code points
    CommentKind kind;
    const Language *language; // the inner one where languages are embedded
    bool is_delimited;        // "multi": it has a closing marker, or should have
    bool is_trailing;         // code stands before it on its first line
    bool is_directive;        // an instruction for a tool
    bool is_unterminated;     // the text ended first
} Comment;

typedef enum {
    LEX_DOCSTRINGS = 1 << 0, // Python's docstrings count as comments
} LexFlags;

/* Comment items in order of place, never overlapping. Caller unrefs. */
GArray *comment_lex(const Language *language, const char *text, size_t size, unsigned flags);

/* Joins line comments that stand on adjacent lines in one column, with code before none but the
   first. In place. */
void comment_merge(GArray *comments);
