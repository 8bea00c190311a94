/*
 * eval: run cells of Python and JavaScript in kernels that live across calls (agent-tools §3.5).
 */
#include "base/file.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "tool/context.h"
#include "tool/lent_calls.h"
#include "tools/eval/eval_env.h"
#include "tools/eval/eval_kernels.h"
#include "tools/eval/eval_report.h"
#include "tools/file/workspace_path.h"
#include "tools/tools.h"

#define TIMEOUT_DEFAULT_S 30
#define TIMEOUT_MIN_S     1
#define TIMEOUT_MAX_S     600
#define SUMMARY_CHARS     120

typedef struct EvalArgs {
    const json_t *cells;
    const char *input;
    const char *language;
    double timeout;
    bool reset;
    const char *cwd;
} EvalArgs;

typedef struct CellArgs {
    const char *code;
    const char *title;
    const char *language;
    double timeout;
    bool reset;
} CellArgs;

static const char *const languages[] = { "python", "js", NULL };

static const FieldDef cell_fields[] = {
    { "code", FIELD_STRING, offsetof(CellArgs, code), .is_required = true },
    { "title", FIELD_STRING, offsetof(CellArgs, title) },
    { "language", FIELD_ENUM, offsetof(CellArgs, language), .values = languages,
      .is_hidden = true },
    { "timeout", FIELD_NUMBER, offsetof(CellArgs, timeout), .is_hidden = true },
    { "reset", FIELD_BOOLEAN, offsetof(CellArgs, reset), .is_hidden = true },
    { 0 },
};

static const FieldDef eval_fields[] = {
    { "cells", FIELD_OBJECT_LIST, offsetof(EvalArgs, cells), .item_fields = cell_fields,
      .min_items = 1, .max_items = EVAL_MAX_CELLS },
    { "input", FIELD_STRING, offsetof(EvalArgs, input), .is_hidden = true },
    { "language", FIELD_ENUM, offsetof(EvalArgs, language), .values = languages },
    { "timeout", FIELD_NUMBER, offsetof(EvalArgs, timeout),
      .help = "Seconds, 1-600; 30 unless given" },
    { "reset", FIELD_BOOLEAN, offsetof(EvalArgs, reset), .help = "Forget earlier state first" },
    { "cwd", FIELD_STRING, offsetof(EvalArgs, cwd) },
    { 0 },
};

static const char description[] =
    "Runs cells of Python or JavaScript (Node); variables persist between cells and calls.\n"
    "- The value of a last expression is shown; `display(x)` shows images, JSON, tables.\n"
    "- Top-level await works; there is no input.\n"
    "- `tool.NAME({…})` calls another tool (in JavaScript with await), `read write append tree "
    "diff "
    "output` are at hand.";

// ---- what is to run ----

typedef struct Plan {
    GPtrArray *cells; // of EvalCell
    bool is_cut;      // the input ends with *** Abort
    bool is_per_cell; // the time limit
    int64_t timeout_ms;
    double timeout_s;
    char *cwd;
} Plan;

static void plan_clear(Plan *self)
{
    g_clear_pointer(&self->cells, g_ptr_array_unref);
    g_free(self->cwd);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Plan, plan_clear)

static double clamp_timeout(const Settings *settings, double requested)
{
    double lowered = (double)settings_get_int(settings, "tools.maxTimeout");
    double max = lowered > 0 ? CLAMP(lowered, TIMEOUT_MIN_S, TIMEOUT_MAX_S) : TIMEOUT_MAX_S;
    return CLAMP(requested != 0 ? requested : TIMEOUT_DEFAULT_S, TIMEOUT_MIN_S, max);
}

static GPtrArray *cells_of(const json_t *list)
{
    GPtrArray *cells = g_ptr_array_new_with_free_func((GDestroyNotify)eval_cell_free);
    json_each ((json_t *)list, i, each) {
        EvalCell *cell = eval_cell_new(json_get_text(each, "code"), json_get_text(each, "title"));
        const char *language = json_get_text(each, "language");
        cell->language = language ? eval_language_parse(language) : EVAL_UNKNOWN;
        cell->timeout_ms = (int64_t)(json_get_number(each, "timeout", 0) * 1000);
        cell->resets = json_get_bool(each, "reset", false);
        g_ptr_array_add(cells, cell);
    }
    return cells;
}

