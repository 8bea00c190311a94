/*
 * The fifteen wrappers (gh_wrappers.h): their rows, what is made of gh's answers, and the ToolDefs.
 */
#include "github/safe/gh_wrappers.h"

#include "base/limits.h"
#include "github/github.h"
#include "github/repo_ref.h"
#include "github/safe/gh_body.h"
#include "github/safe/gh_failed_steps.h"
#include "github/safe/gh_profile.h"

#define ITEM_FIELDS    "number,title,state,author,createdAt,url,body"
#define CHECK_FIELDS   "name,state,bucket,startedAt,completedAt,link,workflow"
#define RUN_FIELDS     "databaseId,name,status,conclusion,startedAt,headBranch"
#define SEARCH_FIELDS  "number,title,state,author,repository,url"
#define FILES_PER_PAGE 100 // that gh fetches at most

// clang-format off
static const GhWrapper wrappers[] = {
    { &tool_gh_repo_view, { "repo", "view" }, GH_SUBJECT_REPO, .has_json = true, .set = GH_FIELDS_REPO,
      .defaults = "name,nameWithOwner,description,defaultBranchRef,url,visibility" },
    { &tool_gh_pr_view, { "pr", "view" }, GH_SUBJECT_NUMBER, .has_repo = true, .has_json = true, .set = GH_FIELDS_PR,
      .defaults = ITEM_FIELDS },
    { &tool_gh_pr_list, { "pr", "list" }, GH_SUBJECT_NONE, .has_repo = true, .limit = 30, .has_json = true,
      .set = GH_FIELDS_PR_LIST, .defaults = "number,title,state,author,createdAt,headRefName" },
    { &tool_gh_pr_diff, { "pr", "diff" }, GH_SUBJECT_NUMBER, .has_repo = true, .fixed = { "--color", "never" },
      .is_raw = true },
    { &tool_gh_pr_checks, { "pr", "checks" }, GH_SUBJECT_NUMBER, .has_repo = true, .has_json = true,
      .set = GH_FIELDS_PR_CHECKS, .defaults = CHECK_FIELDS },
    { &tool_gh_pr_files, { "pr", "view" }, GH_SUBJECT_NUMBER, .has_repo = true, .has_json = true, .set = GH_FIELDS_PR,
      .defaults = "files" },
    { &tool_gh_pr_current, { "pr", "view" }, GH_SUBJECT_NONE, .has_json = true, .set = GH_FIELDS_PR,
      .defaults = ITEM_FIELDS, .added = "url" },
    { &tool_gh_issue_view, { "issue", "view" }, GH_SUBJECT_NUMBER, .has_repo = true, .has_json = true,
      .set = GH_FIELDS_ISSUE, .defaults = ITEM_FIELDS },
    { &tool_gh_issue_list, { "issue", "list" }, GH_SUBJECT_NONE, .has_repo = true, .limit = 30, .has_json = true,
      .set = GH_FIELDS_ISSUE_LIST, .defaults = "number,title,state,author,createdAt,labels" },
    { &tool_gh_run_view, { "run", "view" }, GH_SUBJECT_RUN, .has_repo = true, .has_json = true, .set = GH_FIELDS_RUN,
      .defaults = RUN_FIELDS ",event,url" },
    { &tool_gh_run_list, { "run", "list" }, GH_SUBJECT_NONE, .has_repo = true, .limit = 20, .has_json = true,
      .set = GH_FIELDS_RUN_LIST, .defaults = RUN_FIELDS },
    { &tool_gh_run_logs_failed, { "run", "view" }, GH_SUBJECT_RUN_OR_JOB, .has_repo = true,
      .fixed = { "--log-failed" } },
    { &tool_gh_search_prs, { "search", "prs" }, GH_SUBJECT_NONE, .is_search = true, .limit = 30, .has_json = true,
      .set = GH_FIELDS_SEARCH_PRS, .defaults = SEARCH_FIELDS },
    { &tool_gh_search_issues, { "search", "issues" }, GH_SUBJECT_NONE, .is_search = true, .limit = 30, .has_json = true,
      .set = GH_FIELDS_SEARCH_ISSUES, .defaults = SEARCH_FIELDS },
    { &tool_gh_api_get, { "api", NULL }, GH_SUBJECT_ENDPOINT, .is_raw = true },
};
// clang-format on

