/*
 * Cutting text to a number of lines and bytes, whole lines only (agent-tools §2.3, §2.4). Pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define TRUNCATE_MAX_LINES  3000
#define TRUNCATE_MAX_BYTES  51200
#define TRUNCATE_MAX_COLUMN 1024 // characters of one line

typedef struct Truncated {
    char *content;
    bool is_truncated;
    bool by_lines;           // else by bytes
    bool first_line_exceeds; // head: the first line alone is over the limit; content is ""
    bool last_line_partial;  // tail: only the end of the last line fits
    size_t total_lines, total_bytes, output_lines, output_bytes;
    size_t max_bytes;
} Truncated;

void truncated_clear(Truncated *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Truncated, truncated_clear)

/* 0 for a limit means its default. */
Truncated truncate_head(const char *content, size_t max_lines, size_t max_bytes);
Truncated truncate_tail(const char *content, size_t max_lines, size_t max_bytes);
