/*
 * Line diff after Myers ("An O(ND) difference algorithm", 1986), in its linear-space form: find a
 * point in the middle of a shortest edit path from both ends, then go on with both halves.
 *
 * Before that goes what is cheap to know: the same lines at both ends, and lines that the other
 * text does not have at all. So two texts without anything in common cost no search.
 */
#include "base/line_diff.h"

#include "base/str.h"

#include <stdint.h>

#define CONTEXT_LINES 3
#define MAX_COST      4096 // edits from each end; what differs more is shown as replaced whole
#define MAX_STEPS     ((int64_t)200 * 1000 * 1000) // of all searches together: about a second

/* The lines of one text that take part in the search. */
typedef struct Side {
    DiffLine *lines;
    uint32_t *ids;     // the same id is the same line; in both texts
    uint32_t *numbers; // in `lines`
    size_t count;
} Side;

typedef struct Search {
    Side before, after;
    int64_t *forward, *backward; // furthest x on each diagonal x - y
    int64_t steps;               // taken so far
} Search;

static DiffLine *line_diff_split(const char *text, size_t *ret_count)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(DiffLine));
    const char *end = text + strlen(text);
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        DiffLine line = {
            .text = text,
            .size = (size_t)(stop - text),
            .has_newline = newline != NULL,
        };
        g_array_append_val(lines, line);
        text = newline ? newline + 1 : end;
    }
    *ret_count = lines->len;
    return (DiffLine *)(void *)g_array_free(lines, FALSE);
}

static gboolean is_same_line(const void *a_, const void *b_)
{
    const DiffLine *a = a_, *b = b_;
    return a->size == b->size && a->has_newline == b->has_newline &&
           memcmp(a->text, b->text, a->size) == 0;
}

static unsigned hash_line(const void *line_)
{
    const DiffLine *line = line_;
    unsigned hash = 5381;
    for (size_t i = 0; i < line->size; i++)
        hash = hash * 33 + (unsigned char)line->text[i];
    return hash;
}

typedef struct Box { // before[x0..x1) against after[y0..y1)
    int64_t x0, x1, y0, y1;
} Box;

/* How far `cost` edits lead from one corner of a box, on the diagonals low … high. Only every
   second one belongs to a cost; beyond both ends stands a value that is never chosen. */
typedef struct Frontier {
    int64_t *x; // by diagonal
    int64_t low, high;
} Frontier;

static void frontier_widen(Frontier *self, const Box *box, int64_t never)
{
    if (self->low > box->x0 - box->y1) {
        self->low--;
        self->x[self->low - 1] = never;
    } else {
        self->low++; // diagonals outside the box are left out
    }
    if (self->high < box->x1 - box->y0) {
        self->high++;
        self->x[self->high + 1] = never;
    } else {
        self->high--;
    }
}

static bool has_diagonal(const Frontier *self, int64_t k)
{
    return k >= self->low && k <= self->high;
}

static bool is_same(const Search *self, int64_t x, int64_t y)
{
    return self->before.ids[x] == self->after.ids[y];
}

/* One more edit from the start. True when that meets the search from the end, at *ret_x, *ret_y. */
static bool step_forward(Search *self, const Box *box, Frontier *ours, const Frontier *theirs,
                         bool is_odd, int64_t *ret_x, int64_t *ret_y)
{
    frontier_widen(ours, box, -1);
    for (int64_t k = ours->high; k >= ours->low; k -= 2) {
        int64_t from = MAX(ours->x[k - 1] + 1, ours->x[k + 1]);
        int64_t x = from;
        while (x < box->x1 && x - k < box->y1 && is_same(self, x, x - k))
            x++;
        ours->x[k] = x;
        self->steps += x - from + 1;
        if (is_odd && has_diagonal(theirs, k) && theirs->x[k] <= x) {
            *ret_x = x;
            *ret_y = x - k;
            return true;
        }
    }
    return false;
}

