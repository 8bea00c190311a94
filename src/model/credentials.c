/*
 * Which key a request is sent with (agent-core §2.11): --api-key, the provider's environment
 * variables, the models file, and last KEDGE_API_KEY for a model that was named.
 */
#include "base/secrets.h"
#include "model/registry_private.h"

/* Without blanks around it: a trailing line end, as files and pipes leave it, would spoil the
 * header. */
static char *clean_key(const char *key)
{
    if (!key)
        return NULL;
    char *copy = g_strstrip(g_strdup(key));
    if (*copy)
        return copy;
    g_free(copy);
    return NULL;
}

/* `ret_name` (may be NULL) gets the variable. */
static char *environment_key(const char *provider, const char **ret_name)
{
    const CatalogueProvider *known = catalogue_find_provider(provider);
    for (size_t i = 0; known && i < G_N_ELEMENTS(known->env_names) && known->env_names[i]; i++) {
        char *key = clean_key(secrets_get(known->env_names[i]));
        if (key && ret_name)
            *ret_name = known->env_names[i];
        if (key)
            return key;
    }
    return NULL;
}

void model_registry_set_runtime_key(ModelRegistry *self, const char *provider, const char *key)
{
    g_hash_table_insert(self->runtime_keys, g_strdup(provider), g_strdup(key));
}

/* --api-key */
static char *runtime_key(const ModelRegistry *self, const char *provider)
{
    return clean_key(g_hash_table_lookup(self->runtime_keys, provider));
}

static char *standing_key(const ModelRegistry *self, const char *provider)
{
    char *key = environment_key(provider, NULL);
    const char *written = key ? NULL : g_hash_table_lookup(self->file_keys, provider);
    if (!written)
        return key;
    const char *value = secrets_get(written);
    return clean_key(value ? value : written);
}

bool registry_has_key(const ModelRegistry *self, const char *provider)
{
    g_autofree char *runtime = runtime_key(self, provider);
    g_autofree char *standing = runtime ? NULL : standing_key(self, provider);
    return runtime || standing;
}

char *model_registry_key(const ModelRegistry *self, const Model *model, bool is_named)
{
    char *key = runtime_key(self, model->provider);
    if (key || model->is_keyless)
        return key;
    key = standing_key(self, model->provider);
    if (!key && is_named)
        key = clean_key(secrets_get("KEDGE_API_KEY"));
    return key;
}

char *model_registry_key_source(const ModelRegistry *self, const Model *model)
{
    g_autofree char *runtime = runtime_key(self, model->provider);
    if (runtime)
        return g_strdup("--api-key");
    if (model->is_keyless)
        return g_strdup("none needed");
    const char *name = NULL;
    g_autofree char *key = environment_key(model->provider, &name);
    if (key)
        return g_strconcat(name, " of the environment", NULL);
    const char *written = g_hash_table_lookup(self->file_keys, model->provider);
    return g_strdup(written ? "models.yml" : "KEDGE_API_KEY of the environment");
}

bool model_registry_is_available(const ModelRegistry *self, const Model *model, bool is_named)
{
    g_autofree char *key = model_registry_key(self, model, is_named);
    return key || model->is_keyless;
}

char *model_registry_key_hint(const Model *model)
{
    const CatalogueProvider *known = catalogue_find_provider(model->provider);
    GString *hint =
        g_string_new(known ? "Set " : "Give it as apiKey of that provider in models.yml");
    for (size_t i = 0; known && i < G_N_ELEMENTS(known->env_names) && known->env_names[i]; i++)
        g_string_append_printf(hint, "%s%s", i > 0 ? " or " : "", known->env_names[i]);
    if (known)
        g_string_append(hint, " in the environment, or apiKey of that provider in models.yml");
    g_string_append(hint, ", or use --api-key.");
    return g_string_free(hint, FALSE);
}
