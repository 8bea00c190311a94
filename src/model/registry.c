/*
 * The registry: built-ins, then what the environment and the models file change.
 */
#include "base/env.h"
#include "model/credential_store.h"
#include "model/registry_private.h"

static void add_sources(ModelRegistry *self)
{
    for (size_t i = 0; i < catalogue_provider_count; i++) {
        const CatalogueProvider *provider = &catalogue_providers[i];
        if (!provider->base_url)
            continue;
        const char *base_url = NULL;
        if (strcmp(provider->name, "anthropic") == 0)
            base_url = env_get_raw("ANTHROPIC_BASE_URL");
        else if (strcmp(provider->name, "openai") == 0)
            base_url = self->openai_base_url;
        g_ptr_array_add(self->sources, registry_source_new(provider->name, base_url));
    }
}

static void add_local_servers(ModelRegistry *self)
{
    for (size_t i = 0; discovery_local_providers[i]; i++) {
        const char *provider = discovery_local_providers[i];
        const char *url = discovery_local_url(provider);
        registry_add_discovery(self, discovery_new(provider, provider, url, NULL), true);
    }
}

ModelRegistry *model_registry_new(const char *models_file, char **ret_warning)
{
    ModelRegistry *self = g_new0(ModelRegistry, 1);
    self->sources = g_ptr_array_new_with_free_func((GDestroyNotify)registry_source_free);
    self->all = registry_source_new(NULL, NULL);
    self->none = g_ptr_array_new();
    self->unlisted = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
    self->notices = g_ptr_array_new_with_free_func(g_free);
    self->file_keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->runtime_keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->openai_base_url = g_strdup(env_get_raw("OPENAI_BASE_URL"));
    self->disabled = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    self->role_overrides = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    pthread_mutex_init(&self->select_lock, NULL);
    pthread_mutex_init(&self->stored_lock, NULL);
    if (models_file) {
        g_autofree char *dir = g_path_get_dirname(models_file);
        self->store_path = g_build_filename(dir, CREDENTIAL_STORE_FILE, NULL);
    }
    add_sources(self);
    add_local_servers(self);

    char *warning = NULL;
    g_autoptr(GError) error = NULL;
    if (models_file && !registry_read_file(self, models_file, &error))
        warning = g_strdup(error->message);
    self->is_made = true;
    *ret_warning = warning;
    return self;
}

void model_registry_free(ModelRegistry *self)
{
    if (!self)
        return;
    registry_source_free(self->all);
    g_ptr_array_unref(self->sources);
    g_ptr_array_unref(self->none);
    g_ptr_array_unref(self->unlisted);
    g_ptr_array_unref(self->notices);
    json_decref(self->roles);
    g_hash_table_unref(self->disabled);
    g_hash_table_unref(self->role_overrides);
    pthread_mutex_destroy(&self->select_lock);
    g_hash_table_unref(self->file_keys);
    g_hash_table_unref(self->runtime_keys);
    if (self->stored_keys)
        g_hash_table_unref(self->stored_keys);
    pthread_mutex_destroy(&self->stored_lock);
    g_free(self->store_path);
    g_free(self->openai_base_url);
    g_free(self);
}

const Model *const *model_registry_all(const ModelRegistry *self, size_t *ret_count)
{
    const GPtrArray *models = registry_models(self, NULL);
    *ret_count = models->len;
    return (const Model *const *)models->pdata;
}
