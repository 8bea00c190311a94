/* See read_cache.h. */
#include "tools/file/read_cache.h"

#include "base/limits.h"
#include "base/path.h"
#include "tool/context.h"
#include "tool/model_view.h"
#include "tools/file/hashline.h"
#include "tools/file/read_carry.h"
#include "tools/file/text_lines.h"

#include <pthread.h>

#define MAX_FILES 30
#define MAX_BYTES (4 * MIB) // of one file
#define MAX_TOLD  500       // of read_cache_tell(), the latest: some calls on 100 files each

enum { LINE_BYTES = 32 }; // that a line costs beside its text, about

typedef struct CachedFile {
    char *path; // real
    ReadSnapshot *snapshot;
} CachedFile;

typedef struct ReadCache {
    pthread_mutex_t lock;
    GQueue files;   // of CachedFile, the latest first
    GQueue told;    // of char *, the latest first
    unsigned epoch; // model_view_epoch() that all of it is of
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
    g_queue_init(&self->told);
    return self;
}

static void cache_destroy(void *data)
{
    ReadCache *self = data;
    g_queue_clear_full(&self->files, cached_file_free);
    g_queue_clear_full(&self->told, g_free);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

/* Without what a conversation that went elsewhere may not show any more. */
static ReadCache *cache_of(ToolCall *call)
{
    ToolContext *context = tool_call_context(call);
    ReadCache *self = tool_context_state(context, "read-cache", cache_create, cache_destroy);
    pthread_mutex_lock(&self->lock);
    unsigned epoch = model_view_epoch(context);
    if (self->epoch != epoch) {
        g_queue_clear_full(&self->files, cached_file_free);
        g_queue_clear_full(&self->told, g_free);
        self->epoch = epoch;
    }
    pthread_mutex_unlock(&self->lock);
    return self;
}

ReadSnapshot *read_snapshot_new(void)
{
    ReadSnapshot *self = g_new0(ReadSnapshot, 1);
    self->lines = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    self->rest = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return self;
}

void read_snapshot_free(ReadSnapshot *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->lines);
    g_hash_table_unref(self->rest);
    g_free(self);
}

void read_snapshot_add(ReadSnapshot *self, size_t number, const char *text, size_t size)
{
    void *key = GSIZE_TO_POINTER(number);
    if (!g_hash_table_contains(self->lines, key))
        self->size += size + LINE_BYTES;
    g_hash_table_replace(self->lines, key, g_strndup(text, size));
}

void read_snapshot_clear(ReadSnapshot *self)
{
    g_hash_table_remove_all(self->lines);
    g_hash_table_remove_all(self->rest);
    self->size = 0;
}

const char *read_snapshot_line(const ReadSnapshot *self, size_t number)
{
    const char *shown = g_hash_table_lookup(self->lines, GSIZE_TO_POINTER(number));
    return shown ? shown : g_hash_table_lookup(self->rest, GSIZE_TO_POINTER(number));
}

/* A line that is known, but was not shown. */
static void add_rest(ReadSnapshot *self, size_t number, const char *text, size_t size)
{
    void *key = GSIZE_TO_POINTER(number);
    if (read_snapshot_line(self, number))
        return;
    self->size += size + LINE_BYTES;
    g_hash_table_insert(self->rest, key, g_strndup(text, size));
}

static bool read_snapshot_contradicts(const ReadSnapshot *known, const ReadSnapshot *shown)
{
    GHashTableIter iter;
    void *number = NULL, *text = NULL;
    if (known->total > 0 && shown->total > 0 && known->total != shown->total)
        return true;
    g_hash_table_iter_init(&iter, shown->lines);
    while (g_hash_table_iter_next(&iter, &number, &text)) {
        const char *before = read_snapshot_line(known, GPOINTER_TO_SIZE(number));
        if (before && !hashline_is_same(GPOINTER_TO_SIZE(number), before, text, strlen(text)))
            return true;
    }
    return false;
}

/* What `from` knows and `self` does not. */
static void read_snapshot_merge(ReadSnapshot *self, const ReadSnapshot *from)
{
    GHashTableIter iter;
    void *number = NULL, *text = NULL;
    g_hash_table_iter_init(&iter, from->lines);
    while (g_hash_table_iter_next(&iter, &number, &text))
        if (!g_hash_table_contains(self->lines, number))
            read_snapshot_add(self, GPOINTER_TO_SIZE(number), text, strlen(text));
    g_hash_table_iter_init(&iter, from->rest);
    while (g_hash_table_iter_next(&iter, &number, &text))
        add_rest(self, GPOINTER_TO_SIZE(number), text, strlen(text));
    self->total = MAX(self->total, from->total);
}

