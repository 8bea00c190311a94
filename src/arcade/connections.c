/*
 * Counting connections by what they have shown (connections.h).
 */
#include "arcade/connections.h"

#include "arcade/request.h"
#include "base/fd.h"
#include "base/lock.h"
#include "base/str.h"

#include <errno.h>
#include <sys/socket.h>

typedef enum { PHASE_HALL, PHASE_STRANGER, PHASE_KNOWN } Phase;

typedef struct Connection {
    int fd;
    uint64_t number; // in order of arrival
    Phase phase;
    int64_t until_ms; // of those that are not known
    bool is_over;     // was shut down, and has not ended yet
} Connection;

struct Connections {
    const Guard *guard;
    int64_t time_ms;
    pthread_mutex_t lock;
    GArray *all;   // of Connection; guarded by lock, as
    uint64_t came; // how many there were
};

Connections *connections_new(const Guard *guard, int64_t time_ms)
{
    Connections *self = g_new0(Connections, 1);
    self->guard = guard;
    self->time_ms = time_ms > 0 ? time_ms : CONNECTIONS_TIME_MS;
    self->all = g_array_new(FALSE, FALSE, sizeof(Connection));
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void connections_free(Connections *self)
{
    if (!self)
        return;
    for (unsigned i = 0; i < self->all->len; i++) {
        const Connection *each = &g_array_index(self->all, Connection, i);
        if (each->phase == PHASE_HALL)
            fd_close(each->fd);
    }
    g_array_unref(self->all);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static Connection *find_locked(Connections *self, int fd)
{
    for (unsigned i = 0; i < self->all->len; i++)
        if (g_array_index(self->all, Connection, i).fd == fd)
            return &g_array_index(self->all, Connection, i);
    return NULL;
}

static void remove_locked(Connections *self, int fd)
{
    for (unsigned i = self->all->len; i > 0; i--)
        if (g_array_index(self->all, Connection, i - 1).fd == fd)
            g_array_remove_index_fast(self->all, i - 1);
}

static size_t count_locked(const Connections *self, Phase phase)
{
    size_t count = 0;
    for (unsigned i = 0; i < self->all->len; i++)
        count += g_array_index(self->all, Connection, i).phase == phase;
    return count;
}

/* The one of the hall that came first, taken out of it; -1: it is empty. */
static int leave_hall_locked(Connections *self)
{
    unsigned oldest = self->all->len;
    for (unsigned i = 0; i < self->all->len; i++) {
        const Connection *each = &g_array_index(self->all, Connection, i);
        if (each->phase == PHASE_HALL &&
            (oldest == self->all->len ||
             each->number < g_array_index(self->all, Connection, oldest).number))
            oldest = i;
    }
    if (oldest == self->all->len)
        return -1;
    int fd = g_array_index(self->all, Connection, oldest).fd;
    g_array_remove_index_fast(self->all, oldest);
    return fd;
}

ConnectionVerdict connections_come(Connections *self, int fd, int64_t now_ms, int *ret_gone)
{
    *ret_gone = -1;
    HOLD_LOCK(&self->lock);
    bool has_room = count_locked(self, PHASE_STRANGER) < CONNECTIONS_STRANGERS;
    bool is_full = count_locked(self, PHASE_KNOWN) >= CONNECTIONS_KNOWN;
    if (!is_full && !has_room && count_locked(self, PHASE_HALL) >= CONNECTIONS_HALL)
        *ret_gone = leave_hall_locked(self);
    if (!is_full) {
        const Connection connection = {
            .fd = fd,
            .number = self->came++,
            .phase = has_room ? PHASE_STRANGER : PHASE_HALL,
            .until_ms = now_ms + (has_room ? self->time_ms : CONNECTIONS_HALL_MS),
        };
        g_array_append_val(self->all, connection);
    }
    return is_full ? CONNECTION_REFUSED : has_room ? CONNECTION_ADMITTED : CONNECTION_IN_HALL;
}

void connections_refuse(int fd)
{
    static const char answer[] =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
        "Content-Length: 83\r\nRetry-After: 10\r\nConnection: close\r\n\r\n"
        "{\"error\":{\"code\":\"unavailable\",\"message\":\"Too many connections: try again "
        "later\"}}\n";
    char seen[4096];
    // what is not read would make the kernel drop the answer
    while (recv(fd, seen, sizeof(seen), MSG_DONTWAIT) > 0)
        ;
    if (send(fd, answer, sizeof(answer) - 1, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        shutdown(fd, SHUT_WR);
    fd_close(fd);
}

size_t connections_hall(Connections *self, int ret_fds[CONNECTIONS_HALL])
{
    size_t count = 0;
    HOLD_LOCK(&self->lock);
    for (unsigned i = 0; i < self->all->len && count < CONNECTIONS_HALL; i++) {
        const Connection *each = &g_array_index(self->all, Connection, i);
        if (each->phase == PHASE_HALL)
            ret_fds[count++] = each->fd;
    }
    return count;
}

/* The value of a header in a request's head; NULL: not there. Caller frees. */
static char *header_in(const char *head, const char *name)
{
    g_auto(GStrv) lines = g_strsplit(head, "\r\n", -1);
    for (char **line = lines + (lines[0] != NULL); *line; line++) {
        size_t size = strlen(name);
        if (g_ascii_strncasecmp(*line, name, size) == 0 && (*line)[size] == ':')
            return g_strstrip(g_strdup(*line + size + 1));
    }
    return NULL;
}

/* A page's own files need no token, and no more than their one line. */
static bool is_for_page(const char *head)
{
    return str_has_prefix(head, "GET /") && !str_has_prefix(head, "GET /api/");
}

ConnectionVerdict connections_look(Connections *self, int fd, int64_t now_ms)
{
    g_autofree char *head = g_malloc0(REQUEST_HEADER_BYTES + 1);
    ssize_t size = recv(fd, head, REQUEST_HEADER_BYTES, MSG_PEEK | MSG_DONTWAIT);
    bool is_waiting = size < 0 && (errno == EAGAIN || errno == EINTR);
    char *end = size > 0 ? strstr(head, "\r\n\r\n") : NULL;
    ConnectionVerdict verdict = CONNECTION_REFUSED;
    if (end) {
        *end = '\0';
        g_autofree char *authorization = header_in(head, "Authorization");
        bool has_token = guard_is_right(self->guard, authorization);
        verdict = has_token || is_for_page(head) ? CONNECTION_ADMITTED : CONNECTION_REFUSED;
    } else if (is_waiting || (size > 0 && (size_t)size < REQUEST_HEADER_BYTES)) {
        verdict = CONNECTION_IN_HALL;
    }
    HOLD_LOCK(&self->lock);
    Connection *connection = find_locked(self, fd);
    if (verdict == CONNECTION_IN_HALL && connection && connection->until_ms <= now_ms)
        verdict = CONNECTION_REFUSED;
    if (verdict == CONNECTION_REFUSED) {
        remove_locked(self, fd);
    } else if (verdict == CONNECTION_ADMITTED && connection) {
        connection->phase = PHASE_STRANGER;
        connection->until_ms = now_ms + self->time_ms;
    }
    return verdict;
}

int connections_sweep(Connections *self, int64_t now_ms)
{
    int64_t next_ms = INT64_MAX;
    HOLD_LOCK(&self->lock);
    for (unsigned i = 0; i < self->all->len; i++) {
        Connection *each = &g_array_index(self->all, Connection, i);
        if (each->phase == PHASE_KNOWN || each->is_over)
            continue;
        if (each->phase == PHASE_STRANGER && each->until_ms <= now_ms) {
            shutdown(each->fd, SHUT_RDWR);
            each->is_over = true;
            continue;
        }
        next_ms = each->phase == PHASE_HALL ? MIN(next_ms, CONNECTIONS_LOOK_MS)
                                            : MIN(next_ms, MAX(each->until_ms - now_ms, 0));
    }
    return next_ms == INT64_MAX ? -1 : (int)MIN(next_ms, G_MAXINT);
}

void connections_know(Connections *self, int fd)
{
    HOLD_LOCK(&self->lock);
    Connection *connection = find_locked(self, fd);
    if (connection && !connection->is_over)
        connection->phase = PHASE_KNOWN;
}

void connections_serve_page(Connections *self, int fd, int64_t now_ms)
{
    HOLD_LOCK(&self->lock);
    Connection *connection = find_locked(self, fd);
    if (connection)
        connection->until_ms = now_ms + self->time_ms;
}

void connections_end(Connections *self, int fd)
{
    HOLD_LOCK(&self->lock);
    remove_locked(self, fd);
}
