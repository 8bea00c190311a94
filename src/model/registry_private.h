/*
 * What the files of the registry share: its body, and models under construction.
 */
#pragma once

#include "model/catalogue.h"
#include "model/discovery.h"
#include "model/registry.h"

#include <pthread.h>

/* The models of one provider. Those of the catalogue are read when somebody asks for them first:
   a start needs one provider of many. */
typedef struct ModelSource {
    char *provider; // NULL: all providers
    char *base_url; // what the environment says instead of the catalogue, or NULL
    pthread_mutex_t lock;
    GPtrArray *models;    // of Model; NULL until then
    Discovery *discovery; // NULL: no server is asked
    bool is_asked;        // the server
    bool is_implicit;     // no one has named the server: it is asked only for its own provider
    char *problem;        // what came of asking, where it failed
} ModelSource;

struct ModelRegistry {
    GPtrArray *sources;   // of ModelSource: the catalogue's, then those that the models file adds
    ModelSource *all;     // borrows its models
    GHashTable *disabled; // names of providers that are not there, in lower case
    GPtrArray *none;      // always empty
    pthread_mutex_t select_lock; // for the next four
    json_t *roles;               // modelRoles of the settings, or NULL
    GHashTable *role_overrides;  // role → selector of this run
    GPtrArray *unlisted;         // of Model: made by selection, of ids that no one listed
    GPtrArray *notices;          // of char *: what selections said
    bool is_made;                // from now on servers are asked
    GHashTable *file_keys;       // provider → apiKey of the models file, as written there
    GHashTable *runtime_keys;    // provider → key
    char *store_path;            // of credential_store.h; NULL: none
    pthread_mutex_t stored_lock;
    GHashTable *stored_keys; // provider → KeyRing; NULL: not read yet
    char *openai_base_url;   // OPENAI_BASE_URL when that is in effect, else NULL
};

/* Puts the models file into `self` (registry_file.c). False: the file is broken and nothing of it
   is used. */
bool registry_read_file(ModelRegistry *self, const char *path, GError **error);

// ---- what an entry of that file says (registry_config.c) ----

/* A text that is there and not empty, or NULL. Borrowed. */
const char *registry_text(const json_t *object, const char *key);
/* What is said of the provider as a whole. */
void registry_configure_provider(Model *model, const char *provider, const json_t *config);
/* What is said of one model, in the list or in modelOverrides or in both; either may be NULL. */
void registry_configure_said(Model *model, const json_t *listed, const json_t *override);
/* What the provider's entry says of a model that it does not list. */
void registry_configure(Model *model, const json_t *config);
/* The entry says `auth: none`: only a key that was given for this run goes to its server. */
bool registry_config_is_keyless(const json_t *config);

// ---- providers and their models (registry_sources.c) ----

/* `provider` NULL: all; `base_url` NULL: the catalogue's. */
ModelSource *registry_source_new(const char *provider, const char *base_url);
void registry_source_free(ModelSource *self);
/* A server is to be asked for the provider's models, at their first use. Takes ownership. */
void registry_add_discovery(ModelRegistry *self, Discovery *discovery, bool is_implicit);
/* The settings say that the provider is not there; in any case of its name. */
bool registry_is_disabled(const ModelRegistry *self, const char *provider);
/* Why the provider's server could not be asked, or NULL. Borrowed. */
const char *registry_problem(const ModelRegistry *self, const char *provider);

/* Of Model: a provider's, in any case, or everybody's for NULL. Empty for a provider that no one
   lists. Borrowed. Thread safe. */
const GPtrArray *registry_models(const ModelRegistry *self, const char *provider);
bool registry_has_provider(const ModelRegistry *self, const char *provider);
/* Takes ownership. Replaces the model of the same provider and id, else is the provider's last.
   Only while the registry is made. */
void registry_put_model(ModelRegistry *self, Model *model);
// ---- keys (credentials.c) ----

/* A key resolves for all models of the provider. */
bool registry_has_key(const ModelRegistry *self, const char *provider);
/* That key, or NULL. Caller frees. */
char *registry_key(const ModelRegistry *self, const char *provider);
/* The one that was given for this run (--api-key), or NULL. Caller frees. */
char *registry_runtime_key(const ModelRegistry *self, const char *provider);

/* The characters of `pattern` occur in `text` in that order, in any case. */
bool registry_is_fuzzy_match(const char *text, const char *pattern);
