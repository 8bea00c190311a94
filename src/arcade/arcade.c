/*
 * Starting and ending the server: sockets, the thread that accepts, and libmicrohttpd, which gets
 * each accepted connection and serves it on a thread of its own (arcade.h).
 */
#include "arcade/arcade.h"

#include "arcade/server.h"
#include "arcade/stream.h"
#include "base/fd.h"
#include "base/worker.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
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
    Fd room_fd; // readable when a connection has ended
    pthread_mutex_t lock;
    unsigned connections; // guarded by lock
} Service;

/* ::1 only, also where one socket could serve both families. */
static bool prepare_socket(int fd, int family)
{
    int on = 1;
    // a port whose last connections wait for their end may be used again
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           (family != AF_INET6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0);
}

/* -1 with errno. */
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
        if (ipv6 < 0 && errno == EADDRINUSE) { // localhost would be somebody else
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

static bool has_room(Service *self)
{
    pthread_mutex_lock(&self->lock);
    bool has = self->connections < ARCADE_CONNECTIONS;
    pthread_mutex_unlock(&self->lock);
    return has;
}

static void change_connections(Service *self, int by)
{
    pthread_mutex_lock(&self->lock);
    self->connections = (unsigned)((int)self->connections + by);
    pthread_mutex_unlock(&self->lock);
}

static void on_connection(void *self_, struct MHD_Connection *connection G_GNUC_UNUSED,
                          void **data G_GNUC_UNUSED, enum MHD_ConnectionNotificationCode code)
{
    Service *self = self_;
    if (code != MHD_CONNECTION_NOTIFY_CLOSED)
        return; // it was counted when it was accepted
    change_connections(self, -1);
    eventfd_write(self->room_fd, 1);
}

static void accept_one(Service *self, int listener)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    int fd = accept4(listener, (struct sockaddr *)&address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
            cancel_sleep(self->arcade.cancel, OUT_OF_FDS_MS, NULL);
        return;
    }
    // libmicrohttpd takes it over on a thread of its own, later; it closes it also when it refuses
    change_connections(self, 1);
    if (mhd_api(NULL)->add_connection(self->daemon, fd, (struct sockaddr *)&address, size) !=
        MHD_YES)
        change_connections(self, -1);
}

/* With no room for more, connections wait in the kernel. */
static void accept_thread(void *self_)
{
    Service *self = self_;
    for (;;) {
        bool is_open = has_room(self);
        struct pollfd fds[] = {
            { .fd = self->room_fd, .events = POLLIN },
            { .fd = is_open ? self->listeners.fds[0] : -1, .events = POLLIN },
            { .fd = is_open ? self->listeners.fds[1] : -1, .events = POLLIN },
        };
        cancel_poll(self->arcade.cancel, fds, G_N_ELEMENTS(fds), -1);
        eventfd_t count;
        if (cancel_has_fired(self->arcade.cancel))
            return;
        if (fds[0].revents)
            eventfd_read(self->room_fd, &count);
        for (size_t i = 1; i < G_N_ELEMENTS(fds); i++)
            if (fds[i].revents && has_room(self))
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
    self->room_fd = -1;
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

/* The database is opened once before anybody asks, so that what is wrong with it is said here. */
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
    self->room_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->room_fd < 0)
        return fail_with_errno(error, errno, "no event descriptor");
    if (!check_store(self->arcade.store, self->arcade.cancel, error) ||
        !listeners_open(spec->port, &self->listeners, &self->port, error) ||
        !guard_new(self->port, spec->token, &self->arcade.guard, error) ||
        !hub_start(self->arcade.store, &self->arcade.hub, error) ||
        !start_daemon(self, spec->idle_seconds, error))
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
    guard_free(arcade->guard);
    cancel_unref(arcade->cancel);
    for (size_t i = 0; i < G_N_ELEMENTS(self->listeners.fds); i++)
        fd_close(self->listeners.fds[i]);
    fd_close(self->room_fd);
    pthread_mutex_destroy(&self->lock);
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
