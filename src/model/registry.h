/*
 * The models kedge knows (agent-core §2.9–2.11): the built-in catalogue, models.yml of the agent
 * directory, and what ANTHROPIC_BASE_URL / OPENAI_BASE_URL change; selection by name; credentials.
 *
 * Built once by the main thread; thread safe afterwards. Models of the catalogue are read when they
 * are asked for.
 */
#pragma once

#include "model/model.h"

typedef struct ModelRegistry ModelRegistry;

/* Reads `models_file` (missing is fine); stored credentials are beside it. A broken file leaves the
   built-ins working; *ret_warning is then the text to show once (caller frees), else NULL. */
ModelRegistry *model_registry_new(const char *models_file, char **ret_warning);
void model_registry_free(ModelRegistry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModelRegistry, model_registry_free)

/* `--api-key`: a key for one provider that wins over all others; never stored. */
void model_registry_set_runtime_key(ModelRegistry *self, const char *provider, const char *key);

/* The settings `disabledProviders` and `modelProviderOrder`, lists of names or NULL: these
   providers are not there; those come first, in that order. Before anybody else uses the registry.
 */
void model_registry_arrange(ModelRegistry *self, const json_t *disabled, const json_t *order);

/* Asks every server that may have models, also those that no one named: Ollama, llama.cpp and LM
   Studio at their usual places. Before anybody else uses the registry. */
void model_registry_discover(ModelRegistry *self);

/* All models: the catalogue's providers in its order, then those that the models file adds.
 * Borrowed.
 */
const Model *const *model_registry_all(const ModelRegistry *self, size_t *ret_count);
/* By its exact names; NULL when no one lists it. Borrowed. */
const Model *model_registry_find(const ModelRegistry *self, const char *provider, const char *id);

/* The key to send, or NULL; new string. KEDGE_API_KEY counts when `is_named` (--model was given).
 */
char *model_registry_key(const ModelRegistry *self, const Model *model, bool is_named);
/* Where the key of a model that has one comes from, for people: "ANTHROPIC_API_KEY of the
   environment". Caller frees. */
char *model_registry_key_source(const ModelRegistry *self, const Model *model);
/* The same for a provider; NULL: there is no key. Caller frees. */
char *model_registry_provider_source(const ModelRegistry *self, const char *provider);

/* Stores a key of the provider (credential_store.h), which counts from now on. USAGE when it is
   none. */
bool model_registry_store_key(ModelRegistry *self, const char *provider, const char *key,
                              GError **error);

/* The providers of the catalogue and of the models file, in order. NULL-terminated; caller frees
   with g_strfreev(). */
char **model_registry_providers(const ModelRegistry *self);
bool model_registry_knows_provider(const ModelRegistry *self, const char *name);

/* A request failed that was sent with that key (NULL: with none), which need not be the one that is
   used now. True: that was for the key, and another stored one is used from now on, or when all of
   them were refused the one of the environment or of the models file. One that met a limit of its
   account rests as long as the server said, else for a while; one that was refused is not used
   again. */
bool model_registry_key_failed(const ModelRegistry *self, const char *provider, const char *key,
                               const char *error_message);
/* What to do when there is none: "Set ANTHROPIC_API_KEY …". Caller frees. */
char *model_registry_key_hint(const Model *model);
/* What helps where no model can be used, and the whole text of that; one line each. Callers free.
 */
char *model_registry_no_key_hint(void);
char *model_registry_no_key_text(void);
/* "No API key found for anthropic. Set …". Returns false. */
bool model_registry_fail_key(const Model *model, GError **error);
/* Keyless, or a key resolves. */
bool model_registry_is_available(const ModelRegistry *self, const Model *model, bool is_named);

typedef struct ModelChoice {
    const Model *model; // borrowed from the registry
    bool has_level;
    ThinkingLevel level;
    const char *notice; // what a person must be told of the choice, or NULL; borrowed likewise
    const char *role;   // of model_scope_of_roles(): the one it is of; borrowed from that list
} ModelChoice;

/* `[provider/]id-or-pattern[:level]`, or `kedge/ROLE[:level]` (model_roles.h); `provider` (may be
   NULL) is --provider. NOT_FOUND texts as in agent-core §2.10. */
bool model_registry_select(ModelRegistry *self, const char *selector, const char *provider,
                           ModelChoice *ret_choice, GError **error);

/* The per-provider default among available models, else the first available; NULL when there is
 * none. */
const Model *model_registry_default(const ModelRegistry *self);

typedef struct ModelListOptions {
    const char *pattern; // NULL: all that can be used
    bool has_deprecated; // these too
    const json_t *roles; // model_roles_chosen(), to be shown with their models; NULL: none
    const json_t *tags;  // the setting `modelTags`: what they are called; may be NULL
} ModelListOptions;

/* --list-models: the tables, or the text for an empty list (agent-core §1.8), with the last line
   end. Caller frees. */
char *model_registry_list_text(const ModelRegistry *self, const ModelListOptions *options);
/* The same as a list of objects. New reference. */
json_t *model_registry_list_json(const ModelRegistry *self, const ModelListOptions *options);
