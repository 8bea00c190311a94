/*
 * What the model has been shown of files, line by line (agent-tools §3.3.7): anchors of an edit
 * that no longer fit are looked up there, and what is inside a range of lines is compared with it.
 * At most 30 files of a conversation, the latest; at most 4 MiB of each. Where the conversation
 * goes elsewhere (model_view_forget()), all of it is forgotten. Thread safe.
 */
#pragma once

#include "tool/tool.h"

typedef struct ReadSnapshot {
    GHashTable *lines; // shown: number (1-based, as a pointer) → its text, without newline
    GHashTable *rest;  // known from an edit that left them, but not shown; the same
    size_t total;      // lines that the file had; 0: not known
    size_t size;       // that it costs, in bytes
} ReadSnapshot;

ReadSnapshot *read_snapshot_new(void);
void read_snapshot_free(ReadSnapshot *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ReadSnapshot, read_snapshot_free)

/* While lines are being shown; NULL: no one wants them. */
void read_snapshot_add(ReadSnapshot *self, size_t number, const char *text, size_t size);
void read_snapshot_clear(ReadSnapshot *self); // what was added was not shown after all

/* Shown or not; NULL: not known. Borrowed. */
const char *read_snapshot_line(const ReadSnapshot *self, size_t number);

/* `shown`, which is taken over, was shown of `path`. What contradicts it is forgotten. */
void read_cache_note(ToolCall *call, const char *path, ReadSnapshot *shown);
/* The same of `path` as it is now, with all of its `text` at hand: of what was known before only
   the lines that have become others are forgotten. */
void read_cache_note_now(ToolCall *call, const char *path, const char *text, ReadSnapshot *shown);
/* The model has made `after` of `path`, whose text was `before` (NULL: it has written all of it).
   What it put in counts as shown, and so do `context` lines around; of the rest, what was shown
   before. Where no anchors are shown, nothing is kept of it. */
void read_cache_note_edit(ToolCall *call, const char *path, const char *before, const char *after,
                          size_t context);

/* `path` is another now, and the model knows. */
void read_cache_forget(ToolCall *call, const char *path);

/* The model is told `what` (a digest): was it told before? The latest 500 are known, also of files
   that are not any more. */
bool read_cache_tell(ToolCall *call, const char *what);

/* A copy; NULL: nothing is known of it. Caller frees. */
ReadSnapshot *read_cache_get(ToolCall *call, const char *path);
