/*
 * A few workers for what nobody waits for; their owner's end stops them and waits. Thread safe.
 */
#pragma once

#include "base/cancel.h"

typedef struct ViewWorkers ViewWorkers;

ViewWorkers *view_workers_new(void);
void view_workers_free(ViewWorkers *self); // blocks until all have returned

/* Fires with the owner's end. Borrowed. */
Cancel *view_workers_cancel(const ViewWorkers *self);
/* Takes `data` over; without a free worker nothing is done. */
void view_workers_start(ViewWorkers *self, void (*func)(void *data), void *data,
                        GDestroyNotify destroy);
