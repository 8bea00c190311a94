/*
 * Rows as bytes for a terminal, and where two of them differ (tui §4.2, §5.2, §12). Every piece
 * begins and ends in the default style with its link closed; control characters never get out.
 * Pure.
 */
#pragma once

#include "tui/text/row.h"

enum { LIMIT_LINK_BYTES = 2000 }; // of an address; text after a longer one is plain

typedef struct Look { // borrowed; what is NULL can do nothing
    const Theme *theme;
    const TermCaps *caps;
} Look;

typedef struct RowPiece {   // of a row
    size_t from, end;       // bytes
    int column, end_column; // cells
} RowPiece;

/* The piece's text. Where the terminal does not measure clusters as we do, the cursor is put where
   it belongs after each one that is in doubt. */
void row_bytes(const Row *row, RowPiece piece, Look look, GString *out);
RowPiece row_whole(const Row *row);

/* The piece of `now` to be written over `old`, up to where both look the same to their ends. */
RowPiece row_difference(const Row *old, const Row *now);

/* Then the terminal's cursor is surely where we think once it has been written. */
bool row_is_ascii(const Row *row, RowPiece piece);
/* From the byte `from` on it has a cluster that terminals disagree on. */
bool row_is_unsure(const Row *row, size_t from);
/* The rows that it takes on a terminal of `columns` that wraps it by itself. */
int row_wrapped_count(const Row *row, int columns);
