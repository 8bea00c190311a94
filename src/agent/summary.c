/* See summary.h. */
#include "agent/summary.h"

#include "agent/fallback_chain.h"
#include "base/utf8.h"
#include "model/message.h"
#include "model/model_roles.h"
#include "model/provider.h"
#include "tool/images.h"

#include <inttypes.h>

#define MODELS_MAX       4
#define WAIT_MAX_MS      30000 // a longer wait moves to the next model
#define BYTES_PER_TOKEN  3     // fewer than texts have on average, so that it fits
#define TRANSCRIPT_LEAST 4000  // bytes that are sent whatever the reserve says
#define DOUBLINGS_MAX    10
#define ESCAPED_GROWTH   2 // a text in JSON, at most, as texts are

static const char summary_system[] =
    "You write summaries of conversations between a person and a coding agent, so that another "
    "model can go on with the work. You do not go on with it yourself and you answer none of its "
    "questions: you write the summary and nothing else.";

// ---- which models ----

static void add_model(GPtrArray *models, const Model *model)
{
    if (model && models->len < MODELS_MAX && !g_ptr_array_find(models, model, NULL))
        g_ptr_array_add(models, (gpointer)model);
}

/* Those that come after it when it fails. */
static void add_chain(GPtrArray *models, const SummaryContext *context, const char *role)
{
    const json_t *chain = fallback_chain_of(context->settings, role);
    json_each (chain, i, item) {
        ThinkingLevel unused;
        add_model(models, fallback_chain_find(context->registry, json_string_value(item), &unused));
    }
}

static const Model *largest_model(const SummaryContext *context)
{
    const Model *largest = NULL;
    size_t count = 0;
    const Model *const *all = model_registry_all(context->registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (!all[i]->is_deprecated &&
            (!largest || all[i]->context_window > largest->context_window) &&
            model_registry_is_available(context->registry, all[i], false))
            largest = all[i];
    }
    return largest;
}

static GPtrArray *models_to_ask(const SummaryContext *context, const SummaryRequest *request)
{
    static const char *const roles[] = { MODEL_ROLE_DEFAULT, MODEL_ROLE_SMOL, MODEL_ROLE_SLOW };
    GPtrArray *models = g_ptr_array_new();
    ModelChoice chosen = { 0 };
    if (request->model) {
        add_model(models, request->model);
        return models;
    }
    if (request->role &&
        model_role_choose(context->registry, request->role, context->model, &chosen))
        add_model(models, chosen.model);
    if (request->role && !request->is_single)
        add_chain(models, context, request->role);
    add_model(models, context->model);
    if (request->is_single) {
        g_ptr_array_set_size(models, 1);
        return models;
    }
    add_chain(models, context,
              context->role
                  ? context->role
                  : fallback_chain_role(context->settings, context->registry, context->model));
    for (size_t i = 0; i < G_N_ELEMENTS(roles); i++) {
        ModelChoice choice = { 0 };
        if (model_role_configured(context->registry, roles[i], &choice, NULL))
            add_model(models, choice.model);
    }
    const Model *largest = largest_model(context);
    if (largest && largest->context_window > context->model->context_window)
        add_model(models, largest);
    return models;
}

// ---- one request ----

/* The newest part of the transcript that has room. Caller frees. */
static char *build_prompt(const SummaryContext *context, const SummaryRequest *request,
                          const Model *model)
{
    if (!request->transcript)
        return g_strdup(request->instruction);
    int64_t window = model->context_window;
    int64_t tokens = window - MIN(request->reserve_tokens, window / 2);
    size_t max_bytes = (size_t)MAX(tokens * BYTES_PER_TOKEN, TRANSCRIPT_LEAST);
    if (context->max_bytes > 0)
        max_bytes = MIN(max_bytes, context->max_bytes / ESCAPED_GROWTH);
    const char *text = request->transcript;
    size_t size = strlen(text);
    g_autofree char *note = NULL;
    if (size > max_bytes) {
        size_t from = utf8_boundary_after(text, size, size - max_bytes);
        note = g_strdup_printf("[... %zu earlier bytes left out]\n\n", from);
        text += from;
    }
    const char *tag = request->tag ? request->tag : "conversation";
    return g_strdup_printf("<%s>\n%s%s\n</%s>\n\n%s", tag, note ? note : "", text, tag,
                           request->instruction);
}

static json_t *make_message(const char *prompt, json_t *image)
{
    if (!image)
        return message_user(prompt);
    json_t *content = json_array();
    json_append_take(content, message_text_block(prompt));
    json_array_append(content, image);
    return message_user_blocks(content);
}

