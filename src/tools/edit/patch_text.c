/* See patch_text.h. */
#include "tools/edit/patch_text.h"

#include "tools/edit/edit_alike.h"

#define STEP_BYTES      64 // compared at the price of one step
#define TEXT_STEP_BYTES 4  // taken apart and put together again at that price

static void spend(PatchText *self, size_t steps)
{
    *self->steps_left -= MIN(*self->steps_left, steps);
}

void patch_text_init(PatchText *self, const char *text, const char *shown, bool is_fuzzy,
                     size_t *steps_left)
{
    size_t size = strlen(text);
    *self = (PatchText) { .text = text,
                          .shown = shown,
                          .is_fuzzy = is_fuzzy,
                          .lines = text_lines_split(text),
                          .steps_left = steps_left };
    spend(self, size / TEXT_STEP_BYTES);
    self->ends_line = size > 0 && text[size - 1] == '\n';
    if (size == 0 || self->ends_line)
        g_array_set_size(self->lines, self->lines->len - 1);
}

void patch_text_clear(PatchText *self)
{
    g_clear_pointer(&self->lines, g_array_unref);
    g_clear_pointer(&self->alike, g_array_unref);
}

static bool is_blank_byte(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static TextLine without_blanks(TextLine line, PatchMatch match)
{
    while (line.size > 0 && is_blank_byte(line.text[line.size - 1]))
        line.size--;
    while (match != MATCH_END_BLANKS && line.size > 0 && is_blank_byte(*line.text)) {
        line.text++;
        line.size--;
    }
    return line;
}

static bool contains(const TextLine *line, const TextLine *part)
{
    return part->size > 0 && memmem(line->text, line->size, part->text, part->size);
}

static bool fits(const TextLine *line, const TextLine *pattern, PatchMatch match)
{
    const TextLine bare = match == MATCH_EXACT ? *line : without_blanks(*line, match);
    const TextLine wanted = match == MATCH_EXACT ? *pattern : without_blanks(*pattern, match);
    if (match == MATCH_PART)
        return contains(&bare, &wanted);
    bool has_size = match == MATCH_BEGINNING ? wanted.size > 0 && bare.size >= wanted.size
                                             : bare.size == wanted.size;
    return has_size && memcmp(bare.text, wanted.text, wanted.size) == 0;
}

static bool fits_at(PatchText *self, const GArray *pattern, PatchMatch match, size_t at)
{
    for (size_t i = 0; i < pattern->len; i++) {
        const TextLine *line = text_line_at(self->lines, at + i);
        const TextLine *wanted = text_line_at(pattern, i);
        spend(self, 1 + (line->size + wanted->size) / STEP_BYTES);
        if (!fits(line, wanted, match))
            return false;
    }
    return true;
}

static bool is_alike_at(PatchText *self, const GArray *pattern, size_t at)
{
    for (size_t i = 0; i < pattern->len; i++) {
        const AlikeLine *line = &g_array_index(self->alike, AlikeLine, at + i);
        spend(self, 1 + line->size / STEP_BYTES);
        if (!alike_is_same(line, &g_array_index(pattern, AlikeLine, i)))
            return false;
    }
    return true;
}

GArray *patch_text_find(PatchText *self, const char *pattern, PatchMatch match, size_t from,
                        size_t to)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(size_t));
    bool is_alike = match == MATCH_ALIKE;
    if (is_alike && !alike_is_searchable(self->text, pattern))
        return places;
    if (is_alike && !self->alike)
        self->alike = alike_split(self->text);
    g_autoptr(GArray) wanted = is_alike ? alike_split(pattern) : text_lines_split(pattern);
    for (size_t i = from; i < to && i + wanted->len <= self->lines->len && *self->steps_left > 0;
         i++)
        if (is_alike ? is_alike_at(self, wanted, i) : fits_at(self, wanted, match, i))
            g_array_append_val(places, i);
    return places;
}

bool patch_text_check(const PatchText *self, GError **error)
{
    return *self->steps_left > 0 ||
           fail_with(error, KEDGE_ERROR_LIMIT,
                     "finding the hunks in %s takes too long: make several calls with fewer hunks "
                     "and files each",
                     self->shown);
}
