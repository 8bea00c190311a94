/*
 * An agent program is run and watched (engine.h, task-engine §5.9): its bytes go, as they come, to
 * the log file, to the tail that is kept, and through the live stream to people.
 */
#include "base/env.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/proc_guard.h"
#include "base/utf8.h"
#include "wm/engine/engine_self.h"
#include "wm/engine/stream_private.h"
#include "wm/task/command_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>

#define TAIL_BYTES     (64 * KIB)
#define MASK_BYTES     LIMIT_SECRET_BYTES // before it, so that a secret at its front is known
#define MAX_LOG_BYTES  (64 * MIB)
#define LATE_GRACE_MS  (30 * 1000) // from SIGTERM to SIGKILL when the time is over
#define GRACE_MS       (5 * 1000)  // the same when a person stops it
#define DRAIN_MS       (5 * 1000)  // for pipes that others hold
#define LEFT_GRACE_MS  (2 * 1000)  // for what has left the agent's group
#define MAX_TIMEOUT_MS (24 * 60 * 60 * (int64_t)1000) // of a run whose token has none
#define TOKEN_BYTES    16

#define LATE_TEXT        "agent timed out (context deadline exceeded)"
#define INTERRUPTED_TEXT "interrupted by signal"

typedef struct Run {
    const WmAgentSpec *spec;
    Fd log;
    const char *log_path;
    GError *log_error;
    uint64_t bytes;   // that were printed
    MaskFilter *mask; // of the log: on Actions it is uploaded, where no runner masks it
    GString *masked;  // scratch
    WmStream *stream;
    Cancel *cancel;                  // of this run; fires when the log is full, too
    char token[2 * TOKEN_BYTES + 1]; // of stop-commands; "" outside of Actions
} Run;

