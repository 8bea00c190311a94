/*
 * What the files of the MCP server share: the server's state, on the main thread, and its calls.
 */
#pragma once

#include "base/line_channel.h"
#include "mcp/server.h"

typedef struct McpServer McpServer;
typedef struct McpCall McpCall;

struct McpServer {
    const McpServerOptions *options;
    Loop *loop;
    int exit_code;
    LineChannel *channel; // standard input and output, moved out of the way of everything else

    const char *protocol; // agreed version
    bool can_elicit;
    bool has_roots;
    bool is_waiting_for_roots;
    LoopSource *roots_timer;
    char *client_root; // path of the first file:// root, or NULL

    Settings *settings; // made with the context, at the first call
    ToolContext *context;
    ToolDoor door;
    GHashTable *calls;         // id as JSON text → McpCall, those running or waiting
    GQueue *waiting;           // McpCall, in order of arrival
    unsigned running;          // calls on workers
    bool is_exclusive_running; // at most one exclusive call at a time
    int64_t next_id;           // of our own requests
    GHashTable *questions;     // our request id → Elicitation
    bool is_draining;          // input ended: what was asked is still answered
    bool is_closing;           // calls are cancelled, nothing is sent; ends when none is left
};

/* One line to the client, which never blocks: what it does not take waits. Takes the
   reference. Main thread. */
void mcp_server_send(McpServer *self, json_t *message);
/* The client has not read much of what it got: nothing more is begun, no progress told. */
bool mcp_server_is_full(const McpServer *self);
/* Ends the loop once nothing runs any more. */
void mcp_server_check_end(McpServer *self);

/* tools/list (server_tools.c). New reference. */
json_t *mcp_tools_list(const McpServer *self);
const ToolDef *mcp_tools_find(const McpServer *self, const char *name);

/* tools/call (server_call.c). */
void mcp_call_receive(McpServer *self, const json_t *id, const json_t *params);
void mcp_call_cancel(McpServer *self, const json_t *request_id);
void mcp_call_cancel_all(McpServer *self);
/* Takes ownership of its values. */
GHashTable *mcp_calls_new(void);
/* Starts what can run now. */
void mcp_call_start_waiting(McpServer *self);

/* Approval (server_ask.c): the ToolDoor's ask, on a worker; and the client's answer, on the main
 * thread. */
bool mcp_ask(const ToolQuestion *question, Cancel *cancel, bool *ret_approved, void *user_data,
             GError **error);
void mcp_ask_answer(McpServer *self, const json_t *response);
/* Nobody will answer any more: lets go of those who wait. */
void mcp_ask_give_up(McpServer *self);
void mcp_elicitation_unref(void *elicitation);
