/*
 * Lines over two descriptors, for protocols of one message a line (MCP, RPC, extension hosts).
 *
 * Bounded both ways. A line beyond the maximum is told of and dropped to its end. What the other
 * side does not read waits here; once that is much, no line is read any more until it has read on,
 * and beyond LIMIT_LINE_OUTPUT_BYTES sending fails. Nothing blocks.
 *
 * Belongs to the loop's thread; the functions of a LineChannelSpec are called there, from the loop
 * or from line_channel_send(). They may send, close, and post, but not free the channel.
 */
#pragma once

#include "base/fd.h"
#include "base/loop.h"

typedef struct LineChannel LineChannel;

/* Why a channel is over. */
typedef enum {
    LINE_END_INPUT,  // nothing more comes; sending still works
    LINE_END_OUTPUT, // the other side takes nothing any more; what it says still comes
} LineEnd;

typedef struct LineChannelSpec {
    Fd input;              // taken
    Fd output;             // taken; flags are left alone, it may be shared
    size_t max_line_bytes; // of a received line, its newline not counted
    bool reads_when_full;  // of a child: it may be waiting for us to read, before it reads
    /* Without its newline; not NUL-terminated. */
    void (*on_line)(const char *line, size_t size, void *user_data);
    void (*on_long_line)(void *user_data);
    /* Some of what waited was written: there may be room again, or it is flushed. May be NULL. */
    void (*on_written)(void *user_data);
    /* At most once for each end. `unfinished_bytes`: of a last line without its end, dropped. */
    void (*on_end)(LineEnd end, size_t unfinished_bytes, void *user_data);
    void *user_data;
} LineChannelSpec;

LineChannel *line_channel_new(Loop *loop, const LineChannelSpec *spec);
void line_channel_free(LineChannel *self); // NULL is allowed
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LineChannel, line_channel_free)

/* Adds the newline. LIMIT when too much waits already, FAILED when the channel is closed. */
bool line_channel_send(LineChannel *self, const char *line, size_t size, GError **error);

/* So much waits that nothing more is read, and nothing more should be begun. */
bool line_channel_is_full(const LineChannel *self);
/* Nothing waits to be written. */
bool line_channel_is_flushed(const LineChannel *self);

/* Writes no more once what waits is written: then the other side sees the end of its input. */
void line_channel_finish_output(LineChannel *self);
/* Drops what waits, closes both descriptors, calls no one any more. */
void line_channel_close(LineChannel *self);

/*
 * The program's own standard streams, for a protocol that owns them: moves them to descriptors of
 * their own, and leaves /dev/null as standard input and standard error as standard output, so that
 * a stray print cannot break the protocol.
 */
bool line_channel_take_stdio(Fd *ret_input, Fd *ret_output, GError **error);
