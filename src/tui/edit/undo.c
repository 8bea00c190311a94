/* See undo.h. */
#include "tui/edit/undo.h"

struct UndoList {
    GQueue changes; // of UndoChange *, the newest at the tail
    size_t bytes;   // that was removed, with what markers stand for
    bool is_sealed;
};

static void change_free(void *change_)
{
    UndoChange *change = change_;
    piece_free(change->removed);
    g_free(change);
}

UndoList *undo_list_new(void)
{
    UndoList *self = g_new0(UndoList, 1);
    g_queue_init(&self->changes);
    return self;
}

void undo_list_free(UndoList *self)
{
    if (!self)
        return;
    g_queue_clear_full(&self->changes, change_free);
    g_free(self);
}

static size_t cost(const UndoChange *change)
{
    return MAX(change->removed->size, piece_meant_size(change->removed));
}

static void forget_oldest(UndoList *self)
{
    while (self->changes.length > UNDO_MAX_CHANGES ||
           (self->bytes > UNDO_MAX_BYTES && self->changes.length > 1)) {
        UndoChange *oldest = g_queue_pop_head(&self->changes);
        self->bytes -= cost(oldest);
        change_free(oldest);
    }
}

static void set_removed(UndoList *self, UndoChange *change, Piece *removed)
{
    self->bytes -= cost(change);
    piece_free(change->removed);
    change->removed = removed;
    self->bytes += cost(change);
}

/* Does `change` go on where `last` ended? Then it becomes a part of it. */
static bool merge(UndoList *self, UndoChange *last, const UndoChange *change)
{
    if (self->is_sealed || last->kind != change->kind || change->kind == UNDO_ALONE ||
        change->at_ms - last->at_ms >= UNDO_PAUSE_MS)
        return false;
    if (change->kind == UNDO_TYPED) {
        if (change->removed->size > 0 || change->offset != last->offset + last->inserted)
            return false;
        last->inserted += change->inserted;
    } else if (change->offset == last->offset) { // forward
        set_removed(self, last, piece_join(last->removed, change->removed));
    } else if (change->offset + change->removed->size == last->offset) {
        set_removed(self, last, piece_join(change->removed, last->removed));
        last->offset = change->offset;
    } else {
        return false;
    }
    last->at_ms = change->at_ms;
    piece_free(change->removed);
    return true;
}

void undo_list_add(UndoList *self, const UndoChange *change)
{
    UndoChange *last = g_queue_peek_tail(&self->changes);
    bool is_merged = last && merge(self, last, change);
    self->is_sealed = false;
    if (!is_merged) {
        UndoChange *added = g_memdup2(change, sizeof(*change));
        g_queue_push_tail(&self->changes, added);
        self->bytes += cost(added);
    }
    forget_oldest(self);
}

void undo_list_seal(UndoList *self)
{
    self->is_sealed = true;
}

bool undo_list_take(UndoList *self, UndoChange *ret_change)
{
    UndoChange *last = g_queue_pop_tail(&self->changes);
    if (!last)
        return false;
    self->bytes -= cost(last);
    *ret_change = *last;
    g_free(last);
    self->is_sealed = true;
    return true;
}
