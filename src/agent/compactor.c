/* See compactor.h. */
#include "agent/compactor.h"

#include "agent/compaction.h"
#include "agent/compaction_plan.h"
#include "agent/prune.h"
#include "agent/transcript.h"
#include "model/message.h"
#include "model/provider.h"

#define ACTION        "context-full"
#define OVERFLOWS_MAX 2
#define FUTILE_MAX    2 // a third would gain as little

void compactor_begin(Compactor *self)
{
    self->overflows = 0;
}

// ---- events ----

static void emit_start(const Compactor *self, const char *reason, bool is_automatic)
{
    const AgentEvents *events = self->conversation->events;
    if (is_automatic) {
        json_t *event = agent_event_new(EVENT_AUTO_COMPACTION_START);
        json_set_text(event, "reason", reason);
        json_set_text(event, "action", ACTION);
        agent_events_emit(events, event);
    }
    json_t *event = agent_event_new(EVENT_COMPACTION_START);
    json_set_text(event, "reason", reason);
    agent_events_emit(events, event);
}

typedef struct CompactionEnd {
    json_t *result; // NULL: there is none
    const GError *problem;
    bool will_retry;
} CompactionEnd;

/* "Auto-compaction failed: …". Caller frees. */
static char *failure_text(const char *reason, const GError *problem)
{
    const char *lead = g_str_equal(reason, "overflow") ? "Context overflow recovery failed"
                                                       : "Auto-compaction failed";
    return g_strdup_printf("%s: %s", lead, problem->message);
}

static void fill_end(json_t *event, const CompactionEnd *end, const char *text)
{
    bool is_aborted = end->problem && error_is(end->problem, KEDGE_ERROR_CANCELLED);
    json_set_take(event, "result", end->result ? json_incref(end->result) : NULL);
    json_set_bool(event, "aborted", is_aborted);
    json_set_bool(event, "willRetry", end->will_retry);
    if (end->problem && !is_aborted)
        json_set_text(event, "errorMessage", text);
}

static void emit_end(const Compactor *self, const char *reason, bool is_automatic,
                     const CompactionEnd *end)
{
    const AgentEvents *events = self->conversation->events;
    g_autofree char *text = end->problem ? is_automatic ? failure_text(reason, end->problem)
                                                        : g_strdup(end->problem->message)
                                         : NULL;
    json_t *event = agent_event_new(EVENT_COMPACTION_END);
    json_set_text(event, "reason", reason);
    fill_end(event, end, text);
    agent_events_emit(events, event);
    if (!is_automatic)
        return;
    json_t *own = agent_event_new(EVENT_AUTO_COMPACTION_END);
    json_set_text(own, "action", ACTION);
    fill_end(own, end, text);
    agent_events_emit(events, own);
}

// ---- compacting ----

static bool compactor_run(Compactor *self, const char *reason, const char *instructions,
                          Cancel *cancel, json_t **ret_result, GError **error)
{
    if (!hook_list_compaction(self->hooks, reason, cancel, error))
        return false;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    if (!setup->model)
        return fail_with(error, KEDGE_ERROR_USAGE, "No model selected");
    const SummaryContext context = summary_context(self->means, self->settings, setup,
                                                   session_id(self->conversation->session));
    return compaction_run(self->conversation, &context, instructions, cancel, ret_result, error);
}

static CompactorOutcome run_automatically(Compactor *self, const char *reason, Cancel *cancel)
{
    bool is_overflow = g_str_equal(reason, "overflow");
    g_autoptr(GError) problem = NULL;
    g_autoptr(json_t) result = NULL;
    emit_start(self, reason, true);
    bool is_done = compactor_run(self, reason, NULL, cancel, &result, &problem);
    const CompactionEnd end = {
        .result = result,
        .problem = problem,
        .will_retry = is_done && is_overflow,
    };
    emit_end(self, reason, true, &end);
    // an answer that has been the reason once is not one again
    conversation_forget_measure(self->conversation);
    if (is_done)
        return COMPACTED;
    bool is_stopped = error_is(problem, KEDGE_ERROR_CANCELLED);
    return is_stopped ? COMPACTION_STOPPED : COMPACTED_NOT;
}

// A summary is a request as well: a run that has stopped at its budget makes none.
static bool is_enabled(const Compactor *self)
{
    const char *strategy = settings_get_text(self->settings, "compaction.strategy");
    g_autofree char *stop_text = budget_stop_text(self->means->budget);
    return !stop_text && settings_get_bool(self->settings, "compaction.enabled") &&
           g_strcmp0(strategy, "off") != 0 &&
           !(self->is_disabled && atomic_load(self->is_disabled));
}