static const GhWrapper *gh_wrapper_find(const ToolDef *tool)
{
    for (size_t i = 0; i < G_N_ELEMENTS(wrappers); i++) {
        if (wrappers[i].tool == tool)
            return &wrappers[i];
    }
    return NULL;
}

/* The answer to a GET: gh's exact word is not the only spelling that leads to GraphQL. */
static bool refuse_graphql(const GhCall *prepared, GError **error)
{
    return !prepared->classified.is_graphql ||
           gh_call_fail_args(error, "graphql needs POST; use the gh tool");
}

static bool gh_wrappers_build(ToolCall *call, GhCall *prepared, const GhWrapperArgs *args,
                              GhContext *context, char ***ret_argv, GError **error)
{
    const GhContextSpec spec = gh_call_context_spec(call, prepared, args->repo, args->hostname);
    return gh_context_resolve(&spec, context, error) &&
           gh_wrapper_build(gh_wrapper_find(tool_call_tool(call)), args, prepared, context,
                            ret_argv, error);
}

static bool wrapper_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                          GError **error)
{
    const GhWrapperArgs *args = args_;
    GhCall *prepared = gh_call_open(call, NULL, error);
    if (!prepared)
        return false;
    g_auto(GhContext) context = { 0 };
    g_auto(GStrv) argv = NULL;
    GError *cause = NULL;
    if (!gh_wrappers_build(call, prepared, args, &context, &argv, &cause))
        return gh_call_note_error(prepared, cause, error);
    const GhCallSpec spec = {
        .args = (const char *const *)argv,
        .repo = args->repo,
        .hostname = args->repo == NULL ? args->hostname : NULL,
        .is_wrapper = true,
    };
    if (!gh_call_judge(call, prepared, &spec, ret_judgement, error))
        return false;
    if (!refuse_graphql(prepared, &cause))
        return gh_call_note_error(prepared, cause, error);
    // --repo is our own word: the source is whoever named the repository to us
    if (gh_wrapper_find(tool_call_tool(call))->has_repo)
        prepared->target.context.source = context.source;
    return true;
}

/* An answer in spite of gh's exit status. */
static void set_answer(GhCall *prepared)
{
    prepared->kind = GH_KIND_NONE;
    g_clear_pointer(&prepared->message, g_free);
}

/* gh's error where there is simply nothing to show. NULL: it is an error. Caller frees. */
static char *nothing_found(const ToolDef *tool, GhCall *prepared)
{
    static const char no_pr[] = "no pull requests found for branch \"";
    const char *said = prepared->outcome.error_output;
    if (prepared->kind != GH_KIND_GH_EXIT || !said)
        return NULL;
    if (tool == &tool_gh_pr_checks && strstr(said, "no checks reported on the '")) {
        set_answer(prepared);
        return g_strdup("[]");
    }
    const char *found = tool == &tool_gh_pr_current ? strstr(said, no_pr) : NULL;
    if (!found)
        return NULL;
    const char *branch = found + strlen(no_pr);
    set_answer(prepared);
    return g_strdup_printf("no pull request for branch \"%.*s\"", (int)strcspn(branch, "\"\n"),
                           branch);
}

/* What gh found by itself is better known than what we expected. */
static void take_target(GhCall *prepared, const char *output)
{
    g_autofree char *text = gh_body_url(output);
    g_auto(GithubUrl) url = { 0 };
    if (!text || !github_url_parse(text, "pull", &url))
        return;
    GhContext *target = &prepared->target.context;
    g_free(target->host);
    g_free(target->repo);
    target->host = g_steal_pointer(&url.host);
    target->repo = g_steal_pointer(&url.slug);
}

static char *add_files_note(const GhCall *prepared, const GhWrapperArgs *args, const char *output)
{
    if (gh_body_file_count(output) != FILES_PER_PAGE)
        return NULL;
    const char *line_end = g_str_has_suffix(output, "\n") ? "" : "\n";
    return g_strdup_printf("%s%sfirst 100 files only; use gh_api_get "
                           "repos/%s/pulls/%" G_GINT64_FORMAT "/files?per_page=100&page=2 for more",
                           output, line_end, prepared->target.context.repo, args->number);
}

