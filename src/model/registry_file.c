/*
 * models.yml (agent-core §2.9): checked as a whole first, so that a broken file changes nothing.
 */
#include "base/json.h"
#include "base/yaml.h"
#include "model/registry_private.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return text && *text ? text : NULL;
}

bool registry_config_is_keyless(const json_t *config)
{
    return g_strcmp0(text_of(config, "auth"), "none") == 0;
}

static bool is_built_in(const char *name)
{
    const CatalogueProvider *known = catalogue_find_provider(name);
    return known && known->base_url;
}

static const char *api_name(const json_t *config, const json_t *model)
{
    const char *name = text_of(model, "api");
    return name ? name : text_of(config, "api");
}

static bool check_model(const char *provider, const json_t *config, const json_t *model,
                        GError **error)
{
    const char *id = text_of(model, "id");
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
    if (!text_of(config, "baseUrl") && !is_built_in(name))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "Provider %s: \"baseUrl\" is required when defining custom models.", name);
    if (!text_of(config, "apiKey") && !registry_config_is_keyless(config) && !is_built_in(name))
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

/* `more` over `*object`, in a new object. */
static void merge(json_t **object, const json_t *more)
{
    if (!json_is_object(more))
        return;
    json_t *merged = *object ? json_deep_copy(*object) : json_object();
    g_autoptr(json_t) copy = json_deep_copy(more);
    json_object_update(merged, copy);
    json_decref(*object);
    *object = merged;
}

static void read_thinking(Model *model, const json_t *thinking)
{
    if (json_object_get(thinking, "minLevel") || json_object_get(thinking, "maxLevel"))
        model->thinking_levels = 0;
    thinking_level_parse(text_of(thinking, "minLevel"), &model->min_thinking);
    thinking_level_parse(text_of(thinking, "maxLevel"), &model->max_thinking);
    model->min_thinking = MAX(model->min_thinking, THINKING_MINIMAL);
    model->max_thinking = MAX(model->max_thinking, model->min_thinking);
    const char *mode = text_of(thinking, "mode");
    if (!thinking_mode_parse(mode, &model->thinking_mode) && mode)
        model->thinking_mode = THINKING_MODE_EFFORT;
}

static void read_input(Model *model, const json_t *input)
{
    if (!json_is_array(input))
        return;
    model->accepts_images = false;
    size_t i;
    json_t *kind;
    json_array_foreach (input, i, kind) {
        if (g_strcmp0(json_string_value(kind), "image") == 0)
            model->accepts_images = true;
    }
}

static void read_count(const json_t *json, const char *key, int64_t *count)
{
    int64_t value = json_get_int(json, key, 0);
    if (value > 0)
        *count = value;
}

static void read_text(const json_t *json, const char *key, char **text)
{
    const char *value = text_of(json, key);
    if (!value)
        return;
    g_free(*text);
    *text = g_strdup(value);
}

/* The fields of a model or a modelOverrides entry that are there. */
static void read_model(Model *model, const json_t *json)
{
    read_text(json, "name", &model->name);
    model->is_reasoning = json_get_bool(json, "reasoning", model->is_reasoning);
    read_thinking(model, json_get_object(json, "thinking"));
    read_input(model, json_object_get(json, "input"));
    read_count(json, "contextWindow", &model->context_window);
    read_count(json, "maxTokens", &model->max_tokens);
    const json_t *cost = json_get_object(json, "cost");
    model->cost.input = json_get_number(cost, "input", model->cost.input);
    model->cost.output = json_get_number(cost, "output", model->cost.output);
    model->cost.cache_read = json_get_number(cost, "cacheRead", model->cost.cache_read);
    model->cost.cache_write = json_get_number(cost, "cacheWrite", model->cost.cache_write);
    merge(&model->headers, json_object_get(json, "headers"));
    merge(&model->compat, json_object_get(json, "compat"));
    read_text(json, "contextPromotionTarget", &model->roomier);
    read_text(json, "successor", &model->successor);
    bool has_successor = text_of(json, "successor") != NULL;
    model->is_deprecated = json_get_bool(json, "deprecated", model->is_deprecated || has_successor);
}

/* What is said of one model, in the list or in modelOverrides or in both; either may be NULL. */
static void read_both(Model *model, const json_t *listed, const json_t *override)
{
    const json_t *const said[] = { listed, override };
    bool has_window = false, has_limit = false;
    for (size_t i = 0; i < G_N_ELEMENTS(said); i++) {
        if (!said[i])
            continue;
        read_model(model, said[i]);
        has_window = has_window || json_get_int(said[i], "contextWindow", 0) > 0;
        has_limit = has_limit || json_get_int(said[i], "maxTokens", 0) > 0;
    }
    if (has_window && !has_limit)
        model_cap_answer(model);
}

