/*
 * Recovery of stale anchors (hashline_recover.h).
 */
#include "tools/hashline_recover.h"

#include "base/limits.h"
#include "base/line_diff.h"
#include "base/utf8.h"
#include "tools/edit_alike.h"

enum { CONTEXT_LINES = 3, MAX_LINES = 1000 * 1000, MAX_HUNKS = 64 };

#define MAX_WORK (64 * MIB) // bytes of the text, times hunks: they are searched twice

typedef struct Hunk {     // lines from 0; those of `seen` until they are found
    size_t before, count; // removed lines and context
    size_t at;            // where they are in the text
    size_t first, last;   // the changes of it: first <= i < last
} Hunk;

typedef struct Recovery {
    const ReadSnapshot *seen;
    GArray *old_lines; // of TextLine: as seen
    char *old_text;    // the same
    GArray *new_lines; // what the edit makes of it
    GArray *now;       // of TextLine: the text
    const char *text;
    GArray *changes;               // of LineChange, from old_text
    GArray *hunks;                 // of Hunk
    GHashTable *in_seen, *in_text; // line → its number from 1; G_MAXSIZE: there are several
} Recovery;

static void recovery_clear(Recovery *self)
{
    g_clear_pointer(&self->old_lines, g_array_unref);
    g_clear_pointer(&self->old_text, g_free);
    g_clear_pointer(&self->new_lines, g_array_unref);
    g_clear_pointer(&self->now, g_array_unref);
    g_clear_pointer(&self->changes, g_array_unref);
    g_clear_pointer(&self->hunks, g_array_unref);
    g_clear_pointer(&self->in_seen, g_hash_table_unref);
    g_clear_pointer(&self->in_text, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Recovery, recovery_clear)

static const char *seen_line(const ReadSnapshot *seen, size_t index)
{
    return g_hash_table_lookup(seen->lines, GSIZE_TO_POINTER(index + 1));
}

static bool are_all_seen(const ReadSnapshot *seen, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!seen_line(seen, i))
            return false;
    return true;
}

static size_t count_lines(const ReadSnapshot *seen)
{
    GHashTableIter iter;
    void *number = NULL;
    size_t count = seen->total;
    g_hash_table_iter_init(&iter, seen->lines);
    while (g_hash_table_iter_next(&iter, &number, NULL))
        count = MAX(count, GPOINTER_TO_SIZE(number));
    return count;
}

/* The file as it was; in place of a line that was not seen one that is like no other. */
static bool lay_out(Recovery *self)
{
    size_t count = count_lines(self->seen);
    if (count == 0 || count > MAX_LINES)
        return false;
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < count; i++) {
        const char *line = seen_line(self->seen, i);
        g_string_append(text, i > 0 ? "\n" : "");
        if (line)
            g_string_append(text, line);
        else
            g_string_append_printf(text, "\x01not seen: %zu", i);
    }
    self->old_text = g_strdup(text->str);
    self->old_lines = text_lines_split(self->old_text);
    return true;
}

/* Do the anchors name lines that were seen, and as they were? */
static bool fits_what_was_seen(const Recovery *self, const GPtrArray *ops)
{
    g_autoptr(GArray) stale = NULL;
    if (!hashline_check(self->old_lines, ops, &stale, NULL) || stale->len > 0)
        return false;
    for (unsigned i = 0; i < ops->len; i++) {
        const HashlineOp *op = ops->pdata[i];
        size_t first = op->first.number, last = op->last.number;
        if (first == HASHLINE_EOF && self->seen->total == 0)
            return false;
        if (first != HASHLINE_BOF && first != HASHLINE_EOF &&
            (!seen_line(self->seen, first - 1) || !seen_line(self->seen, last - 1)))
            return false;
    }
    return true;
}