static bool find_cwd(const ToolCall *call, const EvalArgs *args, char **ret_cwd, GError **error)
{
    const char *session_cwd = tool_call_cwd(call);
    g_autofree char *cwd =
        args->cwd ? workspace_path(args->cwd, session_cwd) : g_strdup(session_cwd);
    if (!file_is_directory(cwd))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         file_exists(cwd) ? "Working directory is not a directory: %s"
                                          : "Working directory does not exist: %s",
                         cwd);
    *ret_cwd = g_steal_pointer(&cwd);
    return true;
}

static bool make_plan(const ToolCall *call, const EvalArgs *args, Plan *plan, GError **error)
{
    if (!args->cells == !args->input)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "eval: give `cells`, a list of {\"code\": …}, and nothing else to run");
    if (args->input && !eval_input_parse(args->input, &plan->cells, &plan->is_cut, error))
        return false;
    if (args->cells)
        plan->cells = cells_of(args->cells);
    plan->is_per_cell = args->input != NULL;
    plan->timeout_s = clamp_timeout(tool_call_settings(call), args->timeout);
    plan->timeout_ms = (int64_t)(plan->timeout_s * 1000);
    for (unsigned i = 0; args->language && i < plan->cells->len; i++) {
        EvalCell *cell = plan->cells->pdata[i];
        if (cell->language == EVAL_UNKNOWN)
            cell->language = eval_language_parse(args->language);
    }
    return find_cwd(call, args, &plan->cwd, error);
}

// ---- which language ----

static const char *eval_unavailable(const Settings *settings, EvalLanguage language)
{
    if (language == EVAL_PYTHON)
        return eval_is_enabled(settings, language)
                   ? "Python backend is unavailable in this session. Pass language: \"js\" or "
                     "install the python kernel."
                   : "Python backend is disabled (eval.py = false).";
    return eval_is_enabled(settings, language)
               ? "JavaScript backend needs Node.js on PATH"
               : "JavaScript backend is disabled (eval.js = false).";
}

/* Of a cell that does not say: that of the one before, else by its marks, else what there is. */
static EvalLanguage eval_cell_guess(const EvalCell *cell, EvalLanguage previous,
                                    const bool *available, EvalReport *report)
{
    if (previous != EVAL_UNKNOWN)
        return previous;
    EvalLanguage seen = eval_sniff(cell->code);
    if (seen != EVAL_UNKNOWN && available[seen])
        return seen;
    if (seen == EVAL_PYTHON)
        eval_report_set_notice(
            report,
            "Python markers detected but the python kernel is unavailable; using JavaScript.");
    if (seen == EVAL_JS)
        eval_report_set_notice(
            report, "JavaScript markers detected but eval.js is disabled; using Python.");
    return available[EVAL_PYTHON] ? EVAL_PYTHON : EVAL_JS;
}

static bool eval_choose(const Settings *settings, const Plan *plan, EvalReport *report,
                        GError **error)
{
    bool available[EVAL_LANGUAGES] = { 0 };
    for (EvalLanguage each = EVAL_PYTHON; each <= EVAL_JS; each++)
        available[each] = eval_is_available(settings, each, plan->cwd);
    if (!available[EVAL_PYTHON] && !available[EVAL_JS])
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "No eval backend is available; enable eval.py or eval.js, and install "
                         "python3 or node.");
    EvalLanguage previous = EVAL_UNKNOWN;
    for (unsigned i = 0; i < plan->cells->len; i++) {
        EvalCell *cell = plan->cells->pdata[i];
        if (cell->language == EVAL_UNKNOWN)
            cell->language = eval_cell_guess(cell, previous, available, report);
        if (!available[cell->language])
            return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s",
                             eval_unavailable(settings, cell->language));
        previous = cell->language;
    }
    return true;
}

// ---- the cells ----

typedef struct Work {
    ToolCall *call;
    const Plan *plan;
    EvalKernels *kernels;
    EvalReport *report;
    bool is_fresh[EVAL_LANGUAGES]; // this call's reset is done
    bool resets;
    int64_t deadline_ms; // of the call; 0: its first cell has not begun
    GPtrArray *refused;  // by the gate, to the code; NULL: nothing
} Work;

static void on_output(const char *data, size_t size, void *user_data)
{
    eval_report_output(((Work *)user_data)->report, data, size);
}

static void on_answer(const json_t *frame, void *user_data)
{
    eval_report_frame(((Work *)user_data)->report, frame);
}

static void on_progress(void *user_data)
{
    eval_report_update(((Work *)user_data)->report);
}

