/*
 * The commands of a conversation that choose how it goes on, and those that say what there is to
 * choose from (agent_session.h).
 */
#include "conversation/agent_session.h"

#include "base/timefmt.h"
#include "conversation/agent_session_private.h"
#include "model/message.h"
#include "model/model_scope.h"
#include "session/entry_head.h"
#include "tool/settings_save.h"

#define SAVE_PATIENCE_MS 1000 // for another program that is saving settings

// ---- the setup of the next turn ----

void agent_session_update_setup(AgentSession *self, const ToolSet *tools)
{
    g_autoptr(TurnSetup) now = self->setup ? setup_slot_get(self->setup) : NULL;
    const PromptOptions prompt = {
        .cwd = self->cwd,
        .agent_dir = self->agent_dir,
        .system_prompt = self->system_prompt,
        .append_prompt = self->append_prompt,
        .now_ms = time_now_ms(),
    };
    g_autoptr(ToolSet) chosen = tools ? agent_session_take_tools(self, tools) : NULL;
    const TurnSetupSpec spec = {
        .model = self->model,
        .is_model_named = self->is_model_named,
        .thinking = self->thinking,
        .settings = self->settings,
        .tools = chosen ? chosen : now->tools,
        .found = self->parts.found,
        .prompt = &prompt,
        .prompt_of = tools ? NULL : now,
        .in_place_of = agent_session_model_before_plan(self),
        .has_intent_tracing = settings_get_bool(self->settings, "tools.intentTracing"),
    };
    TurnSetup *setup = turn_setup_new(&spec);
    if (self->setup)
        setup_slot_set(self->setup, setup);
    else
        self->setup = setup_slot_new(setup);
}

// ---- models and thinking ----

static void choose_model(AgentSession *self, const Model *model)
{
    self->model = model;
    self->is_model_named = false;
    agent_session_update_setup(self, NULL);
}

bool agent_session_set_model(AgentSession *self, const char *provider, const char *model_id,
                             GError **error)
{
    const Model *model = model_registry_find(self->registry, provider, model_id);
    if (!model)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Model not found: %s/%s", provider,
                         model_id);
    if (!model_registry_is_available(self->registry, model, false))
        return model_registry_fail_key(model, error);
    choose_model(self, model);
    return true;
}

bool agent_session_is_scoped(const AgentSession *self)
{
    return self->model_scope != NULL;
}

/* The `i`th of `count` to go to from `now`, which is `count` where one is not among them. */
static size_t place_after(size_t now, size_t i, size_t count, bool is_backward)
{
    size_t before = MIN(now, count); // of one that is not there: the first, or the last
    return is_backward ? (before + 2 * count - 1 - i) % count
                       : ((now < count ? now + 1 : 0) + i) % count;
}

static bool cycle_through(AgentSession *self, const GArray *scope, bool is_backward,
                          const char **ret_role)
{
    guint now = 0, count = scope->len;
    while (now < count && g_array_index(scope, ModelChoice, now).model != self->model)
        now++;
    for (guint i = 0; i < count; i++) {
        size_t place = place_after(now, i, count, is_backward);
        const ModelChoice *next = &g_array_index(scope, ModelChoice, place);
        if (next->model == self->model ||
            !model_registry_is_available(self->registry, next->model, false))
            continue;
        choose_model(self, next->model);
        if (next->has_level)
            agent_session_set_thinking(self, next->level);
        *ret_role = next->role;
        return true;
    }
    return false;
}

bool agent_session_cycle_model(AgentSession *self, bool is_backward, const char **ret_role)
{
    *ret_role = NULL;
    if (self->model_scope)
        return cycle_through(self, self->model_scope, is_backward, ret_role);
    const json_t *roles = settings_get_json(self->settings, "cycleOrder");
    g_autoptr(GArray) of_roles = model_scope_of_roles(self->registry, roles);
    if (of_roles && of_roles->len > 1)
        return cycle_through(self, of_roles, is_backward, ret_role);
    size_t count = 0, now = 0;
    const Model *const *models = model_registry_all(self->registry, &count);
    while (now < count && models[now] != self->model)
        now++;
    for (size_t i = 0; i < count; i++) {
        const Model *next = models[place_after(now, i, count, is_backward)];
        if (next == self->model || next->is_deprecated ||
            !model_registry_is_available(self->registry, next, false))
            continue;
        choose_model(self, next);
        return true;
    }
    return false;
}

json_t *agent_session_available_models(const AgentSession *self)
{
    size_t count = 0;
    const Model *const *models = model_registry_all(self->registry, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        bool is_offered = !models[i]->is_deprecated || models[i] == self->model;
        if (is_offered && model_registry_is_available(self->registry, models[i], false))
            json_append_take(list, model_to_json(models[i]));
    }
    return list;
}

void agent_session_set_thinking(AgentSession *self, ThinkingLevel level)
{
    g_autoptr(TurnSetup) before = setup_slot_get(self->setup);
    self->thinking = level;
    agent_session_update_setup(self, NULL);
    g_autoptr(TurnSetup) now = setup_slot_get(self->setup);
    if (before->thinking == now->thinking)
        return;
    json_t *event = agent_event_new(EVENT_THINKING_LEVEL_CHANGED);
    json_set_text(event, "level", thinking_level_name(now->thinking));
    event_hub_publish(self->hub, event);
}

