/*
 * Lines that were shown (read_cache.h).
 */
#include "tools/read_cache.h"

#include "base/limits.h"
#include "base/path.h"
#include "tool/context.h"
#include "tools/text_lines.h"

#include <pthread.h>

#define MAX_FILES 30
#define MAX_BYTES (4 * MIB) // of one file

typedef struct CachedFile {
    char *path; // real
    ReadSnapshot *snapshot;
} CachedFile;

typedef struct ReadCache {
    pthread_mutex_t lock;
    GQueue files; // of CachedFile, the latest first
} ReadCache;

static void cached_file_free(void *data)
{
    CachedFile *self = data;
    g_free(self->path);
    read_snapshot_free(self->snapshot);
    g_free(self);
}

static void *cache_create(void)
{
    ReadCache *self = g_new0(ReadCache, 1);
    pthread_mutex_init(&self->lock, NULL);
    g_queue_init(&self->files);
    return self;
}

static void cache_destroy(void *data)
{
    ReadCache *self = data;
    g_queue_clear_full(&self->files, cached_file_free);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static ReadCache *cache_of(ToolCall *call)
{
    return tool_context_state(tool_call_context(call), "read-cache", cache_create, cache_destroy);
}

ReadSnapshot *read_snapshot_new(void)
{
    ReadSnapshot *self = g_new0(ReadSnapshot, 1);
    self->lines = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return self;
}

void read_snapshot_free(ReadSnapshot *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->lines);
    g_free(self);
}

void read_snapshot_add(ReadSnapshot *self, size_t number, const char *text, size_t size)
{
    void *key = GSIZE_TO_POINTER(number);
    if (!g_hash_table_contains(self->lines, key))
        self->size += size;
    g_hash_table_replace(self->lines, key, g_strndup(text, size));
}

void read_snapshot_clear(ReadSnapshot *self)
{
    g_hash_table_remove_all(self->lines);
    self->size = 0;
}

static bool contradicts(const ReadSnapshot *known, const ReadSnapshot *shown)
{
    GHashTableIter iter;
    void *number = NULL, *text = NULL;
    if (known->total > 0 && shown->total > 0 && known->total != shown->total)
        return true;
    g_hash_table_iter_init(&iter, shown->lines);
    while (g_hash_table_iter_next(&iter, &number, &text)) {
        const char *before = g_hash_table_lookup(known->lines, number);
        if (before && strcmp(before, text) != 0)
            return true;
    }
    return false;
}

/* `from` may be emptied. */
static void merge(ReadSnapshot *self, const ReadSnapshot *from)
{
    GHashTableIter iter;
    void *number = NULL, *text = NULL;
    g_hash_table_iter_init(&iter, from->lines);
    while (g_hash_table_iter_next(&iter, &number, &text))
        read_snapshot_add(self, GPOINTER_TO_SIZE(number), text, strlen(text));
    self->total = MAX(self->total, from->total);
}

static CachedFile *take_out_locked(ReadCache *self, const char *path)
{
    for (GList *link = self->files.head; link; link = link->next) {
        CachedFile *file = link->data;
        if (strcmp(file->path, path) == 0) {
            g_queue_delete_link(&self->files, link);
            return file;
        }
    }
    return NULL;
}

static void put_locked(ReadCache *self, const char *path, ReadSnapshot *snapshot)
{
    if (snapshot->size > MAX_BYTES) {
        read_snapshot_free(snapshot);
        return;
    }
    CachedFile *file = g_new0(CachedFile, 1);
    *file = (CachedFile) { g_strdup(path), snapshot };
    g_queue_push_head(&self->files, file);
    while (self->files.length > MAX_FILES)
        cached_file_free(g_queue_pop_tail(&self->files));
}

void read_cache_note(ToolCall *call, const char *path, ReadSnapshot *shown)
{
    ReadCache *self = cache_of(call);
    g_autofree char *real = path_real(path);
    if (!real || g_hash_table_size(shown->lines) == 0) {
        read_snapshot_free(shown);
        return;
    }
    pthread_mutex_lock(&self->lock);
    CachedFile *known = take_out_locked(self, real);
    if (known && known->snapshot->size + shown->size <= MAX_BYTES &&
        !contradicts(known->snapshot, shown))
        merge(shown, known->snapshot);
    if (known)
        cached_file_free(known);
    put_locked(self, real, shown);
    pthread_mutex_unlock(&self->lock);
}

void read_cache_note_text(ToolCall *call, const char *path, const char *text)
{
    ReadCache *self = cache_of(call);
    g_autofree char *real = path_real(path);
    ReadSnapshot *snapshot = read_snapshot_new();
    if (strlen(text) <= MAX_BYTES) {
        g_autoptr(GArray) lines = text_lines_split(text);
        for (size_t i = 0; i < lines->len; i++)
            read_snapshot_add(snapshot, i + 1, text_line_at(lines, i)->text,
                              text_line_at(lines, i)->size);
        snapshot->total = lines->len;
    }
    pthread_mutex_lock(&self->lock);
    CachedFile *known = real ? take_out_locked(self, real) : NULL;
    if (known)
        cached_file_free(known);
    if (real && snapshot->total > 0)
        put_locked(self, real, snapshot);
    else
        read_snapshot_free(snapshot);
    pthread_mutex_unlock(&self->lock);
}

void read_cache_forget(ToolCall *call, const char *path)
{
    ReadCache *self = cache_of(call);
    g_autofree char *real = path_real(path);
    pthread_mutex_lock(&self->lock);
    CachedFile *known = real ? take_out_locked(self, real) : NULL;
    pthread_mutex_unlock(&self->lock);
    if (known)
        cached_file_free(known);
}

ReadSnapshot *read_cache_get(ToolCall *call, const char *path)
{
    ReadCache *self = cache_of(call);
    g_autofree char *real = path_real(path);
    if (!real)
        return NULL;
    pthread_mutex_lock(&self->lock);
    CachedFile *file = take_out_locked(self, real);
    ReadSnapshot *copy = NULL;
    if (file) {
        copy = read_snapshot_new();
        merge(copy, file->snapshot);
        g_queue_push_head(&self->files, file);
    }
    pthread_mutex_unlock(&self->lock);
    return copy;
}
