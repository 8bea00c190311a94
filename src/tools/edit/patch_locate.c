/* See patch_locate.h. */
#include "tools/edit/patch_locate.h"

#include "tools/edit/edit_search.h"
#include "tools/edit/patch_context.h"
#include "tools/edit/patch_variant.h"

#include <stdint.h>

#define HINT_WINDOW 200 // lines that a line number may be off

/* What is known of where a hunk belongs. */
typedef struct Wanted {
    size_t from;      // line where it may begin; those before count when nothing behind it fits
    size_t hint;      // from 1; 0: none
    bool has_context; // it stands at `from`: nothing before counts, and the first place behind it
    bool is_only;     // nothing but a single place counts
} Wanted;

void patch_place_clear(PatchPlace *self)
{
    g_clear_pointer(&self->lines, g_array_unref);
}

size_t patch_lines_count(const GArray *lines, bool is_old)
{
    size_t count = 0;
    for (size_t i = 0; i < lines->len; i++)
        count += g_array_index(lines, PatchLine, i).kind != (is_old ? '+' : '-');
    return count;
}

char *patch_lines_join(const GArray *lines, bool is_old)
{
    GString *out = g_string_new(NULL);
    bool is_first = true;
    for (size_t i = 0; i < lines->len; i++) {
        const PatchLine *line = &g_array_index(lines, PatchLine, i);
        if (line->kind == (is_old ? '+' : '-'))
            continue;
        g_string_append(out, is_first ? "" : "\n");
        g_string_append(out, line->text);
        is_first = false;
    }
    return g_string_free(out, FALSE);
}

static size_t patch_locate_distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* The place nearest to a line number, unless another is as near. */
static bool patch_locate_nearest(const GArray *places, size_t line, size_t window,
                                 size_t *ret_place)
{
    size_t best = SIZE_MAX;
    bool is_tie = false;
    for (size_t i = 0; i < places->len; i++) {
        size_t place = g_array_index(places, size_t, i), here = patch_locate_distance(place, line);
        size_t there = best == SIZE_MAX ? SIZE_MAX : patch_locate_distance(best, line);
        is_tie = here == there || (is_tie && here > there);
        if (here < there)
            best = place;
    }
    if (best == SIZE_MAX || is_tie || patch_locate_distance(best, line) > window)
        return false;
    *ret_place = best;
    return true;
}

static bool patch_locate_choose(const GArray *places, const Wanted *wanted, PatchMatch match,
                                size_t *ret_place)
{
    if (places->len == 1) {
        *ret_place = g_array_index(places, size_t, 0);
        return true;
    }
    if (wanted->hint > 0 && patch_locate_nearest(places, wanted->hint - 1, HINT_WINDOW, ret_place))
        return true;
    if (!wanted->has_context || wanted->is_only || match == MATCH_ALIKE)
        return false;
    *ret_place = g_array_index(places, size_t, 0);
    return true;
}

static PatchLook patch_locate_found(GArray *lines, size_t first, PatchMatch match,
                                    PatchPlace *ret_place)
{
    *ret_place = (PatchPlace) { .first = first,
                                .lines = g_array_ref(lines),
                                .is_exact = match == MATCH_EXACT };
    return LOOK_FOUND;
}

static const PatchMatch passes[] = { MATCH_EXACT, MATCH_END_BLANKS, MATCH_ALIKE };

static bool is_allowed(const PatchText *text, PatchMatch match)
{
    return text->is_fuzzy || match != MATCH_ALIKE;
}

static GArray *places_of(PatchText *text, const char *old, PatchMatch match, const Wanted *wanted)
{
    GArray *places = patch_text_find(text, old, match, wanted->from, text->lines->len);
    if (places->len > 0 || wanted->has_context || wanted->from == 0)
        return places;
    g_array_unref(places);
    return patch_text_find(text, old, match, 0, MIN(wanted->from, text->lines->len));
}

