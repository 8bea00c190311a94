/*
 * What the ids of models say of them, and which of two models that mean the same is meant.
 */
#include "base/str.h"
#include "model/select_private.h"

size_t select_date_size(const char *id)
{
    static const char *const forms[] = { "-dddddddd", "-dddd-dd-dd" };
    size_t size = strlen(id);
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        size_t length = strlen(forms[i]);
        if (size <= length)
            continue;
        const char *end = id + size - length;
        bool is_date = true;
        for (size_t k = 0; is_date && k < length; k++)
            is_date = forms[i][k] == 'd' ? g_ascii_isdigit(end[k]) : end[k] == forms[i][k];
        if (is_date && (str_has_prefix(end, "-20") || str_has_prefix(end, "-19")))
            return length;
    }
    return 0;
}

const char *select_last_segment(const char *id)
{
    const char *slash = strrchr(id, '/');
    return slash && slash[1] ? slash + 1 : id;
}

char *select_canonical_spelling(const char *id)
{
    g_autofree char *undated = g_strndup(id, strlen(id) - select_date_size(id));
    g_strdelimit(undated, ".", '-');
    return g_ascii_strdown(undated, -1);
}

char *select_canonical_id(const Model *model)
{
    return select_canonical_spelling(select_last_segment(model->id));
}

/* Digits of the date in order, "" without one: dates compare as texts. */
static int compare_dates(const char *a, const char *b)
{
    g_autofree char *left = g_strdup(a + strlen(a) - select_date_size(a));
    g_autofree char *right = g_strdup(b + strlen(b) - select_date_size(b));
    g_auto(GStrv) left_parts = g_strsplit(left, "-", -1);
    g_auto(GStrv) right_parts = g_strsplit(right, "-", -1);
    g_autofree char *left_digits = g_strjoinv("", left_parts);
    g_autofree char *right_digits = g_strjoinv("", right_parts);
    return strcmp(left_digits, right_digits);
}

bool select_is_better(const ModelRegistry *self, const Model *a, const Model *b)
{
    bool a_usable = model_registry_is_available(self, a, false);
    bool b_usable = model_registry_is_available(self, b, false);
    if (a_usable != b_usable)
        return a_usable;
    if (a->is_deprecated != b->is_deprecated)
        return b->is_deprecated;
    bool a_dated = select_date_size(a->id) > 0, b_dated = select_date_size(b->id) > 0;
    if (a_dated != b_dated)
        return b_dated;
    int order = compare_dates(a->id, b->id);
    if (order != 0)
        return order > 0;
    bool a_router = strcmp(a->provider, "openrouter") == 0;
    bool b_router = strcmp(b->provider, "openrouter") == 0;
    return !a_router && b_router;
}
