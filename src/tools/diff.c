/*
 * The numbered form of a line diff (base/line_diff.h), as edit shows it.
 */
#include "tools/diff.h"

#include "base/limits.h"
#include "base/line_diff.h"

#define CONTEXT_LINES  4
#define DIFF_MAX_BYTES (256 * KIB)

static void append_line(GString *out, char sign, size_t number, const DiffLine *line)
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
static void append_kept(GString *out, const DiffLine *before, size_t from, size_t to,
                        bool has_change)
{
    size_t head = from == 0 ? 0 : MIN(to - from, CONTEXT_LINES); // what precedes them is a change
    size_t tail = has_change ? MIN(to - from - head, CONTEXT_LINES) : 0;
    for (size_t i = from; i < from + head; i++)
        append_line(out, ' ', i + 1, &before[i]);
    if (from + head < to - tail)
        append_gap(out, from + head + 1);
    for (size_t i = to - tail; i < to; i++)
        append_line(out, ' ', i + 1, &before[i]);
}

static void append_change(GString *out, const LineDiff *diff, const LineChange *change)
{
    for (size_t i = change->before; i < change->before + change->deleted; i++)
        append_line(out, '-', i + 1, &diff->before[i]);
    for (size_t i = change->after; i < change->after + change->added; i++)
        append_line(out, '+', i + 1, &diff->after[i]);
}

static char *print(const LineDiff *diff, size_t *ret_first_changed)
{
    GString *out = g_string_new(NULL);
    LineChange change = { 0 };
    size_t kept_from = 0;
    bool has_change;
    do {
        has_change = line_diff_next(diff, &change);
        append_kept(out, diff->before, kept_from, change.before, has_change);
        if (has_change && *ret_first_changed == 0)
            *ret_first_changed = change.after + 1;
        append_change(out, diff, &change);
        kept_from = change.before + change.deleted;
    } while (has_change && out->len <= DIFF_MAX_BYTES);
    if (out->len > DIFF_MAX_BYTES) {
        g_autofree char *cut = g_utf8_make_valid(out->str, DIFF_MAX_BYTES);
        g_string_assign(out, cut);
        g_string_append_c(out, '\n');
        append_gap(out, kept_from + 1);
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
        g_autoptr(LineDiff) diff = line_diff_new(before, after);
        text = print(diff, &first_changed);
    }
    if (ret_first_changed)
        *ret_first_changed = first_changed;
    return text ? text : g_strdup("");
}
