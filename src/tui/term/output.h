/*
 * What is on its way to the terminal: written at once as far as it is taken, the rest waits in
 * order, up to a limit. Bytes of one call are all taken or all refused, so that no
 * sequence is ever cut by us. One thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef enum {
    OUTPUT_DONE,  // nothing waits
    OUTPUT_WAITS, // for POLLOUT
    OUTPUT_FULL,  // as before, and this call's bytes were refused
    OUTPUT_GONE,  // the terminal is no more
} OutputState;

typedef struct Output {
    int fd; // not blocking; borrowed
    size_t limit_bytes;
    GByteArray *waiting;
    size_t done_bytes; // of it
    bool is_gone;
} Output;

void output_init(Output *self, int fd, size_t limit_bytes);
void output_clear(Output *self);

OutputState output_write(Output *self, const void *bytes, size_t size);
/* After POLLOUT. */
OutputState output_flush(Output *self);
size_t output_waiting_bytes(const Output *self);
/* Blocks until all has gone, at most `timeout_ms`; false: bytes wait still, or it is gone. */
bool output_drain(Output *self, int timeout_ms);
/* Forgets what waits. The terminal may be in the middle of a sequence. */
void output_drop(Output *self);
