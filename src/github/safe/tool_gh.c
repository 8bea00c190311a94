/*
 * The general `gh` tool: any command line of gh, judged before it runs (gh-policy §12.2).
 */
#include "github/github.h"
#include "github/safe/gh_call.h"
#include "github/safe/gh_profile.h"
#include "tool/background.h"
#include "tool/tool_set.h"

typedef struct GhArgs {
    const json_t *args;
    const char *hostname, *repo, *cwd;
    int64_t timeout;
    bool has_timeout;
} GhArgs;

static const FieldDef gh_fields[] = {
    { .name = "args",
      .type = FIELD_STRING_LIST,
      .offset = offsetof(GhArgs, args),
      .is_required = true,
      .min_items = 1,
      .help = "E.g. [\"pr\",\"view\",\"171\",\"--repo\",\"acme.ghe.com/org/r\"]" },
    { .name = "hostname", .type = FIELD_STRING, .offset = offsetof(GhArgs, hostname) },
    { .name = "repo",
      .type = FIELD_STRING,
      .offset = offsetof(GhArgs, repo),
      .help = "[HOST/]OWNER/REPO" },
    { .name = "cwd", .type = FIELD_STRING, .offset = offsetof(GhArgs, cwd) },
    { .name = "timeout",
      .type = FIELD_INTEGER,
      .offset = offsetof(GhArgs, timeout),
      .has_offset = offsetof(GhArgs, has_timeout),
      .help = "Seconds, 1 to 120" },
    { 0 },
};

#define WHAT "Run a GitHub CLI command given as an argv array."
#define RULES                                                                                      \
    "Writes (create/edit/merge/etc.) require user confirmation. Destructive commands (deletes, "   \
    "--delete-branch, api DELETE) are\nhard-blocked. Interactive commands (auth login, "           \
    "codespace ssh, --web, browse) are hard-blocked. File uploads (api --input,\n-F key=@file, "   \
    "--body-file, release upload, gist create) are hard-blocked: pass text with --body or -f "     \
    "body=…."

static const char gh_description[] =
    WHAT " Use this only when no task-specific gh_* tool fits. Prefer gh_pr_view,\ngh_pr_list, "
         "gh_pr_checks, gh_issue_view, gh_issue_list, gh_run_view, gh_run_list, "
         "gh_run_logs_failed, gh_repo_view,\ngh_search_prs, gh_search_issues, gh_api_get.\n" RULES;

/* Tools that are not there are no help. */
static char *gh_describe(const ToolSet *offered)
{
    return g_strdup(tool_set_find(offered, "gh_pr_view") ? gh_description : WHAT " " RULES);
}

/* Borrowed elements. Caller frees the array. */
static const char **strings_of(const json_t *list)
{
    GPtrArray *strings = g_ptr_array_new();
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item)
        g_ptr_array_add(strings, (char *)json_string_value(item));
    g_ptr_array_add(strings, NULL);
    return (const char **)g_ptr_array_free(strings, false);
}

static bool gh_judge(ToolCall *call, const void *args_, Judgement *ret_judgement, GError **error)
{
    const GhArgs *args = args_;
    GhCall *prepared = gh_call_open(call, args->cwd, error);
    if (!prepared)
        return false;
    g_autofree const char **argv = strings_of(args->args);
    const GhCallSpec spec = {
        .args = argv,
        .repo = args->repo,
        .hostname = args->hostname,
        // clamped later; zero would mean the default
        .timeout_s = args->has_timeout ? MAX(args->timeout, 1) : 0,
    };
    return gh_call_judge(call, prepared, &spec, ret_judgement, error);
}

static bool exec_and_answer(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    GhCall *prepared = tool_call_prepared(call);
    gh_call_exec(call, prepared);
    gh_call_answer(call, prepared, NULL, result);
    return true;
}

static bool gh_run_call(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    GhCall *prepared = tool_call_prepared(call);
    g_autofree char *argv = gh_quote_argv((const char *const *)prepared->shown_argv);
    g_autofree char *label = g_strconcat("gh ", argv, NULL);
    const BackgroundSpec spec = {
        .type = "gh",
        .label = label,
        .patience_ms = background_github_patience_ms(call),
        .run = exec_and_answer,
    };
    prepared->may_take_long = spec.patience_ms >= 0 && background_is_possible(call);
    return background_run(call, &spec, result, error);
}

static bool gh_is_offered(const Settings *settings)
{
    return gh_profile_offers(settings, GH_DOOR_OWN_SESSION, GH_TOOL_GENERAL);
}

const ToolDef tool_gh = {
    .name = "gh",
    .label = "GitHub: gh",
    .summary = "Run a GitHub CLI command; writes are asked about, deletes refused",
    .description = gh_description,
    .describe = gh_describe,
    .effect = EFFECT_WRITE, // of some calls: a server that only reads does not offer it
    .judge = gh_judge,
    .flags = TOOL_EXACT | TOOL_KEEPS_TEXT | TOOL_GITHUB | TOOL_GH | TOOL_OPEN_WORLD |
             TOOL_CAN_DESTROY | TOOL_DISCOVERABLE,
    .fields = gh_fields,
    .args_size = sizeof(GhArgs),
    .is_available = gh_is_offered,
    .run = gh_run_call,
    .refused = gh_call_refused,
    .finished = gh_call_finished,
};
