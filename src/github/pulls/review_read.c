/*
 * op threads: the review threads of a pull request by file, as many as an answer has room for.
 */
#include "base/limits.h"
#include "base/str.h"
#include "base/visible.h"
#include "github/pulls/pull_threads.h"
#include "github/pulls/review.h"
#include "github/pulls/thread_text.h"
#include "github/text.h"

#define MAX_TEXT_BYTES (60 * KIB)

static bool is_wanted(const GhReview *self, const json_t *thread)
{
    const GhReviewArgs *args = self->args;
    if (args->is_unresolved && json_get_bool(thread, "isResolved", false))
        return false;
    return !args->path || g_strcmp0(json_get_text(thread, "path"), args->path) == 0;
}

static int64_t line_of(const json_t *thread)
{
    int64_t line = json_get_int(thread, "line", 0);
    return line > 0 ? line : json_get_int(thread, "originalLine", 0);
}

static int compare_threads(const void *a_, const void *b_)
{
    const json_t *a = *(json_t *const *)a_, *b = *(json_t *const *)b_;
    int order = g_strcmp0(json_get_text(a, "path"), json_get_text(b, "path"));
    if (order != 0)
        return order;
    int64_t line_a = line_of(a), line_b = line_of(b);
    return line_a < line_b ? -1 : line_a > line_b;
}

/* By file and line; of json_t *, borrowed. */
static GPtrArray *wanted_threads(const GhReview *self, const json_t *threads)
{
    GPtrArray *list = g_ptr_array_new();
    json_each (threads, i, thread) {
        if (is_wanted(self, thread))
            g_ptr_array_add(list, thread);
    }
    g_ptr_array_sort(list, compare_threads);
    return list;
}

static unsigned count_resolved(const GPtrArray *threads)
{
    unsigned count = 0;
    for (guint i = 0; i < threads->len; i++)
        count += json_get_bool(threads->pdata[i], "isResolved", false) ? 1 : 0;
    return count;
}

static void append_pending(GString *out, const GhReviewFacts *facts)
{
    if (!facts->pending_id)
        return;
    g_string_append_printf(out,
                           "Your review with %" G_GINT64_FORMAT " comment%s is not sent. op submit "
                           "with include_pending sends it.\n",
                           facts->pending_comments, facts->pending_comments == 1 ? "" : "s");
    text_line(out, "", "Pending", facts->pending_url);
}

/* Only whole threads, but for one that is too long by itself. */
static void append_threads(GString *out, const GPtrArray *threads)
{
    const char *file = NULL;
    for (guint i = 0; i < threads->len; i++) {
        const char *path = json_get_text(threads->pdata[i], "path");
        g_autoptr(GString) text = g_string_new(NULL);
        if (i == 0 || g_strcmp0(path, file) != 0) {
            g_autofree char *name = text_one_line(path);
            g_string_append_printf(text, "## %s\n\n", *name ? name : "(unknown file)");
        }
        file = path;
        thread_text_append_one(text, threads->pdata[i]);
        g_autofree char *shown = visible_lines(text->str);
        if (out->len + strlen(shown) > MAX_TEXT_BYTES && i > 0) {
            g_string_append_printf(out,
                                   "%u more threads: narrow with path, unresolved or thread.\n",
                                   threads->len - i);
            return;
        }
        g_autofree char *cut = str_truncate(shown, MAX_TEXT_BYTES);
        g_string_append(out, cut);
        if (strlen(cut) < strlen(shown))
            g_string_append_printf(out, "… (+%zu bytes)\n", strlen(shown) - strlen(cut));
    }
}

static bool fetch(ToolCall *call, const GhReview *self, GhReviewFacts *facts, json_t **ret_threads,
                  GError **error)
{
    const GhReviewArgs *args = self->args;
    if (!gh_review_fetch_facts(call, self, facts, error))
        return false;
    g_auto(PullGh) gh = { 0 };
    pull_gh_init(&gh, call, self->repo);
    if (!args->thread)
        return pull_threads_list(&gh.link, args->number, PULL_THREADS_WHOLE, ret_threads, error);
    json_t *thread = NULL;
    if (!pull_threads_one(&gh.link, args->thread, &thread, error))
        return false;
    *ret_threads = json_array();
    json_append_take(*ret_threads, thread);
    return true;
}

bool gh_review_read_threads(ToolCall *call, const GhReview *self, char **ret_text, GError **error)
{
    g_auto(GhReviewFacts) facts = { 0 };
    g_autoptr(json_t) fetched = NULL;
    if (!fetch(call, self, &facts, &fetched, error))
        return false;
    g_autoptr(json_t) all = tool_call_seen_json(call, fetched);
    g_autoptr(GPtrArray) threads = wanted_threads(self, all);
    unsigned resolved = count_resolved(threads);
    GString *out = g_string_new(NULL);
    g_string_append_printf(
        out, "# Review threads of %s#%" G_GINT64_FORMAT " (%u: %u open, %u resolved)\n\n",
        self->target->repo, self->args->number, threads->len, threads->len - resolved, resolved);
    g_autofree char *head = text_sha12(facts.head_sha);
    text_line(out, "", "Head", head);
    append_pending(out, &facts);
    g_string_append_c(out, '\n');
    if (threads->len == 0)
        g_string_append(out, json_array_size(all) > 0 ? "_No thread fits._\n" : "_No threads._\n");
    append_threads(out, threads);
    *ret_text = g_string_free(out, false);
    return true;
}
