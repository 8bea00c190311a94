/*
 * The registry: built-ins, then what the environment and the models file change.
 */
#include "base/env.h"
#include "base/str.h"
#include "model/registry_private.h"

#define CUSTOM_CONTEXT_WINDOW 128000
#define CUSTOM_MAX_TOKENS     16384

Model *model_new(const char *provider, const char *id, ModelApi api, const char *base_url)
{
    Model *self = g_new0(Model, 1);
    self->provider = g_strdup(provider);
    self->id = g_strdup(id);
    self->name = g_strdup(id);
    self->api = api;
    self->base_url = g_strdup(base_url);
    self->min_thinking = THINKING_MINIMAL;
    self->max_thinking = THINKING_HIGH;
    self->context_window = CUSTOM_CONTEXT_WINDOW;
    self->max_tokens = CUSTOM_MAX_TOKENS;
    return self;
}

void model_free(Model *self)
{
    if (!self)
        return;
    g_free(self->provider);
    g_free(self->id);
    g_free(self->name);
    g_free(self->base_url);
    json_decref(self->headers);
    json_decref(self->compat);
    g_free(self);
}

/* `compats`: text → JSON, shared by the many models that have the same. */
static Model *model_from_catalogue(const CatalogueModel *entry, GHashTable *compats)
{
    const CatalogueProvider *provider = catalogue_find_provider(entry->provider);
    g_assert(provider && provider->base_url);
    Model *self = model_new(entry->provider, entry->id, provider->api, provider->base_url);
    g_free(self->name);
    self->name = g_strdup(entry->name);
    self->is_reasoning = entry->is_reasoning;
    self->thinking_mode = entry->thinking_mode;
    self->thinking_levels = entry->thinking_levels;
    self->accepts_images = entry->accepts_images;
    self->context_window = entry->context_window;
    self->max_tokens = entry->max_tokens;
    self->cost = entry->cost;
    if (!*entry->compat)
        return self;
    json_t *compat = g_hash_table_lookup(compats, entry->compat);
    if (!compat && json_parse_text(entry->compat, &compat, NULL))
        g_hash_table_insert(compats, (gpointer)entry->compat, compat);
    self->compat = json_incref(compat);
    return self;
}

static void drop_json(gpointer json)
{
    json_decref(json);
}

static void add_catalogue(ModelRegistry *self)
{
    g_autoptr(GHashTable) compats = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, drop_json);
    const char *position = NULL;
    CatalogueModel entry;
    while (catalogue_next(&position, &entry))
        g_ptr_array_add(self->models, model_from_catalogue(&entry, compats));
}

Model *registry_find(const ModelRegistry *self, const char *provider, const char *id)
{
    for (guint i = 0; i < self->models->len; i++) {
        Model *model = g_ptr_array_index(self->models, i);
        if (strcmp(model->provider, provider) == 0 && strcmp(model->id, id) == 0)
            return model;
    }
    return NULL;
}

bool registry_has_provider(const ModelRegistry *self, const char *provider)
{
    for (guint i = 0; i < self->models->len; i++) {
        const Model *model = g_ptr_array_index(self->models, i);
        if (str_equal_nocase(model->provider, provider))
            return true;
    }
    return false;
}

static void set_base_url(ModelRegistry *self, const char *provider, const char *base_url)
{
    for (guint i = 0; base_url && i < self->models->len; i++) {
        Model *model = g_ptr_array_index(self->models, i);
        if (strcmp(model->provider, provider) == 0) {
            g_free(model->base_url);
            model->base_url = g_strdup(base_url);
        }
    }
}

ModelRegistry *model_registry_new(const char *models_file, char **ret_warning)
{
    ModelRegistry *self = g_new0(ModelRegistry, 1);
    self->models = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
    self->unlisted = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
    self->notices = g_ptr_array_new_with_free_func(g_free);
    self->file_keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->runtime_keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    add_catalogue(self);
    self->openai_base_url = g_strdup(env_get_raw("OPENAI_BASE_URL"));
    set_base_url(self, "anthropic", env_get_raw("ANTHROPIC_BASE_URL"));
    set_base_url(self, "openai", self->openai_base_url);

    char *warning = NULL;
    g_autoptr(GError) error = NULL;
    if (models_file && !registry_read_file(self, models_file, &warning, &error))
        warning = g_strdup(error->message);
    *ret_warning = warning;
    return self;
}

void model_registry_free(ModelRegistry *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->models);
    g_ptr_array_unref(self->unlisted);
    g_ptr_array_unref(self->notices);
    g_hash_table_unref(self->file_keys);
    g_hash_table_unref(self->runtime_keys);
    g_free(self->openai_base_url);
    g_free(self);
}

const Model *const *model_registry_all(const ModelRegistry *self, size_t *ret_count)
{
    *ret_count = self->models->len;
    return (const Model *const *)self->models->pdata;
}

const Model *model_registry_default(const ModelRegistry *self)
{
    const Model *first = NULL;
    const char *without_key = ""; // the provider that was looked at last
    for (guint i = 0; i < self->models->len; i++) {
        const Model *model = g_ptr_array_index(self->models, i);
        if (!model->is_keyless && strcmp(model->provider, without_key) == 0)
            continue;
        if (!model_registry_is_available(self, model, false)) {
            without_key = model->provider;
            continue;
        }
        if (catalogue_is_default(model))
            return model;
        if (!first)
            first = model;
    }
    return first;
}
