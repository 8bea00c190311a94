/*
 * The `github` tool: its description, its field table, the effect of a call, and the way to the
 * operation.
 */
#include "github/github.h"

#include "base/redact.h"
#include "base/str.h"
#include "base/utf8.h"
#include "github/audit/gh_audit_call.h"
#include "github/gh.h"
#include "github/ops/github_args.h"
#include "github/ops/query.h"
#include "github/repo_ref.h"
#include "github/safe/gh_action.h"
#include "github/safe/gh_call_context.h"
#include "tool/background.h"
#include "tool/context.h"
#include "tool/tool_set.h"

#define SUMMARY_MAX_CHARS 120 // of one value in the line that a person judges

#define WHAT "GitHub: repository facts, pull requests, searches and Actions runs.\n"
#define SINGLE                                                                                     \
    "- To read one issue, pull request or diff use gh_issue_view, gh_pr_view or gh_pr_diff.\n"

static const char description[] = WHAT
    "- `repo` defaults to the working directory's.\n"
    "- pr_create: `title` (with `body`), or `fill` to take both from the commits. The branch must "
    "have been pushed.\n"
    "- pr_checkout: each pull request (`pr`; default the current branch's) gets a git worktree of "
    "its own, on a branch pr-<number>: work in the path that is returned, the working tree stays "
    "as it is. `force` resets an existing branch, or its clean worktree, to the pull request.\n"
    "- pr_push: pushes a branch of an earlier pr_checkout (default: the current one) back to its "
    "pull request. `forceWithLease` after rewriting commits.\n"
    "- search_*: `query` in GitHub's search syntax, at most `limit` (50) results, in the current "
    "repository unless `repo` or the query (repo:, org:, user:, owner:) says where; search_repos: "
    "everywhere.\n"
    "- `since`, `until` (not for search_code): \"3d\" for 3 days ago (m, h, d, w, mo, y), a date "
    "\"YYYY-MM-DD\", or an ISO datetime.\n"
    "- run_watch: follows the Actions run `run`, or every run of the current commit (or of the "
    "tip of `branch`); returns at the first failure, with the last `tail` lines of each failed "
    "job's log, when all have succeeded, or after a while when no run appears.";

/* What reads a single issue is named where it can be called. */
static char *tool_set_describe(const ToolSet *offered)
{
    bool has_reader = tool_set_find(offered, "gh_issue_view") != NULL;
    return g_strconcat(WHAT, has_reader ? SINGLE : "", description + strlen(WHAT), NULL);
}

static const char *const op_names[] = {
    "repo_view",     "pr_create",  "pr_checkout", "pr_push",
    "search_issues", "search_prs", "search_code", "search_commits",
    "search_repos",  "run_watch",  NULL
};
static const char *const date_fields[] = { "created", "updated", NULL };

#define FIELD(name_, type_, member)                                                                \
    .name = name_, .type = type_, .offset = offsetof(GithubArgs, member)

static const FieldDef fields[] = {
    { FIELD("op", FIELD_ENUM, op), .values = op_names, .is_required = true },
    { FIELD("repo", FIELD_STRING, repo), .help = "owner/repo" },
    { FIELD("branch", FIELD_STRING, branch) },
    { FIELD("pr", FIELD_STRING_OR_LIST, pr), .help = "PR number, URL or branch; array = batch" },
    { FIELD("force", FIELD_BOOLEAN, force) },
    { FIELD("forceWithLease", FIELD_BOOLEAN, force_with_lease) },
    { FIELD("title", FIELD_STRING, title) },
    { FIELD("body", FIELD_STRING, body), .has_offset = offsetof(GithubArgs, has_body) },
    { FIELD("base", FIELD_STRING, base) },
    { FIELD("head", FIELD_STRING, head) },
    { FIELD("draft", FIELD_BOOLEAN, draft) },
    { FIELD("fill", FIELD_BOOLEAN, fill) },
    { FIELD("reviewer", FIELD_STRING_LIST, reviewer) },
    { FIELD("assignee", FIELD_STRING_LIST, assignee) },
    { FIELD("label", FIELD_STRING_LIST, label) },
    { FIELD("query", FIELD_STRING, query) },
    { FIELD("since", FIELD_STRING, since) },
    { FIELD("until", FIELD_STRING, until) },
    { FIELD("dateField", FIELD_ENUM, date_field), .values = date_fields,
      .default_text = "\"created\"" },
    { FIELD("limit", FIELD_NUMBER, limit), .default_text = "10",
      .has_offset = offsetof(GithubArgs, has_limit) },
    { FIELD("run", FIELD_STRING, run), .help = "Actions run id or URL" },
    { FIELD("tail", FIELD_NUMBER, tail), .default_text = "15",
      .has_offset = offsetof(GithubArgs, has_tail) },
    { 0 },
};

