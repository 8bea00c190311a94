/*
 * Starting and ending the server: sockets, the thread that accepts, and libmicrohttpd, which gets
 * each accepted connection and serves it on a thread of its own (arcade.h).
 */
#include "arcade/arcade.h"

#include "arcade/server.h"
#include "arcade/stream.h"
#include "base/fd.h"
#include "base/timefmt.h"
#include "base/worker.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define BACKLOG         64
#define FREE_PORT_TRIES 16
#define CONNECTION_MEMORY                                                                          \
    ((size_t)64 * 1024)    // more than REQUEST_HEADER_BYTES, so that we refuse first
#define NEVER_REACHED 1024 // libmicrohttpd 0.9.75 locks up at its own limit of connections
#define OUT_OF_FDS_MS 100

/* The two ways to this machine itself; -1: there is no ::1. */
typedef struct Listeners {
    int fds[2];
} Listeners;

typedef struct Service { // the whole; routes see only the first part
    struct Arcade arcade;
    Listeners listeners;
    unsigned port;
    struct MHD_Daemon *daemon;
    Worker *acceptor;
} Service;

/* ::1 only, also where one socket could serve both families. */
static bool prepare_socket(int fd, int family)
{
    int on = 1;
    // a port whose last connections wait for their end may be used again
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           (family != AF_INET6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0);
}

/* A socket that listens, or -1 with errno. */
static int listen_on(const struct sockaddr *address, socklen_t size)
{
    g_auto(Fd) fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || !prepare_socket(fd, address->sa_family) || bind(fd, address, size) != 0 ||
        listen(fd, BACKLOG) != 0)
        return -1;
    return fd_steal(&fd);
}

static int listen_on_ipv4(unsigned port)
{
    const struct sockaddr_in address = { .sin_family = AF_INET,
                                         .sin_port = htons((uint16_t)port),
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    return listen_on((const struct sockaddr *)&address, sizeof(address));
}

static int listen_on_ipv6(unsigned port)
{
    const struct sockaddr_in6 address = { .sin6_family = AF_INET6,
                                          .sin6_port = htons((uint16_t)port),
                                          .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    return listen_on((const struct sockaddr *)&address, sizeof(address));
}

static unsigned port_of(int fd)
{
    struct sockaddr_in address = { 0 };
    socklen_t size = sizeof(address);
    return getsockname(fd, (struct sockaddr *)&address, &size) == 0 ? ntohs(address.sin_port) : 0;
}

static bool fail_to_listen(int saved_errno, unsigned port, GError **error)
{
    if (saved_errno == EADDRINUSE)
        return fail_with(error, KEDGE_ERROR_DENIED, "port %u is in use", port);
    return fail_with_errno(error, saved_errno, "cannot listen on port %u", port);
}

/* Both families on one port; `port` 0: one that is free in both. */
static bool listeners_open(unsigned port, Listeners *ret_listeners, unsigned *ret_port,
                           GError **error)
{
    for (int tries = 0; tries < FREE_PORT_TRIES; tries++) {
        g_auto(Fd) ipv4 = listen_on_ipv4(port);
        if (ipv4 < 0)
            return fail_to_listen(errno, port, error);
        unsigned bound = port_of(ipv4);
        int ipv6 = listen_on_ipv6(bound);
        if (ipv6 < 0 && errno == EADDRINUSE) { // "localhost" would reach another program
            if (port == 0)
                continue;
            return fail_to_listen(EADDRINUSE, port, error);
        }
        *ret_listeners = (Listeners) { { fd_steal(&ipv4), ipv6 } };
        *ret_port = bound;
        return true;
    }
    return fail_with(error, KEDGE_ERROR_IO, "no port is free on both 127.0.0.1 and ::1");
}

static int fd_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        mhd_api(NULL)->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* It is not closed yet: the number is still this connection's. */
static void on_connection(void *self_, struct MHD_Connection *connection, void **data G_GNUC_UNUSED,
                          enum MHD_ConnectionNotificationCode code)
{
    Service *self = self_;
    if (code != MHD_CONNECTION_NOTIFY_CLOSED)
        return; // it was counted when it was accepted
    connections_end(self->arcade.connections, fd_of(connection));
}

/* libmicrohttpd takes it over on a thread of its own, later; it closes it also when it refuses. */
static void service_serve(Service *self, int fd)
{
    struct sockaddr_storage address = { 0 };
    socklen_t size = sizeof(address);
    getpeername(fd, (struct sockaddr *)&address, &size);
    if (mhd_api(NULL)->add_connection(self->daemon, fd, (struct sockaddr *)&address, size) !=
        MHD_YES)
        connections_end(self->arcade.connections, fd);
}

static void act_on(Service *self, int fd, ConnectionVerdict verdict)
{
    if (verdict == CONNECTION_ADMITTED)
        service_serve(self, fd);
    else if (verdict == CONNECTION_REFUSED)
        connections_refuse(fd);
}

/* Often its request is there already, and it need not wait in the hall (connections.h). */
static void take_one(Service *self, int fd)
{
    int gone = -1;
    int64_t now_ms = time_monotonic_ms();
    ConnectionVerdict verdict = connections_come(self->arcade.connections, fd, now_ms, &gone);
    if (verdict == CONNECTION_IN_HALL)
        verdict = connections_look(self->arcade.connections, fd, now_ms);
    act_on(self, fd, verdict);
    if (gone >= 0)
        connections_refuse(gone);
}

static void accept_one(Service *self, int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0)
        take_one(self, fd);
    else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
        cancel_sleep(self->arcade.cancel, OUT_OF_FDS_MS, NULL);
}

static void look_at_hall(Service *self)
{
    int waiting[CONNECTIONS_HALL];
    size_t count = connections_hall(self->arcade.connections, waiting);
    for (size_t i = 0; i < count; i++)
        act_on(self, waiting[i],
               connections_look(self->arcade.connections, waiting[i], time_monotonic_ms()));
}

static void accept_thread(void *self_)
{
    Service *self = self_;
    for (;;) {
        struct pollfd fds[] = {
            { .fd = self->listeners.fds[0], .events = POLLIN },
            { .fd = self->listeners.fds[1], .events = POLLIN },
        };
        int wait_ms = connections_sweep(self->arcade.connections, time_monotonic_ms());
        cancel_poll(self->arcade.cancel, fds, G_N_ELEMENTS(fds), wait_ms);
        if (cancel_has_fired(self->arcade.cancel))
            return;
        look_at_hall(self);
        for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
            if (fds[i].revents)
                accept_one(self, fds[i].fd);
    }
}

static bool start_daemon(Service *self, unsigned idle_seconds, GError **error)
{
    const MhdApi *mhd = mhd_api(error);
    if (!mhd)
        return false;
    self->daemon = mhd->start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
            MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC,
        0, NULL, NULL, serve_request, &self->arcade, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)NEVER_REACHED, MHD_OPTION_CONNECTION_TIMEOUT,
        idle_seconds ? idle_seconds : (unsigned)ARCADE_IDLE_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_NOTIFY_COMPLETED,
        serve_completed, &self->arcade, MHD_OPTION_NOTIFY_CONNECTION, on_connection, self,
        MHD_OPTION_UNESCAPE_CALLBACK, serve_unescape, NULL, MHD_OPTION_END);
    return self->daemon || fail_with(error, KEDGE_ERROR_IO, "libmicrohttpd does not start");
}

