/* See link.h. */
#include "mcp/link.h"

#include "base/log.h"

void mcp_link_send(McpLink *self, json_t *message)
{
    g_autoptr(json_t) owned = message;
    if (self->is_closed)
        return;
    g_autofree char *text = json_to_text(owned);
    g_autoptr(GError) error = NULL;
    if (line_channel_send(self->channel, text, strlen(text), &error))
        return;
    log_debug("mcp: %s", error->message);
    self->on_broken(self->user_data);
}

bool mcp_link_is_full(const McpLink *self)
{
    return line_channel_is_full(self->channel);
}
