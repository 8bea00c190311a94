/*
 * How far the text of a paragraph that still grows can be laid out: up to the first emphasis, code
 * span, link or the like that is open (tui §5.4). It only says where text may be cut; what the
 * parts look like says md_rows.h. Plain data; each byte is looked at once, but inside of what is
 * open.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

enum {
    MD_OPENERS = 64,      // at once; the first one of more is a plain character
    MD_WORD_BYTES = 1024, // a longer one is cut
    MD_ADDRESS_BYTES = 2048,
};

typedef struct MdOpener {
    size_t at;
    char mark;
    unsigned count;
} MdOpener;

typedef struct MdSpans { // { 0 } at the start of a text
    size_t at;           // what comes before was looked at
    size_t safe;         // what comes before can be laid out
    MdOpener open[MD_OPENERS];
    unsigned open_count;
    size_t address; // where the address of a link that has not ended begins; 0: in none
} MdSpans;

/* After text was added: goes on. */
void md_spans_scan(MdSpans *self, const char *text, size_t size);
/* The first span that is open; false: none. */
bool md_spans_first_open(const MdSpans *self, size_t size, size_t *ret_at);
/* It will not end: its mark is a plain character. Scan again. */
void md_spans_drop_first(MdSpans *self, const char *text, size_t size);
/* The first `safe` bytes are gone from the text. */
void md_spans_take_safe(MdSpans *self);
/* Ends in `text` what is open, as it will look. */
void md_spans_close(const MdSpans *self, GString *text);