/* One more edit from the end. */
static bool step_backward(Search *self, const Box *box, Frontier *ours, const Frontier *theirs,
                          bool is_odd, int64_t *ret_x, int64_t *ret_y)
{
    frontier_widen(ours, box, INT64_MAX);
    for (int64_t k = ours->high; k >= ours->low; k -= 2) {
        int64_t from = MIN(ours->x[k - 1], ours->x[k + 1] - 1);
        int64_t x = from;
        while (x > box->x0 && x - k > box->y0 && is_same(self, x - 1, x - k - 1))
            x--;
        ours->x[k] = x;
        self->steps += from - x + 1;
        if (!is_odd && has_diagonal(theirs, k) && theirs->x[k] >= x) {
            *ret_x = x;
            *ret_y = x - k;
            return true;
        }
    }
    return false;
}

/* A point on a shortest path through the box; false when it would take too long to find. */
static bool find_middle(Search *self, const Box *box, int64_t *ret_x, int64_t *ret_y)
{
    int64_t start = box->x0 - box->y0, end = box->x1 - box->y1;
    Frontier forward = { self->forward, start, start };
    Frontier backward = { self->backward, end, end };
    forward.x[start] = box->x0;
    backward.x[end] = box->x1;
    bool is_odd = ((start - end) & 1) != 0;
    for (int cost = 0; cost < MAX_COST && self->steps < MAX_STEPS; cost++) {
        if (step_forward(self, box, &forward, &backward, is_odd, ret_x, ret_y) ||
            step_backward(self, box, &backward, &forward, is_odd, ret_x, ret_y))
            return true;
    }
    return false;
}

static void mark_changed(const Side *side, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++)
        side->lines[side->numbers[i]].is_changed = true;
}

static void search_mark(Search *self, Box box)
{
    while (box.x0 < box.x1 && box.y0 < box.y1 && is_same(self, box.x0, box.y0)) {
        box.x0++;
        box.y0++;
    }
    while (box.x0 < box.x1 && box.y0 < box.y1 && is_same(self, box.x1 - 1, box.y1 - 1)) {
        box.x1--;
        box.y1--;
    }
    int64_t x, y;
    if (box.x0 == box.x1 || box.y0 == box.y1 || !find_middle(self, &box, &x, &y)) {
        mark_changed(&self->before, box.x0, box.x1);
        mark_changed(&self->after, box.y0, box.y1);
        return;
    }
    search_mark(self, (Box) { box.x0, x, box.y0, y });
    search_mark(self, (Box) { x, box.x1, y, box.y1 });
}

/* Numbers the lines from..to of `lines` by their text; ids count from 1. */
static uint32_t *number_lines(GHashTable *ids, DiffLine *lines, size_t from, size_t to)
{
    uint32_t *numbers = g_new(uint32_t, to - from + 1);
    for (size_t i = from; i < to; i++) {
        void *id = g_hash_table_lookup(ids, &lines[i]);
        if (!id) {
            id = GUINT_TO_POINTER(g_hash_table_size(ids) + 1);
            g_hash_table_insert(ids, &lines[i], id);
        }
        numbers[i - from] = GPOINTER_TO_UINT(id);
    }
    return numbers;
}

static bool *ids_in(const uint32_t *ids, size_t count, size_t id_count)
{
    bool *is_there = g_new0(bool, id_count + 1);
    for (size_t i = 0; i < count; i++)
        is_there[ids[i]] = true;
    return is_there;
}

/* Takes `ids`, of the lines from `from` on. Lines that the other text does not have are marked as
   changed and left out. */
static Side side_of(DiffLine *lines, size_t from, uint32_t *ids, size_t count, const bool *in_other)
{
    Side self = { .lines = lines, .ids = ids, .numbers = g_new(uint32_t, count + 1) };
    for (size_t i = 0; i < count; i++) {
        if (!in_other[ids[i]]) {
            lines[from + i].is_changed = true;
            continue;
        }
        self.ids[self.count] = ids[i];
        self.numbers[self.count++] = (uint32_t)(from + i);
    }
    return self;
}

