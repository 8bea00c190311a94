/*
 * Choosing a model by words of its name (select_private.h).
 *
 * All words of the text must be in a model's id or name, and the numbers of the text must be the
 * first numbers of the id: `sonnet-4` is no 3.7. Entries that differ by a date or a provider only
 * are one candidate, and deprecated ones are none.
 */
#include "base/str.h"
#include "model/select_private.h"

enum { LISTED_CANDIDATES = 10 };

typedef enum { WANT_USABLE, WANT_ANY, WANT_DEPRECATED, WANT_USABLE_DEPRECATED } Wanted;

typedef struct Words {
    char **words;
    GArray *numbers; // of int64_t
} Words;

typedef struct Candidates {
    GHashTable *by_key; // what is the same model has the same key → const Model *
    GPtrArray *keys;    // in order of appearance; borrowed
} Candidates;

static void candidates_clear(Candidates *self)
{
    g_ptr_array_unref(self->keys);
    g_hash_table_unref(self->by_key);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Candidates, candidates_clear)

static void words_clear(Words *self)
{
    g_strfreev(self->words);
    g_array_unref(self->numbers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Words, words_clear)

/* The runs of digits, a date at the end left out. */
static GArray *numbers_of(const char *text)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(int64_t));
    const char *end = text + strlen(text) - select_date_size(text);
    for (const char *p = text; p < end;) {
        size_t size = strspn(p, "0123456789");
        if (size == 0) {
            p++;
            continue;
        }
        g_autofree char *digits = g_strndup(p, size);
        int64_t number = INT64_MAX; // longer than any version
        str_parse_int(digits, &number);
        g_array_append_val(numbers, number);
        p += size;
    }
    return numbers;
}

int select_compare_versions(const Model *a, const Model *b)
{
    g_autoptr(GArray) left = numbers_of(select_last_segment(a->id));
    g_autoptr(GArray) right = numbers_of(select_last_segment(b->id));
    for (guint i = 0; i < MIN(left->len, right->len); i++) {
        int64_t one = g_array_index(left, int64_t, i), other = g_array_index(right, int64_t, i);
        if (one != other)
            return one < other ? -1 : 1;
    }
    return (left->len > right->len) - (left->len < right->len);
}

static Words words_of(const char *text)
{
    return (Words) {
        .words = g_strsplit_set(text, " \t-_./", -1),
        .numbers = numbers_of(select_last_segment(text)),
    };
}

static bool has_words(const Model *model, const Words *words)
{
    bool is_blank = true;
    for (char **word = words->words; *word; word++) {
        is_blank = is_blank && !**word;
        if (!str_contains_nocase(model->id, *word) && !str_contains_nocase(model->name, *word))
            return false;
    }
    return !is_blank;
}

/* *ret_is_same: the id has no further number. */
static bool has_version(const Model *model, const Words *words, bool *ret_is_same)
{
    g_autoptr(GArray) numbers = numbers_of(select_last_segment(model->id));
    const GArray *wanted = words->numbers;
    *ret_is_same = numbers->len == wanted->len;
    return wanted->len <= numbers->len &&
           (wanted->len == 0 ||
            memcmp(wanted->data, numbers->data, wanted->len * sizeof(int64_t)) == 0);
}

static bool is_wanted(const ModelRegistry *self, const Model *model, Wanted wanted)
{
    bool wants_deprecated = wanted == WANT_DEPRECATED || wanted == WANT_USABLE_DEPRECATED;
    bool wants_usable = wanted == WANT_USABLE || wanted == WANT_USABLE_DEPRECATED;
    return model->is_deprecated == wants_deprecated &&
           (!wants_usable || model_registry_is_available(self, model, false));
}

static Candidates find_candidates(const ModelRegistry *self, const char *text, const char *provider,
                                  Wanted wanted)
{
    Candidates found = { g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                         g_ptr_array_new() };
    g_auto(Words) words = words_of(text);
    bool is_same = false;
    const GPtrArray *models = registry_models(self, provider);
    for (guint i = 0; i < models->len; i++) {
        Model *model = g_ptr_array_index(models, i);
        if (!has_words(model, &words) || !has_version(model, &words, &is_same) ||
            !is_wanted(self, model, wanted))
            continue;
        g_autofree char *key = select_canonical_id(model);
        const Model *known = g_hash_table_lookup(found.by_key, key);
        if (!known) {
            g_ptr_array_add(found.keys, key);
            g_hash_table_insert(found.by_key, g_steal_pointer(&key), model);
        } else if (select_is_better(self, model, known)) {
            g_hash_table_insert(found.by_key, g_steal_pointer(&key), model);
        }
    }
    return found;
}

static const Model *candidates_candidate(const Candidates *self, guint index)
{
    return g_hash_table_lookup(self->by_key, g_ptr_array_index(self->keys, index));
}

static bool fail_with_candidates(const Candidates *found, const char *text, GError **error)
{
    g_autoptr(GString) list = g_string_new(NULL);
    for (guint i = 0; i < MIN(found->keys->len, LISTED_CANDIDATES); i++) {
        const Model *model = candidates_candidate(found, i);
        g_string_append_printf(list, "%s%s/%s", i > 0 ? ", " : "", model->provider, model->id);
    }
    if (found->keys->len > LISTED_CANDIDATES)
        g_string_append_printf(list, ", … (%u more)", found->keys->len - LISTED_CANDIDATES);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Model \"%s\" could be: %s. Name one of them.",
                     text, list->str);
}

