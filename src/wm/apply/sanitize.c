/*
 * The text of an event, cleaned (event.h): what strangers wrote, without what commands a terminal
 * or hides from a reader on GitHub's pages, and bounded.
 */
#include "base/ansi.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "wm/task/event.h"

#include <string.h>

#define MAX_TEXT_BYTES (512 * KIB) // task-engine §9.7
#define MAX_TEXT_LINES 65536
#define TRUNCATED      "\n[truncated]"
#define COMMENT_START  "<!--"
#define COMMENT_END    "-->"

static bool ends_with(const GString *text, size_t from, const char *end)
{
    size_t size = strlen(end);
    return text->len >= from + size && memcmp(text->str + text->len - size, end, size) == 0;
}

/* One pass, also where what is left around a comment is the beginning of another. */
static char *without_comments(const char *text)
{
    GString *out = g_string_sized_new(strlen(text));
    gssize open = -1; // where in `out` the first comment began that has not ended
    for (const char *at = text; *at; at++) {
        g_string_append_c(out, *at);
        if (open < 0 && ends_with(out, 0, COMMENT_START)) {
            open = (gssize)(out->len - strlen(COMMENT_START));
        } else if (open >= 0 && ends_with(out, (size_t)open + strlen(COMMENT_START), COMMENT_END)) {
            g_string_truncate(out, (gsize)open);
            open = -1;
        }
    }
    return g_string_free(out, FALSE);
}

/* The bytes of at most MAX_TEXT_LINES lines. */
static size_t size_of_lines(const char *text)
{
    const char *at = text;
    for (unsigned lines = 1; (at = strchr(at, '\n')); at++)
        if (lines++ == MAX_TEXT_LINES)
            return (size_t)(at - text);
    return strlen(text);
}

static char *cut(const char *text)
{
    size_t size = strlen(text), kept = MIN(size_of_lines(text), size);
    if (kept > MAX_TEXT_BYTES)
        kept = utf8_boundary_before(text, size, MAX_TEXT_BYTES);
    if (kept == size)
        return g_strdup(text);
    g_autofree char *head = g_strndup(text, kept);
    return g_strconcat(head, TRUNCATED, NULL);
}

static char *clean(const char *text)
{
    g_autofree char *valid = utf8_from_bytes(text ? text : "", text ? strlen(text) : 0);
    g_autofree char *plain = ansi_strip(valid);
    g_autofree char *visible = without_comments(plain);
    g_autofree char *trimmed = utf8_trim(visible);
    return cut(trimmed);
}

void wm_event_sanitize(const WmEvent *self, WmSanitized *ret_text)
{
    const json_t *comment = json_get_object(self->payload, "comment");
    const json_t *subject = json_get_object(self->payload, "issue");
    if (!subject)
        subject = json_get_object(self->payload, "pull_request");
    WmSanitized text = {
        .title = clean(json_get_text(subject, "title")),
        .body = clean(json_get_text(comment ? comment : subject, "body")),
    };
    bool has_both = !comment && *text.title && *text.body;
    g_autofree char *joined =
        comment ? g_strdup(text.body)
                : g_strconcat(text.title, has_both ? "\n\n" : "", text.body, NULL);
    text.text = cut(joined);
    *ret_text = text;
}

void wm_sanitized_clear(WmSanitized *self)
{
    g_free(self->title);
    g_free(self->body);
    g_free(self->text);
    *self = (WmSanitized) { 0 };
}
