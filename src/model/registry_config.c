/*
 * What an entry of the models file says of a model (agent-core §2.9).
 */
#include "base/json.h"
#include "model/registry_private.h"

const char *registry_text(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return text && *text ? text : NULL;
}

bool registry_config_is_keyless(const json_t *config)
{
    return g_strcmp0(registry_text(config, "auth"), "none") == 0;
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
    thinking_level_parse(registry_text(thinking, "minLevel"), &model->min_thinking);
    thinking_level_parse(registry_text(thinking, "maxLevel"), &model->max_thinking);
    model->min_thinking = MAX(model->min_thinking, THINKING_MINIMAL);
    model->max_thinking = MAX(model->max_thinking, model->min_thinking);
    const char *mode = registry_text(thinking, "mode");
    if (!thinking_mode_parse(mode, &model->thinking_mode) && mode)
        model->thinking_mode = THINKING_MODE_EFFORT;
}

static void read_input(Model *model, const json_t *input)
{
    if (!json_is_array(input))
        return;
    model->accepts_images = false;
    json_each (input, i, kind) {
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
    const char *value = registry_text(json, key);
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
    bool has_successor = registry_text(json, "successor") != NULL;
    model->is_deprecated = json_get_bool(json, "deprecated", model->is_deprecated || has_successor);
}

void registry_configure_said(Model *model, const json_t *listed, const json_t *override)
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

void registry_configure_provider(Model *model, const char *provider, const json_t *config)
{
    const char *url = registry_text(config, "baseUrl");
    if (url) {
        g_free(model->base_url);
        model->base_url = usable_base_url(provider, config, url);
    }
    // a server of the own machine needs none unless the entry speaks of keys
    bool speaks_of_keys = registry_text(config, "auth") || registry_text(config, "apiKey");
    if (speaks_of_keys || !discovery_local_url(provider))
        model->is_keyless = registry_config_is_keyless(config);
    model->has_bearer_auth = json_get_bool(config, "authHeader", model->has_bearer_auth);
    merge(&model->headers, json_object_get(config, "headers"));
    merge(&model->compat, json_object_get(config, "compat"));
}

void registry_configure(Model *model, const json_t *config)
{
    const CatalogueProvider *known = catalogue_find_provider(model->provider);
    registry_configure_provider(model, model->provider, config);
    if (known && known->base_url)
        model->api = catalogue_api(known, model->base_url);
    model_api_parse(registry_text(config, "api"), &model->api);
    const json_t *overrides = json_get_object(config, "modelOverrides");
    registry_configure_said(model, NULL, json_get_object(overrides, model->id));
}
