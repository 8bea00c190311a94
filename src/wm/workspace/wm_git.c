/*
 * git for the task engine (quarantine.h): its environment, names of branches, pushes.
 *
 * What was quarantined gets no replaced objects; hooks run nowhere (base/git.h). A token goes along
 * only in Actions, only for the server's own host, and only with commands that connect; it is in
 * the child's environment, never in its arguments.
 */
#include "wm/workspace/quarantine.h"

#include "base/env.h"
#include "base/git_programs.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/utf8.h"
#include "github/rest/rest.h"

#include <unistd.h>

#define NETWORK_MS       ((int64_t)15 * 60 * 1000)
#define MAX_REASON_BYTES ((size_t)2000)
#define HEADS            "refs/heads/"
#define REMOTE_HEADS     "refs/remotes/origin/"

/* Takes over `env`. */
static char **add_token(const WmGit *self, char **env)
{
    bool is_web = self->server_url && str_has_prefix(self->server_url, "http");
    if (!self->in_actions || !is_web)
        return env;
    g_autofree char *token = rest_server_token(self->server_url);
    if (!token)
        return env;
    g_autofree char *pair = g_strconcat("x-access-token:", token, NULL);
    g_autofree char *encoded = g_base64_encode((const guchar *)pair, strlen(pair));
    g_autofree char *header = g_strconcat("AUTHORIZATION: basic ", encoded, NULL);
    bool has_slash = g_str_has_suffix(self->server_url, "/");
    g_autofree char *key =
        g_strconcat("http.", self->server_url, has_slash ? "" : "/", ".extraheader", NULL);
    return git_env_add(env, key, header);
}

/* NULL-terminated; caller frees with g_strfreev(). */
static char **wm_git_environment(const WmGit *self, const char *command)
{
    static const char *const connecting[] = { "fetch", "push", "ls-remote", NULL };
    char **env = env_for_child(NULL);
    if (self->is_quarantined) {
        env = g_environ_setenv(env, "GIT_NO_REPLACE_OBJECTS", "1", true);
        env = g_environ_setenv(env, "GIT_ATTR_NOSYSTEM", "1", true);
    }
    if (self->is_local) {
        env_drop_secrets(env);
        return g_environ_setenv(env, "GIT_ALLOW_PROTOCOL", "file", true);
    }
    return g_strv_contains(connecting, command) ? add_token(self, env) : env;
}

/* `spec` without its environment; `command` is its subcommand. */
static bool wm_git_start(const WmGit *self, const char *command, const GitSpec *spec,
                         Cancel *cancel, GitResult *ret_result, GError **error)
{
    g_auto(GStrv) env = wm_git_environment(self, command);
    GitSpec whole = *spec;
    whole.env = (const char *const *)env;
    if (git_start(&whole, cancel, ret_result, error))
        return true;
    g_prefix_error(error, "git %s: ", command);
    return false;
}

bool wm_git_ask(const WmGit *self, const char *const *args, int64_t timeout_ms, Cancel *cancel,
                int *ret_status, char **ret_output, char **ret_errors, GError **error)
{
    const GitSpec spec = { .dir = self->root, .args = args, .timeout_ms = timeout_ms };
    g_auto(GitResult) result = { 0 };
    if (!wm_git_start(self, args[0], &spec, cancel, &result, error))
        return false;
    if (ret_status)
        *ret_status = result.exit_status;
    if (ret_output)
        *ret_output = g_steal_pointer(&result.output);
    if (ret_errors)
        *ret_errors = g_steal_pointer(&result.error_output);
    return true;
}

/* The end of what git said, on one line; the cause stands last. Caller frees. */
static char *reason_of(const char *output, const char *errors, int status)
{
    g_autofree char *shown = redact_text(*errors != '\0' ? errors : output);
    size_t size = strlen(shown);
    size_t from =
        size > MAX_REASON_BYTES ? utf8_boundary_after(shown, size, size - MAX_REASON_BYTES) : 0;
    g_auto(GStrv) lines = g_strsplit(shown + from, "\n", -1);
    g_autoptr(GString) text = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        const char *words = g_strstrip(*line);
        if (*words != '\0')
            g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", words);
    }
    if (text->len == 0)
        g_string_append_printf(text, "exit status %d", status);
    return g_string_free(g_steal_pointer(&text), false);
}

static bool fail_status(const char *command, const char *output, const char *errors, int status,
                        GError **error)
{
    g_autofree char *reason = reason_of(output, errors, status);
    return fail_with(error, KEDGE_ERROR_FAILED, "git %s: %s", command, reason);
}

bool wm_git(const WmGit *self, const char *const *args, int64_t timeout_ms, Cancel *cancel,
            char **ret_output, GError **error)
{
    int status = 0;
    g_autofree char *output = NULL, *errors = NULL;
    if (!wm_git_ask(self, args, timeout_ms, cancel, &status, &output, &errors, error))
        return false;
    if (status != 0)
        return fail_status(args[0], output, errors, status, error);
    if (ret_output)
        *ret_output = g_steal_pointer(&output);
    return true;
}

