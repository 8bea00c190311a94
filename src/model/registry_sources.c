/*
 * The providers of a registry and their models: the catalogue's, the file's and those that servers
 * list, each read when somebody asks for them first.
 */
#include "base/lock.h"
#include "base/str.h"
#include "model/registry_private.h"

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
    self->is_deprecated = *entry->successor != '\0';
    if (self->is_deprecated && strcmp(entry->successor, "-") != 0)
        self->successor = g_strdup(entry->successor);
    if (!*entry->compat)
        return self;
    json_t *compat = g_hash_table_lookup(compats, entry->compat);
    if (!compat && json_parse_text(entry->compat, &compat, NULL))
        g_hash_table_insert(compats, (gpointer)entry->compat, compat);
    self->compat = json_incref(compat);
    return self;
}

ModelSource *registry_source_new(const char *provider, const char *base_url)
{
    ModelSource *self = g_new0(ModelSource, 1);
    self->provider = g_strdup(provider);
    self->base_url = g_strdup(base_url);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void registry_source_free(ModelSource *self)
{
    if (self->models)
        g_ptr_array_unref(self->models);
    pthread_mutex_destroy(&self->lock);
    discovery_free(self->discovery);
    g_free(self->problem);
    g_free(self->base_url);
    g_free(self->provider);
    g_free(self);
}

static GPtrArray *read_catalogue(const ModelSource *source)
{
    GPtrArray *models = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
    const CatalogueProvider *provider = catalogue_find_provider(source->provider);
    const char *base_url = source->base_url ? source->base_url
                           : provider       ? provider->base_url
                                            : NULL;
    g_autoptr(GHashTable) compats = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, json_free);
    const char *position = NULL;
    CatalogueModel entry;
    while (provider && catalogue_next(source->provider, &position, &entry))
        g_ptr_array_add(models, model_from_catalogue(provider, &entry, base_url, compats));
    return models;
}

static bool source_is_read(ModelSource *self)
{
    HOLD_LOCK(&self->lock);
    return self->models != NULL;
}

/* A model that the file lists too is the file's. */
static void add_discovered(GPtrArray *models, Model *found, const Discovery *discovery)
{
    for (guint i = 0; i < models->len; i++) {
        if (strcmp(((const Model *)g_ptr_array_index(models, i))->id, found->id) == 0) {
            model_free(found);
            return;
        }
    }
    if (discovery->config)
        registry_configure(found, discovery->config);
    g_ptr_array_add(models, found);
}

static void discover_locked(const ModelRegistry *registry, ModelSource *self)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *key = registry_config_is_keyless(self->discovery->config)
                               ? registry_runtime_key(registry, self->provider)
                               : registry_key(registry, self->provider);
    if (!discovery_run(self->discovery, key, found, &error))
        self->problem = g_strdup(error->message);
    for (guint i = 0; i < found->len; i++)
        add_discovered(self->models, g_ptr_array_index(found, i), self->discovery);
    self->is_asked = true;
}

static GPtrArray *source_models(const ModelRegistry *registry, ModelSource *self);

/* No one is asked who was not named. */
static GPtrArray *gather_all(const ModelRegistry *self)
{
    GPtrArray *all = g_ptr_array_new();
    for (guint i = 0; i < self->sources->len; i++) {
        ModelSource *source = g_ptr_array_index(self->sources, i);
        if (source->is_implicit && !source_is_read(source))
            continue;
        GPtrArray *models = source_models(self, source);
        for (guint k = 0; k < models->len; k++)
            g_ptr_array_add(all, g_ptr_array_index(models, k));
    }
    return all;
}

static GPtrArray *source_models(const ModelRegistry *registry, ModelSource *self)
{
    HOLD_LOCK(&self->lock);
    if (!self->models)
        self->models = self->provider ? read_catalogue(self) : gather_all(registry);
    if (self->discovery && !self->is_asked && registry->is_made)
        discover_locked(registry, self);
    return self->models;
}

static ModelSource *find_source(const ModelRegistry *self, const char *provider)
{
    for (guint i = 0; i < self->sources->len; i++) {
        ModelSource *source = g_ptr_array_index(self->sources, i);
        if (strcmp(source->provider, provider) == 0)
            return source;
    }
    return NULL;
}

static ModelSource *find_source_nocase(const ModelRegistry *self, const char *provider)
{
    for (guint i = 0; i < self->sources->len; i++) {
        ModelSource *source = g_ptr_array_index(self->sources, i);
        if (str_equal_nocase(source->provider, provider))
            return source;
    }
    return NULL;
}

const GPtrArray *registry_models(const ModelRegistry *self, const char *provider)
{
    ModelSource *source = provider ? find_source(self, provider) : self->all;
    if (!source)
        source = find_source_nocase(self, provider);
    return source ? source_models(self, source) : self->none;
}