/* before[start..before_end) against after[start..after_end). */
static void line_diff_compare(LineDiff *diff, size_t start, size_t before_end, size_t after_end)
{
    g_autoptr(GHashTable) ids = g_hash_table_new(hash_line, is_same_line);
    uint32_t *before_ids = number_lines(ids, diff->before, start, before_end);
    uint32_t *after_ids = number_lines(ids, diff->after, start, after_end);
    size_t before_count = before_end - start, after_count = after_end - start;
    g_autofree bool *in_before = ids_in(before_ids, before_count, g_hash_table_size(ids));
    g_autofree bool *in_after = ids_in(after_ids, after_count, g_hash_table_size(ids));
    Search search = {
        .before = side_of(diff->before, start, before_ids, before_count, in_after),
        .after = side_of(diff->after, start, after_ids, after_count, in_before),
    };
    // diagonals go from -after to before, and one more at both ends
    size_t diagonals = search.before.count + search.after.count + 5;
    g_autofree int64_t *forward = g_new(int64_t, diagonals);
    g_autofree int64_t *backward = g_new(int64_t, diagonals);
    search.forward = forward + search.after.count + 2;
    search.backward = backward + search.after.count + 2;
    search_mark(&search, (Box) { 0, (int64_t)search.before.count, 0, (int64_t)search.after.count });
    g_free(search.before.ids);
    g_free(search.before.numbers);
    g_free(search.after.ids);
    g_free(search.after.numbers);
}

LineDiff *line_diff_new(const char *before, const char *after)
{
    LineDiff *self = g_new0(LineDiff, 1);
    self->before = line_diff_split(before, &self->before_count);
    self->after = line_diff_split(after, &self->after_count);
    g_assert(self->before_count < UINT32_MAX / 2 && self->after_count < UINT32_MAX / 2);
    size_t start = 0, before_end = self->before_count, after_end = self->after_count;
    while (start < before_end && start < after_end &&
           is_same_line(&self->before[start], &self->after[start]))
        start++;
    while (before_end > start && after_end > start &&
           is_same_line(&self->before[before_end - 1], &self->after[after_end - 1])) {
        before_end--;
        after_end--;
    }
    line_diff_compare(self, start, before_end, after_end);
    return self;
}

void line_diff_free(LineDiff *self)
{
    if (!self)
        return;
    g_free(self->before);
    g_free(self->after);
    g_free(self);
}

bool line_diff_next(const LineDiff *self, LineChange *change)
{
    size_t x = change->before + change->deleted, y = change->after + change->added;
    while (x < self->before_count && y < self->after_count && !self->before[x].is_changed &&
           !self->after[y].is_changed) {
        x++;
        y++;
    }
    *change = (LineChange) { .before = x, .after = y };
    while (x < self->before_count && self->before[x].is_changed)
        x++;
    while (y < self->after_count && self->after[y].is_changed)
        y++;
    change->deleted = x - change->before;
    change->added = y - change->after;
    return change->deleted > 0 || change->added > 0;
}

bool line_diff_next_hunk(const LineDiff *self, LineChange *hunk)
{
    LineChange change = *hunk;
    if (!line_diff_next(self, &change))
        return false;
    size_t head = MIN(change.before, CONTEXT_LINES);
    LineChange last = change;
    hunk->before = change.before - head;
    hunk->after = change.after - head;
    while (line_diff_next(self, &change) &&
           change.before - last.before - last.deleted <= 2 * CONTEXT_LINES)
        last = change;
    size_t end = last.before + last.deleted;
    size_t tail = MIN(self->before_count - end, CONTEXT_LINES);
    hunk->deleted = end + tail - hunk->before;
    hunk->added = last.after + last.added + tail - hunk->after;
    return true;
}

