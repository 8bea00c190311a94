/*
 * The numbered forms of a line diff (base/line_diff.h), as edit shows them.
 */
#include "tools/file/diff.h"

#include "base/limits.h"
#include "base/line_diff.h"
#include "tools/file/hashline.h"

#define DIFF_MAX_BYTES (256 * KIB)

typedef struct Print {
    GString *out;
    const LineDiff *diff;
    bool has_anchors;
    size_t first_changed; // 0: none yet
} Print;

static void append_line(Print *self, char sign, size_t number, const DiffLine *line)
{
    g_string_append_c(self->out, sign);
    if (!self->has_anchors)
        g_string_append_printf(self->out, "%zu|", number);
    else if (sign == '-')
        g_string_append_printf(self->out, "%zu--|", number);
    else
        hashline_append(self->out, number, line->text, line->size);
    g_string_append_len(self->out, line->text, (gssize)line->size);
    g_string_append_c(self->out, '\n');
}

static void append_gap(Print *self, size_t number)
{
    if (self->has_anchors)
        g_string_append(self->out, "...\n");
    else
        g_string_append_printf(self->out, " %zu|...\n", number);
}

/* Kept lines [from..to) of the old text: those near a change, and a mark for the others. `moved` is
   what is added to their numbers in the new one. */
static void append_kept(Print *self, size_t from, size_t to, size_t moved, bool has_change)
{
    const DiffLine *before = self->diff->before;
    bool is_after_change = self->first_changed > 0;
    size_t head = is_after_change ? MIN(to - from, DIFF_CONTEXT_LINES) : 0;
    size_t tail = has_change ? MIN(to - from - head, DIFF_CONTEXT_LINES) : 0;
    size_t shift = self->has_anchors ? moved : 0;
    for (size_t i = from; i < from + head; i++)
        append_line(self, ' ', i + 1 + shift, &before[i]);
    if (from + head < to - tail)
        append_gap(self, from + head + 1);
    for (size_t i = to - tail; i < to; i++)
        append_line(self, ' ', i + 1 + shift, &before[i]);
}

static void append_change(Print *self, const LineChange *change)
{
    for (size_t i = change->before; i < change->before + change->deleted; i++)
        append_line(self, '-', i + 1, &self->diff->before[i]);
    for (size_t i = change->after; i < change->after + change->added; i++)
        append_line(self, '+', i + 1, &self->diff->after[i]);
}

static void print(Print *self)
{
    GString *out = self->out;
    LineChange change = { 0 };
    size_t kept_from = 0;
    bool has_change;
    do {
        has_change = line_diff_next(self->diff, &change);
        // where lines were deleted this wraps, and wraps back when it is added
        append_kept(self, kept_from, change.before, change.after - change.before, has_change);
        if (has_change && self->first_changed == 0)
            self->first_changed = change.after + 1;
        append_change(self, &change);
        kept_from = change.before + change.deleted;
    } while (has_change && out->len <= DIFF_MAX_BYTES);
    if (out->len > DIFF_MAX_BYTES) {
        g_autofree char *cut = g_utf8_make_valid(out->str, DIFF_MAX_BYTES);
        g_string_assign(out, cut);
        g_string_append_c(out, '\n');
        append_gap(self, kept_from + 1);
    }
    if (out->len > 0)
        g_string_truncate(out, out->len - 1); // the last newline
}

static char *show(const char *before, const char *after, bool has_anchors,
                  size_t *ret_first_changed)
{
    Print self = { .out = g_string_new(NULL), .has_anchors = has_anchors };
    if (strcmp(before, after) != 0) {
        g_autoptr(LineDiff) diff = line_diff_new(before, after);
        self.diff = diff;
        print(&self);
    }
    if (ret_first_changed)
        *ret_first_changed = self.first_changed;
    return g_string_free(self.out, FALSE);
}

char *diff_numbered(const char *before, const char *after, size_t *ret_first_changed)
{
    return show(before, after, false, ret_first_changed);
}

char *diff_anchored(const char *before, const char *after)
{
    return show(before, after, true, NULL);
}

char *diff_ranges(const char *before, const char *after, size_t *ret_first_changed)
{
    g_autoptr(LineDiff) diff = line_diff_new(before, after);
    g_autoptr(GString) out = g_string_new(NULL);
    LineChange hunk = { 0 }, first = { 0 };
    if (ret_first_changed)
        *ret_first_changed = line_diff_next(diff, &first) ? first.after + 1 : 0;
    while (out->len <= DIFF_MAX_BYTES && line_diff_next_hunk(diff, &hunk)) {
        g_string_append_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", hunk.before + (hunk.deleted > 0),
                               hunk.deleted, hunk.after + (hunk.added > 0), hunk.added);
        line_diff_append_lines(diff, &hunk, true, out);
    }
    g_autofree char *valid = g_utf8_make_valid(out->str, (gssize)MIN(out->len, DIFF_MAX_BYTES));
    if (out->len > DIFF_MAX_BYTES)
        return g_strconcat(valid, "\n...", NULL);
    if (*valid)
        valid[strlen(valid) - 1] = '\0'; // the last newline
    return g_steal_pointer(&valid);
}
