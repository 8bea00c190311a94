/*
 * Which key a request is sent with (agent-core §2.11): --api-key, what `kedge login` stored, the
 * provider's environment variables, the models file, and last KEDGE_API_KEY for a model that was
 * named. Of several stored keys of a provider one is used until it meets a limit; when all were
 * refused, what comes behind them is.
 */
#include "base/dirs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/secrets.h"
#include "base/timefmt.h"
#include "model/credential_store.h"
#include "model/provider.h"
#include "model/registry_private.h"

#define LIMITED_REST_MS (60 * 1000) // when the server does not say

typedef struct RingKey {
    char *key;
    gint64 rests_until; // monotonic ms
} RingKey;

typedef struct KeyRing { // the stored keys of a provider
    GArray *keys;        // of RingKey
    guint current;
    bool is_passed_over; // all were refused, and there is a key behind them
} KeyRing;

static void ring_key_clear(gpointer key)
{
    g_free(((RingKey *)key)->key);
}

/* Frees a KeyRing (credentials.c). */
static void key_ring_free(gpointer ring)
{
    KeyRing *self = ring;
    g_array_unref(self->keys);
    g_free(self);
}

static void add_to_ring(GHashTable *rings, const StoredKey *stored)
{
    KeyRing *ring = g_hash_table_lookup(rings, stored->provider);
    if (!ring) {
        ring = g_new0(KeyRing, 1);
        ring->keys = g_array_new(FALSE, TRUE, sizeof(RingKey));
        g_array_set_clear_func(ring->keys, ring_key_clear);
        g_hash_table_insert(rings, g_strdup(stored->provider), ring);
    }
    RingKey key = { .key = g_strdup(stored->key) };
    g_array_append_val(ring->keys, key);
}

/* NULL: the provider has none. A store that cannot be read is said once, and then is empty. */
static KeyRing *find_ring_locked(ModelRegistry *self, const char *provider)
{
    if (!self->stored_keys) {
        g_autoptr(GPtrArray) stored = NULL;
        g_autoptr(GError) error = NULL;
        self->stored_keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, key_ring_free);
        if (self->store_path && !credential_store_read(self->store_path, &stored, &error))
            log_error("%s", error->message);
        for (guint i = 0; stored && i < stored->len; i++)
            add_to_ring(self->stored_keys, g_ptr_array_index(stored, i));
    }
    return g_hash_table_lookup(self->stored_keys, provider);
}

static char *stored_key(const ModelRegistry *registry, const char *provider)
{
    ModelRegistry *self = (ModelRegistry *)registry; // what changes has a lock
    HOLD_LOCK(&self->stored_lock);
    const KeyRing *ring = find_ring_locked(self, provider);
    return ring && !ring->is_passed_over
               ? g_strdup(g_array_index(ring->keys, RingKey, ring->current).key)
               : NULL;
}

/* To the next key that does not rest, unless this one does not; false when all do. */
static bool turn_ring(KeyRing *ring, gint64 now)
{
    for (guint i = 0; i < ring->keys->len; i++) {
        guint next = (ring->current + i) % ring->keys->len;
        if (g_array_index(ring->keys, RingKey, next).rests_until <= now) {
            ring->current = next;
            return true;
        }
    }
    return false;
}

/* Never for less than before: a key that was refused stays so. False: it is none of these. */
static bool rest_key(KeyRing *ring, const char *key, gint64 until)
{
    bool is_one = false;
    for (guint i = 0; i < ring->keys->len; i++) {
        RingKey *one = &g_array_index(ring->keys, RingKey, i);
        if (!g_str_equal(one->key, key))
            continue;
        one->rests_until = MAX(one->rests_until, until);
        is_one = true;
    }
    return is_one;
}

static bool are_all_refused(const KeyRing *ring)
{
    for (guint i = 0; i < ring->keys->len; i++)
        if (g_array_index(ring->keys, RingKey, i).rests_until != G_MAXINT64)
            return false;
    return true;
}

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

/* The environment's, else that of the models file. Caller frees. */
static char *key_behind_stored(const ModelRegistry *self, const char *provider)
{
    char *key = environment_key(provider, NULL);
    const char *written = key ? NULL : g_hash_table_lookup(self->file_keys, provider);
    if (!written)
        return key;
    const char *value = secrets_get(written);
    return clean_key(value ? value : written);
}