/* Changes that are near one another share their context. */
static bool collect_hunks(Recovery *self, const char *new_text)
{
    g_autoptr(LineDiff) diff = line_diff_new(self->old_text, new_text);
    LineChange change = { 0 };
    size_t count = self->old_lines->len;
    self->changes = g_array_new(FALSE, FALSE, sizeof(LineChange));
    self->hunks = g_array_new(FALSE, FALSE, sizeof(Hunk));
    while (line_diff_next(diff, &change)) {
        size_t from = change.before - MIN(change.before, CONTEXT_LINES);
        size_t to = MIN(change.before + change.deleted + CONTEXT_LINES, count);
        Hunk *last =
            self->hunks->len > 0 ? &g_array_index(self->hunks, Hunk, self->hunks->len - 1) : NULL;
        size_t number = self->changes->len;
        g_array_append_val(self->changes, change);
        if (last && from <= last->before + last->count) {
            last->count = to - last->before;
            last->last = number + 1;
            continue;
        }
        const Hunk hunk = {
            .before = from, .count = to - from, .first = number, .last = number + 1
        };
        g_array_append_val(self->hunks, hunk);
    }
    return self->hunks->len > 0 && self->hunks->len <= MAX_HUNKS &&
           strlen(self->text) <= MAX_WORK / self->hunks->len;
}

static GHashTable *index_lines(const GArray *lines)
{
    GHashTable *index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < lines->len; i++) {
        const TextLine *line = text_line_at(lines, i);
        char *text = g_strndup(line->text, line->size);
        size_t number = g_hash_table_contains(index, text) ? G_MAXSIZE : i + 1;
        g_hash_table_replace(index, text, GSIZE_TO_POINTER(number));
    }
    return index;
}

/* The number of a line that is there once; 0: it is not. */
static size_t number_of(GHashTable *index, const char *text)
{
    size_t number = GPOINTER_TO_SIZE(g_hash_table_lookup(index, text));
    return number == G_MAXSIZE ? 0 : number;
}

/* The line of the one place in `text` that is alike; false: there is none, or several. */
static bool find_once(const GArray *lines, const char *text, const char *wanted, size_t *ret_line)
{
    g_autoptr(GArray) places = alike_find(text, wanted);
    if (places->len != 1)
        return false;
    const char *at = text + g_array_index(places, AlikePlace, 0).start;
    size_t low = 0, high = lines->len;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (text_line_at(lines, middle)->text <= at)
            low = middle;
        else
            high = middle;
    }
    *ret_line = low;
    return text_line_at(lines, low)->text == at;
}

typedef struct Bounds { // lines around a hunk: from <= i < to
    size_t seen_from, seen_to, now_from, now_to;
    bool has_above, has_below;
} Bounds;

/* What is there once in both; 0-based. */
static void take_landmark(Bounds *self, size_t seen, size_t now, bool is_above)
{
    if (is_above && (!self->has_above || seen >= self->seen_from)) {
        self->seen_from = seen;
        self->now_from = now;
        self->has_above = true;
    } else if (!is_above && (!self->has_below || seen < self->seen_to)) {
        self->seen_to = seen + 1;
        self->now_to = now + 1;
        self->has_below = true;
    }
}

/* The nearest lines around the place that are there once. False when one is on another side of it
   than it was, or when a side has none and was not all seen. */
static bool find_bounds(const Recovery *self, const Hunk *hunk, Bounds *ret_bounds)
{
    const ReadSnapshot *seen = self->seen;
    size_t count = self->old_lines->len, end = hunk->before + hunk->count;
    Bounds bounds = { .seen_to = count, .now_to = self->now->len };
    GHashTableIter iter;
    void *key = NULL, *text = NULL;
    g_hash_table_iter_init(&iter, seen->lines);
    while (g_hash_table_iter_next(&iter, &key, &text)) {
        size_t index = GPOINTER_TO_SIZE(key) - 1;
        bool is_above = index < hunk->before;
        size_t now = is_above || index >= end ? number_of(self->in_text, text) : 0;
        if (now == 0 || utf8_is_blank(text) || number_of(self->in_seen, text) == 0)
            continue;
        if (is_above ? now - 1 >= hunk->at : now - 1 < hunk->at + hunk->count)
            return false;
        take_landmark(&bounds, index, now - 1, is_above);
    }
    *ret_bounds = bounds;
    return (bounds.has_above || are_all_seen(seen, 0, hunk->before)) &&
           (bounds.has_below || (seen->total > 0 && are_all_seen(seen, end, count)));
}

/* How often the lines of `core` are among those from <= i < to. */
static unsigned count_places(const GArray *lines, size_t from, size_t to, const char *core)
{
    const TextLine *first = text_line_at(lines, from), *last = text_line_at(lines, to - 1);
    g_autofree char *part = g_strndup(first->text, (size_t)(last->text + last->size - first->text));
    g_autoptr(GArray) places = alike_find(part, core);
    return places->len;
}

