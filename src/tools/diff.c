/*
 * Line diff after Myers ("An O(ND) difference algorithm", 1986), in its linear-space form: find a
 * point in the middle of a shortest edit path from both ends, then go on with both halves.
 */
#include "tools/diff.h"

#include "base/limits.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define CONTEXT_LINES  4
#define DIFF_MAX_BYTES (256 * KIB)
#define MAX_COST       4096 // edits from each end; what differs more is shown as replaced whole

typedef struct Line {
    const char *text; // not terminated
    size_t size;      // without the newline
    bool has_newline;
    unsigned hash;
} Line;

typedef struct Side {
    Line *lines;
    size_t count;
    bool *is_changed; // deleted in the old text, added in the new one
} Side;

typedef struct Diff {
    Side before, after;
    int64_t *forward, *backward; // furthest x on each diagonal x - y
} Diff;

static Side side_of(const char *text)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(Line));
    while (*text) {
        const char *end = strchrnul(text, '\n');
        Line line = { .text = text, .size = (size_t)(end - text), .has_newline = *end == '\n' };
        line.hash = 5381;
        for (size_t i = 0; i < line.size; i++)
            line.hash = line.hash * 33 + (unsigned char)text[i];
        g_array_append_val(lines, line);
        text = line.has_newline ? end + 1 : end;
    }
    Side side = { .count = lines->len };
    side.is_changed = g_new0(bool, side.count + 1);
    side.lines = (Line *)(void *)g_array_free(lines, FALSE);
    return side;
}

static bool is_same(const Diff *self, int64_t x, int64_t y)
{
    const Line *a = &self->before.lines[x], *b = &self->after.lines[y];
    return a->hash == b->hash && a->size == b->size && a->has_newline == b->has_newline &&
           memcmp(a->text, b->text, a->size) == 0;
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

static void widen(Frontier *self, const Box *box, int64_t never)
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

/* One more edit from the start. True when that meets the search from the end, at *ret_x, *ret_y. */
static bool step_forward(const Diff *self, const Box *box, Frontier *ours, const Frontier *theirs,
                         bool is_odd, int64_t *ret_x, int64_t *ret_y)
{
    widen(ours, box, -1);
    for (int64_t k = ours->high; k >= ours->low; k -= 2) {
        int64_t x = MAX(ours->x[k - 1] + 1, ours->x[k + 1]);
        while (x < box->x1 && x - k < box->y1 && is_same(self, x, x - k))
            x++;
        ours->x[k] = x;
        if (is_odd && has_diagonal(theirs, k) && theirs->x[k] <= x) {
            *ret_x = x;
            *ret_y = x - k;
            return true;
        }
    }
    return false;
}

/* One more edit from the end. */
static bool step_backward(const Diff *self, const Box *box, Frontier *ours, const Frontier *theirs,
                          bool is_odd, int64_t *ret_x, int64_t *ret_y)
{
    widen(ours, box, INT64_MAX);
    for (int64_t k = ours->high; k >= ours->low; k -= 2) {
        int64_t x = MIN(ours->x[k - 1], ours->x[k + 1] - 1);
        while (x > box->x0 && x - k > box->y0 && is_same(self, x - 1, x - k - 1))
            x--;
        ours->x[k] = x;
        if (!is_odd && has_diagonal(theirs, k) && theirs->x[k] >= x) {
            *ret_x = x;
            *ret_y = x - k;
            return true;
        }
    }
    return false;
}

/* A point on a shortest path through the box; false when it would take too long to find. */
static bool find_middle(const Diff *self, const Box *box, int64_t *ret_x, int64_t *ret_y)
{
    int64_t start = box->x0 - box->y0, end = box->x1 - box->y1;
    Frontier forward = { self->forward, start, start };
    Frontier backward = { self->backward, end, end };
    forward.x[start] = box->x0;
    backward.x[end] = box->x1;
    bool is_odd = ((start - end) & 1) != 0;
    for (int cost = 0; cost < MAX_COST; cost++) {
        if (step_forward(self, box, &forward, &backward, is_odd, ret_x, ret_y) ||
            step_backward(self, box, &backward, &forward, is_odd, ret_x, ret_y))
            return true;
    }
    return false;
}

static void mark(Diff *self, Box box)
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
        memset(self->before.is_changed + box.x0, true, (size_t)(box.x1 - box.x0));
        memset(self->after.is_changed + box.y0, true, (size_t)(box.y1 - box.y0));
        return;
    }
    mark(self, (Box) { box.x0, x, box.y0, y });
    mark(self, (Box) { x, box.x1, y, box.y1 });
}

