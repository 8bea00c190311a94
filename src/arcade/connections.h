/*
 * Who holds a connection (agent-tools-cli §5.5 rule 7). One that has not shown the token has a time
 * limit, whatever it sends, and there are few of them, so that no one without the token can keep
 * the person out. Thread safe; a `fd` is one from its admission to connections_end().
 *
 * Where all those are taken, a new connection waits in the hall, a moment and not many of them,
 * until its request can be seen: with the token, or for a page, it comes in; else it gets a 503.
 * When the hall is full, too, the one that has waited there the longest goes, since whoever has the
 * token has sent it at once: a flood of half-sent requests does not keep the person out.
 */
#pragma once

#include "arcade/guard.h"

#define CONNECTIONS_STRANGERS 16 // that have not shown the token
#define CONNECTIONS_KNOWN     64 // that have
#define CONNECTIONS_HALL      512
#define CONNECTIONS_TIME_MS   (10 * 1000) // for a request with the token, or for a page
#define CONNECTIONS_HALL_MS   1000
#define CONNECTIONS_LOOK_MS   20 // how often the hall is looked at

typedef struct Connections Connections;

/* `time_ms` 0: CONNECTIONS_TIME_MS. `guard` is borrowed. */
Connections *connections_new(const Guard *guard, int64_t time_ms);
void connections_free(Connections *self);

typedef enum {
    CONNECTION_ADMITTED, // serve it
    CONNECTION_IN_HALL,  // the hall has it
    CONNECTION_REFUSED,  // no room: connections_refuse() it
} ConnectionVerdict;

/* A connection was accepted. *ret_gone (-1: none) had to leave the hall for it:
   connections_refuse() it. Call connections_look() for the hall before, so that none leaves that
   can come in. */
ConnectionVerdict connections_come(Connections *self, int fd, int64_t now_ms, int *ret_gone);
/* Of a new connection that waits, or of one that is too many: says 503 and closes. */
void connections_refuse(int fd);

/* Who is in the hall; returns how many. */
size_t connections_hall(Connections *self, int ret_fds[CONNECTIONS_HALL]);
/* Looks at one of the hall again; not CONNECTION_IN_HALL: it has left it. */
ConnectionVerdict connections_look(Connections *self, int fd, int64_t now_ms);

/* Shuts down the connections whose time is over; each ends then as if its client had left. Returns
   the milliseconds until it is to be called again; -1: when somebody comes. */
int connections_sweep(Connections *self, int64_t now_ms);

/* A request of the connection was read and has shown the token, or was for a page. */
void connections_know(Connections *self, int fd);
void connections_serve_page(Connections *self, int fd, int64_t now_ms);
void connections_end(Connections *self, int fd);
