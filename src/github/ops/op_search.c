/*
 * ops search_*: one call of GitHub's search API each, described by a table (github-tool §2.6–2.9,
 * github-tool §5).
 */
#include "base/str.h"
#include "base/utf8.h"
#include "github/gh.h"
#include "github/ops/dates.h"
#include "github/ops/github_args.h"
#include "github/ops/query.h"
#include "github/ops/search_format.h"
#include "github/repo_ref.h"
#include "github/text.h"

#define SEARCH_DEFAULT_LIMIT 10
#define SEARCH_MAX_LIMIT     50

typedef struct SearchKind {
    const char *op;
    const char *path;
    const char *heading;                       // "# GitHub <heading> search"
    const char *nothing;                       // without items
    const char *type;                          // qualifier of the API query; NULL: none
    const char *created_field, *updated_field; // date qualifiers; NULL: no dates
    const char *header;                        // of the request; NULL: none
    bool has_scope;
    SearchFormatFunc format;
} SearchKind;

static const SearchKind kinds[] = {
    {
        .op = "search_issues",
        .path = "/search/issues",
        .heading = "issues",
        .nothing = "No issues found.",
        .type = "is:issue",
        .created_field = "created",
        .updated_field = "updated",
        .has_scope = true,
        .format = search_format_issue,
    },
    {
        .op = "search_prs",
        .path = "/search/issues",
        .heading = "pull requests",
        .nothing = "No pull requests found.",
        .type = "is:pr",
        .created_field = "created",
        .updated_field = "updated",
        .has_scope = true,
        .format = search_format_issue,
    },
    {
        .op = "search_code",
        .path = "/search/code",
        .heading = "code",
        .nothing = "No code matches found.",
        .header = "Accept: application/vnd.github.text-match+json",
        .has_scope = true,
        .format = search_format_code,
    },
    {
        .op = "search_commits",
        .path = "/search/commits",
        .heading = "commits",
        .nothing = "No commits found.",
        .created_field = "committer-date",
        .updated_field = "committer-date",
        .has_scope = true,
        .format = search_format_commit,
    },
    {
        .op = "search_repos",
        .path = "/search/repositories",
        .heading = "repositories",
        .nothing = "No repositories found.",
        .created_field = "created",
        .updated_field = "pushed",
        .format = search_format_repo,
    },
};

typedef struct Search {
    const SearchKind *kind;
    int64_t limit;
    char *display; // the query that is shown
    char *scope;   // [HOST/]OWNER/REPO; NULL: none
} Search;

static void search_clear(Search *self)
{
    g_free(self->display);
    g_free(self->scope);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Search, search_clear)

static const SearchKind *find_kind(const char *op)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kinds[i].op, op) == 0)
            return &kinds[i];
    }
    g_assert_not_reached();
}

/* What code search needs and cannot do. */
static bool check_code_query(const GithubArgs *args, GError **error)
{
    if (!args->query || utf8_is_blank(args->query))
        return fail_with(error, KEDGE_ERROR_USAGE, "query must not be empty");
    bool has_since = args->since != NULL && !utf8_is_blank(args->since);
    bool has_until = args->until != NULL && !utf8_is_blank(args->until);
    if (has_since || has_until)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "search_code does not support since/until; GitHub code search has no date "
                         "qualifier.");
    return true;
}

/* Everything that can be said without a process. `ret_repo`: the repo argument, or NULL. */
static bool op_search_prepare(ToolCall *call, const GithubArgs *args, Search *search,
                              char **ret_repo, GError **error)
{
    const SearchKind *kind = search->kind;
    bool has_dates = kind->created_field != NULL;
    if (!has_dates && !check_code_query(args, error))
        return false;
    if (!github_count("limit", args->has_limit, args->limit, SEARCH_DEFAULT_LIMIT, SEARCH_MAX_LIMIT,
                      &search->limit, error))
        return false;

    g_autofree char *qualifier = NULL;
    const char *field =
        str_equal_nocase(args->date_field, "updated") ? kind->updated_field : kind->created_field;
    if (has_dates && !dates_qualifier(field, args->since, args->until, tool_call_now_ms(call),
                                      &qualifier, error))
        return false;
    search->display = query_display(args->query, qualifier);
    *ret_repo = NULL;
    return !kind->has_scope || github_repo_argument(call, args->repo, false, ret_repo, error);
}

static char **build_argv(const Search *search)
{
    g_auto(RepoRef) ref = { 0 };
    if (search->scope)
        repo_ref_parse(search->scope, &ref);
    g_autofree char *query = query_api(search->display, ref.slug, search->kind->type);
    g_autofree char *query_field = g_strconcat("q=", query, NULL);
    g_autofree char *limit_field = g_strdup_printf("per_page=%" G_GINT64_FORMAT, search->limit);

    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    g_strv_builder_add(argv, "api");
    if (ref.host)
        g_strv_builder_add_many(argv, "--hostname", ref.host, NULL);
    // -f, since -F would read a query that begins with @ as a file
    g_strv_builder_add_many(argv, "-X", "GET", search->kind->path, "-f", query_field, "-F",
                            limit_field, NULL);
    if (search->kind->header)
        g_strv_builder_add_many(argv, "-H", search->kind->header, NULL);
    return g_strv_builder_end(argv);
}

/* The answer's text. Caller frees. */
static char *op_search_format(const Search *search, const json_t *items)
{
    const SearchKind *kind = search->kind;
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_append_printf(out, "# GitHub %s search\n\nQuery: %s\n", kind->heading,
                           *search->display != '\0' ? search->display : "(none)");
    text_line(out, "", "Repository", search->scope);
    g_string_append_printf(out, "Results: %zu\n", json_array_size(items));

    json_each (items, i, item) {
        g_string_append_c(out, '\n');
        kind->format(out, item);
    }
    if (json_array_size(items) == 0)
        g_string_append_printf(out, "\n%s\n", kind->nothing);
    return utf8_trim(out->str);
}

/* Each result is from a repository of its own. */
static void op_search_note(ToolCall *call, const char *repo, const json_t *items)
{
    g_auto(RepoRef) ref = { 0 };
    if (repo)
        repo_ref_parse(repo, &ref);
    tool_call_note_read(call, ref.host, NULL);
    size_t i;
    json_t *item;
    json_array_foreach (items, i, item)
        tool_call_note_read(call, ref.host, search_format_repository(item));
}

bool github_search(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error)
{
    g_auto(Search) search = { .kind = find_kind(args->op) };
    g_autofree char *repo = NULL;
    if (!op_search_prepare(call, args, &search, &repo, error))
        return false;
    if (search.kind->has_scope && !query_scope(call, repo, search.display, &search.scope, error))
        return false;

    g_auto(GStrv) argv = build_argv(&search);
    const GhSpec spec = { .argv = (const char *const *)argv };
    g_autoptr(json_t) answer = NULL;
    if (!gh_json(call, &spec, JSON_OBJECT, &answer, error))
        return false;
    op_search_note(call, repo, json_get_array(answer, "items"));
    g_autofree char *text = op_search_format(&search, json_get_array(answer, "items"));
    tool_result_add_text(result, text);
    return true;
}
