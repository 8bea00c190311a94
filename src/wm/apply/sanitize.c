/*
 * The text of an event, cleaned (event.h): what strangers wrote, without what commands a terminal
 * or hides from a reader on GitHub's pages, and bounded.
 */
#include "base/ansi.h"
#include "base/hidden.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "wm/task/event.h"

#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#define MAX_TEXT_BYTES (512 * KIB) // task-engine §9.7
#define MAX_TEXT_LINES 65536
#define TRUNCATED      "\n[truncated]"

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

static char *clean(const char *text, HiddenPlace place)
{
    HiddenCount hidden = { 0 };
    g_autofree char *valid = utf8_from_bytes(text ? text : "", text ? strlen(text) : 0);
    g_autofree char *plain = ansi_strip(valid);
    g_autofree char *visible = hidden_remove(plain, place, &hidden);
    g_autofree char *trimmed = utf8_trim(visible);
    return cut(trimmed);
}

/* So that nothing in the texts closes what is put around them. */
static char *new_mark(const char *text, const char *title)
{
    for (;;) {
        uint64_t bits = 0;
        ssize_t count = getrandom(&bits, sizeof bits, 0);
        if (count != (ssize_t)sizeof bits)
            g_error("the system has no random bytes");
        g_autofree char *mark = g_strdup_printf("%016" G_GINT64_MODIFIER "x", bits);
        if (!strstr(text, mark) && !strstr(title, mark))
            return g_steal_pointer(&mark);
    }
}

void wm_event_sanitize(const WmEvent *self, WmSanitized *ret_text)
{
    const json_t *comment = json_get_object(self->payload, "comment");
    const json_t *subject = json_get_object(self->payload, "issue");
    if (!subject)
        subject = json_get_object(self->payload, "pull_request");
    WmSanitized text = {
        .title = clean(json_get_text(subject, "title"), HIDDEN_AMONG_OTHERS),
        .body = clean(json_get_text(comment ? comment : subject, "body"), HIDDEN_IN_MARKDOWN),
    };
    bool has_both = !comment && *text.title && *text.body;
    g_autofree char *joined =
        comment ? g_strdup(text.body)
                : g_strconcat(text.title, has_both ? "\n\n" : "", text.body, NULL);
    text.text = cut(joined);
    text.mark = new_mark(text.text, text.title);
    *ret_text = text;
}

void wm_sanitized_clear(WmSanitized *self)
{
    g_free(self->title);
    g_free(self->body);
    g_free(self->text);
    g_free(self->mark);
    *self = (WmSanitized) { 0 };
}
