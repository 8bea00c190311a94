/*
 * What is wrong with one task (validate_task.h).
 */
#include "wm/compile/validate_task.h"

#include "base/utf8.h"
#include "wm/engine/engine.h"
#include "wm/engine/judge.h"
#include "wm/task/gate_date.h"
#include "wm/task/policy.h"
#include "wm/task/template.h"
#include "wm/task/trigger_words.h"
#include "wm/task/triggers.h"

typedef struct Check {
    const WmTask *task;
    const WmConfig *config;
    GPtrArray *problems, *warnings;
} Check;

static const json_t *check_gate(const Check *self, const char *key)
{
    const json_t *value = json_object_get(json_get_object(self->task->on, WM_GATES), key);
    return json_is_null(value) ? NULL : value;
}

static void check_expressions(const Check *self)
{
    bool is_fatal = self->config->expressions == WM_EXPRESSIONS_ERROR;
    if (self->config->expressions != WM_EXPRESSIONS_OFF)
        wm_template_check(self->task, is_fatal ? self->problems : self->warnings, self->warnings);
}

bool wm_task_names_engine(const WmTask *task)
{
    const json_t *engine = json_object_get(task->front, "engine");
    const char *name =
        json_is_object(engine) ? json_get_text(engine, "id") : json_string_value(engine);
    return name && !utf8_is_blank(name);
}

static void check_activation(const Check *self)
{
    const char *reaction;
    WmEngineKind kind;
    g_autoptr(GError) bad_reaction = NULL, bad_engine = NULL;
    if (!wm_task_reaction(self->task, &reaction, &bad_reaction))
        wm_note(self->problems, WM_KEY("on", "reaction"), "%s", bad_reaction->message);
    if (wm_task_names_engine(self->task) &&
        !wm_engine_find(self->task, self->config, &kind, &bad_engine))
        wm_note(self->problems, WM_KEY("engine"), "%s", bad_engine->message);
}

static void check_schedule(const Check *self)
{
    bool matches_any = false;
    g_autoptr(GPtrArray) crons G_GNUC_UNUSED =
        wm_task_crons(self->task, self->warnings, &matches_any);
    if (matches_any)
        wm_note(self->warnings, WM_KEY("on", "schedule"),
                "on.schedule is empty: the task starts at every tick");
}

static bool has_trigger(const Check *self, const char *key)
{
    return json_object_get(self->task->on, key) != NULL;
}

bool wm_role_is_known(const char *role)
{
    static const char *const known[] = { "admin",  "maintain", "maintainer", "write",
                                         "triage", "read",     "all",        NULL };
    return g_strv_contains(known, role);
}

static void check_roles(const Check *self, const char *key)
{
    const json_t *value = check_gate(self, key);
    g_autoptr(json_t) roles = value ? wm_trigger_list(value) : NULL;
    if (value && json_array_size(roles) == 0)
        wm_note(self->warnings, WM_KEY("on", key), "on.%s names no role", key);
    size_t index;
    json_t *role;
    json_array_foreach (roles, index, role)
        if (!wm_role_is_known(json_string_value(role)))
            wm_note(self->warnings, WM_KEY("on", key), "on.%s: \"%s\" is not a role of GitHub", key,
                    json_string_value(role));
}

static void check_gates(const Check *self)
{
    bool is_public = has_trigger(self, "issues") || has_trigger(self, "issue_comment") ||
                     has_trigger(self, "slash_command") || has_trigger(self, "discussion") ||
                     has_trigger(self, "discussion_comment");
    if (is_public && !check_gate(self, "roles") && !self->config->gate_roles)
        wm_note(self->warnings, WM_FILE,
                "public trigger without on.roles; anyone can start this task");
    check_roles(self, "roles");
    check_roles(self, "skip-roles");

    const json_t *stop = check_gate(self, "stop-after");
    const char *date = json_string_value(stop);
    int64_t at_ms;
    if (stop && !(date && (wm_gate_is_relative_date(date) || wm_gate_parse_date(date, &at_ms))))
        wm_note(self->problems, WM_KEY("on", "stop-after"),
                "on.stop-after: neither a date nor a time such as +7d: \"%s\"", date ? date : "");
}

// What gh-aw acts on and kedge does not.
static void check_ignored(const Check *self)
{
    static const char *const keys[] = { "if", "steps", "pre-steps", "post-steps", "jobs" };
    g_autoptr(GString) found = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        if (json_object_get(self->task->front, keys[i]))
            g_string_append_printf(found, "%s%s", found->len > 0 ? ", " : "", keys[i]);
    if (found->len > 0)
        wm_note(self->warnings, WM_FILE, "not interpreted: %s", found->str);
    const GPtrArray *notes = self->task->import_notes;
    for (guint i = 0; notes && i < notes->len; i++)
        wm_note(self->warnings, WM_FILE, "%s", (char *)notes->pdata[i]);
}

/* Of kedge neither, as long as it has no tools for the web and no sandbox. */
static void check_network(const Check *self)
{
    g_autofree char *engine = wm_task_engine(self->task, self->config);
    if (json_object_get(self->task->front, "network"))
        wm_note(self->warnings, WM_KEY("network"), "network: is not enforced for engine %s",
                engine);
}

static void check_judge(const Check *self)
{
    g_autoptr(WmPolicy) policy = wm_policy_new(wm_task_safe_outputs(self->task), NULL);
    g_autoptr(GError) wrong = NULL;
    if (wm_judge_is_wanted(policy->threats) && !wm_judge_check(policy->threats, &wrong))
        wm_note(self->problems, WM_KEY("safe-outputs", "threat-detection"),
                "safe-outputs.threat-detection: %s", wrong->message);
}

void wm_task_validate(const WmTask *task, const WmConfig *config, GPtrArray *problems,
                      GPtrArray *warnings)
{
    const Check self = {
        .task = task,
        .config = config,
        .problems = problems,
        .warnings = warnings,
    };
    check_expressions(&self);
    check_activation(&self);
    check_schedule(&self);
    check_gates(&self);
    check_ignored(&self);
    check_network(&self);
    check_judge(&self);
    wm_task_validate_keys(task, warnings);
}
