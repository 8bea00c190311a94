/* See patch_context.h. */
#include "tools/edit/patch_context.h"

#include "tools/edit/edit_search.h"

#include <string.h>

#define MIN_PART_CHARS 6 // of a context that is looked for within lines
#define PREVIEW_AROUND 2
#define MIN_WORDS      3 // of a context that may be "outer inner"

typedef struct Pass {
    PatchMatch match;
    bool is_fuzzy; // only when looser places are allowed
    bool is_only;  // only when a single line fits
    const char *name;
} Pass;

static const Pass passes[] = {
    { MATCH_EXACT, false, false, "exact" },   { MATCH_TRIMMED, false, false, "trim" },
    { MATCH_ALIKE, true, false, "alike" },    { MATCH_BEGINNING, false, true, "prefix" },
    { MATCH_PART, false, true, "substring" },
};

typedef struct Search {
    PatchText *text;
    size_t from;    // the first line that counts
    size_t hint;    // of the hunk; 0: none
    bool is_strict; // whole lines only
    bool is_inner;  // the outer context says which: the first counts
} Search;

/* The last of them that is not behind the line that the hunk names. */
static bool settle_by_hint(const GArray *places, size_t hint, size_t *ret_line)
{
    bool is_found = false;
    for (size_t i = 0; i < places->len && g_array_index(places, size_t, i) < hint; i++) {
        *ret_line = g_array_index(places, size_t, i);
        is_found = true;
    }
    return is_found;
}

static bool fail_several(const Search *self, const GArray *places, const char *context,
                         const Pass *pass, GError **error)
{
    g_autofree char *previews = edit_preview(self->text->text, places, PREVIEW_AROUND);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "Found %u matches for context '%s' in %s. Matching strategy: %s.\n\n%s"
                     "Add more surrounding context or additional @@ anchors to make it unique.",
                     places->len, context, self->text->shown, pass->name, previews);
}

static bool is_usable(const Search *self, const Pass *pass, const char *context)
{
    return (!pass->is_fuzzy || self->text->is_fuzzy) && !(pass->is_only && self->is_strict) &&
           (pass->match != MATCH_PART || g_utf8_strlen(context, -1) >= MIN_PART_CHARS);
}

/* NOT_FOUND when there is no such line. */
static bool find_one(const Search *self, const char *context, size_t *ret_line, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(passes); i++) {
        const Pass *pass = &passes[i];
        if (!is_usable(self, pass, context))
            continue;
        g_autoptr(GArray) places =
            patch_text_find(self->text, context, pass->match, self->from, self->text->lines->len);
        if (!patch_text_check(self->text, error))
            return false;
        if (places->len == 0)
            continue;
        if (places->len == 1 || (self->is_inner && !pass->is_only)) {
            *ret_line = g_array_index(places, size_t, 0);
            return true;
        }
        return (!pass->is_only && settle_by_hint(places, self->hint, ret_line)) ||
               fail_several(self, places, context, pass, error);
    }
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "no such line");
}

/* "class Tide high" read as `high` within `class Tide`. */
static bool find_split(const Search *self, const char *context, size_t *ret_line, GError **error)
{
    g_auto(GStrv) words = g_strsplit(context, " ", -1);
    const char *last = strrchr(context, ' ');
    if (g_strv_length(words) < MIN_WORDS || strpbrk(context, "()[]{}<>"))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "no such line");
    g_autofree char *outer = g_strndup(context, (gsize)(last - context));
    size_t line = 0;
    if (!find_one(self, outer, &line, error))
        return false;
    Search inner = *self;
    inner.from = line + 1;
    inner.is_inner = true;
    return find_one(&inner, last + 1, ret_line, error);
}

/* One within the other. */
static bool find_nested(Search search, const GPtrArray *contexts, size_t *ret_line, GError **error)
{
    for (guint i = 0; i < contexts->len; i++) {
        const char *context = contexts->pdata[i];
        g_autoptr(GError) problem = NULL;
        bool is_found = find_one(&search, context, ret_line, &problem);
        if (!is_found && error_is(problem, KEDGE_ERROR_NOT_FOUND)) {
            g_clear_error(&problem);
            is_found = find_split(&search, context, ret_line, &problem);
        }
        if (!is_found)
            return pass_error(error, &problem);
        search.from = *ret_line + 1;
        search.is_inner = true;
    }
    return true;
}

static bool fail_nowhere(const PatchText *text, const GPtrArray *contexts, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (guint i = 0; i < contexts->len; i++)
        g_string_append_printf(all, "%s%s", i > 0 ? " > " : "", (char *)contexts->pdata[i]);
    return fail_with(error, KEDGE_ERROR_FAILED, "Failed to find context '%s' in %s", all->str,
                     text->shown);
}

bool patch_context_find(PatchText *text, const PatchHunk *hunk, size_t from, size_t *ret_line,
                        GError **error)
{
    // a line number says more than the order of hunks
    const size_t starts[] = { hunk->hint > 0 ? 0 : from, 0 };
    for (int is_strict = 1; is_strict >= 0; is_strict--) {
        for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
            const Search search = {
                .text = text, .from = starts[i], .hint = hunk->hint, .is_strict = is_strict
            };
            g_autoptr(GError) problem = NULL;
            size_t line = 0;
            if (find_nested(search, hunk->contexts, &line, &problem)) {
                *ret_line = line;
                return true;
            }
            if (!error_is(problem, KEDGE_ERROR_NOT_FOUND))
                return pass_error(error, &problem);
        }
    }
    return fail_nowhere(text, hunk->contexts, error);
}
