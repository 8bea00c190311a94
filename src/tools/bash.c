/*
 * bash: run a command in the shell of the session (agent-tools §3.4).
 */
#include "base/env.h"
#include "base/file.h"
#include "base/utf8.h"
#include "tool/context.h"
#include "tool/notice.h"
#include "tool/sink.h"
#include "tools/bash_command.h"
#include "tools/bash_shell.h"
#include "tools/tools.h"
#include "tools/workspace_path.h"

#define TIMEOUT_DEFAULT_S    300
#define TIMEOUT_MIN_S        1
#define TIMEOUT_MAX_S        3600
#define SUMMARY_CHARS        120
#define CANCELLED_TAIL_BYTES 20480 // of a stopped command: what it was doing, not all it had to say

typedef struct BashArgs {
    const char *command;
    double timeout;
    const char *cwd;
    const json_t *env;
} BashArgs;

static const FieldDef bash_fields[] = {
    { "command", FIELD_STRING, offsetof(BashArgs, command), .is_required = true },
    { "timeout", FIELD_NUMBER, offsetof(BashArgs, timeout),
      .help = "Seconds, 1-3600; 300 unless given" },
    { "cwd", FIELD_STRING, offsetof(BashArgs, cwd) },
    { "env", FIELD_STRING_MAP, offsetof(BashArgs, env), .help = "For this command only" },
    { 0 },
};

static const char description[] =
    "Executes a bash command in the shell session of this conversation.\n"
    "- Variables, functions and options persist between calls; the working directory does not: "
    "give "
    "`cwd` rather than `cd`.\n"
    "- Values with quotes or newlines go into `env` and are used as \"$NAME\".\n"
    "- There is no terminal and no input: pass the flags that make programs not ask.\n"
    "- stdout and stderr come merged; of long output the end, and the artifact that holds all.\n"
    "- A background process (`command > log 2>&1 &`) lives until the session ends.";

static bool bash_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                       GError **error G_GNUC_UNUSED)
{
    const BashArgs *args = args_;
    g_autofree char *line = g_strdelimit(g_strdup(args->command), "\r\n\t", ' ');
    g_autofree char *short_line = utf8_ellipsize(line, SUMMARY_CHARS);
    ret_judgement->effect = EFFECT_WRITE;
    ret_judgement->summary = g_strconcat("runs: ", short_line, NULL);
    return true;
}

typedef struct BashTimeout {
    double seconds, requested, max;
} BashTimeout;

static BashTimeout clamp_timeout(const Settings *settings, double requested)
{
    double lowered = (double)settings_get_int(settings, "tools.maxTimeout");
    double max = lowered > 0 ? CLAMP(lowered, TIMEOUT_MIN_S, TIMEOUT_MAX_S) : TIMEOUT_MAX_S;
    double wanted = requested != 0 ? requested : TIMEOUT_DEFAULT_S;
    return (BashTimeout) {
        .seconds = CLAMP(wanted, TIMEOUT_MIN_S, max),
        .requested = requested,
        .max = max,
    };
}

static bool is_clamped(const BashTimeout *timeout)
{
    return timeout->requested != 0 && timeout->requested != timeout->seconds;
}

static bool check_env(const json_t *env, GError **error)
{
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach ((json_t *)env, name, value) {
        if (!env_is_name(name))
            return fail_with(error, KEDGE_ERROR_USAGE, "Invalid bash env name: %s", name);
    }
    return true;
}

/* The command as the shell gets it, and where. */
static bool prepare(const ToolCall *call, const BashArgs *args, char **ret_command, char **ret_cwd,
                    GError **error)
{
    g_autofree char *dir = g_strdup(args->cwd);
    g_autofree char *command = NULL;
    if (dir || !bash_split_cd(args->command, &dir, &command))
        command = g_strdup(args->command);
    g_autofree char *expanded = NULL;
    if (!bash_expand_urls(command, tool_call_artifacts(call), &expanded, error))
        return false;

    const char *session_cwd = tool_call_cwd(call);
    g_autofree char *cwd = dir ? workspace_path(dir, session_cwd) : g_strdup(session_cwd);
    if (!file_is_directory(cwd))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         file_exists(cwd) ? "Working directory is not a directory: %s"
                                          : "Working directory does not exist: %s",
                         cwd);
    *ret_command = g_steal_pointer(&expanded);
    *ret_cwd = g_steal_pointer(&cwd);
    return true;
}

typedef struct Progress {
    ToolCall *call;
    OutputSink *sink;
} Progress;

static void report_progress(void *user_data)
{
    Progress *self = user_data;
    tool_call_update(self->call, output_sink_text(self->sink), NULL);
}

static void set_truncation(ToolResult *result, const SinkDump *dump)
{
    const ResultCounts counts = {
        .is_truncated = dump->is_truncated,
        .total_lines = dump->total_lines,
        .total_bytes = dump->total_bytes,
        .output_lines = dump->output_lines,
        .output_bytes = dump->output_bytes,
        .max_bytes = dump->max_bytes,
    };
    tool_result_set_truncation_counts(result, &counts, RESULT_TAIL, 1, 0, dump->artifact_id);
    if (dump->is_artifact_cut)
        tool_result_set_artifact_cut(result);
}