bool model_registry_key_failed(const ModelRegistry *registry, const char *provider, const char *key,
                               const char *error_message)
{
    ModelRegistry *self = (ModelRegistry *)registry;
    bool is_refused = provider_error_is_refused_key(error_message);
    if (!key || (!is_refused && !provider_error_is_limit(error_message)) ||
        g_hash_table_contains(self->runtime_keys, provider))
        return false;
    gint64 now = time_monotonic_ms();
    int64_t asked_ms = provider_error_retry_after_ms(error_message);
    gint64 rest_ms = is_refused ? G_MAXINT64 - now : asked_ms > 0 ? asked_ms : LIMITED_REST_MS;
    HOLD_LOCK(&self->stored_lock);
    KeyRing *ring = find_ring_locked(self, provider);
    bool is_stored = ring && rest_key(ring, key, now + rest_ms);
    bool has_other = ring && turn_ring(ring, now);
    if (is_stored && !has_other && are_all_refused(ring)) {
        g_autofree char *behind = key_behind_stored(self, provider);
        ring->is_passed_over = behind && !g_str_equal(behind, key);
        has_other = ring->is_passed_over;
    }
    return has_other;
}

bool model_registry_store_key(ModelRegistry *self, const char *provider, const char *key,
                              GError **error)
{
    g_autofree char *clean = g_strstrip(g_strdup(key));
    bool is_new = false;
    if (!self->store_path)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "there is no place to store a key in");
    bool is_stored = credential_key_check(clean, error) &&
                     credential_store_add(self->store_path, provider, clean, &is_new, error);
    explicit_bzero(clean, strlen(clean));
    if (!is_stored)
        return false;
    HOLD_LOCK(&self->stored_lock);
    g_clear_pointer(&self->stored_keys, g_hash_table_unref); // read again when one is asked for
    return true;
}

void model_registry_set_runtime_key(ModelRegistry *self, const char *provider, const char *key)
{
    g_hash_table_insert(self->runtime_keys, g_strdup(provider), g_strdup(key));
}

char *registry_runtime_key(const ModelRegistry *self, const char *provider)
{
    return clean_key(g_hash_table_lookup(self->runtime_keys, provider));
}

static char *standing_key(const ModelRegistry *self, const char *provider)
{
    char *key = stored_key(self, provider);
    return key ? key : key_behind_stored(self, provider);
}

char *registry_key(const ModelRegistry *self, const char *provider)
{
    char *key = registry_runtime_key(self, provider);
    return key ? key : standing_key(self, provider);
}

bool registry_has_key(const ModelRegistry *self, const char *provider)
{
    g_autofree char *key = registry_key(self, provider);
    return key != NULL;
}

char *model_registry_key(const ModelRegistry *self, const Model *model, bool is_named)
{
    char *key = registry_runtime_key(self, model->provider);
    if (key || model->is_keyless)
        return key;
    key = standing_key(self, model->provider);
    if (!key && is_named)
        key = clean_key(secrets_get("KEDGE_API_KEY"));
    return key;
}

static char *environment_source(const char *name)
{
    return g_strdup_printf("environment (%s)", name);
}

char *model_registry_provider_source(const ModelRegistry *self, const char *provider)
{
    g_autofree char *runtime = registry_runtime_key(self, provider);
    if (runtime)
        return g_strdup("--api-key");
    g_autofree char *stored = stored_key(self, provider);
    if (stored)
        return g_strdup("stored");
    const char *name = NULL;
    g_autofree char *key = environment_key(provider, &name);
    if (key)
        return environment_source(name);
    const char *written = g_hash_table_lookup(self->file_keys, provider);
    if (!written)
        return NULL;
    return secrets_get(written) ? environment_source(written) : g_strdup("models.yml");
}

char *model_registry_key_source(const ModelRegistry *self, const Model *model)
{
    g_autofree char *runtime = registry_runtime_key(self, model->provider);
    if (model->is_keyless && !runtime)
        return g_strdup("none needed");
    char *source = model_registry_provider_source(self, model->provider);
    return source ? source : environment_source("KEDGE_API_KEY");
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
    g_string_append_printf(hint, ", or use --api-key, or store a key with `kedge login %s`.",
                           model->provider);
    return g_string_free(hint, FALSE);
}

char *model_registry_no_key_hint(void)
{
    g_autofree char *agent_dir = dirs_agent();
    return g_strdup_printf("kedge login anthropic, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or "
                           "GEMINI_API_KEY; a server of your own is described in %s/models.yml",
                           agent_dir);
}

char *model_registry_no_key_text(void)
{
    g_autofree char *hint = model_registry_no_key_hint();
    return g_strdup_printf("No models available. No key is known: run %s.", hint);
}

bool model_registry_fail_key(const Model *model, GError **error)
{
    g_autofree char *hint = model_registry_key_hint(model);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No API key found for %s. %s", model->provider,
                     hint);
}
