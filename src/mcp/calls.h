/*
 * tools/call: each call on a worker of its own, started as tool/schedule.h says, its progress and
 * its answer posted to the main thread, which everything here belongs to.
 */
#pragma once

#include "base/line_server.h"
#include "tool/call.h"
#include "tool/tool_set.h"

typedef struct McpCalls McpCalls;

typedef struct McpCallsSpec { // all borrowed
    LineServer *link;
    const ToolSet *tools; // those that can be called
    const ToolDoor *door;
    /* What the calls share, made when the first one starts. */
    ToolContext *(*context)(void *user_data);
    void *user_data;
} McpCallsSpec;

McpCalls *mcp_calls_new(const McpCallsSpec *spec);
void mcp_calls_free(McpCalls *self); // waits for those that run
G_DEFINE_AUTOPTR_CLEANUP_FUNC(McpCalls, mcp_calls_free)

void mcp_calls_receive(McpCalls *self, const json_t *id, const json_t *params);
void mcp_calls_cancel(McpCalls *self, const json_t *request_id);
void mcp_calls_cancel_all(McpCalls *self);

/* While held, calls wait. */
void mcp_calls_hold(McpCalls *self, bool is_held);
/* Starts what can run now. */
void mcp_calls_start(McpCalls *self);

bool mcp_calls_are_running(const McpCalls *self);
bool mcp_calls_are_waiting(const McpCalls *self);
