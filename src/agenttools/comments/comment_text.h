/*
 * A file's bytes made ready for the lexer: UTF-8 with U+FFFD for what is none, LF at every line's
 * end (CRLF and lone CR become it), no byte-order mark. Pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define COMMENT_FILE_MAX_BYTES ((size_t)2 * 1024 * 1024)
#define COMMENT_FILE_MAX_LINES ((size_t)50000)

typedef struct CommentText {
    char *data; // NUL-terminated
    size_t size;
    size_t line_count; // a last line without LF counts
    GArray *lone_cr; // size_t, ascending: which LF were lone CR, which git does not count; or NULL
} CommentText;

void comment_text_clear(CommentText *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CommentText, comment_text_clear)

bool comment_text_is_binary(const char *data, size_t size); // a NUL in the first 8 KiB
void comment_text_init(CommentText *self, const char *data, size_t size);

/* The number that git gives to line `line`, which holds the byte at `offset`. */
size_t comment_text_git_line(const CommentText *self, size_t line, size_t offset);
