/* See hashline_recover.h. */
#include "tools/edit/hashline_recover.h"

#include "base/limits.h"
#include "base/line_diff.h"
#include "base/utf8.h"
#include "tools/edit/edit_alike.h"

enum { CONTEXT_LINES = 3 /* of a hunk */, MAX_LINES = 1000 * 1000, MAX_HUNKS = 64 };

#define MAX_WORK (8 * MIB) // bytes of the longer text, times hunks: each is searched some times

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
    return read_snapshot_line(seen, index + 1);
}

/* The file as it was; false when not all of it is known: the rest may hold twins of any place. */
static bool lay_out(Recovery *self)
{
    size_t count = self->seen->total;
    if (count == 0 || count > MAX_LINES)
        return false;
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < count; i++) {
        const char *line = seen_line(self->seen, i);
        if (!line)
            return false;
        g_string_append_printf(text, "%s%s", i > 0 ? "\n" : "", line);
    }
    self->old_text = g_strdup(text->str);
    self->old_lines = text_lines_split(self->old_text);
    return self->old_lines->len == count;
}

static bool fits_what_was_seen(const Recovery *self, const GPtrArray *ops)
{
    g_autoptr(GArray) stale = NULL;
    g_autoptr(GArray) unseen = g_array_new(FALSE, FALSE, sizeof(size_t));
    if (!hashline_check(self->old_lines, ops, &stale, NULL) || stale->len > 0)
        return false;
    hashline_check_inner(self->old_lines, ops, self->seen, stale, unseen);
    return stale->len == 0 && unseen->len == 0;
}

static bool collect_hunks(Recovery *self, const char *new_text)
{
    g_autoptr(LineDiff) diff = line_diff_new(self->old_text, new_text);
    LineChange lines = { 0 }, next = { 0 };
    self->changes = g_array_new(FALSE, FALSE, sizeof(LineChange));
    self->hunks = g_array_new(FALSE, FALSE, sizeof(Hunk));
    bool has_next = line_diff_next(diff, &next);
    while (line_diff_next_hunk(diff, &lines)) {
        Hunk hunk = { .before = lines.before, .count = lines.deleted };
        hunk.first = self->changes->len;
        for (; has_next && next.before <= lines.before + lines.deleted;
             has_next = line_diff_next(diff, &next))
            g_array_append_val(self->changes, next);
        hunk.last = self->changes->len;
        g_array_append_val(self->hunks, hunk);
    }
    return self->hunks->len > 0 && self->hunks->len <= MAX_HUNKS &&
           MAX(strlen(self->text), strlen(self->old_text)) <= MAX_WORK / self->hunks->len;
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

/* The lines from <= i < to as a text; what follows the newline at the end of a text is no line.
   Caller frees. */
static char *part_of(const GArray *lines, size_t from, size_t to)
{
    to -= to == lines->len && to > from + 1 && text_line_at(lines, to - 1)->size == 0;
    return text_lines_part(lines, from, to);
}

/* The line of the one place that is alike; false: there is none, or several. */
static bool find_once(const GArray *lines, const char *wanted, size_t *ret_line)
{
    g_autofree char *whole = part_of(lines, 0, lines->len);
    g_autoptr(GArray) places = alike_find(whole, wanted);
    if (places->len != 1)
        return false;
    *ret_line = g_array_index(places, AlikePlace, 0).line;
    return true;
}

typedef struct Bounds { // lines around a hunk: from <= i < to
    size_t seen_from, seen_to, now_from, now_to;
} Bounds;

/* The nearest lines around the place that are there once, before and now, else the ends. False when
   such a line is on another side of it than it was. */
static bool find_bounds(const Recovery *self, const Hunk *hunk, Bounds *ret_bounds)
{
    size_t count = self->old_lines->len, end = hunk->before + hunk->count;
    Bounds bounds = { .seen_to = count, .now_to = self->now->len };
    for (size_t i = 0; i < count; i++) {
        bool is_above = i < hunk->before;
        const char *text = seen_line(self->seen, i);
        size_t now = is_above || i >= end ? number_of(self->in_text, text) : 0;
        if (now == 0 || utf8_is_blank(text) || number_of(self->in_seen, text) == 0)
            continue;
        if (is_above ? now - 1 >= hunk->at : now - 1 < hunk->at + hunk->count)
            return false;
        if (is_above) {
            bounds.seen_from = i;
            bounds.now_from = now - 1;
        } else if (bounds.seen_to == count) {
            bounds.seen_to = i + 1;
            bounds.now_to = now;
        }
    }
    *ret_bounds = bounds;
    return true;
}

/* The lines from <= i < to as they were seen, each with a newline. Caller frees. */
static char *seen_part(const Recovery *self, size_t from, size_t to)
{
    GString *part = g_string_new(NULL);
    for (size_t i = from; i < to; i++)
        g_string_append_printf(part, "%s\n", seen_line(self->seen, i));
    return g_string_free(part, FALSE);
}

/* What the hunk changes, with `margin` lines on each side. Caller frees. */
static char *core_of(const Recovery *self, const Hunk *hunk, size_t margin)
{
    const LineChange *first = &g_array_index(self->changes, LineChange, hunk->first);
    const LineChange *last = &g_array_index(self->changes, LineChange, hunk->last - 1);
    size_t from = MAX(first->before, hunk->before + margin) - margin;
    size_t to = MIN(last->before + last->deleted + margin, hunk->before + hunk->count);
    return seen_part(self, from, to);
}

static unsigned count_places(const char *text, const char *wanted)
{
    g_autoptr(GArray) places = alike_find(text, wanted);
    return places->len;
}

/* How often each line is there, by what counts of it. */
static GHashTable *count_lines(const char *text)
{
    GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GArray) lines = alike_split(text);
    for (unsigned i = 0; i < lines->len; i++) {
        const char *plain = g_array_index(lines, AlikeLine, i).plain;
        size_t count = GPOINTER_TO_SIZE(g_hash_table_lookup(counts, plain));
        g_hash_table_replace(counts, g_strdup(plain), GSIZE_TO_POINTER(count + 1));
    }
    return counts;
}

