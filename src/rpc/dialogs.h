/*
 * Questions of the conversation as dialogs of the client: the extension UI sub-protocol
 * (agent-core §6.4), as far as kedge itself asks.
 *
 * A question goes out as `confirm`, one with options as `select`, one for a text as `editor`; its
 * answer comes back as `extension_ui_response`. One that is no longer wanted is withdrawn with
 * `cancel`.
 */
#pragma once

#include "rpc/link.h"

/* True: the event was a question, or the end of one, and the client was told in its own form. */
bool rpc_dialogs_event(RpcLink *link, const json_t *event);

/* The session's name, for a client that shows it; nothing comes back. */
void rpc_dialogs_set_title(RpcLink *link, const char *title);

/* An `extension_ui_response`. One that fits no open question is passed over: it came too late. */
void rpc_dialogs_answer(RpcLink *link, const json_t *response);
