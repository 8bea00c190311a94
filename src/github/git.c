/*
 * Failures of git as errors, and the repository facts of github-tool §3.1. Names that come from
 * outside (branches, remotes, values) stand after --end-of-options.
 */
#include "github/git.h"

#include "base/redact.h"
#include "base/str.h"
#include "base/url_secrets.h"

#define GIT_NO_SUCH_KEY 5 // exit status of `git config --unset-all`

bool git_run(const char *dir, const char *const *args, int64_t timeout_ms, Cancel *cancel,
             GitResult *ret_result, GError **error)
{
    const GitSpec spec = { .dir = dir, .args = args, .timeout_ms = timeout_ms };
    return git_start(&spec, cancel, ret_result, error);
}

static bool git_fail(const char *const *args, const char *output, const char *error_output,
                     int status, GError **error)
{
    const char *said = str_is_empty(error_output) ? output : error_output;
    g_autofree char *text = NULL;
    if (str_is_empty(said)) {
        g_autofree char *joined = g_strjoinv(" ", (char **)args);
        text = g_strdup_printf("git %s failed with exit code %d", joined, status);
    } else {
        text = g_strdup(said);
    }
    g_autofree char *redacted = redact_text(text);
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", redacted);
}

bool git_check(const char *const *args, const GitResult *result, GError **error)
{
    return result->exit_status == 0 ||
           git_fail(args, result->output, result->error_output, result->exit_status, error);
}

bool git_must_spec(const GitSpec *spec, Cancel *cancel, char **ret_output, GError **error)
{
    g_auto(GitResult) result = { 0 };
    if (!git_start(spec, cancel, &result, error))
        return false;
    if (!git_check(spec->args, &result, error))
        return false;
    if (ret_output)
        *ret_output = g_steal_pointer(&result.output);
    return true;
}

bool git_must(const char *dir, const char *const *args, int64_t timeout_ms, Cancel *cancel,
              char **ret_output, GError **error)
{
    const GitSpec spec = { .dir = dir, .args = args, .timeout_ms = timeout_ms };
    return git_must_spec(&spec, cancel, ret_output, error);
}

bool git_must_bytes(const char *dir, const char *const *args, Cancel *cancel, char **ret_data,
                    size_t *ret_size, GError **error)
{
    const GitSpec spec = { .dir = dir, .args = args, .is_bytes = true };
    g_auto(GitResult) result = { 0 };
    if (!git_start(&spec, cancel, &result, error))
        return false;
    if (result.exit_status != 0)
        return git_fail(args, "", result.error_output, result.exit_status, error);
    *ret_data = g_steal_pointer(&result.output);
    *ret_size = result.output_size;
    return true;
}

/* One path as git printed it: any byte but the newline at the end may belong to it. */
static bool git_path(const char *dir, const char *const *args, Cancel *cancel, char **ret_path,
                     GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!git_must_bytes(dir, args, cancel, &data, &size, error))
        return false;
    if (size > 0 && data[size - 1] == '\n')
        data[size - 1] = '\0';
    *ret_path = g_steal_pointer(&data);
    return true;
}

/* git said no (rather than: it could not be asked). */
static bool git_has_refused(const GError *error)
{
    return error_is(error, KEDGE_ERROR_FAILED);
}

bool git_repo_root(const char *dir, Cancel *cancel, char **ret_root, GError **error)
{
    const char *const args[] = { "rev-parse", "--show-toplevel", NULL };
    g_autoptr(GError) cause = NULL;
    g_autofree char *root = NULL;
    if (!git_path(dir, args, cancel, &root, &cause) && !git_has_refused(cause))
        return pass_error(error, &cause);
    if (cause && !strstr(cause->message, "not a git repository"))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Current git repository is unavailable: %s",
                         cause->message);
    if (str_is_empty(root))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Current git repository is unavailable.");
    *ret_root = g_steal_pointer(&root);
    return true;
}

bool git_common_dir(const char *root, Cancel *cancel, char **ret_dir, GError **error)
{
    const char *const args[] = { "rev-parse", "--path-format=absolute", "--git-common-dir", NULL };
    return git_path(root, args, cancel, ret_dir, error);
}

bool git_hooks_path(const char *primary_root, Cancel *cancel, char **ret_path, GError **error)
{
    // not `rev-parse --git-path`: all but `config` are told that there are no hooks
    const char *const args[] = { "config", "--type=path", "--get", "core.hooksPath", NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(primary_root, args, 0, cancel, &result, error))
        return false;
    if (result.exit_status == 0 && result.output[0] != '\0') {
        *ret_path = g_canonicalize_filename(result.output, primary_root);
        return true;
    }
    g_autofree char *common = NULL;
    if (!git_common_dir(primary_root, cancel, &common, error))
        return false;
    *ret_path = g_build_filename(common, "hooks", NULL);
    return true;
}

