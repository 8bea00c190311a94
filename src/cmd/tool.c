/*
 * `kedge tool list|schema|run`: the tools as they are, without a model; and the short forms `kedge
 * grep` and `kedge read`.
 */
#include "base/limits.h"
#include "base/log.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/input.h"
#include "cmd/cli/outline.h"
#include "cmd/cli/tool_reference.h"

typedef struct ToolOptions {
    bool is_json, is_markdown, is_yes;
    const char *cwd;
} ToolOptions;

static const FieldDef tool_options[] = {
    { "json", FIELD_BOOLEAN, offsetof(ToolOptions, is_json),
      .help = "list: names, summaries and schemas as JSON; run: the whole result as JSON" },
    { "markdown", FIELD_BOOLEAN, offsetof(ToolOptions, is_markdown),
      .help = "list: the reference page of all tools" },
    { "yes", FIELD_BOOLEAN, offsetof(ToolOptions, is_yes),
      .help = "Allow a call that writes without asking (never one that destroys)" },
    { "cwd", FIELD_STRING, offsetof(ToolOptions, cwd), .value_name = "DIR",
      .help = "Working directory of the call" },
    { 0 },
};

/* In the form in which they are offered here. */
static ToolSet *tools_here(const CommandEnv *env)
{
    g_autofree char *cwd = g_get_current_dir();
    g_autoptr(Settings) settings = cmd_load_settings(cwd);
    return tool_set_for_model(env->tools, settings, NULL);
}

static int list_tools(const CommandEnv *env, const ToolOptions *options)
{
    if (options->is_markdown) {
        g_autofree char *page = tool_reference_markdown(env->tools);
        return cmd_print(page) ? EXIT_OK : EXIT_FAILED;
    }
    if (options->is_json) {
        g_autoptr(json_t) array = json_array();
        g_autoptr(ToolSet) tools = tools_here(env);
        for (size_t i = 0; i < tool_set_count(tools); i++) {
            const ToolDef *tool = tool_set_at(tools, i);
            if (!(tool->flags & TOOL_HIDDEN))
                json_append_take(array, tool_describe(tool, tools));
        }
        g_autofree char *text = json_to_pretty(array);
        return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
    }
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 0; i < tool_set_count(env->tools); i++) {
        const ToolDef *tool = tool_set_at(env->tools, i);
        if (!(tool->flags & TOOL_HIDDEN))
            g_string_append_printf(out, "%-18s %s\n", tool->name, tool->summary);
    }
    return cmd_print(out->str) ? EXIT_OK : EXIT_FAILED;
}

