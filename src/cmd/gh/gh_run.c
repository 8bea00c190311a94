/*
 * `kedge gh exec` and `kedge gh call`: one call of a gh tool, which ends with gh's own exit status
 * (gh-policy §0).
 */
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/input.h"
#include "cmd/gh/gh_command.h"
#include "github/safe/gh_call.h"
#include "github/safe/gh_exit.h"
#include "github/safe/gh_profile.h"

#define GENERAL_TOOL "gh"

typedef struct RunOptions {
    bool is_yes, is_unknown_allowed, is_json, is_raw;
    const char *repo, *hostname, *cwd;
    int64_t timeout_s;
    bool has_timeout;
    GhToolKind kind; // of the tool that is called
} RunOptions;

#define ANSWER_OPTIONS                                                                             \
    { "yes", FIELD_BOOLEAN, offsetof(RunOptions, is_yes),                                          \
      .help = "Run a write without asking (nothing destructive, nothing unknown)" },               \
        { "yesUnknown", FIELD_BOOLEAN, offsetof(RunOptions, is_unknown_allowed),                   \
          .help = "Run a command that is not in the table without asking (no write)" },            \
    {                                                                                              \
        "json", FIELD_BOOLEAN, offsetof(RunOptions, is_json),                                      \
            .help = "Print the whole result, the record of the call included, as JSON"             \
    }

static const FieldDef exec_options[] = {
    { "repo", FIELD_STRING, offsetof(RunOptions, repo), .value_name = "R",
      .help = "Repository, [HOST/]OWNER/REPO (default: that of the directory)" },
    { "hostname", FIELD_STRING, offsetof(RunOptions, hostname), .value_name = "H",
      .help = "GitHub host; it must be a known one" },
    { "cwd", FIELD_STRING, offsetof(RunOptions, cwd), .value_name = "DIR",
      .help = "Run in this directory" },
    { "timeout", FIELD_INTEGER, offsetof(RunOptions, timeout_s),
      .has_offset = offsetof(RunOptions, has_timeout), .value_name = "N",
      .help = "Seconds, 1 to 120 (default: by command)" },
    ANSWER_OPTIONS,
    { "raw", FIELD_BOOLEAN, offsetof(RunOptions, is_raw),
      .help = "Print only what gh printed, byte for byte" },
    { 0 },
};

static const FieldDef call_options[] = { ANSWER_OPTIONS, { 0 } };

/* What went wrong, where the result's own text is not shown. */
static void print_problem(const ToolResult *result)
{
    g_autofree char *text = tool_result_text(result);
    const char *message = json_get_text(result->details, "message");
    const char *error_output = json_get_text(result->details, "stderr");
    log_error("%s", message ? message : text);
    if (!str_is_empty(error_output) && !(message && strstr(message, error_output)))
        log_text("%s", error_output);
}

static bool print_raw(ToolContext *context, const ToolResult *result)
{
    size_t size = 0;
    g_autofree char *data = gh_call_take_raw(context, &size);
    bool is_printed = !data || cmd_print_bytes(data, size);
    if (result->is_error || json_get_bool(result->details, "truncated", false))
        print_problem(result);
    return is_printed;
}

static bool gh_run_prepare(ToolContext *context, void *user_data)
{
    const RunOptions *options = user_data;
    if (!gh_profile_offers(tool_context_settings(context), GH_DOOR_OTHERS, options->kind)) {
        log_error("refused: the setting gh.profile does not offer this tool");
        return false;
    }
    if (options->is_raw)
        gh_call_keep_raw(context);
    return true;
}

static int gh_run_show(ToolContext *context, const ToolResult *result, void *user_data)
{
    const RunOptions *options = user_data;
    bool is_printed =
        options->is_raw ? print_raw(context, result) : direct_print(result, options->is_json);
    return is_printed ? gh_exit_of(result) : EXIT_FAILED;
}

static int gh_run_run(const CommandEnv *env, const ToolDef *tool, const json_t *arguments,
                      RunOptions *options)
{
    options->kind = gh_profile_kind(tool);
    const DirectCall call = {
        .env = env,
        .tool = tool,
        .arguments = arguments,
        .is_yes = options->is_yes,
        .is_unknown_allowed = options->is_unknown_allowed,
        .prepare = gh_run_prepare,
        .show = gh_run_show,
        .user_data = options,
    };
    return direct_run(&call);
}

/* 2 may be gh's own status. */
static int fail_usage(const char *message)
{
    log_error("%s", message);
    return GH_EXIT_ARGUMENTS;
}

/* JSON would replace what is not. */
static bool is_utf8(int argc, char *const *argv)
{
    for (int i = 0; i < argc; i++)
        if (!g_utf8_validate(argv[i], -1, NULL))
            return false;
    return true;
}

