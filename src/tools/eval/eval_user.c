/* See eval_user.h. */
#include "tools/eval/eval_user.h"

#include "base/limits.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "tool/sink.h"
#include "tools/eval/eval_env.h"
#include "tools/eval/eval_kernels.h"

#define SHOWN_VALUE_BYTES 8000 // of one that is displayed

static void put(OutputSink *sink, const char *text)
{
    output_sink_push(sink, text, strlen(text));
}

typedef struct Watched {
    const UserShellWatch *watch; // NULL: no one looks on
    OutputSink *sink;
} Watched;

static void on_output(const char *data, size_t size, void *watched)
{
    output_sink_push(((Watched *)watched)->sink, data, size);
}

static void put_line(OutputSink *sink, const char *text, size_t max_bytes)
{
    g_autofree char *shown = str_truncate(text, max_bytes);
    put(sink, shown);
    put(sink, strlen(shown) < strlen(text) ? "…\n" : "\n");
}

/* Values and what earlier code has printed since; images are for models. */
static void on_answer(const json_t *frame, void *watched)
{
    OutputSink *sink = ((Watched *)watched)->sink;
    const char *type = json_get_text(frame, "type");
    const char *value = json_get_text(frame, "json"), *text = json_get_text(frame, "text");
    const char *late = json_get_text(frame, "late");
    if (g_strcmp0(type, "text") == 0 && text)
        put(sink, text);
    else if (g_strcmp0(type, "display") == 0 && value)
        put_line(sink, value, SHOWN_VALUE_BYTES);
    else if (g_strcmp0(type, "display") == 0 && json_get_text(frame, "image"))
        put(sink, "[an image, which is not shown]\n");
    else if (g_strcmp0(type, "done") == 0 && late)
        put_line(sink, late, LIMIT_EVAL_LATE_BYTES);
}

static void on_progress(void *watched_)
{
    const Watched *watched = watched_;
    if (watched->watch)
        watched->watch->on_output(output_sink_text(watched->sink), watched->watch->user_data);
}

/* What has become of the kernel. Takes the note; NULL is none. */
static void put_note(OutputSink *sink, char *note)
{
    g_autofree char *line = note ? g_strdup_printf("[%s]\n", note) : NULL;
    g_free(note);
    if (line)
        put(sink, line);
}

static bool run(ToolContext *context, const char *code, Watched *watched, Cancel *cancel,
                EvalOutcome *ret_outcome, GError **error)
{
    OutputSink *sink = watched->sink;
    EvalKernels *kernels = eval_kernels_of(context);
    const char *cwd = tool_context_cwd(context);
    EvalKernel *kernel = NULL;
    char *lost = NULL;
    if (!eval_kernels_take(kernels, context, EVAL_PYTHON, cwd, cancel, &kernel, &lost, error))
        return false;
    put_note(sink, lost);
    g_autoptr(EvalCalls) calls = eval_calls_new(NULL, EVAL_PYTHON);
    const EvalRun run = {
        .code = code,
        .deadline_ms = time_monotonic_ms() + LIMIT_USER_COMMAND_MS,
        .calls = calls,
        .on_output = on_output,
        .on_answer = on_answer,
        .on_progress = on_progress,
        .user_data = watched,
    };
    eval_kernel_run(kernel, &run, cancel, ret_outcome);
    put_note(sink, eval_kernels_give_back(kernels, EVAL_PYTHON, cwd, ret_outcome));
    return true;
}

static int exit_code_of(const EvalOutcome *outcome)
{
    return outcome->end == EVAL_DIED ? outcome->exit_status : outcome->has_failed;
}

bool eval_run_for_user(ToolContext *context, const char *code, const UserShellWatch *watch,
                       Cancel *cancel, UserShellResult *ret_result, GError **error)
{
    const Settings *settings = tool_context_settings(context);
    if (!eval_is_enabled(settings, EVAL_PYTHON))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Python backend is disabled (eval.py = false).");
    g_autoptr(OutputSink) sink = output_sink_new(tool_context_artifacts(context), "eval", 0);
    Watched watched = { watch, sink };
    EvalOutcome outcome = { 0 };
    if (!run(context, code, &watched, cancel, &outcome, error))
        return false;
    bool is_per_call = g_strcmp0(settings_get_text(settings, "python.kernelMode"), "per-call") == 0;
    if (is_per_call)
        eval_kernels_reset(eval_kernels_of(context), EVAL_PYTHON, tool_context_cwd(context));
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, NULL, &dump);
    size_t extra = g_str_has_suffix(dump.output, "\n") ? 1 : 0; // the empty line behind the last
    *ret_result = (UserShellResult) {
        .output = mask_text(dump.output),
        .exit_code = exit_code_of(&outcome),
        .is_cancelled = outcome.end == EVAL_CANCELLED || outcome.end == EVAL_TIMED_OUT,
        .is_truncated = dump.is_truncated,
        .total_lines = dump.total_lines - extra,
        .total_bytes = dump.total_bytes,
        .output_lines = dump.output_lines - extra,
        .output_bytes = dump.output_bytes,
        .artifact_id = g_steal_pointer(&dump.artifact_id),
    };
    return true;
}
