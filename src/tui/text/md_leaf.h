/*
 * The block of Markdown that is open, inside its quotes and items: a paragraph, code, a table. What
 * has settled goes to the flow at once (tui §5.4). One thread.
 */
#pragma once

#include "tui/text/highlight.h"
#include "tui/text/md_flow.h"
#include "tui/text/md_spans.h"
#include "tui/text/md_table.h"

typedef struct MdCode {
    const HighlightLanguage *language;
    uint32_t state;
    bool is_markdown;     // tables in it are tables
    bool is_bare;         // it began with a table: its marks are not shown
    bool is_shown;        // its first mark is
    char *opening;        // the mark, with the language
    GString *held;        // a line that may be the head of a table
    unsigned blank_lines; // that count when another line follows
} MdCode;

typedef struct MdMeasure { // a part of a text that grows at its end and is cut at its start
    size_t from, to;
    int cells;
} MdMeasure;

typedef struct MdDoc {
    MdFlow flow;
    MdLeaf leaf;
    MdFence fence;
    Style style;
    bool has_links;
    bool is_preview; // it learns nothing for later
    GHashTable *definitions;
    size_t parsed_bytes;

    GString *raw; // of a paragraph: what was not laid out
    MdSpans spans;
    MdMeasure open;      // what the first open span goes on for
    bool is_lone;        // its first line, which may be a heading or the head of a table
    bool is_html;        // its last line begins with a tag
    unsigned end_blanks; // of its last line
    MdCode code;
    MdTable *table; // NULL: none is open
} MdDoc;

void md_doc_init(MdDoc *self, Style style, bool has_links);
/* As it is, but for an open table; the rows are new ones. */
void md_doc_init_copy(MdDoc *self, const MdDoc *like);
void md_doc_clear(MdDoc *self);

void md_begin_paragraph(MdDoc *self, const char *text, size_t size, bool is_lone);
void md_add_line(MdDoc *self, const char *text, size_t size); // the next line
void md_add_text(MdDoc *self, const char *text, size_t size); // more of the last line
void md_settle_paragraph(MdDoc *self);
void md_add_heading(MdDoc *self, const char *text, size_t size, unsigned level);
void md_make_heading(MdDoc *self, unsigned level); // of the lone line
void md_add_rule(MdDoc *self);

/* `line` is the rest of the line of a fence; NULL: indented code. */
void md_begin_code(MdDoc *self, const char *line, size_t size);
void md_add_code_line(MdDoc *self, const char *text, size_t size);
void md_add_code_text(MdDoc *self, const char *text, size_t size); // a part of a long line
void md_end_code_line(MdDoc *self);
void md_end_fence(MdDoc *self);

/* The lone line is the head of a table. */
bool md_begin_table(MdDoc *self, const char *delimiter, size_t size);
void md_add_table_line(MdDoc *self, const char *text, size_t size);

void md_end_leaf(MdDoc *self);