bool git_primary_root(const char *root, Cancel *cancel, char **ret_root, GError **error)
{
    g_autofree char *common = NULL;
    if (!git_common_dir(root, cancel, &common, error))
        return false;
    g_autofree char *name = g_path_get_basename(common);
    *ret_root = strcmp(name, ".git") == 0 ? g_path_get_dirname(common) : g_strdup(root);
    return true;
}

bool git_current_branch(const char *root, Cancel *cancel, char **ret_branch, GError **error)
{
    const char *const args[] = { "symbolic-ref", "--quiet", "--short", "HEAD", NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    if (result.exit_status != 0 || result.output[0] == '\0')
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Current git branch is unavailable. Pass `branch` or `run` explicitly.");
    *ret_branch = g_steal_pointer(&result.output);
    return true;
}

bool git_head_sha(const char *root, Cancel *cancel, char **ret_sha, GError **error)
{
    const char *const args[] = { "rev-parse", "--quiet", "--verify", "HEAD", NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    if (result.exit_status != 0 || result.output[0] == '\0')
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Current git HEAD is unavailable. Pass `run` explicitly.");
    *ret_sha = g_steal_pointer(&result.output);
    return true;
}

bool git_ref_exists(const char *root, const char *ref, Cancel *cancel, bool *ret_exists,
                    GError **error)
{
    const char *const args[] = { "show-ref", "--verify", "--quiet", "--end-of-options", ref, NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    *ret_exists = result.exit_status == 0;
    return true;
}

bool git_ref_value(const char *root, const char *ref, Cancel *cancel, char **ret_sha,
                   GError **error)
{
    const char *const args[] = { "rev-parse", "--verify", "--end-of-options", ref, NULL };
    return git_must(root, args, 0, cancel, ret_sha, error);
}

bool git_config_get(const char *root, const char *key, Cancel *cancel, char **ret_value,
                    GError **error)
{
    const char *const args[] = { "config", "--get", "--end-of-options", key, NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    bool has_value = result.exit_status == 0 && result.output[0] != '\0';
    *ret_value = has_value ? g_steal_pointer(&result.output) : NULL;
    return true;
}

bool git_is_pull_checkout(const char *root, Cancel *cancel)
{
    g_autofree char *branch = NULL, *url = NULL, *head = NULL;
    g_autoptr(GError) error = NULL;
    if (!git_current_branch(root, cancel, &branch, &error))
        return !error_is(error, KEDGE_ERROR_NOT_FOUND); // detached
    g_autofree char *head_key = g_strdup_printf("branch.%s.ompPrHeadRef", branch);
    g_autofree char *url_key = g_strdup_printf("branch.%s.ompPrUrl", branch);
    return !git_config_get(root, head_key, cancel, &head, NULL) ||
           !git_config_get(root, url_key, cancel, &url, NULL) || head || url;
}

bool git_config_set(const char *root, const char *key, const char *value, Cancel *cancel,
                    GError **error)
{
    // A key that somebody gave several values would otherwise be refused.
    const char *const args[] = { "config", "--replace-all", "--end-of-options", key, value, NULL };
    return git_must(root, args, 0, cancel, NULL, error);
}

bool git_config_unset(const char *root, const char *key, Cancel *cancel, GError **error)
{
    const char *const args[] = { "config", "--unset-all", "--end-of-options", key, NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    if (result.exit_status != 0 && result.exit_status != GIT_NO_SUCH_KEY)
        return git_fail(args, result.output, result.error_output, result.exit_status, error);
    return true;
}

bool git_remote_urls(const char *root, const char *name, Cancel *cancel, char **ret_raw,
                     char **ret_effective, GError **error)
{
    const char *const args[] = { "remote", "get-url", "--end-of-options", name, NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    g_autofree char *raw = NULL;
    bool is_there = result.exit_status == 0 && result.output[0] != '\0';
    if (is_there) {
        url_secrets_register(result.output);
        g_autofree char *key = g_strdup_printf("remote.%s.url", name);
        if (!git_config_get(root, key, cancel, &raw, error))
            return false;
    }
    *ret_raw = g_steal_pointer(&raw);
    *ret_effective = is_there ? g_steal_pointer(&result.output) : NULL;
    return true;
}
