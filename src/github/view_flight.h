/*
 * One fetch of a view at a time, over all threads and processes of a user that share a cache file:
 * a lock on one byte of a file beside it, which ends with the process however that ends.
 */
#pragma once

#include "base/cancel.h"

typedef struct ViewFlight { // held from take to end
    int fd;                 // -1: nothing is held
} ViewFlight;

/* Waits for others to end; true also when there can be no lock (then several may fetch the same).
   False with CANCELLED. */
bool view_flight_begin(const char *cache_path, const char *what, Cancel *cancel,
                       ViewFlight *ret_flight, GError **error);
/* False when somebody is at it. */
bool view_flight_try(const char *cache_path, const char *what, ViewFlight *ret_flight);
void view_flight_end(ViewFlight *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ViewFlight, view_flight_end)
