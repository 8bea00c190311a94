/*
 * The hunks of a pull request's files (diff_places.h).
 *
 * On each side a hunk's lines follow one another without a gap: context and added lines have new
 * numbers, context and removed lines old ones. So a hunk is two ranges, counted from its body.
 */
#include "github/pulls/diff_places.h"

#include "base/line_diff.h"

typedef struct Range {
    int64_t first, count;
} Range;

typedef struct Hunk {
    Range left, right;
} Hunk;

typedef struct File {
    char *old_path; // NULL: the same
    GArray *hunks;  // of Hunk; NULL: no patch
} File;

struct DiffPlaces {
    GHashTable *files;     // new path → File
    GHashTable *old_paths; // old path of a renamed file → File, borrowed
    GPtrArray *order;      // of the new paths, borrowed
};

const char *diff_place_name(DiffPlace place)
{
    static const char *const names[] = {
        [PLACE_OK] = NULL,
        [PLACE_UNVERIFIABLE] = NULL,
        [PLACE_PATH_NOT_IN_DIFF] = "path_not_in_diff",
        [PLACE_LINE_NOT_IN_DIFF] = "line_not_in_diff",
        [PLACE_START_LINE_NOT_IN_DIFF] = "start_line_not_in_diff",
        [PLACE_DIFFERENT_HUNKS] = "different_hunks",
    };
    return names[place];
}

const char *diff_place_words(DiffPlace place)
{
    static const char *const words[] = {
        [PLACE_OK] = "line is part of the diff",
        [PLACE_UNVERIFIABLE] = "GitHub shows no diff of the file",
        [PLACE_PATH_NOT_IN_DIFF] = "file is not part of the diff",
        [PLACE_LINE_NOT_IN_DIFF] = "line is not part of the diff",
        [PLACE_START_LINE_NOT_IN_DIFF] = "start line is not part of the diff",
        [PLACE_DIFFERENT_HUNKS] = "start line and line are in different hunks",
    };
    return words[place];
}

static void file_free(void *data)
{
    File *self = data;
    if (self->hunks)
        g_array_unref(self->hunks);
    g_free(self->old_path);
    g_free(self);
}

static GArray *read_hunks(const char *patch)
{
    GArray *hunks = g_array_new(FALSE, FALSE, sizeof(Hunk));
    for (const char *line = patch; *line;) {
        HunkHead head;
        if (hunk_head_read(line, &head)) {
            const Hunk hunk = {
                .left = { .first = head.old_start },
                .right = { .first = head.new_start },
            };
            g_array_append_val(hunks, hunk);
        } else if (hunks->len > 0) {
            Hunk *hunk = &g_array_index(hunks, Hunk, hunks->len - 1);
            hunk->left.count += *line == ' ' || *line == '-' || *line == '\n';
            hunk->right.count += *line == ' ' || *line == '+' || *line == '\n';
        }
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : line + strlen(line);
    }
    return hunks;
}

DiffPlaces *diff_places_new(const json_t *files)
{
    DiffPlaces *self = g_new0(DiffPlaces, 1);
    self->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, file_free);
    self->old_paths = g_hash_table_new(g_str_hash, g_str_equal);
    self->order = g_ptr_array_new();
    json_each (files, i, item) {
        const char *path = json_get_text(item, "filename");
        const char *patch = json_get_text(item, "patch");
        if (!path || g_hash_table_contains(self->files, path))
            continue;
        File *file = g_new0(File, 1);
        file->old_path = g_strdup(json_get_text(item, "previous_filename"));
        file->hunks = patch ? read_hunks(patch) : NULL;
        char *key = g_strdup(path);
        g_hash_table_insert(self->files, key, file);
        g_ptr_array_add(self->order, key);
        if (file->old_path)
            g_hash_table_insert(self->old_paths, file->old_path, file);
    }
    return self;
}

void diff_places_free(DiffPlaces *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->order);
    g_hash_table_unref(self->old_paths);
    g_hash_table_unref(self->files);
    g_free(self);
}

bool diff_places_has_path(const DiffPlaces *self, const char *path)
{
    return g_hash_table_contains(self->files, path);
}

static bool is_left(const char *side)
{
    return strcmp(side, "LEFT") == 0;
}

/* Index of the hunk that has the line; -1: none. */
static int find_hunk(const File *file, const char *side, int64_t line)
{
    for (unsigned i = 0; i < file->hunks->len; i++) {
        const Hunk *hunk = &g_array_index(file->hunks, Hunk, i);
        const Range *range = is_left(side) ? &hunk->left : &hunk->right;
        if (line >= range->first && line < range->first + range->count)
            return (int)i;
    }
    return -1;
}

static int64_t nearest_line(const File *file, const char *side, int64_t line)
{
    int64_t best = 0;
    for (unsigned i = 0; i < file->hunks->len; i++) {
        const Hunk *hunk = &g_array_index(file->hunks, Hunk, i);
        const Range *range = is_left(side) ? &hunk->left : &hunk->right;
        if (range->count == 0)
            continue;
        int64_t near = CLAMP(line, range->first, range->first + range->count - 1);
        if (best == 0 || ABS(near - line) < ABS(best - line))
            best = near;
    }
    return best;
}

/* The old name of a renamed file is good for its old lines. NULL: there is none. */
static const File *find_file(const DiffPlaces *self, const char *path, const char *side)
{
    const File *file = g_hash_table_lookup(self->files, path);
    return file || !is_left(side) ? file : g_hash_table_lookup(self->old_paths, path);
}

char *diff_places_ranges(const DiffPlaces *self, const char *path, const char *side)
{
    const File *file = find_file(self, path, side);
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; file && file->hunks && i < file->hunks->len; i++) {
        const Hunk *hunk = &g_array_index(file->hunks, Hunk, i);
        const Range *range = is_left(side) ? &hunk->left : &hunk->right;
        if (range->count == 0)
            continue;
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, text->len > 0 ? ", " : "",
                               range->first);
        if (range->count > 1)
            g_string_append_printf(text, "-%" G_GINT64_FORMAT, range->first + range->count - 1);
    }
    return g_string_free(text, false);
}

const char **diff_places_paths(const DiffPlaces *self)
{
    const char **paths = g_new0(const char *, self->order->len + 1);
    for (unsigned i = 0; i < self->order->len; i++)
        paths[i] = self->order->pdata[i];
    return paths;
}

DiffPlace diff_places_find(const DiffPlaces *self, const DiffSpot *spot, int64_t *ret_nearest)
{
    *ret_nearest = 0;
    const File *file = find_file(self, spot->path, spot->side);
    if (!file)
        return PLACE_PATH_NOT_IN_DIFF;
    if (!file->hunks)
        return PLACE_UNVERIFIABLE;
    int end = find_hunk(file, spot->side, spot->line);
    if (end < 0) {
        *ret_nearest = nearest_line(file, spot->side, spot->line);
        return PLACE_LINE_NOT_IN_DIFF;
    }
    if (spot->start_line == 0)
        return PLACE_OK;
    int start = find_hunk(file, spot->start_side, spot->start_line);
    if (start < 0) {
        *ret_nearest = nearest_line(file, spot->start_side, spot->start_line);
        return PLACE_START_LINE_NOT_IN_DIFF;
    }
    return start == end ? PLACE_OK : PLACE_DIFFERENT_HUNKS;
}
