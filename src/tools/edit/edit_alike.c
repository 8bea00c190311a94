/* See edit_alike.h. */
#include "tools/edit/edit_alike.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <utf8proc.h>

#define MAX_BYTES (16 * MIB) // of a file that is searched

static gunichar plain_mark(gunichar c)
{
    static const gunichar double_quotes[] = { 0x201c, 0x201d, 0x201e, 0x201f, 0xab, 0xbb };
    static const gunichar single_quotes[] = { 0x2018, 0x2019, 0x201a, 0x201b,
                                              0x2039, 0x203a, '`',    0xb4 };
    for (size_t i = 0; i < G_N_ELEMENTS(double_quotes); i++)
        if (c == double_quotes[i])
            return '"';
    for (size_t i = 0; i < G_N_ELEMENTS(single_quotes); i++)
        if (c == single_quotes[i])
            return '\'';
    return (c >= 0x2010 && c <= 0x2015) || c == 0x2212 ? '-' : c;
}

/* Forms that differ in nothing but how they are set; a superscript is another character. */
static bool is_mere_form(gunichar c)
{
    int type = utf8proc_get_property((utf8proc_int32_t)c)->decomp_type;
    bool is_ligature = (c >= 0xfb00 && c <= 0xfb06) || (c >= 0xfb13 && c <= 0xfb17);
    return type == UTF8PROC_DECOMP_TYPE_WIDE || type == UTF8PROC_DECOMP_TYPE_NARROW ||
           type == UTF8PROC_DECOMP_TYPE_NOBREAK || is_ligature || c == 0x2026;
}

typedef struct Plain { // a line in the making
    GString *text;
    size_t length;
    bool has_blank; // not yet written
} Plain;

static void plain_append(Plain *self, gunichar c)
{
    if (c == 0x200b || c == 0xfeff || c == '\r')
        return;
    if (g_unichar_isspace(c)) {
        self->has_blank = self->length > 0;
        return;
    }
    if (self->has_blank)
        g_string_append_c(self->text, ' ');
    self->length += self->has_blank ? 2 : 1;
    self->has_blank = false;
    g_string_append_unichar(self->text, plain_mark(c));
}

static void plain_append_form(Plain *self, gunichar c)
{
    gunichar parts[G_UNICHAR_MAX_DECOMPOSITION_LENGTH];
    size_t count = g_unichar_fully_decompose(c, TRUE, parts, G_N_ELEMENTS(parts));
    for (size_t i = 0; i < MIN(count, G_N_ELEMENTS(parts)); i++)
        plain_append(self, parts[i]);
}

/* What counts of a line. */
static char *plain_line(const char *text, size_t size, size_t *ret_length)
{
    g_autofree char *valid = utf8_from_bytes(text, size);
    Plain plain = { .text = g_string_sized_new(size + 1) };
    for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (c >= 0x80 && is_mere_form(c))
            plain_append_form(&plain, c);
        else
            plain_append(&plain, c);
    }
    *ret_length = plain.length;
    return g_string_free(plain.text, FALSE);
}

static void line_clear(void *data)
{
    g_free(((AlikeLine *)data)->plain);
}

GArray *alike_split(const char *text)
{
    GArray *lines = g_array_new(FALSE, TRUE, sizeof(AlikeLine));
    g_array_set_clear_func(lines, line_clear);
    for (const char *p = text;;) {
        const char *end = strchrnul(p, '\n');
        AlikeLine line = { .start = p, .size = (size_t)(end - p) };
        line.plain = plain_line(p, line.size, &line.length);
        line.hash = g_str_hash(line.plain);
        g_array_append_val(lines, line);
        if (*end == '\0')
            return lines;
        p = end + 1;
    }
}

GArray *alike_split_wanted(const char *wanted)
{
    GArray *lines = alike_split(wanted);
    if (g_str_has_suffix(wanted, "\n"))
        g_array_set_size(lines, lines->len - 1);
    return lines;
}

bool alike_is_searchable(const char *content, const char *wanted)
{
    return strlen(content) <= MAX_BYTES && !utf8_is_blank(wanted);
}

bool alike_is_same(const AlikeLine *a, const AlikeLine *b)
{
    return a->hash == b->hash && a->length == b->length && strcmp(a->plain, b->plain) == 0;
}

static const AlikeLine *line_at(const GArray *lines, size_t index)
{
    return &g_array_index(lines, AlikeLine, index);
}

/* For each line of the pattern, how long a beginning of it ends there (Knuth, Morris, Pratt). */
static size_t *borders_of(const GArray *pattern)
{
    size_t *borders = g_new0(size_t, pattern->len);
    for (size_t i = 1, length = 0; i < pattern->len; i++) {
        while (length > 0 && !alike_is_same(line_at(pattern, i), line_at(pattern, length)))
            length = borders[length - 1];
        length += alike_is_same(line_at(pattern, i), line_at(pattern, length));
        borders[i] = length;
    }
    return borders;
}

GArray *alike_find(const char *content, const char *old_text)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(AlikePlace));
    if (!alike_is_searchable(content, old_text))
        return places;
    bool ends_line = g_str_has_suffix(old_text, "\n");
    g_autoptr(GArray) pattern = alike_split_wanted(old_text);
    g_autoptr(GArray) lines = alike_split(content);
    g_autofree size_t *borders = borders_of(pattern);

    for (size_t i = 0, length = 0; i < lines->len; i++) {
        while (length > 0 && (length == pattern->len ||
                              !alike_is_same(line_at(lines, i), line_at(pattern, length))))
            length = borders[length - 1];
        length += alike_is_same(line_at(lines, i), line_at(pattern, length));
        if (length < pattern->len)
            continue;
        const AlikeLine *first = line_at(lines, i + 1 - pattern->len), *last = line_at(lines, i);
        const char *end = last->start + last->size;
        const AlikePlace place = {
            .start = (size_t)(first->start - content),
            .size = (size_t)(end - first->start) + (ends_line && *end == '\n'),
            .line = i + 1 - pattern->len,
        };
        g_array_append_val(places, place);
    }
    return places;
}
