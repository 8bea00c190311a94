/*
 * Arcade: the local page on which a person reviews the artifacts of runs (agent-tools-cli
 * §5.3–5.7). This is its server; what it answers is in routes.h.
 *
 * It listens on 127.0.0.1 and, where there is one, ::1, on one port, and nowhere else. Each
 * connection is served by a thread of its own; one more thread accepts, one watches the database
 * and the artifacts' files while somebody listens (hub.h). It never starts a program.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

#define ARCADE_PORT 7710 // unless another is asked for

typedef struct Arcade Arcade;

typedef struct ArcadeSpec { // all borrowed
    const char *database;   // of the agent tools (agenttools/state.h); made when absent
    const char *cwd;   // where workflow definitions are looked for, unless the run has a project
    const char *token; // NULL: a new one. A server that takes another's place keeps its token, so
                       // that open pages go on
    unsigned port;     // 0: a free one
    int64_t first_request_ms; // for a connection to show the token; 0: 10 s
    unsigned idle_seconds;    // 0: 60
    int64_t comment_ms;       // between the comments of a quiet stream; 0: 15 s
} ArcadeSpec;

/* Serves from now on. DENIED: the port is taken; NOT_FOUND: libmicrohttpd is not installed; else
   the errors of state_open(). */
bool arcade_start(const ArcadeSpec *spec, Arcade **ret_arcade, GError **error);
/* Ends all connections, waits for their threads, and frees. NULL is allowed. */
void arcade_stop(Arcade *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Arcade, arcade_stop)

unsigned arcade_port(const Arcade *self);
const char *arcade_token(const Arcade *self); // borrowed
