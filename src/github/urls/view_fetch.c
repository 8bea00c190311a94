/*
 * The calls of gh behind issue:// and pr://.
 */
#include "github/urls/view_fetch.h"

#include "base/str.h"
#include "github/gh.h"
#include "github/ops/run_fetch.h"
#include "github/pulls/pull_threads.h"
#include "github/urls/item_text.h"
#include "github/urls/pr_diff.h"

#define MAX_DIFF_FILES 3000
#define ISSUE_BASIC    "author,body,createdAt,labels,number,state,stateReason,title,updatedAt,url"
#define ISSUE_COMMENTED                                                                            \
    "author,body,comments,createdAt,labels,number,state,stateReason,title,updatedAt,url"
#define PR_BASIC                                                                                   \
    "author,baseRefName,body,createdAt,files,headRefName,isDraft,labels,mergeStateStatus,number,"  \
    "reviews,reviewDecision,state,title,updatedAt,url"
#define PR_COMMENTED                                                                               \
    "author,baseRefName,body,comments,createdAt,files,headRefName,isDraft,labels,"                 \
    "mergeStateStatus,number,reviews,reviewDecision,state,title,updatedAt,url"
#define OPTIONAL_FIELD ",stateReason"

static bool view_fetch_ask(ToolCall *call, char **argv, json_type wanted, json_t **ret_value,
                           GError **error)
{
    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
    return gh_json(call, &spec, wanted, ret_value, error);
}

/* gh before 2.6 has no stateReason. */
static bool knows_no_reason(const GError *error)
{
    return strstr(error->message, "Unknown JSON field") && strstr(error->message, "stateReason");
}

/* `fields` without the optional one. Caller frees. */
static char *without_reason(const char *fields)
{
    const char *at = strstr(fields, OPTIONAL_FIELD);
    if (!at)
        return NULL;
    return g_strdup_printf("%.*s%s", (int)(at - fields), fields, at + strlen(OPTIONAL_FIELD));
}

static bool ask_item(ToolCall *call, const ViewAddress *address, const char *command,
                     const char *fields, json_t **ret_data, GError **error)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, address->number);
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    g_strv_builder_add_many(list, command, "view", number, NULL);
    g_strv_builder_add_many(list, "--repo", address->repo, "--json", fields, NULL);
    g_auto(GStrv) argv = g_strv_builder_end(list);
    return view_fetch_ask(call, argv, JSON_OBJECT, ret_data, error);
}

static bool fetch_item(ToolCall *call, const ViewAddress *address, const char *command,
                       const char *fields, json_t **ret_data, GError **error)
{
    g_autoptr(GError) failure = NULL;
    if (ask_item(call, address, command, fields, ret_data, &failure))
        return true;
    g_autofree char *fewer = knows_no_reason(failure) ? without_reason(fields) : NULL;
    if (fewer)
        return ask_item(call, address, command, fewer, ret_data, error);
    return pass_error(error, &failure);
}

static void set_item(ViewRow *row, json_t *data, char *text)
{
    const char *url = json_get_text(data, "url");
    *row = (ViewRow) {
        .payload = data,
        .rendered = text,
        .source_url = str_is_empty(url) ? NULL : g_strdup(url),
    };
}

static bool fetch_issue(ToolCall *call, const ViewAddress *address, ViewRow *ret_row,
                        GError **error)
{
    bool has_comments = address->comments != COMMENTS_OFF;
    json_t *data = NULL;
    if (!fetch_item(call, address, "issue", has_comments ? ISSUE_COMMENTED : ISSUE_BASIC, &data,
                    error))
        return false;
    set_item(ret_row, data, item_text_issue(data, address->number, has_comments));
    return true;
}

// ---- review comments ----

/* All entries of a list of REST, whose path is below /repos/OWNER/REPO. */
static bool fetch_pages(ToolCall *call, const char *repo, const char *path, json_t **ret_list,
                        GError **error)
{
    g_auto(PullGh) gh = { 0 };
    pull_gh_init(&gh, call, repo);
    return pull_gh_list(&gh, path, NULL, NULL, ret_list, error);
}

static void drop_entries_without_id(json_t *list)
{
    for (size_t i = json_array_size(list); i > 0; i--) {
        if (!json_is_number(json_object_get(json_array_get(list, i - 1), "id")))
            json_array_remove(list, i - 1);
    }
}

