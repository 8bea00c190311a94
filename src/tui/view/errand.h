/*
 * An errand: a piece of work on a worker whose end is told on the loop, once, and never again when
 * nobody wants to hear of it any more. What it works on is its own until then. One thread, that of
 * the loop.
 */
#pragma once

#include "base/loop.h"

typedef struct ErrandSpec {
    Loop *loop;                              // borrowed
    const char *name;                        // of the thread, at most 15 characters
    void (*run)(void *data, Cancel *cancel); // on the worker; soon over when `cancel` fires
    LoopFunc done;                           // on the loop
    void *data;                              // of both
} ErrandSpec;

typedef struct Errand Errand;

/* NULL: no thread can be made. */
Errand *errand_start(const ErrandSpec *spec);
/* Cancels it, waits for the worker, and `done` is not called any more. Also from inside `done`. */
void errand_free(Errand *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Errand, errand_free)
