/* See text_lines.h. */
#include "tools/file/text_lines.h"

#include <stdint.h>
#include <string.h>

GArray *text_lines_split(const char *text)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(TextLine));
    for (const char *p = text;;) {
        const char *end = strchrnul(p, '\n');
        const TextLine line = { p, (size_t)(end - p) };
        g_array_append_val(lines, line);
        if (*end == '\0')
            return lines;
        p = end + 1;
    }
}

const TextLine *text_line_at(const GArray *lines, size_t index)
{
    return &g_array_index(lines, TextLine, index);
}

bool text_line_is(const TextLine *line, const char *text)
{
    return strlen(text) == line->size && memcmp(line->text, text, line->size) == 0;
}

char *text_lines_part(const GArray *lines, size_t from, size_t to)
{
    if (from == to)
        return g_strdup("");
    const TextLine *first = text_line_at(lines, from), *last = text_line_at(lines, to - 1);
    return g_strndup(first->text, (size_t)(last->text + last->size - first->text));
}

void text_lines_append(GArray *out, const GArray *lines, size_t from, size_t to)
{
    if (from < to)
        g_array_append_vals(out, text_line_at(lines, from), (unsigned)(to - from));
}

char *text_lines_join(const GArray *lines, const char *source, GArray *newlines)
{
    GString *out = g_string_new(NULL);
    size_t source_size = newlines ? strlen(source) : 0;
    for (size_t i = 0; i < lines->len; i++) {
        const TextLine *line = text_line_at(lines, i);
        g_string_append_len(out, line->text, (gssize)line->size);
        if (i + 1 == lines->len)
            break;
        g_string_append_c(out, '\n');
        size_t at = (uintptr_t)line->text - (uintptr_t)source; // wraps where it is before it
        at = at <= source_size ? at + line->size : TEXT_LINES_NEW;
        if (newlines)
            g_array_append_val(newlines, at);
    }
    return g_string_free(out, FALSE);
}