static void run_clear(Run *self)
{
    fd_close(self->log);
    mask_filter_free(self->mask);
    if (self->masked)
        g_string_free(self->masked, TRUE);
    g_clear_error(&self->log_error);
    wm_stream_free(self->stream);
    cancel_unref(self->cancel);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

void wm_agent_result_clear(WmAgentResult *self)
{
    g_free(self->tail);
    g_free(self->failure);
    g_free(self->error_text);
    g_free(self->log_path);
    g_free(self->output_path);
    g_free(self->last_response);
    wm_usage_clear(&self->usage);
    *self = (WmAgentResult) { .usage = WM_USAGE_UNKNOWN };
}

static void show_line(const char *line, void *user_data)
{
    log_text("%s", line);
}

static bool run_is_full(const Run *self)
{
    return self->bytes > MAX_LOG_BYTES;
}

static bool write_log(Run *self)
{
    bool is_written = fd_write_all(self->log, self->masked->str, self->masked->len, self->log_path,
                                   &self->log_error);
    g_string_truncate(self->masked, 0);
    return is_written;
}

static void take_output(const char *data, size_t size, void *user_data)
{
    Run *self = user_data;
    if (run_is_full(self) || self->log_error)
        return; // it is being stopped
    size_t kept = (size_t)MIN((uint64_t)size, MAX_LOG_BYTES - self->bytes);
    self->bytes += size;
    mask_filter_push(self->mask, data, kept, self->masked);
    bool is_written = write_log(self);
    wm_stream_push(self->stream, data, kept);
    if (!is_written || run_is_full(self))
        cancel_fire(self->cancel);
}

/* In a job's log a line may be a command to the runner, until it reads this word again. */
static bool make_token(Run *self, GError **error)
{
    if (g_strcmp0(env_get_raw("GITHUB_ACTIONS"), "true") != 0)
        return true;
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return fail_with(error, KEDGE_ERROR_IO, "agent: the system has no random bytes");
    for (size_t i = 0; i < sizeof(bytes); i++)
        g_snprintf(self->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static const char *log_name(WmFormat format)
{
    return format == WM_FORMAT_TEXT   ? "agent-stdout.log"
           : format == WM_FORMAT_JSON ? "conversation.json"
                                      : "conversation.jsonl";
}

static bool open_log(Run *self, const char *path, GError **error)
{
    self->log_path = path;
    self->log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (self->log < 0)
        return fail_with_errno(error, errno, "agent: cannot write %s", path);
    return true;
}

static bool run_prepare(Run *self, const char *log_path, GError **error)
{
    const WmAgentSpec *spec = self->spec;
    g_autofree char *no_login = g_build_filename(spec->run_dir, "no-login", NULL);
    self->mask = mask_filter_new();
    self->masked = g_string_new(NULL);
    self->stream = wm_stream_new(spec->engine, spec->is_quiet ? NULL : show_line, NULL);
    return open_log(self, log_path, error) && make_token(self, error) &&
           wm_shims_write(spec->run_dir, error) &&
           (!spec->is_rehearsal || file_make_dirs(no_login, 0700, error));
}

/* Words that say what is missing, as other engines of this format do. */
static bool fail_start(const char *program, GError *reason, GError **error)
{
    bool is_missing = error_is(reason, KEDGE_ERROR_NOT_FOUND) && !strchr(program, '/');
    if (is_missing)
        fail_with(error, KEDGE_ERROR_NOT_FOUND,
                  "agent: exec: \"%s\": executable file not found in $PATH", program);
    else
        fail_with(error, reason->code, "agent: %s", reason->message);
    g_error_free(reason);
    return false;
}

static bool run_process(Run *self, const char *const *argv, bool reads_stdin,
                        ProcResult *ret_result, GError **error)
{
    const WmAgentSpec *spec = self->spec;
    g_auto(GStrv) env = wm_engine_environment(spec);
    const ProcSpec process = {
        .argv = argv,
        .cwd = wm_agent_root(spec),
        .env = (const char *const *)env,
        .input = reads_stdin ? spec->prompt : NULL,
        .profile = PROC_PROFILE_FREE,
        .timeout_ms = MAX_TIMEOUT_MS,
        .max_output_bytes = TAIL_BYTES + MASK_BYTES,
        .keep = PROC_KEEP_TAIL,
        .keeps_stopped = true,
        .grace_ms = spec->grace_ms > 0 ? spec->grace_ms : GRACE_MS,
        .late_grace_ms = spec->grace_ms > 0 ? spec->grace_ms : LATE_GRACE_MS,
        .drain_ms = DRAIN_MS,
        .on_output = take_output,
        .user_data = self,
    };
    GError *reason = NULL;
    ProcGuard guard = { 0 };
    g_autoptr(WmCommandFiles) command_files = wm_command_files_new();
    g_autofree char *mark = g_strconcat("KEDGE_WM_RUN_DIR=", spec->run_dir, NULL);
    if (*self->token)
        log_text("::stop-commands::%s", self->token);
    proc_guard_begin(&guard, mark);
    bool is_started = proc_run(&process, self->cancel, ret_result, &reason);
    proc_guard_end(&guard, spec->grace_ms > 0 ? spec->grace_ms : LEFT_GRACE_MS);
    mask_filter_finish(self->mask, self->masked);
    if (!self->log_error)
        write_log(self);
    wm_stream_finish(self->stream);
    if (*self->token)
        log_text("::%s::", self->token);
    wm_command_files_restore(command_files);
    return is_started || fail_start(argv[0], reason, error);
}

/* Known secrets leave it before it is cut to its size. */
static char *tail_of(const char *output)
{
    g_autofree char *masked = mask_text(output);
    size_t size = strlen(masked);
    size_t from = size > TAIL_BYTES ? utf8_boundary_after(masked, size, size - TAIL_BYTES) : 0;
    return g_strdup(masked + from);
}

static char *signal_text(int number)
{
    g_autofree char *name = g_ascii_strdown(g_strsignal(number), -1);
    return g_strdup_printf("signal: %s", name);
}

static char *failure_of(const Run *run, const ProcResult *process)
{
    if (run_is_full(run))
        return g_strdup_printf("agent output exceeds maximum size (%zu bytes)",
                               WM_MAX_AGENT_LOG_BYTES);
    if (run->log_error)
        return g_strdup_printf("agent: %s", run->log_error->message);
    if (process->stop != PROC_STOP_NONE)
        return g_strdup(process->is_late || process->stop == PROC_STOP_TIMEOUT ? LATE_TEXT
                                                                               : INTERRUPTED_TEXT);
    if (process->term_signal != 0)
        return signal_text(process->term_signal);
    return process->exit_status != 0 ? g_strdup_printf("exit status %d", process->exit_status)
                                     : NULL;
}

static void run_fill(const Run *run, const ProcResult *process, WmAgentResult *result)
{
    bool was_stopped = process->stop != PROC_STOP_NONE && !run_is_full(run) && !run->log_error;
    bool is_late = process->is_late || process->stop == PROC_STOP_TIMEOUT;
    result->failure = failure_of(run, process);
    bool is_whole = process->stop != PROC_STOP_NONE || run_is_full(run) || run->log_error;
    result->error_text =
        result->failure ? g_strconcat(is_whole ? "" : "agent: ", result->failure, NULL) : NULL;
    result->has_timed_out = was_stopped && is_late;
    result->was_interrupted = was_stopped && !is_late;
    result->is_success = !result->failure;
    result->exit_code = process->term_signal != 0 ? -1 : process->exit_status;
    g_free(result->tail);
    result->tail = tail_of(process->output);
    result->log_bytes = run->bytes;
}

static void fill_from_stream(WmStream *stream, WmAgentResult *result)
{
    const char *response = wm_stream_last_response(stream);
    result->last_response = response ? mask_text(response) : NULL;
    wm_usage_clear(&result->usage);
    result->usage = stream->usage;
    stream->usage = WM_USAGE_UNKNOWN;
}

static bool run_agent(Run *run, WmAgentResult *result, GError **error)
{
    const WmAgentSpec *spec = run->spec;
    g_auto(GStrv) argv = NULL;
    bool reads_stdin;
    WmFormat format;
    if (!wm_engine_argv(spec, &argv, &reads_stdin, &format, error))
        return false;
    result->log_path = g_build_filename(spec->run_dir, log_name(format), NULL);
    if (!run_prepare(run, result->log_path, error))
        return false;
    g_auto(ProcResult) process = { 0 };
    if (!run_process(run, (const char *const *)argv, reads_stdin, &process, error))
        return false;
    run_fill(run, &process, result);
    fill_from_stream(run->stream, result);
    return true;
}

bool wm_agent_run(const WmAgentSpec *spec, Cancel *cancel, WmAgentResult *ret_result,
                  GError **error)
{
    g_auto(Run) run = { .spec = spec, .log = -1, .cancel = cancel_new(cancel) };
    *ret_result = (WmAgentResult) {
        .exit_code = -1,
        .tail = g_strdup(""),
        .output_path = g_build_filename(spec->run_dir, "output.jsonl", NULL),
        .usage = WM_USAGE_UNKNOWN,
    };
    g_autoptr(GError) reason = NULL;
    if (run_agent(&run, ret_result, &reason))
        return true;
    if (error_is(reason, KEDGE_ERROR_CANCELLED)) { // before it was started
        ret_result->has_timed_out = cancel_is_late(run.cancel);
        ret_result->was_interrupted = !ret_result->has_timed_out;
        g_clear_error(&reason);
        fail_with(&reason, KEDGE_ERROR_CANCELLED,
                  ret_result->has_timed_out ? LATE_TEXT : INTERRUPTED_TEXT);
    }
    ret_result->failure = g_strdup(reason->message);
    ret_result->error_text = g_strdup(reason->message);
    return pass_error(error, &reason);
}
