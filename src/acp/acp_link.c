/* See acp_link.h. */
#include "acp/acp_link.h"

#include "base/log.h"

void acp_link_send(AcpLink *self, json_t *message)
{
    g_autoptr(json_t) taken = message;
    if (self->is_closed)
        return;
    g_autofree char *line = json_to_text(taken);
    g_autoptr(GError) error = NULL;
    if (line_channel_send(self->channel, line, strlen(line), &error))
        return;
    log_debug("acp: %s", error->message);
    self->is_closed = true;
    loop_post(self->loop, self->on_broken, self->server);
}