/* A whole answer, made fit for a model. NULL: as it is. Caller frees. */
static char *gh_wrappers_reshape(const ToolDef *tool, GhCall *prepared, const GhWrapperArgs *args)
{
    const GhWrapper *wrapper = gh_wrapper_find(tool);
    const char *output = prepared->outcome.output;
    if (tool == &tool_gh_run_logs_failed)
        return gh_failed_steps_text(output);
    if (tool == &tool_gh_pr_current)
        take_target(prepared, output);
    if (tool == &tool_gh_pr_files)
        return add_files_note(prepared, args, output);
    if (gh_wrapper_needs_rollup(wrapper, prepared)) {
        g_autofree char *fields = NULL;
        bool is_known = gh_wrapper_fields(wrapper, args, prepared, &fields, NULL);
        return is_known ? gh_body_checks(output, fields) : NULL;
    }
    bool has_bodies = wrapper->has_json || tool == &tool_gh_api_get;
    return has_bodies ? gh_body_cut(output, args->include_body) : NULL;
}

static bool wrapper_run(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    const ToolDef *tool = tool_call_tool(call);
    GhCall *prepared = tool_call_prepared(call);
    if (tool == &tool_gh_run_logs_failed)
        prepared->max_bytes = LIMIT_GH_LOG_BYTES;
    gh_call_exec(call, prepared);
    bool is_log_end = prepared->kind == GH_KIND_TRUNCATED && tool == &tool_gh_run_logs_failed;
    if (is_log_end) // what was left out is not among what would be shown
        set_answer(prepared);
    g_autofree char *output = prepared->kind == GH_KIND_NONE
                                  ? gh_wrappers_reshape(tool, prepared, args)
                                  : nothing_found(tool, prepared);
    gh_call_answer(call, prepared, output, result);
    return true;
}

static bool is_offered(const Settings *settings)
{
    return gh_profile_offers(settings, GH_DOOR_OWN_SESSION, GH_TOOL_WRAPPER);
}

#define WRAPPER(id, label_, summary_)                                                              \
    const ToolDef tool_##id = {                                                                    \
        .name = #id,                                                                               \
        .label = "GitHub: " label_,                                                                \
        .summary = summary_,                                                                       \
        .effect = EFFECT_READ,                                                                     \
        .judge = wrapper_judge,                                                                    \
        .flags = TOOL_EXACT | TOOL_KEEPS_TEXT | TOOL_GITHUB | TOOL_GH | TOOL_OPEN_WORLD |          \
                 TOOL_ONLY_READS | TOOL_DISCOVERABLE,                                              \
        .fields = id##_fields,                                                                     \
        .args_size = sizeof(GhWrapperArgs),                                                        \
        .is_available = is_offered,                                                                \
        .run = wrapper_run,                                                                        \
        .refused = gh_call_refused,                                                                \
        .finished = gh_call_finished,                                                              \
    }

WRAPPER(gh_repo_view, "repo view", "Show a GitHub repository (default branch, visibility, URL)");
WRAPPER(gh_pr_view, "PR view", "Show one pull request; body cut to 2 KB unless include_body");
WRAPPER(gh_pr_list, "PR list", "List pull requests of a repository");
WRAPPER(gh_pr_diff, "PR diff", "Show the diff of a pull request as text (max 64 KB)");
WRAPPER(gh_pr_checks, "PR checks",
        "Show CI checks of a pull request (bucket: pass, fail, pending, skipping, cancel)");
WRAPPER(gh_pr_files, "PR files", "List changed files of a pull request (first 100)");
WRAPPER(gh_pr_current, "PR current", "Show the pull request of the current branch");
WRAPPER(gh_issue_view, "issue view", "Show one issue; body cut to 2 KB unless include_body");
WRAPPER(gh_issue_list, "issue list", "List issues of a repository");
WRAPPER(gh_run_view, "run view", "Show one Actions run");
WRAPPER(gh_run_list, "run list", "List Actions runs");
WRAPPER(gh_run_logs_failed, "run logs failed",
        "Show why a run or job failed: of each failed step the log lines around its last error");
WRAPPER(gh_search_prs, "search PRs",
        "Search pull requests across repositories with GitHub search syntax");
WRAPPER(gh_search_issues, "search issues",
        "Search issues across repositories with GitHub search syntax");
WRAPPER(gh_api_get, "API get",
        "GET a GitHub REST endpoint (no fields, no body, one page per call)");
