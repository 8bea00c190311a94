/*
 * The conversation object (agent_session.h).
 *
 * What the run works on (engine) belongs to the job's worker while one is on; what the owner sees
 * (view) follows the events. Between them stand only things that are thread safe: the hub, the
 * queues, the setup's slot, the budget, the questions, and the job's Cancel.
 */
#include "conversation/agent_session.h"

#include "agent/discoverer.h"
#include "base/limits.h"
#include "base/timefmt.h"
#include "base/worker.h"
#include "conversation/agent_session_private.h"
#include "model/model_roles.h"

// ---- jobs ----

static void job_work(void *self_)
{
    AgentSession *self = self_;
    session_job_work(self->job, &self->engine, self->hub);
}

void agent_session_abort_bash(AgentSession *self)
{
    if (self->bash)
        session_bash_cancel(self->bash);
    if (self->aside)
        session_aside_cancel(self->aside);
}

bool agent_session_has_bash(const AgentSession *self)
{
    return self->bash || self->aside;
}

static void start_next_job(AgentSession *self)
{
    const SessionJob *next = g_queue_peek_head(&self->jobs);
    if (next && session_job_is_move(next) && agent_session_has_bash(self)) {
        agent_session_abort_bash(self); // the move takes away what that works in
        return;                         // its end starts what waits
    }
    if (next && agent_session_take_settings(self))
        agent_session_update_setup(self, NULL);
    self->job = g_queue_pop_head(&self->jobs);
    if (self->job)
        self->worker = worker_start("kedge-run", job_work, self);
}

void agent_session_add_job(AgentSession *self, SessionJob *job)
{
    loop_remove(self->loop, g_steal_pointer(&self->idle_timer));
    bool is_in_the_way = self->job && self->job->is_automatic && self->job->kind == JOB_COMPACT;
    if (is_in_the_way)
        cancel_fire(self->job->cancel);
    g_queue_push_tail(&self->jobs, job);
    if (!self->job)
        start_next_job(self);
}

bool agent_session_has_room(const AgentSession *self, GError **error)
{
    if (self->jobs.length < LIMIT_WAITING_COMMANDS)
        return true;
    return fail_with(error, KEDGE_ERROR_LIMIT, "%d commands wait already; wait for their end",
                     LIMIT_WAITING_COMMANDS);
}

void agent_session_add_prompt(AgentSession *self, json_t *message, const char *id)
{
    agent_session_add_job(self, session_job_new(JOB_PROMPT, id, self->scope, message, NULL));
}

/* The model and the level that the session was left with, where they can be had. */
static void restore_setup(AgentSession *self)
{
    g_auto(SessionContext) saved = { 0 };
    session_build_context(self->engine.session, &saved);
    const char *name = json_get_text(saved.models, "default");
    g_auto(GStrv) parts = g_strsplit(name ? name : "", "/", 2);
    const Model *model =
        parts[0] && parts[1] ? model_registry_find(self->registry, parts[0], parts[1]) : NULL;
    if (model && model_registry_is_available(self->registry, model, false)) {
        self->model = model;
        self->is_model_named = false;
    }
    if (json_array_size(saved.messages) > 0)
        thinking_level_parse(saved.thinking_level, &self->thinking);
    agent_session_update_setup(self, NULL);
}

static void apply_job(AgentSession *self, SessionJob *job)
{
    if (job->kind == JOB_PROMPT) {
        agent_outcome_clear(&self->outcome);
        g_clear_error(&self->failure);
        self->outcome = job->outcome;
        job->outcome = (AgentOutcome) { 0 };
        self->failure = g_steal_pointer(&job->error);
        agent_session_settle_plan_model(self);
        agent_session_take_plan_decision(self);
    } else if (job->kind == JOB_PLAN) {
        agent_session_end_plan(self, job);
    } else if (job->is_done && (job->kind == JOB_NEW || job->kind == JOB_SWITCH)) {
        agent_session_clear_queues(self);
    }
    bool has_moved = job->is_done && session_job_is_move(job);
    if (has_moved)
        agent_session_suspend_plan_mode(self, job);
    if (has_moved && job->kind != JOB_NAVIGATE && job->kind != JOB_COMPACT)
        allowances_clear(self->allowances); // they were for the session of before
    if (job->is_done && job->kind == JOB_SWITCH)
        restore_setup(self);
    if (has_moved)
        agent_session_follow_plan_mode(self, job);
    usage_notes_append(self->usages, self->engine.session);
    session_flush(self->engine.session, NULL); // a name that came after the last turn's end
    session_view_take(&self->view, &self->engine);
    if (job->is_done && job->kind == JOB_NAME)
        agent_session_publish_name(self, job->argument, false);
    agent_session_take_title(self);
}

