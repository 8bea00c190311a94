/*
 * The lines of an open file, or of a text, one after the other, in memory that does not grow with
 * the file.
 *
 * A line ends at LF or at the end of the file; what follows a final LF is one more, empty, line. CR
 * and NUL bytes are left out, and a BOM at the start of the file. One thread at a time.
 */
#pragma once

#include "base/error.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct LineStream LineStream;

/* `fd` is borrowed, and read from where it stands. */
LineStream *line_stream_new(int fd, const char *name);
/* Of a text in memory, which is borrowed. */
LineStream *line_stream_new_text(const char *text, size_t size);
void line_stream_free(LineStream *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LineStream, line_stream_free)

/* The first bytes of the file, before anything is taken; at most 64 KiB. Borrowed. */
bool line_stream_peek(LineStream *self, const char **ret_data, size_t *ret_size, GError **error);

/* Passes over `count` lines. *ret_skipped is less when the file ends before. */
bool line_stream_skip(LineStream *self, int64_t count, int64_t *ret_skipped, GError **error);

typedef struct StreamLine {
    GString *text; // the caller's; at most `keep_bytes` of the line
    uint64_t size; // of the whole line; of a very long one, as far as it was read
    bool is_whole; // `text` is all of it
} StreamLine;

/* The next line. *ret_has_line is false at the end. Of a line that is longer than `keep_bytes` the
   beginning is kept and at most LIMIT_READ_AHEAD_BYTES more are looked at. */
bool line_stream_next(LineStream *self, size_t keep_bytes, StreamLine *line, bool *ret_has_line,
                      GError **error);

/* Counts the lines that are left, reading at most LIMIT_READ_AHEAD_BYTES. *ret_is_exact: the end
   was reached. */
bool line_stream_count_rest(LineStream *self, int64_t *ret_lines, bool *ret_is_exact,
                            GError **error);
