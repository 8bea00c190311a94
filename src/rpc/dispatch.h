/*
 * Commands of an RPC client, and their answers (agent-core §6.2, §6.3).
 *
 * The commands are those of the conversation (conversation/session_commands.h) and a few of the
 * door's own (rpc_door_commands()). They are carried out one at a time in order of arrival: while
 * one takes its time, the others wait, except those that are urgent. A prompt does not take its
 * time: it is acknowledged at once, and its end is `agent_end`.
 *
 * Belongs to the loop's thread.
 */
#pragma once

#include "conversation/session_commands.h"
#include "rpc/door_commands.h"

typedef struct RpcDispatch RpcDispatch;

/* Both are borrowed. */
RpcDispatch *rpc_dispatch_new(RpcLink *link, HostTools *tools);
void rpc_dispatch_free(RpcDispatch *self);

/* One line of the client. */
void rpc_dispatch_line(RpcDispatch *self, const char *line, size_t size);
/* A line that was no command, whatever the reason. */
void rpc_dispatch_bad_line(RpcDispatch *self, const char *problem);
/* The event command_end. */
void rpc_dispatch_end(RpcDispatch *self, const json_t *event);

/* Commands that wait will not be carried out. */
void rpc_dispatch_drop_waiting(RpcDispatch *self);
/* The program cannot wait any longer: what is not answered is answered as a failure. */
void rpc_dispatch_give_up(RpcDispatch *self);
/* Nothing waits for its turn, and every answer but those of prompts was given. */
bool rpc_dispatch_is_idle(const RpcDispatch *self);