static void hand_off(AgentSession *self)
{
    SessionJob *job = session_job_new(JOB_HANDOFF, NULL, self->scope, NULL, NULL);
    job->is_automatic = true;
    agent_session_add_job(self, job);
}

static void on_idle(void *self_)
{
    AgentSession *self = self_;
    self->idle_timer = NULL;
    if (agent_session_has_bash(self)) // is not stopped for it; its end tries again
        return;
    SessionJob *job = session_job_new(JOB_COMPACT, NULL, self->scope, NULL, NULL);
    job->is_automatic = true;
    agent_session_add_job(self, job);
}

/* Nobody has anything to do here: what is full may be compacted after a while. */
static void watch_idleness(AgentSession *self)
{
    int64_t seconds = settings_get_int(self->settings, "compaction.idleTimeoutSeconds");
    if (self->job || agent_session_has_bash(self) || self->idle_timer ||
        !agent_is_to_compact_idle(self->engine.agent))
        return;
    self->idle_timer =
        loop_add_timer(self->loop, CLAMP(seconds, 0, INT32_MAX) * 1000, on_idle, self);
}

static void hand_off_when_due(AgentSession *self)
{
    if (self->is_handoff_due && !self->job && !agent_session_has_bash(self) &&
        !agent_session_has_background(self))
        hand_off(self);
}

/* Takes the reference; NULL: nothing to go on with. */
static void go_on_with(AgentSession *self, json_t *message)
{
    if (message)
        agent_session_add_prompt(self, message, NULL);
    json_decref(message);
}

/* The worker has said its last word: the engine is ours again. */
static void end_job(AgentSession *self)
{
    worker_join(g_steal_pointer(&self->worker));
    SessionJob *job = g_steal_pointer(&self->job);
    apply_job(self, job);
    bool is_prompt_done =
        job->is_done && job->kind == JOB_PROMPT && self->outcome.end == AGENT_DONE;
    // nobody asked for an automatic job: what was said meanwhile does not depend on its success
    bool is_settled = is_prompt_done || job->is_automatic ||
                      (job->is_done && (job->kind == JOB_COMPACT || job->kind == JOB_HANDOFF));
    if (job->kind == JOB_PROMPT || session_job_is_move(job))
        self->is_handoff_due =
            is_prompt_done && self->door.ask && agent_is_to_hand_off(self->engine.agent);
    session_job_free(job);

    for (unsigned i = 0; i < self->aborts->len; i++)
        event_hub_publish_control(
            self->hub, session_job_end_event("abort", self->aborts->pdata[i], NULL, NULL));
    g_ptr_array_set_size(self->aborts, 0);

    start_next_job(self);
    hand_off_when_due(self);
    if (is_settled && !self->job)
        go_on_with(self, agent_session_take_queued(self));
    if (!self->job)
        go_on_with(self, agent_session_take_results(self));
    watch_idleness(self);
}

/* The message of a person's command comes after the run that is on, but before whatever waits. Who
   asked is told when it is there, or at once while a run is on. */
static void add_bash_message(AgentSession *self, const SessionBash *bash)
{
    const char *id = session_bash_id(bash);
    g_autoptr(json_t) message = session_bash_message(bash);
    SessionJob *job = session_job_new(JOB_BASH, self->job ? NULL : id, self->scope, message, NULL);
    job->command = session_bash_name(bash);
    job->data = session_bash_data(bash);
    if (self->job)
        event_hub_publish_control(
            self->hub, session_job_end_event(job->command, id, g_steal_pointer(&job->data), NULL));
    g_queue_push_head(&self->jobs, job);
}

static void go_on_after_person(AgentSession *self)
{
    if (!self->job)
        start_next_job(self);
    hand_off_when_due(self);
    watch_idleness(self);
}

