/*
 * bash: run a command in the shell of the session (agent-tools §3.4).
 */
#include "tools/shell/bash.h"

#include "base/env.h"
#include "base/file.h"
#include "base/utf8.h"
#include "tool/lent_calls.h"
#include "tools/file/workspace_path.h"
#include "tools/shell/bash_command.h"
#include "tools/shell/bash_job.h"
#include "tools/tools.h"
#include "tools/url/url_paths.h"

#define TIMEOUT_DEFAULT_S 300
#define SUMMARY_CHARS     120

#define COMMON_FIELDS                                                                              \
    { "command", FIELD_STRING, offsetof(BashCommand, command), .is_required = true },              \
        { "timeout", FIELD_NUMBER, offsetof(BashCommand, timeout),                                 \
          .help = "Seconds, 1-3600; 300 unless given" },                                           \
        { "cwd", FIELD_STRING, offsetof(BashCommand, cwd) },                                       \
    {                                                                                              \
        "env", FIELD_STRING_MAP, offsetof(BashCommand, env), .help = "For this command only"       \
    }

// understood also where they are not offered: the first is refused, without the second it runs
#define HIDDEN_ASYNC                                                                               \
    {                                                                                              \
        "async", FIELD_BOOLEAN, offsetof(BashCommand, is_async), .is_hidden = true                 \
    }
#define HIDDEN_PTY                                                                                 \
    {                                                                                              \
        "pty", FIELD_BOOLEAN, offsetof(BashCommand, has_terminal), .is_hidden = true               \
    }
#define SHOWN_ASYNC                                                                                \
    {                                                                                              \
        "async", FIELD_BOOLEAN, offsetof(BashCommand, is_async),                                   \
            .help = "In the background, in a shell of its own"                                     \
    }
#define SHOWN_PTY                                                                                  \
    {                                                                                              \
        "pty", FIELD_BOOLEAN, offsetof(BashCommand, has_terminal),                                 \
            .help = "On a terminal (120x40; no one types), in a shell of its own"                  \
    }

static const FieldDef bash_fields[] = { COMMON_FIELDS, HIDDEN_ASYNC, HIDDEN_PTY, { 0 } };
static const FieldDef async_fields[] = { COMMON_FIELDS, SHOWN_ASYNC, HIDDEN_PTY, { 0 } };
static const FieldDef pty_fields[] = { COMMON_FIELDS, HIDDEN_ASYNC, SHOWN_PTY, { 0 } };
static const FieldDef both_fields[] = { COMMON_FIELDS, SHOWN_ASYNC, SHOWN_PTY, { 0 } };

static const char description[] =
    "Executes a bash command in the shell session of this conversation.\n"
    "- Variables, functions and options persist between calls; the working directory does not: "
    "give "
    "`cwd` rather than `cd`.\n"
    "- Values with quotes or newlines go into `env` and are used as \"$NAME\".\n"
    "- There is no terminal and no input: pass the flags that make programs not ask.\n"
    "- stdout and stderr come merged; of long output the end, and the artifact that holds all.\n"
    "- A background process (`command > log 2>&1 &`) lives until the session ends.";

void bash_judge_command(const char *command, const char *dir, Judgement *ret_judgement)
{
    g_autofree char *line = g_strdelimit(g_strdup(command), "\r\n\t", ' ');
    g_autofree char *short_line = utf8_ellipsize(line, SUMMARY_CHARS);
    ret_judgement->effect = EFFECT_WRITE;
    ret_judgement->summary =
        g_strconcat("runs", dir ? " in " : "", dir ? dir : "", ": ", short_line, NULL);
    ret_judgement->command = g_strdup(command);
}

static bool bash_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *ret_judgement,
                       GError **error G_GNUC_UNUSED)
{
    const BashCommand *args = args_;
    bash_judge_command(args->command, NULL, ret_judgement);
    return true;
}

static bool check_env(const json_t *env, GError **error)
{
    json_each_member (env, name, value) {
        if (!env_is_name(name))
            return fail_with(error, KEDGE_ERROR_USAGE, "Invalid bash env name: %s", name);
    }
    return true;
}

/* The command as the shell gets it, and where. */
static bool bash_prepare(const ToolCall *call, const BashCommand *args, char **ret_command,
                         char **ret_cwd, GError **error)
{
    g_autofree char *dir = g_strdup(args->cwd);
    g_autofree char *command = NULL;
    if (dir || !bash_split_cd(args->command, &dir, &command))
        command = g_strdup(args->command);
    g_autofree char *expanded = NULL;
    g_autofree char *folder = NULL;
    ToolContext *context = tool_call_context(call);
    if (!url_paths_in_command(context, command, &expanded, error) ||
        (dir && !url_paths_in_value(context, dir, &folder, error)))
        return false;

    const char *session_cwd = tool_call_cwd(call);
    g_autofree char *cwd = folder ? workspace_path(folder, session_cwd) : g_strdup(session_cwd);
    if (!file_is_directory(cwd))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         file_exists(cwd) ? "Working directory is not a directory: %s"
                                          : "Working directory does not exist: %s",
                         cwd);
    *ret_command = g_steal_pointer(&expanded);
    *ret_cwd = g_steal_pointer(&cwd);
    return true;
}