/* Ollama's address is given without the path of its compatible API. */
static char *usable_base_url(const char *provider, const json_t *config, const char *url)
{
    const char *discovery = json_get_text(json_get_object(config, "discovery"), "type");
    bool is_ollama = strcmp(provider, "ollama") == 0 || g_strcmp0(discovery, "ollama") == 0;
    g_autoptr(GUri) uri = is_ollama ? g_uri_parse(url, G_URI_FLAGS_NONE, NULL) : NULL;
    if (!uri || strlen(g_uri_get_path(uri)) > 1)
        return g_strdup(url);
    return g_str_has_suffix(url, "/") ? g_strconcat(url, "v1", NULL)
                                      : g_strconcat(url, "/v1", NULL);
}

/* What is said of the provider as a whole. */
static void apply_provider(Model *model, const char *provider, const json_t *config)
{
    const char *url = text_of(config, "baseUrl");
    if (url) {
        g_free(model->base_url);
        model->base_url = usable_base_url(provider, config, url);
    }
    // a server of the own machine needs none unless the entry speaks of keys
    bool speaks_of_keys = text_of(config, "auth") || text_of(config, "apiKey");
    if (speaks_of_keys || !discovery_local_url(provider))
        model->is_keyless = registry_config_is_keyless(config);
    model->has_bearer_auth = json_get_bool(config, "authHeader", model->has_bearer_auth);
    merge(&model->headers, json_object_get(config, "headers"));
    merge(&model->compat, json_object_get(config, "compat"));
}

void registry_configure(Model *model, const json_t *config)
{
    const CatalogueProvider *known = catalogue_find_provider(model->provider);
    apply_provider(model, model->provider, config);
    if (known && known->base_url)
        model->api = catalogue_api(known, model->base_url);
    model_api_parse(text_of(config, "api"), &model->api);
    const json_t *overrides = json_get_object(config, "modelOverrides");
    read_both(model, NULL, json_get_object(overrides, model->id));
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
    const char *type = text_of(discovery, "type");
    const char *base_url = text_of(config, "baseUrl");
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
    const char *id = text_of(json, "id");
    const char *base_url = has_base_url ? known->base_url : "";
    if (has_base_url && strcmp(provider, "openai") == 0 && self->openai_base_url)
        base_url = self->openai_base_url;
    Model *model = model_new(provider, id, MODEL_API_OPENAI_COMPLETIONS, base_url);
    apply_provider(model, provider, config);
    model->api = has_base_url ? catalogue_api(known, model->base_url)
                 : known      ? known->api
                              : MODEL_API_OPENAI_COMPLETIONS;
    model_api_parse(api_name(config, json), &model->api);
    // adaptive thinking, and thinking by level, is for models that are known to have it
    if (model->api == MODEL_API_ANTHROPIC_MESSAGES)
        model->thinking_mode = THINKING_MODE_BUDGET;
    read_both(model, json, json_get_object(json_get_object(config, "modelOverrides"), id));
    registry_put_model(self, model);
}

static void apply_config(ModelRegistry *self, const char *provider, json_t *config)
{
    const char *key = text_of(config, "apiKey");
    if (key)
        g_hash_table_insert(self->file_keys, g_strdup(provider), g_strdup(key));
    if (strcmp(provider, "openai") == 0 && text_of(config, "baseUrl"))
        g_clear_pointer(&self->openai_base_url, g_free);
    apply_overrides(self, provider, config);
    apply_discovery(self, provider, config);
    size_t i;
    json_t *model;
    json_array_foreach (json_get_array(config, "models"), i, model)
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
    g_propagate_error(error, g_steal_pointer(&failure));
    return false;
}

bool registry_read_file(ModelRegistry *self, const char *path, GError **error)
{
    g_autoptr(json_t) root = NULL;
    g_autoptr(GError) failure = NULL;
    if (!read_either(path, &root, &failure)) {
        if (error_is(failure, KEDGE_ERROR_NOT_FOUND))
            return true;
        g_propagate_error(error, g_steal_pointer(&failure));
        return false;
    }
    if (json_is_null(root))
        return true;
    const json_t *providers = json_object_get(root, "providers");
    if (!json_is_object(root) || (providers && !json_is_object(providers)))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: \"providers\" is not a mapping", path);
    const char *name;
    json_t *config;
    json_object_foreach ((json_t *)providers, name, config) {
        if (!check_provider(name, config, error)) {
            g_prefix_error(error, "%s: ", path);
            return false;
        }
    }
    json_object_foreach ((json_t *)providers, name, config)
        apply_config(self, name, config);
    return true;
}
