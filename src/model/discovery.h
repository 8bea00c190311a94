/*
 * What a server says it has: models of Ollama, LM Studio, llama.cpp, vLLM and whoever lists them as
 * OpenAI does (agent-core §2.9). Private to this room.
 *
 * Blocks for as long as a local server may take: a list 250 ms, a model's details 150 ms, all of it
 * two seconds; or as KEDGE_DISCOVERY_TIMEOUT_MS says.
 */
#pragma once

#include "model/model.h"

typedef struct Discovery {
    char *provider;
    char *type;     // "ollama", "llama.cpp"; others are asked as OpenAI's servers are
    char *base_url; // of the compatible API, with its /v1
    json_t *config; // the provider's entry of the models file, or NULL
} Discovery;

/* Who is asked without being named: servers that people run on their own machine. NULL-terminated.
 */
extern const char *const discovery_local_providers[];
/* Where one of them is, as the environment says or as usual; NULL for others. Borrowed. */
const char *discovery_local_url(const char *provider);

/* `base_url` without a path gets /v1. `config` may be NULL. */
Discovery *discovery_new(const char *provider, const char *type, const char *base_url,
                         json_t *config);
void discovery_free(Discovery *self);

/* Appends what there is to `models`, with the defaults of custom models where the server is silent.
   `api_key` may be NULL. */
bool discovery_run(const Discovery *self, const char *api_key, GPtrArray *models, GError **error);