/* What the conversation takes. A server that answers although it counts more than the model's
   window counts something else, a whole session say: our own estimate is used then. */
static int64_t credible_tokens(const Conversation *conversation, const Model *model)
{
    json_t *usage = json_get_object(conversation->measured, "usage");
    if (json_get_int(usage, "totalTokens", 0) <= model->context_window)
        return conversation_tokens(conversation);
    int64_t tokens = 0;
    for (size_t i = 0; i < json_array_size(conversation->messages); i++)
        tokens += transcript_estimate(json_array_get(conversation->messages, i));
    return tokens;
}

bool compactor_hands_off(const Compactor *self)
{
    const char *strategy = settings_get_text(self->settings, "compaction.strategy");
    const Conversation *conversation = self->conversation;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    return g_strcmp0(strategy, "handoff") == 0 && is_enabled(self) && conversation->measured &&
           credible_tokens(conversation, setup->model) >
               compaction_threshold(self->settings, setup->model);
}

bool compactor_is_due_when_idle(const Compactor *self)
{
    const Conversation *conversation = self->conversation;
    int64_t threshold = settings_get_int(self->settings, "compaction.idleThresholdTokens");
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    return settings_get_bool(self->settings, "compaction.idleEnabled") && is_enabled(self) &&
           conversation->measured && credible_tokens(conversation, setup->model) > threshold &&
           compaction_has_work(conversation, self->settings, setup->model);
}

CompactorOutcome compactor_compact_idle(Compactor *self, Cancel *cancel)
{
    return compactor_is_due_when_idle(self) ? run_automatically(self, "idle", cancel)
                                            : COMPACTED_NOT;
}

/* Over the threshold; where compactions did not get below it, only after more has come. */
static bool is_over(Compactor *self, int64_t tokens, int64_t threshold, const Model *model)
{
    if (self->awaits_count) {
        self->futile = tokens > threshold ? self->futile + 1 : 0;
        self->floor_tokens = tokens;
    }
    self->awaits_count = false;
    bool is_futile = self->futile >= FUTILE_MAX;
    return tokens > (is_futile ? self->floor_tokens + model->context_window / 10 : threshold);
}

CompactorOutcome compactor_check(Compactor *self, Cancel *cancel)
{
    Conversation *conversation = self->conversation;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    if (!is_enabled(self) || !conversation->measured || cancel_has_fired(cancel))
        return COMPACTED_NOT;
    int64_t threshold = compaction_threshold(self->settings, setup->model);
    int64_t tokens = credible_tokens(conversation, setup->model);
    if (!is_over(self, tokens, threshold, setup->model) ||
        tokens - prune_tool_output(conversation) <= threshold)
        return COMPACTED_NOT;
    if (fallback_promote(self->fallback, tokens))
        return COMPACTION_SPARED;
    if (!compaction_has_work(conversation, self->settings, setup->model)) {
        conversation_forget_measure(conversation);
        return COMPACTED_NOT;
    }
    CompactorOutcome outcome = run_automatically(self, "threshold", cancel);
    self->awaits_count = outcome == COMPACTED;
    return outcome;
}

bool compactor_recover(Compactor *self, Cancel *cancel)
{
    Conversation *conversation = self->conversation;
    const char *problem = message_error(conversation->last_answer);
    if (!problem || !provider_error_is_overflow(problem) || cancel_has_fired(cancel))
        return false;
    if (fallback_promote(self->fallback, conversation_tokens(conversation))) {
        conversation_forget_answer(conversation);
        return true;
    }
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    if (!is_enabled(self) || self->overflows >= OVERFLOWS_MAX ||
        !compaction_has_work(conversation, self->settings, setup->model))
        return false;
    self->overflows++;
    return run_automatically(self, "overflow", cancel) == COMPACTED;
}

bool compactor_compact(Compactor *self, const char *instructions, Cancel *cancel,
                       json_t **ret_result, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(json_t) result = NULL;
    emit_start(self, "manual", false);
    bool is_done = compactor_run(self, "manual", instructions, cancel, &result, &problem);
    if (!is_done && error_is(problem, KEDGE_ERROR_CANCELLED)) {
        g_clear_error(&problem);
        fail_with(&problem, KEDGE_ERROR_CANCELLED, "Compaction cancelled");
    }
    emit_end(self, "manual", false, &(CompactionEnd) { .result = result, .problem = problem });
    if (!is_done) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return false;
    }
    *ret_result = g_steal_pointer(&result);
    return true;
}
