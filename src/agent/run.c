/*
 * Turns until the model has no more to say and nobody has queued anything (agent-core §3.1).
 */
#include "agent/run.h"

#include "agent/discoverer.h"
#include "agent/repo_record.h"
#include "agent/rewinder.h"
#include "base/str.h"
#include "model/message.h"
#include "model/model_roles.h"
#include "model/registry.h"
#include "tool/images.h"
#include "tool/pending_action.h"
#include "tool/rewind_state.h"
#include "tool/yielded.h"

// ---- images that a model does not get ----

static size_t count_images(const json_t *message)
{
    size_t count = 0;
    json_each (json_get_array(message, "content"), i, block)
        count += g_strcmp0(json_get_text(block, "type"), "image") == 0;
    return count;
}

/* What the person is told before `model`, which takes no images, or may not get any
   (images.blockImages), gets this message (agent-core §2.2); NULL: nothing. Caller frees. */
static char *image_warning_text(const ModelRegistry *registry, const Model *model, bool is_blocked,
                                const json_t *message)
{
    bool goes_out = model->accepts_images && !is_blocked;
    size_t count =
        goes_out || strcmp(message_role(message), "user") != 0 ? 0 : count_images(message);
    if (count == 0)
        return NULL;
    if (is_blocked)
        return g_strdup_printf("images.blockImages is set: %zu of the prompt stay%s here", count,
                               count == 1 ? "s" : "");
    ModelChoice other = { 0 };
    model_role_choose(registry, MODEL_ROLE_VISION, model, &other);
    bool has_other = other.model && other.model->accepts_images;
    return g_strdup_printf("%s/%s takes no images: %zu of the prompt stay%s here%s%s%s%s%s",
                           model->provider, model->id, count, count == 1 ? "s" : "",
                           has_other ? "; --model " : "", has_other ? other.model->provider : "",
                           has_other ? "/" : "", has_other ? other.model->id : "",
                           has_other ? " takes them" : "");
}

// ---- the run ----

typedef struct Run {
    const RunSpec *spec;
    Conversation *conversation;
    const AgentEvents *events;
    TurnSetup *setup; // of this turn
    const char *const *system_blocks;
    char *api_key, *key_source;
    json_t *pending; // queued messages that go in before the next answer
    AgentEnd end;
    char *budget_text;
    unsigned warnings;       // that a checkpoint is open
    unsigned recorded;       // version of the found tools that the session has; 0: perhaps none
    unsigned recorded_reads; // the same of the repositories that it has read
} Run;

static void build_prompt(Run *self)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    self->system_blocks = turn_setup_system_blocks(self->setup, warnings, NULL);
    for (unsigned i = 0; i < warnings->len; i++)
        agent_events_emit_notice(self->events, "warning", warnings->pdata[i]);
}

static bool blocks_images(const Run *self)
{
    return images_are_blocked(tool_context_settings(self->spec->context));
}

/* What a person says, to the model of this turn. */
static void warn_of_images(const Run *self, const json_t *messages)
{
    json_each (messages, i, message) {
        g_autofree char *text = image_warning_text(self->spec->registry, self->setup->model,
                                                   blocks_images(self), message);
        if (text)
            agent_events_emit_notice(self->events, "warning", text);
    }
}

/* Model, tools, thinking and system prompt as they are now hold for one turn. */
static void refresh_setup(Run *self)
{
    const RunSpec *spec = self->spec;
    TurnSetup *old = self->setup;
    self->setup = setup_slot_get(spec->setup);
    if (self->setup != old) {
        g_free(self->api_key);
        g_free(self->key_source);
        self->api_key =
            model_registry_key(spec->registry, self->setup->model, self->setup->is_model_named);
        self->key_source = model_registry_key_source(spec->registry, self->setup->model);
        conversation_record_setup(self->conversation, self->setup,
                                  fallback_is_applied(spec->fallback, self->setup));
        build_prompt(self);
    }
    turn_setup_unref(old);
}

static void record_found(Run *self)
{
    FoundTools *found = tool_context_found(self->spec->context);
    unsigned version = found ? found_tools_version(found) : 0;
    if (version == self->recorded)
        return;
    discoverer_record(self->conversation->session, found);
    self->recorded = version;
}

static void record_reads(Run *self)
{
    RepoReads *reads = tool_context_repo_reads(self->spec->context);
    unsigned version = repo_reads_version(reads);
    if (version == self->recorded_reads)
        return;
    repo_record_append(self->conversation->session, reads);
    self->recorded_reads = version;
}

