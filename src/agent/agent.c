/*
 * The agent object: what it takes over from a session, and the prompt that drives runs and retries
 * until everything has settled.
 */
#include "agent/agent.h"

#include "model/message.h"

#include <stdatomic.h>

struct Agent {
    AgentOptions options;
    Conversation conversation;
    Retry retry;
    atomic_bool is_running;
};

Agent *agent_new(const AgentOptions *options)
{
    Agent *self = g_new0(Agent, 1);
    self->options = *options;
    conversation_init(&self->conversation, options->session, &self->options.events);
    self->retry = (Retry) {
        .conversation = &self->conversation,
        .settings = tool_context_settings(options->context),
        .controls = options->controls,
    };
    return self;
}

void agent_free(Agent *self)
{
    if (!self)
        return;
    conversation_clear(&self->conversation);
    g_free(self);
}

void agent_outcome_clear(AgentOutcome *self)
{
    g_clear_pointer(&self->budget_text, g_free);
}

const json_t *agent_messages(const Agent *self)
{
    return self->conversation.messages;
}

const json_t *agent_last_message(const Agent *self)
{
    return self->conversation.last_answer;
}

static bool has_credential(Agent *self, GError **error)
{
    g_autoptr(TurnSetup) setup = setup_slot_get(self->options.setup);
    if (model_registry_is_available(self->options.registry, setup->model, setup->is_model_named))
        return true;
    g_autofree char *hint = model_registry_key_hint(setup->model);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No API key found for %s. %s",
                     setup->model->provider, hint);
}

/* The last answer failed for a limit of the key's account, and there is another key. */
static bool has_other_key(Agent *self)
{
    g_autoptr(TurnSetup) setup = setup_slot_get(self->options.setup);
    const char *problem = message_error(self->conversation.last_answer);
    return problem && model_registry_key_limited(self->options.registry, setup->model, problem);
}

/* Runs, and runs again after errors that pass. */
static void run_until_settled(Agent *self, json_t *message, Cancel *cancel,
                              AgentOutcome *ret_outcome)
{
    const AgentOptions *options = &self->options;
    const RunSpec spec = {
        .conversation = &self->conversation,
        .setup = options->setup,
        .steering = options->steering,
        .follow_ups = options->follow_ups,
        .budget = options->budget,
        .retry = &self->retry,
        .controls = options->controls,
        .context = options->context,
        .door = options->door,
        .http = options->http,
        .registry = options->registry,
        .cancel = cancel,
    };
    *ret_outcome = (AgentOutcome) { 0 };
    ret_outcome->end = run_to_end(&spec, message, &ret_outcome->budget_text);
    while (ret_outcome->end == AGENT_ERROR) {
        RetryDecision decision = retry_wait(&self->retry, has_other_key(self), cancel);
        if (decision == RETRY_CANCELLED)
            ret_outcome->end = AGENT_ABORTED;
        if (decision != RETRY_NOW)
            break;
        ret_outcome->end = run_to_end(&spec, NULL, &ret_outcome->budget_text);
    }
    retry_gave_up(&self->retry, ret_outcome->budget_text
                                    ? ret_outcome->budget_text
                                    : message_error(self->conversation.last_answer));
}

void agent_add_message(Agent *self, json_t *message)
{
    conversation_add_whole(&self->conversation, message);
}

bool agent_prompt(Agent *self, json_t *message, Cancel *cancel, AgentOutcome *ret_outcome,
                  GError **error)
{
    if (atomic_exchange(&self->is_running, true))
        return fail_with(
            error, KEDGE_ERROR_USAGE,
            "Agent is already processing. Use steer() or followUp() to queue messages, "
            "or wait for completion.");
    bool is_sent = has_credential(self, error);
    if (is_sent)
        run_until_settled(self, message, cancel, ret_outcome);
    atomic_store(&self->is_running, false);
    return is_sent;
}
