/*
 * What an editor changed, to be taken back: a list of (offset, what was removed, how much came in
 * its place). Typing and erasing are merged until a pause of UNDO_PAUSE_MS, or undo_list_seal().
 * Bounded: the oldest changes go when there are more than UNDO_MAX_CHANGES, or when what was
 * removed is more than UNDO_MAX_BYTES. One thread.
 */
#pragma once

#include "tui/edit/buffer.h"

enum { UNDO_PAUSE_MS = 1000, UNDO_MAX_CHANGES = 10000, UNDO_MAX_BYTES = 32 * 1024 * 1024 };

typedef enum {
    UNDO_ALONE,  // never merged
    UNDO_TYPED,  // with what is typed after it
    UNDO_ERASED, // with what is erased beside it
} UndoKind;

typedef struct UndoChange {
    UndoKind kind;
    size_t offset;
    size_t inserted; // bytes
    size_t cursor;   // before the change
    gint64 at_ms;    // by time_monotonic_ms()
    Piece *removed;
} UndoChange;

typedef struct UndoList UndoList;

UndoList *undo_list_new(void);
void undo_list_free(UndoList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UndoList, undo_list_free)

/* Takes ownership of change->removed. */
void undo_list_add(UndoList *self, const UndoChange *change);
/* What comes is not merged with what is there. */
void undo_list_seal(UndoList *self);
/* The newest change leaves the list; false: there is none. The caller frees ret_change->removed. */
bool undo_list_take(UndoList *self, UndoChange *ret_change);
