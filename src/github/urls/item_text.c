/*
 * The layouts of single items and lists.
 */
#include "github/urls/item_text.h"

#include "base/str.h"
#include "base/utf8.h"
#include "github/pulls/thread_text.h"
#include "github/text.h"

#define FILES_SHOWN 50

// ---- lists ----

static void append_list_item(GString *out, const json_t *item, const char *scheme, const char *repo)
{
    g_autofree char *state = g_ascii_strdown(json_get_text(item, "state") ?: "", -1);
    g_autofree char *author =
        text_one_line(json_get_text(json_get_object(item, "author"), "login"));
    const char *when = json_get_text(item, "updatedAt");
    if (str_is_empty(when))
        when = json_get_text(item, "createdAt");
    g_autofree char *title = text_one_line(json_get_text(item, "title"));
    g_autofree char *labels = text_labels(json_get_array(item, "labels"));
    g_autofree char *label_line = text_one_line(labels);
    g_autofree char *number = text_scalar(json_object_get(item, "number"));

    g_autofree char *first =
        g_strdup_printf("- [%s%s] #%s  @%s  %s", *state ? state : "?",
                        json_get_bool(item, "isDraft", false) ? " [draft]" : "",
                        number ? number : "?", *author ? author : "?", when ? when : "");
    g_autofree char *second = g_strdup_printf("    %s%s%s", *title ? title : "(no title)",
                                              *label_line ? "  labels: " : "", label_line);
    g_autofree char *first_trimmed = utf8_trim_end(first);
    g_autofree char *second_trimmed = utf8_trim_end(second);
    g_string_append_printf(out, "%s\n%s\n    %s://%s%s%s\n\n", first_trimmed, second_trimmed,
                           scheme, repo, number ? "/" : "", number ? number : "");
}

char *item_text_list(const json_t *items, const ItemUrl *url, const char *repo)
{
    const char *scheme = item_scheme_name(url->scheme);
    g_autoptr(GString) out = g_string_new(NULL);
    const char *kind = url->scheme == ITEM_PR ? "Pull Requests" : "Issues";
    if (url->commit)
        g_string_append_printf(out, "# %s in %s with commit %s\n\n", kind, repo, url->commit);
    else
        g_string_append_printf(out, "# %s in %s (%s, up to %" G_GINT64_FORMAT ")\n\n", kind, repo,
                               url->state, url->limit);
    if (json_array_size(items) == 0)
        g_string_append(out, "_No matches._\n\n");
    json_each (items, i, item)
        append_list_item(out, item, scheme, repo);
    g_string_append_printf(out,
                           "---\nRead a specific item: `%s://%s/<N>` (or `%s://<N>` for the "
                           "current repo).",
                           scheme, repo, scheme);
    return utf8_trim(out->str);
}

// ---- what both kinds have ----

static void append_heading(GString *out, const char *kind, const json_t *data, int64_t number)
{
    g_autofree char *title = text_one_line(json_get_text(data, "title"));
    g_string_append_printf(out, "# %s #%" G_GINT64_FORMAT ": %s\n\n", kind,
                           json_get_int(data, "number", number), *title ? title : "Untitled");
}

static void append_author(GString *out, const json_t *data)
{
    g_autofree char *author = text_author(json_get_object(data, "author"));
    text_line(out, "", "Author", author);
}

static void append_dates(GString *out, const json_t *data)
{
    text_line_json(out, "", "Created", data, "createdAt");
    text_line_json(out, "", "Updated", data, "updatedAt");
    g_autofree char *labels = text_labels(json_get_array(data, "labels"));
    text_line(out, "", "Labels", labels);
    text_line_json(out, "", "URL", data, "url");
}

static void append_body(GString *out, const json_t *data)
{
    g_autofree char *body = text_norm(json_get_text(data, "body"));
    g_string_append_printf(out, "\n## Body\n\n%s\n", *body ? body : "No description provided.");
}

/* "### @who<separator><when>", without what is missing. */
static void append_byline(GString *out, const json_t *user, const char *separator, const char *when)
{
    g_autofree char *author = text_author(user);
    g_autofree char *line = text_one_line(author);
    g_string_append_printf(out, "### %s", *line ? line : "unknown");
    if (!str_is_empty(when))
        g_string_append_printf(out, "%s%s", separator, when);
}

static void append_comment(GString *out, const json_t *comment)
{
    append_byline(out, json_get_object(comment, "author"), " · ",
                  json_get_text(comment, "createdAt"));
    g_autofree char *body = text_norm(json_get_text(comment, "body"));
    g_string_append_printf(out, "\n\n%s\n\n", *body ? body : "No comment body.");
    const char *url = json_get_text(comment, "url");
    if (!str_is_empty(url))
        g_string_append_printf(out, "URL: %s\n\n", url);
}

static void append_comments(GString *out, const json_t *comments)
{
    size_t hidden = 0;
    json_each (comments, i, comment)
        hidden += json_get_bool(comment, "isMinimized", false) ? 1 : 0;
    size_t visible = json_array_size(comments) - hidden;
    if (visible + hidden == 0)
        return;
    if (visible == 0) {
        g_string_append_printf(
            out, "\n## Comments\n\nNo visible comments. Minimized comments omitted: %zu.\n",
            hidden);
        return;
    }
    g_string_append_printf(out, "\n## Comments (%zu)\n\n", visible);
    json_each (comments, i, comment) {
        if (!json_get_bool(comment, "isMinimized", false))
            append_comment(out, comment);
    }
    if (hidden > 0)
        g_string_append_printf(out, "Minimized comments omitted: %zu.\n", hidden);
}

