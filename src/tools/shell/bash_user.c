/*
 * A person's own command in the shell of the bash tool (tool/user_shell.h).
 */
#include "tools/shell/bash_user.h"

#include "base/limits.h"
#include "base/mask.h"
#include "tool/lent_calls.h"
#include "tools/shell/bash_env.h"
#include "tools/shell/bash_shell.h"

typedef struct Watched {
    const UserShellWatch *watch;
    OutputSink *sink;
} Watched;

static void tell(void *watched_)
{
    const Watched *watched = watched_;
    watched->watch->on_output(output_sink_text(watched->sink), watched->watch->user_data);
}

/* For the environment of one command. NULL: nothing. */
static json_t *env_of_own(const char *entry)
{
    if (!entry)
        return NULL;
    json_t *env = json_object();
    g_autofree char *name = g_strndup(entry, strcspn(entry, "="));
    json_set_text(env, name, strchr(entry, '=') + 1);
    return env;
}

bool bash_run_for_user(ToolContext *context, const char *command, const UserShellWatch *watch,
                       Cancel *cancel, UserShellResult *ret_result, GError **error)
{
    g_autoptr(OutputSink) sink = output_sink_new(tool_context_artifacts(context), "bash", 0);
    Watched watched = { watch, sink };
    const CommandDoor *door = tool_context_command_door(context);
    g_autofree char *own = door ? door->begin_own(context) : NULL;
    g_autoptr(json_t) env = env_of_own(own);
    const BashRun run = {
        .command = command,
        .env = env,
        .context = context,
        .cwd = tool_context_cwd(context),
        .timeout_ms = LIMIT_USER_COMMAND_MS,
        .settings = tool_context_settings(context),
        .sink = sink,
        .on_progress = watch ? tell : NULL,
        .user_data = &watched,
    };
    BashOutcome outcome;
    bool has_run = bash_shell_run(bash_shell_of(context), &run, cancel, &outcome, error);
    if (own)
        door->end_own(context, own);
    if (!has_run)
        return false;
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, NULL, &dump);
    // a sink counts the empty line behind the last line end, too
    size_t extra = g_str_has_suffix(dump.output, "\n") ? 1 : 0;
    *ret_result = (UserShellResult) {
        .output = mask_text(dump.output),
        .exit_code = outcome.status,
        .is_cancelled = outcome.end != BASH_EXITED,
        .is_truncated = dump.is_truncated,
        .total_lines = dump.total_lines - extra,
        .total_bytes = dump.total_bytes,
        .output_lines = dump.output_lines - extra,
        .output_bytes = dump.output_bytes,
        .artifact_id = g_steal_pointer(&dump.artifact_id),
    };
    return true;
}

static bool run_in_console(ToolContext *context, const ConsoleCommand *command, Cancel *cancel,
                           ConsoleOutcome *ret_outcome, GError **error)
{
    const BashRun run = {
        .command = command->text,
        .cwd = command->cwd,
        .keeps_cwd = true,
        .last_status = command->last_status,
        .timeout_ms = command->timeout_ms,
        .settings = tool_context_settings(context),
        .has_no_snapshot = command->has_no_snapshot,
        .on_output = command->on_output,
        .user_data = command->user_data,
    };
    BashShell *shell = bash_shell_of(context);
    BashOutcome outcome;
    if (!bash_shell_run(shell, &run, cancel, &outcome, error))
        return false;
    *ret_outcome = (ConsoleOutcome) {
        .status = outcome.status,
        .is_cancelled = outcome.end == BASH_CANCELLED || outcome.end == BASH_PAINTED,
        .is_timed_out = outcome.end == BASH_TIMED_OUT,
        .has_shell_ended = outcome.has_shell_ended,
        .cwd = bash_shell_cwd(shell),
    };
    return true;
}

/* bash says why it cannot parse it. */
static bool needs_more(ToolContext *context, const char *text, Cancel *cancel, bool *ret_needs,
                       GError **error)
{
    static const char *const signs[] = { "unexpected end of file", "unexpected EOF",
                                         "delimited by end-of-file" };
    *ret_needs = false;
    const Settings *settings = tool_context_settings(context);
    g_autofree char *shell = NULL;
    if (!bash_find_shell(settings, &shell, error))
        return false;
    if (!bash_shell_is(shell, "bash"))
        return true;
    g_autofree char *said = bash_parse(settings, shell, text, cancel, error);
    if (!said)
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++)
        *ret_needs = *ret_needs || strstr(said, signs[i]);
    return true;
}

const UserConsole bash_console = { .run = run_in_console, .needs_more = needs_more };
