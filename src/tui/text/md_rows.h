/*
 * The inside of one block of Markdown, by md4c: emphasis, code, links, bare addresses, entities;
 * HTML is text. Pure, but for the count.
 */
#pragma once

#include "tui/text/row.h"

typedef struct MdInline {
    Style style;
    bool has_links;          // the terminal shows them
    GHashTable *definitions; // label → its line (md_definition_key()); may be NULL
    size_t *parsed_bytes;    // counts what went to the parser; may be NULL
} MdInline;

/* Appends a Row of any length for each line of it: '\v' is a line end, '\n' and blanks are one
   blank. */
void md_inline_rows(const MdInline *spec, const char *text, size_t size, GPtrArray *out);

/* A label as definitions are found by it. Caller frees. */
char *md_definition_key(const char *label, size_t size);
