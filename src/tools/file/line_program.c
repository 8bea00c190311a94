/* See line_program.h. */
#include "tools/file/line_program.h"

#include "base/limits.h"
#include "base/proc.h"

#include <signal.h>

#define MAX_LINE_BYTES  LIMIT_JSON_BYTES // an event of --json holds a whole line of a file
#define MAX_ERROR_BYTES (16 * KIB)

typedef struct LineReader {
    GString *line;
    bool is_too_long; // a line was
    bool is_stopped;
    Cancel *stop;
    LineProgramFunc func;
    void *user_data;
} LineReader;

static void stop(LineReader *self)
{
    self->is_stopped = true;
    cancel_fire(self->stop);
}

static void take_line(LineReader *self)
{
    if (!self->func(self->line->str, self->line->len, self->user_data))
        stop(self);
    g_string_truncate(self->line, 0);
}

static void on_output(const char *data, size_t size, void *user_data)
{
    LineReader *self = user_data;
    const char *end = data + size;
    while (data < end && !self->is_stopped) {
        const char *separator = memchr(data, '\n', (size_t)(end - data));
        size_t piece = (size_t)((separator ? separator : end) - data);
        if (self->line->len + piece > MAX_LINE_BYTES) {
            self->is_too_long = true;
            stop(self);
            return;
        }
        g_string_append_len(self->line, data, (gssize)piece);
        if (separator)
            take_line(self);
        data += piece + (separator ? 1 : 0);
    }
}

bool line_program_run(const LineProgram *program, Cancel *cancel, int *ret_exit_status,
                      char **ret_error_text, GError **error)
{
    g_autoptr(GString) line = g_string_new(NULL);
    g_autoptr(Cancel) token = cancel_new(cancel);
    LineReader reader = {
        .line = line, .stop = token, .func = program->func, .user_data = program->user_data
    };
    const ProcSpec spec = {
        .argv = program->argv,
        .cwd = program->cwd,
        .trees = program->trees,
        .profile = PROC_PROFILE_READER,
        .timeout_ms = program->timeout_ms,
        .max_output_bytes = MAX_ERROR_BYTES,
        .keep = PROC_KEEP_HEAD,
        .has_own_stderr = true,
        .on_output = on_output,
        .user_data = &reader,
    };
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) run_error = NULL;
    bool is_done = proc_run(&spec, token, &result, &run_error);
    if (reader.is_too_long)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "a line that matches is too long to be shown (over 64 MiB)");
    if (is_done && result.term_signal == SIGABRT && !reader.is_stopped)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "%s gave up: it may have no more than %d MiB of memory", program->name,
                         (int)(LIMIT_READER_MEMORY_BYTES / MIB));
    if (is_done && result.term_signal != 0 && !reader.is_stopped)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s was ended by signal %d", program->name,
                         result.term_signal);
    if (is_done) {
        *ret_exit_status = result.exit_status;
        *ret_error_text = g_steal_pointer(&result.error_output);
        return true;
    }
    if (reader.is_stopped && !cancel_has_fired(cancel)) {
        *ret_exit_status = 0;
        *ret_error_text = g_strdup("");
        return true;
    }
    return pass_error(error, &run_error);
}