static bool fetch_review_comments(ToolCall *call, const ViewAddress *address, json_t *data,
                                  GError **error)
{
    g_autofree char *path =
        g_strdup_printf("/pulls/%" G_GINT64_FORMAT "/comments", address->number);
    json_t *list = NULL;
    if (!fetch_pages(call, address->repo, path, &list, error))
        return false;
    drop_entries_without_id(list);
    json_set_take(data, "reviewComments", list);
    return true;
}

static bool fetch_threads(ToolCall *call, const ViewAddress *address, json_t *data, GError **error)
{
    g_auto(PullGh) gh = { 0 };
    json_t *list = NULL;
    pull_gh_init(&gh, call, address->repo);
    if (!pull_threads_list(&gh.link, address->number, PULL_THREADS_WHOLE, &list, error))
        return false;
    json_set_take(data, "reviewThreads", list);
    return true;
}

static bool fetch_pr(ToolCall *call, const ViewAddress *address, ViewRow *ret_row, GError **error)
{
    g_autoptr(json_t) data = NULL;
    if (!fetch_item(call, address, "pr",
                    address->comments == COMMENTS_OFF ? PR_BASIC : PR_COMMENTED, &data, error))
        return false;
    if (address->comments == COMMENTS_FLAT && !fetch_review_comments(call, address, data, error))
        return false;
    if (address->comments == COMMENTS_THREADS && !fetch_threads(call, address, data, error))
        return false;
    char *text = item_text_pr(data, address->number, address->comments, NULL, 0);
    set_item(ret_row, g_steal_pointer(&data), text);
    return true;
}

// ---- diffs ----

static bool is_too_large(const GError *error)
{
    return strstr(error->message, "HTTP 406") || strstr(error->message, "too_large") ||
           strstr(error->message, "exceeded the maximum number of lines");
}

/* GitHub makes no diff of more than 20,000 lines; the files one by one it does have. */
static bool fetch_files(ToolCall *call, const ViewAddress *address, char **ret_diff, GError **error)
{
    g_autofree char *path = g_strdup_printf("/pulls/%" G_GINT64_FORMAT, address->number);
    g_auto(GStrv) argv = run_api_argv(address->repo, true, path, NULL);
    g_autoptr(json_t) pull = NULL;
    if (!view_fetch_ask(call, argv, JSON_OBJECT, &pull, error))
        return false;
    int64_t count = json_get_int(pull, "changed_files", 0);
    if (count > MAX_DIFF_FILES)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "Pull request changes %" G_GINT64_FORMAT
                         " files, exceeding GitHub's 3000-file limit for the per-file diff API.",
                         count);
    g_autofree char *files_path = g_strconcat(path, "/files", NULL);
    g_autoptr(json_t) files = NULL;
    if (!fetch_pages(call, address->repo, files_path, &files, error))
        return false;
    *ret_diff = pr_diff_rebuild(files);
    return true;
}

static bool fetch_diff(ToolCall *call, const ViewAddress *address, ViewRow *ret_row, GError **error)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, address->number);
    const GhSpec spec = {
        .argv = (const char *const[]) { "pr", "diff", number, "--color", "never", "--repo",
                                        address->repo, NULL },
        .has_explicit_repo = true,
        .is_untrimmed = true,
        .is_raw = true,
    };
    g_autoptr(GError) failure = NULL;
    g_autofree char *diff = NULL;
    if (!gh_text(call, &spec, &diff, &failure)) {
        if (!is_too_large(failure))
            return pass_error(error, &failure);
        if (!fetch_files(call, address, &diff, error))
            return false;
    }
    json_t *index = pr_diff_index(diff);
    *ret_row = (ViewRow) { .payload = index, .rendered = g_steal_pointer(&diff) };
    return true;
}

bool view_fetch(ToolCall *call, const ViewAddress *address, ViewRow *ret_row, GError **error)
{
    static bool (*const fetches[])(ToolCall *, const ViewAddress *, ViewRow *,
                                   GError **) = { fetch_issue, fetch_pr, fetch_diff };
    return fetches[address->kind](call, address, ret_row, error);
}