typedef struct OpDef {
    const char *name;
    Effect effect;
    GithubOp run;
    char *(*summarise)(const GithubArgs *args);            // without the repository; caller frees
    bool (*check)(const GithubArgs *args, GError **error); // before a person is asked; may be NULL
    bool uses_repo;
} OpDef;

/* One line of at most SUMMARY_MAX_CHARS, quoted; "" for nothing. Caller frees. */
static char *github_quoted(const char *text)
{
    g_autofree char *value = github_opt(text);
    if (!value)
        return g_strdup("");
    g_strdelimit(value, "\r\n\t", ' ');
    g_autofree char *shown = utf8_ellipsize(value, SUMMARY_MAX_CHARS);
    return g_strconcat(" \"", shown, "\"", NULL);
}

static char *summarise_repo_view(const GithubArgs *args)
{
    return g_strdup("reads facts about a repository");
}

static char *summarise_pr_create(const GithubArgs *args)
{
    g_autofree char *title = github_quoted(args->fill ? "(title from its commits)" : args->title);
    g_autofree char *head = github_quoted(args->head);
    g_autofree char *base = github_quoted(args->base);
    return g_strconcat("creates ", args->draft ? "draft " : "", "pull request", title,
                       *head != '\0' ? " from" : "", head, *base != '\0' ? " into" : "", base,
                       NULL);
}

static char *summarise_pr_checkout(const GithubArgs *args)
{
    g_auto(GStrv) prs = github_opt_list(args->pr);
    g_autofree char *joined = g_strjoinv(", ", prs);
    g_autofree char *shown = github_quoted(joined);
    return g_strdup_printf("checks out pull request%s into a worktree%s",
                           *shown != '\0' ? shown : " of the current branch",
                           args->force ? ", resetting its local branch" : "");
}

static char *summarise_pr_push(const GithubArgs *args)
{
    g_autofree char *branch = github_quoted(args->branch);
    return g_strdup_printf("%s %s%s to its pull request",
                           args->force_with_lease ? "force-pushes (with lease)" : "pushes",
                           *branch != '\0' ? "branch" : "the current branch", branch);
}

static char *summarise_search(const GithubArgs *args)
{
    g_autofree char *query = github_quoted(args->query);
    return g_strdup_printf("searches %s%s%s", args->op + strlen("search_"),
                           *query != '\0' ? " for" : "", query);
}

static char *summarise_run_watch(const GithubArgs *args)
{
    g_autofree char *run = github_quoted(args->run);
    g_autofree char *branch = github_quoted(args->branch);
    if (*run != '\0')
        return g_strconcat("watches Actions run", run, NULL);
    return g_strconcat("watches the Actions runs of ",
                       *branch != '\0' ? "branch" : "the current commit", branch, NULL);
}

static const OpDef ops[] = {
    { "repo_view", EFFECT_READ, github_repo_view, summarise_repo_view, NULL, true },
    { "pr_create", EFFECT_WRITE, github_pr_create, summarise_pr_create, github_pr_create_check,
      true },
    { "pr_checkout", EFFECT_WRITE, github_pr_checkout, summarise_pr_checkout, NULL, true },
    { "pr_push", EFFECT_WRITE, github_pr_push, summarise_pr_push, NULL, false },
    { "search_issues", EFFECT_READ, github_search, summarise_search, NULL, true },
    { "search_prs", EFFECT_READ, github_search, summarise_search, NULL, true },
    { "search_code", EFFECT_READ, github_search, summarise_search, NULL, true },
    { "search_commits", EFFECT_READ, github_search, summarise_search, NULL, true },
    { "search_repos", EFFECT_READ, github_search, summarise_search, NULL, false },
    { "run_watch", EFFECT_READ, github_run_watch, summarise_run_watch, NULL, true },
};

static const OpDef *find_op(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    }
    g_assert_not_reached(); // the decoder knows the same names
}

static char *named_host(const char *host, const Settings *settings)
{
    return host != NULL ? g_ascii_strdown(host, -1) : repo_default_host(settings);
}

/* The `repo` argument as a target, else the working directory's repository, except where a query
   names its own. */
