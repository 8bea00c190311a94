/*
 * Finding the place of a replacement and making it (edit_search.h).
 */
#include "tools/edit/edit_search.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tools/edit/edit_alike.h"
#include "tools/edit/edit_closest.h"
#include "tools/edit/edit_ends.h"
#include "tools/edit/edit_indent.h"
#include "tools/file/text_lines.h"

#define MAX_PREVIEWS  5
#define PREVIEW_LINES 5 // before and after the one that is meant
#define PREVIEW_CHARS 80

static void append_line_of(GArray *places, const char *text, const char *at)
{
    size_t line = str_count_lines(text, (size_t)(at - text)) - 1;
    g_array_append_val(places, line);
}

/* Where `needle` is, one occurrence after the other: the lines (of size_t, from 0) where the first
   ones begin, and how many there are. Caller unrefs. */
static GArray *find_occurrences(const char *text, const char *needle, size_t *ret_count)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(size_t));
    size_t size = strlen(needle);
    *ret_count = 0;
    for (const char *p = text; (p = strstr(p, needle)); p += size) {
        if (places->len < MAX_PREVIEWS)
            append_line_of(places, text, p);
        (*ret_count)++;
    }
    return places;
}

/* The text may be meant where it overlaps its only occurrence, too: rows of a table that are alike.
 */
static void add_overlapping(const char *text, const char *needle, GArray *places, size_t *count)
{
    const char *only = strstr(text, needle), *twin = strstr(only + 1, needle);
    if (!twin)
        return;
    append_line_of(places, text, twin);
    (*count)++;
}

static void append_preview_line(GString *out, size_t number, const TextLine *line)
{
    g_autofree char *valid = utf8_from_bytes(line->text, line->size);
    bool is_long = utf8_length(valid) > PREVIEW_CHARS;
    g_autofree char *cut = utf8_ellipsize(valid, PREVIEW_CHARS - is_long);
    g_string_append_printf(out, "  %zu | %s\n", number, cut);
}

char *edit_preview(const char *text, const GArray *places, size_t around)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GArray) lines = text_lines_split(text);
    for (size_t i = 0; i < MIN(places->len, MAX_PREVIEWS); i++) {
        size_t at = g_array_index(places, size_t, i);
        for (size_t j = at - MIN(at, around); j < MIN(at + around + 1, lines->len); j++)
            append_preview_line(out, j + 1, text_line_at(lines, j));
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

bool edit_fail_several(const char *text, const GArray *places, size_t count, bool is_alike,
                       const char *shown, GError **error)
{
    g_autofree char *previews = edit_preview(text, places, PREVIEW_LINES);
    g_autofree char *partly =
        count > MAX_PREVIEWS ? g_strdup_printf(" (showing first %d of %zu)", MAX_PREVIEWS, count)
                             : g_strdup("");
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "Found %zu %s in %s%s%s\n\n%sAdd more context lines to disambiguate.", count,
                     is_alike ? "matches for the text" : "occurrences", shown, partly,
                     is_alike ? "." : ":", previews);
}

/* A few bytes of the model's, put in many places, can make a file of any size. */
static bool check_size(const char *text, const EditSearch *search, size_t count, GError **error)
{
    size_t size = strlen(text), added = count * strlen(search->new_text);
    return (size <= LIMIT_TOOL_FILE_BYTES && added <= LIMIT_TOOL_FILE_BYTES - size) ||
           fail_with(error, KEDGE_ERROR_LIMIT, "%s would become larger than %zu MiB", search->shown,
                     LIMIT_TOOL_FILE_BYTES / MIB);
}

static bool fail_no_match(const char *text, const char *old_text, bool is_fuzzy, const char *shown,
                          GError **error)
{
    g_autofree char *closest = closest_describe(text, old_text, !is_fuzzy);
    if (is_fuzzy)
        return fail_with(error, KEDGE_ERROR_FAILED, "Could not find this text in %s.%s", shown,
                         closest);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "Could not find the exact text in %s. The old text must match exactly "
                     "including all whitespace and newlines.%s",
                     shown, closest);
}

