/*
 * The browser's way back (callback_server.h): just enough of HTTP for one GET.
 */
#include "base/callback_server.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/str.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_MAX 16 // taken at once

static const char page_done[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\n"
    "Connection: close\r\n\r\n"
    "<!doctype html><title>kedge</title><p>kedge has its answer. You can close this page and go "
    "back to the terminal.</p>\n";
static const char page_unknown[] =
    "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nnot here\n";

typedef struct Connection {
    int fd;
    GString *request; // what has come of it
} Connection;

struct CallbackServer {
    char *path;
    int listen_fd, epoll_fd;
    unsigned port;
    GPtrArray *connections; // oldest first
};

static void connection_free(gpointer connection)
{
    Connection *self = connection;
    close(self->fd); // and leaves the epoll set by that
    g_string_free(self->request, TRUE);
    g_free(self);
}

static bool callback_server_watch(const CallbackServer *self, int fd, void *what)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };
    return epoll_ctl(self->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool open_socket(CallbackServer *self)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof(address);
    self->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (self->listen_fd < 0 || self->epoll_fd < 0 ||
        bind(self->listen_fd, (struct sockaddr *)&address, size) < 0 ||
        listen(self->listen_fd, LIMIT_CALLBACK_CONNECTIONS) < 0 ||
        getsockname(self->listen_fd, (struct sockaddr *)&address, &size) < 0)
        return false;
    self->port = ntohs(address.sin_port);
    return callback_server_watch(self, self->listen_fd, NULL);
}

bool callback_server_new(const char *path, CallbackServer **ret_server, GError **error)
{
    g_autoptr(CallbackServer) self = g_new0(CallbackServer, 1);
    self->path = g_strdup(path);
    self->listen_fd = self->epoll_fd = -1;
    self->connections = g_ptr_array_new_with_free_func(connection_free);
    if (!open_socket(self))
        return fail_with_errno(error, errno, "cannot wait for the browser on 127.0.0.1");
    *ret_server = g_steal_pointer(&self);
    return true;
}

void callback_server_free(CallbackServer *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->connections);
    fd_close(self->listen_fd);
    fd_close(self->epoll_fd);
    g_free(self->path);
    g_free(self);
}

unsigned callback_server_port(const CallbackServer *self)
{
    return self->port;
}

int callback_server_fd(const CallbackServer *self)
{
    return self->epoll_fd;
}

static void accept_one(CallbackServer *self)
{
    int fd = accept4(self->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    Connection *connection = g_new0(Connection, 1);
    connection->fd = fd;
    connection->request = g_string_new(NULL);
    if (self->connections->len >= LIMIT_CALLBACK_CONNECTIONS)
        g_ptr_array_remove_index(self->connections, 0);
    g_ptr_array_add(self->connections, connection);
    if (!callback_server_watch(self, fd, connection))
        g_ptr_array_remove(self->connections, connection);
}

/* The query of "GET PATH?query HTTP/1.1", "" without one; NULL: it is another request. Caller
   frees. */
static char *awaited_query(const CallbackServer *self, const char *request)
{
    size_t size = strlen(self->path);
    if (!str_has_prefix(request, "GET ") || strncmp(request + 4, self->path, size) != 0)
        return NULL;
    const char *rest = request + 4 + size;
    size_t end = strcspn(rest, " \r\n");
    if (rest[end] != ' ' || (*rest != '?' && *rest != ' '))
        return NULL;
    return *rest == '?' ? g_strndup(rest + 1, end - 1) : g_strdup("");
}

/* More of a request, or its end; then the answer. */
static char *callback_server_serve(CallbackServer *self, Connection *connection)
{
    char data[4096];
    ssize_t got = recv(connection->fd, data, sizeof(data), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return NULL;
    GString *request = connection->request;
    if (got > 0)
        g_string_append_len(request, data, got);
    bool is_whole = strstr(request->str, "\r\n\r\n") != NULL;
    if (got > 0 && !is_whole && request->len < LIMIT_CALLBACK_REQUEST_BYTES)
        return NULL;
    char *query = is_whole ? awaited_query(self, request->str) : NULL;
    const char *page = query ? page_done : page_unknown;
    if (got > 0) // so little fits into any socket's buffer
        send(connection->fd, page, strlen(page), MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(connection->fd, SHUT_WR);
    g_ptr_array_remove(self->connections, connection);
    return query;
}

char *callback_server_step(CallbackServer *self)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(self->epoll_fd, events, EVENTS_MAX, 0);
    char *query = NULL;
    for (int i = 0; i < count && !query; i++) {
        // a new connection may have taken the place of this one
        if (events[i].data.ptr && g_ptr_array_find(self->connections, events[i].data.ptr, NULL))
            query = callback_server_serve(self, events[i].data.ptr);
    }
    for (int i = 0; i < count && !query; i++) {
        if (!events[i].data.ptr)
            accept_one(self);
    }
    return query;
}
