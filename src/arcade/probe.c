/*
 * One request to a server of this machine (probe.h).
 */
#include "arcade/probe.h"

#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#define PROBE_MS           2000
#define PROBE_ANSWER_BYTES ((size_t)64 * 1024)

static bool wait_until(int fd, short events, gint64 deadline)
{
    struct pollfd poll_fd = { .fd = fd, .events = events };
    gint64 left = deadline - time_monotonic_ms();
    return left > 0 && poll(&poll_fd, 1, (int)left) > 0;
}

/* -1 when no one listens. */
static int connect_to(unsigned port, gint64 deadline)
{
    const struct sockaddr_in address = { .sin_family = AF_INET,
                                         .sin_port = htons((uint16_t)port),
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    g_auto(Fd) fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 &&
        (errno != EINPROGRESS || !wait_until(fd, POLLOUT, deadline)))
        return -1;
    int problem = 0;
    socklen_t size = sizeof(problem);
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0 || problem != 0)
        return -1;
    return fd_steal(&fd);
}

/* The whole answer, up to the end of the connection; NULL when there is none. Caller frees. */
static char *ask(unsigned port, const char *request)
{
    gint64 deadline = time_monotonic_ms() + PROBE_MS;
    g_auto(Fd) fd = connect_to(port, deadline);
    size_t size = strlen(request); // so short that the kernel takes it at once
    if (fd < 0 || send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size)
        return NULL;
    g_autoptr(GString) answer = g_string_new(NULL);
    while (answer->len < PROBE_ANSWER_BYTES && wait_until(fd, POLLIN, deadline)) {
        char buffer[4096];
        ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
        if (got < 0)
            return NULL;
        if (got == 0)
            return g_strndup(answer->str, answer->len);
        g_string_append_len(answer, buffer, got);
    }
    return NULL;
}

/* The body of a good answer (in HTTP/1.0 it is not chunked); NULL for another. Caller frees. */
static char *get(unsigned port, const char *path, const char *token)
{
    g_autoptr(GString) request = g_string_new(NULL);
    g_string_printf(request, "GET %s HTTP/1.0\r\nHost: 127.0.0.1:%u\r\n", path, port);
    if (token)
        g_string_append_printf(request, "Authorization: Bearer %s\r\n", token);
    g_string_append(request, "\r\n");
    g_autofree char *answer = ask(port, request->str);
    const char *body = answer ? strstr(answer, "\r\n\r\n") : NULL;
    bool is_good = body && str_has_prefix(answer, "HTTP/1.") && strncmp(answer + 8, " 200", 4) == 0;
    return is_good ? g_strdup(body + 4) : NULL;
}

bool probe_is_arcade(unsigned port, char **ret_version)
{
    g_autofree char *body = get(port, "/api/v1/health", NULL);
    g_autoptr(json_t) health = NULL;
    if (!body || !json_parse_text(body, &health, NULL) ||
        g_strcmp0(json_get_text(health, "app"), "kedge-arcade") != 0)
        return false;
    if (ret_version)
        *ret_version = g_strdup(json_get_text(health, "version"));
    return true;
}

bool probe_takes_token(unsigned port, const char *token)
{
    g_autofree char *body = get(port, "/api/v1/runs?limit=1", token);
    return body != NULL;
}
