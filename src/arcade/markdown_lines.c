/* See markdown_lines.h. */
#include "arcade/markdown_lines.h"

#include <stdint.h>

#define MAX_SEARCH_LINES 200

struct Lines {
    const char *text;
    size_t size;
    GArray *starts; // of size_t: where each line begins
    GArray *open;   // of Span, the blocks around
    size_t seen;    // the last line that a block was found on
};

Lines *lines_new(const char *text, size_t size)
{
    Lines *self = g_new0(Lines, 1);
    self->text = text;
    self->size = size;
    self->starts = g_array_new(FALSE, FALSE, sizeof(size_t));
    self->open = g_array_new(FALSE, FALSE, sizeof(Span));
    size_t start = 0;
    for (;;) {
        g_array_append_val(self->starts, start);
        const char *end = memchr(text + start, '\n', size - start);
        if (!end || end + 1 == text + size)
            return self;
        start = (size_t)(end + 1 - text);
    }
}

void lines_free(Lines *self)
{
    if (!self)
        return;
    g_array_unref(self->starts);
    g_array_unref(self->open);
    g_free(self);
}

static size_t start_of(const Lines *self, size_t line)
{
    return line > self->starts->len ? self->size : g_array_index(self->starts, size_t, line - 1);
}

size_t lines_at(const Lines *self, const char *place)
{
    uintptr_t begin = (uintptr_t)self->text, at = (uintptr_t)place;
    if (at < begin || at >= begin + self->size)
        return 0;
    size_t offset = at - begin;
    size_t low = 1, high = self->starts->len; // the last line that begins at or before it
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (start_of(self, middle) <= offset)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void span_include(Span *span, Span other)
{
    if (other.first == 0)
        return;
    span->first = span->first ? MIN(span->first, other.first) : other.first;
    span->last = MAX(span->last, other.last);
}

static Span *lines_innermost(Lines *self)
{
    g_assert(self->open->len > 0);
    return &g_array_index(self->open, Span, self->open->len - 1);
}

void lines_enter(Lines *self)
{
    const Span none = { 0 };
    g_array_append_val(self->open, none);
}

/* A lone CR ends a line for md4c, not for us: what was counted there may lead past the end. */
void lines_add(Lines *self, Span span)
{
    span.first = MIN(span.first, self->starts->len);
    span.last = MIN(span.last, self->starts->len);
    span_include(lines_innermost(self), span);
    self->seen = MAX(self->seen, span.last);
}

void lines_add_text(Lines *self, const char *text, size_t size)
{
    size_t first = size > 0 ? lines_at(self, text) : 0;
    if (first == 0)
        return;
    bool is_one_line = (uintptr_t)text + size <= (uintptr_t)self->text + start_of(self, first + 1);
    lines_add(self, (Span) { first, is_one_line ? first : lines_at(self, text + size - 1) });
}

typedef bool (*LineTest)(const char *line, size_t size);

static bool is_any(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!g_ascii_isspace(line[i]))
            return true;
    return false;
}

/* Three of a kind, and nothing else but blanks and what nests it. */
static bool is_rule(const char *line, size_t size)
{
    size_t dashes = 0, stars = 0, underscores = 0;
    for (size_t i = 0; i < size; i++) {
        dashes += line[i] == '-';
        stars += line[i] == '*';
        underscores += line[i] == '_';
        if (!strchr("-*_>+.) \t\r\n0123456789", line[i]) || line[i] == '\0')
            return false;
    }
    return dashes >= 3 || stars >= 3 || underscores >= 3;
}

static bool is_fence(const char *line, size_t size)
{
    return g_strstr_len(line, (gssize)size, "```") || g_strstr_len(line, (gssize)size, "~~~");
}

/* The first line after those seen that passes; the last seen when there is none near. */
static size_t add_next(Lines *self, LineTest test)
{
    size_t found = MAX(self->seen, 1);
    size_t end = MIN(self->starts->len, self->seen + MAX_SEARCH_LINES);
    for (size_t line = self->seen + 1; line <= end; line++) {
        size_t start = start_of(self, line);
        if (test(self->text + start, start_of(self, line + 1) - start)) {
            found = line;
            break;
        }
    }
    lines_add(self, (Span) { found, found });
    return found;
}

size_t lines_add_rule(Lines *self)
{
    return add_next(self, is_rule);
}

size_t lines_add_fence(Lines *self)
{
    return add_next(self, is_fence);
}

size_t lines_add_any(Lines *self)
{
    return add_next(self, is_any);
}

Span lines_leave(Lines *self)
{
    if (lines_innermost(self)->first == 0)
        lines_add_any(self);
    Span span = *lines_innermost(self);
    g_array_set_size(self->open, self->open->len - 1);
    if (self->open->len > 0)
        span_include(lines_innermost(self), span);
    return span;
}

bool lines_is_fence(const Lines *self, size_t line)
{
    if (line == 0 || line > self->starts->len)
        return false;
    size_t start = start_of(self, line);
    return is_fence(self->text + start, start_of(self, line + 1) - start);
}
