/*
 * Names of wire formats and thinking levels, and what a model can do of them.
 */
#include "model/model.h"

#define MODEL_ANSWER_TOKENS   32000
#define CUSTOM_CONTEXT_WINDOW 128000
#define CUSTOM_MAX_TOKENS     16384
#define ANSWER_SHARE          4 // of the window, at most 1 / this is for an answer

static const char *const api_names[] = {
    [MODEL_API_ANTHROPIC_MESSAGES] = "anthropic-messages",
    [MODEL_API_OPENAI_COMPLETIONS] = "openai-completions",
    [MODEL_API_OPENAI_RESPONSES] = "openai-responses",
    [MODEL_API_GOOGLE_GENERATIVE_AI] = "google-generative-ai",
    [MODEL_API_AZURE_OPENAI_RESPONSES] = "azure-openai-responses",
    [MODEL_API_GOOGLE_VERTEX] = "google-vertex",
};

static const char *const level_names[] = {
    [THINKING_OFF] = "off",       [THINKING_MINIMAL] = "minimal", [THINKING_LOW] = "low",
    [THINKING_MEDIUM] = "medium", [THINKING_HIGH] = "high",       [THINKING_XHIGH] = "xhigh",
};

const char *model_api_name(ModelApi api)
{
    return api_names[api];
}

bool model_api_parse(const char *name, ModelApi *ret_api)
{
    for (size_t i = 0; i < G_N_ELEMENTS(api_names); i++) {
        if (g_strcmp0(name, api_names[i]) == 0) {
            *ret_api = (ModelApi)i;
            return true;
        }
    }
    return false;
}

ModelApi model_api_wire(ModelApi api)
{
    switch (api) {
    case MODEL_API_AZURE_OPENAI_RESPONSES:
        return MODEL_API_OPENAI_RESPONSES;
    case MODEL_API_GOOGLE_VERTEX:
        return MODEL_API_GOOGLE_GENERATIVE_AI;
    default:
        return api;
    }
}

const char *thinking_level_name(ThinkingLevel level)
{
    return level_names[level];
}

bool thinking_mode_parse(const char *name, ThinkingMode *ret_mode)
{
    static const char *const names[] = {
        [THINKING_MODE_EFFORT] = "effort",
        [THINKING_MODE_BUDGET] = "budget",
        [THINKING_MODE_BUDGET_EFFORT] = "budget+effort",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (g_strcmp0(name, names[i]) == 0) {
            *ret_mode = (ThinkingMode)i;
            return true;
        }
    }
    return false;
}

bool thinking_level_parse(const char *name, ThinkingLevel *ret_level)
{
    for (size_t i = 0; i < G_N_ELEMENTS(level_names); i++) {
        if (g_strcmp0(name, level_names[i]) == 0) {
            *ret_level = (ThinkingLevel)i;
            return true;
        }
    }
    return false;
}

int64_t model_answer_limit(const Model *model)
{
    return model->max_tokens > 0 ? MIN(model->max_tokens, MODEL_ANSWER_TOKENS)
                                 : MODEL_ANSWER_TOKENS;
}

void model_cap_answer(Model *model)
{
    model->max_tokens = MIN(model->max_tokens, MAX(1, model->context_window / ANSWER_SHARE));
}

ThinkingLevel model_clamp_thinking(const Model *model, ThinkingLevel level)
{
    if (!model->is_reasoning || level == THINKING_OFF)
        return THINKING_OFF;
    if (model->thinking_levels == 0)
        return CLAMP(level, model->min_thinking, model->max_thinking);
    for (int lower = (int)level; lower > THINKING_OFF; lower--) {
        if (model->thinking_levels & 1U << lower)
            return (ThinkingLevel)lower;
    }
    while (!(model->thinking_levels & 1U << level))
        level++;
    return level;
}

Model *model_new(const char *provider, const char *id, ModelApi api, const char *base_url)
{
    Model *self = g_new0(Model, 1);
    self->provider = g_strdup(provider);
    self->id = g_strdup(id);
    self->name = g_strdup(id);
    self->api = api;
    self->base_url = g_strdup(base_url);
    self->min_thinking = THINKING_MINIMAL;
    self->max_thinking = THINKING_HIGH;
    self->context_window = CUSTOM_CONTEXT_WINDOW;
    self->max_tokens = CUSTOM_MAX_TOKENS;
    return self;
}

void model_free(Model *self)
{
    if (!self)
        return;
    g_free(self->provider);
    g_free(self->id);
    g_free(self->name);
    g_free(self->base_url);
    g_free(self->successor);
    g_free(self->roomier);
    json_decref(self->headers);
    json_decref(self->compat);
    g_free(self);
}

json_t *model_to_json(const Model *model)
{
    json_t *input = json_array();
    json_append_take(input, json_text("text"));
    if (model->accepts_images)
        json_append_take(input, json_text("image"));
    json_t *cost = json_object();
    json_add(cost, "input:%p output:%p cacheRead:%p cacheWrite:%p", json_real(model->cost.input),
             json_real(model->cost.output), json_real(model->cost.cache_read),
             json_real(model->cost.cache_write));
    json_t *object = json_make("provider:%s id:%s name:%s api:%s baseUrl:%s reasoning:%i "
                               "input:%p cost:%p contextWindow:%jd maxTokens:%jd",
                               model->provider, model->id, model->name, model_api_name(model->api),
                               model->base_url, model->is_reasoning, input, cost,
                               model->context_window, model->max_tokens);
    if (model->is_deprecated)
        json_set_bool(object, "deprecated", true);
    json_set_text(object, "successor", model->successor);
    return object;
}
