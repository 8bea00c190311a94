/*
 * `kedge mcp`: which tools the MCP server offers, and how (spec/common.md §4.5).
 */
#include "base/dirs.h"
#include "base/path.h"
#include "cmd/commands.h"
#include "mcp/server.h"
#include "tool/registry.h"

typedef struct McpOptions {
    const char *tools, *cwd;
    bool is_read_only, allow_writes;
} McpOptions;

static const FieldDef mcp_options[] = {
    { "tools", FIELD_STRING, offsetof(McpOptions, tools), .value_name = "A,B,…",
      .help = "Tool names and groups (github, coding, all); default: github" },
    { "readOnly", FIELD_BOOLEAN, offsetof(McpOptions, is_read_only),
      .help = "Offer only what can read, and refuse calls that write" },
    { "allowWrites", FIELD_BOOLEAN, offsetof(McpOptions, allow_writes),
      .help = "Say yes where a write would be asked about" },
    { "cwd", FIELD_STRING, offsetof(McpOptions, cwd), .value_name = "DIR",
      .help = "Working directory; default: the client's first root, else the server's" },
    { 0 },
};

static bool is_in_group(const ToolDef *tool, const char *group)
{
    if (strcmp(group, "all") == 0)
        return true;
    bool is_github = tool->flags & TOOL_GITHUB;
    return strcmp(group, "github") == 0 ? is_github : strcmp(group, "coding") == 0 && !is_github;
}

static bool can_read(const ToolDef *tool)
{
    return tool->judge || tool->effect == EFFECT_READ;
}

/* NULL-terminated, in table order; NULL after a message about a name that is no tool. */
static GPtrArray *choose(const CommandEnv *env, const McpOptions *options)
{
    g_auto(GStrv) names = g_strsplit(options->tools ? options->tools : "github", ",", -1);
    g_autoptr(GPtrArray) chosen = g_ptr_array_new();
    for (const ToolDef *const *tool = env->tools; *tool; tool++)
        for (char **name = names; *name; name++) {
            bool is_named = tool_registry_find(env->tools, g_strstrip(*name)) == *tool;
            if ((is_named || is_in_group(*tool, *name)) &&
                (!options->is_read_only || can_read(*tool)) &&
                !g_ptr_array_find(chosen, *tool, NULL))
                g_ptr_array_add(chosen, (void *)*tool);
        }
    for (char **name = names; *name; name++)
        if (!tool_registry_find(env->tools, *name) && strcmp(*name, "github") != 0 &&
            strcmp(*name, "coding") != 0 && strcmp(*name, "all") != 0) {
            fprintf(stderr, "kedge: unknown tool or group in --tools: \"%s\"\n", *name);
            return NULL;
        }
    g_ptr_array_add(chosen, NULL);
    return g_steal_pointer(&chosen);
}

static int mcp_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    McpOptions options = { 0 };
    if (!cmd_decode_options(mcp_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    g_autofree char *cwd = options.cwd ? path_real(options.cwd) : NULL;
    if (options.cwd && !cwd) {
        fprintf(stderr, "kedge: --cwd %s: no such directory\n", options.cwd);
        return EXIT_FAILED;
    }
    g_autoptr(GPtrArray) tools = choose(env, &options);
    if (!tools)
        return EXIT_USAGE;
    g_autofree char *agent_dir = dirs_agent();
    const McpServerOptions server = {
        .tools = (const ToolDef *const *)tools->pdata,
        .agent_dir = agent_dir,
        .cwd = cwd,
        .is_read_only = options.is_read_only,
        .allow_writes = options.allow_writes,
    };
    return mcp_serve(&server);
}

const Command command_mcp = {
    .name = "mcp",
    .summary = "Serve the tools to an MCP client over standard input and output",
    .usage = "[options]",
    .options = mcp_options,
    .help = "For a client's configuration: command `kedge`, arguments `mcp`. Calls that write ask through\n"
            "the client (elicitation); a client that cannot ask gets a refusal, unless the server was\n"
            "started with --allow-writes.",
    .run = mcp_run,
};
