/*
 * Where rows of Markdown go: after the marks of the quotes and items that they are in. A line that
 * grows gives out every row but its last. One thread.
 */
#pragma once

#include "tui/text/md_blocks.h"
#include "tui/text/row.h"

typedef struct MdFlow {
    int width;
    const Theme *theme; // borrowed; may be NULL
    Row *first, *rest;  // what the first row of the document begins with, and the others; NULL
    bool has_rows;
    MdContainer containers[MD_DEPTH]; // around what comes next
    unsigned depth;
    Style mark_style; // what marks are drawn on
    Row *carry;       // the last row of the line that grows; NULL: nothing
    bool line_has_rows;
    size_t laid_bytes; // that were wrapped, with those that were twice
    GPtrArray *out;    // owned
} MdFlow;

void md_flow_init(MdFlow *self, const MdFlow *like);
void md_flow_clear(MdFlow *self);

/* Cells of a row inside the marks; at least 1. */
int md_flow_room(const MdFlow *self);

/* Goes on with the line. */
void md_flow_add(MdFlow *self, const Row *text, bool is_code);
/* Its last row; an empty one when it had nothing. */
void md_flow_end_line(MdFlow *self, bool is_code);
/* One row, not wider than the room. */
void md_flow_put(MdFlow *self, const Row *row);
/* An empty row in the first `depth` containers. */
void md_flow_separate(MdFlow *self, unsigned depth);
/* Leaves the containers after the first `depth`. */
void md_flow_leave(MdFlow *self, unsigned depth);