bool wm_git_named(const WmGit *self, const char *const *args, const char *tried, Cancel *cancel,
                  GError **error)
{
    int status = 0;
    g_autofree char *output = NULL, *errors = NULL;
    return wm_git_ask(self, args, 0, cancel, &status, &output, &errors, error) &&
           (status == 0 || fail_status(tried, output, errors, status, error));
}

/* `args` where there is neither a file nor an index: there are no attributes. */
static bool ask_aside(const WmGit *self, const char *const *args, int64_t timeout_ms,
                      Cancel *cancel, char **ret_text, GError **error)
{
    const char *const ask[] = { "rev-parse", "--absolute-git-dir", NULL };
    g_autofree char *git_dir = NULL, *empty = g_dir_make_tmp("kedge-diff-XXXXXX", error);
    if (!empty)
        return false;
    g_autofree char *index = g_build_filename(empty, "index", NULL);
    g_autofree char *tree_option = g_strconcat("--work-tree=", empty, NULL);
    bool is_found = wm_git(self, ask, 0, cancel, &git_dir, error);
    g_autofree char *dir_option = g_strconcat("--git-dir=", git_dir ? git_dir : "", NULL);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, dir_option);
    g_ptr_array_add(words, tree_option);
    for (const char *const *arg = args; *arg; arg++)
        g_ptr_array_add(words, (char *)*arg);
    g_ptr_array_add(words, NULL);
    const GitSpec spec = {
        .dir = empty,
        .args = (const char *const *)words->pdata,
        .index_file = index,
        .timeout_ms = timeout_ms,
    };
    g_auto(GitResult) result = { 0 };
    bool is_done = is_found && wm_git_start(self, args[0], &spec, cancel, &result, error);
    rmdir(empty);
    if (!is_done)
        return false;
    if (result.exit_status != 0)
        return fail_status(args[0], result.output, result.error_output, result.exit_status, error);
    *ret_text = g_steal_pointer(&result.output);
    return true;
}

bool wm_git_diff(const WmGit *self, const char *range, int64_t timeout_ms, Cancel *cancel,
                 char **ret_diff, GError **error)
{
    const char *const args[] = { "diff", "--no-color", "--unified=0", "--end-of-options",
                                 range,  "--",         NULL };
    return ask_aside(self, args, timeout_ms, cancel, ret_diff, error);
}

bool wm_git_log(const WmGit *self, const char *range, WmGitLog what, int64_t timeout_ms,
                Cancel *cancel, char **ret_text, GError **error)
{
    static const char words[] = "--format=%B%n%an <%ae>%n%cn <%ce>";
    bool has_words = what == WM_GIT_LOG_WORDS;
    const char *const args[] = {
        "log",
        "--no-color",
        has_words ? words : "--format=",
        "--unified=0",
        has_words ? "--no-diff-merges" : "--cc", // of a merge what is in neither side
        has_words ? "--no-patch" : "--patch",    // after the two that mean a patch
        "--text",                                // also of files that git calls binary
        "--end-of-options",
        range,
        "--",
        NULL,
    };
    return ask_aside(self, args, timeout_ms, cancel, ret_text, error);
}

bool wm_git_branch(const WmGit *self, Cancel *cancel, char **ret_branch, GError **error)
{
    // not --short: that of a branch with a tag's name is longer
    const char *const ask[] = { "symbolic-ref", "--quiet", "HEAD", NULL };
    const char *const verify[] = { "rev-parse", "--git-dir", NULL };
    int status = 0;
    g_autofree char *ref = NULL;
    if (!wm_git_ask(self, ask, 0, cancel, &status, &ref, NULL, error) ||
        (status != 0 && !wm_git(self, verify, 0, cancel, NULL, error))) {
        g_prefix_error(error, "git current branch: ");
        return false;
    }
    bool is_branch = status == 0 && str_has_prefix(ref, HEADS);
    *ret_branch = g_strdup(is_branch ? ref + strlen(HEADS) : "HEAD");
    return true;
}

bool wm_git_branch_name_is_valid(const WmGit *self, const char *name, Cancel *cancel)
{
    if (str_is_empty(name) || *name == '-' || strcmp(name, "HEAD") == 0)
        return false;
    const char *const args[] = { "check-ref-format", "--branch", name, NULL };
    int status = 0;
    g_autofree char *printed = NULL;
    return wm_git_ask(self, args, 0, cancel, &status, &printed, NULL, NULL) && status == 0 &&
           strcmp(printed, name) == 0; // @{-1} is printed as another name
}

static bool has_ref(const WmGit *self, const char *ref, Cancel *cancel)
{
    const char *const args[] = { "show-ref", "--verify", "--quiet", "--", ref, NULL };
    int status = 0;
    return wm_git_ask(self, args, 0, cancel, &status, NULL, NULL, NULL) && status == 0;
}

