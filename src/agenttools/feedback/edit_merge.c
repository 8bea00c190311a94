/*
 * Merging over two line diffs, that of ours and that of theirs against the base (edit_merge.h).
 */
#include "agenttools/feedback/edit_merge.h"

#include "base/line_diff.h"

typedef struct MergeSide {
    LineDiff *diff; // from the base to this side
    LineChange change;
    bool has_change;   // `change` is the next one that is not in the merge yet
    bool is_in_region; // it changes the lines that are looked at
    size_t from, to;   // of the side's lines: the region
    ptrdiff_t shift;   // from numbers of the base to numbers of this side
} MergeSide;

static MergeSide side_new(const char *base, const char *text)
{
    MergeSide self = { .diff = line_diff_new(base, text) };
    self.has_change = line_diff_next(self.diff, &self.change);
    return self;
}

/* Takes into the region [from, *to) of the base what touches it on this side. */
static bool side_take(MergeSide *self, size_t *to)
{
    bool grows = false;
    while (self->has_change && self->change.before <= *to) {
        *to = MAX(*to, self->change.before + self->change.deleted);
        self->shift += (ptrdiff_t)self->change.added - (ptrdiff_t)self->change.deleted;
        self->is_in_region = grows = true;
        self->has_change = line_diff_next(self->diff, &self->change);
    }
    return grows;
}

/* The next lines of the base that a side changed, with all changes that touch each other. */
static void next_region(MergeSide sides[2], size_t *ret_from, size_t *ret_to)
{
    size_t from = G_MAXSIZE;
    for (size_t i = 0; i < 2; i++)
        if (sides[i].has_change)
            from = MIN(from, sides[i].change.before);
    size_t to = from;
    for (size_t i = 0; i < 2; i++) {
        sides[i].is_in_region = false;
        sides[i].from = (size_t)((ptrdiff_t)from + sides[i].shift);
    }
    bool grows = true;
    while (grows) {
        bool is_ours = side_take(&sides[0], &to), is_theirs = side_take(&sides[1], &to);
        grows = is_ours || is_theirs;
    }
    for (size_t i = 0; i < 2; i++)
        sides[i].to = (size_t)((ptrdiff_t)to + sides[i].shift);
    *ret_from = from;
    *ret_to = to;
}

static void append_lines(GString *out, const DiffLine *lines, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        g_string_append_len(out, lines[i].text, (gssize)lines[i].size);
        if (lines[i].has_newline)
            g_string_append_c(out, '\n');
    }
}

static bool is_equal_region(const MergeSide *a, const MergeSide *b)
{
    if (a->to - a->from != b->to - b->from)
        return false;
    for (size_t i = 0; i < a->to - a->from; i++) {
        const DiffLine *x = &a->diff->after[a->from + i], *y = &b->diff->after[b->from + i];
        if (x->size != y->size || x->has_newline != y->has_newline ||
            memcmp(x->text, y->text, x->size) != 0)
            return false;
    }
    return true;
}

/* Of the lines [from, to), which count from 0. */
static void add_range(GArray *ranges, size_t from, size_t to)
{
    LineRange range = { MAX(to > from ? from + 1 : from, 1), MAX(to, 1) };
    g_array_append_val(ranges, range);
}

void edit_merge(const char *ours, const char *base, const char *theirs, char **ret_text,
                GArray **ret_conflicts)
{
    MergeSide sides[2] = { side_new(base, ours), side_new(base, theirs) };
    const DiffLine *base_lines = sides[0].diff->before;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GArray) conflicts = g_array_new(FALSE, FALSE, sizeof(LineRange));
    size_t done = 0;
    while (sides[0].has_change || sides[1].has_change) {
        size_t from, to;
        next_region(sides, &from, &to);
        append_lines(text, base_lines, done, from);
        done = to;
        bool is_both = sides[0].is_in_region && sides[1].is_in_region;
        if (is_both && !is_equal_region(&sides[0], &sides[1]))
            add_range(conflicts, sides[0].from, sides[0].to);
        const MergeSide *side = &sides[sides[0].is_in_region ? 0 : 1];
        append_lines(text, side->diff->after, side->from, side->to);
    }
    append_lines(text, base_lines, done, sides[0].diff->before_count);
    bool is_clean = conflicts->len == 0;
    *ret_text = is_clean ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
    *ret_conflicts = is_clean ? NULL : g_steal_pointer(&conflicts);
    for (size_t i = 0; i < 2; i++)
        line_diff_free(sides[i].diff);
}

GArray *edit_merge_changed(const char *before, const char *after)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(LineRange));
    g_autoptr(LineDiff) diff = line_diff_new(before, after);
    LineChange change = { 0 };
    while (line_diff_next(diff, &change))
        add_range(ranges, change.after, change.after + change.added);
    return ranges;
}

char *line_ranges_text(const GArray *ranges)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < ranges->len; i++) {
        const LineRange *range = &g_array_index(ranges, LineRange, i);
        g_string_append_printf(text, "%s%zu", i > 0 ? ", " : "", range->first);
        if (range->last > range->first)
            g_string_append_printf(text, "-%zu", range->last);
    }
    return g_string_free(text, FALSE);
}

json_t *line_ranges_json(const GArray *ranges)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < ranges->len; i++) {
        const LineRange *range = &g_array_index(ranges, LineRange, i);
        json_t *pair = json_array();
        json_append_take(pair, json_integer((json_int_t)range->first));
        json_append_take(pair, json_integer((json_int_t)range->last));
        json_append_take(array, pair);
    }
    return array;
}