typedef struct Splicing { // of pieces of the old text and new ones
    const char *text;
    GString *out;
    GArray *newlines; // may be NULL
} Splicing;

/* One more piece: a part of the old text, or a new one. */
static void splicing_append(Splicing *self, const char *piece, size_t size, bool is_kept)
{
    g_string_append_len(self->out, piece, (gssize)size);
    if (!self->newlines)
        return;
    for (const char *p = piece; (p = memchr(p, '\n', (size_t)(piece + size - p))); p++) {
        size_t at = is_kept ? (size_t)(p - self->text) : TEXT_LINES_NEW;
        g_array_append_val(self->newlines, at);
    }
}

/* Puts `new_text`, indented as its surroundings, at each of the places, but those that overlap one
   before. */
static void replace_places(Splicing *out, const GArray *places, const EditSearch *search,
                           size_t *ret_count)
{
    const char *from = out->text;
    *ret_count = 0;
    for (size_t i = 0; i < places->len; i++) {
        const AlikePlace *place = &g_array_index(places, AlikePlace, i);
        const char *start = out->text + place->start;
        if (start < from)
            continue;
        g_autofree char *matched = g_strndup(start, place->size);
        g_autofree char *fitted = edit_reindent(search->old_text, matched, search->new_text);
        splicing_append(out, from, (size_t)(start - from), true);
        splicing_append(out, fitted, strlen(fitted), false);
        from = start + place->size;
        (*ret_count)++;
    }
    splicing_append(out, from, strlen(from), true);
}

static bool replace_alike(Splicing *out, const EditSearch *search, size_t *ret_count,
                          GError **error)
{
    const char *text = out->text;
    g_autoptr(GArray) places = search->is_fuzzy ? alike_find(text, search->old_text)
                                                : g_array_new(FALSE, FALSE, sizeof(AlikePlace));
    if (places->len == 0)
        return fail_no_match(text, search->old_text, search->is_fuzzy, search->shown, error);
    if (places->len > 1 && !search->all) {
        g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(size_t));
        for (size_t i = 0; i < places->len; i++)
            g_array_append_val(lines, g_array_index(places, AlikePlace, i).line);
        return edit_fail_several(text, lines, places->len, false, search->shown, error);
    }
    if (!check_size(text, search, places->len, error))
        return false;
    replace_places(out, places, search, ret_count);
    return true;
}

static void replace_exact(Splicing *out, const EditSearch *search)
{
    size_t size = strlen(search->old_text), new_size = strlen(search->new_text);
    const char *from = out->text;
    for (const char *p; (p = strstr(from, search->old_text)); from = p + size) {
        splicing_append(out, from, (size_t)(p - from), true);
        splicing_append(out, search->new_text, new_size, false);
    }
    splicing_append(out, from, strlen(from), true);
}

bool edit_search_replace(const char *text, const EditSearch *asked, char **ret_text,
                         GArray *newlines, size_t *ret_count, GError **error)
{
    if (*asked->old_text == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "old_text must not be empty.");
    g_autofree char *old_text = edit_to_lf(asked->old_text);
    g_autofree char *new_text = edit_to_lf(asked->new_text);
    EditSearch search = *asked;
    search.old_text = old_text;
    search.new_text = new_text;

    size_t count = 0;
    g_autoptr(GArray) places = find_occurrences(text, old_text, &count);
    g_autoptr(GString) after = g_string_new(NULL);
    Splicing out = { .text = text, .out = after, .newlines = newlines };
    if (count == 1 && !search.all)
        add_overlapping(text, old_text, places, &count);
    if (count > 1 && !search.all)
        return edit_fail_several(text, places, count, false, search.shown, error);
    if (!check_size(text, &search, count, error))
        return false;
    if (count > 0)
        replace_exact(&out, &search);
    else if (!replace_alike(&out, &search, &count, error))
        return false;
    if (strcmp(text, after->str) == 0)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "Edits to %s resulted in no changes being made.", search.shown);
    *ret_text = g_string_free(g_steal_pointer(&after), FALSE);
    *ret_count = count;
    return true;
}
