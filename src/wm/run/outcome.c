/*
 * What is left of a run (outcome.h).
 */
#include "wm/run/outcome.h"

#include "base/redact.h"
#include "base/str.h"
#include "wm/workspace/run_file.h"

#include <string.h>

#define MAX_RESPONSE_BYTES ((size_t)1024 * 1024) // of the last response that is kept
#define MAX_DURATION_MS    ((int64_t)24 * 60 * 60 * 1000)

static const char *const log_names[] = { "conversation.jsonl", "conversation.json",
                                         "agent-stdout.log" };

// ---- what is written ----

static void set_unless_empty(json_t *object, const char *key, const char *text)
{
    if (!str_is_empty(text))
        json_set_text(object, key, text);
}

static json_t *agent_value(const WmAgentResult *agent)
{
    g_autofree char *response =
        agent->last_response ? str_truncate(agent->last_response, MAX_RESPONSE_BYTES) : NULL;
    json_t *value = json_object();
    json_set_bool(value, "success", agent->is_success);
    json_set_int(value, "exit_code", agent->exit_code);
    set_unless_empty(value, "stdout", agent->tail);
    set_unless_empty(value, "stderr", agent->failure);
    set_unless_empty(value, "summary", agent->tail);
    if (agent->has_timed_out)
        json_set_bool(value, "timed_out", true);
    set_unless_empty(value, "agent_stdout_path", agent->log_path);
    set_unless_empty(value, "safe_output_file_path", agent->output_path);
    set_unless_empty(value, "last_response_text", response);
    return value;
}

static json_t *errors_value(const GPtrArray *errors)
{
    json_t *value = json_array();
    for (unsigned i = 0; i < errors->len; i++)
        json_append_take(value, json_text(g_ptr_array_index(errors, i)));
    return value;
}

/* What result.json and run.json share. */
static void add_outcome(const WmPipeline *self, json_t *value)
{
    const WmRunResult *result = self->result;
    g_autofree char *duration = wm_duration_text(result->duration_ms);
    json_set_text(value, "duration", duration);
    json_set_int(value, "duration_ms", result->duration_ms);
    if (result->errors->len > 0)
        json_set_take(value, "errors", errors_value(result->errors));
    json_set_text(value, "run_dir", self->dir.path);
    set_unless_empty(value, "worktree", result->worktree);
    if (result->has_agent)
        json_set_take(value, "agent_result", agent_value(&result->agent));
    if (json_array_size(result->outputs) > 0)
        json_set_take(value, "outputs", json_incref(result->outputs));
}

bool wm_outcome_write_result(const WmPipeline *self, GError **error)
{
    g_autoptr(json_t) value = json_object();
    json_set_text(value, "phase", self->result->phase);
    json_set_bool(value, "success", self->result->is_success);
    add_outcome(self, value);
    if (self->is_staged)
        json_set_bool(value, "staged", true);
    if (self->is_reported)
        json_set_bool(value, "failure_reported", true);
    if (wm_run_dir_write_json(&self->dir, "result.json", value, error))
        return true;
    g_prefix_error(error, "write run result: ");
    return false;
}

static json_t *usage_value(const WmUsage *usage)
{
    json_t *value = json_object();
    if (usage->cost_usd >= 0)
        json_set_take(value, "cost_usd", json_real(usage->cost_usd));
    if (usage->input_tokens >= 0)
        json_set_int(value, "input_tokens", usage->input_tokens);
    if (usage->output_tokens >= 0)
        json_set_int(value, "output_tokens", usage->output_tokens);
    if (usage->turns >= 0)
        json_set_int(value, "turns", usage->turns);
    return value;
}

bool wm_outcome_write_run(const WmPipeline *self, GError **error)
{
    g_autoptr(json_t) value = json_object();
    json_set_text(value, "run_id", self->dir.id);
    json_set_text(value, "task_name", self->dir.task_name);
    json_set_text(value, "event_name", self->dir.event_name);
    json_set_text(value, "started_at", self->dir.started_at);
    json_set_text(value, "phase", self->result->phase);
    json_set_bool(value, "success", self->result->is_success);
    add_outcome(self, value);
    g_autoptr(json_t) usage = usage_value(&self->result->agent.usage);
    if (json_object_size(usage) > 0)
        json_set_take(value, "usage", json_incref(usage));
    g_autoptr(json_t) judge = usage_value(&self->result->judge_usage);
    if (json_object_size(judge) > 0)
        json_set_take(value, "threat_detection_usage", json_incref(judge));
    if (wm_run_dir_write_json(&self->dir, "run.json", value, error))
        return true;
    g_prefix_error(error, "write run.json: ");
    return false;
}

