/*
 * Where a pull request can be commented (agent-tools-cli §2.6, step 3): the hunks of its files, as
 * GitHub lists them. Pure; thread safe once made.
 */
#pragma once

#include "base/json.h"

typedef enum {
    PLACE_OK,
    PLACE_UNVERIFIABLE, // the file is in the pull request, without a patch
    PLACE_PATH_NOT_IN_DIFF,
    PLACE_LINE_NOT_IN_DIFF,
    PLACE_START_LINE_NOT_IN_DIFF,
    PLACE_DIFFERENT_HUNKS,
} PrPlace;

const char *pr_place_name(PrPlace place);  // "line_not_in_diff"; NULL for the first two
const char *pr_place_words(PrPlace place); // "line is not part of the diff"

typedef struct PrDiff PrDiff;

/* `files` is GitHub's list, of which nothing is kept. */
PrDiff *pr_diff_new(const json_t *files);
void pr_diff_free(PrDiff *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PrDiff, pr_diff_free)

typedef struct PrSpot { // borrowed; a comment's place
    const char *path;
    const char *side; // "RIGHT", "LEFT"
    int64_t line;
    const char *start_side;
    int64_t start_line; // 0: one line
} PrSpot;

bool pr_diff_has_path(const PrDiff *self, const char *path);
/* *ret_nearest is the commentable line of that file and side that is nearest to the line (or start
   line) that is not; 0: there is none, or it does not matter. */
PrPlace pr_diff_place(const PrDiff *self, const PrSpot *spot, int64_t *ret_nearest);
