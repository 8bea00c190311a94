/* See push_hook.h. */
#include "github/ops/push_hook.h"

#include "base/env.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "github/git.h"

#include <unistd.h>

#define NO_COMMIT "0000000000000000000000000000000000000000"

/* A hook that is a file of the primary root is a stranger's while a pull request is checked out
   there. */
static bool is_foreign(const PushHook *self, const char *hook, Cancel *cancel)
{
    g_autofree char *common = NULL;
    g_autofree char *real = path_real(hook), *root = path_real(self->primary_root);
    if (!git_common_dir(self->primary_root, cancel, &common, NULL) || !real || !root)
        return true;
    g_autofree char *real_common = path_real(common);
    return path_is_inside(real, root) && !(real_common && path_is_inside(real, real_common)) &&
           git_is_pull_checkout(self->primary_root, cancel);
}

static bool fail_refused(const ProcResult *result, GError **error)
{
    g_autofree char *said = redact_text(result->output);
    g_autofree char *text = utf8_trim(said);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "the pre-push hook refused (exit code %d), nothing was pushed: %s\nIt is run "
                     "without a token of GitHub; one that needs it works with `git push`.",
                     result->exit_status, text);
}

bool push_hook_find(const PushHook *self, Cancel *cancel, char **ret_path, char **ret_left_off,
                    GError **error)
{
    g_autofree char *hooks = NULL;
    if (!git_hooks_path(self->primary_root, cancel, &hooks, error))
        return false;
    g_autofree char *path = g_build_filename(hooks, "pre-push", NULL);
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || access(path, X_OK) != 0)
        return true;
    if (is_foreign(self, path, cancel))
        *ret_left_off = g_strconcat("the pre-push hook ", path, NULL);
    else
        *ret_path = g_steal_pointer(&path);
    return true;
}

bool push_hook_run(const PushHook *self, const char *path, Cancel *cancel, GError **error)
{
    const char *there = self->remote_commit ? self->remote_commit : NO_COMMIT;
    g_autofree char *input = g_strdup_printf("%s %s %s %s\n", self->local_ref, self->local_commit,
                                             self->remote_ref, there);
    g_auto(GStrv) env = env_for_child(NULL);
    env_drop_secrets(env);
    const ProcSpec spec = {
        .argv = (const char *const[]) { path, self->remote, self->url, NULL },
        .profile = PROC_PROFILE_CHANGER,
        .cwd = self->primary_root,
        .env = (const char *const *)env,
        .input = input,
        .timeout_ms = self->timeout_ms,
        .max_output_bytes = 64 * KIB,
    };
    g_auto(ProcResult) result = { 0 };
    if (!proc_run(&spec, cancel, &result, error)) {
        g_prefix_error(error, "the pre-push hook: ");
        return false;
    }
    return result.exit_status == 0 || fail_refused(&result, error);
}
