/*
 * One run of gh: program, version, environment, limits, and what its end means.
 */
#include "github/safe/gh_exec.h"

#include "base/ansi.h"
#include "base/limits.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/utf8.h"
#include "github/gh_process.h"
#include "github/json_whole.h"
#include "github/safe/gh_program.h"

#include <errno.h>

#define MIN_OUTPUT_BYTES     ((size_t)4096)
#define MAX_OUTPUT_BYTES     (1 * MIB)
#define CAPTURED_ERROR_BYTES (16 * KIB)
#define SHOWN_ERROR_BYTES    (4 * KIB)
#define LOG_TIMEOUT_S        60
#define API_TIMEOUT_S        30
#define LONG_TIMEOUT_S       (30 * 60) // of the same, in the background

void gh_outcome_clear(GhOutcome *self)
{
    g_free(self->message);
    g_free(self->output);
    g_free(self->raw_output);
    g_free(self->error_output);
    g_free(self->gh_version);
    *self = (GhOutcome) { .exit_status = -1 };
}

static bool is_command(const GhExec *spec, const char *command)
{
    return g_strcmp0(spec->command, command) == 0;
}

static bool has_element(const GhExec *spec, const char *element)
{
    return g_strv_contains(spec->argv, element);
}

/* A log ends with what went wrong. */
static bool is_log(const GhExec *spec)
{
    if (is_command(spec, "run view"))
        return has_element(spec, "--log") || has_element(spec, "--log-failed");
    bool is_found = false;
    for (const char *const *arg = spec->argv; *arg && is_command(spec, "api"); arg++)
        is_found |= g_str_has_suffix(*arg, "/logs");
    return is_found;
}

static int64_t timeout_of(const GhExec *spec, const Settings *settings)
{
    if (spec->timeout_s != 0)
        return CLAMP(spec->timeout_s, 1, GH_MAX_TIMEOUT_S);
    if (is_command(spec, "pr diff") || is_log(spec))
        return spec->may_take_long ? LONG_TIMEOUT_S : LOG_TIMEOUT_S;
    if (is_command(spec, "api") || (spec->command && str_has_prefix(spec->command, "search ")))
        return spec->may_take_long ? LONG_TIMEOUT_S : API_TIMEOUT_S;
    return CLAMP(settings_get_int(settings, "gh.timeout"), 1, GH_MAX_TIMEOUT_S);
}

static size_t max_bytes_of(const GhExec *spec, const Settings *settings)
{
    if (spec->max_bytes > 0)
        return spec->max_bytes;
    const char *key = is_command(spec, "pr diff") ? "gh.maxBytesDiff" : "gh.maxBytes";
    int64_t bytes = settings_get_int(settings, key);
    return (size_t)CLAMP(bytes, (int64_t)MIN_OUTPUT_BYTES, (int64_t)MAX_OUTPUT_BYTES);
}

/* What gh printed as text for a model: valid UTF-8, LF, without escape sequences and controls.
   Caller frees. */
static char *gh_plain_text(const char *data, size_t size)
{
    g_autofree char *bytes = g_malloc(size + 1);
    size_t length = 0;
    for (size_t i = 0; i < size; i++) { // a NUL is a control like any other, not a broken character
        if (data[i] != '\0')
            bytes[length++] = data[i];
    }
    g_autofree char *text = utf8_from_bytes(bytes, length);
    return ansi_strip(text);
}

/* Without the beginning of a character that the cut has split. */
static size_t whole_characters(const char *data, size_t size)
{
    for (size_t back = 1; back <= MIN(size, 3); back++) {
        const char *last = data + size - back;
        if ((*last & 0xc0) == 0x80)
            continue;
        bool is_split = g_utf8_get_char_validated(last, (gssize)back) == (gunichar)-2;
        return is_split ? size - back : size;
    }
    return size;
}

/* From the first whole line on, after a line that says what is missing. */
static char *log_end_text(const GhExec *spec, const ProcResult *result)
{
    const char *newline = memchr(result->output, '\n', result->output_size);
    const char *start = newline ? newline + 1 : result->output;
    size_t skipped = (size_t)(start - result->output);
    g_autofree char *plain = gh_plain_text(start, result->output_size - skipped);
    g_autofree char *text = redact_output(plain, spec->secrets);
    return g_strdup_printf("[the first %zu bytes are left out]\n%s",
                           result->dropped_bytes + skipped, text);
}

static char *output_text(const GhExec *spec, const ProcResult *result, size_t max_bytes)
{
    bool is_cut = result->dropped_bytes > 0;
    if (is_cut && is_log(spec))
        return log_end_text(spec, result);
    size_t size =
        is_cut ? whole_characters(result->output, result->output_size) : result->output_size;
    g_autofree char *plain = gh_plain_text(result->output, size);
    g_autofree char *text = redact_output(plain, spec->secrets);
    if (!is_cut)
        return g_steal_pointer(&text);
    g_autofree char *marker = gh_kind_cut_marker(max_bytes);
    g_autofree char *whole = json_whole(text);
    if (whole)
        return g_strconcat(whole, "\n", marker, NULL);
    return g_strconcat(text, g_str_has_suffix(text, "\n") ? "" : "\n", marker, NULL);
}

