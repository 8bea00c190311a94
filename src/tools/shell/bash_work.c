/*
 * Commands of the bash tool and their results (bash_work.h).
 */
#include "tools/shell/bash_work.h"

#define TIMEOUT_MIN_S 1
#define TIMEOUT_MAX_S 3600

struct BashWork {
    ToolContext *context;
    const Settings *settings; // as they were at the start
    char *command, *cwd;
    json_t *env;
    BashTimeout timeout;
    bool is_apart, has_terminal;
    OutputSink *sink;
    BashOutcome outcome;
    void (*on_progress)(const char *text, void *user_data);
    void *user_data;
};

BashWork *bash_work_new(const BashWorkSpec *spec)
{
    BashWork *self = g_new0(BashWork, 1);
    self->context = spec->context;
    self->settings = tool_context_settings(spec->context);
    self->command = g_strdup(spec->command);
    self->cwd = g_strdup(spec->cwd);
    self->env = json_deep_copy(spec->env);
    self->timeout = spec->timeout;
    self->is_apart = spec->is_apart;
    self->has_terminal = spec->has_terminal;
    self->sink = output_sink_new(tool_context_artifacts(spec->context), "bash", 0);
    return self;
}

void bash_work_free(BashWork *self)
{
    if (!self)
        return;
    output_sink_free(self->sink);
    json_decref(self->env);
    g_free(self->command);
    g_free(self->cwd);
    g_free(self);
}

static void report_progress(void *self_)
{
    BashWork *self = self_;
    self->on_progress(output_sink_text(self->sink), self->user_data);
}

bool bash_work_run(BashWork *self, void (*on_progress)(const char *text, void *user_data),
                   void *user_data, Cancel *cancel, GError **error)
{
    self->on_progress = on_progress;
    self->user_data = user_data;
    const BashRun run = {
        .command = self->command,
        .cwd = self->cwd,
        .env = self->env,
        .timeout_ms = (int64_t)(self->timeout.seconds * 1000),
        .settings = self->settings,
        .context = self->context,
        .sink = self->sink,
        .is_apart = self->is_apart,
        .has_terminal = self->has_terminal,
        .on_progress = on_progress ? report_progress : NULL,
        .user_data = self,
    };
    return bash_shell_run(bash_shell_of(self->context), &run, cancel, &self->outcome, error);
}

BashTimeout bash_timeout_clamp(const Settings *settings, double requested, double fallback)
{
    double lowered = (double)settings_get_int(settings, "tools.maxTimeout");
    double max = lowered > 0 ? CLAMP(lowered, TIMEOUT_MIN_S, TIMEOUT_MAX_S) : TIMEOUT_MAX_S;
    double wanted = requested != 0 ? requested : fallback;
    return (BashTimeout) {
        .seconds = CLAMP(wanted, TIMEOUT_MIN_S, max),
        .requested = requested,
        .min = TIMEOUT_MIN_S,
        .max = max,
    };
}

static bool is_clamped(const BashTimeout *timeout)
{
    return timeout->requested != 0 && timeout->requested != timeout->seconds;
}

char *bash_timeout_note(const BashTimeout *timeout)
{
    if (!is_clamped(timeout))
        return NULL;
    return g_strdup_printf("Timeout clamped to %gs (requested %.15gs; allowed range %g-%gs).",
                           timeout->seconds, timeout->requested, timeout->min, timeout->max);
}

static json_t *json_seconds(double seconds)
{
    json_int_t whole = (json_int_t)seconds;
    return (double)whole == seconds ? json_integer(whole) : json_real(seconds);
}

void bash_timeout_add_details(const BashTimeout *timeout, ToolResult *result)
{
    json_t *details = tool_result_details(result);
    json_set_take(details, "timeoutSeconds", json_seconds(timeout->seconds));
    if (is_clamped(timeout))
        json_set_take(details, "requestedTimeoutSeconds", json_seconds(timeout->requested));
}

static void add_output(const BashWork *self, ToolResult *result, const SinkDump *dump)
{
    int status = self->outcome.status;
    g_autoptr(GString) text = g_string_new(dump->output);
    if (text->len == 0)
        g_string_append(text, "(no output)");
    if (status != 0)
        g_string_append_printf(text, "\n\nCommand exited with code %d", status);
    g_autofree char *note = bash_timeout_note(&self->timeout);
    if (note)
        g_string_append_printf(text, "\n\n%s", note);
    tool_result_add_text(result, text->str);
    result->is_error = status != 0 || self->outcome.end != BASH_EXITED;
}

static void add_shell_notes(const BashOutcome *outcome, ToolResult *result)
{
    if (outcome->was_busy)
        tool_result_add_note(result, "The conversation's shell is busy with another command: this "
                                     "one ran in a shell of its own, without the variables and "
                                     "functions of earlier calls.");
    if (outcome->has_lost_parent)
        tool_result_add_note(result, "The parent process of the shell was ended. It is not the "
                                     "conversation, which goes on, as does the shell.");
    if (!outcome->has_shell_ended)
        return;
    g_autoptr(GString) note = g_string_new(
        "The shell ended: variables, functions and options of earlier calls are gone.");
    if (outcome->left_running > 0)
        g_string_append_printf(note, " Background processes that still run: %u.",
                               outcome->left_running);
    tool_result_add_note(result, note->str);
}

bool bash_work_result(BashWork *self, ToolResult *result, GError **error)
{
    const BashOutcome *outcome = &self->outcome;
    g_autofree char *notice = outcome->end == BASH_TIMED_OUT
                                  ? g_strdup_printf("Command timed out after %d seconds",
                                                    (int)(self->timeout.seconds + 0.5))
                                  : NULL;
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(self->sink, notice, &dump);
    sink_dump_tell(&dump, result);
    if (outcome->end == BASH_CANCELLED)
        return sink_dump_fail_cancelled(&dump, result, "Command cancelled", error);
    add_output(self, result, &dump);
    bash_timeout_add_details(&self->timeout, result);
    add_shell_notes(outcome, result);
    return true;
}
