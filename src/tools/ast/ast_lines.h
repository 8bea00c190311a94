/*
 * The whole lines of a source file around what ast-grep finds in it, with their anchors
 * (agent-tools §3.9): an anchor is that of a line, never of a part, so that edit takes it. Pure;
 * thread safe. Private to ast_grep and ast_edit.
 */
#pragma once

#include "tools/ast/ast_search.h"
#include "tools/file/read_cache.h"

typedef struct AstLines {
    const char *text; // borrowed
    size_t size;
    GArray *lines; // of TextLine
} AstLines;

/* `text` must outlive the result. NULL for a text that holds a NUL: edit takes no such file. */
AstLines *ast_lines_new(const char *text, size_t size);
void ast_lines_free(AstLines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AstLines, ast_lines_free)

/* Is what was found still where it was found? */
bool ast_lines_have(const AstLines *self, const AstMatch *match);

/* The number, from 1, of the line that byte `offset` of the text is in. */
size_t ast_lines_number(const AstLines *self, size_t offset);

/* `mark`, the anchor of the whole line, and at most `max_chars` characters of it. False when that
   is not all of the line. */
bool ast_lines_append(const AstLines *self, char mark, size_t number, size_t max_chars,
                      GString *out);

/* The line was shown, whole. */
void ast_lines_note(const AstLines *self, size_t number, ReadSnapshot *seen);
