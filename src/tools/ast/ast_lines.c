/* See ast_lines.h. */
#include "tools/ast/ast_lines.h"

#include "base/utf8.h"
#include "tools/file/hashline.h"
#include "tools/file/text_lines.h"

#include <string.h>

AstLines *ast_lines_new(const char *text, size_t size)
{
    if (strlen(text) != size)
        return NULL;
    AstLines *self = g_new0(AstLines, 1);
    self->text = text;
    self->size = size;
    self->lines = text_lines_split(text);
    return self;
}

void ast_lines_free(AstLines *self)
{
    if (!self)
        return;
    g_array_unref(self->lines);
    g_free(self);
}

bool ast_lines_have(const AstLines *self, const AstMatch *match)
{
    size_t size = strlen(match->text);
    return match->end <= self->size && match->end - match->start == size &&
           memcmp(self->text + match->start, match->text, size) == 0;
}

size_t ast_lines_number(const AstLines *self, size_t offset)
{
    const char *at = self->text + MIN(offset, self->size);
    size_t low = 0, high = self->lines->len;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (text_line_at(self->lines, middle)->text <= at)
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

/* As it is shown. Caller frees. */
static char *shown_line(const AstLines *self, size_t number)
{
    const TextLine *line = text_line_at(self->lines, number - 1);
    size_t size = line->size;
    while (size > 0 && line->text[size - 1] == '\r')
        size--;
    size_t skipped = number == 1 ? utf8_bom_size(line->text, size) : 0;
    return utf8_from_bytes(line->text + skipped, size - skipped);
}

bool ast_lines_append(const AstLines *self, char mark, size_t number, size_t max_chars,
                      GString *out)
{
    const TextLine *line = text_line_at(self->lines, number - 1);
    g_autofree char *whole = shown_line(self, number);
    g_autofree char *shown = utf8_ellipsize(whole, max_chars);
    g_string_append_c(out, mark);
    hashline_append(out, number, line->text, line->size);
    g_string_append_printf(out, "%s\n", shown);
    return strcmp(shown, whole) == 0;
}

void ast_lines_note(const AstLines *self, size_t number, ReadSnapshot *seen)
{
    g_autofree char *whole = shown_line(self, number);
    read_snapshot_add(seen, number, whole, strlen(whole));
    seen->total = self->lines->len;
}
