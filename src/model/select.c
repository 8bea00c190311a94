/*
 * Choosing a model by what a person typed (agent-core §2.10): exactly, then as a dated id, then as
 * an id that only the server knows. What is left is looked for by its words (select_fuzzy.c).
 */
#include "base/str.h"
#include "model/select_private.h"

typedef bool (*MatchFunc)(const Model *model, const char *id);

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

static bool match_id(const Model *model, const char *id)
{
    return str_equal_nocase(model->id, id);
}

/* An id with a date, by what it is without. */
static bool match_undated_id(const Model *model, const char *id)
{
    size_t size = strlen(model->id) - select_date_size(model->id);
    return strlen(id) == size && g_ascii_strncasecmp(model->id, id, size) == 0;
}

/* The id without its maker, `glm-4.6` of `z-ai/glm-4.6`. A date must be meant, so it is no part of
   this, and what is deprecated is only meant by its exact id. */
static bool match_canonical_id(const Model *model, const char *id)
{
    if (model->is_deprecated || select_date_size(id) > 0)
        return false;
    g_autofree char *wanted = select_canonical_spelling(id);
    g_autofree char *canonical = select_canonical_id(model);
    return strcmp(wanted, canonical) == 0;
}

/* `provider` NULL: any. */
static const Model *find_best(const ModelRegistry *self, const char *provider, MatchFunc match,
                              const char *id)
{
    const Model *best = NULL;
    const GPtrArray *models = registry_models(self, provider);
    for (guint i = 0; i < models->len; i++) {
        const Model *model = g_ptr_array_index(models, i);
        if (match(model, id) && (!best || select_is_better(self, model, best)))
            best = model;
    }
    return best;
}

/* `pattern` is provider/id, else an id. */
static const Model *find_named(const ModelRegistry *self, const char *provider, MatchFunc match,
                               const char *pattern)
{
    for (const char *slash = strchr(pattern, '/'); slash; slash = strchr(slash + 1, '/')) {
        g_autofree char *prefix = g_strndup(pattern, (gsize)(slash - pattern));
        if (provider && !str_equal_nocase(provider, prefix))
            continue;
        const Model *model = find_best(self, prefix, match, slash + 1);
        if (model)
            return model;
    }
    return find_best(self, provider, match, pattern);
}

static const Model *find_exact(const ModelRegistry *self, const char *pattern, const char *provider)
{
    return find_named(self, provider, match_id, pattern);
}

// ---- ids that no table has: models that live as long as the registry ----

static const Model *find_unlisted(const ModelRegistry *self, const char *provider, const char *id)
{
    for (guint i = 0; i < self->unlisted->len; i++) {
        const Model *model = g_ptr_array_index(self->unlisted, i);
        if (strcmp(model->id, id) == 0 && strcmp(model->provider, provider) == 0)
            return model;
    }
    return NULL;
}

/* How `like` is reached, under another id. */
static Model *add_unlisted(ModelRegistry *self, const Model *like, const char *id)
{
    Model *model = model_new(like->provider, id, like->api, like->base_url);
    model->headers = json_incref(like->headers);
    model->is_keyless = like->is_keyless;
    model->has_bearer_auth = like->has_bearer_auth;
    if (!catalogue_find_provider(like->provider))
        model->compat = json_incref(like->compat); // the catalogue's are a model's own
    g_ptr_array_add(self->unlisted, model);
    return model;
}

/* `id` with a date that the table does not have: the facts of `facts`, the id on the wire. */
static const Model *dated_model(ModelRegistry *self, const Model *facts, const char *id)
{
    const Model *known = find_unlisted(self, facts->provider, id);
    if (known)
        return known;
    Model *model = add_unlisted(self, facts, id);
    g_free(model->name);
    model->name = g_strdup(facts->name);
    model->is_reasoning = facts->is_reasoning;
    model->thinking_mode = facts->thinking_mode;
    model->min_thinking = facts->min_thinking;
    model->max_thinking = facts->max_thinking;
    model->thinking_levels = facts->thinking_levels;
    model->accepts_images = facts->accepts_images;
    model->context_window = facts->context_window;
    model->max_tokens = facts->max_tokens;
    model->cost = facts->cost;
    model->is_deprecated = facts->is_deprecated;
    model->successor = g_strdup(facts->successor);
    json_decref(model->compat);
    model->compat = json_incref(facts->compat);
    return model;
}

static const Model *find_dated(ModelRegistry *self, const char *pattern, const char *provider)
{
    size_t date_size = select_date_size(pattern);
    if (date_size == 0)
        return find_named(self, provider, match_undated_id, pattern);
    g_autofree char *undated = g_strndup(pattern, strlen(pattern) - date_size);
    const Model *facts = find_exact(self, undated, provider);
    if (!facts)
        return NULL;
    bool has_provider = !match_id(facts, undated);
    return dated_model(self, facts, has_provider ? pattern + strlen(facts->provider) + 1 : pattern);
}

/* Any model of a provider, in any case; else one made of the provider's row. */
static const Model *model_of_provider(ModelRegistry *self, const char *provider)
{
    const GPtrArray *models = registry_models(self, provider);
    return models->len > 0 ? g_ptr_array_index(models, 0) : NULL;
}

static bool is_plain_id(const char *id)
{
    for (const char *c = id; *c; c++) {
        if (g_ascii_isspace(*c) || g_ascii_iscntrl(*c))
            return false;
    }
    return *id != '\0';
}

