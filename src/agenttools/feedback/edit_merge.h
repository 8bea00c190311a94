/*
 * Three-way merge of texts by lines (agent-tools-cli §5.1), for an edit of a file that changed
 * meanwhile. Starts nothing; pure; thread safe.
 */
#pragma once

#include "base/json.h"

typedef struct LineRange { // 1-based, `last` included
    size_t first, last;
} LineRange;

/* What leads from `base` to `theirs`, done to `ours`. Changes with at least one unchanged line
   between them are both kept, and so are equal ones. *ret_text is the result, and NULL when there
   are conflicts; *ret_conflicts is then the array of LineRange of `ours` that both sides changed
   (where ours deleted all: the line before), and NULL otherwise. Both belong to the caller. */
void edit_merge(const char *ours, const char *base, const char *theirs, char **ret_text,
                GArray **ret_conflicts);

/* The lines of `after` (LineRange) that `before` does not have; of lines that were only deleted
   the one that is before them. Caller unrefs. */
GArray *edit_merge_changed(const char *before, const char *after);

/* "9-12, 40"; caller frees. */
char *line_ranges_text(const GArray *ranges);
/* [[9,12],[40,40]]; new reference. */
json_t *line_ranges_json(const GArray *ranges);
