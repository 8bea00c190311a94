/*
 * A person's own command in the shell of the bash tool (tool/user_shell.h).
 */
#include "tools/bash_user.h"

#include "base/limits.h"
#include "base/mask.h"
#include "tools/bash_shell.h"

bool bash_run_for_user(ToolContext *context, const char *command, Cancel *cancel,
                       UserShellResult *ret_result, GError **error)
{
    g_autoptr(OutputSink) sink = output_sink_new(tool_context_artifacts(context), "bash", 0);
    const BashRun run = {
        .command = command,
        .cwd = tool_context_cwd(context),
        .timeout_ms = LIMIT_USER_COMMAND_MS,
        .settings = tool_context_settings(context),
        .sink = sink,
    };
    BashOutcome outcome;
    if (!bash_shell_run(bash_shell_of(context), &run, cancel, &outcome, error))
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
