/*
 * The server's end of the line to its client: JSON-RPC messages out, one a line, and whether any
 * may still be sent. Knows nothing of what the messages are about. Main thread.
 */
#pragma once

#include "base/json.h"
#include "base/line_channel.h"

typedef struct McpLink { // embedded in the server, which sets it up
    Loop *loop;
    LineChannel *channel; // standard input and output, moved out of the way of everything else
    bool is_draining;     // the input ended: nobody can be asked, what was asked is still answered
    bool is_closed;       // nothing is sent any more
    /* The client does not take what is sent. */
    void (*on_broken)(void *user_data);
    void *user_data;
} McpLink;

/* Never blocks: what the client does not take waits. Takes the reference. */
void mcp_link_send(McpLink *self, json_t *message);
/* The client has not read much of what it got: nothing more is begun, no progress told. */
bool mcp_link_is_full(const McpLink *self);