static void turn_end(Run *self, json_t *message, json_t *results)
{
    if (self->events->func) {
        json_t *event = agent_event_new(EVENT_TURN_END);
        json_add(event, "message:%p toolResults:%p", json_incref(message), json_incref(results));
        agent_events_emit(self->events, event);
    }
    // a session that cannot be written is said once; an answer is worth more than its record
    Session *session = self->conversation->session;
    record_found(self);
    record_reads(self);
    session_flush(session, NULL);
    g_autoptr(GError) problem = session_take_error(session);
    if (problem) {
        g_autofree char *text = g_strdup_printf("Session not saved: %s", problem->message);
        agent_events_emit_notice(self->events, "error", text);
    }
    g_autofree char *notice = session_take_notice(session);
    if (notice)
        agent_events_emit_notice(self->events, "warning", notice);
}

static void deliver_pending(Run *self)
{
    json_each (self->pending, i, message) {
        conversation_add_whole(self->conversation, message);
        if (self->spec->rules)
            stream_rules_note_delivered(self->spec->rules, message);
    }
    json_array_clear(self->pending);
}

static void take_pending(Run *self, json_t *messages)
{
    json_decref(self->pending);
    self->pending = messages;
}

/* An abort while tools ran: the conversation says so in one more turn without content. */
static void add_aborted_turn(Run *self)
{
    g_autoptr(json_t) message = turn_aborted_message(self->setup->model);
    g_autoptr(json_t) results = json_array();
    agent_events_emit_type(self->events, EVENT_TURN_START);
    conversation_add_whole(self->conversation, message);
    turn_end(self, message, results);
}

/* True: the run is over; `end` says how. */
static bool is_over_budget(Run *self)
{
    self->budget_text = budget_stop_text(self->spec->budget);
    if (!self->budget_text)
        return false;
    message_queue_return(self->spec->steering, self->pending);
    json_array_clear(self->pending);
    agent_events_emit_notice(self->events, "warning", self->budget_text);
    self->end = AGENT_BUDGET;
    return true;
}

/* A person says how it goes on: yes, or with words of theirs, or not at all. */
static bool is_told_to_go_on(const Run *self, const char *stop_text)
{
    static const ToolDef loop = { .name = "loop", .label = "Loop guard" };
    const RunSpec *spec = self->spec;
    if (!spec->door->ask)
        return false;
    const char *what =
        stop_text + (str_has_prefix(stop_text, RUN_STOPPED) ? strlen(RUN_STOPPED) : 0);
    g_autofree char *text = g_strdup_printf(
        "The model goes round in circles: %s.\nYes: it goes on. No: it stops, or goes on with what "
        "you have written meanwhile.",
        what);
    g_autoptr(json_t) none = json_object();
    const ToolQuestion question = {
        .tool = &loop,
        .effect = EFFECT_UNKNOWN,
        .summary = "goes on, though the model goes round in circles",
        .text = text,
        .arguments = none,
    };
    bool is_approved = false;
    if (!spec->door->ask(&question, spec->cancel, &is_approved, spec->door->user_data, NULL))
        return false;
    return is_approved || message_queue_size(spec->steering) > 0;
}

/* True: the run is over; the model goes round in circles. */
static bool is_in_loop(Run *self)
{
    const char *text = self->spec->guard ? loop_guard_stop_text(self->spec->guard) : NULL;
    if (!text)
        return false;
    if (is_told_to_go_on(self, text)) {
        loop_guard_reset(self->spec->guard);
        return false;
    }
    message_queue_return(self->spec->steering, self->pending);
    json_array_clear(self->pending);
    if (cancel_has_fired(self->spec->cancel)) {
        self->end = AGENT_ABORTED;
        return true;
    }
    self->budget_text = g_strdup(text);
    json_t *event = agent_event_new(EVENT_NOTICE);
    json_add(event, "level:%s message:%s limit:%p", "warning", text,
             json_pack("{s:s}", "which", "loop"));
    agent_events_emit(self->events, event);
    self->end = AGENT_LOOP;
    return true;
}

#define REMINDER "This is a preview. Call the resolve tool to apply or discard these changes."

static json_t *preview_reminder(void)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:s}", "role", "custom", "customType",
                     "resolve-reminder", "content", REMINDER, "display", 0, "attribution", "agent");
}

/* A preview waits, and the model can do something about it. */
static bool is_to_be_reminded(const Run *self)
{
    const RunSpec *spec = self->spec;
    return tool_set_find(self->setup->tools, "resolve") && pending_action_remind(spec->context);
}

