/*
 * Choosing a model by what a person typed (agent-core §2.10).
 *
 * Each rule gives every model a pass or fail; among those that pass, is_better() decides.
 */
#include "base/str.h"
#include "model/registry_private.h"

typedef bool (*MatchFunc)(const Model *model, const char *pattern);

bool registry_is_fuzzy_match(const char *text, const char *pattern)
{
    for (; *pattern; pattern++) {
        while (*text && g_ascii_tolower(*text) != g_ascii_tolower(*pattern))
            text++;
        if (!*text)
            return false;
        text++;
    }
    return true;
}

static bool match_full_name(const Model *model, const char *pattern)
{
    size_t size = strlen(model->provider);
    return g_ascii_strncasecmp(pattern, model->provider, size) == 0 && pattern[size] == '/' &&
           str_equal_nocase(pattern + size + 1, model->id);
}

static bool match_id(const Model *model, const char *pattern)
{
    return str_equal_nocase(model->id, pattern);
}

static bool match_part(const Model *model, const char *pattern)
{
    return str_contains_nocase(model->id, pattern) || str_contains_nocase(model->name, pattern);
}

static bool match_fuzzy(const Model *model, const char *pattern)
{
    return registry_is_fuzzy_match(model->id, pattern);
}

/* The YYYYMMDD at the end of a dated id, or 0. */
static int64_t id_date(const char *id)
{
    size_t size = strlen(id);
    int64_t date = 0;
    if (size < 9 || id[size - 9] != '-' || strspn(id + size - 8, "0123456789") != 8)
        return 0;
    return str_parse_int(id + size - 8, &date) ? date : 0;
}

/* Of two matches in catalogue order: usable before unusable, undated before dated, newest date
   first, the maker before OpenRouter. */
static bool is_better(const ModelRegistry *self, const Model *a, const Model *b)
{
    bool a_usable = model_registry_is_available(self, a, false);
    bool b_usable = model_registry_is_available(self, b, false);
    if (a_usable != b_usable)
        return a_usable;
    int64_t a_date = id_date(a->id);
    int64_t b_date = id_date(b->id);
    if (a_date != b_date)
        return a_date == 0 || (b_date != 0 && a_date > b_date);
    bool a_router = strcmp(a->provider, "openrouter") == 0;
    bool b_router = strcmp(b->provider, "openrouter") == 0;
    return !a_router && b_router;
}

/* `provider` NULL: any. */
static const Model *find_best(const ModelRegistry *self, const char *provider, MatchFunc match,
                              const char *pattern)
{
    const Model *best = NULL;
    for (guint i = 0; i < self->models->len; i++) {
        const Model *model = g_ptr_array_index(self->models, i);
        if (provider && !str_equal_nocase(model->provider, provider))
            continue;
        if (match(model, pattern) && (!best || is_better(self, model, best)))
            best = model;
    }
    return best;
}

/* A server behind OPENAI_BASE_URL has models that no catalogue knows. */
static const Model *unlisted_model(ModelRegistry *self, const char *id)
{
    for (guint i = 0; i < self->unlisted->len; i++) {
        const Model *model = g_ptr_array_index(self->unlisted, i);
        if (strcmp(model->id, id) == 0)
            return model;
    }
    Model *model = model_new("openai", id, MODEL_API_OPENAI_COMPLETIONS, self->openai_base_url);
    g_ptr_array_add(self->unlisted, model);
    return model;
}

/* The pattern behind `provider/`, when that is what stands before the first slash. */
static const char *after_provider(const ModelRegistry *self, const char *pattern,
                                  char **ret_provider)
{
    const char *slash = strchr(pattern, '/');
    if (!slash || slash == pattern || !slash[1])
        return NULL;
    g_autofree char *prefix = g_strndup(pattern, (gsize)(slash - pattern));
    if (!registry_has_provider(self, prefix))
        return NULL;
    *ret_provider = g_steal_pointer(&prefix);
    return slash + 1;
}

static const Model *find_in_provider(const ModelRegistry *self, const char *provider,
                                     const char *pattern)
{
    const MatchFunc rules[] = { match_full_name, match_id, match_part, match_fuzzy };
    const Model *model = NULL;
    for (size_t i = 0; !model && i < G_N_ELEMENTS(rules); i++)
        model = find_best(self, provider, rules[i], pattern);
    return model;
}

/* An id that OPENAI_BASE_URL's server may know, or NULL: `openai/ID`, or any ID with --provider
 * openai. */
static const char *unlisted_id(const ModelRegistry *self, const char *pattern, const char *provider)
{
    if (!self->openai_base_url)
        return NULL;
    if (g_ascii_strncasecmp(pattern, "openai/", 7) == 0 && pattern[7])
        return (!provider || str_equal_nocase(provider, "openai")) ? pattern + 7 : NULL;
    return provider && str_equal_nocase(provider, "openai") ? pattern : NULL;
}

static const Model *find_exact(const ModelRegistry *self, const char *pattern, const char *provider)
{
    const Model *model = find_best(self, provider, match_full_name, pattern);
    return model ? model : find_best(self, provider, match_id, pattern);
}

static const Model *find_loose(const ModelRegistry *self, const char *pattern, const char *provider)
{
    if (!*pattern)
        return NULL;
    if (provider)
        return find_in_provider(self, provider, pattern);
    g_autofree char *prefix = NULL;
    const char *rest = after_provider(self, pattern, &prefix);
    const Model *model = rest ? find_in_provider(self, prefix, rest) : NULL;
    return model ? model : find_best(self, NULL, match_part, pattern);
}

/* `text` without its `:level`, or NULL when it has none. */
static char *without_level(const char *text, ModelChoice *choice)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text)
        return NULL;
    choice->has_level = thinking_level_parse(colon + 1, &choice->level);
    if (!choice->has_level && strcmp(colon + 1, "inherit") != 0)
        return NULL;
    return g_strndup(text, (gsize)(colon - text));
}

bool model_registry_select(ModelRegistry *self, const char *selector, const char *provider,
                           ModelChoice *ret_choice, GError **error)
{
    if (provider && !registry_has_provider(self, provider) && !catalogue_find_provider(provider))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Unknown provider \"%s\". Use --list-models to see available "
                         "providers/models.",
                         provider);
    ModelChoice choice = { 0 };
    ModelChoice with_level = { 0 };
    g_autofree char *bare = without_level(selector, &with_level);
    choice.model = find_exact(self, selector, provider);
    if (!choice.model && bare) {
        with_level.model = find_exact(self, bare, provider);
        if (with_level.model)
            choice = with_level;
    }
    if (!choice.model) {
        const char *pattern = bare ? bare : selector;
        const char *id = unlisted_id(self, pattern, provider);
        if (bare)
            choice = with_level;
        if (id)
            choice.model = unlisted_model(self, id);
    }
    if (!choice.model) {
        choice = (ModelChoice) { .model = find_loose(self, selector, provider) };
        if (!choice.model && bare) {
            choice = with_level;
            choice.model = find_loose(self, bare, provider);
        }
    }
    if (!choice.model)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Model \"%s\" not found. Use --list-models to see available models.",
                         selector);
    *ret_choice = choice;
    return true;
}
