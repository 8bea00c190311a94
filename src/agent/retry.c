/*
 * Auto-retry (agent-core §3.7): errors that pass are waited out and the request is made again,
 * without the failed answer. The session keeps that answer.
 */
#include "agent/agent_private.h"

#include "model/message.h"
#include "model/provider.h"

#define RETRY_MAX_DOUBLINGS 20 // keeps the delay within 64 bits whatever the settings say

static const Settings *settings_of(const Agent *agent)
{
    return tool_context_settings(agent->options.context);
}

static void emit_start(Agent *agent, int64_t max_attempts, int64_t delay_ms, const char *problem)
{
    json_t *event = agent_event_new("auto_retry_start");
    json_set_int(event, "attempt", agent->retry_attempt);
    json_set_int(event, "maxAttempts", max_attempts);
    json_set_int(event, "delayMs", delay_ms);
    json_set_text(event, "errorMessage", problem);
    agent_emit(agent, event);
}

static void emit_end(Agent *agent, const char *final_error)
{
    json_t *event = agent_event_new("auto_retry_end");
    json_set_bool(event, "success", final_error == NULL);
    json_set_int(event, "attempt", agent->retry_attempt);
    json_set_text(event, "finalError", final_error);
    agent_emit(agent, event);
    agent->retry_attempt = 0;
}

void retry_succeeded(Agent *agent)
{
    if (agent->retry_attempt > 0)
        emit_end(agent, NULL);
}

void retry_gave_up(Agent *agent, const char *final_error)
{
    if (agent->retry_attempt > 0)
        emit_end(agent, final_error ? final_error : "Request failed");
}

static int64_t delay_of_attempt(const Agent *agent, int attempt, const char *problem)
{
    int64_t base_ms = settings_get_int(settings_of(agent), "retry.baseDelayMs");
    base_ms = CLAMP(base_ms, 0, INT32_MAX);
    int64_t delay_ms = base_ms << MIN(attempt - 1, RETRY_MAX_DOUBLINGS);
    return MAX(delay_ms, provider_error_retry_after_ms(problem));
}

/* The failed answer, and the results its calls got, are not sent again. */
static void forget_failed_answer(Agent *agent)
{
    while (json_array_size(agent->messages) > agent->response_index)
        json_array_remove(agent->messages, json_array_size(agent->messages) - 1);
}

RetryDecision retry_wait(Agent *agent)
{
    const Settings *settings = settings_of(agent);
    // the next answer replaces the last message while this text is still wanted
    g_autofree char *problem = g_strdup(message_error(agent->last_message));
    if (!problem || !settings_get_bool(settings, "retry.enabled") ||
        provider_error_is_overflow(problem) || !provider_error_is_retryable(problem))
        return RETRY_NO;

    int64_t max_attempts = settings_get_int(settings, "retry.maxRetries");
    if (agent->retry_attempt >= max_attempts)
        return RETRY_NO;
    agent->retry_attempt++;
    int64_t delay_ms = delay_of_attempt(agent, agent->retry_attempt, problem);
    emit_start(agent, max_attempts, delay_ms, problem);
    forget_failed_answer(agent);
    if (!cancel_sleep(agent->cancel, delay_ms, NULL)) {
        emit_end(agent, "Retry cancelled");
        return RETRY_CANCELLED;
    }
    return RETRY_NOW;
}