/* An abort is an error, so its text is all that remains of the result: the notice goes into it. */
static bool fail_cancelled(const ToolResult *result, const SinkDump *dump, GError **error)
{
    g_auto(Truncated) cut = truncate_tail(dump->output, 0, CANCELLED_TAIL_BYTES);
    g_autofree char *notice = result->meta ? notice_text(result->meta) : NULL;
    return fail_with(error, KEDGE_ERROR_CANCELLED, "[Command cancelled]\n%s%s%s", cut.content,
                     notice ? "\n\n" : "", notice ? notice : "");
}

static void add_output(ToolResult *result, const SinkDump *dump, int status,
                       const BashTimeout *timeout)
{
    g_autoptr(GString) text = g_string_new(dump->output);
    if (text->len == 0)
        g_string_append(text, "(no output)");
    if (status != 0)
        g_string_append_printf(text, "\n\nCommand exited with code %d", status);
    if (is_clamped(timeout))
        g_string_append_printf(text,
                               "\n\nTimeout clamped to %gs (requested %.15gs; allowed range "
                               "%d-%gs).",
                               timeout->seconds, timeout->requested, TIMEOUT_MIN_S, timeout->max);
    tool_result_add_text(result, text->str);
    result->is_error = status != 0;
}

static json_t *json_seconds(double seconds)
{
    json_int_t whole = (json_int_t)seconds;
    return (double)whole == seconds ? json_integer(whole) : json_real(seconds);
}

static void add_details(ToolResult *result, const BashTimeout *timeout)
{
    json_t *details = tool_result_details(result);
    json_set_take(details, "timeoutSeconds", json_seconds(timeout->seconds));
    if (is_clamped(timeout))
        json_set_take(details, "requestedTimeoutSeconds", json_seconds(timeout->requested));
}

static void add_shell_note(ToolResult *result, unsigned running)
{
    g_autoptr(GString) note = g_string_new(
        "The shell ended: variables, functions and options of earlier calls are gone.");
    if (running > 0)
        g_string_append_printf(note, " Background processes that still run: %u.", running);
    tool_result_add_note(result, note->str);
}

static bool bash_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const BashArgs *args = args_;
    g_autofree char *command = NULL;
    g_autofree char *cwd = NULL;
    if (!check_env(args->env, error) || !prepare(call, args, &command, &cwd, error))
        return false;

    const BashTimeout timeout = clamp_timeout(tool_call_settings(call), args->timeout);
    g_autoptr(OutputSink) sink = output_sink_new(tool_call_artifacts(call), "bash", 0);
    Progress progress = { .call = call, .sink = sink };
    const BashRun run = {
        .command = command,
        .cwd = cwd,
        .env = args->env,
        .timeout_ms = (int64_t)(timeout.seconds * 1000),
        .settings = tool_call_settings(call),
        .sink = sink,
        .on_progress = report_progress,
        .user_data = &progress,
    };
    BashShell *shell = bash_shell_of(tool_call_context(call));
    BashOutcome outcome;
    if (!bash_shell_run(shell, &run, tool_call_cancel(call), &outcome, error))
        return false;

    g_autofree char *notice =
        outcome.end == BASH_TIMED_OUT
            ? g_strdup_printf("Command timed out after %d seconds", (int)(timeout.seconds + 0.5))
            : NULL;
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, notice, &dump);
    set_truncation(result, &dump);
    if (outcome.end == BASH_CANCELLED)
        return fail_cancelled(result, &dump, error);
    add_output(result, &dump, outcome.status, &timeout);
    add_details(result, &timeout);
    if (outcome.has_shell_ended)
        add_shell_note(result, outcome.left_running);
    if (outcome.end == BASH_TIMED_OUT)
        result->is_error = true;
    return true;
}

const ToolDef tool_bash = {
    .name = "bash",
    .label = "Bash",
    .summary = "Run a shell command",
    .description = description,
    .effect = EFFECT_WRITE,
    .judge = bash_judge,
    .flags = TOOL_EXCLUSIVE | TOOL_CAN_DESTROY | TOOL_OPEN_WORLD,
    .fields = bash_fields,
    .args_size = sizeof(BashArgs),
    .run = bash_run,
};

/* A hint for a model, so only its calls pass here; before anybody is asked about the command. */
static bool intercept(ToolCall *call, const json_t *arguments, json_t **ret_changed G_GNUC_UNUSED,
                      void *user_data G_GNUC_UNUSED, GError **error)
{
    const char *command = json_get_text(arguments, "command");
    if (tool_call_tool(call) != &tool_bash || !command)
        return true;
    g_autofree char *dir = g_strdup(json_get_text(arguments, "cwd"));
    g_autofree char *stripped = NULL;
    if (dir || !bash_split_cd(command, &dir, &stripped))
        stripped = g_strdup(command);
    return bash_check_intercept(tool_call_settings(call), command, stripped, error);
}

const ToolHook bash_interceptor = { .name = "the interceptor", .before = intercept };
