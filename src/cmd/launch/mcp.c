/*
 * `kedge mcp`: which tools the MCP server offers, and how (common §4.5).
 */
#include "base/dirs.h"
#include "base/log.h"
#include "base/path.h"
#include "cmd/cli/commands.h"
#include "github/safe/gh_profile.h"
#include "mcp/server.h"

typedef struct McpOptions {
    const char *tools, *cwd;
    bool is_read_only, allow_writes;
} McpOptions;

static const FieldDef mcp_options[] = {
    { "tools", FIELD_STRING, offsetof(McpOptions, tools), .value_name = "A,B,…",
      .help = "Tool names and groups (github, gh, coding, agent-tools, all); default: github,gh" },
    { "readOnly", FIELD_BOOLEAN, offsetof(McpOptions, is_read_only),
      .help = "Offer only what can read, and refuse calls that write" },
    { "allowWrites", FIELD_BOOLEAN, offsetof(McpOptions, allow_writes),
      .help = "Say yes where a write would be asked about" },
    { "cwd", FIELD_STRING, offsetof(McpOptions, cwd), .value_name = "DIR",
      .help = "Working directory; default: the client's first root, else the server's" },
    { 0 },
};

/* What the settings turn off is in no group; who names it gets it. One of GitHub's stays: a call
   says what is missing. */
static bool is_in_group(const ToolDef *tool, const char *group, const Settings *settings)
{
    bool is_gh = tool->flags & TOOL_GH, is_github = tool->flags & TOOL_GITHUB;
    if (tool->flags & TOOL_ENVELOPE)
        return strcmp(group, "agent-tools") == 0 || strcmp(group, "all") == 0;
    if (tool->flags & (TOOL_HIDDEN | TOOL_OF_CONVERSATION))
        return false;
    if (!is_github && !tool_is_available(tool, settings))
        return false;
    if (strcmp(group, "gh") == 0)
        return is_gh;
    if (strcmp(group, "github") == 0)
        return is_github && !is_gh;
    return strcmp(group, "all") == 0 || (strcmp(group, "coding") == 0 && !is_github);
}

static bool is_group(const char *name)
{
    static const char *const groups[] = { "github", "gh", "coding", "agent-tools", "all", NULL };
    return g_strv_contains(groups, name);
}

/* gh.profile decides about gh and gh_* (gh-policy §5.5); what a client names does not count against
 * it. */
static bool is_in_profile(const ToolDef *tool, const Settings *settings)
{
    if (!(tool->flags & TOOL_GH))
        return true;
    return gh_profile_offers(settings, GH_DOOR_OTHERS, gh_profile_kind(tool));
}

typedef struct Choice {
    const ToolSet *all;
    char *const *names; // tools and groups
    const Settings *settings;
} Choice;

static bool is_chosen(const ToolDef *tool, void *user_data)
{
    const Choice *choice = user_data;
    for (char *const *name = choice->names; *name; name++) {
        bool is_named = tool_set_find(choice->all, *name) == tool;
        if ((is_named || is_in_group(tool, *name, choice->settings)) &&
            is_in_profile(tool, choice->settings))
            return true;
    }
    return false;
}

/* NULL after a message about a name that is no tool. */
static ToolSet *choose(const CommandEnv *env, const McpOptions *options, const Settings *settings)
{
    g_auto(GStrv) names = g_strsplit(options->tools ? options->tools : "github,gh", ",", -1);
    for (char **name = names; *name; name++)
        if (!tool_set_find(env->tools, g_strstrip(*name)) && !is_group(*name)) {
            log_error("unknown tool or group in --tools: \"%s\"", *name);
            return NULL;
        }
    Choice choice = { env->tools, names, settings };
    g_autoptr(ToolSet) chosen = tool_set_filter(env->tools, is_chosen, &choice);
    g_autoptr(ToolSet) here = tool_set_for_model(chosen, settings, NULL);
    // without --cwd the client says where calls are, perhaps after it has asked for the tools
    return options->cwd ? g_steal_pointer(&here) : tool_set_for_any_project(here);
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
        log_error("--cwd %s: no such directory", options.cwd);
        return EXIT_FAILED;
    }
    g_autofree char *here = g_get_current_dir();
    g_autofree char *agent_dir = dirs_agent();
    // the server loads them for the client's directory, and says what is wrong with them then
    g_autoptr(Settings) settings = settings_load(agent_dir, cwd ? cwd : here, NULL);
    if (!settings_check_guards(settings, &error))
        return cmd_fail(error);
    g_autoptr(ToolSet) tools = choose(env, &options, settings);
    if (!tools)
        return EXIT_USAGE;
    const McpServerOptions server = {
        .tools = tools,
        .tables = env->tables,
        .agent_dir = agent_dir,
        .cwd = cwd,
        .is_read_only = options.is_read_only,
        .allow_writes = options.allow_writes,
    };
    int exit_code = 0;
    return mcp_serve(&server, &exit_code, &error) ? exit_code : cmd_fail(error);
}

const Command command_mcp = {
    .name = "mcp",
    .summary = "Serve the tools to an MCP client over standard input and output",
    .usage = "[options]",
    .options = mcp_options,
    .help =
        "For a client's configuration: command `kedge`, arguments `mcp`. Calls that write ask "
        "through\n"
        "the client (elicitation); a client that cannot ask gets a refusal, unless the server was\n"
        "started with --allow-writes.",
    .run = mcp_run,
};