static json_t *exec_arguments(const RunOptions *options, int argc, char *const *argv)
{
    json_t *args = json_array();
    for (int i = 0; i < argc; i++)
        json_append_take(args, json_text(argv[i]));
    json_t *arguments = json_make("args:%p repo:%s hostname:%s cwd:%s", args, options->repo,
                                  options->hostname, options->cwd);
    if (options->has_timeout)
        json_set_int(arguments, "timeout", options->timeout_s);
    return arguments;
}

static int exec_run(const CommandEnv *env, int argc, char *const *argv)
{
    int own = 0; // everything up to "--" is ours, everything after it gh's
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    RunOptions options = { 0 };
    if (!cmd_decode_options(exec_options, own, argv, &options, &kept, words, &error))
        return fail_usage(error->message);
    if (words->len > 0 || own == argc)
        return fail_usage("usage: kedge gh exec [options] -- ARG…; gh's arguments go after the --");
    if (options.is_raw && options.is_json)
        return fail_usage("--raw and --json exclude one another");
    if (!is_utf8(argc, argv))
        return fail_usage("every argument must be valid UTF-8");
    g_autoptr(json_t) arguments = exec_arguments(&options, argc - own - 1, argv + own + 1);
    return gh_run_run(env, tool_set_find(env->tools, GENERAL_TOOL), arguments, &options);
}

const Command command_gh_exec = {
    .name = "gh exec",
    .summary = "Run a gh command",
    .usage = "[options] -- ARG…",
    .options = exec_options,
    .help = "Everything after -- goes to gh as it is; a leading `gh` is dropped.\n"
            "  kedge gh exec -- pr list --state open\n"
            "  kedge gh exec --repo harbor/tidepool --yes -- issue close 12\n"
            "  kedge gh exec --raw -- api repos/{owner}/{repo}/issues --jq '.[].number'\n"
            "Reads run at once. A write is asked about on the terminal; without one it needs "
            "--yes. What\n"
            "deletes, sends files, opens a browser or prints credentials is refused (`kedge gh "
            "--help`).\n"
            "The first line of the result says what gh acted on: [gh HOST/OWNER/REPO CLASS STATUS "
            "SIZE].\n"
            "Exit status: gh's own; 0 when the output was cut; 64 bad arguments, 77 refused, "
            "declined or\n"
            "no one to ask, 124 timeout, 127 no gh, 1 anything else.",
    .run = exec_run,
};

static const ToolDef *find_gh_tool(const CommandEnv *env, const char *name)
{
    const ToolDef *tool = tool_set_find(env->tools, name);
    if (tool && (tool->flags & TOOL_GH))
        return tool;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (size_t i = 0; i < tool_set_count(env->tools); i++) {
        const ToolDef *each = tool_set_at(env->tools, i);
        if (each->flags & TOOL_GH)
            g_ptr_array_add(names, (void *)each->name);
    }
    g_ptr_array_add(names, NULL);
    const char *nearest = str_nearest(name, (const char *const *)names->pdata);
    g_autofree char *list = g_strjoinv(" ", (char **)names->pdata);
    log_error("unknown gh tool \"%s\"%s%s%s; there are: %s", name,
              nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "",
              list);
    return NULL;
}

static int call_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    RunOptions options = { 0 };
    if (!cmd_decode_options(call_options, argc, argv, &options, &kept, words, &error))
        return fail_usage(error->message);
    if (words->len < 1 || words->len > 2)
        return fail_usage("usage: kedge gh call TOOL [JSON|-]");
    const ToolDef *tool = find_gh_tool(env, words->pdata[0]);
    if (!tool)
        return GH_EXIT_ARGUMENTS;

    const char *input = words->len == 2 ? words->pdata[1] : "{}";
    g_autofree char *from_stdin = NULL;
    bool is_stdin = strcmp(input, "-") == 0;
    if (is_stdin && !input_read_stdin(LIMIT_ARGUMENT_BYTES, &from_stdin, &error))
        return fail_usage(error->message);
    g_autoptr(json_t) arguments = NULL;
    if (!json_parse_text(is_stdin ? from_stdin : input, &arguments, &error)) {
        g_prefix_error(&error, "the arguments of %s are not JSON: ", tool->name);
        return fail_usage(error->message);
    }
    return gh_run_run(env, tool, arguments, &options);
}

const Command command_gh_call = {
    .name = "gh call",
    .summary = "Call one of the gh tools with JSON arguments, as a model does",
    .usage = "[options] TOOL [JSON|-]",
    .options = call_options,
    .help = "`-` reads the arguments from standard input. `kedge tool schema TOOL` shows what "
            "there is.\n"
            "  kedge gh call gh_pr_list '{\"repo\":\"harbor/tidepool\",\"limit\":5}'\n"
            "  kedge gh call gh '{\"args\":[\"run\",\"list\"]}'\n"
            "Exit status: as of `kedge gh exec`.",
    .run = call_run,
};
