/*
 * Source files of a repository, and what a ctags says of them: the text up to the first NUL, then
 * its output, or bytes that stand for lines and ends. Bodies that are left out are some of the
 * file's lines, in order, and the lines around each are shown.
 */
#include "tools/read/source_tags.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static GArray *tags_of_bytes(const uint8_t *data, size_t size)
{
    GArray *tags = g_array_new(FALSE, FALSE, sizeof(SourceTag));
    for (size_t i = 0; i + 1 < size; i += 2) {
        const SourceTag tag = { data[i], data[i + 1] };
        g_array_append_val(tags, tag);
    }
    return tags;
}

static void check(const GArray *lines, GArray *tags, SourceForm form, size_t min_lines)
{
    g_autoptr(GArray) bodies = source_bodies_find(lines, tags, form, min_lines);
    size_t shown = 1; // the line before a body is this one, or behind it
    for (unsigned i = 0; i < bodies->len; i++) {
        const SourceBody *body = &g_array_index(bodies, SourceBody, i);
        if (body->first <= shown || body->last < body->first || body->last > lines->len ||
            body->last - body->first + 1 < min_lines)
            abort();
        shown = body->last + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size > 0 ? memchr(data, '\0', size) : NULL;
    size_t text_size = zero ? (size_t)(zero - data) : size;
    g_autofree char *text = g_strndup((const char *)data, text_size);
    const uint8_t *rest = zero ? zero + 1 : data + size;
    size_t rest_size = (size_t)(data + size - rest);
    g_autofree char *output = g_strndup((const char *)rest, rest_size);
    g_autoptr(GArray) lines = text_lines_split(text);
    for (SourceForm form = SOURCE_BRACES; form <= SOURCE_END; form++) {
        g_autoptr(GArray) said = source_tags_parse(output);
        g_autoptr(GArray) tags = said ? g_array_ref(said) : tags_of_bytes(rest, rest_size);
        check(lines, tags, form, 1 + size % 5);
    }
    return 0;
}
