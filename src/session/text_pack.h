/*
 * Texts that are rarely read again, kept in memory in little room: put together in chunks, which a
 * thread of its own compresses. A text stays there until the pack is freed. Internal to session.
 *
 * Thread safe. Without zlib, or without a thread, the texts stay as they are.
 */
#pragma once

#include "base/error.h"

typedef struct TextPack TextPack;

typedef struct TextPlace { // where a text is
    guint chunk;
    size_t offset, size;
} TextPlace;

TextPack *text_pack_new(void);
/* Waits for the chunk that is being compressed, if any. */
void text_pack_free(TextPack *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TextPack, text_pack_free)

TextPlace text_pack_add(TextPack *self, const char *text, size_t size);
/* A copy with a NUL behind it; caller frees. Texts near the one before are got fast. */
char *text_pack_get(TextPack *self, const TextPlace *place);

/* Begins to compress the chunks that are full, and returns at once. */
void text_pack_compress(TextPack *self);

typedef struct TextPackSize {
    size_t text_bytes; // of all texts
    size_t kept_bytes; // that they take
    bool is_at_work;   // more is being compressed
} TextPackSize;
TextPackSize text_pack_size(TextPack *self);