static void end_bash(AgentSession *self)
{
    g_autoptr(SessionBash) bash = g_steal_pointer(&self->bash);
    session_bash_join(bash);
    const GError *failure = session_bash_error(bash);
    if (failure)
        event_hub_publish_control(
            self->hub,
            session_job_end_event(session_bash_name(bash), session_bash_id(bash), NULL, failure));
    else
        add_bash_message(self, bash);
    go_on_after_person(self);
}

static void end_aside(AgentSession *self)
{
    g_autoptr(SessionAside) aside = g_steal_pointer(&self->aside);
    session_aside_join(aside);
    event_hub_publish_control(self->hub, session_aside_end_event(aside));
    go_on_after_person(self);
}

/* Not of an abort, nor of a command of a person that ended while a run was on. */
static bool is_of_job(const AgentSession *self, const json_t *event)
{
    return self->job && g_strcmp0(json_get_text(event, "command"), self->job->command) == 0;
}

static void end_title(AgentSession *self)
{
    session_title_join(self->title);
    agent_session_take_title(self);
}

static void note_event(AgentSession *self, const json_t *event)
{
    session_view_note(&self->view, event);
    agent_session_tell_queues(self);
    if (g_strcmp0(json_get_text(event, "type"), "turn_end") == 0)
        agent_session_ask_for_title(self);
}

static void on_own_event(json_t *event, void *self_)
{
    AgentSession *self = self_;
    const char *type = json_get_text(event, "type");
    if (g_strcmp0(type, "command_end") == 0 && is_of_job(self, event))
        end_job(self);
    else if (g_strcmp0(type, "bash_end") == 0)
        end_bash(self);
    else if (g_strcmp0(type, "aside_end") == 0)
        end_aside(self);
    else if (g_strcmp0(type, "title_end") == 0)
        end_title(self);
    else if (g_strcmp0(type, "job_end") != 0)
        note_event(self, event);
    else if (!self->job) // its end tries again
        go_on_with(self, agent_session_take_results(self));
}

static void after_telling(void *self_)
{
    AgentSession *self = self_;
    if (self->is_waiting && !self->job && event_hub_is_drained(self->hub) &&
        !agent_session_awaits_background(self))
        loop_quit(self->loop);
}

// ---- making and freeing ----

static void on_agent_event(json_t *event, void *self_)
{
    AgentSession *self = self_;
    event_hub_publish(self->hub, json_incref(event));
}

static void on_agent_live(LiveMessage *live, void *self_)
{
    AgentSession *self = self_;
    event_hub_publish_live(self->hub, live);
}

static void take_options(AgentSession *self, const AgentSessionOptions *options)
{
    AgentSession *parent = options->parent;
    g_assert(parent || (options->settings && options->registry));
    self->parent = parent;
    self->own_loop = options->loop || parent ? NULL : loop_new();
    self->loop = options->loop ? options->loop : parent ? parent->loop : self->own_loop;
    self->scope = cancel_new(options->cancel ? options->cancel : parent ? parent->scope : NULL);
    self->settings = settings_ref(options->settings ? options->settings : parent->settings);
    self->old_settings = g_ptr_array_new_with_free_func((GDestroyNotify)settings_unref);
    self->own_registry = options->registry;
    self->registry = options->registry ? options->registry : parent->registry;
    if (self->own_registry)
        model_roles_set(self->own_registry, settings_get_json(self->settings, "modelRoles"));
    self->own_http = parent ? NULL : http_client_new();
    self->http = parent ? parent->http : self->own_http;
    self->cwd = g_strdup(options->place.cwd);
    self->agent_dir = g_strdup(options->place.agent_dir);
    self->session_dir = g_strdup(options->place.session_dir);
    self->system_prompt = g_strdup(options->system_prompt);
    self->append_prompt = g_strdup(options->append_prompt);
    self->given_tools = tool_set_ref((ToolSet *)options->all_tools);
    self->all_tools = tool_set_ref((ToolSet *)options->all_tools);
    self->run_shell = options->run_shell;
    self->run_python = options->run_python;
    self->wants_title = options->wants_title;
    self->model = options->model;
    self->model_scope = options->model_scope ? g_array_ref(options->model_scope) : NULL;
    self->is_model_named = options->is_model_named;
    self->thinking = options->thinking;
    self->usages = usage_notes_new();
    self->found = found_tools_new();
    self->allowances = allowances_new();
    self->budget =
        budget_new(parent ? parent->budget : NULL, options->max_turns, options->max_cost);
    if (parent)
        g_ptr_array_add(parent->children, self);
}

