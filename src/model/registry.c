/*
 * The registry: built-ins, then what the environment and the models file change.
 */
#include "base/env.h"
#include "base/str.h"
#include "model/credential_store.h"
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
static Model *model_from_catalogue(const CatalogueProvider *provider, const CatalogueModel *entry,
                                   const char *base_url, GHashTable *compats)
{
    ModelApi api = catalogue_api(provider, base_url);
    Model *self = model_new(provider->name, entry->id, api, base_url);
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

/* --- shelves */

static Shelf *shelf_new(const char *provider, const char *base_url)
{
    Shelf *self = g_new0(Shelf, 1);
    self->provider = g_strdup(provider);
    self->base_url = g_strdup(base_url);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void shelf_free(Shelf *self)
{
    if (self->models)
        g_ptr_array_unref(self->models);
    pthread_mutex_destroy(&self->lock);
    g_free(self->base_url);
    g_free(self->provider);
    g_free(self);
}

static GPtrArray *read_catalogue(const Shelf *shelf)
{
    GPtrArray *models = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
    const CatalogueProvider *provider = catalogue_find_provider(shelf->provider);
    const char *base_url = shelf->base_url ? shelf->base_url : provider ? provider->base_url : NULL;
    g_autoptr(GHashTable) compats = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, drop_json);
    const char *position = NULL;
    CatalogueModel entry;
    while (provider && catalogue_next(shelf->provider, &position, &entry))
        g_ptr_array_add(models, model_from_catalogue(provider, &entry, base_url, compats));
    return models;
}

static GPtrArray *shelf_models(const ModelRegistry *registry, Shelf *self);

static GPtrArray *gather_all(const ModelRegistry *self)
{
    GPtrArray *all = g_ptr_array_new();
    for (guint i = 0; i < self->shelves->len; i++) {
        GPtrArray *models = shelf_models(self, g_ptr_array_index(self->shelves, i));
        for (guint k = 0; k < models->len; k++)
            g_ptr_array_add(all, g_ptr_array_index(models, k));
    }
    return all;
}

static GPtrArray *shelf_models(const ModelRegistry *registry, Shelf *self)
{
    pthread_mutex_lock(&self->lock);
    if (!self->models)
        self->models = self->provider ? read_catalogue(self) : gather_all(registry);
    pthread_mutex_unlock(&self->lock);
    return self->models;
}

static bool shelf_is_read(Shelf *self)
{
    pthread_mutex_lock(&self->lock);
    bool is_read = self->models != NULL;
    pthread_mutex_unlock(&self->lock);
    return is_read;
}

static Shelf *find_shelf(const ModelRegistry *self, const char *provider)
{
    for (guint i = 0; i < self->shelves->len; i++) {
        Shelf *shelf = g_ptr_array_index(self->shelves, i);
        if (strcmp(shelf->provider, provider) == 0)
            return shelf;
    }
    return NULL;
}

static Shelf *find_shelf_nocase(const ModelRegistry *self, const char *provider)
{
    for (guint i = 0; i < self->shelves->len; i++) {
        Shelf *shelf = g_ptr_array_index(self->shelves, i);
        if (str_equal_nocase(shelf->provider, provider))
            return shelf;
    }
    return NULL;
}

const GPtrArray *registry_models(const ModelRegistry *self, const char *provider)
{
    Shelf *shelf = provider ? find_shelf(self, provider) : self->all;
    if (!shelf)
        shelf = find_shelf_nocase(self, provider);
    return shelf ? shelf_models(self, shelf) : self->none;
}

void registry_put_model(ModelRegistry *self, Model *model)
{
    Shelf *shelf = find_shelf(self, model->provider);
    if (!shelf) {
        shelf = shelf_new(model->provider, NULL);
        shelf->models = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
        g_ptr_array_add(self->shelves, shelf);
    }
    GPtrArray *models = shelf_models(self, shelf);
    for (guint i = 0; i < models->len; i++) {
        Model *have = g_ptr_array_index(models, i);
        if (strcmp(have->id, model->id) == 0) {
            model_free(have);
            models->pdata[i] = model;
            return;
        }
    }
    g_ptr_array_add(models, model);
}

bool registry_has_provider(const ModelRegistry *self, const char *provider)
{
    return find_shelf_nocase(self, provider) != NULL;
}

bool model_registry_knows_provider(const ModelRegistry *self, const char *name)
{
    return find_shelf(self, name) || catalogue_find_provider(name);
}

char **model_registry_providers(const ModelRegistry *self)
{
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < self->shelves->len; i++)
        g_ptr_array_add(names,
                        g_strdup(((const Shelf *)g_ptr_array_index(self->shelves, i))->provider));
    for (size_t i = 0; i < catalogue_provider_count; i++) {
        if (!find_shelf(self, catalogue_providers[i].name))
            g_ptr_array_add(names, g_strdup(catalogue_providers[i].name));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

const Model *model_registry_find(const ModelRegistry *self, const char *provider, const char *id)
{
    Shelf *shelf = find_shelf(self, provider);
    const GPtrArray *models = shelf ? shelf_models(self, shelf) : self->none;
    for (guint i = 0; i < models->len; i++) {
        const Model *model = g_ptr_array_index(models, i);
        if (strcmp(model->id, id) == 0)
            return model;
    }
    return NULL;
}

/* --- the registry */

static void add_shelves(ModelRegistry *self)
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
        g_ptr_array_add(self->shelves, shelf_new(provider->name, base_url));
    }
}

ModelRegistry *model_registry_new(const char *models_file, char **ret_warning)
{
    ModelRegistry *self = g_new0(ModelRegistry, 1);
    self->shelves = g_ptr_array_new_with_free_func((GDestroyNotify)shelf_free);
    self->all = shelf_new(NULL, NULL);
    self->none = g_ptr_array_new();
    self->unlisted = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
    self->notices = g_ptr_array_new_with_free_func(g_free);
    self->file_keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->runtime_keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->openai_base_url = g_strdup(env_get_raw("OPENAI_BASE_URL"));
    pthread_mutex_init(&self->stored_lock, NULL);
    if (models_file) {
        g_autofree char *dir = g_path_get_dirname(models_file);
        self->store_path = g_build_filename(dir, CREDENTIAL_STORE_FILE, NULL);
    }
    add_shelves(self);

    char *warning = NULL;
    g_autoptr(GError) error = NULL;
    if (models_file && !registry_read_file(self, models_file, &error))
        warning = g_strdup(error->message);
    *ret_warning = warning;
    return self;
}

void model_registry_free(ModelRegistry *self)
{
    if (!self)
        return;
    shelf_free(self->all);
    g_ptr_array_unref(self->shelves);
    g_ptr_array_unref(self->none);
    g_ptr_array_unref(self->unlisted);
    g_ptr_array_unref(self->notices);
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

const Model *model_registry_default(const ModelRegistry *self)
{
    const Model *first = NULL;
    for (guint i = 0; i < self->shelves->len; i++) {
        Shelf *shelf = g_ptr_array_index(self->shelves, i);
        bool has_key = registry_has_key(self, shelf->provider);
        if (!has_key && !shelf_is_read(shelf)) // only the models file says that none is needed
            continue;
        const GPtrArray *models = shelf_models(self, shelf);
        for (guint k = 0; k < models->len; k++) {
            const Model *model = g_ptr_array_index(models, k);
            if (!has_key && !model->is_keyless)
                continue;
            if (catalogue_is_default(model))
                return model;
            if (!first)
                first = model;
        }
    }
    return first;
}