#define MAX_WARNINGS 3 // of a run, that a checkpoint is open

/* What the model hears of its own tools before anything else; NULL: nothing. New reference. */
static json_t *word_of_tools(Run *self, bool had_calls)
{
    const RunSpec *spec = self->spec;
    if (cancel_has_fired(spec->cancel))
        return NULL;
    json_t *back = rewinder_end_turn(self->conversation, spec->context);
    if (back) {
        // perhaps it was in what has been left; what was found, and read, stays so
        self->recorded = self->recorded_reads = 0;
        return back;
    }
    if (is_to_be_reminded(self))
        return preview_reminder();
    bool is_open = !had_calls && rewind_state_is_open(spec->context) &&
                   tool_set_find(self->setup->tools, "rewind");
    return is_open && self->warnings++ < MAX_WARNINGS ? rewinder_warning() : NULL;
}

/* After a turn: finds what the next one is for. False: nothing is, or it may not be. */
static bool prepare_next_turn(Run *self, bool had_calls, json_t *interrupting)
{
    const RunSpec *spec = self->spec;
    take_pending(self, interrupting ? interrupting : json_array());
    if (had_calls && cancel_has_fired(spec->cancel)) {
        message_queue_return(spec->steering, self->pending);
        add_aborted_turn(self);
        self->end = AGENT_ABORTED;
        return false;
    }
    if (had_calls && (yielded_is_done(spec->context) ||
                      plan_mode_is_settled(tool_context_plan_mode(spec->context)))) {
        message_queue_return(spec->steering, self->pending);
        return false;
    }
    g_autoptr(json_t) word = word_of_tools(self, had_calls);
    bool is_wanted = had_calls || word || json_array_size(self->pending) > 0 ||
                     message_queue_size(spec->steering) > 0 ||
                     message_queue_size(spec->follow_ups) > 0;
    if (!is_wanted)
        return false;
    if (cancel_has_fired(spec->cancel)) { // what is queued waits for the next prompt
        self->end = AGENT_ABORTED;
        return false;
    }
    bool has_word = json_array_size(self->pending) > 0 || message_queue_size(spec->steering) > 0;
    if (is_over_budget(self) || (!has_word && is_in_loop(self)))
        return false;
    if (has_word && self->spec->guard)
        loop_guard_reset(self->spec->guard);
    if (had_calls)
        compactor_check(spec->compactor, spec->cancel); // the run goes on in what is left

    if (json_array_size(self->pending) == 0)
        take_pending(self, message_queue_take(spec->steering));
    if (!had_calls && !word && json_array_size(self->pending) == 0)
        take_pending(self, message_queue_take(spec->follow_ups));
    if (word)
        json_array_insert(self->pending, 0, word);
    return true;
}

static BatchSpec batch_spec(const Run *self)
{
    const RunSpec *spec = self->spec;
    return (BatchSpec) {
        .tools = self->setup->tools,
        .context = spec->context,
        .door = spec->door,
        .conversation = self->conversation,
        .steering = spec->steering,
        .steering_interrupts = run_controls_interrupts(spec->controls),
        .cancel = spec->cancel,
        .guard = self->spec->guard,
    };
}

/* What a person wants called; NULL: nothing, or it is not there any more. Caller frees. */
static char *take_forced(const Run *self)
{
    g_autofree char *tool = setup_slot_take_forced(self->spec->setup);
    bool is_there = tool && self->setup->tools && tool_set_find(self->setup->tools, tool);
    return is_there ? g_steal_pointer(&tool) : NULL;
}

static void request_answer(Run *self, TurnAnswer *ret_answer)
{
    const RunSpec *spec = self->spec;
    g_autofree char *forced = take_forced(self);
    const TurnRequest request = {
        .setup = self->setup,
        .system_blocks = self->system_blocks,
        .api_key = self->api_key,
        .key_source = self->key_source,
        .forced_tool = forced,
        .settings = tool_context_settings(spec->context),
        .http = spec->http,
        .rules = spec->rules,
        .cancel = spec->cancel,
    };
    turn_request(&request, self->conversation, ret_answer);
    if (forced && ret_answer->is_failed && !cancel_has_fired(spec->cancel)) // for another attempt
        setup_slot_force_tool(spec->setup, forced);
    const json_t *cost = json_get_path(ret_answer->message, "usage.cost");
    budget_spend(spec->budget, json_get_number(cost, "total", 0));
    if (!ret_answer->is_failed) {
        budget_count_turn(spec->budget);
        retry_succeeded(spec->retry);
        fallback_succeeded(spec->fallback);
        server_facts_answered(self->conversation->servers, self->setup->model,
                              body_cache_size(self->conversation->bodies),
                              self->conversation->session);
        healer_succeeded(spec->healer);
        if (spec->rules)
            stream_rules_count_turn(spec->rules);
    }
}

