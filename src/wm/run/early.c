/* See early.h. */
#include "wm/run/early.h"

#include "base/env.h"
#include "base/secret_names.h"
#include "base/str.h"
#include "wm/apply/apply.h"

#define FETCH_MS ((int64_t)10 * 60 * 1000)

// ---- refusals ----

/* Of all kinds but `other`, those that write: may the task ask for one? */
static bool may_write(const WmPolicy *policy, WmKind other)
{
    for (WmKind kind = 0; kind < WM_KINDS; kind++)
        if (kind != other && wm_kind_table[kind].default_max > 0 &&
            policy->handlers[kind].is_enabled)
            return true;
    return false;
}

/* A key of a model, or an address of one that may want none. */
static bool has_model(void)
{
    g_auto(GStrv) env = env_for_agent();
    for (char **entry = env; *entry; entry++) {
        g_autofree char *name = g_strndup(*entry, strcspn(*entry, "="));
        const char *value = *entry + strlen(name);
        bool is_of_model = secret_is_provider_key(name) || g_str_has_suffix(name, "_BASE_URL") ||
                           str_has_prefix(name, "CLAUDE_") || str_has_prefix(name, "ANTHROPIC_");
        if (is_of_model && *value == '=' && value[1] != '\0')
            return true;
    }
    return false;
}

/* GitHub hands out no secrets to these events when their pull request comes from a fork, and on a
   machine of GitHub's there is no other key. */
static bool check_key(const WmPipeline *self, WmEngineKind engine, GError **error)
{
    static const char *const names[] = { "pull_request", "pull_request_review",
                                         "pull_request_review_comment", NULL };
    const json_t *pull = json_get_object(self->event->payload, "pull_request");
    const char *head = json_string_value(json_get_path(pull, "head.repo.full_name"));
    const char *base = json_string_value(json_get_path(pull, "base.repo.full_name"));
    bool is_hosted = g_strcmp0(env_get_raw("RUNNER_ENVIRONMENT"), "github-hosted") == 0;
    if (!self->git.in_actions || !is_hosted || engine == WM_ENGINE_CUSTOM || !base ||
        !g_strv_contains(names, self->event->name) || str_equal_nocase(head, base) || has_model())
        return true;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "pull request #%" G_GINT64_FORMAT " comes from a fork: GitHub gives its "
                     "events no secrets, so there is no key for a model (a comment with a "
                     "slash_command can start the task)",
                     json_get_int(pull, "number", 0));
}

bool wm_early_check(WmPipeline *self, WmEngineKind engine, Cancel *cancel, GError **error)
{
    WmApi *api = NULL;
    bool writes_here =
        !self->is_staged && !self->is_agent_only && may_write(self->policy, WM_KINDS);
    return wm_apply_check_policy(self->policy, error) && check_key(self, engine, error) &&
           (!writes_here || wm_pipeline_api(self, cancel, &api, error));
}

// ---- the pull request ----

void wm_pull_head_clear(WmPullHead *self)
{
    g_clear_pointer(&self->pull, json_decref);
    g_clear_pointer(&self->ref, g_free);
    g_clear_pointer(&self->commit, g_free);
    g_clear_pointer(&self->refusal, g_free);
}

/* GitHub's answer, which is newer than the event; else the event. NULL: there is none, or it is an
   issue. New reference. */
static json_t *find_pull(WmPipeline *self, Cancel *cancel)
{
    const WmHandler *handler = &self->policy->handlers[WM_PUSH_TO_PULL_REQUEST_BRANCH];
    int64_t fixed = json_integer_value(json_object_get(handler->options, "target"));
    int64_t number = fixed > 0 ? fixed : wm_pipeline_number(self);
    json_t *of_event = json_get_object(self->event->payload, "pull_request");
    WmApi *api = NULL;
    json_t *pull = NULL;
    // a rehearsal's clone has no way to origin
    if (!handler->is_enabled || number <= 0 || self->is_rehearsal)
        return NULL;
    if (wm_pipeline_api(self, cancel, &api, NULL)) {
        g_autofree char *path = wm_path(api, "/pulls/%" G_GINT64_FORMAT, (gint64)number);
        if (wm_api_get(api, path, cancel, &pull, NULL) && json_is_object(pull))
            return pull;
        json_decref(pull);
    }
    return json_get_int(of_event, "number", 0) == number ? json_incref(of_event) : NULL;
}

