/*
 * `--mode rpc`: a conversation for another program, lines of JSON over standard input and output,
 * or over descriptors (agent-core §6.2 to §6.6). A door: it translates commands and events, and
 * decides nothing.
 *
 * Everything happens on the calling thread's loop; what takes time is the conversation's.
 */
#pragma once

#include "base/fd.h"
#include "conversation/agent_session.h"

typedef struct RpcOptions {
    const AgentSessionOptions *conversation; // borrowed; loop, cancel and can_ask are the door's
    bool emits_titles; // the client shows the session's name: setTitle requests
    bool waits_on_eof; // what runs when the input ends may come to its end first
    bool is_guest;     // in a program that is not ours: signals and its other children are left
                       // alone, and these two (taken) are in place of the standard streams
    Fd input, output;
} RpcOptions;

/* Serves until the input ends (0), nobody reads the output any more (0), or a signal comes (130,
   143). Standard input and output are taken over for good (line_channel.h). */
bool rpc_serve(const RpcOptions *options, int *ret_exit_code, GError **error);