static void make_engine(AgentSession *self, Session *session, const ContextTables *tables)
{
    const AgentOptions options = {
        .door = &self->door,
        .means = { self->http, self->registry, self->budget, self->usages },
        .setup = self->setup,
        .todos = self->todos,
        .found = self->found,
        .plan_mode = self->plan_mode,
        .allowances = self->allowances,
        .model_scope = self->model_scope,
        .is_subagent = self->parent != NULL,
        .steering = self->steering,
        .follow_ups = self->follow_ups,
        .controls = self->controls,
        .is_compaction_disabled = &self->is_compaction_disabled,
        .events = { on_agent_event, on_agent_live, self },
        .job_ended = agent_session_note_job,
    };
    const SessionPlace place = { self->agent_dir, self->cwd, self->session_dir };
    engine_init(&self->engine, &options, self->settings, tables, &place, session);
    session_view_take(&self->view, &self->engine);
}

static bool is_offered(const ToolDef *tool, void *door)
{
    return tool_door_offers(door, tool);
}

AgentSession *agent_session_new(const AgentSessionOptions *options, GPtrArray *warnings)
{
    AgentSession *self = g_new0(AgentSession, 1);
    self->children = g_ptr_array_new();
    take_options(self, options);
    g_queue_init(&self->jobs);
    self->aborts = g_ptr_array_new_with_free_func(g_free);
    self->hub = event_hub_new(self->loop, after_telling, self);
    double patience_s = CLAMP(settings_get_number(self->settings, "ask.timeout"), 0, 1e6);
    self->questions = questions_new(self->hub, (int64_t)(patience_s * 1000));
    self->controls = run_controls_new(self->settings);
    self->todos = todo_list_new(NULL);
    self->steering = message_queue_new(settings_get_text(self->settings, "steeringMode"));
    self->follow_ups = message_queue_new(settings_get_text(self->settings, "followUpMode"));
    self->door = (ToolDoor) {
        .kind = DOOR_AGENT,
        .allow_writes = options->allow_writes,
        .allow_hint = options->allow_hint,
        .ask = options->can_ask ? questions_ask : NULL,
        .choose = options->can_choose ? questions_choose : options->choose,
        .user_data = self->questions,
    };
    self->plan.mode = self->plan.told = PLAN_MODE_NONE;
    self->plan_mode = plan_mode_new(options->parent ? options->parent->plan_mode : NULL,
                                    self->door.choose != NULL);
    g_autoptr(ToolSet) no_tools = tool_set_new(NULL);
    g_autoptr(ToolSet) tools =
        tool_set_filter(options->tools ? options->tools : no_tools, is_offered, &self->door);
    discoverer_check_settings(self->settings, self->all_tools, warnings);
    agent_session_update_setup(self, tools);
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    turn_setup_system_blocks(setup, warnings, options->context_note);
    make_engine(self, options->session, options->tables);
    agent_session_restore_plan_mode(self);
    self->plan.told = self->plan.mode;
    // the first to be told, so that others find the object as the event says
    event_hub_subscribe(self->hub,
                        &(SubscriberSpec) { DETAIL_NONE, true, on_own_event, self, true });
    return self;
}

static void free_job(gpointer job)
{
    session_job_free(job);
}

static void stop(AgentSession *self)
{
    while (self->children->len > 0)
        agent_session_free(self->children->pdata[0]);
    cancel_fire(self->scope);
    loop_remove(self->loop, g_steal_pointer(&self->idle_timer));
    worker_join(g_steal_pointer(&self->worker));
    g_clear_pointer(&self->bash, session_bash_free);
    g_clear_pointer(&self->aside, session_aside_free);
    g_clear_pointer(&self->title, session_title_free);
    g_clear_pointer(&self->job, session_job_free);
    g_queue_clear_full(&self->jobs, free_job);
    job_table_end_all(tool_context_jobs(self->engine.context)); // they speak to the hub
    event_hub_free(self->hub);
    engine_clear(&self->engine);
    if (self->parent)
        g_ptr_array_remove(self->parent->children, self);
}