static bool judge_repo(ToolCall *call, const OpDef *op, const GithubArgs *args,
                       Judgement *judgement, GError **error)
{
    g_autofree char *repo = NULL;
    if (!github_repo_argument(call, args->repo, op->run == github_repo_view, &repo, error))
        return false;
    g_auto(GhContext) here = { 0 };
    bool is_scoped = op->run == github_search && args->query && query_has_scope(args->query);
    if (!repo && !is_scoped && gh_call_here(call, &here, NULL)) {
        judgement->host = g_steal_pointer(&here.host);
        judgement->repo = g_steal_pointer(&here.repo);
        return true;
    }
    g_auto(RepoRef) ref = { 0 };
    repo_ref_parse(repo, &ref);
    judgement->host = named_host(ref.host, tool_call_settings(call));
    judgement->repo = g_steal_pointer(&ref.slug);
    return true;
}

/* Host and slug of an entry that is a URL; false for numbers and branches. The slug may stay NULL.
 */
static bool pr_url_target(const char *entry, char **ret_host, char **ret_slug)
{
    g_autoptr(GUri) uri =
        strstr(entry, "://") != NULL ? g_uri_parse(entry, G_URI_FLAGS_NONE, NULL) : NULL;
    if (!uri || str_is_empty(g_uri_get_host(uri)))
        return false;
    g_auto(GithubUrl) url = { 0 };
    github_url_parse(entry, "pull", &url);
    *ret_host = g_ascii_strdown(g_uri_get_host(uri), -1);
    *ret_slug = g_steal_pointer(&url.slug);
    return true;
}

/* A judgement has one host, for which the policy is looked up, so all entries must have the same.
   Of several repositories none is named: the policy then takes the strictest. */
static bool judge_prs(ToolCall *call, const OpDef *op, const GithubArgs *args, Judgement *judgement,
                      GError **error)
{
    g_auto(Judgement) plain = { 0 }; // the target of numbers and branches
    if (!judge_repo(call, op, args, &plain, error))
        return false;
    g_auto(GStrv) prs = github_opt_list(args->pr);
    for (char **pr = prs; *pr; pr++) {
        g_autofree char *host = NULL;
        g_autofree char *slug = NULL;
        if (!pr_url_target(*pr, &host, &slug)) {
            host = g_strdup(plain.host);
            slug = g_strdup(plain.repo);
        }
        if (!judgement->host) {
            judgement->host = g_steal_pointer(&host);
            judgement->repo = g_steal_pointer(&slug);
        } else if (strcmp(judgement->host, host) != 0) {
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "pull requests on different hosts (%s, %s) need calls of their own",
                             judgement->host, host);
        } else if (!str_equal_nocase(judgement->repo, slug)) {
            g_clear_pointer(&judgement->repo, g_free);
        }
    }
    if (!judgement->host) { // the current branch's
        judgement->host = g_steal_pointer(&plain.host);
        judgement->repo = g_steal_pointer(&plain.repo);
    }
    return true;
}

/* What the call acts on, found out before it is judged. */
static bool judge_target(ToolCall *call, const OpDef *op, const GithubArgs *args,
                         Judgement *judgement, GError **error)
{
    if (op->run == github_pr_checkout)
        return judge_prs(call, op, args, judgement, error);
    if (op->run == github_pr_push) {
        github_push_repo(call, args, &judgement->host, &judgement->repo);
        return true;
    }
    g_autofree char *run = github_opt(args->run);
    g_auto(GithubUrl) url = { 0 };
    if (op->run == github_run_watch && github_url_parse(run, "actions/runs", &url)) {
        judgement->host = g_steal_pointer(&url.host);
        judgement->repo = g_steal_pointer(&url.slug);
        return true;
    }
    return !op->uses_repo || judge_repo(call, op, args, judgement, error);
}

/* In the words of gh and git, so that another way to the same is known for it. */
static void add_action(const OpDef *op, const GithubArgs *args, Judgement *judgement)
{
    if (op->run == github_pr_push) {
        g_autofree char *branch = github_opt(args->branch);
        judgement_add_action(judgement, GH_ACTION_PUSH, branch, judgement->host, judgement->repo);
    } else if (op->run == github_pr_create) {
        judgement_add_action(judgement, "pr create", NULL, judgement->host, judgement->repo);
    }
}

