/* See thread_fetch.h. */
#include "github/urls/thread_fetch.h"

#include "github/gh.h"
#include "github/repo_ref.h"

#define MAX_PAGES         100 // a server that never ends its list must not keep us
#define MAX_COMMENT_PAGES 10

#define THREAD_FIELDS                                                                              \
    "id isResolved isOutdated path line startLine originalLine originalStartLine diffSide "        \
    "subjectType resolvedBy{login} "
#define COMMENT_FIELDS "nodes{author{login} body createdAt url state isMinimized diffHunk}"

#define THREADS_QUERY                                                                              \
    "query=query($owner:String!,$name:String!,$number:Int!,$cursor:String){repository("            \
    "owner:$owner,name:$name){pullRequest(number:$number){reviewThreads(first:50,after:$cursor)"   \
    "{pageInfo{hasNextPage endCursor} nodes{" THREAD_FIELDS                                        \
    "comments(first:50){totalCount " COMMENT_FIELDS "}}}}}}"
#define THREAD_QUERY                                                                               \
    "query=query($thread:ID!,$cursor:String){node(id:$thread){... on PullRequestReviewThread"      \
    "{" THREAD_FIELDS "comments(first:100,after:$cursor){totalCount pageInfo{hasNextPage "         \
    "endCursor} " COMMENT_FIELDS "}}}}"

static bool ask(ToolCall *call, char **argv, json_t **ret_value, GError **error)
{
    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
    return gh_json(call, &spec, JSON_OBJECT, ret_value, error);
}

/* "api [--hostname HOST] graphql -f QUERY"; *ret_slug is borrowed from `ref`. */
static GStrvBuilder *begin_argv(const char *repo, const char *query, RepoRef *ref)
{
    bool is_reference = repo_ref_parse(repo, ref);
    g_assert(is_reference);
    GStrvBuilder *argv = g_strv_builder_new();
    g_strv_builder_add(argv, "api");
    if (ref->host)
        g_strv_builder_add_many(argv, "--hostname", ref->host, NULL);
    g_strv_builder_add_many(argv, "graphql", "-f", query, NULL);
    return argv;
}

static void add_field(GStrvBuilder *argv, const char *name, const char *value)
{
    g_autofree char *field = g_strconcat(name, "=", value, NULL);
    g_strv_builder_add_many(argv, "-f", field, NULL);
}

char **thread_query_argv(const char *repo, const char *query, int64_t number, const char *name,
                         const char *value)
{
    g_auto(RepoRef) ref = { 0 };
    g_autoptr(GStrvBuilder) argv = begin_argv(repo, query, &ref);
    const char *repo_name = strchr(ref.slug, '/') + 1;
    g_autofree char *owner = g_strndup(ref.slug, (size_t)(repo_name - ref.slug) - 1);
    g_autofree char *number_field = g_strdup_printf("number=%" G_GINT64_FORMAT, number);
    add_field(argv, "owner", owner);
    add_field(argv, "name", repo_name);
    g_strv_builder_add_many(argv, "-F", number_field, NULL);
    if (name && value)
        add_field(argv, name, value);
    return g_strv_builder_end(argv);
}

/* Where the next page begins; NULL: there is none. Caller frees. */
static char *next_cursor(const json_t *connection)
{
    const json_t *info = json_get_object(connection, "pageInfo");
    if (!json_get_bool(info, "hasNextPage", false))
        return NULL;
    return g_strdup(json_get_text(info, "endCursor"));
}

bool thread_fetch_all(ToolCall *call, const char *repo, int64_t number, json_t **ret_threads,
                      GError **error)
{
    g_autoptr(json_t) list = json_array();
    g_autofree char *cursor = NULL;
    bool has_more = true;
    for (int page = 0; page < MAX_PAGES && has_more; page++) {
        g_auto(GStrv) argv = thread_query_argv(repo, THREADS_QUERY, number, "cursor", cursor);
        g_autoptr(json_t) answer = NULL;
        if (!ask(call, argv, &answer, error))
            return false;
        const json_t *threads = json_get_path(answer, "data.repository.pullRequest.reviewThreads");
        json_array_extend(list, json_get_array(threads, "nodes"));
        g_free(cursor);
        cursor = next_cursor(threads);
        has_more = cursor != NULL;
    }
    *ret_threads = g_steal_pointer(&list);
    return true;
}

bool thread_fetch_one(ToolCall *call, const char *repo, const char *id, json_t **ret_thread,
                      GError **error)
{
    g_autoptr(json_t) thread = NULL;
    g_autofree char *cursor = NULL;
    bool has_more = true;
    for (int page = 0; page < MAX_COMMENT_PAGES && has_more; page++) {
        g_auto(RepoRef) ref = { 0 };
        g_autoptr(GStrvBuilder) list = begin_argv(repo, THREAD_QUERY, &ref);
        add_field(list, "thread", id);
        if (cursor)
            add_field(list, "cursor", cursor);
        g_auto(GStrv) argv = g_strv_builder_end(list);
        g_autoptr(json_t) answer = NULL;
        if (!ask(call, argv, &answer, error))
            return false;
        const json_t *node = json_get_path(answer, "data.node");
        const json_t *comments = json_get_object(node, "comments");
        if (!comments)
            return fail_with(error, KEDGE_ERROR_NOT_FOUND, "thread %s: GitHub has no such thread",
                             id);
        if (!thread)
            thread = json_incref((json_t *)node);
        else
            json_array_extend(json_get_path(thread, "comments.nodes"),
                              json_get_array(comments, "nodes"));
        g_free(cursor);
        cursor = next_cursor(comments);
        has_more = cursor != NULL;
    }
    *ret_thread = g_steal_pointer(&thread);
    return true;
}
