/* See gh_door_link.h. */
#include "github/door/gh_door_link.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

bool gh_door_link_address(const char *dir, const char *name, struct sockaddr_un *ret_address)
{
    *ret_address = (struct sockaddr_un) { .sun_family = AF_UNIX };
    int size = g_snprintf(ret_address->sun_path, sizeof ret_address->sun_path, "%s/%s", dir, name);
    return size > 0 && (size_t)size < sizeof ret_address->sun_path;
}

bool gh_door_link_read(GhDoorLink *self, Cancel *cancel, int64_t timeout_ms, json_t **ret_line,
                       GError **error)
{
    char piece[4096];
    *ret_line = NULL;
    while (!memchr(self->rest->str, '\n', self->rest->len)) {
        struct pollfd news = { .fd = self->fd, .events = POLLIN };
        if (self->rest->len > GH_DOOR_LINE_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "too long");
        int ready = cancel_poll(cancel, &news, 1, timeout_ms);
        if (!cancel_check(cancel, error))
            return false;
        if (ready <= 0 && timeout_ms >= 0)
            return fail_with(error, KEDGE_ERROR_TIMEOUT, "too late");
        ssize_t count = ready > 0 ? read(self->fd, piece, sizeof piece) : -1;
        if (count == 0 || (count < 0 && ready > 0 && errno != EINTR && errno != EAGAIN))
            return true;
        g_string_append_len(self->rest, piece, MAX(count, 0));
    }
    size_t size = strcspn(self->rest->str, "\n");
    g_autofree char *line = g_strndup(self->rest->str, size);
    g_string_erase(self->rest, 0, (gssize)size + 1);
    return json_parse_text(line, ret_line, error);
}

bool gh_door_link_send(GhDoorLink *self, const json_t *value, Cancel *cancel, int64_t timeout_ms)
{
    g_autofree char *text = json_to_text(value);
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    const char *at = line;
    for (size_t left = strlen(line); left > 0;) {
        struct pollfd news = { .fd = self->fd, .events = POLLOUT };
        ssize_t sent = send(self->fd, at, left, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        at += MAX(sent, 0);
        left -= (size_t)MAX(sent, 0);
        if (left > 0 && ((cancel_poll(cancel, &news, 1, timeout_ms) <= 0 && timeout_ms >= 0) ||
                         cancel_has_fired(cancel)))
            return false;
    }
    return true;
}

bool gh_door_link_run(GhDoorLink *self, const json_t *order, Cancel *cancel, int *ret_status,
                      int *ret_signal, GError **error)
{
    g_autoptr(json_t) end = NULL;
    self->has_run = true;
    cancel_fire(self->over);
    if (!gh_door_link_send(self, order, cancel, GH_DOOR_PATIENCE_MS))
        return fail_with(error, KEDGE_ERROR_CANCELLED, "the command has ended");
    if (!gh_door_link_read(self, cancel, -1, &end, error))
        return false;
    if (!end)
        return fail_with(error, KEDGE_ERROR_CANCELLED, "the command has ended");
    *ret_status = (int)json_get_int(end, "status", EXIT_FAILURE);
    *ret_signal = (int)json_get_int(end, "signal", 0);
    return true;
}