/* Is each line of the hunk as often in the one text as in the other? */
static bool has_same_lines(const Recovery *self, const Hunk *hunk, const char *seen,
                           const char *now)
{
    g_autofree char *text = part_of(self->old_lines, hunk->before, hunk->before + hunk->count);
    g_autoptr(GArray) lines = alike_split(text);
    g_autoptr(GHashTable) before = count_lines(seen);
    g_autoptr(GHashTable) after = count_lines(now);
    for (unsigned i = 0; i < lines->len; i++) {
        const char *plain = g_array_index(lines, AlikeLine, i).plain;
        if (*plain && g_hash_table_lookup(before, plain) != g_hash_table_lookup(after, plain))
            return false;
    }
    return true;
}

/* Between its bounds the place has as many twins as before, of each of its lines, of what changes,
   and of that with its nearest lines: none came, none went. */
static bool has_same_twins(const Recovery *self, const Hunk *hunk, const Bounds *bounds)
{
    g_autofree char *seen = part_of(self->old_lines, bounds->seen_from, bounds->seen_to);
    g_autofree char *now = part_of(self->now, bounds->now_from, bounds->now_to);
    for (size_t margin = 0; margin < CONTEXT_LINES; margin++) {
        g_autofree char *core = core_of(self, hunk, margin);
        unsigned before = count_places(seen, core);
        // an insertion is nothing by itself, and blank lines are never looked for
        if (before != count_places(now, core) || (before == 0 && !utf8_is_blank(core)))
            return false;
    }
    return has_same_lines(self, hunk, seen, now);
}

/* White space that a line begins with. */
static size_t indent_size(const char *line, size_t size)
{
    const char *p = line, *end = line + size;
    while (p < end) {
        gunichar c = g_utf8_get_char_validated(p, end - p);
        if (c >= (gunichar)-2 || !g_unichar_isspace(c)) // -1 and -2: no UTF-8
            break;
        p = g_utf8_next_char(p);
    }
    return (size_t)(p - line);
}

