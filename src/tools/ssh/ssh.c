/*
 * ssh: run a command on another machine (agent-tools §3.17, §9.4).
 */
#include "base/proc.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "tools/shell/bash_work.h"
#include "tools/ssh/ssh_link.h"
#include "tools/tools.h"

#define TIMEOUT_DEFAULT_S 60
#define PROGRESS_MS       50
#define SUMMARY_CHARS     120
#define STATUS_LOST       255 // of ssh itself; a command may exit with it, too

typedef struct SshArgs {
    const char *host;
    const char *command;
    const char *cwd;
    double timeout;
} SshArgs;

static const FieldDef ssh_fields[] = {
    { "host", FIELD_STRING, offsetof(SshArgs, host), .is_required = true },
    { "command", FIELD_STRING, offsetof(SshArgs, command), .is_required = true },
    { "cwd", FIELD_STRING, offsetof(SshArgs, cwd), .help = "Directory on the host" },
    { "timeout", FIELD_NUMBER, offsetof(SshArgs, timeout),
      .help = "Seconds, 1-3600; 60 unless given" },
    { 0 },
};

static char *ssh_describe(const ToolSet *offered G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) hosts = ssh_hosts_load(NULL);
    g_autoptr(GString) text = g_string_new(
        "Runs a command on another machine over SSH, each in a shell of its own; there is no "
        "terminal and no input.\n");
    g_string_append(text, hosts->len > 0 ? "Hosts (name, address, shell):"
                                         : "There are no hosts; `kedge ssh add` makes one.");
    for (guint i = 0; i < hosts->len; i++) {
        const SshHost *host = hosts->pdata[i];
        SshFacts facts = { 0 };
        bool is_known = ssh_facts_load(host, &facts);
        g_string_append_printf(text, "\n- %s (%s) | %s", host->name, host->address,
                               is_known ? ssh_shell_name(&facts) : "detecting...");
        if (host->description)
            g_string_append_printf(text, " | %s", host->description);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static bool is_available(const Settings *settings G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) hosts = ssh_hosts_load(NULL);
    return hosts->len > 0;
}

// ---- which host ----

static bool fail_unknown(const ToolCall *call, const char *name, const GPtrArray *hosts,
                         const GPtrArray *warnings, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < hosts->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
                               ((const SshHost *)hosts->pdata[i])->name);
    if (hosts->len == 0)
        g_string_append(text, "none; `kedge ssh add` makes one");
    for (guint i = 0; i < warnings->len; i++)
        g_string_append_printf(text, "\n%s", (const char *)warnings->pdata[i]);
    g_autofree char *project = ssh_hosts_of_project(tool_call_cwd(call));
    if (project)
        g_string_append_printf(text,
                               "\nHosts of the repository need trust and were left out: %s. The "
                               "user adds those that they know with `kedge ssh add`.",
                               project);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Unknown SSH host: %s. Available hosts: %s",
                     name, text->str);
}

static void host_free(void *host)
{
    ssh_host_free(host);
}

/* The host that is judged is the one that is used, whatever becomes of the file meanwhile. */
static bool ssh_judge(ToolCall *call, const void *args_, Judgement *ret_judgement, GError **error)
{
    const SshArgs *args = args_;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) hosts = ssh_hosts_load(warnings);
    const SshHost *host = ssh_hosts_find(hosts, args->host);
    if (!host)
        return fail_unknown(call, args->host, hosts, warnings, error);
    g_autofree char *target = ssh_host_target(host);
    g_autofree char *line = g_strdelimit(g_strdup(args->command), "\r\n\t", ' ');
    g_autofree char *short_line = utf8_ellipsize(line, SUMMARY_CHARS);
    ret_judgement->effect = EFFECT_WRITE;
    ret_judgement->summary = g_strdup_printf("runs on %s (%s): %s", host->name, target, short_line);
    tool_call_prepare(call, ssh_host_copy(host), host_free);
    return true;
}

// ---- the command ----

typedef struct Run {
    ToolCall *call;
    OutputSink *sink;
    int64_t progress_at;
} Run;

