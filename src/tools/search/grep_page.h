/*
 * A page of grep: which matches are on it, and how they are printed (agent-tools §3.8). Private to
 * the grep tool.
 *
 * All matches are in one order, whatever the page's size and offset: by path and line, in windows
 * of GREP_WINDOW, each window dealt out round robin among its files. A page is a slice of it.
 */
#pragma once

#include "tools/file/read_cache.h"
#include "tools/search/grep_search.h"

enum { GREP_WINDOW = 2000 };

typedef struct GrepPage {
    unsigned before, after; // lines of context
    unsigned size, offset;  // matches
    bool has_anchors;
} GrepPage;

typedef struct GrepPrinted {
    GString *text;
    json_t *files, *counts; // arrays: paths, and {path, count}
    GPtrArray *seen;        // of ReadSnapshot *, one for each of `files`, with has_anchors
    unsigned shown;         // matches
    bool has_more, has_cut_line;
} GrepPrinted;

void grep_printed_clear(GrepPrinted *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GrepPrinted, grep_printed_clear)

/* `found` is the window that holds the page's offset. The page ends earlier when its text would be
   over `max_bytes`, but not before its first match. */
void grep_page_print(const GrepFound *found, const GrepPage *page, const char *cwd,
                     bool is_one_file, size_t max_bytes, GrepPrinted *ret_printed);
