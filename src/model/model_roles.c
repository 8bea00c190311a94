/* See model_roles.h. */
#include "model/model_roles.h"

#include "base/env.h"
#include "base/lock.h"
#include "base/str.h"
#include "model/select_private.h"

#define ROLE_DEPTH_MAX 4 // a role that means a role and so on

static const char *const role_names[] = { MODEL_ROLE_DEFAULT, MODEL_ROLE_SMOL, MODEL_ROLE_SLOW,
                                          MODEL_ROLE_PLAN,    "designer",      MODEL_ROLE_VISION,
                                          MODEL_ROLE_COMMIT,  "task",          NULL };

/* Words of model ids, of the smallest and largest models of their makers, the best first. */
static const char *const small_words[] = { "haiku", "flash-lite", "luna", "nano", "fast",    "mini",
                                           "flash", "small",      "lite", "air",  "instant", NULL };
static const char *const large_words[] = { "opus", "sol", "pro", "large", "ultra", NULL };

void model_roles_set(ModelRegistry *self, const json_t *roles)
{
    HOLD_LOCK(&self->select_lock);
    json_decref(self->roles);
    self->roles = roles ? json_deep_copy(roles) : NULL;
}

void model_roles_override(ModelRegistry *self, const char *role, const char *selector)
{
    HOLD_LOCK(&self->select_lock);
    g_hash_table_insert(self->role_overrides, g_strdup(role), g_strdup(selector));
}

/* model_registry_select() for who has select_lock; `depth` roles have led to it. */
static bool select_or_role(ModelRegistry *self, const char *selector, const char *provider,
                           unsigned depth, ModelChoice *ret_choice, GError **error);

// ---- what somebody has chosen ----

static const char *environment_value(const char *role)
{
    static const char *const names[][2] = { { MODEL_ROLE_SMOL, "SMOL_MODEL" },
                                            { MODEL_ROLE_SLOW, "SLOW_MODEL" },
                                            { MODEL_ROLE_PLAN, "PLAN_MODEL" } };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (strcmp(role, names[i][0]) == 0)
            return env_get(names[i][1]);
    }
    return NULL;
}

/* NULL-terminated, empty when no one chose. *ret_origin: what the person wrote it as; caller frees
   both. */
static char **selectors_of(const ModelRegistry *self, const char *role, char **ret_origin)
{
    const char *given = g_hash_table_lookup(self->role_overrides, role);
    const char *from_environment = given ? NULL : environment_value(role);
    *ret_origin = given ? g_strconcat("--", role, NULL)
                  : from_environment
                      ? g_strdup_printf("the model of role %s in the environment", role)
                      : g_strconcat("modelRoles.", role, NULL);
    given = given ? given : from_environment;
    const json_t *value = json_object_get(self->roles, role);
    if (!given && json_is_string(value))
        given = json_string_value(value);
    if (given)
        return g_strsplit(given, ",", -1);
    GPtrArray *selectors = g_ptr_array_new();
    json_each (json_is_array(value) ? value : NULL, i, item) {
        if (json_is_string(item))
            g_ptr_array_add(selectors, g_strdup(json_string_value(item)));
    }
    g_ptr_array_add(selectors, NULL);
    return (char **)g_ptr_array_free(selectors, FALSE);
}

/* One selector of a role. False: it is none that can be used, which *problem says. */
static bool select_one(ModelRegistry *self, const char *selector, unsigned depth,
                       ModelChoice *ret_choice, char **problem)
{
    g_autoptr(GError) error = NULL;
    ModelChoice choice = { 0 };
    g_clear_pointer(problem, g_free);
    if (!select_or_role(self, selector, NULL, depth, &choice, &error)) {
        *problem = g_strdup(error->message);
        return false;
    }
    if (!model_registry_is_available(self, choice.model, false)) {
        *problem = g_strdup_printf("no key for %s", choice.model->provider);
        return false;
    }
    *ret_choice = choice;
    return true;
}

