/*
 * Applying hunks (patch_apply.h).
 *
 * A line that a hunk keeps is never written: the file's own stays, however the model spelled it.
 */
#include "tools/edit/patch_apply.h"

#include "tools/edit/edit_closest.h"
#include "tools/edit/edit_indent.h"
#include "tools/edit/edit_search.h"
#include "tools/edit/patch_locate.h"

#include <string.h>

#define SHOWN_OLD_LINES 50 // of a hunk that was not found

typedef struct Change { // from the first line that changes to the last
    size_t first, count, order;
    bool is_free;  // nothing of the file is in its hunk
    GArray *added; // TextLine: of the file, or of `fitted`
    char **fitted;
} Change;

static void change_clear(void *data)
{
    Change *self = data;
    g_array_unref(self->added);
    g_strfreev(self->fitted);
}

/* The new lines of a hunk, indented as the file is there; the last of them is NULL. */
static char **fit_lines(const PatchText *text, const PatchPlace *place)
{
    g_autofree char *fresh = patch_lines_join(place->lines, false);
    if (place->is_exact)
        return g_strsplit(fresh, "\n", -1);
    g_autofree char *old = patch_lines_join(place->lines, true);
    size_t end = place->first + patch_lines_count(place->lines, true);
    g_autofree char *there = text_lines_part(text->lines, place->first, end);
    g_autofree char *fitted = edit_reindent(old, there, fresh);
    return g_strsplit(fitted, "\n", -1);
}

static const PatchLine *line_at(const PatchPlace *place, size_t index)
{
    return &g_array_index(place->lines, PatchLine, index);
}

static void append_new_line(GArray *lines, const char *text)
{
    const TextLine line = { text, strlen(text) };
    g_array_append_val(lines, line);
}

/* What changes at `place`; false when nothing does. */
static bool change_at(const PatchText *text, const PatchPlace *place, Change *ret_change)
{
    size_t begin = 0, end = place->lines->len;
    while (begin < end && line_at(place, begin)->kind == ' ')
        begin++;
    while (end > begin && line_at(place, end - 1)->kind == ' ')
        end--;
    if (begin == end)
        return false;
    char **fitted = fit_lines(text, place);
    size_t fitted_count = g_strv_length(fitted); // none for a single empty line
    Change change = { .first = place->first + begin,
                      .is_free = patch_lines_count(place->lines, true) == 0,
                      .added = g_array_new(FALSE, FALSE, sizeof(TextLine)),
                      .fitted = fitted };
    for (size_t i = begin, fresh = begin; i < end; i++) {
        char kind = line_at(place, i)->kind;
        size_t at = change.first + change.count;
        if (kind == '+')
            append_new_line(change.added, fresh < fitted_count ? fitted[fresh] : "");
        else if (kind == ' ')
            text_lines_append(change.added, text->lines, at, at + 1);
        change.count += kind != '+';
        fresh += kind != '-';
    }
    *ret_change = change;
    return true;
}

static int by_place(const void *a_, const void *b_)
{
    const Change *a = a_, *b = b_;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if ((a->count == 0) != (b->count == 0))
        return a->count == 0 ? -1 : 1; // what is added in front of a change
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool check_overlaps(const GArray *changes, const char *shown, GError **error)
{
    for (size_t i = 1; i < changes->len; i++) {
        const Change *a = &g_array_index(changes, Change, i - 1);
        const Change *b = &g_array_index(changes, Change, i);
        bool is_twice =
            a->first == b->first && a->count == 0 && b->count == 0 && !a->is_free && !b->is_free;
        if (a->first + a->count > b->first || is_twice)
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "Overlapping hunks detected in %s at lines %zu-%zu and %zu-%zu. Split "
                             "hunks or add more context to avoid overlap.",
                             shown, a->first + 1, a->first + MAX(a->count, 1), b->first + 1,
                             b->first + MAX(b->count, 1));
    }
    return true;
}

/* The text with all changes made; whether it ends in a newline is kept. */
static char *patch_text_rebuild(const PatchText *text, const GArray *changes, GArray *newlines)
{
    g_autoptr(GArray) out = g_array_new(FALSE, FALSE, sizeof(TextLine));
    size_t next = 0;
    for (size_t i = 0; i < changes->len; i++) {
        const Change *change = &g_array_index(changes, Change, i);
        text_lines_append(out, text->lines, next, change->first);
        text_lines_append(out, change->added, 0, change->added->len);
        next = change->first + change->count;
    }
    text_lines_append(out, text->lines, next, text->lines->len);
    if (out->len > 0 && (text->ends_line || text->lines->len == 0))
        append_new_line(out, ""); // after the final newline
    return text_lines_join(out, text->text, newlines);
}

