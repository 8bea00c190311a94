/*
 * Threads and what is resolved: GraphQL's threads are matched with REST's comments by the id of
 * their first comment (pr_threads.h).
 */
#include "agenttools/pr/pr_threads.h"

#include "base/str.h"

#define MAX_PAGES 1000

/* fullDatabaseId, because databaseId has 32 bits; it comes as a string. */
static const char query[] =
    "query PullRequestThreads($owner: String!, $repo: String!, $number: Int!, $after: String) {\n"
    "  repository(owner: $owner, name: $repo) {\n"
    "    pullRequest(number: $number) {\n"
    "      reviewThreads(first: 100, after: $after) {\n"
    "        nodes { id isResolved comments(first: 1) { nodes { fullDatabaseId } } }\n"
    "        pageInfo { hasNextPage endCursor }\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "}\n";

static void unref(void *value)
{
    json_decref(value);
}

static int64_t full_id(const json_t *comment)
{
    int64_t id = json_get_int(comment, "fullDatabaseId", 0);
    const char *text = json_get_text(comment, "fullDatabaseId");
    if (text && !str_parse_int(text, &id))
        return 0;
    return id;
}

/* `threads` gets the page's, by the id of their first comment. */
static void note_threads(const json_t *page, GHashTable *threads)
{
    const json_t *nodes = json_get_array(page, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        json_t *thread = json_array_get(nodes, i);
        const json_t *first = json_array_get(json_get_path(thread, "comments.nodes"), 0);
        int64_t *id = g_new(int64_t, 1);
        *id = full_id(first);
        g_hash_table_insert(threads, id, json_incref(thread));
    }
}

/* One page from the cursor on; *cursor is where the next begins, NULL after the last. */
static bool read_page(Pr *pr, int64_t number, char **cursor, GHashTable *threads, GError **error)
{
    g_autoptr(json_t) variables = json_object();
    json_set_text(variables, "owner", pr->target->owner);
    json_set_text(variables, "repo", pr->target->repo);
    json_set_int(variables, "number", number);
    json_set_text(variables, "after", *cursor);
    g_autoptr(json_t) data = NULL;
    g_clear_pointer(cursor, g_free);
    if (!rest_graphql(pr->rest, query, variables, pr->operation, pr->call->cancel, &data, error))
        return false;
    json_t *page = json_get_path(data, "repository.pullRequest.reviewThreads");
    if (!json_is_object(page))
        return rest_fail_unreadable(pr->operation, error);
    note_threads(page, threads);
    const json_t *info = json_get_object(page, "pageInfo");
    if (json_get_bool(info, "hasNextPage", false))
        *cursor = g_strdup(json_get_text(info, "endCursor"));
    return true;
}

static bool read_threads(Pr *pr, int64_t number, GHashTable *threads, GError **error)
{
    g_autofree char *cursor = NULL;
    for (int count = 0; count < MAX_PAGES; count++) {
        if (!read_page(pr, number, &cursor, threads, error))
            return false;
        if (!cursor)
            return true;
    }
    return rest_fail_unreadable(pr->operation, error);
}

bool pr_threads_add(Pr *pr, int64_t number, json_t *comments, GError **error)
{
    g_autoptr(GHashTable) threads =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, unref);
    g_autoptr(GError) failure = NULL;
    if (!read_threads(pr, number, threads, &failure))
        return pr_fail(g_steal_pointer(&failure), error);
    size_t i;
    json_t *comment;
    json_array_foreach (comments, i, comment) {
        int64_t root_id = json_get_int(comment, "in_reply_to_id", json_get_int(comment, "id", 0));
        const json_t *thread = g_hash_table_lookup(threads, &root_id);
        if (!thread)
            continue;
        json_set_bool(comment, "resolved", json_get_bool(thread, "isResolved", false));
        json_set_text(comment, "thread_id", json_get_text(thread, "id"));
    }
    return true;
}
