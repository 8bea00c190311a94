/*
 * Looking for a text in what the viewer shows: upper and lower case are the same, any blanks and
 * the ends of rows are one blank. One step looks through a limited part, so that a key never takes
 * long. A word that is divided by marks of Markdown in the middle is not found.
 */
#pragma once

#include "tui/view/viewer_rows.h"

enum {
    LIMIT_VIEWER_QUERY_BYTES = 1000,
    LIMIT_VIEWER_SEARCH_BYTES = 2 * 1024 * 1024, // laid out by one step
    LIMIT_VIEWER_SCAN_BYTES = 64 * 1024 * 1024,  // looked at before that
};

typedef struct ViewerSearch {
    char *query;        // as it is compared; NULL: none
    char *word;         // of it, that must be in a text before that is laid out; NULL: none
    ViewerPlace at;     // the place to go on from
    guint passed_items; // since the last one that was found
    bool is_backward;
    GByteArray *misses; // 1 for each item that was looked through and does not have it; NULL: none
} ViewerSearch;

typedef enum { SEARCH_FOUND, SEARCH_NOTHING, SEARCH_GOES_ON } SearchResult;

/* Clean text; what has only blanks ends the search. Where it has the query of before in it, items
   that did not have that are not looked through again. */
void viewer_search_set(ViewerSearch *self, const char *query, ViewerPlace from);
void viewer_search_clear(ViewerSearch *self);
/* The next place after, or before, self->at, around the ends; then self->at is there. GOES_ON: it
   has looked through its part, and another call goes on. */
SearchResult viewer_search_step(ViewerSearch *self, ViewerRows *rows, bool is_backward);
/* The row with what was looked for reversed. Caller unrefs. */
Row *viewer_search_mark(const ViewerSearch *self, const Row *row);
