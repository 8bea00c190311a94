/*
 * The HTML of a Markdown document as it is being written. Private to markdown*.c.
 */
#pragma once

#include "arcade/markdown_lines.h"
#include "arcade/markdown_notes.h"

#include <md4c.h>

#define HEADING_ID_PREFIX "md-" // keeps the page's own ids apart

typedef struct Mark {
    size_t at; // in the HTML
    Span span;
    char *attributes; // others; NULL: none
} Mark;

typedef struct CodeBlock {
    bool is_fenced;
    size_t fence_line; // of the opening fence, and
    size_t first_line; // of the content; 0: not known
    size_t line_count;
    GString *diagram; // NULL: no mermaid
} CodeBlock;

typedef struct OpenSpan {
    MD_SPANTYPE type;
    const char *end; // "</em>"; "" for what has no tag
} OpenSpan;

typedef struct Html {
    Lines *lines;
    GString *out;
    GArray *marks;  // of Mark, in order of place
    GArray *open;   // of unsigned: the marks of the blocks around
    CodeBlock code; // the one that is open
    bool is_in_code;
    GString *heading;  // the text of the one that is open, else NULL
    GHashTable *slugs; // → how often it was used
    GArray *spans;     // of OpenSpan, the innermost last
    unsigned links;    // of them
    unsigned picture_depth;
    GString *alt;    // of the outermost picture, escaped
    GString *raw;    // a block of raw HTML that is open, else NULL
    size_t raw_line; // where it began; 0: not known
    GArray *details; // of unsigned: how many blocks were open around each <details>
    Notes *notes;
} Html;

/* For a document of `size` bytes. The caller sets `lines` and `notes`, which html_clear() frees. */
void html_init(Html *self, size_t size);
void html_clear(Html *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Html, html_clear)

void html_put(Html *self, const char *text);
/* "<p", whose data-line comes when html_end_block() knows it; the caller closes the tag. Nest. */
void html_begin_block(Html *self, const char *tag);
/* Takes `attributes`, others of the tag; NULL: none. */
void html_end_block(Html *self, char *attributes);
/* What md4c's callbacks return: 0 to go on, 1 when the HTML becomes too large. */
int html_state(const Html *self);
/* All of it, with the blocks' lines. Caller frees. */
char *html_finish(const Html *self);