static void take_output(const char *data, size_t size, void *user_data)
{
    Run *self = user_data;
    output_sink_push(self->sink, data, size);
    int64_t now = time_monotonic_ms();
    if (now < self->progress_at)
        return;
    self->progress_at = now + PROGRESS_MS;
    tool_call_update(self->call, output_sink_text(self->sink), NULL);
}

static bool run_command(ToolCall *call, const SshLink *link, const char *text, int64_t deadline_ms,
                        OutputSink *sink, ProcResult *ret_result, GError **error)
{
    g_auto(GStrv) argv = ssh_link_argv(link, text);
    g_auto(GStrv) env = ssh_link_environment();
    Run run = { .call = call, .sink = sink };
    const ProcSpec spec = {
        .argv = (const char *const *)argv,
        .env = (const char *const *)env,
        .profile = PROC_PROFILE_TOOL,
        .timeout_ms = MAX(deadline_ms - time_monotonic_ms(), 1),
        .max_output_bytes = 4 * 1024, // the sink has it
        .is_bytes = true,
        .keeps_stopped = true,
        .on_output = take_output,
        .user_data = &run,
    };
    return proc_run(&spec, tool_call_cancel(call), ret_result, error);
}

static bool output_sink_finish(OutputSink *sink, const ProcResult *run, double seconds,
                               ToolResult *result, GError **error)
{
    bool is_late = run->stop == PROC_STOP_TIMEOUT;
    g_autofree char *notice =
        is_late ? g_strdup_printf("SSH: Timed out after %ds", (int)(seconds + 0.5)) : NULL;
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, notice, &dump);
    sink_dump_tell(&dump, result);
    if (run->stop == PROC_STOP_CANCELLED)
        return sink_dump_fail_cancelled(&dump, result, "Command aborted: operation aborted", error);
    g_autoptr(GString) text = g_string_new(dump.output);
    if (text->len == 0)
        g_string_append(text, "(no output)");
    if (!is_late && run->exit_status != 0)
        g_string_append_printf(text, "\n\nCommand exited with code %d", run->exit_status);
    tool_result_add_text(result, text->str);
    result->is_error = is_late || run->exit_status != 0;
    return true;
}

static bool ssh_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const SshArgs *args = args_;
    const SshHost *host = tool_call_prepared(call);
    ToolContext *context = tool_call_context(call);
    SshLinks *links = ssh_links_of(context);
    const BashTimeout timeout =
        bash_timeout_clamp(tool_call_settings(call), args->timeout, TIMEOUT_DEFAULT_S);
    int64_t deadline_ms = time_monotonic_ms() + (int64_t)(timeout.seconds * 1000);
    SshLink *link = NULL;
    SshFacts facts = { 0 };
    g_autofree char *text = NULL;
    if (!ssh_links_connect(links, host, deadline_ms, tool_call_cancel(call), &link, &facts,
                           error) ||
        !ssh_facts_word(&facts, args->command, args->cwd, &text, error))
        return false;

    g_autoptr(OutputSink) sink = output_sink_new(tool_context_artifacts(context), "ssh", 0);
    g_auto(ProcResult) run = { 0 };
    if (!run_command(call, link, text, deadline_ms, sink, &run, error) ||
        !output_sink_finish(sink, &run, timeout.seconds, result, error))
        return false;
    if (run.exit_status == STATUS_LOST && ssh_links_has_lost(links, link))
        tool_result_add_note(result, "The connection to the host was lost: the command may have "
                                     "run, or may still run there.");
    else if (run.stop == PROC_STOP_TIMEOUT)
        tool_result_add_note(result, "The command may still run on the host.");
    g_autofree char *note = bash_timeout_note(&timeout);
    if (note)
        tool_result_add_note(result, note);
    return true;
}

const ToolDef tool_ssh = {
    .name = "ssh",
    .label = "SSH",
    .summary = "Run a command on another machine",
    .describe = ssh_describe,
    .effect = EFFECT_WRITE,
    .judge = ssh_judge,
    .flags = TOOL_EXCLUSIVE | TOOL_CAN_DESTROY | TOOL_OPEN_WORLD | TOOL_DISCOVERABLE,
    .fields = ssh_fields,
    .args_size = sizeof(SshArgs),
    .is_available = is_available,
    .run = ssh_run,
};
