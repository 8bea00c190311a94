/*
 * Items by the environment of an agent (emit.h).
 */
#include "wm/apply/emit.h"

#include "base/env.h"
#include "base/str.h"
#include "wm/workspace/feature_branch.h"
#include "wm/workspace/run_dir.h"

#define NOTE_NAME   "policy.json"
#define NOTE_TASK   "task"
#define NOTE_POLICY "safe-outputs"
#define NOTE_PULL   "pull"

static int64_t number_of(const char *variable)
{
    const char *text = env_get_raw(variable);
    int64_t number = 0;
    return text && str_parse_int(text, &number) && number > 0 ? number : 0;
}

// ---- what activation notes ----

bool wm_emit_note(const char *run_dir, const WmTask *task, const json_t *pull, const char *refusal,
                  GError **error)
{
    const WmRunDir dir = { .path = (char *)run_dir };
    const json_t *policy = wm_task_safe_outputs(task);
    g_autoptr(json_t) note = json_object();
    json_set_text(note, NOTE_TASK, task->name);
    if (policy)
        json_set_take(note, NOTE_POLICY, json_deep_copy(policy));
    if (pull) {
        g_autoptr(json_t) one =
            json_make("ref:%s", json_string_value(json_get_path(pull, "head.ref")));
        json_set_int(one, "number", json_get_int(pull, "number", 0));
        if (refusal)
            json_set_text(one, "refusal", refusal);
        json_object_set(note, NOTE_PULL, one);
    }
    return wm_run_dir_write_json(&dir, NOTE_NAME, note, error);
}

/* *ret_note NULL: there is none of this task beside the output file. */
static bool emit_read_note(const char *output_path, const char *task_name, json_t **ret_note,
                           GError **error)
{
    g_autofree char *path = g_path_get_dirname(output_path);
    const WmRunDir dir = { .path = path };
    g_autoptr(json_t) note = NULL;
    g_autoptr(GError) failed = NULL;
    if (!wm_run_dir_read_json(&dir, NOTE_NAME, &note, &failed) &&
        !error_is(failed, KEDGE_ERROR_NOT_FOUND)) {
        g_prefix_error(&failed, NOTE_NAME ": ");
        return pass_error(error, &failed);
    }
    if (note && g_strcmp0(json_get_text(note, NOTE_TASK), task_name) == 0)
        *ret_note = g_steal_pointer(&note);
    return true;
}

// ---- emit ----

bool wm_emit_open(WmEmit *ret_emit, GError **error)
{
    static const char *const names[] = { "WM_REPO_ROOT", "WM_TASK", "WM_SAFE_OUTPUT_FILE" };
    const char *values[G_N_ELEMENTS(names)] = { NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        values[i] = env_get_raw(names[i]);
        if (!values[i])
            return fail_with(error, KEDGE_ERROR_FAILED, "%s is not set", names[i]);
    }
    g_autoptr(WmProject) project = NULL;
    g_autoptr(json_t) given = NULL;
    const WmTask *task = NULL;
    if (!emit_read_note(values[2], values[1], &given, error))
        return false;
    if (!given && (!wm_project_load(values[0], values[1], NULL, &project, error) ||
                   !(task = wm_project_find(project, values[1], error))))
        return false;
    WmPolicy *policy = wm_policy_new(
        given ? json_object_get(given, NOTE_POLICY) : wm_task_safe_outputs(task), NULL);
    *ret_emit = (WmEmit) {
        .policy = policy,
        .path = values[2],
        .scope = {
            .policy = policy,
            .task_name = given ? json_get_text(given, NOTE_TASK) : task->name,
            .repo = env_get_raw("GITHUB_REPOSITORY"),
            .root = values[0],
            .issue = number_of("WM_ISSUE_NUMBER"),
            .pull = number_of("WM_PR_NUMBER"),
            .is_emit = true,
        },
    };
    ret_emit->project = g_steal_pointer(&project);
    ret_emit->given = g_steal_pointer(&given);
    return true;
}

void wm_emit_clear(WmEmit *self)
{
    json_decref(self->given);
    wm_project_free(self->project);
    wm_policy_free(self->policy);
    *self = (WmEmit) { 0 };
}

/* What applying must refuse of a push, as far as it can be known here: the agent can still put it
   right. */
static bool emit_check_push(const WmEmit *self, const json_t *raw, GError **error)
{
    const json_t *pull = json_get_object(self->given, NOTE_PULL);
    const char *ref = json_get_text(pull, "ref"), *refusal = json_get_text(pull, "refusal");
    const WmGit git = { .root = self->scope.root };
    g_autofree char *branch = NULL;
    g_auto(WmItem) item = { 0 };
    if (wm_kind_of(json_get_text(raw, "type")) != WM_PUSH_TO_PULL_REQUEST_BRANCH ||
        !self->policy->handlers[WM_PUSH_TO_PULL_REQUEST_BRANCH].is_enabled)
        return true;
    if (!wm_item_check(&self->scope, raw, &item, error))
        return false;
    bool is_noted = pull && item.number == json_get_int(pull, "number", 0);
    if (is_noted && refusal)
        return fail_with(error, KEDGE_ERROR_DENIED, "push_to_pull_request_branch: %s", refusal);
    if (!wm_git_branch(&git, NULL, &branch, NULL))
        return true; // no checkout that could be asked
    if (strcmp(branch, "HEAD") == 0)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "push_to_pull_request_branch: detached HEAD: commit on the branch of the "
                         "pull request%s%s",
                         is_noted ? ", " : "", is_noted ? ref : "");
    if (is_noted && !wm_branch_is_for_pull(branch, ref))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "push_to_pull_request_branch: current branch \"%s\" must match PR head "
                         "\"%s\"",
                         branch, ref);
    return true;
}

bool wm_emit_append(const WmEmit *self, const json_t *raw, GError **error)
{
    if (emit_check_push(self, raw, error) && wm_items_append(self->path, &self->scope, raw, error))
        return true;
    g_prefix_error(error, "emit: ");
    return false;
}
