/*
 * Packed texts (text_pack.h). The last chunk is open: texts go behind one another in it. The others
 * are never changed, so that the thread compresses them without the lock.
 */
#include "session/text_pack.h"

#include "base/compress.h"
#include "base/memory.h"
#include "base/worker.h"

#include <pthread.h>

#define CHUNK_BYTES ((size_t)256 * 1024) // a longer text has one of its own

typedef struct Chunk {
    char *text;   // NULL once it is packed
    char *packed; // NULL until then
    size_t text_bytes, packed_bytes;
} Chunk;

struct TextPack {
    pthread_mutex_t lock; // guards all of it
    GPtrArray *chunks;
    guint seen;      // chunks before this one are packed, or cannot be
    Worker *worker;  // NULL: there was none yet
    bool is_at_work; // it goes on with what comes
    bool is_ending;
    Chunk *last_read; // borrowed: whose text `restored` is; NULL: none
    char *restored;
};

static void chunk_free(void *self_)
{
    Chunk *self = self_;
    g_free(self->text);
    g_free(self->packed);
    g_free(self);
}

TextPack *text_pack_new(void)
{
    TextPack *self = g_new0(TextPack, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->chunks = g_ptr_array_new_with_free_func(chunk_free);
    return self;
}

void text_pack_free(TextPack *self)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    self->is_ending = true;
    pthread_mutex_unlock(&self->lock);
    worker_join(self->worker);
    g_ptr_array_unref(self->chunks);
    g_free(self->restored);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

/* The open chunk, if that many bytes go into it, else a new one. */
static Chunk *chunk_for_locked(TextPack *self, size_t size)
{
    guint count = self->chunks->len;
    Chunk *chunk = count > 0 ? self->chunks->pdata[count - 1] : NULL;
    if (chunk && chunk->text_bytes <= CHUNK_BYTES && size <= CHUNK_BYTES - chunk->text_bytes)
        return chunk;
    chunk = g_new0(Chunk, 1);
    chunk->text = g_malloc(MAX(size, CHUNK_BYTES));
    g_ptr_array_add(self->chunks, chunk);
    return chunk;
}

TextPlace text_pack_add(TextPack *self, const char *text, size_t size)
{
    pthread_mutex_lock(&self->lock);
    Chunk *chunk = chunk_for_locked(self, size);
    TextPlace place = { self->chunks->len - 1, chunk->text_bytes, size };
    memcpy(chunk->text + chunk->text_bytes, text, size);
    chunk->text_bytes += size;
    pthread_mutex_unlock(&self->lock);
    return place;
}

/* The text of a chunk, borrowed until another one is read or packed. */
static const char *text_of_locked(TextPack *self, Chunk *chunk)
{
    if (chunk->text || chunk == self->last_read)
        return chunk->text ? chunk->text : self->restored;
    g_free(self->restored);
    self->restored = g_malloc(chunk->text_bytes);
    self->last_read = chunk;
    bool is_whole =
        compress_restore(chunk->packed, chunk->packed_bytes, self->restored, chunk->text_bytes);
    g_assert(is_whole); // nobody but us has had it
    return self->restored;
}

char *text_pack_get(TextPack *self, const TextPlace *place)
{
    pthread_mutex_lock(&self->lock);
    Chunk *chunk = self->chunks->pdata[place->chunk];
    char *copy = g_malloc(place->size + 1);
    memcpy(copy, text_of_locked(self, chunk) + place->offset, place->size);
    copy[place->size] = '\0';
    if (chunk->text_bytes > CHUNK_BYTES && chunk == self->last_read) {
        self->last_read = NULL; // too much to keep for a next one
        g_clear_pointer(&self->restored, g_free);
    }
    pthread_mutex_unlock(&self->lock);
    return copy;
}

static bool has_work_locked(const TextPack *self)
{
    return !self->is_ending && self->seen + 1 < self->chunks->len;
}

static void compress_chunks(void *self_)
{
    TextPack *self = self_;
    pthread_mutex_lock(&self->lock);
    while (has_work_locked(self)) {
        Chunk *chunk = self->chunks->pdata[self->seen];
        pthread_mutex_unlock(&self->lock);
        size_t packed_bytes = 0;
        char *packed = compress_bytes(chunk->text, chunk->text_bytes, &packed_bytes);
        pthread_mutex_lock(&self->lock);
        if (packed) {
            chunk->packed = packed;
            chunk->packed_bytes = packed_bytes;
            g_clear_pointer(&chunk->text, g_free);
        }
        self->seen++;
    }
    self->is_at_work = false;
    pthread_mutex_unlock(&self->lock);
    memory_give_back();
}

void text_pack_compress(TextPack *self)
{
    pthread_mutex_lock(&self->lock);
    if (has_work_locked(self) && !self->is_at_work) {
        worker_join(self->worker); // it has ended, or is about to
        self->worker = worker_start("session-pack", compress_chunks, self);
        self->is_at_work = self->worker != NULL;
    }
    pthread_mutex_unlock(&self->lock);
}

TextPackSize text_pack_size(TextPack *self)
{
    pthread_mutex_lock(&self->lock);
    TextPackSize size = { .is_at_work = self->is_at_work };
    for (guint i = 0; i < self->chunks->len; i++) {
        const Chunk *chunk = self->chunks->pdata[i];
        size.text_bytes += chunk->text_bytes;
        size.kept_bytes += chunk->text ? chunk->text_bytes : chunk->packed_bytes;
    }
    pthread_mutex_unlock(&self->lock);
    return size;
}
