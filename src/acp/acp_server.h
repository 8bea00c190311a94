/*
 * `kedge acp`: the Agent Client Protocol, with which editors drive an agent: JSON-RPC lines over
 * standard input and output, several sessions in one process. A door: it translates, and decides
 * nothing.
 *
 * Everything happens on the calling thread's loop; what takes time is the conversations'.
 */
#pragma once

#include "conversation/agent_session.h"

typedef struct AcpOpen { // what a session is to be; borrowed
    Loop *loop;
    Cancel *cancel;
    const char *cwd;        // absolute
    const char *session_id; // to go on with; NULL: a new one
} AcpOpen;

typedef struct AcpOptions {
    /* Makes a conversation; the door that can ask is set up by it. NULL with an error. *ret_notice
       is NULL before: what a person should know (the conversation is a copy), for the caller. */
    AgentSession *(*open)(const AcpOpen *open, void *user_data, char **ret_notice, GError **error);
    void *user_data;
} AcpOptions;

/* Serves until the input ends (0), nobody reads the output any more (0), or a signal comes (129,
   130, 143). Standard input and output are taken over for good (line_channel.h). */
bool acp_serve(const AcpOptions *options, int *ret_exit_code, GError **error);
