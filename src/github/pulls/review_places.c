/*
 * Where a pull request can be commented: asked before anything is posted, since GitHub refuses a
 * whole review for one wrong line, and does not say which.
 */
#include "base/visible.h"
#include "github/diff_places.h"
#include "github/gh.h"
#include "github/ops/run_fetch.h"
#include "github/pulls/review.h"

#define FILES_PER_PAGE 100
#define MAX_PAGES      30 // GitHub lists 3,000 files at most
#define SHOWN_PATHS    20
#define SHOWN_BYTES    ((size_t)2000) // of ranges

static bool has_all_paths(const GhReview *self, const json_t *files)
{
    for (guint i = 0; i < self->comments->len; i++) {
        const char *path = g_array_index(self->comments, GhReviewComment, i).path;
        bool is_there = false;
        size_t k;
        json_t *file;
        json_array_foreach (files, k, file)
            is_there = is_there || g_strcmp0(json_get_text(file, "filename"), path) == 0;
        if (!is_there)
            return false;
    }
    return true;
}

/* As many of the files as it takes to find those that are commented. */
static bool fetch_files(ToolCall *call, const GhReview *self, json_t **ret_files, GError **error)
{
    g_autoptr(json_t) files = json_array();
    g_autofree char *path =
        g_strdup_printf("/pulls/%" G_GINT64_FORMAT "/files", self->args->number);
    size_t entries = FILES_PER_PAGE;
    for (int page = 1; page <= MAX_PAGES && entries >= FILES_PER_PAGE; page++) {
        g_autofree char *number = g_strdup_printf("page=%d", page);
        g_auto(GStrv) argv = run_api_argv(self->repo, true, path, "per_page=100", number, NULL);
        const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
        g_autoptr(json_t) part = NULL;
        if (!gh_json(call, &spec, JSON_ARRAY, &part, error))
            return false;
        entries = json_array_size(part);
        json_array_extend(files, part);
        if (has_all_paths(self, files))
            break;
    }
    *ret_files = g_steal_pointer(&files);
    return true;
}

/* Caller frees. */
static char *list_paths(const DiffPlaces *places)
{
    g_autofree const char **paths = diff_places_paths(places);
    GString *text = g_string_new(NULL);
    size_t count = 0;
    for (; paths[count]; count++) {
        if (count >= SHOWN_PATHS)
            continue;
        g_string_append(text, count > 0 ? ", " : "");
        visible_append(text, paths[count]); // whoever made the pull request named them
    }
    if (count > SHOWN_PATHS)
        g_string_append_printf(text, " and %zu more", count - SHOWN_PATHS);
    return g_string_free(text, false);
}

/* "RIGHT 1-4, 9; LEFT 2". Caller frees. */
static char *list_ranges(const DiffPlaces *places, const char *path)
{
    g_autofree char *right = diff_places_ranges(places, path, "RIGHT");
    g_autofree char *left = diff_places_ranges(places, path, "LEFT");
    GString *text = g_string_new(NULL);
    if (*right != '\0')
        g_string_append_printf(text, "RIGHT %s", right);
    if (*left != '\0')
        g_string_append_printf(text, "%sLEFT %s", text->len > 0 ? "; " : "", left);
    if (text->len > SHOWN_BYTES) {
        g_string_truncate(text, SHOWN_BYTES); // digits only
        g_string_append(text, "…");
    }
    return g_string_free(text, false);
}

static bool fail_place(const DiffPlaces *places, const GhReviewComment *comment, DiffPlace place,
                       GError **error)
{
    g_autofree char *where = gh_review_place_text(comment);
    if (place == PLACE_PATH_NOT_IN_DIFF) {
        g_autofree char *paths = list_paths(places);
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "%s: the file is not part of the diff; nothing was posted. Files: %s",
                         where, *paths != '\0' ? paths : "none");
    }
    g_autofree char *ranges = list_ranges(places, comment->path);
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "%s: the %s; nothing was posted. Lines that can be commented: %s", where,
                     diff_place_words(place), *ranges != '\0' ? ranges : "none");
}

bool gh_review_check_places(ToolCall *call, const GhReview *self, GError **error)
{
    if (self->comments->len == 0)
        return true;
    g_autoptr(json_t) files = NULL;
    if (!fetch_files(call, self, &files, error))
        return false;
    g_autoptr(DiffPlaces) places = diff_places_new(files);
    for (guint i = 0; i < self->comments->len; i++) {
        const GhReviewComment *comment = &g_array_index(self->comments, GhReviewComment, i);
        const DiffSpot spot = {
            .path = comment->path,
            .side = comment->side,
            .line = comment->line,
            .start_side = comment->start_side,
            .start_line = comment->start_line,
        };
        int64_t nearest;
        DiffPlace place = PLACE_OK;
        if (comment->line > 0)
            place = diff_places_find(places, &spot, &nearest);
        else if (!diff_places_has_path(places, comment->path))
            place = PLACE_PATH_NOT_IN_DIFF;
        if (place != PLACE_OK && place != PLACE_UNVERIFIABLE)
            return fail_place(places, comment, place, error);
    }
    return true;
}
