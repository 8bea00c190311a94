/*
 * The section of review threads in a pull request.
 */
#include "github/pulls/thread_text.h"

#include "base/str.h"
#include "base/utf8.h"
#include "github/text.h"

#define HUNK_LINES 6 // of the diff above the line that is spoken about

typedef struct Lines {
    int64_t start, end; // 0, 0: the whole file
} Lines;

/* As they are in the newest diff, else as they were when the thread began. */
static Lines lines_of(const json_t *thread)
{
    bool is_now = json_get_int(thread, "line", 0) > 0;
    int64_t end = json_get_int(thread, is_now ? "line" : "originalLine", 0);
    int64_t start = json_get_int(thread, is_now ? "startLine" : "originalStartLine", 0);
    if (end <= 0)
        return (Lines) { 0 };
    return (Lines) { .start = start > 0 ? start : end, .end = end };
}

static bool is_about(const json_t *thread, const char *file, int64_t line)
{
    if (file && g_strcmp0(json_get_text(thread, "path"), file) != 0)
        return false;
    const Lines lines = lines_of(thread);
    return line == 0 || (line >= lines.start && line <= lines.end);
}

/* "src/a.c:17-19". Caller frees. */
static char *place_of(const json_t *thread)
{
    const Lines lines = lines_of(thread);
    g_autofree char *name = text_one_line(json_get_text(thread, "path"));
    const char *shown = *name ? name : "(unknown file)";
    if (lines.end == 0)
        return g_strdup(shown);
    if (lines.start == lines.end)
        return g_strdup_printf("%s:%" G_GINT64_FORMAT, shown, lines.end);
    return g_strdup_printf("%s:%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, shown, lines.start,
                           lines.end);
}

static void append_heading(GString *out, const json_t *thread)
{
    g_autofree char *place = place_of(thread);
    bool is_resolved = json_get_bool(thread, "isResolved", false);
    g_string_append_printf(out, "### %s [%s]%s", place, is_resolved ? "resolved" : "open",
                           json_get_bool(thread, "isOutdated", false) ? " [outdated]" : "");
    const char *resolver = json_get_text(json_get_object(thread, "resolvedBy"), "login");
    if (is_resolved && !str_is_empty(resolver))
        g_string_append_printf(out, " by @%s", resolver);
    g_string_append(out, "\n\n");
    text_line_json(out, "", "Thread", thread, "id");
    if (g_strcmp0(json_get_text(thread, "subjectType"), "FILE") == 0)
        g_string_append(out, "About: the whole file\n");
    else if (g_strcmp0(json_get_text(thread, "diffSide"), "LEFT") == 0)
        g_string_append(out, "Side: LEFT\n");
    g_string_append_c(out, '\n');
}

/* The end of the hunk is the line that the first comment is on. */
static void append_hunk(GString *out, const json_t *comment)
{
    g_autofree char *hunk = utf8_trim_end(json_get_text(comment, "diffHunk") ?: "");
    if (*hunk == '\0')
        return;
    g_auto(GStrv) lines = g_strsplit(hunk, "\n", -1);
    unsigned count = g_strv_length(lines);
    unsigned first = count > HUNK_LINES ? count - HUNK_LINES : 0;
    g_autofree char *shown = g_strjoinv("\n", lines + first);
    g_autofree char *fence = text_fence(shown);
    g_string_append_printf(out, "%sdiff\n%s\n%s\n\n", fence, shown, fence);
}

static void append_comment(GString *out, const json_t *comment)
{
    g_autofree char *author = text_author(json_get_object(comment, "author"));
    g_autofree char *name = text_one_line(author);
    const char *when = json_get_text(comment, "createdAt");
    bool is_pending = g_strcmp0(json_get_text(comment, "state"), "PENDING") == 0;
    g_string_append_printf(out, "#### %s%s%s%s\n\n", *name ? name : "unknown",
                           str_is_empty(when) ? "" : " · ", when ? when : "",
                           is_pending ? " [pending: not sent]" : "");
    if (json_get_bool(comment, "isMinimized", false)) {
        g_string_append(out, "(minimized)\n\n");
        return;
    }
    g_autofree char *body = text_norm(json_get_text(comment, "body"));
    g_string_append_printf(out, "%s\n\n", *body ? body : "No review comment body.");
    text_line_json(out, "", "URL", comment, "url");
    g_string_append_c(out, '\n');
}

void thread_text_append_one(GString *out, const json_t *thread)
{
    append_heading(out, thread);
    const json_t *connection = json_get_object(thread, "comments");
    const json_t *comments = json_get_array(connection, "nodes");
    if (json_get_text(json_array_get(comments, 0), "diffHunk") &&
        g_strcmp0(json_get_text(thread, "subjectType"), "FILE") != 0)
        append_hunk(out, json_array_get(comments, 0));
    json_each (comments, i, comment)
        append_comment(out, comment);
    int64_t total = json_get_int(connection, "totalCount", 0);
    int64_t missing = total - (int64_t)json_array_size(comments);
    if (missing > 0)
        g_string_append_printf(out, "%" G_GINT64_FORMAT " more comments in this thread.\n\n",
                               missing);
}

size_t thread_text_append(GString *out, const json_t *threads, const char *file, int64_t line)
{
    size_t count = 0, resolved = 0;
    json_each (threads, i, thread) {
        bool is_shown = is_about(thread, file, line);
        count += is_shown ? 1 : 0;
        resolved += is_shown && json_get_bool(thread, "isResolved", false) ? 1 : 0;
    }
    if (count > 0)
        g_string_append_printf(out, "\n## Review Threads (%zu: %zu open, %zu resolved)\n\n", count,
                               count - resolved, resolved);
    json_each (threads, i, thread) {
        if (is_about(thread, file, line))
            thread_text_append_one(out, thread);
    }
    return count;
}
