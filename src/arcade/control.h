/*
 * One server per database (agent-tools-cli §5.3): starting one, or finding the one that runs;
 * replacing one that is of no use; ending it. Blocks; used by one thread.
 *
 * Who starts, replaces or ends holds a lock on the database's directory. The server that
 * arcade.json names is known by its process (record.h); a process that is not it is never touched,
 * and neither is whatever else has the port.
 */
#pragma once

#include "arcade/arcade.h"
#include "base/cancel.h"

typedef enum { CONTROL_STARTED, CONTROL_REUSED, CONTROL_REPLACED } ControlKind;

typedef struct ControlWish {
    const char *database; // NULL: state_path()
    const char *cwd;
    bool has_port;
    unsigned port;   // with has_port; otherwise that of the server before, else ARCADE_PORT
    bool is_restart; // a server that runs well is ended, too
} ControlWish;

typedef struct ControlServer {
    ControlKind kind;
    const char *reason; // of CONTROL_REPLACED; constant
    unsigned port;
    char *token;
    char *record;   // path of arcade.json
    Arcade *arcade; // NULL when reused
} ControlServer;

/* Ends the server when it is ours, and removes its record. */
void control_server_clear(ControlServer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ControlServer, control_server_clear)

/* DENIED with a text for a person when the port is taken. */
bool control_start(const ControlWish *wish, Cancel *cancel, ControlServer *ret_server,
                   GError **error);

typedef enum { CONTROL_NONE, CONTROL_RUNS, CONTROL_HANGS } ControlState;

typedef struct ControlStatus {
    ControlState state;
    int64_t pid;
    unsigned port;
    char *version, *token;
} ControlStatus;

void control_status_clear(ControlStatus *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ControlStatus, control_status_clear)

void control_status(const char *database, ControlStatus *ret_status);

/* *ret_status is what was there before: CONTROL_NONE when there was nothing to end. */
bool control_stop(const char *database, Cancel *cancel, ControlStatus *ret_status, GError **error);
