/*
 * Markdown to rows while it arrives (tui §5.4). What is settled is given out once and never
 * changes; which rows that are follows from the text and the width alone, never from where pieces
 * end. Raw HTML is text. The cost is that of the block that is open. One thread at a time.
 */
#pragma once

#include "tui/text/row.h"

typedef struct MdSpec {
    int width;
    Style style;        // of plain text
    bool has_links;     // the terminal shows links; else the address follows the text
    const Theme *theme; // symbols; borrowed; may be NULL
    const Row *first;   // what the first row begins with, and the others; borrowed while it is
    const Row *rest;    // made; may be NULL
} MdSpec;

typedef struct MdStream MdStream;

MdStream *md_stream_new(const MdSpec *spec);
void md_stream_free(MdStream *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MdStream, md_stream_free)

void md_stream_push(MdStream *self, const char *text, size_t size); // clean
void md_stream_finish(MdStream *self);
/* What is settled stays; the rest is laid out at that width. */
void md_stream_set_width(MdStream *self, int width);

/* The theme before is not looked at any more. */
void md_stream_set_theme(MdStream *self, const Theme *theme);

/* Appends the rows that have settled since the last call. */
void md_stream_take_settled(MdStream *self, GPtrArray *out);
/* The unfinished end, as it looks now. */
void md_stream_open_rows(MdStream *self, GPtrArray *out);

/* How many bytes were looked at so far, those that were looked at twice counted twice: for tests of
   what hostile text costs. */
size_t md_stream_parsed_bytes(const MdStream *self);

/* A whole text. */
void md_rows(const char *text, const MdSpec *spec, GPtrArray *out);
