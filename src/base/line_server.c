/* See line_server.h. */
#include "base/line_server.h"

#include "base/children.h"
#include "base/log.h"

#include <string.h>

#define LOOK_MS 10 // from one look to the next, whether all is idle

// ---- the end ----

/* While it ends it looks again and again: nothing that runs has to know of the end. */
static void check_end(void *data)
{
    LineServer *self = data;
    bool is_written = self->is_closed || line_channel_is_flushed(self->channel);
    if (is_written && self->spec.is_idle(self))
        loop_quit(self->loop);
    else
        loop_add_timer(self->loop, LOOK_MS, check_end, self);
}

static void give_up(void *data)
{
    LineServer *self = data;
    if (self->spec.give_up)
        self->spec.give_up(self);
    loop_quit(self->loop);
}

/* What was started is killed; then only what it says of that is left. */
static void out_of_time(void *data)
{
    LineServer *self = data;
    if (!self->spec.is_guest)
        children_kill_all();
    loop_add_timer(self->loop, self->spec.last_words_ms, give_up, self);
}

static void stop(LineServer *self, bool drops_waiting)
{
    line_server_finish(self);
    self->spec.stop(drops_waiting, self);
    if (!self->is_stopped && self->spec.kill_ms > 0)
        loop_add_timer(self->loop, self->spec.kill_ms, out_of_time, self);
    self->is_stopped = true;
}

void line_server_finish(LineServer *self)
{
    if (!self->is_ending)
        loop_post(self->loop, check_end, self);
    self->is_ending = true;
}

void line_server_stop(LineServer *self)
{
    stop(self, false);
}

void line_server_close(LineServer *self)
{
    self->is_closed = true;
    line_channel_close(self->channel);
    stop(self, true);
}

static void on_signal(int signal_number, void *data)
{
    LineServer *self = data;
    if (self->exit_code != 0 && self->spec.kill_ms > 0) { // the second one
        children_kill_all();
        loop_quit(self->loop);
        return;
    }
    self->exit_code = 128 + signal_number;
    if (self->spec.kill_ms > 0)
        stop(self, true);
    else
        line_server_close(self); // no last words
}

static void on_end(LineEnd end, size_t unfinished_bytes, void *data)
{
    LineServer *self = data;
    if (end == LINE_END_OUTPUT)
        line_server_close(self);
    else
        self->spec.on_input_end(unfinished_bytes, self);
}

static void close_down(void *data)
{
    line_server_close(data);
}

void line_server_send(LineServer *self, json_t *message)
{
    g_autoptr(json_t) taken = message;
    if (self->is_closed)
        return;
    g_autofree char *line = json_to_text(taken);
    g_autoptr(GError) error = NULL;
    if (line_channel_send(self->channel, line, strlen(line), &error))
        return;
    log_debug("%s: %s", self->spec.name, error->message);
    self->is_closed = true;
    loop_post(self->loop, close_down, self);
}

// ---- making and freeing ----

bool line_server_open(LineServer *self, const LineServerSpec *spec, GError **error)
{
    LineChannelSpec channel = spec->channel;
    if (!spec->is_guest && !line_channel_take_stdio(&channel.input, &channel.output, error))
        return false;
    *self = (LineServer) { .spec = *spec, .loop = loop_new() };
    if (!spec->is_guest)
        loop_add_end_signals(self->loop, on_signal, self);
    channel.on_end = on_end;
    channel.user_data = self;
    self->channel = line_channel_new(self->loop, &channel);
    return true;
}

void line_server_clear(LineServer *self)
{
    line_channel_free(self->channel);
    loop_free(self->loop);
}