static bool fail_not_found(const PatchText *text, const PatchHunk *hunk, GError **error)
{
    g_autofree char *old = patch_lines_join(hunk->lines, true);
    g_autofree char *closest = closest_describe(text->text, old, !text->is_fuzzy);
    size_t count = patch_lines_count(hunk->lines, true);
    g_auto(GStrv) lines = g_strsplit(old, "\n", SHOWN_OLD_LINES + 1);
    g_autofree char *more = NULL;
    if (count > SHOWN_OLD_LINES) {
        g_clear_pointer(&lines[SHOWN_OLD_LINES], g_free);
        more = g_strdup_printf("\n… (%zu more lines)", count - SHOWN_OLD_LINES);
    }
    g_autofree char *shown = g_strjoinv("\n", lines);
    return fail_with(error, KEDGE_ERROR_FAILED, "Failed to find expected lines in %s:\n%s%s%s",
                     text->shown, shown, more ? more : "", closest);
}

static bool begins_or_ends_empty(const char *text)
{
    size_t size = strlen(text);
    return size == 0 || *text == '\n' || text[size - 1] == '\n';
}

/* Neither a context nor a kept line: perhaps a part of a line is meant. Where that begins or ends
   with an empty line, lines would be joined. */
static bool is_part(const PatchHunk *hunk)
{
    g_autofree char *old = patch_lines_join(hunk->lines, true);
    g_autofree char *fresh = patch_lines_join(hunk->lines, false);
    return hunk->contexts->len == 0 && hunk->hint == 0 && !hunk->is_at_end && !hunk->has_context &&
           !begins_or_ends_empty(old) && !begins_or_ends_empty(fresh);
}

static bool replace_part(const PatchText *text, const PatchHunk *hunk, char **ret_text,
                         GArray *newlines, GError **error)
{
    g_autofree char *old = patch_lines_join(hunk->lines, true);
    g_autofree char *fresh = patch_lines_join(hunk->lines, false);
    const EditSearch search = {
        .old_text = old, .new_text = fresh, .is_fuzzy = text->is_fuzzy, .shown = text->shown
    };
    size_t count = 0;
    return edit_search_replace(text->text, &search, ret_text, newlines, &count, error);
}

/* Places all hunks. *ret_text is set when the only one was a part of a line, and is made. */
static bool place_all(PatchText *text, const GPtrArray *hunks, GArray *changes, char **ret_text,
                      GArray *newlines, GError **error)
{
    size_t from = 0;
    for (guint i = 0; i < hunks->len; i++) {
        const PatchHunk *hunk = hunks->pdata[i];
        g_auto(PatchPlace) place = { 0 };
        PatchLook look = patch_locate(text, hunk, from, &place, error);
        if (look == LOOK_NONE && hunks->len == 1 && is_part(hunk))
            return replace_part(text, hunk, ret_text, newlines, error);
        if (look == LOOK_NONE)
            return fail_not_found(text, hunk, error);
        if (look == LOOK_FAILED)
            return false;
        Change change;
        from = place.first + patch_lines_count(place.lines, true);
        if (!change_at(text, &place, &change))
            continue;
        change.order = i;
        g_array_append_val(changes, change);
    }
    return true;
}

bool patch_apply(const char *text, const char *diff, const char *shown, bool is_fuzzy,
                 size_t *steps_left, char **ret_text, GArray *newlines, GError **error)
{
    g_autoptr(GPtrArray) hunks = NULL;
    if (!patch_parse(diff, &hunks, error))
        return false;
    g_auto(PatchText) lines = { 0 };
    patch_text_init(&lines, text, shown, is_fuzzy, steps_left);
    if (!patch_text_check(&lines, error))
        return false;
    g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(Change));
    g_array_set_clear_func(changes, change_clear);
    g_autofree char *whole = NULL;
    if (!place_all(&lines, hunks, changes, &whole, newlines, error))
        return false;
    g_array_sort(changes, by_place);
    if (!check_overlaps(changes, shown, error))
        return false;
    *ret_text = whole ? g_steal_pointer(&whole) : patch_text_rebuild(&lines, changes, newlines);
    return true;
}
