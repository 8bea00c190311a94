/*
 * Which diagrams a document holds (agent-tools-cli §8.2): one, or those in the `mermaid` fences of
 * Markdown. Pure; thread safe; one pass.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum { MMD_FORMAT_AUTO, MMD_FORMAT_MARKDOWN, MMD_FORMAT_MERMAID } MmdFormat;

typedef struct MmdBlock {
    char *text;                  // LF only; without the fence's indentation and quote marks
    size_t start_line, end_line; // 1-based, in the document: of the text
    size_t fence_line;           // of the opening fence; 0: the whole document is the diagram
    bool is_unclosed;
} MmdBlock;

/* Of MmdBlock *, in order. `text` is valid UTF-8; `path` (may be NULL) is only looked at for its
   ending. The array belongs to the caller. */
GPtrArray *mmd_document_blocks(const char *text, size_t size, const char *path, MmdFormat format);

/* Reads lines by number; forward is cheap. */
typedef struct MmdLines {
    const char *start, *at, *end;
    size_t number; // of the line read last; 0: none yet
} MmdLines;

void mmd_lines_init(MmdLines *self, const char *text, size_t size);
/* The line without its line end (LF, CRLF or CR), borrowed; empty behind the last one. */
const char *mmd_lines_seek(MmdLines *self, size_t number, size_t *ret_size);
