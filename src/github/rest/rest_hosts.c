/*
 * Two small tables under one lock (rest_hosts.h).
 */
#include "github/rest/rest_hosts.h"

#include "base/lock.h"
#include "base/timefmt.h"

#define STATE_KEY    "rest hosts"
#define MAX_LIMIT_MS ((int64_t)60 * 60 * 1000) // GitHub's longest window

typedef struct KeptToken {
    char *key; // NULL: gh had no login file
    char *token;
} KeptToken;

struct RestHosts {
    pthread_mutex_t lock;
    GHashTable *tokens; // host → KeptToken
    GHashTable *limits; // scope → int64_t, monotonic
};

static void kept_token_free(void *kept)
{
    KeptToken *self = kept;
    g_free(self->key);
    g_free(self->token);
    g_free(self);
}

RestHosts *rest_hosts_new(void)
{
    RestHosts *self = g_new0(RestHosts, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->tokens = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, kept_token_free);
    self->limits = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void rest_hosts_free(RestHosts *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->limits);
    g_hash_table_unref(self->tokens);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static void *create(void)
{
    return rest_hosts_new();
}

static void destroy(void *hosts)
{
    rest_hosts_free(hosts);
}

RestHosts *rest_hosts_of(ToolContext *context)
{
    return tool_context_state(context, STATE_KEY, create, destroy);
}

char *rest_hosts_token(RestHosts *self, const char *host, const char *key)
{
    HOLD_LOCK(&self->lock);
    const KeptToken *kept = g_hash_table_lookup(self->tokens, host);
    bool is_of_key = kept && g_strcmp0(kept->key, key) == 0;
    return is_of_key ? g_strdup(kept->token) : NULL;
}

void rest_hosts_keep_token(RestHosts *self, const char *host, const char *key, const char *token)
{
    KeptToken *kept = g_new(KeptToken, 1);
    *kept = (KeptToken) { .key = g_strdup(key), .token = g_strdup(token) };
    HOLD_LOCK(&self->lock);
    g_hash_table_replace(self->tokens, g_strdup(host), kept);
}

void rest_hosts_forget_token(RestHosts *self, const char *host)
{
    HOLD_LOCK(&self->lock);
    g_hash_table_remove(self->tokens, host);
}

int64_t rest_hosts_limit_ms(RestHosts *self, const char *scope)
{
    HOLD_LOCK(&self->lock);
    const int64_t *until = g_hash_table_lookup(self->limits, scope);
    int64_t left_ms = until ? *until - time_monotonic_ms() : 0;
    return MAX(left_ms, 0);
}

void rest_hosts_set_limit(RestHosts *self, const char *scope, int64_t wait_ms)
{
    HOLD_LOCK(&self->lock);
    if (wait_ms > 0) {
        int64_t *until = g_new(int64_t, 1);
        *until = time_monotonic_ms() + MIN(wait_ms, MAX_LIMIT_MS);
        g_hash_table_replace(self->limits, g_strdup(scope), until);
    } else {
        g_hash_table_remove(self->limits, scope);
    }
}
