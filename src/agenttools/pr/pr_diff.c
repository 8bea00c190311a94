/*
 * The hunks of a pull request's files (pr_diff.h).
 *
 * On each side a hunk's lines follow one another without a gap: context and added lines have new
 * numbers, context and removed lines old ones. So a hunk is two ranges, counted from its body.
 */
#include "agenttools/pr/pr_diff.h"

#include "base/str.h"

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

struct PrDiff {
    GHashTable *files;     // new path → File
    GHashTable *old_paths; // old path of a renamed file → File, borrowed
};

const char *pr_place_name(PrPlace place)
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

const char *pr_place_words(PrPlace place)
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

/* The number after `mark` in "@@ -10,3 +12,4 @@". */
static int64_t header_number(const char *header, char mark)
{
    const char *start = strchr(header, mark);
    int64_t number = 0;
    if (!start)
        return 0;
    g_autofree char *digits = g_strndup(start + 1, strspn(start + 1, "0123456789"));
    return str_parse_int(digits, &number) ? number : 0;
}

static GArray *read_hunks(const char *patch)
{
    GArray *hunks = g_array_new(FALSE, FALSE, sizeof(Hunk));
    for (const char *line = patch; *line;) {
        if (g_str_has_prefix(line, "@@ ")) {
            const Hunk hunk = {
                .left = { .first = header_number(line, '-') },
                .right = { .first = header_number(line, '+') },
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

PrDiff *pr_diff_new(const json_t *files)
{
    PrDiff *self = g_new0(PrDiff, 1);
    self->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, file_free);
    self->old_paths = g_hash_table_new(g_str_hash, g_str_equal);
    size_t i;
    json_t *item;
    json_array_foreach (files, i, item) {
        const char *path = json_get_text(item, "filename");
        const char *patch = json_get_text(item, "patch");
        if (!path || g_hash_table_contains(self->files, path))
            continue;
        File *file = g_new0(File, 1);
        file->old_path = g_strdup(json_get_text(item, "previous_filename"));
        file->hunks = patch ? read_hunks(patch) : NULL;
        g_hash_table_insert(self->files, g_strdup(path), file);
        if (file->old_path)
            g_hash_table_insert(self->old_paths, file->old_path, file);
    }
    return self;
}

void pr_diff_free(PrDiff *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->old_paths);
    g_hash_table_unref(self->files);
    g_free(self);
}

bool pr_diff_has_path(const PrDiff *self, const char *path)
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

PrPlace pr_diff_place(const PrDiff *self, const PrSpot *spot, int64_t *ret_nearest)
{
    *ret_nearest = 0;
    const File *file = g_hash_table_lookup(self->files, spot->path);
    if (!file && is_left(spot->side)) // the old name of a renamed file is good for its old lines
        file = g_hash_table_lookup(self->old_paths, spot->path);
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
