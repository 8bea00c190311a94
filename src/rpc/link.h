/*
 * What the parts of the RPC door share: the loop, the conversation, and the way to the client.
 *
 * Belongs to the loop's thread.
 */
#pragma once

#include "base/line_server.h"
#include "conversation/agent_session.h"

typedef struct RpcLink {
    LineServer line; // first
    AgentSession *session;
    Subscription *subscription; // ours to the session's events
    struct RpcLogins *logins;
} RpcLink;

/* One line; takes `message`. Nothing when the link is closed. While much waits for a slow reader,
   the events are held back. */
void rpc_link_send(RpcLink *self, json_t *message);
/* Some of what waited was written. */
void rpc_link_written(RpcLink *self);

/* The answer to a command: `id` as it was given (NULL: none), `data` (taken) may be NULL; failed
   when `problem` is given. */
void rpc_link_respond(RpcLink *self, const json_t *id, const char *command, json_t *data,
                      const char *problem);