static const ToolDef *find_tool(const ToolSet *tools, const char *name)
{
    const ToolDef *tool = tool_set_find(tools, name);
    if (tool)
        return tool;
    const char *nearest = tool_set_nearest(tools, name);
    log_error("unknown tool \"%s\"%s%s%s; `kedge tool list` shows all", name,
              nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    return NULL;
}

static int print_schema(const CommandEnv *env, const char *name)
{
    g_autoptr(ToolSet) tools = tools_here(env);
    const ToolDef *tool = find_tool(tools, name);
    if (!tool)
        return EXIT_USAGE;
    g_autoptr(json_t) schema = tool_schema(tool);
    g_autofree char *text = json_to_pretty(schema);
    return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
}

static int run_tool(const CommandEnv *env, const char *name, const char *input,
                    const ToolOptions *options)
{
    const ToolDef *tool = find_tool(env->tools, name);
    if (!tool)
        return EXIT_USAGE;
    g_autoptr(GError) error = NULL;
    g_autofree char *from_stdin = NULL;
    if (strcmp(input, "-") == 0) {
        if (!input_read_stdin(LIMIT_ARGUMENT_BYTES, &from_stdin, &error))
            return cmd_fail(error);
        input = from_stdin;
    }
    g_autoptr(json_t) arguments = NULL;
    if (!json_parse_text(input, &arguments, &error)) {
        log_error("the arguments of %s are not JSON: %s", name, error->message);
        return EXIT_USAGE;
    }
    const DirectCall call = {
        .env = env,
        .tool = tool,
        .arguments = arguments,
        .tools = env->tools,
        .is_yes = options->is_yes,
        .is_json = options->is_json,
        .cwd = options->cwd,
    };
    return direct_run(&call);
}

static int tool_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ToolOptions options = { 0 };
    g_autoptr(json_t) kept = NULL;
    if (!cmd_decode_options(tool_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    char *const *word = (char *const *)words->pdata;
    if (words->len == 1 && strcmp(word[0], "list") == 0)
        return list_tools(env, &options);
    if (words->len == 2 && strcmp(word[0], "schema") == 0)
        return print_schema(env, word[1]);
    if (words->len == 3 && strcmp(word[0], "run") == 0)
        return run_tool(env, word[1], word[2], &options);
    log_text("usage: kedge tool list [--json|--markdown] | schema NAME | run NAME JSON|-");
    return EXIT_USAGE;
}

static void tool_outline(const CommandEnv *env, Outline *self)
{
    outline_add(self, "list", "Names and summaries of the tools");
    Outline *takes_name[] = {
        outline_add(self, "schema", "The JSON Schema of a tool's arguments"),
        outline_add(self, "run", "Run a tool with arguments as JSON"),
    };
    for (unsigned i = 0; i < self->children->len; i++)
        outline_add_fields(self->children->pdata[i], tool_options, NULL);
    for (size_t i = 0; i < tool_set_count(env->tools); i++) {
        const ToolDef *tool = tool_set_at(env->tools, i);
        for (size_t j = 0; !(tool->flags & TOOL_HIDDEN) && j < G_N_ELEMENTS(takes_name); j++)
            g_ptr_array_add(takes_name[j]->words, (void *)tool->name);
    }
}

const Command command_tool = {
    .name = "tool",
    .summary = "List the tools, print a schema, or run one tool",
    .usage = "list [--json|--markdown] | schema NAME | run NAME JSON|-",
    .options = tool_options,
    .help = "`run` takes the arguments as JSON, or `-` for standard input:\n"
            "  kedge tool run read '{\"path\":\"src/main.c:1-20\"}'\n"
            "Exit codes: 0 done, 1 the tool failed, 2 bad arguments, 77 refused or declined.",
    .outline = tool_outline,
    .run = tool_run,
};

/* `kedge grep` and `kedge read` are short forms: words become the fields that people mean, the
   other fields are flags. */
static int grep_run(const CommandEnv *env, int argc, char *const *argv)
{
    const ToolDef *tool = tool_set_find(env->tools, "grep");
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GError) error = NULL;
    const char *const words_for[] = { "pattern", "path", "paths", NULL };
    if (!direct_read_flags(tool, words_for, argc, argv, words, &arguments, &error))
        return cmd_fail(error);
    if (words->len < 1) {
        log_text("usage: kedge grep [--flags] PATTERN [PATH…]");
        return EXIT_USAGE;
    }
    json_set_text(arguments, "pattern", words->pdata[0]);
    if (words->len > 1) {
        json_t *paths = json_array();
        for (unsigned i = 1; i < words->len; i++)
            json_append_take(paths, json_text(words->pdata[i]));
        json_set_take(arguments, "paths", paths);
    }
    return direct_run_flags(env, tool, arguments, NULL);
}

static void grep_outline(const CommandEnv *env, Outline *self)
{
    static const char *const words[] = { "pattern", "paths", NULL };
    outline_add_fields(self, tool_set_find(env->tools, "grep")->fields, words);
}

const Command command_grep = {
    .name = "grep",
    .summary = "Run the grep tool once",
    .usage = "[--flags] PATTERN [PATH…]",
    .options = direct_options,
    .help = "The other flags are the tool's fields (`kedge tool schema grep`):\n"
            "  -i, --glob G, --type T, --multiline, --no-gitignore, --pre N, --post N, --limit N, "
            "--offset N\n"
            "A pattern that begins with `-` goes after `--`.",
    .outline = grep_outline,
    .run = grep_run,
};

static int read_run(const CommandEnv *env, int argc, char *const *argv)
{
    const ToolDef *tool = tool_set_find(env->tools, "read");
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GError) error = NULL;
    const char *const words_for[] = { "path", NULL };
    if (!direct_read_flags(tool, words_for, argc, argv, words, &arguments, &error))
        return cmd_fail(error);
    if (words->len != 1) {
        log_text("usage: kedge read PATH[:LINES]");
        return EXIT_USAGE;
    }
    json_set_text(arguments, "path", words->pdata[0]);
    return direct_run_flags(env, tool, arguments, NULL);
}

static void read_outline(const CommandEnv *env, Outline *self)
{
    static const char *const words[] = { "path", NULL };
    outline_add_fields(self, tool_set_find(env->tools, "read")->fields, words);
}

const Command command_read = {
    .name = "read",
    .summary = "Run the read tool once",
    .usage = "PATH[:LINES]",
    .options = direct_options,
    .help = "PATH is a file, a directory, or the address of something on GitHub:\n"
            "  kedge read issue://                  the open issues of this repository\n"
            "  kedge read issue://harbor/tidepool/7\n"
            "  kedge read 'pr://93?comments'        with its review threads\n"
            "  kedge read pr://93/diff              its files; /diff/2 one of them, /diff/all the "
            "whole\n"
            "  kedge read pr://current/checks       what CI says about this branch\n"
            "  kedge read run://16045200302         a run, and why its jobs failed\n",
    .outline = read_outline,
    .run = read_run,
};