ThinkingLevel agent_session_thinking(AgentSession *self)
{
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    return setup->thinking;
}

bool agent_session_cycle_thinking(AgentSession *self)
{
    ThinkingLevel now = agent_session_thinking(self);
    for (int i = 1; i <= THINKING_XHIGH; i++) {
        ThinkingLevel next = (ThinkingLevel)(((int)now + i) % (THINKING_XHIGH + 1));
        if (model_clamp_thinking(self->model, next) != next)
            continue;
        agent_session_set_thinking(self, next);
        return true;
    }
    return false;
}

// ---- how a run goes on ----

/* Into the user's settings. */
static bool agent_session_save(AgentSession *self, const char *key, const char *text,
                               GError **error)
{
    g_autoptr(json_t) value = json_text(text);
    const char *const parts[] = { key, NULL };
    const SettingChange change = { .parts = parts, .value = value };
    g_autoptr(Cancel) patience = cancel_new_timed(self->scope, SAVE_PATIENCE_MS);
    return settings_save(self->agent_dir, &change, 1, patience, error);
}

const char *agent_session_service_tier(const AgentSession *self)
{
    return self->saved_tier ? self->saved_tier : settings_get_text(self->settings, "serviceTier");
}

bool agent_session_set_service_tier(AgentSession *self, const char *tier, GError **error)
{
    if (!self->agent_dir)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "this conversation has no directory for settings");
    if (!agent_session_save(self, "serviceTier", tier, error))
        return false;
    g_free(self->saved_tier);
    self->saved_tier = g_strdup(tier);
    return true;
}

/* That it cannot be written is told, and changes nothing else. */
static void save_mode(AgentSession *self, const char *key, const char *mode)
{
    g_autoptr(GError) error = NULL;
    if (!self->agent_dir || agent_session_save(self, key, mode, &error))
        return;
    g_autofree char *text = g_strdup_printf("%s is not saved: %s", key, error->message);
    event_hub_publish_notice(self->hub, "warning", text);
}

bool agent_session_set_queue_mode(AgentSession *self, bool is_steering, const char *mode,
                                  GError **error)
{
    if (!g_str_equal(mode, "all") && !g_str_equal(mode, "one-at-a-time"))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "mode must be \"all\" or \"one-at-a-time\", not \"%s\"", mode);
    message_queue_set_mode(is_steering ? self->steering : self->follow_ups, mode);
    save_mode(self, is_steering ? "steeringMode" : "followUpMode", mode);
    return true;
}

void agent_session_set_interrupts(AgentSession *self, bool is_wanted)
{
    run_controls_set_interrupts(self->controls, is_wanted);
    save_mode(self, "interruptMode", is_wanted ? "immediate" : "wait");
}

void agent_session_set_auto_retry(AgentSession *self, bool is_wanted)
{
    run_controls_set_retries(self->controls, is_wanted);
}

void agent_session_abort_retry(AgentSession *self)
{
    run_controls_stop_waiting(self->controls);
}

// ---- figures ----

typedef struct Sums {
    gint64 user, assistant, results;
    EntryUsage usage;
} Sums;

static void sum_message(Sums *sums, const char *role, const EntryUsage *usage)
{
    sums->user += g_str_equal(role, "user");
    sums->results += g_str_equal(role, "toolResult");
    if (!g_str_equal(role, "assistant") || !usage)
        return;
    sums->assistant++;
    sums->usage.calls += usage->calls;
    sums->usage.input += usage->input;
    sums->usage.output += usage->output;
    sums->usage.cache_read += usage->cache_read;
    sums->usage.cache_write += usage->cache_write;
    sums->usage.total += usage->total;
    sums->usage.cost += usage->cost;
}

json_t *agent_session_stats(AgentSession *self)
{
    Sums sums = { 0 };
    g_autoptr(GPtrArray) heads = session_view_heads(&self->view);
    json_each (heads ? NULL : session_view_messages(&self->view), i, message) {
        EntryUsage usage = entry_usage_of(message);
        sum_message(&sums, message_role(message), &usage);
    }
    for (guint i = 0; heads && i < heads->len; i++) {
        const EntryHead *head = heads->pdata[i];
        sum_message(&sums, head->role, head->usage);
    }
    const EntryUsage *used = &sums.usage;
    json_t *tokens =
        json_make("input:%jd output:%jd cacheRead:%jd cacheWrite:%jd total:%jd", used->input,
                  used->output, used->cache_read, used->cache_write, used->total);
    return json_make("sessionFile:%s sessionId:%s userMessages:%jd assistantMessages:%jd "
                     "toolCalls:%jd toolResults:%jd totalMessages:%jd tokens:%p cost:%p",
                     self->view.path, json_get_text(self->view.header, "id"), sums.user,
                     sums.assistant, used->calls, sums.results,
                     (gint64)session_view_count(&self->view), tokens, json_real(used->cost));
}

char *agent_session_system_prompt(AgentSession *self)
{
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    const char *const *blocks = turn_setup_system_blocks(setup, NULL, NULL);
    return blocks ? g_strjoinv("\n\n", (char **)blocks) : NULL;
}
