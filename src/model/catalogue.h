/*
 * The built-in table of providers and models. Static data: models.tsv, which tools/gen-models makes
 * of published facts, and deprecated.tsv are part of the program.
 */
#pragma once

#include "model/model.h"

typedef struct CatalogueProvider {
    const char *name;
    const char *base_url;     // NULL: no models of ours, only the credential's name
    ModelApi api;             // at base_url
    const char *env_names[2]; // of the credential, in order
    const char *default_id;   // the model to begin with; NULL with base_url
} CatalogueProvider;

typedef struct CatalogueModel { // texts are static
    const char *id;
    const char *name;
    int64_t context_window;
    int64_t max_tokens;
    ModelCost cost;
    bool accepts_images;
    bool is_reasoning;
    ThinkingMode thinking_mode;
    unsigned thinking_levels; // as in Model
    const char *compat;       // JSON text; "": none
    const char *successor;    // of a deprecated one, "-" when none is known; "": not deprecated
} CatalogueModel;

extern const CatalogueProvider catalogue_providers[];
extern const size_t catalogue_provider_count;

typedef struct CatalogueRows { // of one provider
    const char *provider;
    const char *text; // the fields, each with its NUL; catalogue_next() reads them
} CatalogueRows;

extern const CatalogueRows catalogue_rows[]; // the last one's provider is NULL

/* The models of a provider in order: begin with *position NULL; false behind the last one, and for
   a provider without models. */
bool catalogue_next(const char *provider, const char **position, CatalogueModel *ret_model);

/* NULL when unknown. */
const CatalogueProvider *catalogue_find_provider(const char *name);
/* What a provider with a base URL speaks at `base_url`, which may be NULL for its own: servers that
   take the place of OpenAI, and Google's compatible API, have chat completions. */
ModelApi catalogue_api(const CatalogueProvider *provider, const char *base_url);
bool catalogue_is_default(const Model *model);
