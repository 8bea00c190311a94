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
#include "base/worker.h"
#include "conversation/agent_session_private.h"
#include "conversation/slash_set.h"
#include "model/model_roles.h"

// ---- jobs ----

/* What the job came to is the state of the conversation. True: what is queued is the next prompt.
 */
static bool settle_job(AgentSession *self)
{
    worker_join(g_steal_pointer(&self->worker));
    g_autoptr(SessionJob) job = g_steal_pointer(&self->job);
    bool is_run = job->def->is_run, goes_on = job->def->settle && job->def->settle(self, job);
    if (is_run)
        agent_session_settle_plan(self);
    if (is_run || job->def->is_move)
        self->is_handoff_due =
            is_run && goes_on && self->door.ask && agent_is_to_hand_off(self->engine.agent);
    usage_notes_append(self->means.usages, self->engine.session);
    session_flush(self->engine.session, NULL); // a name that came after the last turn's end
    agent_session_say_background(self, job);
    session_view_take(&self->view, &self->engine);
    agent_session_take_title(self);
    return goes_on;
}

/* The worker is done: the engine is ours again. */
static void end_job(void *self_)
{
    AgentSession *self = self_;
    bool goes_on = settle_job(self);
    for (unsigned i = 0; i < self->aborts->len; i++)
        event_hub_publish_control(
            self->hub, session_job_end_event("abort", self->aborts->pdata[i], NULL, NULL));
    g_ptr_array_set_size(self->aborts, 0);

    agent_session_start_next_job(self);
    agent_session_hand_off_when_due(self);
    if (goes_on && !self->job)
        agent_session_go_on_with(self, agent_session_take_queued(self));
    if (!self->job)
        agent_session_go_on_with(self, agent_session_take_results(self));
    agent_session_watch_idleness(self);
}

// ---- events ----

static void note_event(json_t *event, void *self_)
{
    AgentSession *self = self_;
    session_view_note(&self->view, event);
    agent_session_tell_queues(self);
    if (event_kind(event) == EVENT_TURN_END)
        agent_session_ask_for_title(self);
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
    self->own_pool = parent ? NULL : worker_pool_new("kedge-child", LIMIT_CHILD_RUNS);
    self->pool = parent ? parent->pool : self->own_pool;
    self->own_http = parent ? NULL : http_client_new();
    self->means.registry = self->registry;
    self->means.http = self->parts.http = parent ? parent->means.http : self->own_http;
    self->cwd = g_strdup(options->place.cwd);
    self->agent_dir = g_strdup(options->place.agent_dir);
    self->session_dir = g_strdup(options->place.session_dir);
    self->system_prompt = g_strdup(options->system_prompt);
    self->append_prompt = g_strdup(options->append_prompt);
    session_tools_init(&self->tools, options->all_tools);
    self->run_shell = options->run_shell;
    self->run_python = options->run_python;
    self->wants_title = options->wants_title;
    self->model = options->model;
    self->model_scope = options->model_scope ? g_array_ref(options->model_scope) : NULL;
    self->is_model_named = options->is_model_named;
    self->thinking = options->thinking;
    self->means.usages = usage_notes_new();
    self->parts.found = found_tools_new();
    self->parts.allowances = allowances_new();
    self->parts.reads = repo_reads_new(parent ? parent->parts.reads : NULL);
    self->parts.hooks = hook_list_new();
    self->means.budget =
        budget_new(parent ? parent->means.budget : NULL, options->max_turns, options->max_cost);
    if (parent)
        g_ptr_array_add(parent->children, self);
}

