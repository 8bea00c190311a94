/* See patch_variant.h. */
#include "tools/edit/patch_variant.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS       6
#define MAX_STEP         3  // between the numbers of neighbours
#define NUMBERED_PERCENT 60 // of the lines, for their numbers to be no part of them

static const PatchLine *line_at(const GArray *lines, size_t index)
{
    return &g_array_index(lines, PatchLine, index);
}

static GArray *copy_range(const GArray *lines, size_t from, size_t to)
{
    GArray *copy = patch_lines_new();
    for (size_t i = from; i < to; i++)
        patch_lines_add(copy, line_at(lines, i)->kind, line_at(lines, i)->text);
    return copy;
}

static GArray *without_last_blank(const GArray *lines)
{
    size_t count = lines->len;
    bool is_blank = count > 1 && line_at(lines, count - 1)->kind == ' ' &&
                    *line_at(lines, count - 1)->text == '\0';
    return is_blank ? copy_range(lines, 0, count - 1) : NULL;
}

static GArray *change_only(const GArray *lines)
{
    size_t from = 0, to = lines->len;
    while (from < to && line_at(lines, from)->kind == ' ')
        from++;
    while (to > from && line_at(lines, to - 1)->kind == ' ')
        to--;
    return to - from < lines->len ? copy_range(lines, from, to) : NULL;
}

static GArray *without_repeats(const GArray *lines)
{
    GArray *kept = patch_lines_new();
    for (size_t i = 0; i < lines->len; i++) {
        const PatchLine *line = line_at(lines, i);
        const PatchLine *before = i > 0 ? line_at(lines, i - 1) : NULL;
        bool is_repeat = before && line->kind == ' ' && before->kind == ' ' &&
                         strcmp(line->text, before->text) == 0;
        if (!is_repeat)
            patch_lines_add(kept, line->kind, line->text);
    }
    if (kept->len < lines->len)
        return kept;
    g_array_unref(kept);
    return NULL;
}

/* What is behind "  12 ", or NULL. */
static const char *behind_number(const char *text, long *ret_number)
{
    const char *digits = text + strspn(text, " \t");
    size_t count = strspn(digits, "0123456789");
    const char *end = digits + count;
    if (count == 0 || count > MAX_DIGITS || (*end != ' ' && *end != '\t' && *end != '\0'))
        return NULL;
    *ret_number = (long)g_ascii_strtoll(digits, NULL, 10);
    return *end ? end + 1 : end;
}

static bool is_numbered(const GArray *lines)
{
    size_t filled = 0, numbered = 0, in_order = 0;
    long last = 0, number = 0;
    for (size_t i = 0; i < lines->len; i++) {
        const char *text = line_at(lines, i)->text;
        filled += *text != '\0';
        if (!behind_number(text, &number))
            continue;
        in_order += numbered == 0 || labs(number - last) <= MAX_STEP;
        numbered++;
        last = number;
    }
    return in_order >= 2 && in_order * 100 >= filled * NUMBERED_PERCENT;
}

static GArray *without_numbers(const GArray *lines)
{
    if (!is_numbered(lines))
        return NULL;
    GArray *bare = patch_lines_new();
    long number = 0;
    for (size_t i = 0; i < lines->len; i++) {
        const char *text = line_at(lines, i)->text, *rest = behind_number(text, &number);
        patch_lines_add(bare, line_at(lines, i)->kind, rest ? rest : text);
    }
    return bare;
}

static bool has_old_line(const GArray *lines)
{
    for (size_t i = 0; i < lines->len; i++)
        if (line_at(lines, i)->kind != '+' && *line_at(lines, i)->text)
            return true;
    return false;
}

GArray *patch_variant(const GArray *lines, PatchVariant variant)
{
    GArray *other = variant == VARIANT_NO_LAST_BLANK ? without_last_blank(lines)
                    : variant == VARIANT_CHANGE_ONLY ? change_only(lines)
                    : variant == VARIANT_NO_REPEATS  ? without_repeats(lines)
                                                     : without_numbers(lines);
    if (other && has_old_line(other))
        return other;
    g_clear_pointer(&other, g_array_unref);
    return NULL;
}