char *item_text_issue(const json_t *data, int64_t number, bool has_comments)
{
    g_autoptr(GString) out = g_string_new(NULL);
    append_heading(out, "Issue", data, number);
    text_line_json(out, "", "State", data, "state");
    text_line_json(out, "", "State reason", data, "stateReason");
    append_author(out, data);
    append_dates(out, data);
    append_body(out, data);
    if (has_comments)
        append_comments(out, json_get_array(data, "comments"));
    return utf8_trim(out->str);
}

// ---- pull requests ----

static void append_files(GString *out, const json_t *files)
{
    size_t count = json_array_size(files);
    if (count == 0)
        return;
    g_string_append_printf(out, "\n## Files (%zu)\n\n", count);
    for (size_t i = 0; i < MIN(count, FILES_SHOWN); i++) {
        const json_t *file = json_array_get(files, i);
        g_autofree char *path = text_one_line(json_get_text(file, "path"));
        g_autofree char *type = text_one_line(json_get_text(file, "changeType"));
        g_string_append_printf(out, "- %s [%s] (+%" G_GINT64_FORMAT " -%" G_GINT64_FORMAT ")\n",
                               *path ? path : "(unknown file)", *type ? type : "CHANGED",
                               json_get_int(file, "additions", 0),
                               json_get_int(file, "deletions", 0));
    }
    if (count > FILES_SHOWN)
        g_string_append_printf(out, "- ... %zu more files\n", count - FILES_SHOWN);
}

static void append_review(GString *out, const json_t *review)
{
    append_byline(out, json_get_object(review, "author"), " - ",
                  json_get_text(review, "submittedAt"));
    g_autofree char *state = text_one_line(json_get_text(review, "state"));
    if (*state)
        g_string_append_printf(out, " [%s]", state);
    g_string_append(out, "\n\n");
    const char *commit = json_get_text(json_get_object(review, "commit"), "oid");
    if (!str_is_empty(commit)) {
        g_autofree char *sha = text_sha12(commit);
        g_string_append_printf(out, "Commit: %s\n\n", sha);
    }
    g_autofree char *body = text_norm(json_get_text(review, "body"));
    g_string_append_printf(out, "%s\n\n", *body ? body : "No review body.");
}

static void append_reviews(GString *out, const json_t *reviews)
{
    size_t count = json_array_size(reviews);
    if (count > 0)
        g_string_append_printf(out, "\n## Reviews (%zu)\n\n", count);
    json_each (reviews, i, review)
        append_review(out, review);
}

static void append_review_comment(GString *out, const json_t *comment)
{
    append_byline(out, json_get_object(comment, "user"), " · ",
                  json_get_text(comment, "created_at"));
    g_string_append(out, "\n\n");
    const char *path = json_get_text(comment, "path");
    g_autofree char *line = text_scalar(json_object_get(comment, "line"));
    if (!line)
        line = text_scalar(json_object_get(comment, "original_line"));
    if (!str_is_empty(path)) {
        g_autofree char *place = g_strconcat(path, line ? ":" : "", line, NULL);
        text_line(out, "", "Location", place);
    }
    text_line_json(out, "", "Side", comment, "side");
    text_line_json(out, "", "Reply to", comment, "in_reply_to_id");
    text_line_json(out, "", "URL", comment, "html_url");
    g_autofree char *body = text_norm(json_get_text(comment, "body"));
    g_string_append_printf(out, "\n%s\n\n", *body ? body : "No review comment body.");
}

static bool is_about(const json_t *comment, const char *file)
{
    return !file || g_strcmp0(json_get_text(comment, "path"), file) == 0;
}

/* How many there are. */
static size_t append_review_comments(GString *out, const json_t *comments, const char *file)
{
    size_t count = 0;
    json_each (comments, i, comment)
        count += is_about(comment, file) ? 1 : 0;
    if (count > 0)
        g_string_append_printf(out, "\n## Review Comments (%zu)\n\n", count);
    json_each (comments, i, comment) {
        if (is_about(comment, file))
            append_review_comment(out, comment);
    }
    return count;
}

static void append_nothing(GString *out, const char *file, int64_t line)
{
    g_autofree char *name = text_one_line(file);
    g_string_append_printf(out, "\nNo review comments on %s", name);
    if (line > 0)
        g_string_append_printf(out, ":%" G_GINT64_FORMAT "; without line those of the whole file",
                               line);
    g_string_append(out, ".\n");
}

char *item_text_pr(const json_t *data, int64_t number, ItemComments comments, const char *file,
                   int64_t line)
{
    g_autoptr(GString) out = g_string_new(NULL);
    append_heading(out, "Pull Request", data, number);
    text_line_json(out, "", "State", data, "state");
    text_line_json(out, "", "Draft", data, "isDraft");
    append_author(out, data);
    text_line_json(out, "", "Base", data, "baseRefName");
    text_line_json(out, "", "Head", data, "headRefName");
    text_line_json(out, "", "Review decision", data, "reviewDecision");
    text_line_json(out, "", "Merge state", data, "mergeStateStatus");
    append_dates(out, data);
    if (!file) {
        append_body(out, data);
        append_files(out, json_get_array(data, "files"));
    }
    if (comments == COMMENTS_OFF)
        return utf8_trim(out->str);
    if (!file)
        append_reviews(out, json_get_array(data, "reviews"));
    size_t count = append_review_comments(out, json_get_array(data, "reviewComments"), file);
    count += thread_text_append(out, json_get_array(data, "reviewThreads"), file, line);
    if (file && count == 0)
        append_nothing(out, file, line);
    if (!file)
        append_comments(out, json_get_array(data, "comments"));
    return utf8_trim(out->str);
}
