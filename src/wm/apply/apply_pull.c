/*
 * create_pull_request (task-engine §6.10): from the commits of the work tree to a pull request with
 * its labels and reviewers. Every step may find that an earlier attempt has done it.
 */
#include "wm/apply/apply_private.h"

#include "base/env.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "wm/task/labels.h"
#include "wm/task/wm_log.h"
#include "wm/workspace/feature_branch.h"
#include "wm/workspace/run_dir.h"

#include <inttypes.h>

#define DEFAULT_SERVER_URL "https://github.com"

typedef struct Branches {
    char *current; // and on GitHub
    char *base, *usual;
    char *made;  // by this run, before it got another name on GitHub; NULL: it is somebody else's
    char *spare; // one that the run may make on GitHub
} Branches;

static void branches_clear(Branches *self)
{
    g_free(self->current);
    g_free(self->base);
    g_free(self->usual);
    g_free(self->made);
    g_free(self->spare);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Branches, branches_clear)

/* The branch that the run made, and one that it could have made when it began. By its own word: an
   agent that forges it gets a branch of another name by it, and nothing more. Callers free;
   *ret_made NULL: none. */
static void branches_of_run(const Applier *self, char **ret_made, char **ret_spare)
{
    g_auto(WmRunDir) dir = { 0 };
    g_autoptr(json_t) activation = NULL;
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    bool is_open = wm_run_dir_open(self->spec->run_dir, &dir, NULL);
    if (is_open && wm_run_dir_read_json(&dir, "activation.json", &activation, NULL))
        *ret_made = g_strdup(json_get_text(activation, "branch"));
    g_autoptr(GDateTime) start = is_open ? g_date_time_new_from_iso8601(dir.started_at, utc) : NULL;
    gint64 at_ms = start ? g_date_time_to_unix(start) * 1000 : time_now_ms();
    *ret_spare = wm_branch_name(self->spec->task->name, at_ms);
}

/* What is on no branch, or on one that gets no commits of a run, goes to a branch of the run's own:
   the local name says nothing of where a push goes. */
static bool is_of_its_own(const Branches *branches)
{
    const char *current = branches->current;
    return strcmp(current, "HEAD") != 0 && strcmp(current, branches->base) != 0 &&
           strcmp(current, branches->usual) != 0;
}

/* Takes over `name`. */
static void set_own_branch(Branches *branches, char *name)
{
    g_free(branches->current);
    g_free(branches->made);
    branches->current = name;
    branches->made = g_strdup(name);
}

static bool find_branches(Applier *self, Branches *ret_branches, GError **error)
{
    g_autofree char *made = NULL;
    const char *of_policy = wm_handler_text(self->handler, "base-branch");
    branches_of_run(self, &made, &ret_branches->spare);
    if (!wm_git_branch(&self->git, self->cancel, &ret_branches->current, error) ||
        !apply_default_branch(self, &ret_branches->usual, error))
        return false;
    ret_branches->base = g_strdup(of_policy ? of_policy : ret_branches->usual);
    if (!is_of_its_own(ret_branches))
        set_own_branch(ret_branches, g_strdup(ret_branches->spare));
    else if (g_strcmp0(made, ret_branches->current) == 0)
        ret_branches->made = g_steal_pointer(&made);
    const char *const names[] = { ret_branches->current, ret_branches->base };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (!wm_git_branch_name_is_valid(&self->git, names[i], self->cancel))
            return fail_with(error, KEDGE_ERROR_DENIED, "\"%s\" is no name of a branch", names[i]);
    return true;
}

/* Pull requests of the branch that are open: their list. Caller frees. */
static char *list_path(const Applier *self, const char *branch)
{
    g_auto(GStrv) parts = g_strsplit(self->spec->repo, "/", 2);
    g_autofree char *encoded = wm_encode(branch);
    return apply_path(self, "/pulls?state=open&head=%s:%s", parts[0], encoded);
}

/* *ret_is_taken: GitHub has a branch of that name, with commits that are not ours. */
static bool is_taken(Applier *self, const char *name, bool *ret_is_taken, GError **error)
{
    g_autofree char *ref = g_strconcat("refs/heads/", name, NULL), *there = NULL;
    const char *const ask[] = { "ls-remote", "--", "origin", ref, NULL };
    if (!wm_git(&self->git, ask, 0, self->cancel, &there, error))
        return false;
    size_t size = strspn(there, "0123456789abcdef");
    g_autofree char *sha = g_strndup(there, size);
    const char *const compare[] = { "merge-base", "--is-ancestor", sha, "HEAD", NULL };
    int status = 1;
    *ret_is_taken =
        size > 0 && (!wm_git_ask(&self->git, compare, 0, self->cancel, &status, NULL, NULL, NULL) ||
                     status != 0);
    return cancel_check(self->cancel, error);
}

