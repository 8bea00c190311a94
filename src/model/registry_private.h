/*
 * What the files of the registry share: its body, and models under construction.
 */
#pragma once

#include "model/catalogue.h"
#include "model/registry.h"

struct ModelRegistry {
    GPtrArray *models;        // of Model, catalogue order
    GPtrArray *unlisted;      // of Model: made by selection, of ids that nobody listed
    GPtrArray *notices;       // of char *: what selections said
    GHashTable *file_keys;    // provider → apiKey of the models file, as written there
    GHashTable *runtime_keys; // provider → key
    char *openai_base_url;    // OPENAI_BASE_URL when that is in effect, else NULL
};

/* With the defaults of a custom model (agent-core §2.9). */
Model *model_new(const char *provider, const char *id, ModelApi api, const char *base_url);
void model_free(Model *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Model, model_free)

/* Puts the models file into `self` (registry_file.c). False: the file is broken and nothing of it
 *is used. ret_warning: what was left out of a usable file, or NULL. */
bool registry_read_file(ModelRegistry *self, const char *path, char **ret_warning, GError **error);

/* Borrowed; NULL when there is none. */
Model *registry_find(const ModelRegistry *self, const char *provider, const char *id);
bool registry_has_provider(const ModelRegistry *self, const char *provider);

/* The characters of `pattern` occur in `text` in that order, in any case. */
bool registry_is_fuzzy_match(const char *text, const char *pattern);
