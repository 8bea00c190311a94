/*
 * Tools of the client: the model calls them, the client carries them out (agent-core §6.5).
 *
 * A call goes out as `host_tool_call` and waits on its worker; `host_tool_update` and
 * `host_tool_result` come back with its id. One that is no longer wanted is withdrawn with
 * `host_tool_cancel`. Calls are made on workers, everything else belongs to the loop's thread.
 */
#pragma once

#include "rpc/link.h"

typedef struct HostTools HostTools;

/* The link is borrowed. Outlives the link's session. */
HostTools *host_tools_new(RpcLink *link);
void host_tools_free(HostTools *self);

/* Replaces the client's tools by `definitions`: [{"name","label","description","parameters"}].
 *ret_names: their names, a new array. USAGE leaves the old ones. */
bool host_tools_set(HostTools *self, const json_t *definitions, json_t **ret_names, GError **error);

/* Frames of the client; those that fit no open call are passed over. */
void host_tools_update(HostTools *self, const json_t *frame);
void host_tools_result(HostTools *self, const json_t *frame);

/* The client is gone: calls fail, those that are open and those to come. */
void host_tools_disconnect(HostTools *self);
