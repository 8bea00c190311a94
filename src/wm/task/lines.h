/*
 * Bytes in pieces become lines, each bounded: of a longer one the head is given, and the rest is
 * dropped as it comes. Internal to the engine.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct WmLines {
    GString *line;
    size_t max_bytes;
    bool is_cut;
    /* `line` is NUL-terminated (NULs in it stay), without its line end. */
    void (*take)(const char *line, size_t size, bool is_cut, void *user_data);
    void *user_data;
} WmLines;

void wm_lines_push(WmLines *self, const char *data, size_t size);
/* A last line without a line end. */
void wm_lines_finish(WmLines *self);
void wm_lines_clear(WmLines *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmLines, wm_lines_clear)
