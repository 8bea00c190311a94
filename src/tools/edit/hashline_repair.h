/*
 * Payloads that repeat the lines around their place (agent-tools §3.3.4, boundary repair): models
 * do so to show where they are. Pure. Private to hashline_apply.c.
 */
#pragma once

#include "tools/edit/hashline_parse.h"
#include "tools/file/text_lines.h"

typedef struct HashlinePiece { // what is left to do of one operation
    const HashlineOp *op;
    size_t above, below; // how many lines of the text are in front of its place, and where those
                         // behind it begin (0-based)
    size_t from, to;     // of the payload: from <= i < to
} HashlinePiece;

/* Narrows the payload of each piece. `pieces`: of HashlinePiece, all those of the text. */
void hashline_repair(const GArray *lines, GArray *pieces, bool drops_runs, GPtrArray *warnings);