static void report_progress(const char *text, void *call)
{
    tool_call_update(call, text, NULL);
}

static bool can_have_terminal(const Settings *settings)
{
    return settings_get_bool(settings, "bash.virtualTerminal") && !env_flag("NO_PTY");
}

/* In front of the call, and only there. */
static bool run_in_front(ToolCall *call, BashWork *work_, ToolResult *result, GError **error)
{
    g_autoptr(BashWork) work = work_;
    return bash_work_run(work, report_progress, call, tool_call_cancel(call), error) &&
           bash_work_result(work, result, error);
}

static bool bash_run_lent(ToolCall *call, const BashCommand *args, ToolResult *result,
                          GError **error)
{
    const Settings *settings = tool_call_settings(call);
    g_autofree char *command = NULL;
    g_autofree char *cwd = NULL;
    g_autoptr(json_t) env = NULL;
    if (!check_env(args->env, error))
        return false;
    if (args->is_async && !settings_get_bool(settings, "async.enabled"))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Async bash execution is disabled. Enable async.enabled to use async "
                         "mode.");
    if (!bash_prepare(call, args, &command, &cwd, error) ||
        !url_paths_in_values(tool_call_context(call), args->env, &env, error))
        return false;

    // a door that no one can be told through later gets the whole answer now
    ToolContext *context = tool_call_context(call);
    bool is_heard = job_table_is_heard(tool_context_jobs(context));
    bool is_async = args->is_async && is_heard;
    bool has_terminal = args->has_terminal && !is_async && can_have_terminal(settings);
    const BashTimeout timeout = bash_timeout_clamp(settings, args->timeout, TIMEOUT_DEFAULT_S);
    const BashWorkSpec spec = {
        .context = context,
        .command = command,
        .cwd = cwd,
        .env = env,
        .timeout = timeout,
        .is_apart = is_async,
        .has_terminal = has_terminal,
    };
    BashWork *work = bash_work_new(&spec);
    if (is_async)
        return bash_job_start(call, work, &timeout, args->command, result, error);
    bool may_wait =
        !has_terminal && is_heard && settings_get_bool(settings, "bash.autoBackground.enabled");
    bool has_run = may_wait ? bash_job_run(call, work, &timeout, args->command, result, error)
                            : run_in_front(call, work, result, error);
    origin_set(&result->origin, ORIGIN_COMMAND, NULL);
    if (has_run && args->has_terminal && !has_terminal)
        tool_result_add_note(result, env_flag("NO_PTY")
                                         ? "There was no terminal: KEDGE_NO_PTY is set."
                                         : "There was no terminal: bash.virtualTerminal is off.");
    return has_run;
}

bool bash_run_command(ToolCall *call, const BashCommand *args, ToolResult *result, GError **error)
{
    lent_calls_begin(call);
    bool has_run = bash_run_lent(call, args, result, error);
    lent_calls_end(call, result);
    return has_run;
}

static bool bash_run(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    return bash_run_command(call, args, result, error);
}

static const ToolDef *choose_variant(const Settings *settings, const char *model_id);

#define BASH_TOOL                                                                                  \
    .name = "bash", .label = "Bash", .summary = "Run a shell command", .effect = EFFECT_WRITE,     \
    .judge = bash_judge, .flags = TOOL_EXCLUSIVE | TOOL_CAN_DESTROY | TOOL_OPEN_WORLD,             \
    .description = description, .args_size = sizeof(BashCommand), .run = bash_run,                 \
    .variant = choose_variant

const ToolDef tool_bash = { BASH_TOOL, .fields = bash_fields };

static const ToolDef tool_bash_async = { BASH_TOOL, .fields = async_fields };
static const ToolDef tool_bash_pty = { BASH_TOOL, .fields = pty_fields };
static const ToolDef tool_bash_both = { BASH_TOOL, .fields = both_fields };

static const ToolDef *choose_variant(const Settings *settings, const char *model_id G_GNUC_UNUSED)
{
    bool is_async = settings_get_bool(settings, "async.enabled");
    if (can_have_terminal(settings))
        return is_async ? &tool_bash_both : &tool_bash_pty;
    return is_async ? &tool_bash_async : &tool_bash;
}

/* A hint for a model, so only its calls pass here; before anybody is asked about the command. */
static bool bash_intercept(ToolCall *call, const json_t *arguments,
                           json_t **ret_changed G_GNUC_UNUSED, void *user_data G_GNUC_UNUSED,
                           GError **error)
{
    const char *command = json_get_text(arguments, "command");
    if (tool_call_tool(call)->run != bash_run || !command)
        return true;
    g_autofree char *dir = g_strdup(json_get_text(arguments, "cwd"));
    g_autofree char *stripped = NULL;
    if (dir || !bash_split_cd(command, &dir, &stripped))
        stripped = g_strdup(command);
    return bash_check_intercept(tool_call_settings(call), command, stripped, error);
}

const ToolHook bash_interceptor = { .name = "the interceptor", .before = bash_intercept };
