/*
 * The agent object: what it takes over from a session, and the prompt that drives runs and retries
 * until everything has settled.
 */
#include "agent/agent.h"

#include "agent/plan_words.h"
#include "agent/text_loop.h"

#include "base/timefmt.h"
#include "model/message.h"

#include <stdatomic.h>

struct Agent {
    AgentOptions options;
    Conversation conversation;
    Retry retry;
    Fallback fallback;
    Compactor compactor;
    Healer healer;
    SentWith sent;
    StreamRules *rules; // NULL: none
    bool has_looked_for_rules;
    int64_t reminders;         // since the last prompt
    int continuations;         // the same
    bool has_reminded_of_plan; // the same
    bool has_repeated;         // the same: an answer that repeated itself was asked for again
    size_t resumed_at;         // in the messages, the newest continuation
    atomic_bool is_running;
};

Agent *agent_new(const AgentOptions *options)
{
    Agent *self = g_new0(Agent, 1);
    self->options = *options;
    conversation_init(&self->conversation, options->session, &self->options.events);
    self->retry = (Retry) {
        .conversation = &self->conversation,
        .controls = options->controls,
    };
    self->healer = (Healer) { .conversation = &self->conversation };
    self->fallback = (Fallback) {
        .conversation = &self->conversation,
        .registry = options->means.registry,
        .setup = options->setup,
    };
    self->compactor = (Compactor) {
        .conversation = &self->conversation,
        .setup = options->setup,
        .fallback = &self->fallback,
        .means = &self->options.means,
        .hooks = tool_context_hooks(options->context),
        .is_disabled = options->is_compaction_disabled,
    };
    agent_take_settings(self);
    return self;
}

void agent_take_settings(Agent *self)
{
    const Settings *settings = tool_context_settings(self->options.context);
    self->retry.settings = settings;
    self->fallback.settings = settings;
    self->compactor.settings = settings;
}

void agent_free(Agent *self)
{
    if (!self)
        return;
    healer_begin(&self->healer);
    stream_rules_free(self->rules);
    g_free(self->sent.api_key);
    fallback_clear(&self->fallback);
    conversation_clear(&self->conversation);
    g_free(self);
}

void agent_outcome_clear(AgentOutcome *self)
{
    g_clear_pointer(&self->budget_text, g_free);
}

const json_t *agent_messages(Agent *self)
{
    conversation_fill(&self->conversation);
    return self->conversation.messages;
}

bool agent_has_messages(const Agent *self)
{
    return !self->conversation.is_waiting;
}

int64_t agent_context_tokens(const Agent *self)
{
    const Conversation *conversation = &self->conversation;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->options.setup);
    bool is_known =
        conversation->measured &&
        (!conversation->is_waiting || conversation_counted_tokens(conversation, setup->model) > 0);
    return is_known ? conversation_tokens(conversation, setup->model) : -1;
}

size_t agent_max_request_bytes(const Agent *self, const Model *model)
{
    return server_facts_max_bytes(self->conversation.servers, model);
}

const json_t *agent_last_message(const Agent *self)
{
    return self->conversation.last_answer;
}

bool agent_has_credential(const Agent *self, GError **error)
{
    g_autoptr(TurnSetup) setup = setup_slot_get(self->options.setup);
    if (model_registry_is_available(self->options.means.registry, setup->model,
                                    setup->is_model_named))
        return true;
    return model_registry_fail_key(setup->model, error);
}

/* Another key is used where this one was at fault. A person is told when that is none of those that
   are stored: their account pays, and the stored ones are of no use. */
static bool has_other_key(const Agent *self, const char *problem)
{
    const SentWith *sent = &self->sent;
    const ModelRegistry *registry = self->options.means.registry;
    if (!sent->model)
        return false;
    const char *provider = sent->model->provider;
    g_autofree char *before = model_registry_provider_source(registry, provider);
    if (!model_registry_key_failed(registry, provider, sent->api_key, problem))
        return false;
    g_autofree char *now = model_registry_provider_source(registry, provider);
    if (g_strcmp0(before, now) != 0) {
        g_autofree char *text =
            g_strdup_printf("%s refused the stored key; in use now: %s. `kedge logout %s` "
                            "removes what is stored.",
                            provider, now, provider);
        agent_events_emit_notice(self->conversation.events, "warning", text);
    }
    return true;
}