static Service *service_new(const ArcadeSpec *spec, const char *database)
{
    Service *self = g_new0(Service, 1);
    self->arcade.cwd = g_strdup(spec->cwd);
    self->arcade.comment_ms = spec->comment_ms > 0 ? spec->comment_ms : STREAM_COMMENT_MS;
    self->arcade.store = store_new(database);
    self->arcade.cancel = cancel_new(NULL);
    self->listeners = (Listeners) { { -1, -1 } };
    return self;
}

/* The database is opened once before the first request, so that what is wrong with it is reported
   here. */
static bool check_store(Store *store, Cancel *cancel, GError **error)
{
    Db *db = NULL;
    if (!store_take(store, cancel, &db, error))
        return false;
    store_give(store, db);
    return true;
}

static bool service_start(Service *self, const ArcadeSpec *spec, GError **error)
{
    if (!check_store(self->arcade.store, self->arcade.cancel, error) ||
        !listeners_open(spec->port, &self->listeners, &self->port, error) ||
        !guard_new(self->port, spec->token, &self->arcade.guard, error) ||
        !hub_start(self->arcade.store, &self->arcade.hub, error))
        return false;
    self->arcade.connections = connections_new(self->arcade.guard, spec->first_request_ms);
    if (!start_daemon(self, spec->idle_seconds, error))
        return false;
    self->acceptor = worker_start("arcade-accept", accept_thread, self);
    return self->acceptor || fail_with_errno(error, errno, "cannot start a thread for the server");
}

static Service *service_of(const Arcade *arcade)
{
    return (Service *)arcade; // its first member
}

bool arcade_start(const ArcadeSpec *spec, Arcade **ret_arcade, GError **error)
{
    g_autofree char *own_path = spec->database ? NULL : state_path();
    Service *self = service_new(spec, spec->database ? spec->database : own_path);
    if (!service_start(self, spec, error)) {
        arcade_stop(&self->arcade);
        return false;
    }
    *ret_arcade = &self->arcade;
    return true;
}

void arcade_stop(Arcade *arcade)
{
    if (!arcade)
        return;
    Service *self = service_of(arcade);
    cancel_fire(arcade->cancel); // streams end
    worker_join(self->acceptor);
    if (arcade->hub)
        hub_stop(arcade->hub);
    if (self->daemon)
        mhd_api(NULL)->stop_daemon(self->daemon); // waits for the connections' threads
    hub_free(arcade->hub);
    store_free(arcade->store);
    connections_free(arcade->connections);
    guard_free(arcade->guard);
    cancel_unref(arcade->cancel);
    for (size_t i = 0; i < G_N_ELEMENTS(self->listeners.fds); i++)
        fd_close(self->listeners.fds[i]);
    g_free(arcade->cwd);
    g_free(self);
}

unsigned arcade_port(const Arcade *arcade)
{
    return service_of(arcade)->port;
}

const char *arcade_token(const Arcade *arcade)
{
    return guard_token(arcade->guard);
}