static void reset_before(Work *self, const EvalCell *cell)
{
    bool is_due = cell->resets || (self->resets && !self->is_fresh[cell->language]);
    self->is_fresh[cell->language] = true;
    if (is_due)
        eval_kernels_reset(self->kernels, cell->language, self->plan->cwd);
}

/* The time that it takes to start a kernel does not count. */
static int64_t deadline_of(Work *self, const EvalCell *cell)
{
    int64_t now = time_monotonic_ms();
    if (cell->timeout_ms > 0) {
        double seconds =
            clamp_timeout(tool_call_settings(self->call), (double)cell->timeout_ms / 1000);
        return now + (int64_t)(seconds * 1000);
    }
    if (self->plan->is_per_cell)
        return now + self->plan->timeout_ms;
    if (self->deadline_ms == 0)
        self->deadline_ms = now + self->plan->timeout_ms;
    return self->deadline_ms;
}

/* False: no kernel could be had. */
static bool run_cell(Work *self, unsigned index, EvalOutcome *ret_outcome, GError **error)
{
    const EvalCell *cell = self->plan->cells->pdata[index];
    Cancel *cancel = tool_call_cancel(self->call);
    reset_before(self, cell);
    EvalKernel *kernel = NULL;
    g_autofree char *lost = NULL;
    int64_t asked_ms = time_monotonic_ms();
    if (!eval_kernels_take(self->kernels, tool_call_context(self->call), cell->language,
                           self->plan->cwd, cancel, &kernel, &lost, error))
        return false;
    if (self->deadline_ms > 0)
        self->deadline_ms += time_monotonic_ms() - asked_ms;
    eval_report_add_note(self->report, g_steal_pointer(&lost));
    eval_report_begin_cell(self->report, index, cell->language);

    int64_t started_ms = time_monotonic_ms();
    g_autoptr(EvalCalls) calls = eval_calls_new(self->call, cell->language);
    const EvalRun run = {
        .code = cell->code,
        .deadline_ms = deadline_of(self, cell),
        .context = tool_call_context(self->call),
        .calls = calls,
        .on_output = on_output,
        .on_answer = on_answer,
        .on_progress = on_progress,
        .user_data = self,
    };
    eval_kernel_run(kernel, &run, cancel, ret_outcome);
    if (eval_calls_refused(calls) && !self->refused)
        self->refused = g_ptr_array_ref(eval_calls_refused(calls));
    if (ret_outcome->end == EVAL_DIED) {
        g_autofree char *text =
            g_strdup_printf("[kernel] %s kernel exited with code %d\n",
                            eval_language_title(cell->language), ret_outcome->exit_status);
        eval_report_output(self->report, text, strlen(text));
    }
    bool has_failed = ret_outcome->end != EVAL_DONE || ret_outcome->has_failed;
    eval_report_end_cell(self->report, has_failed,
                         ret_outcome->end == EVAL_DONE ? ret_outcome->has_failed : -1,
                         time_monotonic_ms() - started_ms);
    eval_report_add_note(self->report, eval_kernels_give_back(self->kernels, cell->language,
                                                              self->plan->cwd, ret_outcome));
    return true;
}

static double seconds_of(const Work *self, unsigned index)
{
    const EvalCell *cell = self->plan->cells->pdata[index];
    return cell->timeout_ms > 0
               ? clamp_timeout(tool_call_settings(self->call), (double)cell->timeout_ms / 1000)
               : self->plan->timeout_s;
}

/* What is said behind the text of a call whose cell `index` has ended it. Caller frees. */
static char *suffix_of(const Work *self, unsigned index, const EvalOutcome *outcome)
{
    bool is_alone = self->plan->cells->len == 1;
    switch (outcome->end) {
    case EVAL_DONE:
        return is_alone ? g_strdup("Command exited with code 1")
                        : g_strdup_printf("Cell %u failed (exit code 1). Earlier cells "
                                          "succeeded—their state persists. Fix only cell %u.",
                                          index + 1, index + 1);
    case EVAL_TIMED_OUT:
        return is_alone ? NULL
                        : g_strdup_printf("Cell %u aborted: Command timed out after %d seconds",
                                          index + 1, (int)(seconds_of(self, index) + 0.5));
    case EVAL_DIED:
        return is_alone ? g_strdup("Command aborted")
                        : g_strdup_printf("Cell %u aborted: the kernel ended", index + 1);
    case EVAL_CANCELLED:
        break;
    }
    return NULL;
}

