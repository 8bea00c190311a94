/* See model_scope.h. */
#include "model/model_scope.h"

#include "model/model_roles.h"

static bool is_glob(const char *pattern)
{
    return strpbrk(pattern, "*?[") != NULL;
}

static void add(GArray *scope, const ModelChoice *choice)
{
    for (guint i = 0; i < scope->len; i++) {
        if (g_array_index(scope, ModelChoice, i).model == choice->model)
            return;
    }
    g_array_append_val(scope, *choice);
}

static bool matches(const GPatternSpec *glob, const Model *model)
{
    g_autofree char *name = g_strconcat(model->provider, "/", model->id, NULL);
    return g_pattern_spec_match_string((GPatternSpec *)glob, name) ||
           g_pattern_spec_match_string((GPatternSpec *)glob, model->id);
}

/* `claude-*:high` */
static void add_glob(GArray *scope, ModelRegistry *registry, const char *pattern,
                     GPtrArray *warnings)
{
    ModelChoice choice = { 0 };
    g_autofree char *bare = g_strdup(pattern);
    char *colon = strrchr(bare, ':');
    if (colon && thinking_level_parse(colon + 1, &choice.level)) {
        choice.has_level = true;
        *colon = '\0';
    }
    g_autoptr(GPatternSpec) glob = g_pattern_spec_new(bare);
    guint before = scope->len;
    size_t count = 0;
    const Model *const *models = model_registry_all(registry, &count);
    for (size_t i = 0; i < count; i++) {
        choice.model = models[i];
        if (!models[i]->is_deprecated && matches(glob, models[i]) &&
            model_registry_is_available(registry, models[i], false))
            add(scope, &choice);
    }
    if (scope->len == before)
        g_ptr_array_add(warnings, g_strdup_printf("no model that can be used matches %s", pattern));
}

static void add_selected(GArray *scope, ModelRegistry *registry, const char *selector,
                         GPtrArray *warnings)
{
    ModelChoice choice = { 0 };
    g_autoptr(GError) error = NULL;
    if (!model_registry_select(registry, selector, NULL, &choice, &error))
        g_ptr_array_add(warnings, g_strdup(error->message));
    else if (!model_registry_is_available(registry, choice.model, false))
        g_ptr_array_add(warnings,
                        g_strdup_printf("%s: no key for %s", selector, choice.model->provider));
    else
        add(scope, &choice);
}

GArray *model_scope_resolve(ModelRegistry *registry, const char *const *patterns,
                            GPtrArray *warnings)
{
    g_autoptr(GArray) scope = g_array_new(FALSE, FALSE, sizeof(ModelChoice));
    for (; *patterns; patterns++) {
        g_autofree char *pattern = g_strstrip(g_strdup(*patterns));
        if (*pattern == '\0')
            continue;
        if (is_glob(pattern))
            add_glob(scope, registry, pattern, warnings);
        else
            add_selected(scope, registry, pattern, warnings);
    }
    return scope->len > 0 ? g_steal_pointer(&scope) : NULL;
}

/* *ret_is_own: somebody has chosen it. */
static bool find_of_role(const ModelRegistry *registry, const char *role, ModelChoice *ret_choice,
                         bool *ret_is_own)
{
    static const char *const with_default[] = { MODEL_ROLE_DEFAULT, MODEL_ROLE_SMOL,
                                                MODEL_ROLE_SLOW, NULL };
    *ret_is_own = model_role_configured(registry, role, ret_choice, NULL);
    return *ret_is_own || (g_strv_contains(with_default, role) &&
                           model_role_choose(registry, role, NULL, ret_choice));
}

GArray *model_scope_of_roles(ModelRegistry *registry, const json_t *roles)
{
    g_autoptr(GArray) scope = g_array_new(FALSE, FALSE, sizeof(ModelChoice));
    bool is_chosen = false;
    json_each (roles, i, item) {
        ModelChoice choice = { 0 };
        bool is_own = false;
        const char *role = json_string_value(item);
        if (!role || !find_of_role(registry, role, &choice, &is_own))
            continue;
        is_chosen = is_chosen || is_own;
        choice.role = role;
        add(scope, &choice);
    }
    return is_chosen ? g_steal_pointer(&scope) : NULL;
}
