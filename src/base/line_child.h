/*
 * A child that lives across calls and speaks lines: an MCP server, an extension host. Its standard
 * input and output are a line channel (line_channel.h), of its standard error the end is kept.
 *
 * Otherwise as proc.h says: own session and group, other descriptors closed, the group ended with
 * the child. Stopping is polite: its input is closed, SIGTERM to the group after `grace_ms`,
 * SIGKILL after another PROC_STOP_GRACE_MS. Belongs to the loop's thread, which never waits for it.
 */
#pragma once

#include "base/cancel.h"
#include "base/line_channel.h"

typedef struct LineChild LineChild;

typedef struct LineChildSpec {
    const char *const *argv; // as in ProcSpec; the three are borrowed for the call only
    const char *cwd;
    const char *const *env;
    size_t max_line_bytes;   // of its output
    size_t max_errors_bytes; // of its standard error: the last of it are kept
    int64_t grace_ms;        // how long it has to end by itself once its input is closed
    Cancel *cancel;          // stops it when it fires; borrowed until it is freed, may be NULL
    /* As in LineChannelSpec. They may send and stop, but not free the child. */
    void (*on_line)(const char *line, size_t size, void *user_data);
    void (*on_long_line)(void *user_data);
    /* Once, after its last line: it has ended and is reaped, and so is its group. Here it may be
       freed. `exit_status` as in ProcResult; `unfinished_bytes` of a line that it did not end. */
    void (*on_exit)(int exit_status, size_t unfinished_bytes, void *user_data);
    void *user_data;
} LineChildSpec;

/* Errors: NOT_FOUND (no such program or directory), FAILED. */
bool line_child_start(Loop *loop, const LineChildSpec *spec, LineChild **ret_child, GError **error);

/* A child that still runs is killed, with its group, and reaped. NULL is allowed. */
void line_child_free(LineChild *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LineChild, line_child_free)

/* Errors as line_channel_send(). That the child has closed its input shows here, or as its end. */
bool line_child_send(LineChild *self, const char *line, size_t size, GError **error);

/* What is sent already still reaches it, if it reads within the grace. Again is no change. */
void line_child_stop(LineChild *self);

/* The end of what it wrote to standard error so far, valid UTF-8. Caller frees. */
char *line_child_errors(const LineChild *self);