void line_diff_append_lines(const LineDiff *self, const LineChange *hunk, bool is_numbered,
                            GString *out)
{
    size_t x = hunk->before, y = hunk->after, end = x + hunk->deleted;
    while (x < end || y < hunk->after + hunk->added) {
        bool is_deleted = x < end && self->before[x].is_changed;
        bool is_added = !is_deleted && y < self->after_count && self->after[y].is_changed;
        const DiffLine *line = is_added ? &self->after[y] : &self->before[x];
        x += !is_added;
        y += !is_deleted;
        g_string_append_c(out, is_deleted ? '-' : is_added ? '+' : ' ');
        if (is_numbered)
            g_string_append_printf(out, "%zu|", is_added ? y : x);
        g_string_append_len(out, line->text, (gssize)line->size);
        g_string_append(out, line->has_newline ? "\n" : "\n\\ No newline at end of file\n");
    }
}

/* "8,3"; a single line needs no count, and no line is numbered by the one before. */
static void append_range(GString *out, char sign, size_t from, size_t count)
{
    g_string_append_printf(out, "%c%zu", sign, from + (count > 0));
    if (count != 1)
        g_string_append_printf(out, ",%zu", count);
}

static void append_hunk(GString *out, const LineDiff *diff, const LineChange *hunk)
{
    g_string_append(out, "@@ ");
    append_range(out, '-', hunk->before, hunk->deleted);
    g_string_append_c(out, ' ');
    append_range(out, '+', hunk->after, hunk->added);
    g_string_append(out, " @@\n");
    line_diff_append_lines(diff, hunk, false, out);
}

static void append_name(GString *out, const char *prefix, const char *path)
{
    g_autofree char *name = g_strconcat(prefix, path, NULL);
    bool is_plain = true;
    for (const char *p = name; *p; p++)
        is_plain = is_plain && !g_ascii_iscntrl(*p) && *p != '"';
    if (is_plain) {
        g_string_append_printf(out, "%s\n", name);
        return;
    }
    g_autofree char *escaped = g_strescape(name, NULL);
    g_string_append_printf(out, "\"%s\"\n", escaped);
}

char *line_diff_unified(const char *before, const char *after, const char *path)
{
    g_autoptr(LineDiff) diff = line_diff_new(before, after);
    GString *out = g_string_new(NULL);
    LineChange hunk = { 0 };
    while (line_diff_next_hunk(diff, &hunk)) {
        if (out->len == 0) {
            g_string_append(out, "--- ");
            append_name(out, "a/", path);
            g_string_append(out, "+++ ");
            append_name(out, "b/", path);
        }
        append_hunk(out, diff, &hunk);
    }
    return g_string_free(out, FALSE);
}

// ---- heads of hunks ----

/* "12,3" or "12" after `mark`; *at is then after it. */
static bool hunk_head_range(const char **at, const char *mark, int64_t *ret_start,
                            int64_t *ret_count)
{
    if (!str_has_prefix(*at, mark))
        return false;
    const char *start = *at + strlen(mark);
    char *end = NULL;
    *ret_start = g_ascii_isdigit(*start) ? g_ascii_strtoll(start, &end, 10) : -1;
    *ret_count = 1;
    if (end && *end == ',') {
        start = end + 1;
        *ret_count = g_ascii_isdigit(*start) ? g_ascii_strtoll(start, &end, 10) : -1;
    }
    *at = end;
    return *ret_start >= 0 && *ret_count >= 0;
}

bool hunk_head_read(const char *line, HunkHead *ret_head)
{
    HunkHead head;
    if (!hunk_head_range(&line, "@@ -", &head.old_start, &head.old_count) ||
        !hunk_head_range(&line, " +", &head.new_start, &head.new_count) ||
        !str_has_prefix(line, " @@"))
        return false;
    *ret_head = head;
    return true;
}
