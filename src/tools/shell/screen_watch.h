/*
 * Does a command want a screen, and someone who types? Then it would paint until its time is over
 * (vim, less, top). Its output says so: on a terminal by the sequences that take a screen over,
 * elsewhere by what vim says of it. A program that gives the screen back at once (`vim -c …`) is
 * none. One thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCREEN_TAIL_BYTES = 64 };

typedef struct ScreenWatch { // zeroed but for has_terminal
    bool has_terminal;
    int64_t end_at;               // time_monotonic_ms() when it is to be ended; 0: not
    char tail[SCREEN_TAIL_BYTES]; // of what was seen: a sequence may come in pieces
    size_t tail_size;
} ScreenWatch;

/* A piece of output. */
void screen_watch_take(ScreenWatch *self, const char *data, size_t size);

/* Said after its output when it was ended. */
extern const char screen_watch_words[];
