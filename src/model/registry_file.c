/*
 * models.yml (agent-core §2.9): checked as a whole first, so that a broken file changes nothing.
 */
#include "base/json.h"
#include "base/yaml.h"
#include "model/registry_private.h"

static bool is_built_in(const char *name)
{
    const CatalogueProvider *known = catalogue_find_provider(name);
    return known && known->base_url;
}

static const char *api_name(const json_t *config, const json_t *model)
{
    const char *name = registry_text(model, "api");
    return name ? name : registry_text(config, "api");
}

static bool check_model(const char *provider, const json_t *config, const json_t *model,
                        GError **error)
{
    const char *id = registry_text(model, "id");
    if (!id)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "Provider %s: every model needs an \"id\".",
                         provider);
    const char *api = api_name(config, model);
    ModelApi parsed;
    if (!api && !is_built_in(provider))
        return fail_with(
            error, KEDGE_ERROR_PROTOCOL,
            "Provider %s, model %s: no \"api\" specified. Set at provider or model level.",
            provider, id);
    if (api && !model_api_parse(api, &parsed))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "Provider %s, model %s: unknown api \"%s\".",
                         provider, id, api);
    return true;
}

static bool check_provider(const char *name, const json_t *config, GError **error)
{
    static const char *const overrides[] = { "baseUrl",        "headers",   "compat",
                                             "modelOverrides", "discovery", "models" };
    if (!json_is_object(config))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "Provider %s: not a mapping.", name);
    const json_t *models = json_object_get(config, "models");
    if (models && !json_is_array(models) && !json_is_null(models))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "Provider %s: \"models\" is not a list.",
                         name);
    bool has_any = false;
    for (size_t i = 0; i < G_N_ELEMENTS(overrides); i++)
        has_any = has_any || json_object_get(config, overrides[i]);
    if (!has_any)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "Provider %s: needs at least one of \"baseUrl\", \"headers\", \"compat\", "
                         "\"modelOverrides\", \"discovery\", \"models\".",
                         name);
    if (json_array_size(models) == 0)
        return true;
    if (!registry_text(config, "baseUrl") && !is_built_in(name))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "Provider %s: \"baseUrl\" is required when defining custom models.", name);
    if (!registry_text(config, "apiKey") && !registry_config_is_keyless(config) &&
        !is_built_in(name))
        return fail_with(
            error, KEDGE_ERROR_PROTOCOL,
            "Provider %s: \"apiKey\" is required when defining custom models unless auth "
            "is \"none\".",
            name);
    size_t i;
    json_t *model;
    json_array_foreach (models, i, model) {
        if (!check_model(name, config, model, error))
            return false;
    }
    return true;
}

static void apply_overrides(ModelRegistry *self, const char *provider, const json_t *config)
{
    const GPtrArray *models = registry_models(self, provider);
    for (guint i = 0; i < models->len; i++) {
        Model *model = g_ptr_array_index(models, i);
        if (strcmp(model->provider, provider) == 0)
            registry_configure(model, config);
    }
}

/* Where the file says so, and where it says something of a server that is asked anyway. */
static void apply_discovery(ModelRegistry *self, const char *provider, json_t *config)
{
    const json_t *discovery = json_get_object(config, "discovery");
    const char *type = registry_text(discovery, "type");
    const char *base_url = registry_text(config, "baseUrl");
    const char *local_url = discovery_local_url(provider);
    if (!base_url)
        base_url = local_url;
    if (base_url && (discovery || local_url))
        registry_add_discovery(
            self, discovery_new(provider, type ? type : provider, base_url, config), false);
}

static void add_model(ModelRegistry *self, const char *provider, const json_t *config,
                      const json_t *json)
{
    const CatalogueProvider *known = catalogue_find_provider(provider);
    bool has_base_url = known && known->base_url;
    const char *id = registry_text(json, "id");
    const char *base_url = has_base_url ? known->base_url : "";
    if (has_base_url && strcmp(provider, "openai") == 0 && self->openai_base_url)
        base_url = self->openai_base_url;
    Model *model = model_new(provider, id, MODEL_API_OPENAI_COMPLETIONS, base_url);
    registry_configure_provider(model, provider, config);
    model->api = has_base_url ? catalogue_api(known, model->base_url)
                 : known      ? known->api
                              : MODEL_API_OPENAI_COMPLETIONS;
    model_api_parse(api_name(config, json), &model->api);
    // adaptive thinking, and thinking by level, is for models that are known to have it
    if (model->api == MODEL_API_ANTHROPIC_MESSAGES)
        model->thinking_mode = THINKING_MODE_BUDGET;
    registry_configure_said(model, json,
                            json_get_object(json_get_object(config, "modelOverrides"), id));
    registry_put_model(self, model);
}

static void apply_config(ModelRegistry *self, const char *provider, json_t *config)
{
    const char *key = registry_text(config, "apiKey");
    if (key)
        g_hash_table_insert(self->file_keys, g_strdup(provider), g_strdup(key));
    if (strcmp(provider, "openai") == 0 && registry_text(config, "baseUrl"))
        g_clear_pointer(&self->openai_base_url, g_free);
    apply_overrides(self, provider, config);
    apply_discovery(self, provider, config);
    json_each (json_get_array(config, "models"), i, model)
        add_model(self, provider, config, model);
}

static bool read_either(const char *path, json_t **ret_root, GError **error)
{
    g_autoptr(GError) failure = NULL;
    if (yaml_read_file(path, ret_root, &failure))
        return true;
    // the older models.json beside it still counts
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *json_path = g_build_filename(dir, "models.json", NULL);
    if (error_is(failure, KEDGE_ERROR_NOT_FOUND) && json_read_file(json_path, ret_root, error))
        return true;
    if (error_is(failure, KEDGE_ERROR_NOT_FOUND))
        return false;
    return pass_error(error, &failure);
}

bool registry_read_file(ModelRegistry *self, const char *path, GError **error)
{
    g_autoptr(json_t) root = NULL;
    g_autoptr(GError) failure = NULL;
    if (!read_either(path, &root, &failure)) {
        if (error_is(failure, KEDGE_ERROR_NOT_FOUND))
            return true;
        return pass_error(error, &failure);
    }
    if (json_is_null(root))
        return true;
    const json_t *providers = json_object_get(root, "providers");
    if (!json_is_object(root) || (providers && !json_is_object(providers)))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: \"providers\" is not a mapping", path);
    json_each_member (providers, name, config) {
        if (!check_provider(name, config, error)) {
            g_prefix_error(error, "%s: ", path);
            return false;
        }
    }
    json_each_member (providers, name, config)
        apply_config(self, name, config);
    return true;
}
