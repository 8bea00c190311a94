/*
 * Which agent program a run starts, and with which arguments (engine.h, task-engine §5.7).
 */
#include "base/env.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "wm/engine/engine_self.h"

#include <string.h>

#define PROMPT_PLACE       "{prompt}"
#define MAX_ARGUMENT_BYTES (120 * KIB) // the kernel's bound of one is 128 KiB, its NUL included
#define AGENT_VARIABLE     "WM_AGENT_CMD"
#define CODEX_VARIABLE     "WM_ENGINE_CODEX_CMD"

/* NULL when unset or blank. */
static const char *command_of(const char *variable)
{
    const char *command = env_get_raw(variable);
    return command && !utf8_is_blank(command) ? command : NULL;
}

bool wm_engine_find(const WmTask *task, const WmConfig *config, WmEngineKind *ret_kind,
                    GError **error)
{
    static const struct {
        const char *name;
        WmEngineKind kind;
    } engines[] = {
        { "claude", WM_ENGINE_CLAUDE },
        { "codex", WM_ENGINE_CODEX },
        { "kedge", WM_ENGINE_KEDGE },
    };
    if (command_of(AGENT_VARIABLE)) {
        *ret_kind = WM_ENGINE_CUSTOM;
        return true;
    }
    g_autofree char *name = wm_task_engine(task, config);
    for (size_t i = 0; i < G_N_ELEMENTS(engines); i++) {
        if (g_str_equal(name, engines[i].name)) {
            *ret_kind = engines[i].kind;
            return true;
        }
    }
    if (g_str_equal(name, "copilot"))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "engine \"copilot\" is no longer supported; use WM_AGENT_CMD or set "
                         "engine to \"claude\" or \"codex\"");
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "unknown engine \"%s\" (use claude, codex, kedge, or set WM_AGENT_CMD)", name);
}

/* WM_CLAUDE_OUTPUT_FORMAT or the configuration's, for a run that no one watches. */
static WmFormat wm_engine_claude_format(const WmConfig *config)
{
    const char *given = env_get_raw("WM_CLAUDE_OUTPUT_FORMAT");
    g_autofree char *format = utf8_trim(given ? given : config->claude_format);
    if (str_equal_nocase(format, "json"))
        return WM_FORMAT_JSON;
    return str_equal_nocase(format, "stream-json") ? WM_FORMAT_STREAM_JSON : WM_FORMAT_TEXT;
}

static void engine_argv_add(GPtrArray *argv, const char *word)
{
    g_ptr_array_add(argv, g_strdup(word));
}

static void add_option(GPtrArray *argv, const char *flag, const char *value)
{
    engine_argv_add(argv, flag);
    engine_argv_add(argv, value);
}

static void add_words(GPtrArray *argv, const char *text, gssize size)
{
    g_autofree char *part = size < 0 ? g_strdup(text) : g_strndup(text, (gsize)size);
    g_auto(GStrv) words = g_strsplit_set(part, " \t\r\n\v\f", -1);
    for (char **word = words; *word; word++)
        if (**word)
            engine_argv_add(argv, *word);
}

/* A command of the user's: split at white space, with the prompt in its place or at the end. */
static bool add_command(GPtrArray *argv, const char *variable, const char *prompt, GError **error)
{
    const char *command = command_of(variable);
    if (!command)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s: empty", variable);
    size_t size = strlen(prompt);
    if (size > MAX_ARGUMENT_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "prompt too large for a command argument (%zu bytes); use an engine that "
                         "reads stdin",
                         size);
    const char *place = strstr(command, PROMPT_PLACE);
    add_words(argv, command, place ? place - command : -1);
    if (argv->len == 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s: missing executable before " PROMPT_PLACE,
                         variable);
    engine_argv_add(argv, prompt);
    if (place)
        add_words(argv, place + strlen(PROMPT_PLACE), -1);
    return true;
}

static void add_model(GPtrArray *argv, const WmAgentSpec *spec)
{
    g_autofree char *model = wm_task_model(spec->task, spec->project->config);
    if (*model)
        add_option(argv, "--model", model);
}

static void add_limits(GPtrArray *argv, const WmAgentSpec *spec)
{
    int64_t turns = wm_task_max_turns(spec->task, spec->project->config);
    double cost = wm_task_cost_usd(spec->task, spec->project->config);
    if (turns > 0) {
        g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)turns);
        add_option(argv, "--max-turns", text);
    }
    if (cost > 0 && spec->engine == WM_ENGINE_KEDGE) {
        char text[G_ASCII_DTOSTR_BUF_SIZE];
        add_option(argv, "--max-cost", g_ascii_formatd(text, sizeof(text), "%.9g", cost));
    }
}

static void add_system_text(GPtrArray *argv, const WmAgentSpec *spec)
{
    if (spec->system_text)
        add_option(argv, "--append-system-prompt", spec->system_text);
}

static WmFormat add_claude(GPtrArray *argv, const WmAgentSpec *spec)
{
    WmFormat format =
        spec->is_quiet ? wm_engine_claude_format(spec->project->config) : WM_FORMAT_STREAM_JSON;
    add_words(argv, "claude -p --dangerously-skip-permissions", -1);
    add_model(argv, spec);
    add_limits(argv, spec);
    if (format == WM_FORMAT_STREAM_JSON)
        add_words(argv, "--verbose --output-format stream-json", -1);
    else if (format == WM_FORMAT_JSON)
        add_words(argv, "--output-format json", -1);
    add_system_text(argv, spec);
    return format;
}

static WmFormat add_kedge(GPtrArray *argv, const WmAgentSpec *spec)
{
    g_ptr_array_add(argv, wm_engine_program(spec->run_dir));
    add_words(argv, "-p --mode json --no-session --fail-on-error", -1);
    add_model(argv, spec);
    add_limits(argv, spec);
    add_system_text(argv, spec);
    return WM_FORMAT_STREAM_JSON;
}

static void add_codex(GPtrArray *argv, const WmAgentSpec *spec)
{
    add_words(argv, "codex exec --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check",
              -1);
    add_model(argv, spec);
    engine_argv_add(argv, "-");
}

bool wm_engine_argv(const WmAgentSpec *spec, char ***ret_argv, bool *reads_stdin,
                    WmFormat *ret_format, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    bool is_codex = spec->engine == WM_ENGINE_CODEX;
    bool is_command = spec->engine == WM_ENGINE_CUSTOM || (is_codex && command_of(CODEX_VARIABLE));
    WmFormat format = WM_FORMAT_TEXT;
    if (is_command) {
        const char *variable = is_codex ? CODEX_VARIABLE : AGENT_VARIABLE;
        if (!add_command(argv, variable, spec->prompt, error))
            return false;
    } else if (is_codex) {
        add_codex(argv, spec);
    } else if (spec->engine == WM_ENGINE_CLAUDE) {
        format = add_claude(argv, spec);
    } else {
        format = add_kedge(argv, spec);
    }
    g_ptr_array_add(argv, NULL);
    *ret_argv = (char **)g_ptr_array_free(g_steal_pointer(&argv), FALSE);
    *reads_stdin = !is_command;
    *ret_format = format;
    return true;
}
