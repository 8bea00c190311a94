/*
 * Starting, finding, replacing and ending the server (control.h).
 */
#include "arcade/control.h"

#include "agenttools/state.h"
#include "arcade/probe.h"
#include "arcade/record.h"
#include "base/fd.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#define LOCK_WAIT_MS 20000
#define LOCK_POLL_MS 50

void control_server_clear(ControlServer *self)
{
    int64_t started = 0;
    if (self->arcade) {
        arcade_stop(self->arcade);
        process_started(getpid(), &started);
        record_remove(self->record, getpid(), started);
        self->arcade = NULL;
    }
    g_clear_pointer(&self->token, g_free);
    g_clear_pointer(&self->record, g_free);
}

void control_status_clear(ControlStatus *self)
{
    g_clear_pointer(&self->version, g_free);
    g_clear_pointer(&self->token, g_free);
}

static char *database_or_own(const char *database)
{
    return database ? g_strdup(database) : state_path();
}

/* The lock goes with the descriptor. */
static bool lock_directory(const char *database, Cancel *cancel, int *ret_fd, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(database);
    if (!file_make_dirs(directory, 0700, error))
        return false;
    g_auto(Fd) fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail_with_errno(error, errno, "%s", directory);
    for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; waited += LOCK_POLL_MS) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail_with_errno(error, errno, "%s: cannot lock", directory);
        if (waited >= LOCK_WAIT_MS)
            return fail_with(error, KEDGE_ERROR_TIMEOUT,
                             "another kedge arcade has been starting for %d seconds",
                             LOCK_WAIT_MS / 1000);
        if (!cancel_sleep(cancel, LOCK_POLL_MS, error))
            return false;
    }
    *ret_fd = fd_steal(&fd);
    return true;
}

typedef enum { SERVER_GONE, SERVER_WELL, SERVER_OLD, SERVER_HANGS } ServerState;

static ServerState arcade_record_judge(const ArcadeRecord *record)
{
    g_autofree char *version = NULL;
    if (!process_is_alive(record))
        return SERVER_GONE;
    if (!probe_is_arcade(record->port, &version) || !probe_takes_token(record->port, record->token))
        return SERVER_HANGS;
    return g_strcmp0(version, KEDGE_VERSION) == 0 ? SERVER_WELL : SERVER_OLD;
}

static bool serves_another(const ArcadeRecord *record, const char *database)
{
    g_autofree char *name = g_path_get_basename(database);
    return record->database && strcmp(record->database, name) != 0 && process_is_alive(record);
}

static bool fail_port(unsigned port, GError **error)
{
    static const char advice[] = "Use a different port or stop the process occupying port";
    if (probe_is_arcade(port, NULL))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "Port %u is in use by the Arcade of another database.\n%s %u.", port,
                         advice, port);
    return fail_with(error, KEDGE_ERROR_DENIED, "Port %u is in use by a non-kedge process.\n%s %u.",
                     port, advice, port);
}

/* Serves, and says so in arcade.json. `before` (NULL: none) is the server whose place it takes. */
static bool control_wish_serve(const ControlWish *wish, const char *database,
                               const ArcadeRecord *before, ControlServer *server, GError **error)
{
    const ArcadeSpec spec = {
        .database = database,
        .cwd = wish->cwd,
        .token = before ? before->token : NULL,
        .port = wish->has_port ? wish->port
                : before       ? before->port
                               : ARCADE_PORT,
    };
    g_autoptr(GError) problem = NULL;
    if (!arcade_start(&spec, &server->arcade, &problem)) {
        if (error_is(problem, KEDGE_ERROR_DENIED))
            return fail_port(spec.port, error);
        return pass_error(error, &problem);
    }
    server->port = arcade_port(server->arcade);
    server->token = g_strdup(arcade_token(server->arcade));
    g_autofree char *name = g_path_get_basename(database);
    ArcadeRecord record = {
        .pid = getpid(),
        .port = server->port,
        .version = (char *)KEDGE_VERSION,
        .token = server->token,
        .database = name,
    };
    process_started(record.pid, &record.started);
    return record_write(server->record, &record, error);
}

static const char *reason_of(ServerState state)
{
    switch (state) {
    case SERVER_OLD:
        return "version mismatch";
    case SERVER_HANGS:
        return "unhealthy server";
    default:
        return "stale pid";
    }
}

/* The server that the record names: it stays (REUSED), or has ended when this returns. */
static bool control_wish_replace(const ControlWish *wish, const ArcadeRecord *record,
                                 ControlServer *server, GError **error)
{
    ServerState state = arcade_record_judge(record);
    if (state == SERVER_WELL && !wish->is_restart) {
        server->kind = CONTROL_REUSED;
        server->port = record->port;
        server->token = g_strdup(record->token);
        return true;
    }
    if (state != SERVER_WELL) {
        server->kind = CONTROL_REPLACED;
        server->reason = reason_of(state);
    }
    return process_end(record, error);
}

bool control_start(const ControlWish *wish, Cancel *cancel, ControlServer *ret_server,
                   GError **error)
{
    g_autofree char *database = database_or_own(wish->database);
    g_auto(Fd) lock = -1;
    if (!lock_directory(database, cancel, &lock, error))
        return false;
    g_auto(ControlServer) server = { .record = record_path(database) };
    g_auto(ArcadeRecord) before = { 0 };
    bool has_before = record_read(server.record, &before);
    if (has_before && serves_another(&before, database))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "The Arcade on port %u serves %s, another database of the same "
                         "directory; end it first.",
                         before.port, before.database);
    if (has_before && !control_wish_replace(wish, &before, &server, error))
        return false;
    if (server.kind != CONTROL_REUSED &&
        !control_wish_serve(wish, database, has_before ? &before : NULL, &server, error))
        return false;
    *ret_server = server;
    server = (ControlServer) { 0 };
    return true;
}

static void fill_status(const ArcadeRecord *record, ControlStatus *ret_status)
{
    ServerState state = arcade_record_judge(record);
    *ret_status = (ControlStatus) {
        .state = state == SERVER_GONE    ? CONTROL_NONE
                 : state == SERVER_HANGS ? CONTROL_HANGS
                                         : CONTROL_RUNS,
        .pid = record->pid,
        .port = record->port,
        .version = g_strdup(record->version),
        .token = g_strdup(record->token),
    };
}

void control_status(const char *database, ControlStatus *ret_status)
{
    g_autofree char *path_of_database = database_or_own(database);
    g_autofree char *path = record_path(path_of_database);
    g_auto(ArcadeRecord) record = { 0 };
    *ret_status = (ControlStatus) { 0 };
    if (record_read(path, &record))
        fill_status(&record, ret_status);
}

bool control_stop(const char *database, Cancel *cancel, ControlStatus *ret_status, GError **error)
{
    g_autofree char *path_of_database = database_or_own(database);
    g_autofree char *path = record_path(path_of_database);
    g_auto(ArcadeRecord) record = { 0 };
    g_auto(Fd) lock = -1;
    *ret_status = (ControlStatus) { 0 };
    if (!file_exists(path)) // also spares a directory that is not there yet
        return true;
    if (!lock_directory(path_of_database, cancel, &lock, error))
        return false;
    if (!record_read(path, &record)) {
        unlink(path);
        return true;
    }
    fill_status(&record, ret_status);
    if (!process_end(&record, error))
        return false;
    record_remove(path, record.pid, record.started);
    return true;
}
