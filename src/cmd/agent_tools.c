/*
 * `kedge agent-tools MODULE [OPERATION]`: the JSON utilities from the command line
 * (agent-tools-cli §1): one envelope on standard output for every outcome, exit code 0 or 1.
 */
#include "agenttools/manual.h"
#include "base/dirs.h"
#include "base/log.h"
#include "base/timefmt.h"
#include "cmd/agent_tools_input.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/interrupt.h"
#include "cmd/cli/outline.h"

typedef struct Printing { // how the envelope is shown
    bool is_compact, has_meta, is_exit_zero;
    const OperationDef *operation; // NULL: none was found
    int64_t started_ms;
} Printing;

/* Takes `envelope`. Returns the exit code. */
static int print_envelope(const Printing *how, json_t *envelope_)
{
    g_autoptr(json_t) envelope = envelope_;
    bool is_good = json_get_bool(envelope, "success", false);
    if (how->has_meta) {
        g_autofree char *name = how->operation ? manual_name(how->operation) : NULL;
        json_t *meta = manual_version();
        json_add(meta, "operation:%s? duration_ms:%jd", name,
                 time_monotonic_ms() - how->started_ms);
        json_set_take(envelope, "meta", meta);
    }
    g_autofree char *text = answer_text(envelope, how->is_compact);
    bool is_printed = cmd_print_line(text);
    return is_printed && (is_good || how->is_exit_zero) ? EXIT_OK : EXIT_FAILED;
}

static int print_error(const Printing *how, const char *tool, const GError *error)
{
    g_autoptr(Answer) answer = answer_new();
    answer_add_error(answer, error);
    return print_envelope(how, answer_envelope(answer, tool));
}

/* Takes `data`. */
static int print_data(const Printing *how, const char *tool, json_t *data)
{
    g_autoptr(Answer) answer = answer_new();
    answer_set_data(answer, data);
    return print_envelope(how, answer_envelope(answer, tool));
}

