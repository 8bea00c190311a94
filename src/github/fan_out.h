/*
 * Several blocking pieces of work at once, on worker threads.
 */
#pragma once

#include <stddef.h>

#define FAN_OUT_MAX_WORKERS 16 // the gh seam below lets fewer through at a time

typedef void (*FanOutFunc)(void *item);

/* Calls func() for each of `count` items of `item_size` bytes, begun in order; returns when all
   have returned. The functions share nothing but what they lock themselves. */
void fan_out(void *items, size_t count, size_t item_size, FanOutFunc func);
