/* See direct.h. */
#include "cmd/cli/direct.h"

#include "base/dirs.h"
#include "base/log.h"
#include "base/str.h"
#include "cmd/cli/interrupt.h"

#include <errno.h>

typedef struct Progress {
    bool is_shown;     // standard error is a terminal
    GHashTable *lines; // of the last snapshot; NULL: there was none
} Progress;

typedef struct DirectWork {
    ToolCallSpec spec;
    ToolResult result;
    Progress progress;
} DirectWork;

Settings *cmd_load_settings(const char *cwd)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    Settings *settings = settings_load(agent_dir, cwd, warnings);
    settings_warn_unknown(settings, warnings);
    cmd_print_warnings(warnings);
    return settings;
}

static Settings *load_settings(const DirectCall *call, const char *cwd)
{
    if (!call->settings_warnings)
        return cmd_load_settings(cwd);
    g_autofree char *agent_dir = dirs_agent();
    return settings_load(agent_dir, cwd, call->settings_warnings);
}

/* What changes with every snapshot and says nothing by itself. */
static bool is_clockwork(const char *line)
{
    return str_has_prefix(line, "Poll: ") || str_has_prefix(line, "Updated: ");
}

/* Progress of a long call, on a terminal only: the first snapshot, then what is new in each. */
static void show_update(const char *text, const json_t *details, void *user_data)
{
    DirectWork *work = user_data;
    Progress *progress = &work->progress;
    if (!progress->is_shown)
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GHashTable *now = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (char **line = lines; *line; line++) {
        bool is_new = progress->lines && **line != '\0' && !is_clockwork(*line) &&
                      !g_hash_table_contains(progress->lines, *line);
        if (is_new)
            log_text("%s", *line);
        g_hash_table_add(now, g_strdup(*line));
    }
    if (!progress->lines)
        log_text("%s", text);
    g_clear_pointer(&progress->lines, g_hash_table_unref);
    progress->lines = now;
}

static void run_call(void *data)
{
    DirectWork *work = data;
    tool_call(&work->spec, &work->result);
}

static int exit_code(const ToolResult *result)
{
    if (!result->is_error)
        return EXIT_OK;
    return result->failure == KEDGE_ERROR_DENIED ? EXIT_REFUSED : cmd_exit_code(result->failure);
}

static bool print_json(const ToolResult *result)
{
    g_autoptr(json_t) object = json_make("content:%p", json_incref(result->content));
    if (result->details)
        json_set_take(object, "details", json_incref(result->details));
    json_set_bool(object, "isError", result->is_error);
    g_autofree char *text = json_to_text(object);
    return cmd_print_line(text);
}

bool direct_print(const ToolResult *result, bool is_json)
{
    if (is_json)
        return print_json(result);
    g_autofree char *text = tool_result_text(result);
    if (result->is_error) {
        log_text("%s", text);
        return true;
    }
    return g_str_has_suffix(text, "\n") ? cmd_print(text) : cmd_print_line(text);
}

int direct_run(const DirectCall *call)
{
    if (call->cwd && chdir(call->cwd) < 0) {
        log_error("--cwd %s: %s", call->cwd, g_strerror(errno));
        return EXIT_FAILED;
    }
    g_autofree char *cwd = g_get_current_dir();
    g_autoptr(Settings) settings = load_settings(call, cwd);
    g_autoptr(GError) mistake = NULL;
    if (!call->settings_warnings && !settings_check_guards(settings, &mistake))
        return cmd_fail(mistake);
    g_autoptr(ToolSet) tools = call->tools ? tool_set_for_model(call->tools, settings, NULL) : NULL;
    const ToolDef *tool = tools ? tool_set_find(tools, call->tool->name) : call->tool;
    g_autoptr(ToolContext) context = tool_context_new(cwd, settings, NULL);
    tool_context_add_tables(context, call->env->tables);
    g_autoptr(Cancel) cancel =
        call->timeout_ms > 0 ? cancel_new_timed(NULL, call->timeout_ms) : cancel_new(NULL);
    const ToolDoor door = {
        .kind = DOOR_DIRECT,
        .via = "cli",
        .allow_writes = call->is_yes,
        .allow_unknown = call->is_unknown_allowed,
        .allow_hint = "--yes",
        .wants_whole_text = true,
        .ask = ask_has_terminal() ? ask_on_terminal : NULL,
        .choose = ask_has_terminal() ? choose_on_terminal : NULL,
    };
    g_auto(ToolResult) no_leak = { 0 };
    DirectWork work = {
        .spec = {
            .tool = tool,
            .arguments = call->arguments,
            .context = context,
            .door = &door,
            .tools = tools,
            .cancel = cancel,
            .on_update = show_update,
        },
        .progress = { .is_shown = isatty(STDERR_FILENO) },
    };
    work.spec.user_data = &work;

    if (call->prepare && !call->prepare(context, call->user_data))
        return EXIT_REFUSED;
    int signal_number = interrupt_run(run_call, &work, cancel);
    no_leak = work.result;
    g_clear_pointer(&work.progress.lines, g_hash_table_unref);
    int code = EXIT_FAILED;
    if (call->show)
        code = call->show(context, &work.result, call->user_data);
    else if (direct_print(&work.result, call->is_json))
        code = call->judge && !work.result.is_error ? call->judge(&work.result)
                                                    : exit_code(&work.result);
    return signal_number ? interrupt_exit_code(signal_number) : code;
}

typedef struct DirectOptions {
    bool is_yes, is_json;
    const char *cwd;
} DirectOptions;

const FieldDef direct_options[] = {
    { "yes", FIELD_BOOLEAN, offsetof(DirectOptions, is_yes),
      .help = "Allow a call that writes without asking (never one that destroys)" },
    { "json", FIELD_BOOLEAN, offsetof(DirectOptions, is_json),
      .help = "Print the whole result, details included, as JSON" },
    { "cwd", FIELD_STRING, offsetof(DirectOptions, cwd), .value_name = "DIR",
      .help = "Run in this directory" },
    { 0 },
};

static size_t field_count(const FieldDef *fields)
{
    size_t count = 0;
    while (fields[count].name)
        count++;
    return count;
}

/* Only used to read flags: the offsets mean nothing. */
bool direct_read_flags(const ToolDef *tool, const char *const *words_for, int argc,
                       char *const *argv, GPtrArray *words, json_t **ret_arguments, GError **error)
{
    size_t own = field_count(direct_options);
    g_autofree FieldDef *flags = g_new0(FieldDef, field_count(tool->fields) + own + 1);
    size_t used = 0;
    for (const FieldDef *field = tool->fields; field->name; field++)
        if (!g_strv_contains(words_for, field->name))
            flags[used++] = *field;
    memcpy(flags + used, direct_options, own * sizeof(FieldDef));
    return field_from_argv(flags, argc, argv, ret_arguments, words, NULL, error);
}

static bool take_flag(json_t *arguments, const char *name)
{
    bool value = json_get_bool(arguments, name, false);
    json_object_del(arguments, name);
    return value;
}

int direct_run_flags(const CommandEnv *env, const ToolDef *tool, json_t *arguments,
                     int (*judge)(const ToolResult *result))
{
    g_autofree char *cwd = g_strdup(json_get_text(arguments, "cwd"));
    json_object_del(arguments, "cwd");
    const DirectCall call = {
        .env = env,
        .tool = tool,
        .is_yes = take_flag(arguments, "yes"),
        .is_json = take_flag(arguments, "json"),
        .cwd = cwd,
        .arguments = arguments,
        .judge = judge,
    };
    return direct_run(&call);
}