static bool judge_call(ToolCall *call, const GithubArgs *args, Judgement *judgement, GError **error)
{
    const OpDef *op = find_op(args->op);
    if (op->check && !op->check(args, error))
        return false;
    if (!judge_target(call, op, args, judgement, error))
        return false;
    judgement->effect = op->effect;
    judgement->stays_here = op->run == github_pr_checkout;
    if (op->effect == EFFECT_WRITE && !args->force && !args->force_with_lease)
        judgement->kind = g_strconcat("github ", op->name, NULL);
    add_action(op, args, judgement);
    g_autofree char *summary = op->summarise(args);
    if (judgement->repo)
        judgement->summary = g_strconcat(summary, " in ", judgement->repo, NULL);
    else
        judgement->summary = g_steal_pointer(&summary);
    return true;
}

/* Every error text of the tool leaves through here. Takes ownership of `failure`; returns false. */
static bool fail_redacted(GError *failure, GError **error)
{
    g_autoptr(GError) owned = failure;
    if (error_is(owned, KEDGE_ERROR_CANCELLED))
        return fail_with(error, KEDGE_ERROR_CANCELLED, "Operation aborted");
    g_autofree char *text = redact_text(owned->message);
    g_set_error_literal(error, owned->domain, owned->code, text);
    return false;
}

static bool github_judge(ToolCall *call, const void *args, Judgement *ret_judgement, GError **error)
{
    GError *failure = NULL;
    const GithubArgs *github_args = args;
    tool_call_prepare(call, g_strdup(github_args->op), g_free); // for the audit line
    return judge_call(call, args, ret_judgement, &failure) || fail_redacted(failure, error);
}

/* For the conversation's record: whoever calls the tool by itself gets the details that its
   operations have. */
static void put_mark(const ToolCall *call, const GithubMark *mark, ToolResult *result)
{
    if (tool_context_is_conversation(tool_call_context(call)))
        tool_result_set_github(result, mark);
    else
        origin_set_github(&result->origin, mark);
}

/* The address of what it answered says more than its arguments. */
static bool mark_by_source(const ToolCall *call, ToolResult *result)
{
    static const struct {
        const char *path;
        GithubKind kind;
    } kinds[] = { { "pull", GITHUB_PULL }, { "actions/runs", GITHUB_RUN } };
    const char *source = json_get_text(json_get_object(result->meta, "source"), "value");
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_auto(GithubUrl) url = { 0 };
        if (!source || !github_url_parse(source, kinds[i].path, &url))
            continue;
        const GithubMark mark = { url.host, url.slug, kinds[i].kind, url.number };
        put_mark(call, &mark, result);
        return true;
    }
    return false;
}

static void set_mark(ToolCall *call, ToolResult *result)
{
    const Judgement *judgement = tool_call_outcome(call)->judgement;
    if (mark_by_source(call, result))
        return;
    g_autofree char *host = repo_default_host(tool_call_settings(call));
    const GithubMark mark = {
        .host = judgement != NULL && judgement->host != NULL ? judgement->host : host,
        .repo = judgement != NULL ? judgement->repo : NULL,
    };
    put_mark(call, &mark, result);
}

static bool run_op(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const GithubArgs *args = args_;
    GError *failure = NULL;
    if (!find_op(args->op)->run(call, args, result, &failure))
        return fail_redacted(failure, error);
    set_mark(call, result);
    return true;
}

/* What waits for machines of others, or fetches much, may go on in the background. */
static bool github_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const GithubArgs *args = args_;
    const OpDef *op = find_op(args->op);
    bool is_long = op->run == github_run_watch || op->run == github_pr_checkout;
    const Judgement *judgement = tool_call_outcome(call)->judgement;
    const BackgroundSpec spec = {
        .type = "github",
        .label = judgement != NULL && judgement->summary != NULL ? judgement->summary : args->op,
        .patience_ms = is_long ? background_github_patience_ms(call) : -1,
        .run = run_op,
    };
    return background_run(call, &spec, result, error);
}

const ToolDef tool_github = {
    .name = "github",
    .label = "GitHub",
    .summary = "Repository facts, pull requests, searches and Actions runs on GitHub",
    .description = description,
    .describe = tool_set_describe,
    .judge = github_judge,
    .flags = TOOL_EXACT | TOOL_GITHUB | TOOL_OPEN_WORLD | TOOL_DISCOVERABLE,
    .fields = fields,
    .args_size = sizeof(GithubArgs),
    .setting = "github.enabled",
    .is_available = gh_is_available,
    .run = github_run,
    .finished = github_audit_finished,
};
