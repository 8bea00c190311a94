/* See pull_threads.h. */
#include "github/pulls/pull_threads.h"

#define MAX_PAGES         100 // a server that never ends its list must not keep us
#define MAX_COMMENT_PAGES 10

#define THREAD_FIELDS                                                                              \
    "id isResolved isOutdated path line startLine originalLine originalStartLine diffSide "        \
    "subjectType resolvedBy{login} "
#define COMMENT_FIELDS "nodes{author{login} body createdAt url state isMinimized diffHunk}"

#define LIST_QUERY(first, fields)                                                                  \
    "query($owner:String!,$repo:String!,$number:Int!,$after:String){repository(owner:$owner,"      \
    "name:$repo){pullRequest(number:$number){reviewThreads(first:" first ",after:$after)"          \
    "{pageInfo{hasNextPage endCursor} nodes{" fields "}}}}}"
#define THREAD_QUERY                                                                               \
    "query($thread:ID!,$after:String){node(id:$thread){... on PullRequestReviewThread"             \
    "{" THREAD_FIELDS "comments(first:100,after:$after){totalCount pageInfo{hasNextPage "          \
    "endCursor} " COMMENT_FIELDS "}}}}"

static const char *const list_queries[] = {
    [PULL_THREADS_WHOLE] =
        LIST_QUERY("50", THREAD_FIELDS "comments(first:50){totalCount " COMMENT_FIELDS "}"),
    // databaseId has 32 bits
    [PULL_THREADS_STATE] =
        LIST_QUERY("100", "id isResolved comments(first:1){nodes{fullDatabaseId}}"),
};

json_t *pull_variables(const PullLink *link, int64_t number)
{
    return json_make("owner:%s repo:%s number:%jd", link->owner, link->repo, number);
}

/* Makes `variables` ask for the page after this one; false: it was the last. */
static bool go_on(const json_t *connection, json_t *variables)
{
    const json_t *info = json_get_object(connection, "pageInfo");
    const char *cursor = json_get_text(info, "endCursor");
    json_set_text(variables, "after", cursor);
    return cursor && json_get_bool(info, "hasNextPage", false);
}

bool pull_threads_list(const PullLink *link, int64_t number, PullThreads what, json_t **ret_threads,
                       GError **error)
{
    g_autoptr(json_t) list = json_array();
    g_autoptr(json_t) variables = pull_variables(link, number);
    bool has_more = true;
    for (int page = 0; page < MAX_PAGES && has_more; page++) {
        g_autoptr(json_t) data = NULL;
        if (!link->query(link->data, list_queries[what], variables, &data, error))
            return false;
        const json_t *threads = json_get_path(data, "repository.pullRequest.reviewThreads");
        if (!json_is_object(threads) && link->is_strict)
            return fail_with(error, KEDGE_ERROR_PROTOCOL,
                             "GitHub's answer about pull request %" G_GINT64_FORMAT
                             " has no review threads",
                             number);
        json_array_extend(list, json_get_array(threads, "nodes"));
        has_more = go_on(threads, variables);
    }
    *ret_threads = g_steal_pointer(&list);
    return true;
}

bool pull_threads_one(const PullLink *link, const char *id, json_t **ret_thread, GError **error)
{
    g_autoptr(json_t) thread = NULL;
    g_autoptr(json_t) variables = json_make("thread:%s", id);
    bool has_more = true;
    for (int page = 0; page < MAX_COMMENT_PAGES && has_more; page++) {
        g_autoptr(json_t) data = NULL;
        if (!link->query(link->data, THREAD_QUERY, variables, &data, error))
            return false;
        json_t *node = json_get_object(data, "node");
        const json_t *comments = json_get_object(node, "comments");
        if (!comments)
            return fail_with(error, KEDGE_ERROR_NOT_FOUND, "thread %s: GitHub has no such thread",
                             id);
        if (!thread)
            thread = json_incref(node);
        else
            json_array_extend(json_get_path(thread, "comments.nodes"),
                              json_get_array(comments, "nodes"));
        has_more = go_on(comments, variables);
    }
    *ret_thread = g_steal_pointer(&thread);
    return true;
}