static void append_line(GString *out, char sign, size_t number, const Line *line)
{
    g_string_append_printf(out, "%c%zu|", sign, number);
    g_string_append_len(out, line->text, (gssize)line->size);
    g_string_append_c(out, '\n');
}

static void append_gap(GString *out, size_t number)
{
    g_string_append_printf(out, " %zu|...\n", number);
}

/* Kept lines old[from..to): those near a change, and a mark for the others. */
static void append_kept(GString *out, const Side *before, size_t from, size_t to, bool has_change)
{
    size_t head = from == 0 ? 0 : MIN(to - from, CONTEXT_LINES); // what precedes them is a change
    size_t tail = has_change ? MIN(to - from - head, CONTEXT_LINES) : 0;
    for (size_t i = from; i < from + head; i++)
        append_line(out, ' ', i + 1, &before->lines[i]);
    if (from + head < to - tail)
        append_gap(out, from + head + 1);
    for (size_t i = to - tail; i < to; i++)
        append_line(out, ' ', i + 1, &before->lines[i]);
}

static char *print(const Diff *self, size_t *ret_first_changed)
{
    const Side *before = &self->before, *after = &self->after;
    GString *out = g_string_new(NULL);
    size_t x = 0, y = 0;
    while (x < before->count || y < after->count) {
        size_t kept_from = x;
        while (x < before->count && !before->is_changed[x] && !after->is_changed[y]) {
            x++;
            y++;
        }
        bool has_change = x < before->count || y < after->count;
        append_kept(out, before, kept_from, x, has_change);
        if (has_change && *ret_first_changed == 0)
            *ret_first_changed = y + 1;
        for (; x < before->count && before->is_changed[x]; x++)
            append_line(out, '-', x + 1, &before->lines[x]);
        for (; y < after->count && after->is_changed[y]; y++)
            append_line(out, '+', y + 1, &after->lines[y]);
        if (out->len > DIFF_MAX_BYTES) {
            char *cut = g_utf8_make_valid(out->str, DIFF_MAX_BYTES);
            g_string_assign(out, cut);
            g_free(cut);
            g_string_append_c(out, '\n');
            append_gap(out, x + 1);
            break;
        }
    }
    if (out->len > 0)
        g_string_truncate(out, out->len - 1); // the last newline
    return g_string_free(out, FALSE);
}

char *diff_numbered(const char *before, const char *after, size_t *ret_first_changed)
{
    size_t first_changed = 0;
    char *text = NULL;
    if (strcmp(before, after) != 0) {
        Diff diff = { .before = side_of(before), .after = side_of(after) };
        // diagonals go from -after to before, and one more at both ends
        size_t diagonals = diff.before.count + diff.after.count + 5;
        g_autofree int64_t *forward = g_new(int64_t, diagonals);
        g_autofree int64_t *backward = g_new(int64_t, diagonals);
        diff.forward = forward + diff.after.count + 2;
        diff.backward = backward + diff.after.count + 2;
        mark(&diff, (Box) { 0, (int64_t)diff.before.count, 0, (int64_t)diff.after.count });
        text = print(&diff, &first_changed);
        g_free(diff.before.lines);
        g_free(diff.before.is_changed);
        g_free(diff.after.lines);
        g_free(diff.after.is_changed);
    }
    if (ret_first_changed)
        *ret_first_changed = first_changed;
    return text ? text : g_strdup("");
}