/* Masked before it is cut, so that no half of a secret is left at the end. */
static char *error_text(const GhExec *spec, const ProcResult *result)
{
    g_autofree char *plain = gh_plain_text(result->error_output, strlen(result->error_output));
    g_autofree char *masked = redact_text_with(plain, spec->secrets);
    size_t size = utf8_boundary_before(masked, strlen(masked), SHOWN_ERROR_BYTES);
    masked[size] = '\0';
    return utf8_trim_end(masked);
}

static void set_kind(const GhExec *spec, GhKind kind, GhFacts *facts, GhOutcome *outcome)
{
    facts->host = spec->host;
    facts->secrets = spec->secrets;
    outcome->kind = kind;
    outcome->message = gh_kind_message(kind, facts);
}

static void set_error(const GhExec *spec, const GError *error, GhOutcome *outcome)
{
    if (error->domain == GH_KIND_ERROR) {
        outcome->kind = (GhKind)error->code;
        outcome->message = g_strdup(error->message);
        return;
    }
    // the end of the message is what the system says, behind what was tried
    const char *colon = g_strrstr(error->message, ": ");
    GhFacts facts = { .reason = colon != NULL ? colon + 2 : error->message };
    if (error_is(error, KEDGE_ERROR_NOT_FOUND))
        facts.reason = g_strerror(ENOENT);
    GhKind kind = gh_kind_of_error(error);
    set_kind(spec, kind == GH_KIND_TIMEOUT ? GH_KIND_SPAWN : kind, &facts, outcome);
}

static void set_result(const GhExec *spec, const ProcSpec *proc, ProcResult *result,
                       GhOutcome *outcome)
{
    bool is_ours = result->stop != PROC_STOP_NONE; // the signal
    bool was_killed = is_ours || result->term_signal != 0;
    outcome->has_run = true;
    outcome->exit_status = was_killed ? -1 : result->exit_status;
    outcome->signal = is_ours ? 0 : result->term_signal;
    outcome->is_truncated = result->dropped_bytes > 0;
    outcome->captured_bytes = result->output_size;
    outcome->held_bytes = result->held_bytes;
    outcome->output = output_text(spec, result, proc->max_output_bytes);
    outcome->error_output = error_text(spec, result);

    const GhEnd end = {
        .stop = result->stop,
        .exit_status = result->exit_status,
        .signal = outcome->signal,
        .is_cut = outcome->is_truncated,
        .command = spec->command,
        .argv = spec->argv,
        .output = outcome->output,
        .error_output = result->error_output,
    };
    GhFacts facts = {
        .error_output = result->error_output,
        .timeout_s = proc->timeout_ms / 1000,
        .max_bytes = proc->max_output_bytes,
        .exit_status = result->exit_status,
        .signal = outcome->signal,
    };
    set_kind(spec, gh_kind_of_end(&end), &facts, outcome);
    outcome->raw_output = g_steal_pointer(&result->output);
}

static bool gh_exec_run(ToolCall *call, const GhExec *spec, const GhProgram *program,
                        GhOutcome *outcome, GError **error)
{
    const Settings *settings = tool_call_settings(call);
    g_autofree char *cwd = gh_cwd_spawn_path(spec->cwd);
    const GhProcess process = {
        .path = program->path,
        .argv = spec->argv,
        .set_host = spec->set_host,
        .set_repo = spec->set_repo,
        .proc = {
            .cwd = cwd,
            .timeout_ms = timeout_of(spec, settings) * 1000,
            .max_output_bytes = max_bytes_of(spec, settings),
            .max_error_bytes = CAPTURED_ERROR_BYTES,
            .keep = is_log(spec) ? PROC_KEEP_TAIL : PROC_KEEP_HEAD,
            .is_bytes = true,
            .stops_when_full = !is_log(spec),
            .keeps_stopped = true,
        },
    };
    g_auto(ProcResult) result = { 0 };
    if (!gh_process_run(call, &process, &result, error))
        return false;
    outcome->duration_ms = result.duration_ms;
    set_result(spec, &process.proc, &result, outcome);
    return true;
}

void gh_exec(ToolCall *call, const GhExec *spec, GhOutcome *ret_outcome)
{
    g_assert(tool_call_permit(call) != NULL);
    GhOutcome outcome = { .exit_status = -1 };
    g_auto(GhProgram) program = { 0 };
    g_autoptr(GError) error = NULL;
    if (!gh_program_find(tool_call_settings(call), spec->cwd->path, tool_call_cwd(call),
                         tool_call_cancel(call), &program, &error) ||
        !gh_exec_run(call, spec, &program, &outcome, &error))
        set_error(spec, error, &outcome);
    outcome.gh_version = g_steal_pointer(&program.version_text);
    *ret_outcome = outcome;
}
