/* See kill_ring.h. */
#include "tui/edit/kill_ring.h"

struct KillRing {
    GPtrArray *pieces; // of Piece, the newest last
    guint given;       // index of the one given out last
};

KillRing *kill_ring_new(void)
{
    KillRing *self = g_new0(KillRing, 1);
    self->pieces = g_ptr_array_new_with_free_func((GDestroyNotify)piece_free);
    return self;
}

void kill_ring_free(KillRing *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->pieces);
    g_free(self);
}

static void forget_oldest(KillRing *self)
{
    size_t bytes = 0;
    guint kept = 0;
    while (kept < MIN(self->pieces->len, KILL_RING_MAX)) {
        const Piece *piece = self->pieces->pdata[self->pieces->len - 1 - kept];
        bytes += MAX(piece->size, piece_meant_size(piece));
        if (kept > 0 && bytes > KILL_RING_MAX_BYTES)
            break;
        kept++;
    }
    if (kept < self->pieces->len)
        g_ptr_array_remove_range(self->pieces, 0, self->pieces->len - kept);
}

void kill_ring_add(KillRing *self, Piece *piece, KillJoin join)
{
    if (join != KILL_APART && self->pieces->len > 0) {
        g_autoptr(Piece) last = g_ptr_array_steal_index(self->pieces, self->pieces->len - 1);
        g_autoptr(Piece) added = piece;
        piece = join == KILL_BEFORE ? piece_join(added, last) : piece_join(last, added);
    }
    g_ptr_array_add(self->pieces, piece);
    forget_oldest(self);
    self->given = self->pieces->len - 1;
}

const Piece *kill_ring_newest(KillRing *self)
{
    if (self->pieces->len == 0)
        return NULL;
    self->given = self->pieces->len - 1;
    return self->pieces->pdata[self->given];
}

const Piece *kill_ring_older(KillRing *self)
{
    if (self->pieces->len == 0)
        return NULL;
    self->given = self->given > 0 ? self->given - 1 : self->pieces->len - 1;
    return self->pieces->pdata[self->given];
}
