/*
 * Where a pull request can be commented: asked before anything is posted, since GitHub refuses a
 * whole review for one wrong line, and does not say which.
 */
#include "base/visible.h"
#include "github/pulls/pull_link.h"
#include "github/pulls/review.h"

#define SHOWN_PATHS 20
#define SHOWN_BYTES ((size_t)2000) // of ranges

/* Are the files that are commented among those of the list so far? */
static bool has_all_paths(const json_t *files, const void *comments_)
{
    const GArray *comments = comments_;
    for (guint i = 0; i < comments->len; i++) {
        const char *path = g_array_index(comments, GhReviewComment, i).spot.path;
        bool is_there = false;
        json_each (files, k, file)
            is_there = is_there || g_strcmp0(json_get_text(file, "filename"), path) == 0;
        if (!is_there)
            return false;
    }
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
        visible_append(text, paths[count]); // the author of the pull request named them
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
    g_autofree char *ranges = list_ranges(places, comment->spot.path);
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "%s: the %s; nothing was posted. Lines that can be commented: %s", where,
                     diff_place_words(place), *ranges != '\0' ? ranges : "none");
}

bool gh_review_check_places(ToolCall *call, const GhReview *self, GError **error)
{
    if (self->comments->len == 0)
        return true;
    g_autofree char *path =
        g_strdup_printf("/pulls/%" G_GINT64_FORMAT "/files", self->args->number);
    g_auto(PullGh) gh = { 0 };
    g_autoptr(json_t) files = NULL;
    pull_gh_init(&gh, call, self->repo);
    if (!pull_gh_list(&gh, path, has_all_paths, self->comments, &files, error))
        return false;
    g_autoptr(DiffPlaces) places = diff_places_new(files);
    for (guint i = 0; i < self->comments->len; i++) {
        const GhReviewComment *comment = &g_array_index(self->comments, GhReviewComment, i);
        int64_t nearest;
        DiffPlace place = pull_comment_place(places, &comment->spot, &nearest);
        if (place != PLACE_OK && place != PLACE_UNVERIFIABLE)
            return fail_place(places, comment, place, error);
    }
    return true;
}
