/*
 * A small HTTP server for unit tests: 127.0.0.1, a port of the kernel's choice, a thread per
 * connection. The handler writes raw bytes, so that a test can say anything a server may do.
 */
#pragma once

#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

typedef struct TestServer TestServer;

/* `request` is head and body; `number` counts requests from 1. False closes the connection. */
typedef bool (*TestHandler)(TestServer *server, int fd, const char *request, unsigned number);

struct TestServer {
    TestHandler handler;
    void *data; // the test's own
    int fd;
    int stop_fd;
    unsigned port;
    pthread_t thread;
    pthread_mutex_t lock;
    GPtrArray *requests;  // of char *; guarded by lock
    GArray *threads;      // of pthread_t; guarded by lock
    unsigned connections; // guarded by lock
    unsigned hangups;     // connections that the client closed; guarded by lock
};

typedef struct TestConnection {
    TestServer *server;
    int fd;
} TestConnection;

/* False when the server is to stop. */
static inline bool test_server_wait(TestServer *self, int fd, int timeout_ms)
{
    struct pollfd fds[2] = { { .fd = self->stop_fd, .events = POLLIN },
                             { .fd = fd, .events = POLLIN } };
    poll(fds, 2, timeout_ms);
    return !(fds[0].revents & POLLIN);
}

/* For slow answers; ends early when the server stops. */
static inline bool test_server_sleep(TestServer *self, int timeout_ms)
{
    return test_server_wait(self, -1, timeout_ms);
}

static inline void test_send(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        data += sent;
        size -= (size_t)sent;
    }
}

static inline void test_send_text(int fd, const char *text)
{
    test_send(fd, text, strlen(text));
}

/* One request with its body, or NULL at the end of the connection. */
static inline char *test_read_request(TestServer *self, int fd)
{
    GString *request = g_string_new(NULL);
    for (;;) {
        const char *end = strstr(request->str, "\r\n\r\n");
        if (end) {
            g_autofree char *head = g_ascii_strdown(request->str, end - request->str);
            const char *length = strstr(head, "\r\ncontent-length:");
            size_t body = length ? (size_t)g_ascii_strtoull(length + 17, NULL, 10) : 0;
            if (request->len >= (size_t)(end + 4 - request->str) + body)
                return g_string_free(request, FALSE);
        }
        char buffer[4096];
        ssize_t got = test_server_wait(self, fd, 10000) ? recv(fd, buffer, sizeof(buffer), 0) : 0;
        if (got <= 0) {
            g_string_free(request, TRUE);
            return NULL;
        }
        g_string_append_len(request, buffer, got);
    }
}

static inline void *test_serve_connection(void *connection_)
{
    TestConnection *connection = connection_;
    TestServer *self = connection->server;
    bool is_open = true;
    while (is_open) {
        char *request = test_read_request(self, connection->fd);
        if (!request)
            break;
        pthread_mutex_lock(&self->lock);
        g_ptr_array_add(self->requests, request);
        unsigned number = self->requests->len;
        pthread_mutex_unlock(&self->lock);
        is_open = self->handler(self, connection->fd, request, number);
    }
    close(connection->fd);
    g_free(connection);
    return NULL;
}

static inline void *test_serve(void *server)
{
    TestServer *self = server;
    while (test_server_wait(self, self->fd, -1)) {
        int fd = accept(self->fd, NULL, NULL);
        if (fd < 0)
            continue;
        TestConnection *connection = g_new(TestConnection, 1);
        *connection = (TestConnection) { self, fd };
        pthread_mutex_lock(&self->lock);
        self->connections++; // counted before it can answer anything
        pthread_t thread;
        if (pthread_create(&thread, NULL, test_serve_connection, connection) != 0)
            g_error("no thread");
        g_array_append_val(self->threads, thread);
        pthread_mutex_unlock(&self->lock);
    }
    return NULL;
}

static inline TestServer *test_server_start(TestHandler handler, void *data)
{
    TestServer *self = g_new0(TestServer, 1);
    self->handler = handler;
    self->data = data;
    self->requests = g_ptr_array_new_with_free_func(g_free);
    self->threads = g_array_new(FALSE, FALSE, sizeof(pthread_t));
    self->stop_fd = eventfd(0, EFD_CLOEXEC);
    self->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pthread_mutex_init(&self->lock, NULL);
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof(address);
    if (bind(self->fd, (struct sockaddr *)&address, size) != 0 || listen(self->fd, 16) != 0 ||
        getsockname(self->fd, (struct sockaddr *)&address, &size) != 0)
        g_error("no server socket: %s", g_strerror(errno));
    self->port = ntohs(address.sin_port);
    if (pthread_create(&self->thread, NULL, test_serve, self) != 0)
        g_error("no thread");
    return self;
}

static inline void test_server_stop(TestServer *self)
{
    eventfd_write(self->stop_fd, 1);
    pthread_join(self->thread, NULL);
    for (guint i = 0; i < self->threads->len; i++)
        pthread_join(g_array_index(self->threads, pthread_t, i), NULL);
    close(self->fd);
    close(self->stop_fd);
    g_ptr_array_unref(self->requests);
    g_array_unref(self->threads);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

/* Caller frees. */
static inline char *test_server_url(const TestServer *self, const char *path)
{
    return g_strdup_printf("http://127.0.0.1:%u%s", self->port, path);
}

static inline unsigned test_server_count(TestServer *self, unsigned *counter)
{
    pthread_mutex_lock(&self->lock);
    unsigned count = *counter;
    pthread_mutex_unlock(&self->lock);
    return count;
}

/* The n-th request, from 1. Copy; caller frees. */
static inline char *test_server_request(TestServer *self, unsigned number)
{
    pthread_mutex_lock(&self->lock);
    char *request = NULL;
    if (number >= 1 && number <= self->requests->len)
        request = g_strdup(g_ptr_array_index(self->requests, number - 1));
    pthread_mutex_unlock(&self->lock);
    return request;
}
