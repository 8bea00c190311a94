/*
 * The help texts, printed from the tables of commands, options and tools.
 */
#include "cmd/cli/cmd.h"

#include "base/str.h"

#include <string.h>

static void append_subcommands(const Command *command, GString *out)
{
    size_t width = 12, parent = strlen(command->name) + 1;
    for (const Command *const *each = command->subcommands; *each; each++)
        width = MAX(width, strlen((*each)->name + parent));
    g_string_append(out, "\nSubcommands:\n");
    for (const Command *const *each = command->subcommands; *each; each++)
        g_string_append_printf(out, "  %-*s %s\n", (int)width, (*each)->name + parent,
                               (*each)->summary);
    g_string_append_printf(out, "\n`kedge %s SUBCOMMAND --help` explains one.\n", command->name);
}

char *cmd_help_text(const Command *command)
{
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s\n\nUsage: kedge %s%s%s\n", command->summary, command->name,
                           str_is_empty(command->usage) ? "" : " ",
                           command->usage ? command->usage : "");
    if (command->options) {
        g_string_append(out, "\nOptions:\n");
        field_append_help(command->options, out);
    }
    if (command->subcommands)
        append_subcommands(command, out);
    if (command->help)
        g_string_append_printf(out, "\n%s\n", command->help);
    return g_string_free(out, FALSE);
}

const char cmd_environment_text[] =
    "  ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY …   credentials of "
    "model providers\n"
    "  ANTHROPIC_BASE_URL, OPENAI_BASE_URL                   other endpoints\n"
    "  GH_TOKEN, GH_HOST                                     as gh reads them\n"
    "  KEDGE_AGENT_DIR     settings, sessions, models.yml (~/.kedge/agent)\n"
    "  KEDGE_WORKTREE_DIR  worktrees of pull requests (~/.kedge/wt)\n"
    "  KEDGE_LOG           debug, info: diagnostics on standard error\n"
    "  NO_COLOR            no colours\n";

const char cmd_exit_codes_text[] =
    "0 done, 1 failed, 2 usage, 5 budget reached, 6 loop stopped, 77 refused, 130 interrupted.\n";

static int compare_names(const void *a, const void *b)
{
    const Command *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

static void append_commands(const CommandEnv *env, GString *out)
{
    g_autoptr(GPtrArray) visible = g_ptr_array_new();
    for (const Command *const *command = env->commands; *command; command++)
        if (!(*command)->is_hidden)
            g_ptr_array_add(visible, (void *)*command);
    g_ptr_array_sort(visible, compare_names);

    g_string_append(out, "\nCommands:\n");
    for (unsigned i = 0; i < visible->len; i++) {
        const Command *command = visible->pdata[i];
        g_string_append_printf(out, "  %-12s %s\n", command->name, command->summary);
    }
    g_string_append(out, "\n`kedge COMMAND --help` explains a command.\n");
}

static void append_tools(const CommandEnv *env, GString *out)
{
    g_string_append(out, "\nTools of the agent:\n");
    for (size_t i = 0; i < tool_set_count(env->tools); i++) {
        const ToolDef *tool = tool_set_at(env->tools, i);
        if (!(tool->flags & TOOL_HIDDEN))
            g_string_append_printf(out, "  %-18s %s\n", tool->name, tool->summary);
    }
}

char *cmd_root_help_text(const CommandEnv *env)
{
    const Command *launch = cmd_find(env, "launch");
    GString *out = g_string_new(
        "kedge " KEDGE_VERSION ": a coding agent with GitHub built in\n\n"
        "Usage: kedge [options] -p \"what to do\" [@file…]\n"
        "       kedge [options] [\"what to do\"]     (a conversation in the terminal)\n"
        "       kedge COMMAND …\n\n"
        "Examples:\n"
        "  kedge -p \"fix issue 12 and open a pull request\"\n"
        "  git diff | kedge -p \"review this\"\n"
        "  kedge github search_issues --query \"flaky label:bug\" --limit 5\n"
        "  kedge mcp            (the same tools for any MCP client)\n"
        "\nOptions:\n");
    field_append_help(launch->options, out);
    append_commands(env, out);
    append_tools(env, out);
    g_string_append_printf(out, "\nEnvironment:\n%s\nExit codes: %s", cmd_environment_text,
                           cmd_exit_codes_text);
    return g_string_free(out, FALSE);
}
