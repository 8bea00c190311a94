/*
 * The lines of a log of Actions that say why it failed: those up to its last error, not its head
 * (github-tool §4.4). Pure. Strings belong to the caller.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct LogTail {
    char *text;              // without timestamps and escape sequences, and the blanks at its end
    size_t first, last;      // numbers of its lines, from 1
    size_t total;            // lines of the whole log
    bool is_around_an_error; // it does not reach the end of the log
} LogTail;

void log_tail_clear(LogTail *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LogTail, log_tail_clear)

typedef struct LogStep { // of time, as timestamps to the second; NULL: open
    const char *from, *to;
} LogStep;

/* At most `lines` lines of `log`: around the last error in `step`, else of the whole log. */
void log_tail_cut(const char *log, const LogStep *step, int64_t lines, LogTail *ret_tail);

/* The last lines of `text` that fit into `max_bytes`, each cut where it is very long.
   `ret_dropped`: how many lines before them do not. */
char *log_tail_fit(const char *text, size_t max_bytes, size_t *ret_dropped);
