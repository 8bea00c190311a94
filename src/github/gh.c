/*
 * The gh runner behind gh_run(): finds gh, runs it, and reads its answer.
 */
#include "github/gh.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "github/gh_env.h"
#include "github/gh_error.h"
#include "github/gh_process.h"
#include "github/gh_version.h"

#define GH_TIMEOUT_MS (5 * 60 * 1000)
#define ABORTED       "Operation aborted"
#define NOT_INSTALLED "GitHub CLI (gh) is not installed. Install it from https://cli.github.com/."

static bool fail_aborted(GError **error)
{
    return fail_with(error, KEDGE_ERROR_CANCELLED, ABORTED);
}

static bool fail_timed_out(const GhSpec *spec, GError **error)
{
    g_autofree char *command = gh_error_command(spec);
    return fail_with(error, KEDGE_ERROR_TIMEOUT, "GitHub CLI command timed out: %s", command);
}

void gh_result_clear(GhResult *self)
{
    g_free(self->output);
    g_free(self->error_output);
    *self = (GhResult) { 0 };
}

bool gh_is_available(const Settings *settings)
{
    g_autofree char *executable = gh_env_find_executable(settings, NULL, NULL);
    return executable != NULL;
}

/* The runner's errors in the words of github-tool §6. */
static bool fail_run(ToolCall *call, const GhSpec *spec, GError *run_error, GError **error)
{
    g_autoptr(GError) owned = run_error;
    if (cancel_has_fired(tool_call_cancel(call)) || error_is(owned, KEDGE_ERROR_CANCELLED))
        return fail_aborted(error);
    if (error_is(owned, KEDGE_ERROR_TIMEOUT))
        return fail_timed_out(spec, error);
    // a missing working directory is NOT_FOUND, too
    if (error_is(owned, KEDGE_ERROR_NOT_FOUND) && file_is_directory(tool_call_cwd(call)))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, NOT_INSTALLED);
    return pass_error(error, &owned);
}

/* As asked for, and what this gh needs to print it as it is. Caller frees. A gh that cannot say its
   version says why when it runs. */
static char **complete_argv(ToolCall *call, const GhSpec *spec, const char *executable)
{
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    g_autofree char *text = NULL;
    GhVersion version;
    g_strv_builder_addv(argv, (const char **)spec->argv);
    if (spec->is_raw && gh_version_of(executable, tool_call_cancel(call), &text, &version, NULL) &&
        gh_version_has_raw_flag(version))
        g_strv_builder_add(argv, GH_RAW_FLAG);
    return g_strv_builder_end(argv);
}

/* What was judged is what gh acts on, whatever it would find by itself by now: HOST/OWNER/REPO.
   NULL: the command line names it, or it is not known. Caller frees. */
static char *judged_repo(const ToolCall *call, const GhSpec *spec)
{
    const CallOutcome *outcome = tool_call_outcome(call);
    const Judgement *judgement = outcome ? outcome->judgement : NULL; // NULL of detached work
    if (spec->has_explicit_repo || !judgement || !judgement->host || !judgement->repo)
        return NULL;
    return g_strconcat(judgement->host, "/", judgement->repo, NULL);
}

static bool run_process(ToolCall *call, const GhSpec *spec, ProcResult *ret_result, GError **error)
{
    const Settings *settings = tool_call_settings(call);
    const char *cwd = tool_call_cwd(call);
    g_autofree char *executable = gh_env_find_executable(settings, cwd, cwd);
    if (!executable)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, NOT_INSTALLED);
    g_autofree char *repo = judged_repo(call, spec);
    g_auto(GStrv) argv = complete_argv(call, spec, executable);
    const GhProcess process = {
        .path = executable,
        .argv = (const char *const *)argv,
        .inherits_target = repo == NULL,
        .set_host = repo ? tool_call_outcome(call)->judgement->host : NULL,
        .set_repo = repo,
        .proc = {
            .cwd = cwd,
            .timeout_ms = spec->timeout_ms > 0 ? spec->timeout_ms : GH_TIMEOUT_MS,
            .max_output_bytes = LIMIT_GH_OUTPUT_BYTES,
            .keep = spec->keeps_tail ? PROC_KEEP_TAIL : PROC_KEEP_HEAD,
        },
    };
    GError *run_error = NULL;
    return gh_process_run(call, &process, ret_result, &run_error) ||
           fail_run(call, spec, run_error, error);
}

bool gh_run(ToolCall *call, const GhSpec *spec, GhResult *ret_result, GError **error)
{
    g_assert(tool_call_permit(call) != NULL);
    g_auto(ProcResult) result = { 0 };
    if (!run_process(call, spec, &result, error))
        return false;
    if (cancel_has_fired(
            tool_call_cancel(call))) // also when gh was done before the stop reached it
        return fail_aborted(error);
    if (result.dropped_bytes > 0 && !spec->keeps_tail) {
        g_autofree char *command = gh_error_command(spec);
        return fail_with(error, KEDGE_ERROR_LIMIT, "GitHub CLI output exceeded 64 MiB: %s",
                         command);
    }
    *ret_result = (GhResult) {
        .output = spec->is_untrimmed ? g_steal_pointer(&result.output) : utf8_trim(result.output),
        .error_output = utf8_trim(result.error_output),
        .exit_status = result.exit_status,
    };
    return true;
}

static bool run_checked(ToolCall *call, const GhSpec *spec, bool is_json, char **ret_text,
                        GError **error)
{
    g_auto(GhResult) result = { 0 };
    if (!gh_run(call, spec, &result, error))
        return false;
    if (result.exit_status != 0)
        return gh_error_set(spec, &result, is_json, error);
    *ret_text = g_steal_pointer(&result.output);
    return true;
}

bool gh_text(ToolCall *call, const GhSpec *spec, char **ret_text, GError **error)
{
    return run_checked(call, spec, false, ret_text, error);
}

bool gh_json(ToolCall *call, const GhSpec *spec, json_type wanted, json_t **ret_value,
             GError **error)
{
    g_autofree char *text = NULL;
    if (!run_checked(call, spec, true, &text, error))
        return false;
    if (utf8_is_blank(text))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "GitHub CLI returned empty output.");
    g_autoptr(json_t) value = NULL;
    if (!json_parse_text(text, &value, NULL) || json_typeof(value) != wanted)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "GitHub CLI returned invalid JSON output.");
    *ret_value = g_steal_pointer(&value);
    return true;
}