static bool role_configured_locked(ModelRegistry *self, const char *role, unsigned depth,
                                   ModelChoice *ret_choice, char **ret_warning)
{
    g_autofree char *origin = NULL;
    g_autofree char *problem = NULL;
    g_auto(GStrv) selectors = selectors_of(self, role, &origin);
    for (char **selector = selectors; *selector; selector++) {
        if (*g_strstrip(*selector) && select_one(self, *selector, depth, ret_choice, &problem))
            return true;
    }
    if (ret_warning)
        *ret_warning = problem ? g_strdup_printf("%s: %s", origin, problem) : NULL;
    return false;
}

// ---- what fits where no one has ----

/* The word is alone: `mini` is no part of gemini. */
static bool has_word(const char *id, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = strcasestr(id, word); at; at = strcasestr(at + 1, word)) {
        bool begins = at == id || !g_ascii_isalpha(at[-1]);
        if (begins && !g_ascii_isalpha(at[size]))
            return true;
    }
    return false;
}

/* What comes before the last slash is a maker at a provider that has many. */
static bool has_same_maker(const Model *a, const Model *b)
{
    size_t size = (size_t)(select_last_segment(a->id) - a->id);
    return size == (size_t)(select_last_segment(b->id) - b->id) &&
           g_ascii_strncasecmp(a->id, b->id, size) == 0;
}

/* The newest with the word of the same provider and maker, or NULL. */
static const Model *newest_with(const ModelRegistry *self, const Model *like, const char *word)
{
    const Model *best = NULL;
    const GPtrArray *models = registry_models(self, like->provider);
    for (guint i = 0; i < models->len; i++) {
        const Model *model = g_ptr_array_index(models, i);
        if (model->is_deprecated || !has_same_maker(model, like) ||
            !has_word(select_last_segment(model->id), word) ||
            !model_registry_is_available(self, model, false))
            continue;
        int order = best ? select_compare_versions(model, best) : 1;
        if (order > 0 || (order == 0 && strlen(model->id) < strlen(best->id)))
            best = model;
    }
    return best;
}

static const Model *by_words(const ModelRegistry *self, const Model *like, const char *const *words)
{
    for (; *words; words++) {
        const Model *model = newest_with(self, like, *words);
        if (model)
            return model;
    }
    return like;
}

static const Model *with_images(const ModelRegistry *self, const Model *like)
{
    const GPtrArray *models = registry_models(self, like->provider);
    for (guint i = 0; i < models->len && !like->accepts_images; i++) {
        const Model *model = g_ptr_array_index(models, i);
        if (model->accepts_images && !model->is_deprecated &&
            model_registry_is_available(self, model, false))
            like = model;
    }
    return like;
}

static const Model *built_in(const ModelRegistry *self, const char *role, const Model *like)
{
    if (strcmp(role, MODEL_ROLE_SMOL) == 0)
        return by_words(self, like, small_words);
    if (strcmp(role, MODEL_ROLE_SLOW) == 0)
        return by_words(self, like, large_words);
    if (strcmp(role, MODEL_ROLE_VISION) == 0)
        return with_images(self, like);
    return like;
}

static bool role_choose_locked(ModelRegistry *self, const char *role, const Model *like,
                               unsigned depth, ModelChoice *ret_choice)
{
    ModelChoice choice = { 0 };
    if (role_configured_locked(self, role, depth, &choice, NULL)) {
        *ret_choice = choice;
        return true;
    }
    if (!like && role_configured_locked(self, MODEL_ROLE_DEFAULT, depth, &choice, NULL))
        like = choice.model;
    if (!like)
        like = model_registry_default(self);
    if (!like)
        return false;
    *ret_choice = (ModelChoice) { .model = built_in(self, role, like) };
    return true;
}

// ---- selectors ----