void agent_session_free(AgentSession *self)
{
    if (!self)
        return;
    stop(self);
    questions_free(self->questions);
    setup_slot_free(self->setup);
    budget_free(self->budget);
    usage_notes_free(self->usages);
    todo_list_free(self->todos);
    found_tools_unref(self->found);
    allowances_free(self->allowances);
    run_controls_free(self->controls);
    message_queue_free(self->steering);
    message_queue_free(self->follow_ups);
    session_view_clear(&self->view);
    g_ptr_array_unref(self->aborts);
    g_ptr_array_unref(self->children);
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->failure);
    http_client_free(self->own_http);
    g_clear_pointer(&self->model_scope, g_array_unref);
    model_registry_free(self->own_registry);
    plan_mode_free(self->plan_mode);
    g_free(self->plan.file);
    tool_set_unref(self->wanted_tools);
    tool_set_unref(self->given_tools);
    tool_set_unref(self->all_tools);
    settings_unref(self->settings);
    g_ptr_array_unref(self->old_settings);
    cancel_unref(self->scope);
    loop_free(self->own_loop);
    g_free(self->cwd);
    g_free(self->agent_dir);
    g_free(self->session_dir);
    g_free(self->system_prompt);
    g_free(self->append_prompt);
    g_free(self->title_of);
    g_free(self);
}

Subscription *agent_session_subscribe(AgentSession *self, const SubscriberSpec *spec)
{
    return event_hub_subscribe(self->hub, spec);
}

EventHub *agent_session_events(AgentSession *self)
{
    return self->hub;
}

// ---- commands ----

static bool is_prompting(const AgentSession *self)
{
    const SessionJob *last = g_queue_peek_tail((GQueue *)&self->jobs);
    if (!last)
        last = self->job;
    return last && last->kind == JOB_PROMPT;
}

bool agent_session_steer(AgentSession *self, json_t *message, GError **error)
{
    return agent_session_queue(self, self->steering, message, error);
}

bool agent_session_follow_up(AgentSession *self, json_t *message, GError **error)
{
    if (self->job || !self->view.last_answer)
        return agent_session_queue(self, self->follow_ups, message, error);
    agent_session_add_prompt(self, message, NULL);
    return true;
}

bool agent_session_prompt(AgentSession *self, json_t *message, const char *behavior, const char *id,
                          bool *ret_is_pending, GError **error)
{
    bool is_busy = is_prompting(self);
    if (is_busy && !behavior)
        return fail_with(
            error, KEDGE_ERROR_USAGE,
            "Agent is already processing. Use steer() or followUp() to queue messages, "
            "or wait for completion.");
    if (is_busy &&
        !(g_str_equal(behavior, "steer") ? agent_session_steer(self, message, error)
                                         : agent_session_follow_up(self, message, error)))
        return false;
    if (!is_busy && !agent_session_has_room(self, error))
        return false;
    if (!is_busy)
        agent_session_add_prompt(self, message, id);
    *ret_is_pending = !is_busy;
    return true;
}

bool agent_session_abort_and_prompt(AgentSession *self, json_t *message, const char *id,
                                    bool *ret_is_aborting, GError **error)
{
    if (!agent_session_has_room(self, error))
        return false;
    agent_session_abort(self, id, ret_is_aborting);
    agent_session_add_prompt(self, message, id);
    return true;
}

void agent_session_abort(AgentSession *self, const char *id, bool *ret_is_pending)
{
    *ret_is_pending = self->job != NULL;
    if (!self->job)
        return;
    cancel_fire(self->job->cancel);
    g_ptr_array_add(self->aborts, g_strdup(id));
}

// ---- blocking ----

bool agent_session_is_idle(const AgentSession *self)
{
    return self->job == NULL;
}

bool agent_session_wait(AgentSession *self, AgentOutcome *ret_outcome, GError **error)
{
    agent_session_begin_waiting(self);
    while (self->job || !event_hub_is_drained(self->hub) || agent_session_awaits_background(self))
        loop_run(self->loop);
    agent_session_end_waiting(self);
    if (self->failure) {
        g_propagate_error(error, g_error_copy(self->failure));
        return false;
    }
    *ret_outcome = (AgentOutcome) {
        .end = self->outcome.end,
        .budget_text = g_strdup(self->outcome.budget_text),
    };
    return true;
}

bool agent_session_flush(AgentSession *self, GError **error)
{
    g_assert(!self->job);
    return session_flush(self->engine.session, error);
}
