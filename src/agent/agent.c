/*
 * The agent object: what it takes over from a session, its queues, and the prompt that drives runs
 * and retries until everything has settled.
 */
#include "agent/agent_private.h"

#include "model/message.h"

static const Settings *agent_settings(const Agent *self)
{
    return tool_context_settings(self->options.context);
}

static json_t *find_last_answer(const json_t *messages)
{
    for (size_t i = json_array_size(messages); i > 0; i--) {
        json_t *message = json_array_get(messages, i - 1);
        if (g_str_equal(message_role(message), "assistant"))
            return json_incref(message);
    }
    return NULL;
}

Agent *agent_new(const AgentOptions *options)
{
    Agent *self = g_new0(Agent, 1);
    self->options = *options;
    pthread_mutex_init(&self->queue_lock, NULL);
    g_queue_init(&self->steering);
    g_queue_init(&self->follow_ups);
    self->has_intent_tracing = settings_get_bool(agent_settings(self), "tools.intentTracing");
    self->tools = turn_describe_tools(options->tools, self->has_intent_tracing);

    g_auto(SessionContext) context = { 0 };
    session_build_context(options->session, &context);
    self->call_ids = call_ids_new();
    self->messages = call_ids_adopt(self->call_ids, context.messages);
    self->last_message = find_last_answer(self->messages);
    return self;
}

static void drop_message(gpointer message)
{
    json_decref(message);
}

void agent_free(Agent *self)
{
    if (!self)
        return;
    g_queue_clear_full(&self->steering, drop_message);
    g_queue_clear_full(&self->follow_ups, drop_message);
    pthread_mutex_destroy(&self->queue_lock);
    json_decref(self->messages);
    call_ids_free(self->call_ids);
    json_decref(self->tools);
    json_decref(self->last_message);
    g_free(self);
}

static void queue_text(Agent *self, GQueue *queue, const char *text)
{
    json_t *message = message_user(text);
    pthread_mutex_lock(&self->queue_lock);
    g_queue_push_tail(queue, message);
    pthread_mutex_unlock(&self->queue_lock);
}

void agent_steer(Agent *self, const char *text)
{
    queue_text(self, &self->steering, text);
}

void agent_follow_up(Agent *self, const char *text)
{
    queue_text(self, &self->follow_ups, text);
}

/* One message or all, as the setting `mode_key` says. */
static json_t *queue_take(Agent *self, GQueue *queue, const char *mode_key)
{
    bool takes_all = g_strcmp0(settings_get_text(agent_settings(self), mode_key), "all") == 0;
    json_t *taken = json_array();
    pthread_mutex_lock(&self->queue_lock);
    while (!g_queue_is_empty(queue) && (takes_all || json_array_size(taken) == 0))
        json_append_take(taken, g_queue_pop_head(queue));
    pthread_mutex_unlock(&self->queue_lock);
    return taken;
}

json_t *agent_take_steering(Agent *self)
{
    return queue_take(self, &self->steering, "steeringMode");
}

json_t *agent_take_follow_ups(Agent *self)
{
    return queue_take(self, &self->follow_ups, "followUpMode");
}

bool agent_has_steering(Agent *self)
{
    pthread_mutex_lock(&self->queue_lock);
    bool has_some = !g_queue_is_empty(&self->steering);
    pthread_mutex_unlock(&self->queue_lock);
    return has_some;
}

bool agent_has_queued(Agent *self)
{
    pthread_mutex_lock(&self->queue_lock);
    bool has_some = !g_queue_is_empty(&self->steering) || !g_queue_is_empty(&self->follow_ups);
    pthread_mutex_unlock(&self->queue_lock);
    return has_some;
}

void agent_return_steering(Agent *self, const json_t *messages)
{
    pthread_mutex_lock(&self->queue_lock);
    for (size_t i = json_array_size(messages); i > 0; i--)
        g_queue_push_head(&self->steering, json_incref(json_array_get(messages, i - 1)));
    pthread_mutex_unlock(&self->queue_lock);
}

void agent_outcome_clear(AgentOutcome *self)
{
    g_clear_pointer(&self->budget_text, g_free);
}

const json_t *agent_last_message(const Agent *self)
{
    return self->last_message;
}

double agent_cost(const Agent *self)
{
    return self->cost;
}

static bool agent_set_running(Agent *self, bool is_running)
{
    pthread_mutex_lock(&self->queue_lock);
    bool was_running = self->is_running;
    self->is_running = is_running;
    pthread_mutex_unlock(&self->queue_lock);
    return was_running;
}

static bool find_credential(Agent *self, GError **error)
{
    const AgentOptions *options = &self->options;
    g_free(self->api_key);
    self->api_key = model_registry_key(options->registry, options->model, options->is_model_named);
    if (self->api_key || options->model->is_keyless)
        return true;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "No API key found for %s. Set its key in the environment or in models.yml, or "
                     "use --api-key.",
                     options->model->provider);
}

/* Runs, and runs again after errors that pass. */
static void run_until_settled(Agent *self, json_t *message, AgentOutcome *ret_outcome)
{
    *ret_outcome = (AgentOutcome) { 0 };
    ret_outcome->end = run_to_end(self, message, &ret_outcome->budget_text);
    while (ret_outcome->end == AGENT_ERROR) {
        RetryDecision decision = retry_wait(self);
        if (decision == RETRY_CANCELLED)
            ret_outcome->end = AGENT_ABORTED;
        if (decision != RETRY_NOW)
            break;
        ret_outcome->end = run_to_end(self, NULL, &ret_outcome->budget_text);
    }
    retry_gave_up(self, ret_outcome->budget_text ? ret_outcome->budget_text
                                                 : message_error(self->last_message));
}

bool agent_prompt(Agent *self, json_t *message, Cancel *cancel, AgentOutcome *ret_outcome,
                  GError **error)
{
    if (agent_set_running(self, true))
        return fail_with(
            error, KEDGE_ERROR_USAGE,
            "Agent is already processing. Use steer() or followUp() to queue messages, "
            "or wait for completion.");
    bool is_sent = find_credential(self, error);
    g_auto(AgentOutcome) outcome = { 0 };
    if (is_sent) {
        self->cancel = cancel;
        run_until_settled(self, message, &outcome);
        self->cancel = NULL;
    }
    g_clear_pointer(&self->api_key, g_free);
    agent_set_running(self, false);

    if (!is_sent)
        return false;
    *ret_outcome = outcome;
    outcome = (AgentOutcome) { 0 };
    return true;
}
