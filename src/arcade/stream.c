/* See stream.h. */
#include "arcade/stream.h"

#include "arcade/feed.h"
#include "arcade/server.h"
#include "base/log.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <poll.h>
#include <sys/eventfd.h>

#define ROWS_AT_ONCE 200

typedef struct ArcadeStream {
    Arcade *arcade;
    Db *db;
    char *run_id;     // NULL: any
    int64_t position; // the feed up to here has been said
    int wake_fd;      // of the hub
    int socket;       // borrowed
    GString *pending; // text that is not sent yet
    size_t sent_bytes;
    gint64 said_at; // monotonic
} ArcadeStream;

static void stream_free(void *stream)
{
    ArcadeStream *self = stream;
    hub_leave(self->arcade->hub, self->wake_fd);
    store_give(self->arcade->store, self->db);
    g_string_free(self->pending, TRUE);
    g_free(self->run_id);
    g_free(self);
}

/* Where to begin: after what the client has seen, or now. */
static bool take_position(ArcadeStream *self, const char *last_event_id, GError **error)
{
    int64_t last = 0, seen = 0;
    if (!feed_last_id(self->db, &last, error))
        return false;
    self->position = last;
    if (!last_event_id)
        return true;
    bool reaches = false;
    if (str_parse_int(last_event_id, &seen) && !feed_reaches(self->db, seen, &reaches, error))
        return false;
    if (reaches)
        self->position = seen;
    else
        g_string_append(self->pending, "event: reset\ndata: {}\n");
    return true;
}

/* Appends what the feed has after our position. */
static bool read_feed(ArcadeStream *self, GError **error)
{
    g_autoptr(GPtrArray) rows = NULL;
    int64_t last = 0; // read first: a row that comes meanwhile is after it
    if (!feed_last_id(self->db, &last, error) ||
        !feed_read(self->db, self->run_id, self->position, ROWS_AT_ONCE, &rows, error))
        return false;
    for (unsigned i = 0; i < rows->len; i++) {
        const FeedRow *row = rows->pdata[i];
        g_autofree char *data = json_to_text(row->data);
        g_string_append_printf(self->pending, "id: %" G_GINT64_FORMAT "\nevent: %s\ndata: %s\n\n",
                               row->id, row->type, data);
        self->position = row->id;
    }
    if (rows->len < ROWS_AT_ONCE)
        self->position = MAX(self->position, last); // the rest is of other runs
    return true;
}

/* False when the stream is to end: the client has gone, or the server ends. */
static bool wait_for_news(ArcadeStream *self)
{
    int64_t comment_ms = self->arcade->comment_ms;
    gint64 left_ms = self->said_at + comment_ms - time_monotonic_ms();
    struct pollfd fds[] = {
        { .fd = self->socket, .events = POLLRDHUP },
        { .fd = self->wake_fd, .events = POLLIN },
    };
    cancel_poll(self->arcade->cancel, fds, G_N_ELEMENTS(fds), CLAMP(left_ms, 0, comment_ms));
    if (fds[0].revents || cancel_has_fired(self->arcade->cancel))
        return false;
    eventfd_t count;
    if (fds[1].revents)
        eventfd_read(self->wake_fd, &count);
    return true;
}

/* Until there is text to send; false at the end. */
static bool wait_for_text(ArcadeStream *self)
{
    g_autoptr(GError) error = NULL;
    while (self->pending->len == 0) {
        if (!wait_for_news(self))
            return false;
        if (!read_feed(self, &error)) {
            log_debug("arcade: a stream ends: %s", error->message);
            return false;
        }
        if (self->pending->len == 0 &&
            time_monotonic_ms() - self->said_at >= self->arcade->comment_ms)
            g_string_append_printf(self->pending, ": still here\nid: %" G_GINT64_FORMAT "\n\n",
                                   self->position);
    }
    return true;
}

static ssize_t fill(void *stream, uint64_t position G_GNUC_UNUSED, char *buffer, size_t size)
{
    ArcadeStream *self = stream;
    if (!wait_for_text(self))
        return -1; // MHD_CONTENT_READER_END_OF_STREAM
    size_t part = MIN(size, self->pending->len - self->sent_bytes);
    memcpy(buffer, self->pending->str + self->sent_bytes, part);
    self->sent_bytes += part;
    if (self->sent_bytes == self->pending->len) {
        g_string_truncate(self->pending, 0);
        self->sent_bytes = 0;
    }
    self->said_at = time_monotonic_ms();
    return (ssize_t)part;
}

bool stream_begin(const ArcadeRequest *request, ArcadeReply *reply, GError **error)
{
    Arcade *arcade = request->arcade;
    int wake_fd = hub_join(arcade->hub, STREAM_MAX);
    if (wake_fd < 0)
        return reply_fail(error, 429, "There are %d streams already", STREAM_MAX);
    ArcadeStream *self = g_new0(ArcadeStream, 1);
    self->arcade = arcade;
    self->wake_fd = wake_fd;
    self->socket = request->socket;
    self->run_id = g_strdup(request_query(request, "runId"));
    self->pending = g_string_new(NULL);
    self->said_at = time_monotonic_ms();
    if (!store_take(arcade->store, arcade->cancel, &self->db, error) ||
        !take_position(self, request_header(request, "last-event-id"), error)) {
        stream_free(self);
        return false;
    }
    g_string_append_printf(self->pending, "id: %" G_GINT64_FORMAT "\n\n", self->position);
    reply->source = (ReplySource) { self, fill, stream_free };
    return true;
}