char *wm_git_default_branch(const WmGit *self, const char *of_payload, Cancel *cancel)
{
    if (of_payload && wm_git_branch_name_is_valid(self, of_payload, cancel))
        return g_strdup(of_payload);
    const char *const args[] = { "symbolic-ref", "--quiet", REMOTE_HEADS "HEAD", NULL };
    g_autofree char *ref = NULL;
    int status = 0;
    if (wm_git_ask(self, args, 0, cancel, &status, &ref, NULL, NULL) && status == 0 &&
        str_has_prefix(ref, REMOTE_HEADS) &&
        wm_git_branch_name_is_valid(self, ref + strlen(REMOTE_HEADS), cancel))
        return g_strdup(ref + strlen(REMOTE_HEADS));
    bool is_master =
        !has_ref(self, REMOTE_HEADS "main", cancel) && has_ref(self, REMOTE_HEADS "master", cancel);
    return g_strdup(is_master ? "master" : "main");
}

/* What a person can do about it; NULL: git's words are all there is. */
static const char *push_hint(const char *output)
{
    static const struct {
        const char *word, *hint;
    } hints[] = {
        { "GH006",
          "the branch is protected: push to another one, or let the rule pass this token" },
        { "GH013", "a rule of the repository forbids it: see its rulesets" },
        { "protected branch", "the branch is protected: push to another one" },
        { "GH008", "upload the LFS objects first: git lfs push --all origin" },
        { "without `workflow", "this token may not change files of .github/workflows" },
        { "non-fast-forward", "the branch on GitHub has commits that are not here; nothing is "
                              "ever forced: fetch and rebase, or use another branch" },
        { "fetch first", "the branch on GitHub has commits that are not here; nothing is ever "
                         "forced: fetch and rebase, or use another branch" },
        { "stale info", "the branch on GitHub has moved: fetch and try again" },
        { "returned error: 403", "the token has no write permission for this repository (in CI "
                                 "only the outputs job may write)" },
        { "could not read Username", "no credentials: in CI set GH_TOKEN, elsewhere let git log "
                                     "in (gh auth setup-git)" },
        { "shallow update not allowed",
          "the clone is shallow: use fetch-depth: 0 in the checkout" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(hints); i++)
        if (str_contains_nocase(output, hints[i].word))
            return hints[i].hint;
    return NULL;
}

bool wm_git_push(const WmGit *self, const char *refspec, bool sets_upstream, Cancel *cancel,
                 char **ret_output, GError **error)
{
    if (*refspec == '+' || *refspec == ':')
        return fail_with(error, KEDGE_ERROR_DENIED, "git push: refusing the refspec \"%s\"",
                         refspec);
    g_autoptr(GPtrArray) args = g_ptr_array_new();
    g_ptr_array_add(args, (char *)"push");
    g_ptr_array_add(args, (char *)"--no-follow-tags"); // an agent's tags are not asked for
    if (self->is_quarantined)
        g_ptr_array_add(args, (char *)"--no-recurse-submodules"); // their .git is gone
    if (sets_upstream)
        g_ptr_array_add(args, (char *)"--set-upstream");
    g_ptr_array_add(args, (char *)"--");
    g_ptr_array_add(args, (char *)"origin");
    g_ptr_array_add(args, (char *)refspec);
    g_ptr_array_add(args, NULL);
    int status = 0;
    g_autofree char *output = NULL, *errors = NULL;
    if (!wm_git_ask(self, (const char *const *)args->pdata, NETWORK_MS, cancel, &status, &output,
                    &errors, error))
        return false;
    if (status != 0) {
        g_autofree char *reason = reason_of(output, errors, status);
        const char *hint = push_hint(reason);
        return fail_with(error, KEDGE_ERROR_FAILED, "git push: exit status %d: %s%s%s", status,
                         reason, hint ? " — " : "", hint ? hint : "");
    }
    if (ret_output)
        *ret_output = g_strconcat(output, "\n", errors, NULL);
    return true;
}

bool wm_git_is_clean(const WmGit *self, Cancel *cancel, GError **error)
{
    const char *const inside[] = { "rev-parse", "--is-inside-work-tree", NULL };
    const char *const status[] = { "status", "--porcelain", NULL };
    g_autoptr(GError) failed = NULL;
    g_autofree char *answer = NULL, *changes = NULL;
    if (!wm_git(self, inside, 0, cancel, &answer, &failed)) {
        if (!error_is(failed, KEDGE_ERROR_FAILED))
            return pass_error(error, &failed);
        return fail_with(error, KEDGE_ERROR_FAILED, "git: not a repository at \"%s\": %s",
                         self->root, failed->message);
    }
    if (strcmp(answer, "true") != 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "git: not a work tree at \"%s\"", self->root);
    // a reading git runs no filter, and takes files for changed that were written by one just now
    const char *const refresh[] = { "add", "--refresh", "--", ":/", NULL };
    if (!wm_git(self, status, 0, cancel, &changes, error))
        return false;
    if (*changes != '\0' && wm_git(self, refresh, 0, cancel, NULL, NULL)) {
        g_clear_pointer(&changes, g_free);
        if (!wm_git(self, status, 0, cancel, &changes, error))
            return false;
    }
    if (*changes != '\0')
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "working tree is not clean at \"%s\" (commit or stash changes before "
                         "running)",
                         self->root);
    return true;
}
