/*
 * `kedge acp`: an agent for editors that speak the Agent Client Protocol; what a session is made
 * of.
 */
#include "acp/acp_server.h"
#include "base/dirs.h"
#include "base/log.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/launch/launch_options.h"

static const FieldDef acp_options[] = {
    { "model", FIELD_STRING, offsetof(LaunchOptions, model), .value_name = "SELECTOR",
      .help = "Model: [provider/]id-or-pattern[:thinking level]" },
    { "thinking", FIELD_STRING, offsetof(LaunchOptions, thinking), .value_name = "LEVEL",
      .has_offset = offsetof(LaunchOptions, has_thinking),
      .help = "off, minimal, low, medium, high or xhigh" },
    { "tools", FIELD_STRING, offsetof(LaunchOptions, tools), .value_name = "A,B,…",
      .help = "Offer only these tools" },
    { "noTitle", FIELD_BOOLEAN, offsetof(LaunchOptions, no_title),
      .help = "Ask no model for the names of sessions (KEDGE_NO_TITLE does the same)" },
    { "allowWrites", FIELD_BOOLEAN, offsetof(LaunchOptions, allow_writes),
      .help = "Say yes where a write would be asked about" },
    { 0 },
};

typedef struct Acp {
    const CommandEnv *env;
    const LaunchOptions *options;
    char *agent_dir;
} Acp;

static ToolSet *choose_tools(const Acp *self, const Settings *settings)
{
    g_auto(GStrv) names = self->options->tools ? g_strsplit(self->options->tools, ",", -1) : NULL;
    g_autoptr(GPtrArray) unknown = g_ptr_array_new_with_free_func(g_free);
    ToolSet *tools =
        tool_set_select(self->env->tools, settings, (const char *const *)names, unknown);
    for (unsigned i = 0; i < unknown->len; i++)
        log_warning("unknown tool in --tools: %s", (char *)unknown->pdata[i]);
    return tools;
}

static AgentSession *open_session(const AcpOpen *open, void *user_data, char **ret_notice,
                                  GError **error)
{
    const Acp *self = user_data;
    LaunchWanted wanted = launch_options_wanted(self->options);
    wanted.session = open->session_id;
    g_autofree char *path = g_build_filename(self->agent_dir, "models.yml", NULL);
    g_autofree char *warning = NULL;
    ModelRegistry *registry = model_registry_new(path, &warning);
    g_autoptr(Settings) settings = cmd_load_settings(open->cwd);
    if (!settings_check_guards(settings, error)) {
        model_registry_free(registry);
        return NULL;
    }
    const LaunchPlace place = {
        .wanted = &wanted,
        .settings = settings,
        .registry = registry,
        .agent_dir = self->agent_dir,
        .cwd = open->cwd,
        .ret_notice = ret_notice,
        .may_lack_key = true,
    };
    g_auto(LaunchSession) session = { 0 };
    if (!launch_session_set_roles(&wanted, settings, open->cwd, registry, error) ||
        !launch_session_open(&place, &session, error)) {
        model_registry_free(registry);
        return NULL;
    }
    g_autoptr(ToolSet) tools = choose_tools(self, settings);
    const AgentSessionOptions options = {
        .loop = open->loop,
        .cancel = open->cancel,
        .settings = settings,
        .registry = registry,
        .session = g_steal_pointer(&session.session),
        .place = { self->agent_dir, open->cwd, NULL },
        .all_tools = self->env->tools,
        .tools = tools,
        .run_shell = self->env->run_shell,
        .run_python = self->env->run_python,
        .tables = self->env->tables,
        .model = session.model,
        .model_scope = session.scope,
        .is_model_named = wanted.model != NULL,
        .thinking = session.thinking,
        .wants_title = launch_options_wants_title(self->options),
        .can_ask = true,
        .allow_writes = self->options->allow_writes,
        .allow_hint = "--allow-writes",
    };
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    AgentSession *made = agent_session_new(&options, warnings);
    cmd_print_warnings(warnings);
    return made;
}

static int acp_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    LaunchOptions launch = { 0 };
    if (!cmd_decode_options(acp_options, argc, argv, &launch, &kept, NULL, &error))
        return cmd_fail(error);
    g_autofree char *agent_dir = dirs_agent();
    Acp self = { env, &launch, agent_dir };
    const AcpOptions options = { open_session, &self };
    int exit_code = 0;
    return acp_serve(&options, &exit_code, &error) ? exit_code : cmd_fail(error);
}

const Command command_acp = {
    .name = "acp",
    .summary = "Serve an editor that speaks the Agent Client Protocol",
    .usage = "[options]",
    .options = acp_options,
    .help = "For an editor's configuration: command `kedge`, arguments `acp`. The editor is asked\n"
            "before a call that needs approval; sessions are those of `kedge` itself.",
    .run = acp_run,
};
