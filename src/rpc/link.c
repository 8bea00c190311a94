/* See link.h. */
#include "rpc/link.h"

void rpc_link_send(RpcLink *self, json_t *message)
{
    line_server_send(&self->line, message);
    if (self->subscription && !self->line.is_closed && line_channel_is_full(self->line.channel))
        event_hub_hold(agent_session_events(self->session), self->subscription);
}

void rpc_link_written(RpcLink *self)
{
    if (self->subscription && !line_channel_is_full(self->line.channel))
        event_hub_release(agent_session_events(self->session), self->subscription);
}

void rpc_link_respond(RpcLink *self, const json_t *id, const char *command, json_t *data,
                      const char *problem)
{
    json_t *response = json_make("id:%p", id ? json_deep_copy(id) : NULL);
    json_set_text(response, "type", "response");
    json_add(response, "command:%s success:%i data:%p error:%s", command, problem == NULL, data,
             problem);
    rpc_link_send(self, response);
}
