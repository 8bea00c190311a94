/*
 * A model: what a request needs to know about it. Immutable once the registry has made it; models
 * live as long as their registry.
 */
#pragma once

#include "base/json.h"

#include <stdint.h>

typedef enum {
    MODEL_API_ANTHROPIC_MESSAGES,
    MODEL_API_OPENAI_COMPLETIONS,
    MODEL_API_OPENAI_RESPONSES,
    MODEL_API_GOOGLE_GENERATIVE_AI,
    // the last two at other addresses, with other headers
    MODEL_API_AZURE_OPENAI_RESPONSES,
    MODEL_API_GOOGLE_VERTEX,
} ModelApi;

typedef enum {
    THINKING_OFF,
    THINKING_MINIMAL,
    THINKING_LOW,
    THINKING_MEDIUM,
    THINKING_HIGH,
    THINKING_XHIGH,
} ThinkingLevel;

typedef enum {
    THINKING_MODE_EFFORT,        // a word: reasoning_effort, or adaptive thinking on Anthropic
    THINKING_MODE_BUDGET,        // a number of tokens
    THINKING_MODE_BUDGET_EFFORT, // both
} ThinkingMode;

typedef struct ModelCost { // US dollars per million tokens
    double input, output, cache_read, cache_write;
} ModelCost;

typedef struct Model {
    char *provider; // "anthropic"
    char *id;       // "claude-sonnet-4-5"
    char *name;     // "Claude Sonnet 4.5"
    ModelApi api;
    char *base_url;
    bool is_reasoning;
    ThinkingMode thinking_mode;
    ThinkingLevel min_thinking, max_thinking;
    unsigned thinking_levels; // bits 1 << ThinkingLevel; 0: all from min to max
    bool accepts_images;
    int64_t context_window; // tokens
    int64_t max_tokens;     // of one answer
    ModelCost cost;
    json_t *headers;      // object of extra headers, or NULL
    json_t *compat;       // object of compat flags (agent-core §2.5), or NULL
    bool is_keyless;      // auth: none
    bool has_bearer_auth; // authHeader: true
    bool is_deprecated;   // by its maker: found by its exact id only
    char *successor;      // the id that its maker names instead, or NULL
    char *roomier;        // provider/id, or an id of the same provider: what takes a conversation
                          // over that is too long for it (contextPromotionTarget); or NULL
} Model;

const char *model_api_name(ModelApi api);
bool model_api_parse(const char *name, ModelApi *ret_api);
/* The wire format that `api` uses, which is one of the first four. */
ModelApi model_api_wire(ModelApi api);

/* "effort", "budget", "budget+effort"; false for other words, which leave *ret_mode as it is. */
bool thinking_mode_parse(const char *name, ThinkingMode *ret_mode);
const char *thinking_level_name(ThinkingLevel level);
bool thinking_level_parse(const char *name, ThinkingLevel *ret_level);
/* The tokens that one answer may have when nothing else is asked for. */
int64_t model_answer_limit(const Model *model);
/* For a window that somebody gave without a limit of answers: most of it is left for the question,
   which a server would refuse otherwise. */
void model_cap_answer(Model *model);
/* Clamped to what the model can do (agent-core §2.10). */
ThinkingLevel model_clamp_thinking(const Model *model, ThinkingLevel level);

/* For people and clients: what is known of it. New reference. */
json_t *model_to_json(const Model *model);

/* With the defaults of a custom model (agent-core §2.9). */
Model *model_new(const char *provider, const char *id, ModelApi api, const char *base_url);
void model_free(Model *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Model, model_free)