static json_t *request_answer(const SummaryContext *context, const SummaryRequest *request,
                              const Model *model, Cancel *cancel)
{
    bool is_named = context->is_model_named && model == context->model;
    g_autofree char *api_key = model_registry_key(context->registry, model, is_named);
    g_autofree char *key_source = model_registry_key_source(context->registry, model);
    g_autofree char *prompt = build_prompt(context, request, model);
    g_autoptr(json_t) messages = json_array();
    json_append_take(messages, make_message(prompt, request->image));
    const char *const system_blocks[] = { request->system ? request->system : summary_system,
                                          NULL };
    const ProviderRequest wire = {
        .model = model,
        .api_key = api_key,
        .key_source = key_source,
        .system_blocks = system_blocks,
        .messages = messages,
        .thinking = model_clamp_thinking(model, THINKING_OFF),
        .max_tokens =
            MIN(request->max_tokens, MIN(model_answer_limit(model), model->context_window / 4)),
        .session_id = context->session_id,
        .max_retry_wait_ms = WAIT_MAX_MS,
        .blocks_images = images_are_blocked(context->settings),
    };
    json_t *answer = provider_stream(context->http, &wire, cancel, NULL, NULL);
    if (context->budget)
        budget_spend(context->budget,
                     json_get_number(json_get_path(answer, "usage.cost"), "total", 0));
    usage_notes_add(context->usages, request->purpose ? request->purpose : "summary", answer);
    return answer;
}

/* True: wait that long and ask again. */
static bool is_worth_waiting(const SummaryContext *context, const char *problem, int64_t attempt,
                             int64_t *ret_delay_ms)
{
    if (!settings_get_bool(context->settings, "retry.enabled") ||
        provider_error_is_overflow(problem) || !provider_error_is_retryable(problem) ||
        attempt > settings_get_int(context->settings, "retry.maxRetries"))
        return false;
    int64_t base_ms = settings_get_int(context->settings, "retry.baseDelayMs");
    *ret_delay_ms = CLAMP(base_ms, 0, WAIT_MAX_MS) << MIN(attempt - 1, DOUBLINGS_MAX);
    *ret_delay_ms = MAX(*ret_delay_ms, provider_error_retry_after_ms(problem));
    return *ret_delay_ms <= WAIT_MAX_MS;
}

/* All attempts with one model. */
static bool ask_model(const SummaryContext *context, const SummaryRequest *request,
                      const Model *model, Cancel *cancel, char **ret_text, GError **error)
{
    for (int64_t attempt = 1;; attempt++) {
        g_autoptr(json_t) answer = request_answer(context, request, model, cancel);
        if (cancel_has_fired(cancel))
            return fail_with(error, KEDGE_ERROR_CANCELLED, "cancelled");
        g_autofree char *text = message_text(answer);
        const char *problem = message_error(answer);
        if (!g_str_equal(message_stop_reason(answer), "error") && !utf8_is_blank(text)) {
            *ret_text = utf8_trim(text);
            return true;
        }
        int64_t delay_ms = 0;
        if (!problem)
            return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s/%s: the model gave an empty answer",
                             model->provider, model->id);
        if (request->is_single || !is_worth_waiting(context, problem, attempt, &delay_ms))
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s/%s: %s", model->provider, model->id,
                             problem);
        if (!cancel_sleep(cancel, delay_ms, error))
            return false;
    }
}

SummaryContext summary_context(const SummaryMeans *means, const Settings *settings,
                               const TurnSetup *setup, const char *session_id)
{
    return (SummaryContext) {
        .http = means->http,
        .registry = means->registry,
        .settings = settings,
        .model = setup->model,
        .is_model_named = setup->is_model_named,
        .budget = means->budget,
        .usages = means->usages,
        .session_id = session_id,
    };
}

char *summary_instruction(const char *instruction, const char *focus)
{
    if (!focus || !*focus)
        return g_strdup(instruction);
    return g_strdup_printf("%s\n\nAdditional focus: %s", instruction, focus);
}

bool summary_ask(const SummaryContext *context, const SummaryRequest *request, Cancel *cancel,
                 char **ret_text, GError **error)
{
    g_autoptr(GPtrArray) models = models_to_ask(context, request);
    g_autoptr(GError) problem = NULL;
    for (unsigned i = 0; i < models->len; i++) {
        g_clear_error(&problem);
        if (ask_model(context, request, models->pdata[i], cancel, ret_text, &problem))
            return true;
        if (error_is(problem, KEDGE_ERROR_CANCELLED))
            break;
    }
    return pass_error(error, &problem);
}
