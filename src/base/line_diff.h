/*
 * Line diff: which lines of two texts differ, the unified form of it, and the heads of hunks in
 * that of others. Pure; thread safe.
 *
 * The result is a shortest one as long as that is quick to find. Work is bounded: what differs in
 * more places than that is shown as replaced whole.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct DiffLine {
    const char *text; // borrowed from the text given; not terminated
    size_t size;      // without the newline
    bool has_newline;
    bool is_changed; // deleted from the old text, or added in the new one
} DiffLine;

typedef struct LineDiff { // lines that are not changed are the same on both sides, in order
    DiffLine *before, *after;
    size_t before_count, after_count;
} LineDiff;

/* Both texts must outlive the result. */
LineDiff *line_diff_new(const char *before, const char *after);
void line_diff_free(LineDiff *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LineDiff, line_diff_free)

/* `deleted` lines of the old text, from number `before` on, became `added` lines of the new one,
   from number `after` on. Numbers count from 0. */
typedef struct LineChange {
    size_t before, deleted, after, added;
} LineChange;

/* The change after *change, which begins as { 0 }. At the end false, with both numbers at the ends
   of the texts. */
bool line_diff_next(const LineDiff *self, LineChange *change);

/* The hunk after *hunk, which begins as { 0 }: changes near one another with 3 lines around them,
   all of which count as `deleted` and `added`. */
bool line_diff_next_hunk(const LineDiff *self, LineChange *hunk);

/* The lines of a hunk with their signs; `is_numbered`: as "+12|text", those that were added with
   their new number, others with their old one. */
void line_diff_append_lines(const LineDiff *self, const LineChange *hunk, bool is_numbered,
                            GString *out);

/* Unified diff with 3 lines of context and the headers "--- a/<path>" and "+++ b/<path>"; empty
   when nothing differs. Caller frees. */
char *line_diff_unified(const char *before, const char *after, const char *path);

/* "@@ -1,2 +3,4 @@ …": the first line on each side, from 1, and how many lines follow of it. */
typedef struct HunkHead {
    int64_t old_start, old_count, new_start, new_count;
} HunkHead;

/* `line` is terminated somewhere after its end. False: it is no such head. */
bool hunk_head_read(const char *line, HunkHead *ret_head);
