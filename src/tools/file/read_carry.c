/* See read_carry.h. */
#include "tools/file/read_carry.h"

#include "base/limits.h"
#include "base/line_diff.h"
#include "tools/file/hashline.h"
#include "tools/file/text_lines.h"

#include <string.h>

#define DIFF_MAX_BYTES (16 * MIB) // between the first and the last change: else none of it is known

typedef struct Carry {
    const ReadSnapshot *known;
    const GArray *before, *after;
    guint8 *is_shown; // for each line of `after`
    size_t context;
} Carry;

static bool is_same(const TextLine *a, const TextLine *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* `count` lines are as they were. */
static void keep(Carry *self, size_t before, size_t after, size_t count)
{
    for (size_t i = 0; self->known && i < count; i++) {
        const TextLine *line = text_line_at(self->before, before + i);
        size_t number = before + i + 1;
        const char *seen = g_hash_table_lookup(self->known->lines, GSIZE_TO_POINTER(number));
        if (seen && hashline_is_same(number, seen, line->text, line->size))
            self->is_shown[after + i] = 1;
    }
}

/* `count` lines are the model's, and those around them it was shown. */
static void put_in(Carry *self, size_t after, size_t count)
{
    size_t from = after - MIN(after, self->context);
    size_t to = MIN(after + count + self->context, self->after->len);
    memset(self->is_shown + from, 1, to - from);
}

/* The lines from <= i < to, each with a newline. Caller frees. */
static char *part_of(const GArray *lines, size_t from, size_t to)
{
    g_autofree char *part = text_lines_part(lines, from, to);
    return g_strconcat(part, "\n", NULL);
}

/* Between the first and the last change; `head` lines are in front of both. */
static void carry_middle(Carry *self, size_t head, size_t before_end, size_t after_end)
{
    if (head == before_end || head == after_end) {
        put_in(self, head, after_end - head);
        return;
    }
    g_autofree char *before = part_of(self->before, head, before_end);
    g_autofree char *after = part_of(self->after, head, after_end);
    if (MAX(strlen(before), strlen(after)) > DIFF_MAX_BYTES)
        return;
    g_autoptr(LineDiff) diff = line_diff_new(before, after);
    LineChange change = { 0 };
    size_t from = 0, kept = 0; // what is behind the last change, on both sides
    bool has_change;
    do {
        has_change = line_diff_next(diff, &change);
        keep(self, head + from, head + kept, change.after - kept);
        if (has_change)
            put_in(self, head + change.after, change.added);
        from = change.before + change.deleted;
        kept = change.after + change.added;
    } while (has_change);
}

guint8 *read_carry(const ReadSnapshot *known, const char *before, const GArray *lines,
                   size_t context)
{
    guint8 *is_shown = g_new0(guint8, lines->len + 1);
    if (!before) {
        memset(is_shown, 1, lines->len);
        return is_shown;
    }
    g_autoptr(GArray) old_lines = text_lines_split(before);
    Carry self = { known, old_lines, lines, is_shown, context };
    size_t head = 0, tail = 0, shorter = MIN(old_lines->len, lines->len);
    while (head < shorter && is_same(text_line_at(old_lines, head), text_line_at(lines, head)))
        head++;
    while (tail < shorter - head && is_same(text_line_at(old_lines, old_lines->len - 1 - tail),
                                            text_line_at(lines, lines->len - 1 - tail)))
        tail++;
    keep(&self, 0, 0, head);
    keep(&self, old_lines->len - tail, lines->len - tail, tail);
    if (head < shorter || old_lines->len != lines->len)
        carry_middle(&self, head, old_lines->len - tail, lines->len - tail);
    return is_shown;
}