static int fail_usage(const Printing *how, const char *tool, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
static int fail_usage(const Printing *how, const char *tool, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *message = g_strdup_vprintf(format, ap);
    va_end(ap);
    g_autoptr(Answer) answer = answer_new();
    answer_fail(answer, ANSWER_USAGE, NULL, "%s", message);
    return print_envelope(how, answer_envelope(answer, tool));
}

/* NULL-terminated, in table order. */
static GPtrArray *operations_of(const CommandEnv *env)
{
    GPtrArray *operations = g_ptr_array_new();
    for (size_t i = 0; i < tool_set_count(env->tools); i++) {
        const OperationDef *operation = operation_of(tool_set_at(env->tools, i));
        if (operation)
            g_ptr_array_add(operations, (void *)operation);
    }
    g_ptr_array_add(operations, NULL);
    return operations;
}

typedef struct Work {
    ToolCallSpec spec;
    ToolResult result;
} Work;

static void run_call(void *data)
{
    Work *work = data;
    tool_call(&work->spec, &work->result);
}

/* Settings are quiet here: standard error is for --verbose. */
static Settings *load_settings(const char *cwd, bool is_verbose)
{
    if (is_verbose)
        return cmd_load_settings(cwd);
    g_autofree char *agent_dir = dirs_agent();
    return settings_load(agent_dir, cwd, NULL);
}

static int run_operation(const OperationDef *operation, const AgentToolsInput *input,
                         const Printing *how)
{
    g_autofree char *cwd = g_get_current_dir();
    g_autoptr(Settings) settings = load_settings(cwd, input->is_verbose);
    g_autoptr(ToolContext) context = tool_context_new(cwd, settings, NULL);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    const ToolDoor door = {
        .kind = DOOR_TYPED, // the command that a person or a script typed is the consent
                            // (agent-tools-cli §1.7)
        .via = "cli",
        .is_strict = input->is_strict,
        .timeout_ms = input->timeout_ms,
        .wants_whole_text = true,
    };
    Work work = {
        .spec = {
            .tool = &operation->tool,
            .arguments = input->arguments,
            .context = context,
            .door = &door,
            .cancel = cancel,
        },
    };
    if (input->is_verbose)
        log_text("%s in %s", operation->tool.name, cwd);
    int signal_number = interrupt_run(run_call, &work, cancel);
    g_auto(ToolResult) result = work.result;
    if (signal_number) // no half an answer
        return interrupt_exit_code(signal_number);
    return print_envelope(how, json_incref((json_t *)operation_envelope(&result)));
}

static bool has_word(int argc, char *const *argv, const char *word)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

static int call_operation(const OperationDef *operation, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(AgentToolsInput) input = { 0 };
    Printing how = { .operation = operation, .started_ms = time_monotonic_ms() };
    bool is_read = agent_tools_input_read(operation, argc, argv, &input, &error);
    how.is_compact = input.is_compact || (!is_read && has_word(argc, argv, "--compact"));
    how.has_meta = input.has_meta;
    how.is_exit_zero = json_get_bool(input.arguments, "exitZero", false);
    if (input.wants_schema)
        return print_data(&how, operation->module, manual_schema(operation));
    if (!is_read)
        return print_error(&how, operation->module, error);
    return run_operation(operation, &input, &how);
}

static int call_module(const OperationDef *const *operations, const char *module,
                       const Printing *how, int argc, char *const *argv)
{
    const OperationDef *own = manual_find(operations, module, NULL);
    const char *word = argc > 0 && argv[0][0] != '-' ? argv[0] : NULL;
    const OperationDef *named = word ? manual_find(operations, module, word) : NULL;
    if (named)
        return call_operation(named, argc - 1, argv + 1);
    g_autofree char *names = manual_operation_names(operations, module);
    if (own && !(word && *names && !own->words))
        return call_operation(own, argc, argv);
    if (word)
        return fail_usage(how, module, "Unknown operation \"%s\" for %s. Operations: %s", word,
                          module, names);
    if (argc > 0)
        return fail_usage(how, module, "Unknown option %s", argv[0]);
    return fail_usage(how, module, "Missing operation for %s. Operations: %s", module, names);
}

static int agent_tools_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GPtrArray) array = operations_of(env);
    const OperationDef *const *operations = (const OperationDef *const *)array->pdata;
    const Printing how = { .is_compact = has_word(argc, argv, "--compact") };
    if (argc == 0) {
        g_autofree char *help = manual_help_root(operations);
        return cmd_print(help) ? EXIT_OK : EXIT_FAILED;
    }
    if (strcmp(argv[0], "--list") == 0)
        return print_data(&how, "agent-tools", manual_list(operations));
    if (strcmp(argv[0], "--version") == 0)
        return print_data(&how, "agent-tools", manual_version());
    if (argv[0][0] == '-')
        return fail_usage(&how, "agent-tools", "Unknown option %s", argv[0]);
    if (manual_has_module(operations, argv[0]))
        return call_module(operations, argv[0], &how, argc - 1, argv + 1);
    const char *nearest = manual_nearest_module(operations, argv[0]);
    return nearest
               ? fail_usage(&how, argv[0], "Unknown tool \"%s\". Did you mean \"%s\"?", argv[0],
                            nearest)
               : fail_usage(&how, argv[0],
                            "Unknown tool \"%s\". `kedge agent-tools --list` names all", argv[0]);
}

/* --help at every level, by the words before it. */
static char *agent_tools_help(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GPtrArray) array = operations_of(env);
    const OperationDef *const *operations = (const OperationDef *const *)array->pdata;
    const char *module = argc > 0 && argv[0][0] != '-' ? argv[0] : NULL;
    if (!module || !manual_has_module(operations, module))
        return manual_help_root(operations);
    const char *word = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
    const OperationDef *named = word ? manual_find(operations, module, word) : NULL;
    if (named)
        return manual_help_operation(named);
    g_autofree char *names = manual_operation_names(operations, module);
    return *names ? manual_help_module(operations, module)
                  : manual_help_operation(manual_find(operations, module, NULL));
}

static void agent_tools_outline(const CommandEnv *env, Outline *self)
{
    g_autoptr(GPtrArray) array = operations_of(env);
    for (unsigned i = 0; array->pdata[i]; i++) {
        const OperationDef *operation = array->pdata[i];
        Outline *module = outline_find(self, operation->module);
        if (!module)
            module = outline_add(self, operation->module, manual_module_summary(operation->module));
        Outline *own = operation->operation
                           ? outline_add(module, operation->operation, operation->tool.summary)
                           : module;
        outline_add_fields(own, operation->tool.fields, NULL);
        outline_add_fields(own, manual_common_options, NULL);
    }
}

const Command command_agent_tools = {
    .name = "agent-tools",
    .summary = "Deterministic JSON utilities for agent workflows",
    .usage = "MODULE [OPERATION] [options]",
    .make_help = agent_tools_help,
    .outline = agent_tools_outline,
    .run = agent_tools_run,
};
