/*
 * The near end of a protocol of one JSON message a line, over standard input and output: what the
 * servers of MCP, ACP and RPC have in common. It sends, and it ends: when the input has ended,
 * nobody reads any more, or a signal asks for it, it stops what runs, waits until all is idle and
 * written, kills what takes too long, and leaves the loop.
 *
 * It is the first member of the server, which reads its fields but writes none: the functions of
 * the spec get that pointer. Belongs to the loop's thread.
 */
#pragma once

#include "base/json.h"
#include "base/line_channel.h"

typedef struct LineServerSpec {
    const char *name; // of the protocol, for the log
    bool is_guest;    // in a program that is not ours: signals and its other children are left
                      // alone, and the channel's descriptors are in place of the standard streams
    LineChannelSpec channel; // without on_end and user_data
    int64_t kill_ms;         // from the stop until what still runs is killed; 0: it is waited for
    int64_t last_words_ms;   // then until the end of the loop, for what it still says
    /* Calls line_server_stop(), or line_server_finish() where what was asked is still answered. */
    void (*on_input_end)(size_t unfinished_bytes, void *server);
    /* Cancels what runs. `drops_waiting`: by a signal, or nobody reads: nothing more is begun. */
    void (*stop)(bool drops_waiting, void *server);
    bool (*is_idle)(void *server);
    void (*give_up)(void *server); // the last words are over; may be NULL
} LineServerSpec;

typedef struct LineServer {
    LineServerSpec spec;
    Loop *loop;
    LineChannel *channel;
    bool is_ending; // nothing more comes; what was asked is still answered
    bool is_stopped;
    bool is_closed; // nothing is sent any more
    int exit_code;  // 0, or 128 and a signal
} LineServer;

bool line_server_open(LineServer *self, const LineServerSpec *spec, GError **error);
void line_server_clear(LineServer *self); // the loop and the channel

/* Takes `message`. Never blocks; nothing when it is closed. */
void line_server_send(LineServer *self, json_t *message);

void line_server_finish(LineServer *self); // ends when all is idle and written
void line_server_stop(LineServer *self);   // the same, and stops what runs
void line_server_close(LineServer *self);  // the same, and what waits to be written is dropped
