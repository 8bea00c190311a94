/*
 * Auto-retry (agent-core §3.7): errors that pass are waited out and the request is made again,
 * without the failed answer. The session keeps that answer.
 */
#include "agent/retry.h"

#include "model/message.h"
#include "model/provider.h"

#define RETRY_MAX_DOUBLINGS 20 // keeps the delay within 64 bits whatever the settings say

static void emit_start(const Retry *self, int64_t max_attempts, int64_t delay_ms,
                       const char *problem)
{
    json_t *event = agent_event_new(EVENT_AUTO_RETRY_START);
    json_add(event, "attempt:%d maxAttempts:%jd delayMs:%jd errorMessage:%s", self->attempt,
             max_attempts, delay_ms, problem);
    agent_events_emit(self->conversation->events, event);
}

static void emit_end(Retry *self, const char *final_error)
{
    json_t *event = agent_event_new(EVENT_AUTO_RETRY_END);
    json_add(event, "success:%i attempt:%d finalError:%s", final_error == NULL, self->attempt,
             final_error);
    agent_events_emit(self->conversation->events, event);
    self->attempt = 0;
}

void retry_succeeded(Retry *self)
{
    if (self->attempt > 0)
        emit_end(self, NULL);
}

void retry_gave_up(Retry *self, const char *final_error)
{
    if (self->attempt > 0)
        emit_end(self, final_error ? final_error : "Request failed");
}

int64_t retry_max_wait_ms(const Settings *settings)
{
    int64_t seconds = settings_get_int(settings, "retry.maxWait");
    return CLAMP(seconds, 0, INT32_MAX) * 1000;
}

int64_t retry_max_silence_ms(const Settings *settings)
{
    int64_t seconds = CLAMP(settings_get_int(settings, "retry.maxSilence"), 0, INT32_MAX);
    return seconds > 0 ? seconds * 1000 : -1;
}

static int64_t delay_of_attempt(const Retry *self, const char *problem)
{
    int64_t base_ms = settings_get_int(self->settings, "retry.baseDelayMs");
    base_ms = CLAMP(base_ms, 0, INT32_MAX);
    int64_t delay_ms = base_ms << MIN(self->attempt - 1, RETRY_MAX_DOUBLINGS);
    return MAX(delay_ms, provider_error_retry_after_ms(problem));
}

static bool has_attempts(const Retry *self)
{
    return run_controls_retries(self->controls) &&
           self->attempt < settings_get_int(self->settings, "retry.maxRetries");
}

bool retry_may_attempt(const Retry *self)
{
    const char *problem = message_error(self->conversation->last_answer);
    return problem && has_attempts(self) && !provider_error_is_overflow(problem) &&
           provider_error_is_retryable(problem);
}

RetryDecision retry_wait(Retry *self, bool has_other_way, Cancel *cancel)
{
    const Settings *settings = self->settings;
    // the next answer replaces the last message while this text is still wanted
    g_autofree char *problem = g_strdup(message_error(self->conversation->last_answer));
    bool is_worth_it = has_other_way ? has_attempts(self) : retry_may_attempt(self);
    if (!is_worth_it ||
        (!has_other_way && provider_error_retry_after_ms(problem) > retry_max_wait_ms(settings)))
        return RETRY_NO;

    int64_t max_attempts = settings_get_int(settings, "retry.maxRetries");
    self->attempt++;
    int64_t delay_ms = has_other_way ? 0 : delay_of_attempt(self, problem);
    run_controls_begin_wait(self->controls, cancel);
    emit_start(self, max_attempts, delay_ms, problem);
    conversation_forget_answer(self->conversation);
    if (!run_controls_wait(self->controls, delay_ms)) {
        emit_end(self, "Retry cancelled");
        return RETRY_CANCELLED;
    }
    return RETRY_NOW;
}