/* The last answer failed, and something else can be tried at once: another key where it was this
   one's fault, or a fallback model. */
static bool has_other_way(Agent *self)
{
    const char *problem = message_error(self->conversation.last_answer);
    if (!problem || !run_controls_retries(self->options.controls))
        return false;
    return has_other_key(self, problem) ||
           (retry_may_attempt(&self->retry) && fallback_apply(&self->fallback, problem));
}

#define RECOVERY_PAUSE_MS 100
#define CONTINUATIONS_MAX 2 // of one prompt

#define CONTINUE_TEXT                                                                              \
    "Your last answer was cut off because the context was full; the conversation has been "        \
    "summarised since. Go on where you stopped."
#define CONTINUE_IN_MORE_ROOM                                                                      \
    "The last answer was cut off because the context was full; there is more room now. Go on "     \
    "where it stopped."

/* An overflow: what is old makes room, or another model has it, and the request is made again.
 * False: the error stands. */
static bool agent_recover(Agent *self, Cancel *cancel)
{
    return compactor_recover(&self->compactor, self->sent.model, cancel) &&
           cancel_sleep(cancel, RECOVERY_PAUSE_MS, NULL);
}

/* The last answer repeated itself over and over: it is asked for once more. */
static bool ask_anew(Agent *self)
{
    const char *problem = message_error(self->conversation.last_answer);
    if (self->has_repeated || g_strcmp0(problem, TEXT_LOOP_PROBLEM) != 0)
        return false;
    self->has_repeated = true;
    json_t *event = agent_event_new(EVENT_NOTICE);
    json_add(event, "level:%s message:%s limit:%p", "warning", problem,
             json_pack("{s:s}", "which", "loop"));
    agent_events_emit(&self->options.events, event);
    conversation_drop_answer(&self->conversation);
    return true;
}

/* What the run is to go on with after an error: `end` is told when nothing is. */
static bool may_try_again(Agent *self, Cancel *cancel, AgentEnd *end)
{
    if (ask_anew(self) || agent_recover(self, cancel) ||
        (!cancel_has_fired(cancel) && healer_try(&self->healer, self->sent.model)))
        return true;
    RetryDecision decision = cancel_has_fired(cancel)
                                 ? RETRY_CANCELLED
                                 : retry_wait(&self->retry, has_other_way(self), cancel);
    if (decision == RETRY_CANCELLED)
        *end = AGENT_ABORTED;
    return decision == RETRY_NOW;
}

/* The last answer is the first one after a compaction whose work was to be gone on with. */
static bool is_first_since_resumed(const Agent *self)
{
    return self->continuations > 0 && self->conversation.answer_index == self->resumed_at + 1;
}

/* After a run that ended well: an answer that had no room left is to be gone on with. NULL: it was
   whole, or there would never be room enough. */
static json_t *agent_continuation(Agent *self, Cancel *cancel)
{
    const json_t *answer = self->conversation.last_answer;
    bool was_cut = answer && g_str_equal(message_stop_reason(answer), "length");
    bool is_hopeless = self->continuations >= CONTINUATIONS_MAX || is_first_since_resumed(self);
    if (!was_cut && compactor_hands_off(&self->compactor))
        return NULL; // when all has settled
    CompactorOutcome outcome = compactor_check(&self->compactor, cancel);
    bool has_room = outcome == COMPACTED || outcome == COMPACTION_SPARED;
    if (!has_room || !was_cut || is_hopeless ||
        !settings_get_bool(self->compactor.settings, "compaction.autoContinue"))
        return NULL;
    self->continuations++;
    self->resumed_at = json_array_size(self->conversation.messages);
    return message_developer(outcome == COMPACTED ? CONTINUE_TEXT : CONTINUE_IN_MORE_ROOM);
}

