/*
 * `kedge mcp`: the tools of kedge for any MCP client, over standard input and output
 * (common §4.5).
 *
 * The main thread reads, dispatches and writes; every tools/call runs on a worker through
 * tool_call(), and answers through the loop. Approval is asked of the client by elicitation when it
 * can.
 */
#pragma once

#include "tool/call.h"
#include "tool/hook.h"
#include "tool/tool_set.h"

typedef struct McpServerOptions { // all borrowed
    const ToolSet *tools;         // those to offer
    const ContextTables *tables;  // for every call; NULL: none
    const char *agent_dir;
    const char *cwd;   // --cwd; NULL: the client's first file:// root, else ours
    bool is_read_only; // calls that are no read are refused
    bool allow_writes;
} McpServerOptions;

/* Serves until standard input ends (0) or a signal comes (130, 143). Standard input and output are
   taken over for good (line_channel.h). */
bool mcp_serve(const McpServerOptions *options, int *ret_exit_code, GError **error);