static void make_engine(AgentSession *self, Session *session, const ContextTables *tables)
{
    const AgentOptions options = {
        .door = &self->door,
        .means = self->means,
        .setup = self->setup,
        .parts = self->parts,
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
    hook_list_add_table(self->parts.hooks, tables ? tables->hooks : NULL);
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
    self->end_job = end_job;
    self->slash_set = slash_set_new();
    double patience_s = CLAMP(settings_get_number(self->settings, "ask.timeout"), 0, 1e6);
    self->questions = questions_new(self->hub, (int64_t)(patience_s * 1000));
    self->controls = run_controls_new(self->settings);
    self->parts.todos = todo_list_new(NULL);
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
    self->parts.plan_mode = plan_mode_new(options->parent ? options->parent->parts.plan_mode : NULL,
                                          self->door.choose != NULL);
    g_autoptr(ToolSet) no_tools = tool_set_new(NULL);
    g_autoptr(ToolSet) tools =
        tool_set_filter(options->tools ? options->tools : no_tools, is_offered, &self->door);
    discoverer_check_settings(self->settings, self->tools.all, warnings);
    agent_session_update_setup(self, tools);
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    turn_setup_system_blocks(setup, warnings, options->context_note);
    make_engine(self, options->session, options->tables);
    agent_session_restore_plan_mode(self);
    self->plan.told = self->plan.mode;
    // the first to be told, so that others find the object as the event says
    event_hub_subscribe(self->hub,
                        &(SubscriberSpec) { DETAIL_NONE, false, note_event, self, true });
    return self;
}

static void free_job(gpointer job)
{
    session_job_free(job);
}

static void agent_session_stop(AgentSession *self)
{
    cancel_fire(self->scope); // before the children go: no place that one leaves starts another
    while (self->children->len > 0)
        agent_session_free(self->children->pdata[0]);
    loop_remove(self->loop, g_steal_pointer(&self->idle_timer));
    worker_join(self->worker); // which it still names while it ends: its run may be in a wait
    self->worker = NULL;
    g_clear_pointer(&self->bash, session_bash_free);
    g_clear_pointer(&self->aside, session_aside_free);
    g_clear_pointer(&self->title, session_title_free);
    g_clear_pointer(&self->job, session_job_free);
    g_queue_clear_full(&self->jobs, free_job);
    job_table_end_all(tool_context_jobs(self->engine.context)); // they speak to the hub
    event_hub_free(self->hub);
    slash_set_free(self->slash_set);
    engine_clear(&self->engine);
    if (self->parent)
        g_ptr_array_remove(self->parent->children, self);
}

void agent_session_free(AgentSession *self)
{
    if (!self)
        return;
    agent_session_stop(self);
    questions_free(self->questions);
    setup_slot_free(self->setup);
    budget_free(self->means.budget);
    usage_notes_free(self->means.usages);
    todo_list_free(self->parts.todos);
    found_tools_unref(self->parts.found);
    allowances_free(self->parts.allowances);
    repo_reads_free(self->parts.reads);
    hook_list_free(self->parts.hooks);
    run_controls_free(self->controls);
    message_queue_free(self->steering);
    message_queue_free(self->follow_ups);
    session_view_clear(&self->view);
    g_ptr_array_unref(self->aborts);
    g_ptr_array_unref(self->children);
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->failure);
    worker_pool_free(self->own_pool);
    http_client_free(self->own_http);
    g_clear_pointer(&self->model_scope, g_array_unref);
    model_registry_free(self->own_registry);
    plan_mode_free(self->parts.plan_mode);
    g_free(self->plan.file);
    session_tools_clear(&self->tools);
    settings_unref(self->settings);
    g_ptr_array_unref(self->old_settings);
    g_free(self->saved_tier);
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

HookList *agent_session_hooks(AgentSession *self)
{
    return self->parts.hooks;
}

SlashSet *agent_session_slash_set(AgentSession *self)
{
    return self->slash_set;
}

void agent_session_begin_child_wait(AgentSession *self)
{
    if (self->parent) // whose run is in a pool
        worker_begin_waiting(self->worker);
}

void agent_session_end_child_wait(AgentSession *self)
{
    if (self->parent) // whose run is in a pool
        worker_end_waiting(self->worker);
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
