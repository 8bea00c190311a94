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
} DiffPlace;

const char *diff_place_name(DiffPlace place);  // "line_not_in_diff"; NULL for the first two
const char *diff_place_words(DiffPlace place); // "line is not part of the diff"

typedef struct DiffPlaces DiffPlaces;

/* `files` is GitHub's list, of which nothing is kept. */
DiffPlaces *diff_places_new(const json_t *files);
void diff_places_free(DiffPlaces *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DiffPlaces, diff_places_free)

typedef struct DiffSpot { // borrowed; a comment's place
    const char *path;
    const char *side; // "RIGHT", "LEFT"
    int64_t line;
    const char *start_side;
    int64_t start_line; // 0: one line
} DiffSpot;

bool diff_places_has_path(const DiffPlaces *self, const char *path);
/* *ret_nearest is the commentable line of that file and side that is nearest to the line (or start
   line) that is not; 0: there is none, or it does not matter. */
DiffPlace diff_places_find(const DiffPlaces *self, const DiffSpot *spot, int64_t *ret_nearest);
/* "9-15, 62-70": the lines of a side that can be commented; "" for none, or when GitHub shows no
   diff of the file. Caller frees. */
char *diff_places_ranges(const DiffPlaces *self, const char *path, const char *side);
/* The paths that can be commented, in GitHub's order; NULL-terminated, each borrowed. Caller frees
   the vector with g_free(). */
const char **diff_places_paths(const DiffPlaces *self);
