/*
 * Single items and diffs: which view an address means, and what is said with it.
 */
#include "github/urls/item_read.h"

#include "github/gh.h"
#include "github/gh_error.h"
#include "github/safe/gh_call_context.h"
#include "github/urls/item_repo.h"
#include "github/urls/item_text.h"
#include "github/urls/pr_diff.h"
#include "github/urls/view_lookup.h"

#define MARKDOWN "text/markdown"
#define PLAIN    "text/plain"

typedef struct Item { // what an address names, with nothing left out
    const ItemUrl *url;
    char *repo; // NULL: of an issue in a directory whose repository is unknown
    int64_t number;
} Item;

static void item_clear(Item *self)
{
    g_clear_pointer(&self->repo, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Item, item_clear)

static void add_note(UrlResource *resource, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add_note(UrlResource *resource, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    g_autofree char *note = g_strdup_vprintf(format, list);
    va_end(list);
    url_resource_add_note(resource, note);
}

// ---- which item ----

/* The pull request of the current branch, as gh finds it. */
static bool find_current(ToolCall *call, Item *item, GError **error)
{
    const GhSpec spec = {
        .argv = (const char *const[]) { "pr", "view", "--json", "number", NULL },
    };
    g_autoptr(json_t) data = NULL;
    if (!gh_call_here_name(call, &item->repo, error) ||
        !gh_json(call, &spec, JSON_OBJECT, &data, error))
        return false;
    item->number = json_get_int(data, "number", 0);
    return item->number > 0 ||
           fail_with(error, KEDGE_ERROR_PROTOCOL, "gh named no pull request of this branch");
}

static const char *tail_of(const ItemUrl *url)
{
    switch (url->view) {
    case ITEM_DIFF:
    case ITEM_FILE:
    case ITEM_PATCH:
        return "/diff";
    case ITEM_CHECKS:
        return "/checks";
    default:
        return "";
    }
}

static bool find_repo(ToolCall *call, Item *item, GError **error)
{
    const ItemUrl *url = item->url;
    item->number = url->number;
    if (url->repo) {
        item->repo = g_strdup(url->repo);
        return true;
    }
    if (url->is_current)
        return find_current(call, item, error);
    const char *scheme = item_scheme_name(url->scheme), *tail = tail_of(url);
    g_autofree char *what =
        g_strdup_printf("%s://%" G_GINT64_FORMAT "%s", scheme, url->number, tail);
    g_autofree char *instead =
        g_strdup_printf("%s://<owner>/<repo>/%" G_GINT64_FORMAT "%s.", scheme, url->number, tail);
    g_autoptr(GError) failure = NULL;
    if (item_default_repo(call, what, instead, &item->repo, &failure))
        return true;
    if (url->scheme == ITEM_ISSUE && !error_is(failure, KEDGE_ERROR_CANCELLED))
        return gh_error_no_repository(error);
    return pass_error(error, &failure);
}

// ---- single items ----

/* What is about one file, and what holds something that the reader may not have, is made again of
   what is kept about all. */
static char *text_of(ToolCall *call, const View *view, const Item *item)
{
    const ItemUrl *url = item->url;
    g_autoptr(json_t) seen = tool_call_seen_json(call, view->row.payload);
    bool is_again = url->file || seen != view->row.payload;
    g_autofree char *part =
        !is_again ? NULL
        : url->scheme == ITEM_ISSUE
            ? item_text_issue(seen, item->number, url->comments != COMMENTS_OFF)
            : item_text_pr(seen, item->number, url->comments, url->file, url->line);
    return g_strconcat(view->warning ? view->warning : "", view->warning ? "\n\n" : "",
                       part ? part : view->row.rendered, NULL);
}

static void add_problem(const View *view, UrlResource *resource)
{
    if (view->problem)
        add_note(resource, "%s", view->problem);
}

static bool read_single(ToolCall *call, const Item *item, UrlResource *resource, GError **error)
{
    const ItemUrl *url = item->url;
    const ViewAddress address = {
        .kind = url->scheme == ITEM_ISSUE ? VIEW_ISSUE : VIEW_PR,
        .repo = item->repo,
        .number = item->number,
        .comments = url->comments,
        .is_fresh = url->is_fresh,
    };
    g_auto(View) view = { 0 };
    if (!view_lookup(call, &address, &view, error))
        return false;
    url_resource_set_text(resource, text_of(call, &view, item), MARKDOWN);
    origin_set_author(&resource->origin, view.row.payload);
    add_note(resource, "%s", view.note);
    if (url->comments == COMMENTS_OFF)
        add_note(resource, "Comments disabled");
    if (url->scheme == ITEM_PR)
        add_note(resource, "Diff: pr://%s/%" G_GINT64_FORMAT "/diff", item->repo, item->number);
    add_problem(&view, resource);
    return true;
}

// ---- diffs ----

static bool show_file(const View *view, const Item *item, UrlResource *resource, GError **error)
{
    const json_t *files = json_get_array(view->row.payload, "files");
    size_t count = json_array_size(files);
    int64_t part = item->url->part;
    if (part > (int64_t)count)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "pr://%s/%" G_GINT64_FORMAT "/diff/%" G_GINT64_FORMAT
                         " is out of range; PR has %zu file%s. Use pr://%s/%" G_GINT64_FORMAT
                         "/diff to list available indices.",
                         item->repo, item->number, part, count, count == 1 ? "" : "s", item->repo,
                         item->number);
    const json_t *file = json_array_get(files, (size_t)part - 1);
    size_t start = (size_t)json_get_int(file, "startOffset", 0);
    size_t end = (size_t)json_get_int(file, "endOffset", 0);
    url_resource_set_text(resource, g_strndup(view->row.rendered + start, end - start), PLAIN);
    add_note(resource, "%s", view->note);
    add_note(resource, "Showing file %" G_GINT64_FORMAT "/%zu: %s", part, count,
             json_get_text(file, "path"));
    add_note(resource, "Read all: pr://%s/%" G_GINT64_FORMAT "/diff/all", item->repo, item->number);
    return true;
}

static void show_files(const View *view, const Item *item, UrlResource *resource)
{
    url_resource_set_text(resource, pr_diff_list(view->row.payload, item->repo, item->number),
                          MARKDOWN);
    add_note(resource, "%s", view->note);
    add_note(resource, "File listing for pr://%s/%" G_GINT64_FORMAT, item->repo, item->number);
}

static void show_patch(const View *view, const Item *item, UrlResource *resource)
{
    size_t count = json_array_size(json_get_array(view->row.payload, "files"));
    url_resource_set_text(resource, g_strdup(view->row.rendered), PLAIN);
    add_note(resource, "%s", view->note);
    add_note(resource, "Full diff for pr://%s/%" G_GINT64_FORMAT " (%zu file%s)", item->repo,
             item->number, count, count == 1 ? "" : "s");
}

static bool read_diff(ToolCall *call, const Item *item, UrlResource *resource, GError **error)
{
    const ViewAddress address = { .kind = VIEW_DIFF,
                                  .repo = item->repo,
                                  .number = item->number,
                                  .is_fresh = item->url->is_fresh };
    g_auto(View) view = { 0 };
    if (!view_lookup(call, &address, &view, error))
        return false;
    if (!pr_diff_index_fits(view.row.payload, view.row.rendered)) {
        json_decref(view.row.payload);
        view.row.payload = pr_diff_index(view.row.rendered);
    }
    if (item->url->view == ITEM_FILE) {
        if (!show_file(&view, item, resource, error))
            return false;
    } else if (item->url->view == ITEM_PATCH) {
        show_patch(&view, item, resource);
    } else {
        show_files(&view, item, resource);
    }
    add_problem(&view, resource);
    return true;
}

// ---- the address ----

static const char *prefix_of(const ItemUrl *url)
{
    switch (url->view) {
    case ITEM_DIFF:
    case ITEM_FILE:
    case ITEM_PATCH:
        return "pr:// diff resolution failed: ";
    case ITEM_CHECKS:
        return "pr:// checks resolution failed: ";
    case ITEM_LIST:
        return url->scheme == ITEM_PR ? "pr:// listing failed: " : "issue:// listing failed: ";
    default:
        return url->scheme == ITEM_ISSUE ? "issue:// resolution failed: "
               : url->scheme == ITEM_PR  ? "pr:// resolution failed: "
                                         : "run:// resolution failed: ";
    }
}

static bool read_view(ToolCall *call, const Item *item, UrlResource *resource, GError **error)
{
    switch (item->url->view) {
    case ITEM_DIFF:
    case ITEM_FILE:
    case ITEM_PATCH:
        return read_diff(call, item, resource, error);
    case ITEM_CHECKS:
        return item_read_checks(call, item->repo, item->number, resource, error);
    case ITEM_RUN_ONE:
    case ITEM_RUN_JOB:
        return item_read_run(call, item->repo, item->url, resource, error);
    default:
        return read_single(call, item, resource, error);
    }
}

/* The text for `pr://N` without a repository has no prefix; it says all itself (github-tool §7.5).
 */
static bool has_own_words(const ItemUrl *url, const Item *item)
{
    return !item->repo && !url->is_current && url->view == ITEM_SINGLE && url->scheme == ITEM_PR;
}

bool item_read(ToolCall *call, const ItemUrl *url, UrlResource *ret_resource, GError **error)
{
    g_auto(Item) item = { .url = url };
    g_auto(UrlResource) resource = { 0 };
    g_autoptr(GError) failure = NULL;
    bool is_read = url->view == ITEM_LIST ? item_read_list(call, url, &resource, &failure)
                                          : find_repo(call, &item, &failure) &&
                                                read_view(call, &item, &resource, &failure);
    if (!is_read) {
        if (!error_is(failure, KEDGE_ERROR_CANCELLED) && !has_own_words(url, &item))
            g_prefix_error(&failure, "%s", prefix_of(url));
        return pass_error(error, &failure);
    }
    GithubKind kind = url->scheme == ITEM_ISSUE ? GITHUB_ISSUE
                      : url->scheme == ITEM_PR  ? GITHUB_PULL
                                                : GITHUB_RUN;
    if (url->view != ITEM_LIST)
        item_set_github(call, item.repo, kind, item.number, &resource);
    *ret_resource = resource;
    resource = (UrlResource) { 0 };
    return true;
}