/* Taken out of the queue; NULL: there is none. */
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

/* The file, which is the latest from now on; a new one is empty. */
static CachedFile *use_locked(ReadCache *self, const char *path)
{
    CachedFile *file = take_out_locked(self, path);
    if (!file) {
        file = g_new0(CachedFile, 1);
        file->path = g_strdup(path);
        file->snapshot = read_snapshot_new();
    }
    g_queue_push_head(&self->files, file);
    while (self->files.length > MAX_FILES)
        cached_file_free(g_queue_pop_tail(&self->files));
    return file;
}

/* Takes over `snapshot`. */
static void put_locked(ReadCache *self, const char *path, ReadSnapshot *snapshot)
{
    CachedFile *file = use_locked(self, path);
    read_snapshot_free(file->snapshot);
    file->snapshot = snapshot;
    if (snapshot->size > MAX_BYTES)
        read_snapshot_clear(snapshot);
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
    const ReadSnapshot *known = use_locked(self, real)->snapshot;
    if (known->size + shown->size <= MAX_BYTES && !read_snapshot_contradicts(known, shown))
        read_snapshot_merge(shown, known);
    put_locked(self, real, shown);
    pthread_mutex_unlock(&self->lock);
}

/* Takes over `snapshot`, in place of what was known. */
static void read_cache_put(ToolCall *call, const char *path, ReadSnapshot *snapshot)
{
    ReadCache *self = cache_of(call);
    g_autofree char *real = path_real(path);
    if (!real) {
        read_snapshot_free(snapshot);
        return;
    }
    pthread_mutex_lock(&self->lock);
    put_locked(self, real, snapshot);
    pthread_mutex_unlock(&self->lock);
}

void read_cache_note_now(ToolCall *call, const char *path, const char *text, ReadSnapshot *shown)
{
    g_autoptr(ReadSnapshot) known = read_cache_get(call, path);
    g_autoptr(GArray) lines = text_lines_split(text);
    for (size_t i = 0; known && i < lines->len; i++) {
        const TextLine *line = text_line_at(lines, i);
        const char *before = read_snapshot_line(known, i + 1);
        if (!before || !hashline_is_same(i + 1, before, line->text, line->size))
            continue;
        if (!g_hash_table_contains(known->lines, GSIZE_TO_POINTER(i + 1)))
            add_rest(shown, i + 1, line->text, line->size);
        else if (!g_hash_table_contains(shown->lines, GSIZE_TO_POINTER(i + 1)))
            read_snapshot_add(shown, i + 1, line->text, line->size);
    }
    shown->total = lines->len;
    read_cache_put(call, path, shown);
}

void read_cache_note_edit(ToolCall *call, const char *path, const char *before, const char *after,
                          size_t context)
{
    if (!hashline_is_shown(call)) {
        read_cache_forget(call, path);
        return;
    }
    g_autoptr(ReadSnapshot) known = read_cache_get(call, path);
    g_autoptr(GArray) lines = text_lines_split(after);
    g_autofree guint8 *is_shown = read_carry(known, before, lines, context);
    // else what was not shown has no room
    bool is_small = strlen(after) + (size_t)lines->len * LINE_BYTES <= MAX_BYTES;
    ReadSnapshot *snapshot = read_snapshot_new();
    for (size_t i = 0; i < lines->len && snapshot->size <= MAX_BYTES; i++) {
        const TextLine *line = text_line_at(lines, i);
        if (is_shown[i])
            read_snapshot_add(snapshot, i + 1, line->text, line->size);
        else if (is_small)
            add_rest(snapshot, i + 1, line->text, line->size);
    }
    snapshot->total = lines->len;
    read_cache_put(call, path, snapshot);
}

bool read_cache_tell(ToolCall *call, const char *what)
{
    ReadCache *self = cache_of(call);
    pthread_mutex_lock(&self->lock);
    GList *known = g_queue_find_custom(&self->told, what, (GCompareFunc)strcmp);
    if (known) {
        g_queue_unlink(&self->told, known);
        g_queue_push_head_link(&self->told, known);
    } else {
        g_queue_push_head(&self->told, g_strdup(what));
    }
    while (self->told.length > MAX_TOLD)
        g_free(g_queue_pop_tail(&self->told));
    pthread_mutex_unlock(&self->lock);
    return known != NULL;
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
        read_snapshot_merge(copy, file->snapshot);
        g_queue_push_head(&self->files, file);
    }
    pthread_mutex_unlock(&self->lock);
    return copy;
}