bool wm_outcome_write_plan(const WmPipeline *self, GError **error)
{
    if (!self->is_staged && json_array_size(self->result->plan) == 0)
        return true;
    g_autoptr(json_t) value = json_object();
    json_set_text(value, "task", self->task->name);
    json_set_bool(value, "staged", true);
    json_set_take(value, "items", json_incref(self->result->plan));
    if (wm_run_dir_write_json(&self->dir, "plan.json", value, error))
        return true;
    g_prefix_error(error, "write plan.json: ");
    return false;
}

bool wm_outcome_mark_reported(const WmRunDir *dir, GError **error)
{
    g_autoptr(json_t) value = NULL;
    if (!wm_run_dir_read_json(dir, "result.json", &value, error))
        return false;
    json_set_bool(value, "failure_reported", true);
    return wm_run_dir_write_json(dir, "result.json", value, error);
}

// ---- what is read again ----

void wm_earlier_clear(WmEarlier *self)
{
    g_clear_pointer(&self->phase, g_free);
    g_clear_pointer(&self->first_error, g_free);
}

/* Text of an agent's file, without known secrets; NULL stays NULL. */
static char *take_text(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return text ? redact_text(text) : NULL;
}

/* A count that no other reader stumbles over; -1: unknown. */
static int64_t take_count(const json_t *object, const char *key)
{
    int64_t count = json_get_int(object, key, -1);
    return MAX(count, -1);
}

static void take_usage(const WmRunDir *dir, WmUsage *usage)
{
    g_autoptr(json_t) run = NULL;
    if (!wm_run_dir_read_json(dir, "run.json", &run, NULL))
        return;
    const json_t *known = json_get_object(run, "usage");
    double cost = json_get_number(known, "cost_usd", -1);
    usage->cost_usd = cost >= 0 ? cost : -1;
    usage->input_tokens = take_count(known, "input_tokens");
    usage->output_tokens = take_count(known, "output_tokens");
    usage->turns = take_count(known, "turns");
}

static void take_agent(const WmRunDir *dir, const json_t *value, WmAgentResult *agent)
{
    agent->is_success = json_get_bool(value, "success", false);
    agent->has_timed_out = json_get_bool(value, "timed_out", false);
    agent->exit_code = (int)CLAMP(json_get_int(value, "exit_code", -1), -1, 255);
    agent->tail = take_text(value, "stdout");
    agent->failure = take_text(value, "stderr");
    agent->last_response = take_text(value, "last_response_text");
    agent->output_path = g_build_filename(dir->path, "output.jsonl", NULL);
    for (size_t i = 0; !agent->log_path && i < G_N_ELEMENTS(log_names); i++)
        if (run_file_exists(dir->path, log_names[i]))
            agent->log_path = g_build_filename(dir->path, log_names[i], NULL);
    take_usage(dir, &agent->usage);
}

bool wm_outcome_read(const WmRunDir *dir, WmEarlier *ret_earlier, WmAgentResult *ret_agent,
                     GError **error)
{
    g_autoptr(json_t) value = NULL;
    if (!wm_run_dir_read_json(dir, "result.json", &value, error))
        return false;
    if (!json_is_object(value))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "no object");
    const json_t *first = json_array_get(json_get_array(value, "errors"), 0);
    const json_t *agent = json_get_object(value, "agent_result");
    *ret_earlier = (WmEarlier) {
        .phase = g_strdup(json_get_text(value, "phase")),
        .has_success = json_object_get(value, "success") != NULL,
        .is_success = json_get_bool(value, "success", false),
        .has_agent = agent != NULL,
        .is_staged = json_get_bool(value, "staged", false),
        .is_reported = json_get_bool(value, "failure_reported", false),
        .first_error = json_is_string(first) ? redact_text(json_string_value(first)) : NULL,
        .duration_ms = CLAMP(json_get_int(value, "duration_ms", 0), 0, MAX_DURATION_MS),
    };
    if (agent)
        take_agent(dir, agent, ret_agent);
    return true;
}
