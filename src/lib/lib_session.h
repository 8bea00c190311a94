/*
 * A conversation of libkedge: an AgentSession on a thread of its own, and calls that come to it
 * from any thread.
 *
 * A call is a function that runs on the conversation's thread. It may begin something whose end an
 * event tells; whoever made the call waits for that, unless it is one of the functions that the
 * conversation itself calls, which never wait for it.
 */
#pragma once

#include "conversation/agent_session.h"
#include "lib/kedge.h"

#define LIB_OWN_ID "kedge:" // what the ids of our commands begin with

typedef struct LibCall LibCall; // on the stack of who makes it
struct LibCall {
    /* On the conversation's thread. */
    bool (*run)(kedge_session *self, LibCall *call, GError **error);
    const void *args;
    const char *id;     // of a command that run() begins; NULL: one of ours is made
    json_t *data;       // what it gives; NULL: nothing
    bool is_pending;    // set by run(): command_end with `own_id` will finish it
    bool waits_idle;    // set by run(): it is finished when nothing runs any more
    bool needs_wait;    // it makes no sense where nothing may wait
    bool is_begun;      // nobody waits: what is pending is told by events only
    int64_t timeout_ms; // of waits_idle; below 0: none

    kedge_session *session; // private from here
    char *own_id;
    bool may_wait, is_done;
    kedge_code code;
    GError *error;
    LoopSource *timer;
};

/* Any thread. `call->data` is the caller's, also after a failure. */
kedge_code lib_call(kedge_session *self, LibCall *call, kedge_error **ret_error);

/* Around what makes several calls: kedge_session_free() waits for it, too. NULL is allowed. */
void lib_session_hold(kedge_session *self);
void lib_session_release(kedge_session *self);

/* For run(), and other functions on the conversation's thread. */
AgentSession *lib_session_agent(kedge_session *self);
GPtrArray *lib_session_subscribers(kedge_session *self); // of what lib_talk.c puts there; borrowed
unsigned lib_session_next_number(kedge_session *self);

/* Between these the calling thread is in a tool of the caller. */
void lib_session_enter(kedge_session *self);
void lib_session_leave(kedge_session *self);
