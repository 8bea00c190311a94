/*
 * Lists of issues and pull requests (github-tool §7.4), never kept: also the pull requests that a
 * commit is part of.
 */
#include "github/gh.h"
#include "github/ops/run_fetch.h"
#include "github/urls/item_read.h"
#include "github/urls/item_repo.h"
#include "github/urls/item_text.h"

#define ISSUE_LIST "number,title,state,author,labels,createdAt,updatedAt,url"
#define PR_LIST                                                                                    \
    "number,title,state,isDraft,author,baseRefName,headRefName,labels,createdAt,updatedAt,url"

static bool fetch_list(ToolCall *call, const ItemUrl *url, const char *repo, json_t **ret_items,
                       GError **error)
{
    g_autofree char *limit = g_strdup_printf("%" G_GINT64_FORMAT, url->limit);
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    g_strv_builder_add_many(list, item_scheme_name(url->scheme), "list", "--repo", repo, "--state",
                            url->state, "--limit", limit, "--json",
                            url->scheme == ITEM_PR ? PR_LIST : ISSUE_LIST, NULL);
    if (url->author)
        g_strv_builder_add_many(list, "--author", url->author, NULL);
    if (url->label)
        g_strv_builder_add_many(list, "--label", url->label, NULL);
    g_auto(GStrv) argv = g_strv_builder_end(list);
    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
    return gh_json(call, &spec, JSON_ARRAY, ret_items, error);
}

/* An entry of REST in the words of gh. New reference. */
static json_t *translate(const json_t *entry)
{
    json_t *item = json_object();
    bool is_merged = json_get_text(entry, "merged_at") != NULL;
    json_add(item, "number:%jd title:%s state:%s isDraft:%i", json_get_int(entry, "number", 0),
             json_get_text(entry, "title"), is_merged ? "MERGED" : json_get_text(entry, "state"),
             json_get_bool(entry, "draft", false));
    json_object_set(item, "author", json_object_get(entry, "user"));
    json_object_set(item, "labels", json_object_get(entry, "labels"));
    json_add(item, "createdAt:%s updatedAt:%s", json_get_text(entry, "created_at"),
             json_get_text(entry, "updated_at"));
    return item;
}

static bool fetch_of_commit(ToolCall *call, const ItemUrl *url, const char *repo,
                            json_t **ret_items, GError **error)
{
    g_autofree char *path = g_strdup_printf("/commits/%s/pulls", url->commit);
    g_autofree char *count = g_strdup_printf("per_page=%" G_GINT64_FORMAT, url->limit);
    g_auto(GStrv) argv = run_api_argv(repo, true, path, count, NULL);
    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
    g_autoptr(json_t) entries = NULL;
    if (!gh_json(call, &spec, JSON_ARRAY, &entries, error))
        return false;
    json_t *items = json_array();
    json_each (entries, i, entry)
        json_append_take(items, translate(entry));
    *ret_items = items;
    return true;
}

bool item_read_list(ToolCall *call, const ItemUrl *url, UrlResource *resource, GError **error)
{
    const char *scheme = item_scheme_name(url->scheme);
    g_autofree char *repo = g_strdup(url->repo);
    g_autofree char *what = g_strconcat(scheme, "://", NULL);
    g_autofree char *instead = g_strconcat(scheme, "://<owner>/<repo> instead.", NULL);
    if (!repo && !item_default_repo(call, what, instead, &repo, error))
        return false;
    g_autoptr(json_t) items = NULL;
    bool is_read = url->commit ? fetch_of_commit(call, url, repo, &items, error)
                               : fetch_list(call, url, repo, &items, error);
    if (!is_read)
        return false;
    url_resource_set_text(resource, item_text_list(items, url, repo), "text/markdown");
    item_set_github(call, repo, GITHUB_REPOSITORY, 0, resource);
    g_autofree char *note = g_strconcat("Live listing for ", repo, NULL);
    url_resource_add_note(resource, note);
    return true;
}