/* Does line `at` of the text begin with the white space that line `before` had? */
static bool has_same_indent(const Recovery *self, size_t before, size_t at)
{
    const TextLine *old_line = text_line_at(self->old_lines, before);
    const TextLine *line = text_line_at(self->now, at);
    size_t size = indent_size(old_line->text, old_line->size);
    return size == indent_size(line->text, line->size) &&
           memcmp(old_line->text, line->text, size) == 0;
}

/* Is what the change replaces, and what stands next to its place, as deep as it was? */
static bool fits_depth(const Recovery *self, const Hunk *hunk, const LineChange *change)
{
    size_t end = hunk->before + hunk->count, from = change->before;
    size_t to = change->before + change->deleted;
    while (from > hunk->before) {
        from--;
        if (!utf8_is_blank(seen_line(self->seen, from)))
            break;
    }
    while (to < end) {
        to++;
        if (!utf8_is_blank(seen_line(self->seen, to - 1)))
            break;
    }
    for (size_t i = from; i < to; i++)
        if (!utf8_is_blank(seen_line(self->seen, i)) &&
            !has_same_indent(self, i, hunk->at + (i - hunk->before)))
            return false;
    return true;
}

/* What is put in keeps its own indentation: it must be that of the place. */
static bool is_indented_as_seen(const Recovery *self, const Hunk *hunk)
{
    for (size_t i = hunk->first; i < hunk->last; i++) {
        const LineChange *change = &g_array_index(self->changes, LineChange, i);
        if (change->added > 0 && !fits_depth(self, hunk, change))
            return false;
    }
    return true;
}

static bool recovery_locate(Recovery *self, Hunk *hunk, size_t from)
{
    g_autofree char *wanted = seen_part(self, hunk->before, hunk->before + hunk->count);
    size_t once = 0;
    Bounds bounds;
    return find_once(self->old_lines, wanted, &once) && once == hunk->before &&
           find_once(self->now, wanted, &hunk->at) && hunk->at >= from &&
           find_bounds(self, hunk, &bounds) && has_same_twins(self, hunk, &bounds) &&
           is_indented_as_seen(self, hunk);
}

/* The text with each change at its new place; what is kept stays as it is there. */
static char *carry_over(const Recovery *self, GArray *newlines)
{
    g_autoptr(GArray) out = g_array_new(FALSE, FALSE, sizeof(TextLine));
    size_t done = 0;
    for (unsigned i = 0; i < self->hunks->len; i++) {
        const Hunk *hunk = &g_array_index(self->hunks, Hunk, i);
        for (size_t k = hunk->first; k < hunk->last; k++) {
            const LineChange *change = &g_array_index(self->changes, LineChange, k);
            size_t at = hunk->at + (change->before - hunk->before);
            text_lines_append(out, self->now, done, at);
            text_lines_append(out, self->new_lines, change->after, change->after + change->added);
            done = at + change->deleted;
        }
    }
    text_lines_append(out, self->now, done, self->now->len);
    return text_lines_join(out, self->text, newlines);
}

bool hashline_recover(const ReadSnapshot *seen, const char *text, const GPtrArray *ops,
                      bool drops_runs, char **ret_text, GArray *newlines, GPtrArray *warnings)
{
    g_auto(Recovery) self = { .seen = seen, .text = text };
    g_autoptr(GPtrArray) repairs = g_ptr_array_new_with_free_func(g_free);
    if (!lay_out(&self) || !fits_what_was_seen(&self, ops))
        return false;
    g_autofree char *new_text = hashline_apply(self.old_lines, ops, drops_runs, repairs, NULL);
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
        if (!recovery_locate(&self, hunk, from))
            return false;
        from = hunk->at + hunk->count;
    }
    *ret_text = carry_over(&self, newlines);
    for (unsigned i = 0; i < repairs->len; i++)
        g_ptr_array_add(warnings, g_strdup(repairs->pdata[i]));
    return true;
}
