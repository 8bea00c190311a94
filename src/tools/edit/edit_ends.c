/* See edit_ends.h. */
#include "tools/edit/edit_ends.h"

#include "base/line_diff.h"
#include "tools/file/text_lines.h"

#include <string.h>

char *edit_to_lf(const char *text)
{
    GString *out = g_string_sized_new(strlen(text));
    for (const char *p = text; *p; p++)
        if (*p != '\r' || p[1] != '\n')
            g_string_append_c(out, *p);
    return g_string_free(out, FALSE);
}

GByteArray *edit_ends_of(const char *text, bool *ret_is_crlf)
{
    GByteArray *ends = g_byte_array_new();
    size_t crlf = 0;
    const char *text_end = text + strlen(text);
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(text_end - p))); p++) {
        const guint8 end = p > text && p[-1] == '\r' ? '\r' : '\n';
        g_byte_array_append(ends, &end, 1);
        crlf += end == '\r';
    }
    *ret_is_crlf = crlf > 0 && crlf == ends->len;
    if (crlf > 0 && crlf < ends->len)
        return ends;
    g_byte_array_unref(ends);
    return NULL;
}

GArray *edit_newlines_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(size_t));
}

typedef struct Carry {
    const GByteArray *old_ends;
    GByteArray *ends;           // of the new text, as far as they are known: 0 is not yet
    const char *before, *after; // what is left of both texts
    size_t old_line;            // where `before` begins
} Carry;

static size_t count_newlines(const char *text, size_t size)
{
    size_t count = 0;
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(text + size - p))); p++)
        count++;
    return count;
}

static guint8 old_end(const Carry *self, size_t line)
{
    return line < self->old_ends->len ? self->old_ends->data[line] : 0; // the last may have none
}

/* Lines of which nothing is known but what they say: the same ones keep their ends. */
static void carry_lines(Carry *self, size_t before_size, size_t after_size)
{
    g_autofree char *before = g_strndup(self->before, before_size);
    g_autofree char *after = g_strndup(self->after, after_size);
    g_autoptr(LineDiff) diff = line_diff_new(before, after);
    size_t first = self->ends->len, kept = 0;
    g_byte_array_set_size(self->ends, (guint)(first + count_newlines(after, after_size)));
    if (self->ends->len > first)
        memset(self->ends->data + first, 0, self->ends->len - first);
    LineChange change = { 0 };
    for (bool has_change = true; has_change;) {
        size_t from = kept, shift = change.after + change.added;
        has_change = line_diff_next(diff, &change);
        for (size_t i = from; i < change.before; i++)
            if (first + shift + (i - from) < self->ends->len)
                self->ends->data[first + shift + (i - from)] = old_end(self, self->old_line + i);
        for (size_t i = 0; has_change && change.deleted > 0 && i < change.added; i++)
            if (first + change.after + i < self->ends->len)
                self->ends->data[first + change.after + i] =
                    old_end(self, self->old_line + change.before + MIN(i, change.deleted - 1));
        kept = change.before + change.deleted;
    }
}

/* Goes on after `before_size` bytes of the old text and `after_size` of the new one, which both
   end with the same newline; or at their ends. */
static void carry_on(Carry *self, size_t before_size, size_t after_size, bool is_kept)
{
    if (is_kept && memchr(self->before, '\n', before_size) == self->before + before_size - 1 &&
        memchr(self->after, '\n', after_size) == self->after + after_size - 1)
        g_byte_array_set_size(self->ends, self->ends->len + 1); // one line, as most are
    else
        carry_lines(self, before_size, after_size);
    self->old_line += count_newlines(self->before, before_size);
    self->before += before_size;
    self->after += after_size;
    if (is_kept)
        self->ends->data[self->ends->len - 1] = old_end(self, self->old_line - 1);
}

/* A line that is only put in ends as the one above it, else as the first that is known. */
static void fill_in(GByteArray *ends)
{
    guint8 last = 0;
    for (guint i = 0; i < ends->len && last == 0; i++)
        last = ends->data[i];
    last = last ? last : '\n';
    for (guint i = 0; i < ends->len; i++) {
        ends->data[i] = ends->data[i] ? ends->data[i] : last;
        last = ends->data[i];
    }
}

GByteArray *edit_ends_carry(const GByteArray *ends, const char *before, const char *after,
                            const GArray *newlines)
{
    Carry self = { .old_ends = ends, .ends = g_byte_array_new(), .before = before, .after = after };
    const char *newline = after, *end = before + strlen(before);
    const char *after_end = after + strlen(after);
    for (guint i = 0; newlines && i < newlines->len; i++, newline++) {
        size_t at = g_array_index(newlines, size_t, i);
        newline = memchr(newline, '\n', (size_t)(after_end - newline));
        if (at < (size_t)(end - before) && before + at >= self.before)
            carry_on(&self, (size_t)(before + at + 1 - self.before),
                     (size_t)(newline + 1 - self.after), true);
    }
    carry_on(&self, strlen(self.before), strlen(self.after), false);
    fill_in(self.ends);
    return self.ends;
}
