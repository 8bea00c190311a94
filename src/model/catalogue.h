/*
 * The built-in table of providers and models. Static data.
 */
#pragma once

#include "model/model.h"

typedef struct CatalogueProvider {
    const char *name;
    const char *base_url; // NULL: no models of ours, only the credential's name
    ModelApi api;
    const char *env_names[2]; // of the credential, in order
} CatalogueProvider;

typedef struct CatalogueModel {
    const char *provider;
    const char *id;
    const char *name;
    int64_t context_window;
    int64_t max_tokens;
    ModelCost cost;
    bool accepts_images;
    bool is_reasoning;
    ThinkingMode thinking_mode;
    ThinkingLevel min_thinking, max_thinking; // of reasoning models
    bool is_default;                          // of its provider
} CatalogueModel;

extern const CatalogueProvider catalogue_providers[];
extern const size_t catalogue_provider_count;
extern const CatalogueModel catalogue_models[];
extern const size_t catalogue_model_count;

/* NULL when unknown. */
const CatalogueProvider *catalogue_find_provider(const char *name);
bool catalogue_is_default(const Model *model);