/* `provider/id` of a provider that we know, with an id that no one lists; NULL: it is not that. A
   server behind OPENAI_BASE_URL has models that no table knows: there --provider is enough, and
   nothing is said. */
static const Model *pass_through(ModelRegistry *self, const char *pattern, const char *provider,
                                 const char **ret_notice)
{
    const char *slash = strchr(pattern, '/');
    g_autofree char *prefix = slash ? g_strndup(pattern, (gsize)(slash - pattern)) : NULL;
    const Model *like = prefix ? model_of_provider(self, prefix) : NULL;
    const char *id = slash ? slash + 1 : pattern;
    if (like && provider && !str_equal_nocase(provider, like->provider))
        like = NULL;
    bool is_own_server =
        self->openai_base_url && ((like && strcmp(like->provider, "openai") == 0) ||
                                  (!like && str_equal_nocase(provider, "openai")));
    if (!like && is_own_server) {
        like = model_of_provider(self, "openai");
        id = pattern;
    }
    if (!like || !is_plain_id(id))
        return NULL;
    const Model *model = find_unlisted(self, like->provider, id);
    if (!model)
        model = add_unlisted(self, like, id);
    if (is_own_server)
        return model;
    g_autofree char *nearest = select_nearest(self, like->provider, id);
    char *notice = g_strdup_printf(
        "Warning: %s/%s is not in the catalogue%s%s%s; using it with the defaults of %s.",
        like->provider, id, nearest ? " (nearest: " : "", nearest ? nearest : "",
        nearest ? ")" : "", like->provider);
    g_ptr_array_add(self->notices, notice);
    *ret_notice = notice;
    return model;
}

char *select_without_level(const char *text, ModelChoice *choice)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text)
        return NULL;
    choice->has_level = thinking_level_parse(colon + 1, &choice->level);
    if (!choice->has_level && strcmp(colon + 1, "inherit") != 0)
        return NULL;
    return g_strndup(text, (gsize)(colon - text));
}

/* What a person must be told who chose it by its id. Borrowed. */
static const char *deprecation_notice(ModelRegistry *self, const Model *model)
{
    char *notice = g_strdup_printf("%s is deprecated%s%s", model->id,
                                   model->successor ? "; its successor is " : "",
                                   model->successor ? model->successor : "");
    g_ptr_array_add(self->notices, notice);
    return notice;
}

static const char *choice_notice(ModelRegistry *self, const Model *model, const char *pattern)
{
    char *notice = g_strdup_printf("Using %s/%s for \"%s\".", model->provider, model->id, pattern);
    g_ptr_array_add(self->notices, notice);
    return notice;
}

static const Model *find_listed(ModelRegistry *self, const char *pattern, const char *provider,
                                const char **ret_notice)
{
    const Model *model = find_exact(self, pattern, provider);
    if (!model)
        model = find_dated(self, pattern, provider);
    if (model) {
        *ret_notice = model->is_deprecated ? deprecation_notice(self, model) : NULL;
        return model;
    }
    model = find_named(self, provider, match_canonical_id, pattern);
    if (!model || !model_registry_is_available(self, model, false))
        return NULL; // as words it may mean another one
    *ret_notice = choice_notice(self, model, pattern);
    return model;
}

static bool names_disabled(const ModelRegistry *self, const char *text)
{
    g_autofree char *prefix = g_strndup(text, strcspn(text, "/"));
    return registry_is_disabled(self, prefix);
}

static bool fail_not_found(const ModelRegistry *self, const char *selector, const char *pattern,
                           const char *provider, GError **error)
{
    g_autofree char *prefix = g_strndup(selector, strcspn(selector, "/"));
    g_autofree char *deprecated = select_deprecated(self, provider, pattern);
    const char *problem = registry_problem(self, provider ? provider : prefix);
    problem = problem ? problem : deprecated;
    g_autofree char *nearest = problem ? NULL : select_nearest(self, provider, pattern);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "Model \"%s\" not found%s%s%s Use --list-models to see available models.",
                     selector,
                     problem   ? ": "
                     : nearest ? "; did you mean "
                               : "",
                     problem   ? problem
                     : nearest ? nearest
                               : "",
                     nearest ? "?" : ".");
}

bool select_plain(ModelRegistry *self, const char *selector, const char *provider,
                  ModelChoice *ret_choice, GError **error)
{
    if (provider && !registry_has_provider(self, provider) && !catalogue_find_provider(provider))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Unknown provider \"%s\". Use --list-models to see available "
                         "providers/models.",
                         provider);
    ModelChoice with_level = { 0 };
    g_autofree char *bare = select_without_level(selector, &with_level);
    const char *pattern = bare ? bare : selector;
    if (names_disabled(self, provider ? provider : pattern)) // not the same id somewhere else
        return fail_not_found(self, selector, pattern, provider, error);
    ModelChoice choice = { 0 };
    choice.model = find_listed(self, selector, provider, &choice.notice);
    if (!choice.model) {
        choice = with_level; // {0} without one
        if (bare)
            choice.model = find_listed(self, bare, provider, &choice.notice);
    }
    if (!choice.model)
        choice.model = pass_through(self, pattern, provider, &choice.notice);
    if (!choice.model && !select_fuzzy(self, pattern, provider, &choice, error))
        return false;
    if (!choice.model)
        return fail_not_found(self, selector, pattern, provider, error);
    *ret_choice = choice;
    return true;
}
