/*
 * Carrying out edits by anchors on the lines of a text (agent-tools §3.3.4). Pure; thread safe;
 * linear in the size of text and edits.
 */
#pragma once

#include "tools/edit/hashline_parse.h"
#include "tools/file/read_cache.h"
#include "tools/file/text_lines.h"

/* Compares every anchor with the line that it names. USAGE when there is no such line, or when two
   operations take the same one; else
   *ret_stale are the numbers, ascending, of lines that are not what the anchors say: of size_t,
   caller unrefs. `lines`: of TextLine. */
bool hashline_check(const GArray *lines, const GPtrArray *ops, GArray **ret_stale, GError **error);

/* The lines inside the ranges that go, which no anchor stands for: those that are not what was seen
   are added to `stale`, those that were not shown to `unseen`; both of size_t, and ascending then.
   `ops` have passed hashline_check(). `seen` may be NULL: nothing was shown. */
void hashline_check_inner(const GArray *lines, const GPtrArray *ops, const ReadSnapshot *seen,
                          GArray *stale, GArray *unseen);

/* The text that `ops`, which hashline_check() found nothing wrong with, make of `lines`. All
   numbers are those of `lines`. What a payload repeats of the lines around its place is left out,
   and `warnings` (of char *) says so; runs of an insertion only with `drops_runs`. `newlines` (may
   be NULL) are those that edit_ends_carry() takes. Caller frees. */
char *hashline_apply(const GArray *lines, const GPtrArray *ops, bool drops_runs,
                     GPtrArray *warnings, GArray *newlines);
