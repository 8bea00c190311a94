/*
 * What is on its way to the terminal (output.h).
 */
#include "tui/term/output.h"

#include "base/limits.h"
#include "base/timefmt.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define KEPT_BYTES    (64 * KIB)  // of an empty queue
#define COMPACT_BYTES (256 * KIB) // that have gone, before the rest moves to the front

void output_init(Output *self, int fd, size_t limit_bytes)
{
    *self = (Output) { .fd = fd, .limit_bytes = limit_bytes, .waiting = g_byte_array_new() };
}

void output_clear(Output *self)
{
    if (self->waiting)
        g_byte_array_unref(self->waiting);
    *self = (Output) { .fd = -1 };
}

size_t output_waiting_bytes(const Output *self)
{
    return self->waiting->len - self->done_bytes;
}

void output_drop(Output *self)
{
    bool is_large = self->waiting->len > KEPT_BYTES;
    self->done_bytes = 0;
    g_byte_array_set_size(self->waiting, 0);
    if (is_large) {
        g_byte_array_unref(self->waiting);
        self->waiting = g_byte_array_new();
    }
}

/* How much the terminal takes now. */
static size_t put(Output *self, const guint8 *bytes, size_t size)
{
    size_t done = 0;
    while (done < size && !self->is_gone) {
        ssize_t count = write(self->fd, bytes + done, size - done);
        if (count > 0)
            done += (size_t)count;
        else if (count == 0 || errno == EAGAIN)
            break;
        else if (errno != EINTR)
            self->is_gone = true;
    }
    return done;
}

OutputState output_flush(Output *self)
{
    size_t waiting = output_waiting_bytes(self);
    if (waiting > 0)
        self->done_bytes += put(self, self->waiting->data + self->done_bytes, waiting);
    if (self->is_gone || output_waiting_bytes(self) == 0) {
        output_drop(self);
        return self->is_gone ? OUTPUT_GONE : OUTPUT_DONE;
    }
    if (self->done_bytes >= COMPACT_BYTES && self->done_bytes >= self->waiting->len / 2) {
        g_byte_array_remove_range(self->waiting, 0, (guint)self->done_bytes);
        self->done_bytes = 0;
    }
    return OUTPUT_WAITS;
}

OutputState output_write(Output *self, const void *bytes, size_t size)
{
    OutputState before = output_flush(self);
    if (before == OUTPUT_GONE)
        return before;
    if (size > self->limit_bytes - output_waiting_bytes(self))
        return OUTPUT_FULL;
    size_t done = before == OUTPUT_DONE ? put(self, bytes, size) : 0;
    if (self->is_gone)
        return OUTPUT_GONE;
    g_byte_array_append(self->waiting, (const guint8 *)bytes + done, (guint)(size - done));
    return output_waiting_bytes(self) == 0 ? OUTPUT_DONE : OUTPUT_WAITS;
}

bool output_drain(Output *self, int timeout_ms)
{
    gint64 until = time_monotonic_ms() + timeout_ms;
    OutputState state;
    while ((state = output_flush(self)) == OUTPUT_WAITS) {
        gint64 left = until - time_monotonic_ms();
        struct pollfd ready = { .fd = self->fd, .events = POLLOUT };
        if (left <= 0)
            return false;
        (void)poll(&ready, 1, (int)left);
    }
    return state == OUTPUT_DONE;
}