static EvalReportEnd report_end(const EvalOutcome *outcome)
{
    return outcome->end == EVAL_TIMED_OUT ? EVAL_REPORT_TIMED_OUT
           : outcome->end == EVAL_DIED    ? EVAL_REPORT_DIED
           : outcome->has_failed          ? EVAL_REPORT_FAILED
                                          : EVAL_REPORT_OK;
}

static const char truncated_call[] =
    "Tool stream truncated mid-call due to detected output corruption. Earlier cells (if any) "
    "executed normally; their state persists. Re-issue the aborted cell.";

static bool run_cells(Work *self, ToolResult *result, GError **error)
{
    EvalOutcome outcome = { 0 };
    unsigned index = 0;
    for (; index < self->plan->cells->len; index++) {
        if (!run_cell(self, index, &outcome, error)) {
            if (!g_error_matches(*error, KEDGE_ERROR, KEDGE_ERROR_CANCELLED))
                return false;
            g_clear_error(error); // what earlier cells have printed is said
            outcome.end = EVAL_CANCELLED;
        }
        if (outcome.end == EVAL_CANCELLED)
            return eval_report_fail_cancelled(self->report, error);
        if (report_end(&outcome) != EVAL_REPORT_OK)
            break;
    }
    EvalReportEnd end = report_end(&outcome);
    g_autofree char *suffix = end != EVAL_REPORT_OK ? suffix_of(self, index, &outcome)
                              : self->plan->is_cut  ? g_strdup(truncated_call)
                                                    : NULL;
    const EvalReportFacts facts = {
        .end = end,
        .timeout_s = end == EVAL_REPORT_TIMED_OUT ? seconds_of(self, index) : 0,
        .suffix = suffix,
    };
    eval_report_finish(self->report, &facts, result);
    return true;
}

static void end_kernels(const Work *self)
{
    for (EvalLanguage each = EVAL_PYTHON; each <= EVAL_JS; each++)
        if (self->is_fresh[each])
            eval_kernels_reset(self->kernels, each, self->plan->cwd);
}

static bool eval_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const EvalArgs *args = args_;
    const Settings *settings = tool_call_settings(call);
    g_auto(Plan) plan = { 0 };
    if (!make_plan(call, args, &plan, error))
        return false;
    g_autoptr(EvalReport) report = eval_report_new(call, plan.cells);
    if (!eval_choose(settings, &plan, report, error))
        return false;
    bool is_per_call = g_strcmp0(settings_get_text(settings, "python.kernelMode"), "per-call") == 0;
    Work work = {
        .call = call,
        .plan = &plan,
        .kernels = eval_kernels_of(tool_call_context(call)),
        .report = report,
        .resets = args->reset || is_per_call,
    };
    lent_calls_begin(call);
    bool is_done = run_cells(&work, result, error);
    result->refused = work.refused; // the model is told, as of a call of its own
    lent_calls_end(call, result);
    if (is_per_call)
        end_kernels(&work);
    return is_done;
}

// ---- the tool ----

static const char *first_code(const EvalArgs *args)
{
    const char *code = json_get_text(json_array_get(args->cells, 0), "code");
    return code ? code : args->input ? args->input : "";
}

static bool eval_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *ret_judgement,
                       GError **error G_GNUC_UNUSED)
{
    const EvalArgs *args = args_;
    g_autofree char *line = g_strdelimit(g_strdup(first_code(args)), "\r\n\t", ' ');
    g_autofree char *short_line = utf8_ellipsize(line, SUMMARY_CHARS);
    size_t count = json_array_size(args->cells);
    ret_judgement->effect = EFFECT_WRITE;
    ret_judgement->summary = count > 1
                                 ? g_strdup_printf("runs %zu cells of code: %s", count, short_line)
                                 : g_strconcat("runs code: ", short_line, NULL);
    return true;
}

static bool is_offered(const Settings *settings)
{
    return eval_is_available(settings, EVAL_PYTHON, NULL) ||
           eval_is_available(settings, EVAL_JS, NULL);
}

const ToolDef tool_eval = {
    .name = "eval",
    .label = "Eval",
    .summary = "Run Python or JavaScript in a kernel that persists",
    .description = description,
    .effect = EFFECT_WRITE,
    .judge = eval_judge,
    .flags = TOOL_EXCLUSIVE | TOOL_CAN_DESTROY | TOOL_OPEN_WORLD | TOOL_DISCOVERABLE,
    .fields = eval_fields,
    .args_size = sizeof(EvalArgs),
    .is_available = is_offered,
    .run = eval_run,
};
