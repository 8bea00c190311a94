/*
 * What the model has been shown of files, line by line (agent-tools §3.3.7): anchors of an edit
 * that no longer fit are looked up there. At most 30 files of a conversation, the latest; at most 4
 * MiB of each. Thread safe.
 */
#pragma once

#include "tool/tool.h"

typedef struct ReadSnapshot {
    GHashTable *lines; // number (1-based, as a pointer) → its text, without newline
    size_t total;      // lines that the file had; 0: not known
    size_t size;       // of the texts, in bytes
} ReadSnapshot;

ReadSnapshot *read_snapshot_new(void);
void read_snapshot_free(ReadSnapshot *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ReadSnapshot, read_snapshot_free)

/* While lines are being shown; NULL: nobody wants them. */
void read_snapshot_add(ReadSnapshot *self, size_t number, const char *text, size_t size);
void read_snapshot_clear(ReadSnapshot *self); // what was added was not shown after all

/* `shown`, which is taken over, was shown of `path`. What contradicts it is forgotten. */
void read_cache_note(ToolCall *call, const char *path, ReadSnapshot *shown);
/* `path` was written: all of it is known, as the model has made it. */
void read_cache_note_text(ToolCall *call, const char *path, const char *text);

/* `path` is another now, and the model knows. */
void read_cache_forget(ToolCall *call, const char *path);

/* A copy; NULL: nothing is known of it. Caller frees. */
ReadSnapshot *read_cache_get(ToolCall *call, const char *path);