/* Runs of one second make branches of one name, each in a checkout of its own (D23): where GitHub
   has that of another run, ours goes there as -2 to -9. *ret_has_moved: it has another name now. */
static bool set_apart(Applier *self, Branches *branches, bool *ret_has_moved, GError **error)
{
    *ret_has_moved = false;
    if (!branches->made || self->is_staged)
        return true;
    for (int i = 1; i <= WM_BRANCH_MAX_SUFFIX; i++) {
        g_autofree char *name =
            i == 1 ? g_strdup(branches->made) : g_strdup_printf("%s-%d", branches->made, i);
        bool is_other = false;
        if (!is_taken(self, name, &is_other, error))
            return false;
        if (is_other)
            continue;
        *ret_has_moved = strcmp(name, branches->current) != 0;
        if (*ret_has_moved)
            wm_say("wm %s: safe-outputs: branch %s is another run's on GitHub; ours is %s there",
                   self->spec->actor, branches->current, name);
        g_free(branches->current);
        branches->current = g_steal_pointer(&name);
        return true;
    }
    return fail_with(error, KEDGE_ERROR_FAILED, "branches %s to %s-%d are other runs' on GitHub",
                     branches->made, branches->made, WM_BRANCH_MAX_SUFFIX);
}

/* Are the commits in the pull request already? */
static bool has_commits(Applier *self, const json_t *pull)
{
    const char *head = json_string_value(json_get_path(pull, "head.sha"));
    const char *const args[] = { "merge-base", "--is-ancestor", "--end-of-options", "HEAD", head,
                                 NULL };
    int status = 1;
    return head && wm_git_ask(&self->git, args, 0, self->cancel, &status, NULL, NULL, NULL) &&
           status == 0;
}

/* *ret_is_other: there is one already, not of an earlier attempt, and it has the commits. */
static bool find_other(Applier *self, Branches *branches, bool *ret_is_other, GError **error)
{
    g_autofree char *path = list_path(self, branches->current);
    g_autofree char *title = apply_title(self);
    g_autoptr(json_t) pulls = NULL;
    bool has_moved = false;
    *ret_is_other = false;
    if (!apply_get(self, path, &pulls, error))
        return false;
    const json_t *pull = json_array_get(pulls, 0);
    if (!pull || (self->record && apply_record_step(self->record, self->index, self->hash, "pull")))
        return true;
    if (self->is_open && g_strcmp0(json_get_text(pull, "title"), title) == 0)
        return true;
    if (!set_apart(self, branches, &has_moved, error))
        return false;
    if (has_moved)
        return true;
    if (!has_commits(self, pull)) {
        wm_say("wm %s: safe-outputs: branch %s has pull request #%" PRId64
               ", which lacks these commits; they go to %s",
               self->spec->actor, branches->current, json_get_int(pull, "number", 0),
               branches->spare);
        set_own_branch(branches, g_strdup(branches->spare));
        return set_apart(self, branches, &has_moved, error);
    }
    apply_take(self, pull);
    apply_skip(self, "branch %s already has pull request #%" PRId64, branches->current,
               self->number);
    *ret_is_other = true;
    return true;
}

/* Another run may have pushed in the meantime. */
static bool applier_push(Applier *self, Branches *branches, GError **error)
{
    for (int i = 1;; i++) {
        g_autoptr(GError) failed = NULL;
        bool has_changed = false, has_moved = false;
        if (apply_push(self, branches->current, true, &has_changed, &failed))
            return true;
        if (i < WM_BRANCH_MAX_SUFFIX && set_apart(self, branches, &has_moved, NULL) && has_moved)
            continue;
        return pass_error(error, &failed);
    }
}

static bool count_commits(Applier *self, const char *base, int64_t *ret_count, GError **error)
{
    g_autofree char *range = g_strdup_printf("refs/remotes/origin/%s..HEAD", base);
    const char *const args[] = { "rev-list", "--count", "--end-of-options", range, NULL };
    g_autofree char *text = NULL;
    // what the agent's .git says of the base decides nothing that is guarded
    bool is_fresh = self->git.is_quarantined && apply_guards_files(self);
    g_autoptr(GError) failed = NULL;
    if (is_fresh && !apply_fetch(self, base, &failed)) {
        g_propagate_error(error, g_steal_pointer(&failed));
        g_prefix_error(error, "cannot compare with origin/%s: ", base);
        return false;
    }
    if (!wm_git(&self->git, args, 0, self->cancel, &text, NULL) &&
        !(apply_fetch(self, base, &failed) &&
          wm_git(&self->git, args, 0, self->cancel, &text, &failed))) {
        g_propagate_error(error, g_steal_pointer(&failed));
        g_prefix_error(error, "cannot compare with origin/%s: ", base);
        return false;
    }
    if (!str_parse_int(text, ret_count))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "cannot compare with origin/%s: \"%s\"", base,
                         text);
    const char *const ask_head[] = { "rev-parse", "HEAD", NULL };
    g_autofree char *head = NULL;
    if (!wm_git(&self->git, ask_head, 0, self->cancel, &head, error))
        return false;
    if (g_strcmp0(head, self->spec->start) == 0)
        *ret_count = 0; // what a person has not pushed yet is no work of the run
    return true;
}