/* By its name and no ref of ours: many runs may do so at once. */
static bool fetch_head(const WmPipeline *self, WmPullHead *head, Cancel *cancel, GError **error)
{
    static const char *const ask_shallow[] = { "rev-parse", "--is-shallow-repository", NULL };
    const char *sha = json_string_value(json_get_path(head->pull, "head.sha"));
    g_autofree char *shallow = NULL;
    if (!sha || strspn(sha, "0123456789abcdef") != strlen(sha) ||
        !wm_git_branch_name_is_valid(&self->git, head->ref, cancel))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "\"%s\" is no name of a branch",
                         head->ref ? head->ref : "");
    if (!wm_git(&self->git, ask_shallow, 0, cancel, &shallow, error))
        return false;
    bool is_shallow = strcmp(shallow, "true") == 0;
    const char *const args[] = { "fetch",     "-q",
                                 "--no-tags", "--no-recurse-submodules",
                                 "--refmap=", is_shallow ? "--depth=1" : "--no-write-fetch-head",
                                 "--",        "origin",
                                 sha,         NULL };
    if (!wm_git(&self->git, args, FETCH_MS, cancel, NULL, error))
        return false;
    head->commit = g_strdup(sha);
    return true;
}

bool wm_pull_head_find(WmPipeline *self, Cancel *cancel, WmPullHead *ret_head, GError **error)
{
    g_auto(WmPullHead) head = { .pull = find_pull(self, cancel) };
    if (!head.pull)
        return cancel_check(cancel, error);
    g_autoptr(GError) refused = NULL;
    const char *repo = wm_pipeline_repo(self, cancel, error);
    if (!repo)
        return false;
    g_autofree char *usual =
        wm_git_default_branch(&self->git, wm_event_default_branch(self->event), cancel);
    head.ref = g_strdup(json_string_value(json_get_path(head.pull, "head.ref")));
    if (!wm_pull_check(head.pull, repo, usual, &refused)) {
        if (!may_write(self->policy, WM_PUSH_TO_PULL_REQUEST_BRANCH))
            return pass_error(error, &refused);
        wm_pipeline_say(self, "activation: nothing can be pushed: %s", refused->message);
        head.refusal = g_strdup(refused->message);
    } else if (!fetch_head(self, &head, cancel, error)) {
        g_prefix_error(error, "cannot get the branch of the pull request: ");
        return false;
    }
    *ret_head = head;
    head = (WmPullHead) { 0 };
    return true;
}

bool wm_pull_head_check_out(const WmPullHead *self, const WmGit *git, Cancel *cancel,
                            GError **error)
{
    g_autofree char *local = g_strconcat("refs/heads/", self->ref, NULL);
    const char *const ask[] = { "rev-parse", "--verify", "--quiet", local, NULL };
    const char *const is_older[] = { "merge-base", "--is-ancestor", local, self->commit, NULL };
    const char *const args[] = { "checkout", "-q",         "--no-track", "-B",
                                 self->ref,  self->commit, "--",         NULL };
    int status = 1;
    if (!wm_git_ask(git, ask, 0, cancel, &status, NULL, NULL, error))
        return false;
    if (status == 0 && wm_git_ask(git, is_older, 0, cancel, &status, NULL, NULL, NULL) &&
        status != 0)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "branch \"%s\" has commits here that its pull request lacks", self->ref);
    return wm_git(git, args, FETCH_MS, cancel, NULL, error);
}
