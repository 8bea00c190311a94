/*
 * The blocks of Markdown, a line at a time (tui §5.4): which quotes and list items a line goes on
 * with, which ones it begins, and what it is inside them. Pure; linear in the line.
 *
 * It is CommonMark, but for what would have to look back: a heading that is underlined and the head
 * of a table have one line, a link definition has one line, and HTML is text.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

enum {
    MD_DEPTH = 16,        // quotes and items in one another; what is deeper is text
    MD_LINE_BYTES = 4096, // of a heading, a row of a table, …; a longer line is text
    MD_TABLE_COLUMNS = 64,
};

typedef struct MdContainer {
    bool is_item;   // else a quote
    bool is_marked; // its mark has been drawn
    char mark;      // of an item: - * + . )
    char task;      // ' ', 'x'; 0: none
    unsigned number;
    unsigned indent; // of an item's further lines
} MdContainer;

typedef enum {
    MD_LEAF_NONE,
    MD_LEAF_PARAGRAPH,
    MD_LEAF_FENCE,
    MD_LEAF_INDENTED,
    MD_LEAF_TABLE
} MdLeaf;

typedef struct MdFence {
    char mark;
    unsigned count;
    unsigned indent;
} MdFence;

typedef struct MdState { // what a line comes to
    const MdContainer *containers;
    unsigned depth;
    MdLeaf leaf;
    MdFence fence; // of MD_LEAF_FENCE
} MdState;

typedef enum {
    MD_LINE_BLANK,
    MD_LINE_TEXT,
    MD_LINE_HEADING,
    MD_LINE_RULE,
    MD_LINE_FENCE,
    MD_LINE_CODE, // inside a fence
    MD_LINE_FENCE_END,
    MD_LINE_INDENTED,
    MD_LINE_DEFINITION,
} MdLineKind;

typedef struct MdPlan {
    MdLineKind kind;
    unsigned matched; // containers that go on
    MdContainer added[MD_DEPTH];
    unsigned added_count;
    const char *text; // what is left of the line; without the marks of a heading
    size_t size;
    unsigned level; // of a heading
    MdFence fence;
} MdPlan;

void md_plan_line(const MdState *state, const char *line, size_t size, MdPlan *ret_plan);
/* `line` is the beginning of one: it is text, whatever follows. */
bool md_plan_is_surely_text(const MdPlan *plan);

/* 1 or 2 for a line of = or -, else 0. */
unsigned md_setext_level(const char *text, size_t size);
/* The columns of a line such as "| --- | :-: |"; 0: it is none. */
unsigned md_delimiter_columns(const char *text, size_t size);
/* "[label]: destination "title"": where the label is; not a footnote. */
bool md_definition(const char *text, size_t size, const char **ret_label, size_t *ret_size);