#define RULE_PAUSE_MS 50 // for whoever follows: the answer has ended, and another one comes

/* A rule has stopped the answer: the model is told, and asked again. False: the run ends. */
static bool go_on_by_rule(Run *self)
{
    const RunSpec *spec = self->spec;
    if (!stream_rules_keep_answers(spec->rules))
        conversation_drop_answer(self->conversation); // before the record of what fired
    json_t *message = stream_rules_take(spec->rules);
    if (!message)
        return false;
    json_array_append_new(self->pending, message);
    self->end = AGENT_ABORTED; // unless it goes on
    if (!cancel_sleep(spec->cancel, RULE_PAUSE_MS, NULL) || is_over_budget(self))
        return false;
    self->end = AGENT_DONE;
    return true;
}

/* What it is told once its answer has ended, with words that came in between behind it. */
static json_t *after_rules(const Run *self, json_t *interrupting)
{
    json_t *message = self->spec->rules ? stream_rules_take(self->spec->rules) : NULL;
    if (!message)
        return interrupting;
    json_t *pending = interrupting ? interrupting : json_array();
    json_array_insert_new(pending, 0, message);
    return pending;
}

/* One turn; false when the run ends with it. */
static bool run_turn(Run *self)
{
    g_autoptr(json_t) delivered = json_copy(self->pending);
    deliver_pending(self);
    refresh_setup(self);
    warn_of_images(self, delivered);
    tool_context_set_sees_images(self->spec->context,
                                 self->setup->model->accepts_images && !blocks_images(self));
    g_auto(TurnAnswer) answer = { 0 };
    request_answer(self, &answer);

    g_autoptr(json_t) results = json_array();
    const BatchSpec batch = batch_spec(self);
    if (answer.is_failed) {
        batch_refuse(&batch, &answer, results);
        turn_end(self, answer.message, results);
        if (answer.is_stopped && go_on_by_rule(self))
            return true;
        bool is_aborted = g_str_equal(message_stop_reason(answer.message), "aborted");
        if (self->end == AGENT_DONE)
            self->end = is_aborted ? AGENT_ABORTED : AGENT_ERROR;
        return false;
    }
    bool had_calls = json_array_size(answer.calls) > 0;
    json_t *interrupting = had_calls ? batch_run(&batch, &answer, results) : NULL;
    discoverer_note_calls(batch.tools, answer.calls, tool_context_found(self->spec->context));
    turn_end(self, answer.message, results);
    return prepare_next_turn(self, had_calls, after_rules(self, interrupting));
}

static void take_turns(Run *self, json_t *prompt)
{
    if (is_over_budget(self))
        return;
    refresh_setup(self); // what answers is on record before what it answers
    agent_events_emit_type(self->events, EVENT_TURN_START);
    if (self->spec->before)
        conversation_add_whole(self->conversation, self->spec->before);
    if (prompt) {
        g_autoptr(json_t) alone = json_pack("[O]", prompt);
        conversation_add_whole(self->conversation, prompt);
        warn_of_images(self, alone);
    }
    take_pending(self, message_queue_take(self->spec->steering));
    while (run_turn(self))
        agent_events_emit_type(self->events, EVENT_TURN_START);
}

/* Since the last turn others may have come in its place: a new model, a new key. */
static void note_sent(Run *self)
{
    SentWith *sent = self->spec->sent;
    g_free(sent->api_key);
    sent->api_key = g_steal_pointer(&self->api_key);
    sent->model = self->setup ? self->setup->model : NULL;
}

AgentEnd run_turns(const RunSpec *spec, json_t *prompt, char **ret_budget_text)
{
    Conversation *conversation = spec->conversation;
    Run run = {
        .spec = spec,
        .conversation = conversation,
        .events = conversation->events,
        .pending = json_array(),
        .end = AGENT_DONE,
    };
    yielded_reset(spec->context);
    rewinder_begin(conversation->session, spec->context);
    take_turns(&run, prompt);
    note_sent(&run);
    json_decref(run.pending);
    turn_setup_unref(run.setup);
    g_free(run.key_source);
    if (run.budget_text)
        *ret_budget_text = run.budget_text;
    return run.end;
}