/* The strictest pass in which anything fits decides. */
static PatchLook patch_text_look(PatchText *text, GArray *lines, const Wanted *wanted,
                                 PatchPlace *ret_place, GError **error)
{
    g_autofree char *old = patch_lines_join(lines, true);
    for (size_t i = 0; i < G_N_ELEMENTS(passes); i++) {
        if (!is_allowed(text, passes[i]))
            continue;
        g_autoptr(GArray) places = places_of(text, old, passes[i], wanted);
        size_t place = 0;
        if (!patch_text_check(text, error))
            return LOOK_FAILED;
        if (places->len == 0)
            continue;
        if (patch_locate_choose(places, wanted, passes[i], &place))
            return patch_locate_found(lines, place, passes[i], ret_place);
        edit_fail_several(text->text, places, places->len, passes[i] == MATCH_ALIKE, text->shown,
                          error);
        return LOOK_FAILED;
    }
    return LOOK_NONE;
}

/* A hunk that says it is at the end of the file. */
static PatchLook look_at_end(PatchText *text, GArray *lines, PatchPlace *ret_place, GError **error)
{
    size_t count = patch_lines_count(lines, true), total = text->lines->len;
    if (count > total)
        return LOOK_NONE;
    const Wanted wanted = { .from = total - count, .has_context = true };
    return patch_text_look(text, lines, &wanted, ret_place, error);
}

/* As it is written, then as it may have been meant: that must be the only place of its kind. */
static PatchLook look_in_all_ways(PatchText *text, const PatchHunk *hunk, const Wanted *wanted,
                                  PatchPlace *ret_place, GError **error)
{
    PatchLook result = patch_text_look(text, hunk->lines, wanted, ret_place, error);
    for (PatchVariant i = 0; i < VARIANT_COUNT && result == LOOK_NONE; i++) {
        g_autoptr(GArray) lines = patch_variant(hunk->lines, i);
        const Wanted only = { .from = wanted->has_context ? wanted->from : 0,
                              .hint = wanted->hint,
                              .has_context = wanted->has_context,
                              .is_only = true };
        if (lines)
            result = patch_text_look(text, lines, &only, ret_place, error);
    }
    return result;
}

/* What is added without any line around it. */
static PatchLook place_insertion(const PatchText *text, const PatchHunk *hunk, gssize context,
                                 PatchPlace *ret_place, GError **error)
{
    size_t count = text->lines->len, at = count;
    if (context >= 0 && !hunk->is_at_end)
        at = (size_t)context + 1;
    else if (hunk->hint > 0 && !hunk->is_at_end)
        at = hunk->hint - 1 + hunk->is_behind_hint;
    if (at > count) {
        fail_with(error, KEDGE_ERROR_FAILED,
                  "Line hint %zu is out of range for insertion in %s (file has %zu lines)",
                  hunk->hint, text->shown, count);
        return LOOK_FAILED;
    }
    return patch_locate_found(hunk->lines, at, MATCH_EXACT, ret_place);
}

/* Behind the context; or where the text is the only one of its kind in the file. */
static PatchLook look_by_context(PatchText *text, const PatchHunk *hunk, size_t context,
                                 PatchPlace *ret_place, GError **error)
{
    const Wanted behind = { .from = context, .hint = hunk->hint, .has_context = true };
    PatchLook result = look_in_all_ways(text, hunk, &behind, ret_place, error);
    const Wanted anywhere = { .is_only = true };
    return result == LOOK_NONE ? patch_text_look(text, hunk->lines, &anywhere, ret_place, error)
                               : result;
}

PatchLook patch_locate(PatchText *text, const PatchHunk *hunk, size_t from, PatchPlace *ret_place,
                       GError **error)
{
    size_t context = 0;
    bool has_context = hunk->contexts->len > 0;
    if (has_context && !patch_context_find(text, hunk, from, &context, error))
        return LOOK_FAILED;
    if (patch_lines_count(hunk->lines, true) == 0)
        return place_insertion(text, hunk, has_context ? (gssize)context : -1, ret_place, error);
    PatchLook result = LOOK_NONE;
    if (hunk->is_at_end)
        result = look_at_end(text, hunk->lines, ret_place, error);
    if (result != LOOK_NONE)
        return result;
    if (has_context)
        return look_by_context(text, hunk, context, ret_place, error);
    // a line number says more than the order of hunks
    const Wanted wanted = { .from = hunk->hint > 0 ? 0 : from, .hint = hunk->hint };
    return look_in_all_ways(text, hunk, &wanted, ret_place, error);
}