static void emit_reminder(const Agent *self, json_t *todos, int64_t max_reminders)
{
    json_t *event = agent_event_new(EVENT_TODO_REMINDER);
    json_add(event, "todos:%p attempt:%jd maxAttempts:%jd", json_incref(todos), self->reminders,
             max_reminders);
    agent_events_emit(&self->options.events, event);
}

/* The same for a todo list with open items (agent-core §3.10). */
static json_t *agent_reminder(Agent *self)
{
    const Settings *settings = self->compactor.settings;
    int64_t max_reminders = settings_get_int(settings, "todo.reminders.max");
    if (!settings_get_bool(settings, "todo.enabled") ||
        !settings_get_bool(settings, "todo.reminders.enabled") || self->reminders >= max_reminders)
        return NULL;
    g_autoptr(json_t) phases = todo_list_phases(tool_context_todos(self->options.context));
    g_autoptr(json_t) todos = todo_open_tasks(phases);
    if (json_array_size(todos) == 0)
        return NULL;
    self->reminders++;
    emit_reminder(self, todos, max_reminders);
    g_autofree char *text = todo_reminder(phases, self->reminders, max_reminders);
    return message_developer(text);
}

/* The same in plan mode, once, for a model that has neither asked nor handed its plan in. */
static json_t *plan_reminder(Agent *self)
{
    PlanMode *mode = self->options.parts.plan_mode;
    if (self->has_reminded_of_plan || !plan_mode_can_approve(mode) || plan_mode_has_word(mode) ||
        plan_words_is_question(self->conversation.last_answer))
        return NULL;
    self->has_reminded_of_plan = true;
    return plan_words_reminder(mode);
}

/* What a run that ended well is gone on with; NULL: nothing. New reference. */
static json_t *next_message(Agent *self, Cancel *cancel)
{
    if (plan_mode_is_settled(self->options.parts.plan_mode))
        return NULL;
    json_t *message = agent_continuation(self, cancel);
    if (message || cancel_has_fired(cancel))
        return message;
    return plan_mode_is_on(self->options.parts.plan_mode) ? plan_reminder(self)
                                                          : agent_reminder(self);
}

/* All turns, and again after errors that pass. */
static void run_once(Agent *self, const RunSpec *spec, json_t *message, AgentOutcome *ret_outcome)
{
    ret_outcome->end = run_turns(spec, message, &ret_outcome->budget_text);
    RunSpec again = *spec;
    again.before = NULL; // it is there
    while (ret_outcome->end == AGENT_ERROR && may_try_again(self, spec->cancel, &ret_outcome->end))
        ret_outcome->end = run_turns(&again, NULL, &ret_outcome->budget_text);
    retry_gave_up(&self->retry, ret_outcome->budget_text
                                    ? ret_outcome->budget_text
                                    : message_error(self->conversation.last_answer));
    if (ret_outcome->end == AGENT_ERROR)
        compactor_explain(&self->compactor, self->sent.model);
}

static void run_until_settled(Agent *self, json_t *message, Cancel *cancel,
                              AgentOutcome *ret_outcome)
{
    const AgentOptions *options = &self->options;
    const Settings *settings = self->compactor.settings;
    g_autoptr(LoopGuard) guard =
        settings_get_bool(settings, "loop.enabled") ? loop_guard_new() : NULL;
    g_autoptr(json_t) before =
        message ? plan_words_context(options->parts.plan_mode, self->conversation.messages) : NULL;
    RunSpec spec = {
        .before = before,
        .conversation = &self->conversation,
        .setup = options->setup,
        .steering = options->steering,
        .follow_ups = options->follow_ups,
        .budget = options->means.budget,
        .retry = &self->retry,
        .fallback = &self->fallback,
        .healer = &self->healer,
        .controls = options->controls,
        .guard = guard,
        .compactor = &self->compactor,
        .rules = self->rules,
        .context = options->context,
        .door = options->door,
        .http = options->means.http,
        .registry = options->means.registry,
        .sent = &self->sent,
        .cancel = cancel,
    };
    run_once(self, &spec, message, ret_outcome);
    spec.before = NULL;
    while (ret_outcome->end == AGENT_DONE) {
        g_autoptr(json_t) next = next_message(self, cancel);
        if (!next)
            return;
        run_once(self, &spec, next, ret_outcome);
    }
}

