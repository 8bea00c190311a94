/* See fallback_chain.h. */
#include "agent/fallback_chain.h"

#include "model/model_roles.h"

static const json_t *chains(const Settings *settings)
{
    return settings_get_json(settings, "retry.fallbackChains");
}

const json_t *fallback_chain_of(const Settings *settings, const char *role)
{
    return json_get_array(chains(settings), role);
}

static bool is_chosen_for(const ModelRegistry *registry, const char *role, const Model *model)
{
    ModelChoice choice = { 0 };
    return model_role_configured(registry, role, &choice, NULL) && choice.model == model;
}

const char *fallback_chain_role(const Settings *settings, const ModelRegistry *registry,
                                const Model *model)
{
    if (is_chosen_for(registry, MODEL_ROLE_DEFAULT, model))
        return MODEL_ROLE_DEFAULT;
    json_each_member (chains(settings), role, chain) {
        bool is_other = strcmp(role, MODEL_ROLE_DEFAULT) != 0 && json_is_array(chain);
        if (is_other && is_chosen_for(registry, role, model))
            return role;
    }
    return MODEL_ROLE_DEFAULT;
}

const Model *fallback_chain_find(const ModelRegistry *registry, const char *selector,
                                 ThinkingLevel *level)
{
    const char *slash = selector ? strchr(selector, '/') : NULL;
    if (!slash)
        return NULL;
    g_autofree char *provider = g_strndup(selector, (gsize)(slash - selector));
    g_autofree char *id = g_strdup(slash + 1);
    const Model *model = model_registry_find(registry, provider, id);
    char *colon = strrchr(id, ':');
    if (!model && colon && thinking_level_parse(colon + 1, level)) {
        *colon = '\0';
        model = model_registry_find(registry, provider, id);
    }
    return model && model_registry_is_available(registry, model, false) ? model : NULL;
}