/* Between its bounds the place has as many twins as before: none came, none went. */
static bool has_same_twins(const Recovery *self, const Hunk *hunk, const Bounds *bounds)
{
    const LineChange *first = &g_array_index(self->changes, LineChange, hunk->first);
    const LineChange *last = &g_array_index(self->changes, LineChange, hunk->last - 1);
    size_t from = MAX(first->before, hunk->before + 1) - 1;
    size_t to = MIN(last->before + last->deleted + 1, hunk->before + hunk->count);
    g_autoptr(GString) core = g_string_new(NULL);
    for (size_t i = from; i < to; i++)
        g_string_append_printf(core, "%s\n", seen_line(self->seen, i));
    unsigned before = count_places(self->old_lines, bounds->seen_from, bounds->seen_to, core->str);
    return before > 0 &&
           before == count_places(self->now, bounds->now_from, bounds->now_to, core->str);
}

static bool locate(Recovery *self, Hunk *hunk, size_t from)
{
    if (!are_all_seen(self->seen, hunk->before, hunk->before + hunk->count))
        return false;
    g_autoptr(GString) wanted = g_string_new(NULL);
    for (size_t i = hunk->before; i < hunk->before + hunk->count; i++)
        g_string_append_printf(wanted, "%s\n", seen_line(self->seen, i));
    size_t once = 0;
    Bounds bounds;
    return find_once(self->old_lines, self->old_text, wanted->str, &once) && once == hunk->before &&
           find_once(self->now, self->text, wanted->str, &hunk->at) && hunk->at >= from &&
           find_bounds(self, hunk, &bounds) && has_same_twins(self, hunk, &bounds);
}

/* The text with each change at its new place; what is kept stays as it is there. */
static char *carry_over(const Recovery *self)
{
    g_autoptr(GArray) out = g_array_new(FALSE, FALSE, sizeof(TextLine));
    size_t done = 0;
    for (unsigned i = 0; i < self->hunks->len; i++) {
        const Hunk *hunk = &g_array_index(self->hunks, Hunk, i);
        for (size_t k = hunk->first; k < hunk->last; k++) {
            const LineChange *change = &g_array_index(self->changes, LineChange, k);
            size_t at = hunk->at + (change->before - hunk->before);
            for (; done < at; done++)
                g_array_append_val(out, *text_line_at(self->now, done));
            for (size_t j = change->after; j < change->after + change->added; j++)
                g_array_append_val(out, *text_line_at(self->new_lines, j));
            done += change->deleted;
        }
    }
    for (; done < self->now->len; done++)
        g_array_append_val(out, *text_line_at(self->now, done));
    return text_lines_join(out);
}

bool hashline_recover(const ReadSnapshot *seen, const char *text, const GPtrArray *ops,
                      bool drops_runs, char **ret_text, GPtrArray *warnings)
{
    g_auto(Recovery) self = { .seen = seen, .text = text };
    g_autoptr(GPtrArray) repairs = g_ptr_array_new_with_free_func(g_free);
    if (!lay_out(&self) || !fits_what_was_seen(&self, ops))
        return false;
    g_autofree char *new_text = hashline_apply(self.old_lines, ops, drops_runs, repairs);
    self.new_lines = text_lines_split(new_text);
    // a newline that comes or goes at the end is no line that could be found
    if (g_str_has_suffix(new_text, "\n") != g_str_has_suffix(self.old_text, "\n") ||
        !collect_hunks(&self, new_text))
        return false;
    self.now = text_lines_split(text);
    self.in_seen = index_lines(self.old_lines);
    self.in_text = index_lines(self.now);
    size_t from = 0;
    for (unsigned i = 0; i < self.hunks->len; i++) {
        Hunk *hunk = &g_array_index(self.hunks, Hunk, i);
        if (!locate(&self, hunk, from))
            return false;
        from = hunk->at + hunk->count;
    }
    *ret_text = carry_over(&self);
    for (unsigned i = 0; i < repairs->len; i++)
        g_ptr_array_add(warnings, g_strdup(repairs->pdata[i]));
    return true;
}