/* A branch of GitHub that is neither kedge's nor the one that this run is about gets no commits: an
   agent could have checked out any. */
static bool check_remote_branch(Applier *self, const char *branch, GError **error)
{
    const char *of_run = env_get_raw("GITHUB_REF_NAME");
    if (!self->git.is_quarantined || self->is_staged || str_has_prefix(branch, WM_BRANCH_PREFIX) ||
        g_strcmp0(branch, of_run) == 0)
        return true;
    g_autofree char *ref = g_strconcat("refs/heads/", branch, NULL);
    const char *const ask[] = { "ls-remote", "--", "origin", ref, NULL };
    const char *const here[] = { "rev-parse", "HEAD", NULL };
    g_autofree char *there = NULL, *head = NULL;
    if (!wm_git(&self->git, ask, 0, self->cancel, &there, error) ||
        !wm_git(&self->git, here, 0, self->cancel, &head, error))
        return false;
    if (*there != '\0' && !str_has_prefix(there, head))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "branch \"%s\" is on GitHub already and is not one of this run; commit to "
                         "a branch of its own",
                         branch);
    return true;
}

static bool is_same_pull(const json_t *element, const json_t *body)
{
    return g_strcmp0(json_string_value(json_get_path(element, "head.ref")),
                     json_get_text(body, "head")) == 0;
}

static bool is_draft(const Applier *self)
{
    bool of_config = self->spec->project->config->pr_is_draft;
    bool of_policy = json_get_bool(self->handler->options, "draft", of_config);
    return json_get_bool(self->item.fields, "draft", of_policy);
}

static const json_t *labels_of(const Applier *self)
{
    return json_get_array(self->item.fields, "labels");
}

static bool post_pull(Applier *self, const Branches *branches, json_t **ret_pull, GError **error)
{
    g_autofree char *title = apply_title(self);
    g_autofree char *text = apply_made_text(self, apply_text(self, "body"));
    g_autoptr(json_t) body = json_make("title:%s body:%s head:%s base:%s draft:%i", title, text,
                                       branches->current, branches->base, is_draft(self));
    g_autofree char *path = apply_path(self, "/pulls");
    g_autofree char *list = list_path(self, branches->current);
    const ApplyPost post = {
        .step = "pull", .path = path, .body = body, .list = list, .is_it = is_same_pull
    };
    g_autoptr(GError) failed = NULL;
    if (apply_post(self, &post, ret_pull, &failed))
        return true;
    if (is_draft(self) && wm_api_status(failed) == 422 && wm_api_says(failed, "draft")) {
        apply_warn(self, "this repository has no draft pull requests; it is not one");
        json_set_bool(body, "draft", false);
        return apply_post(self, &post, ret_pull, error);
    }
    return pass_error(error, &failed);
}

/* Step 9: what could not be a pull request. `cause` is that of post_pull(). */
static bool post_issue(Applier *self, const Branches *branches, const GError *cause, GError **error)
{
    const char *server = env_get_raw("GITHUB_SERVER_URL");
    g_autofree char *head = g_uri_escape_string(branches->current, "/", false);
    g_autofree char *base = g_uri_escape_string(branches->base, "/", false);
    g_autofree char *whole =
        g_strdup_printf("%s\n\nA pull request could not be opened. Compare: %s/%s/compare/%s...%s",
                        apply_text(self, "body"), server ? server : DEFAULT_SERVER_URL,
                        self->spec->repo, base, head);
    g_autofree char *text = apply_made_text(self, whole);
    g_autofree char *title = apply_title(self);
    g_autoptr(json_t) body = json_object(), answer = NULL;
    json_add(body, "title:%s body:%s", title, text);
    if (json_array_size(labels_of(self)) > 0)
        json_object_set(body, "labels", (json_t *)labels_of(self));
    g_autofree char *path = apply_path(self, "/issues");
    g_autofree char *list = apply_path(self, "/issues?state=all");
    const ApplyPost post = {
        .step = "issue", .path = path, .body = body, .list = list, .is_it = apply_is_titled
    };
    if (!apply_post(self, &post, &answer, error))
        return false;
    apply_take(self, answer);
    apply_warn(self, "opened issue #%" PRId64 " instead: %s", self->number, cause->message);
    return true;
}