/* The role that `kedge/ROLE` means; NULL: it is no such selector. Caller frees. */
static char *role_of_selector(const ModelRegistry *self, const char *selector)
{
    static const char *const prefixes[] = { "kedge/", "pi/" };
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        size_t size = strlen(prefixes[i]);
        if (!str_has_prefix(selector, prefixes[i]))
            continue;
        g_autofree char *provider = g_strndup(prefixes[i], size - 1);
        const char *role = selector + size;
        bool is_role = g_strv_contains(role_names, role) || json_object_get(self->roles, role);
        if (is_role && !registry_has_provider(self, provider))
            return g_strdup(role);
    }
    return NULL;
}

/* `kedge/ROLE`: a level of the selector wins over one of the role. */
static bool select_role(ModelRegistry *self, const char *role, const ModelChoice *with_level,
                        unsigned depth, ModelChoice *ret_choice, GError **error)
{
    ModelChoice choice = { 0 };
    if (depth >= ROLE_DEPTH_MAX)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "the roles refer to each other: %s", role);
    if (!role_choose_locked(self, role, NULL, depth + 1, &choice))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No model can be used for role \"%s\"",
                         role);
    if (with_level->has_level) {
        choice.has_level = true;
        choice.level = with_level->level;
    }
    *ret_choice = choice;
    return true;
}

static bool select_or_role(ModelRegistry *self, const char *selector, const char *provider,
                           unsigned depth, ModelChoice *ret_choice, GError **error)
{
    ModelChoice with_level = { 0 };
    g_autofree char *bare = select_without_level(selector, &with_level);
    g_autofree char *role = provider ? NULL : role_of_selector(self, bare ? bare : selector);
    if (role)
        return select_role(self, role, &with_level, depth, ret_choice, error);
    return select_plain(self, selector, provider, ret_choice, error);
}

// ---- for who has no lock ----

bool model_registry_select(ModelRegistry *self, const char *selector, const char *provider,
                           ModelChoice *ret_choice, GError **error)
{
    HOLD_LOCK(&self->select_lock);
    return select_or_role(self, selector, provider, 0, ret_choice, error);
}

bool model_role_configured(const ModelRegistry *self_, const char *role, ModelChoice *ret_choice,
                           char **ret_warning)
{
    ModelRegistry *self = (ModelRegistry *)self_; // what selecting adds is behind the lock
    HOLD_LOCK(&self->select_lock);
    return role_configured_locked(self, role, 0, ret_choice, ret_warning);
}

bool model_role_named(const ModelRegistry *self_, const char *role, ModelChoice *ret_choice)
{
    ModelRegistry *self = (ModelRegistry *)self_;
    g_autofree char *origin = NULL;
    bool is_found = false;
    HOLD_LOCK(&self->select_lock);
    g_auto(GStrv) selectors = selectors_of(self, role, &origin);
    for (char **selector = selectors; *selector && !is_found; selector++)
        is_found =
            *g_strstrip(*selector) && select_or_role(self, *selector, NULL, 0, ret_choice, NULL);
    return is_found;
}

static void add_chosen(ModelRegistry *self, const char *role, json_t *chosen)
{
    ModelChoice choice = { 0 };
    if (json_object_get(chosen, role) || !role_configured_locked(self, role, 0, &choice, NULL))
        return;
    g_autofree char *name = g_strconcat(choice.model->provider, "/", choice.model->id, NULL);
    json_set_text(chosen, role, name);
}

json_t *model_roles_chosen(const ModelRegistry *self_)
{
    ModelRegistry *self = (ModelRegistry *)self_;
    json_t *chosen = json_object();
    HOLD_LOCK(&self->select_lock);
    for (size_t i = 0; role_names[i]; i++) // the environment names some, too
        add_chosen(self, role_names[i], chosen);
    json_each_member (self->roles, role, value)
        add_chosen(self, role, chosen);
    return chosen;
}

bool model_role_choose(const ModelRegistry *self_, const char *role, const Model *like,
                       ModelChoice *ret_choice)
{
    ModelRegistry *self = (ModelRegistry *)self_;
    HOLD_LOCK(&self->select_lock);
    return role_choose_locked(self, role, like, 0, ret_choice);
}
