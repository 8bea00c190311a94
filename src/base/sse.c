/*
 * Server-sent events: the decoder. Lines that lie whole in the pushed bytes are read in place; only
 * a line that a chunk border cuts is copied.
 */
#include "base/sse.h"

#include "base/limits.h"
#include "base/utf8.h"

struct SseParser {
    SseEventFunc func;
    void *user_data;
    GString *line;  // the start of a line whose end has not come yet
    GString *event; // of the event being read
    GString *data;
    bool has_data;
    bool has_read_line;   // a BOM counts only before the first line
    bool is_after_return; // the last byte was CR: an LF now belongs to it
};

SseParser *sse_parser_new(SseEventFunc func, void *user_data)
{
    SseParser *self = g_new0(SseParser, 1);
    self->func = func;
    self->user_data = user_data;
    self->line = g_string_new(NULL);
    self->event = g_string_new(NULL);
    self->data = g_string_new(NULL);
    return self;
}

void sse_parser_free(SseParser *self)
{
    if (!self)
        return;
    g_string_free(self->line, TRUE);
    g_string_free(self->event, TRUE);
    g_string_free(self->data, TRUE);
    g_free(self);
}

static bool sse_dispatch(SseParser *self, GError **error)
{
    bool is_ok = true;
    if (self->has_data)
        is_ok =
            self->func(self->event->str, self->data->str, self->data->len, self->user_data, error);
    g_string_truncate(self->event, 0);
    g_string_truncate(self->data, 0);
    self->has_data = false;
    return is_ok;
}

static bool sse_is_within_limit(const SseParser *self, size_t more, GError **error)
{
    size_t held = self->line->len + self->data->len + self->event->len;
    if (more > LIMIT_SSE_EVENT_BYTES || held > LIMIT_SSE_EVENT_BYTES - more)
        return fail_with(error, KEDGE_ERROR_LIMIT, "a server-sent event is larger than %zu bytes",
                         LIMIT_SSE_EVENT_BYTES);
    return true;
}

static bool sse_line(SseParser *self, const char *line, size_t size, GError **error)
{
    size_t mark = self->has_read_line ? 0 : utf8_bom_size(line, size);
    line += mark;
    size -= mark;
    self->has_read_line = true;
    if (size == 0)
        return sse_dispatch(self, error);

    const char *colon = memchr(line, ':', size);
    size_t name_size = colon ? (size_t)(colon - line) : size;
    const char *value = colon ? colon + 1 : line + size;
    size_t value_size = (size_t)(line + size - value);
    if (value_size > 0 && *value == ' ') {
        value++;
        value_size--;
    }
    if (name_size == 4 && memcmp(line, "data", 4) == 0) {
        if (self->has_data)
            g_string_append_c(self->data, '\n');
        g_string_append_len(self->data, value, (gssize)value_size);
        self->has_data = true;
    } else if (name_size == 5 && memcmp(line, "event", 5) == 0) {
        g_string_truncate(self->event, 0);
        g_string_append_len(self->event, value, (gssize)value_size);
    }
    return true; // comments, id, retry and names of tomorrow
}

/* A line that ends here; its beginning may be in self->line. */
static bool sse_end_line(SseParser *self, const char *data, size_t size, GError **error)
{
    if (!sse_is_within_limit(self, size, error))
        return false;
    if (self->line->len == 0)
        return sse_line(self, data, size, error);

    g_string_append_len(self->line, data, (gssize)size);
    bool is_ok = sse_line(self, self->line->str, self->line->len, error);
    g_string_truncate(self->line, 0);
    return is_ok;
}

bool sse_parser_push(SseParser *self, const char *data, size_t size, GError **error)
{
    const char *end = size > 0 ? data + size : data;
    const char *p = data;
    const char *feed =
        NULL; // the next LF at or after p, `end` when there is none; NULL: not searched
    while (p < end) {
        if (self->is_after_return) {
            self->is_after_return = false;
            if (*p == '\n') {
                p++;
                continue;
            }
        }
        if (!feed || feed < p)
            feed = memchr(p, '\n', (size_t)(end - p));
        if (!feed)
            feed = end;
        const char *stop = memchr(p, '\r', (size_t)(feed - p));
        if (stop)
            self->is_after_return = true;
        else
            stop = feed;
        if (stop == end) {
            if (!sse_is_within_limit(self, (size_t)(end - p), error))
                return false;
            g_string_append_len(self->line, p, end - p);
            return true;
        }
        if (!sse_end_line(self, p, (size_t)(stop - p), error))
            return false;
        p = stop + 1;
    }
    return true;
}

bool sse_parser_finish(SseParser *self, GError **error)
{
    if (self->line->len > 0 && !sse_end_line(self, "", 0, error))
        return false;
    return sse_dispatch(self, error);
}
