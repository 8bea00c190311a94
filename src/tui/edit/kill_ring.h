/*
 * What was cut, to be put back: the last KILL_RING_MAX pieces, of which the newest is always kept,
 * and the others up to KILL_RING_MAX_BYTES. One thread.
 */
#pragma once

#include "tui/edit/buffer.h"

enum { KILL_RING_MAX = 60, KILL_RING_MAX_BYTES = 32 * 1024 * 1024 };

typedef enum {
    KILL_APART,
    KILL_BEFORE, // to the newest, which was cut just now: it stood before it
    KILL_BEHIND,
} KillJoin;

typedef struct KillRing KillRing;

KillRing *kill_ring_new(void);
void kill_ring_free(KillRing *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(KillRing, kill_ring_free)

void kill_ring_add(KillRing *self, Piece *piece, KillJoin join); // takes ownership
/* The newest, or NULL; borrowed until the next kill_ring_add(). */
const Piece *kill_ring_newest(KillRing *self);
/* The one before that which was given out last; after the oldest comes the newest. */
const Piece *kill_ring_older(KillRing *self);
