/*
 * Between a command and the conversation it belongs to (gh_door.h): lines of JSON over the socket.
 *
 *   the command       {"args":[…],"cwd","repo"?,"host"?,"own"?}
 *   the conversation  {"path","args":[…],"host"?,"repo"?}: run this, then say how it ended; or
 *                     {"own":true}: run what PATH has next; or {"text","status"}: print it and end
 *   the command       {"status","signal"}
 *
 * One thread at a time.
 */
#pragma once

#include "base/cancel.h"
#include "base/fd.h"
#include "base/json.h"

#include <sys/un.h>

#define GH_DOOR_SOCKET      "door"        // beside the link
#define GH_DOOR_REST        "no-gh"       // the name of the folder whose gh refuses
#define GH_DOOR_LINE_BYTES  (1024 * 1024) // of each line
#define GH_DOOR_PATIENCE_MS 10000 // with a command that has to say what it wants, or to read
#define GH_DOOR_OWN         "KEDGE_GH_OWN" // in the environment of a person's own command

typedef struct GhDoorLink {
    Fd fd;
    GString *rest; // what was read beyond a line
    // of the conversation's end
    Cancel *over; // fires when gh runs, or will not: no one watches whether the command has gone
    bool has_run;
} GhDoorLink;

/* False: the name is too long for one. */
bool gh_door_link_address(const char *dir, const char *name, struct sockaddr_un *ret_address);

/* *ret_line NULL: the other end has gone. False: cancelled, too late, too long, or no JSON. */
bool gh_door_link_read(GhDoorLink *self, Cancel *cancel, int64_t timeout_ms, json_t **ret_line,
                       GError **error);
/* No SIGPIPE, which is gh's. False: the other end has gone, or does not read. */
bool gh_door_link_send(GhDoorLink *self, const json_t *value, Cancel *cancel, int64_t timeout_ms);
/* Hands the words over, and waits for the end of what the command runs. False: it has gone, or
   `cancel` fired; *ret_signal is 0 unless a signal ended gh. */
bool gh_door_link_run(GhDoorLink *self, const json_t *order, Cancel *cancel, int *ret_status,
                      int *ret_signal, GError **error);