void registry_put_model(ModelRegistry *self, Model *model)
{
    ModelSource *source = find_source(self, model->provider);
    if (!source) {
        source = registry_source_new(model->provider, NULL);
        source->models = g_ptr_array_new_with_free_func((GDestroyNotify)model_free);
        g_ptr_array_add(self->sources, source);
    }
    GPtrArray *models = source_models(self, source);
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

void registry_add_discovery(ModelRegistry *self, Discovery *discovery, bool is_implicit)
{
    ModelSource *source = find_source(self, discovery->provider);
    if (!source) {
        source = registry_source_new(discovery->provider, NULL);
        g_ptr_array_add(self->sources, source);
    }
    discovery_free(source->discovery);
    source->discovery = discovery;
    source->is_implicit = is_implicit;
}

/* Names of providers are looked up in any case, and this list is one of them. Caller frees. */
static char *disabled_name(const char *provider)
{
    return g_ascii_strdown(provider, -1);
}

bool registry_is_disabled(const ModelRegistry *self, const char *provider)
{
    g_autofree char *name = disabled_name(provider);
    return g_hash_table_contains(self->disabled, name);
}

const char *registry_problem(const ModelRegistry *self, const char *provider)
{
    const ModelSource *source = find_source_nocase(self, provider);
    if (source)
        return source->problem;
    return registry_is_disabled(self, provider) ? "the provider is one of disabledProviders" : NULL;
}

/* The place of the source, or its length. */
static guint source_index(const ModelRegistry *self, const char *provider)
{
    guint i = 0;
    while (i < self->sources->len &&
           !str_equal_nocase(((const ModelSource *)self->sources->pdata[i])->provider, provider))
        i++;
    return i;
}

void model_registry_arrange(ModelRegistry *self, const json_t *disabled, const json_t *order)
{
    g_assert(!self->all->models);
    size_t i;
    json_t *name;
    json_array_foreach (disabled, i, name) {
        guint at = json_is_string(name) ? source_index(self, json_string_value(name)) : G_MAXUINT;
        if (at < self->sources->len)
            g_ptr_array_remove_index(self->sources, at);
        if (json_is_string(name))
            g_hash_table_add(self->disabled, disabled_name(json_string_value(name)));
    }
    for (i = json_array_size(order); i-- > 0;) {
        name = json_array_get(order, i);
        guint at = json_is_string(name) ? source_index(self, json_string_value(name)) : G_MAXUINT;
        if (at < self->sources->len)
            g_ptr_array_insert(self->sources, 0, g_ptr_array_steal_index(self->sources, at));
    }
}

void model_registry_discover(ModelRegistry *self)
{
    for (guint i = 0; i < self->sources->len; i++)
        source_models(self, g_ptr_array_index(self->sources, i));
}

bool registry_has_provider(const ModelRegistry *self, const char *provider)
{
    return find_source_nocase(self, provider) != NULL;
}

bool model_registry_knows_provider(const ModelRegistry *self, const char *name)
{
    return find_source(self, name) || catalogue_find_provider(name);
}

char **model_registry_providers(const ModelRegistry *self)
{
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < self->sources->len; i++)
        g_ptr_array_add(
            names, g_strdup(((const ModelSource *)g_ptr_array_index(self->sources, i))->provider));
    for (size_t i = 0; i < catalogue_provider_count; i++) {
        const char *name = catalogue_providers[i].name;
        if (!find_source(self, name) && !registry_is_disabled(self, name))
            g_ptr_array_add(names, g_strdup(catalogue_providers[i].name));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

const Model *model_registry_find(const ModelRegistry *self, const char *provider, const char *id)
{
    ModelSource *source = find_source(self, provider);
    const GPtrArray *models = source ? source_models(self, source) : self->none;
    for (guint i = 0; i < models->len; i++) {
        const Model *model = g_ptr_array_index(models, i);
        if (strcmp(model->id, id) == 0)
            return model;
    }
    return NULL;
}

/* The provider's default, else its first that can be used; *ret_is_default says which. */
static const Model *first_usable(const ModelRegistry *self, ModelSource *source, bool has_key,
                                 bool *ret_is_default)
{
    const GPtrArray *models = source_models(self, source);
    const Model *first = NULL;
    for (guint i = 0; i < models->len; i++) {
        const Model *model = g_ptr_array_index(models, i);
        if (!has_key && !model->is_keyless)
            continue;
        *ret_is_default = catalogue_is_default(model);
        if (*ret_is_default)
            return model;
        if (!first || (first->is_deprecated && !model->is_deprecated))
            first = model;
    }
    return first;
}

const Model *model_registry_default(const ModelRegistry *self)
{
    const Model *first = NULL;
    for (guint i = 0; i < self->sources->len; i++) {
        ModelSource *source = g_ptr_array_index(self->sources, i);
        bool has_key = registry_has_key(self, source->provider);
        // only the models file says that none is needed; servers are asked last
        if (source->discovery || (!has_key && !source_is_read(source)))
            continue;
        bool is_default = false;
        const Model *model = first_usable(self, source, has_key, &is_default);
        if (is_default)
            return model;
        if (!first)
            first = model;
    }
    for (guint i = 0; !first && i < self->sources->len; i++) {
        ModelSource *source = g_ptr_array_index(self->sources, i);
        bool has_key = registry_has_key(self, source->provider), is_default;
        if (source->discovery)
            first = first_usable(self, source, has_key, &is_default);
    }
    return first;
}