/* Does the failure mean that pull requests cannot be opened here at all? */
static bool may_be_issue(const Applier *self, const GError *failed)
{
    int status = wm_api_status(failed);
    return json_get_bool(self->handler->options, "fallback-as-issue", false) &&
           (status == 403 || status == 422) && !wm_api_says(failed, "already exists");
}

static void add_people(Applier *self, const json_t *pull)
{
    g_autoptr(json_t) assignees = wm_handler_list(self->handler, "assignees");
    if (json_array_size(assignees) > 0) {
        g_autofree char *path = apply_path(self, "/issues/%" PRId64 "/assignees", self->number);
        g_autoptr(json_t) body = json_pack("{s:O}", "assignees", assignees);
        g_autoptr(GError) failed = NULL;
        if (!apply_call(self, "POST", path, body, NULL, &failed))
            apply_warn(self, "assignees of #%" PRId64 ": %s", self->number, failed->message);
    }
    g_autoptr(json_t) of_policy = wm_handler_list(self->handler, "reviewers");
    g_autoptr(json_t) all =
        wm_text_list_merge(of_policy, self->spec->project->config->pr_reviewers);
    const char *author = json_string_value(json_get_path(pull, "user.login"));
    g_autoptr(json_t) others = json_array();
    for (size_t i = 0; i < json_array_size(all); i++)
        if (!str_equal_nocase(json_string_value(json_array_get(all, i)), author))
            json_array_append(others, json_array_get(all, i));
    g_autofree char *number = g_strdup_printf("%" PRId64, self->number);
    g_autoptr(GError) failed = NULL;
    if (json_array_size(others) > 0 && !apply_request_reviewers(self, number, others, &failed))
        apply_warn(self, "reviewers of #%" PRId64 ": %s", self->number, failed->message);
}

/* Step 8; failures are warnings. */
static void finish_pull(Applier *self, const json_t *pull)
{
    if (self->is_staged)
        return;
    if (json_array_size(labels_of(self)) > 0) {
        g_autofree char *path = apply_path(self, "/issues/%" PRId64 "/labels", self->number);
        g_autoptr(json_t) body = json_pack("{s:O}", "labels", labels_of(self));
        g_autoptr(GError) failed = NULL;
        if (!apply_call(self, "POST", path, body, NULL, &failed))
            apply_warn(self, "labels of #%" PRId64 ": %s", self->number, failed->message);
    }
    add_people(self, pull);
}

static bool open_pull(Applier *self, const Branches *branches, const char *files, GError **error)
{
    if (!apply_ensure_labels(self, labels_of(self), error)) {
        g_prefix_error(error, "ensure labels: ");
        return false;
    }
    g_autoptr(json_t) pull = NULL;
    g_autoptr(GError) failed = NULL;
    if (!post_pull(self, branches, &pull, &failed)) {
        if (may_be_issue(self, failed))
            return post_issue(self, branches, failed, error);
        bool is_setting = wm_api_says(failed, "not permitted to create");
        g_propagate_error(error, g_steal_pointer(&failed));
        g_prefix_error(error,
                       "branch %s is pushed, the pull request is not opened%s: ", branches->current,
                       is_setting ? " (allow it under Settings, Actions, General, or set "
                                    "fallback-as-issue)"
                                  : "");
        return false;
    }
    apply_take(self, pull);
    finish_pull(self, pull);
    if (files && !self->is_staged)
        apply_files_review(self, self->number, files);
    return true;
}

bool apply_create_pull_request(Applier *self, GError **error)
{
    static const char nothing[] = "no pull request opened";
    g_auto(Branches) branches = { 0 };
    if (!find_branches(self, &branches, error))
        return false;
    bool is_other = false;
    int64_t count = 0;
    if (!count_commits(self, branches.base, &count, error))
        return false;
    if (count == 0)
        return apply_no_changes(self, branches.base, nothing, error);
    if (!find_other(self, &branches, &is_other, error))
        return false;
    if (is_other)
        return true;
    ApplyProtected action = PROTECTED_NONE;
    g_autofree char *files = NULL, *title = apply_title(self);
    if (!apply_check_run_files(self, branches.base, error) ||
        !apply_check_files(self, branches.base, &action, &files, error))
        return false;
    if (action == PROTECTED_ISSUE)
        return apply_files_issue(self, title, files, error);
    return check_remote_branch(self, branches.current, error) &&
           applier_push(self, &branches, error) && open_pull(self, &branches, files, error);
}