/* The pattern behind `provider/`, or NULL. Borrowed. */
static const char *after_provider(const ModelRegistry *self, const char *text, char **ret_provider)
{
    const char *slash = strchr(text, '/');
    g_autofree char *prefix = slash ? g_strndup(text, (gsize)(slash - text)) : NULL;
    if (!prefix || !registry_has_provider(self, prefix))
        return NULL;
    *ret_provider = g_steal_pointer(&prefix);
    return slash + 1;
}

/* A deprecated model with a key is more likely to be meant than another without one. */
static bool has_deprecated(const ModelRegistry *self, const char *pattern, const char *provider)
{
    g_auto(Candidates) found = find_candidates(self, pattern, provider, WANT_USABLE_DEPRECATED);
    return found.keys->len > 0;
}

bool select_fuzzy(ModelRegistry *self, const char *text, const char *provider, ModelChoice *choice,
                  GError **error)
{
    g_autofree char *named = NULL;
    const char *rest = provider ? NULL : after_provider(self, text, &named);
    const char *pattern = rest ? rest : text;
    provider = named ? named : provider;

    // a model without a key is only meant when no other can be
    g_auto(Candidates) usable = find_candidates(self, pattern, provider, WANT_USABLE);
    g_auto(Candidates) all = find_candidates(self, pattern, provider, WANT_ANY);
    const Candidates *found = usable.keys->len > 0 ? &usable : &all;
    if (found->keys->len == 0 || (usable.keys->len == 0 && has_deprecated(self, pattern, provider)))
        return true;
    const Model *model = candidates_candidate(found, 0);
    g_auto(Words) words = words_of(pattern);
    bool is_same_version = false;
    has_version(model, &words, &is_same_version);
    if (found->keys->len > 1 || (words.numbers->len > 0 && !is_same_version))
        return fail_with_candidates(found, text, error);

    char *notice = g_strdup_printf("Using %s/%s for \"%s\".", model->provider, model->id, text);
    g_ptr_array_add(self->notices, notice);
    choice->notice = notice;
    choice->model = model;
    return true;
}

/* Another version is no typing mistake. */
static bool is_other_version(const char *a, const char *b)
{
    static const char version[] = "0123456789.";
    for (;; a++, b++) {
        a += strspn(a, version);
        b += strspn(b, version);
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

/* Of a typing mistake in the id, or with it in the provider's name; of those with a key first. */
static char *nearest_spelling(const ModelRegistry *self, const char *provider, const char *text,
                              bool only_available)
{
    size_t count = 0;
    const Model *const *models = model_registry_all(self, &count);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    bool is_whole = !provider && strchr(text, '/');
    for (size_t i = 0; i < count; i++) {
        if ((provider && strcmp(models[i]->provider, provider) != 0) || models[i]->is_deprecated ||
            (only_available && !model_registry_is_available(self, models[i], false)))
            continue;
        g_ptr_array_add(names, is_whole
                                   ? g_strdup_printf("%s/%s", models[i]->provider, models[i]->id)
                                   : g_strdup(models[i]->id));
    }
    g_ptr_array_add(names, NULL);
    const char *nearest = str_nearest(text, (const char *const *)names->pdata);
    if (nearest && is_other_version(text, nearest))
        return NULL;
    for (size_t i = 0; nearest && !is_whole && i < count; i++) {
        if (strcmp(models[i]->id, nearest) == 0 &&
            (!provider || strcmp(models[i]->provider, provider) == 0))
            return g_strdup_printf("%s/%s", models[i]->provider, nearest);
    }
    return g_strdup(nearest);
}

char *select_nearest(const ModelRegistry *self, const char *provider, const char *text)
{
    g_auto(Candidates) found = find_candidates(self, text, provider, WANT_ANY);
    if (found.keys->len != 1) {
        char *spelled = nearest_spelling(self, provider, text, true);
        return spelled ? spelled : nearest_spelling(self, provider, text, false);
    }
    const Model *model = candidates_candidate(&found, 0);
    return g_strdup_printf("%s/%s", model->provider, model->id);
}

char *select_deprecated(const ModelRegistry *self, const char *provider, const char *text)
{
    g_autofree char *named = NULL;
    const char *rest = provider ? NULL : after_provider(self, text, &named);
    const char *pattern = rest ? rest : text;
    provider = named ? named : provider;
    g_auto(Candidates) usable = find_candidates(self, pattern, provider, WANT_USABLE_DEPRECATED);
    g_auto(Candidates) all = find_candidates(self, pattern, provider, WANT_DEPRECATED);
    const Candidates *found = usable.keys->len > 0 ? &usable : &all;
    if (found->keys->len == 0)
        return NULL;
    const Model *model = candidates_candidate(found, 0);
    return g_strdup_printf("%s/%s is deprecated and must be named in full", model->provider,
                           model->id);
}
