/*
 * What the parts of the ACP door share: the loop and the way to the editor. Belongs to the loop's
 * thread.
 */
#pragma once

#include "base/json.h"
#include "base/line_channel.h"

typedef struct AcpLink {
    Loop *loop;
    LineChannel *channel;
    bool is_closed;                  // nothing is sent any more
    void (*on_broken)(void *server); // the editor cannot be told anything any more: posted
    void *server;
} AcpLink;

/* One JSON-RPC message; takes it. */
void acp_link_send(AcpLink *self, json_t *message);