/* A run: its end is told once, when nothing follows of itself. */
static void agent_run(Agent *self, json_t *message, Cancel *cancel, AgentOutcome *ret_outcome)
{
    Conversation *conversation = &self->conversation;
    conversation->run_messages = json_array();
    *ret_outcome = (AgentOutcome) { 0 };
    agent_events_emit_type(conversation->events, EVENT_AGENT_START);
    run_until_settled(self, message, cancel, ret_outcome);
    json_t *event = agent_event_new(EVENT_AGENT_END);
    json_set_take(event, "messages", g_steal_pointer(&conversation->run_messages));
    agent_events_emit(conversation->events, event);
}

void agent_add_message(Agent *self, json_t *message)
{
    conversation_fill(&self->conversation);
    conversation_add_whole(&self->conversation, message);
}

/* With the first prompt, when somebody listens. */
static void load_rules(Agent *self)
{
    const AgentOptions *options = &self->options;
    if (self->has_looked_for_rules)
        return;
    self->has_looked_for_rules = true;
    self->rules = stream_rules_load(options->agent_dir, options->cwd,
                                    tool_context_settings(options->context), &self->conversation);
}

/* A list that was finished a while ago is out of the way of what comes now. */
static void clear_todos(Agent *self)
{
    double delay_s = settings_get_number(self->compactor.settings, "tasks.todoClearDelay");
    TodoList *todos = tool_context_todos(self->options.context);
    if (delay_s >= 0 &&
        todo_list_clear_finished(todos, (int64_t)(MIN(delay_s, 1e9) * 1000), time_now_ms()))
        agent_events_emit(&self->options.events, agent_event_new(EVENT_TODO_AUTO_CLEAR));
}

bool agent_can_go_on(Agent *self)
{
    conversation_fill(&self->conversation);
    return conversation_is_open(&self->conversation);
}

bool agent_prompt(Agent *self, json_t *message, Cancel *cancel, AgentOutcome *ret_outcome,
                  GError **error)
{
    if (atomic_exchange(&self->is_running, true))
        return fail_with(
            error, KEDGE_ERROR_USAGE,
            "Agent is already processing. Use steer() or followUp() to queue messages, "
            "or wait for completion.");
    fallback_revert(&self->fallback);
    load_rules(self);
    bool is_sent = agent_has_credential(self, error);
    if (is_sent) {
        conversation_fill(&self->conversation);
        compactor_begin(&self->compactor);
        healer_begin(&self->healer);
        clear_todos(self);
        self->reminders = 0;
        self->continuations = 0;
        self->has_repeated = false;
        if (!message)
            conversation_forget_failure(&self->conversation);
        self->has_reminded_of_plan = false;
        plan_mode_begin_prompt(self->options.parts.plan_mode);
        compactor_check(&self->compactor, cancel);
        agent_run(self, message, cancel, ret_outcome);
    }
    atomic_store(&self->is_running, false);
    return is_sent;
}

bool agent_compact(Agent *self, const char *instructions, Cancel *cancel, json_t **ret_result,
                   GError **error)
{
    conversation_fill(&self->conversation);
    return agent_has_credential(self, error) &&
           compactor_compact(&self->compactor, instructions, cancel, ret_result, error);
}

bool agent_is_to_hand_off(const Agent *self)
{
    return !self->conversation.is_waiting && compactor_hands_off(&self->compactor);
}

bool agent_is_to_compact_idle(const Agent *self)
{
    return !self->conversation.is_waiting && compactor_is_due_when_idle(&self->compactor);
}

void agent_compact_idle(Agent *self, Cancel *cancel)
{
    if (!self->conversation.is_waiting && agent_has_credential(self, NULL))
        compactor_compact_idle(&self->compactor, cancel);
}
