/*
 * What the conversation has seen of files (seen_files.h).
 *
 * By real path: identity, size and time, and for what is not too large a hash of the bytes, so that
 * `touch` and a checkout of the same text are no change.
 */
#include "tools/file/seen_files.h"

#include "base/limits.h"
#include "base/path.h"
#include "tool/context.h"
#include "tool/model_view.h"
#include "tools/file/tool_file.h"

#include <pthread.h>
#include <unistd.h>

#define HASHED_MAX_BYTES (8 * MIB)
#define MAX_FILES        10000 // remembered; then the oldest knowledge is let go, all of it

typedef struct SeenFile {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
    char *hash; // NULL: too large
} SeenFile;

typedef struct SeenFiles {
    pthread_mutex_t lock;
    GHashTable *files; // real path → SeenFile
} SeenFiles;

static void seen_file_free(void *data)
{
    SeenFile *self = data;
    g_free(self->hash);
    g_free(self);
}

static void *seen_files_create(void)
{
    SeenFiles *self = g_new0(SeenFiles, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, seen_file_free);
    return self;
}

static void seen_files_destroy(void *data)
{
    SeenFiles *self = data;
    g_hash_table_unref(self->files);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static SeenFiles *seen_files_of(ToolCall *call)
{
    return tool_context_state(tool_call_context(call), "seen-files", seen_files_create,
                              seen_files_destroy);
}

/* NULL for what is too large, or cannot be read. Caller frees. */
static char *hash_of(int fd, off_t size)
{
    if (size > (off_t)HASHED_MAX_BYTES)
        return NULL;
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree guchar *buffer = g_malloc(64 * KIB);
    off_t at = 0;
    ssize_t count = 0;
    while (at <= (off_t)HASHED_MAX_BYTES && (count = pread(fd, buffer, 64 * KIB, at)) > 0) {
        g_checksum_update(sum, buffer, count);
        at += count;
    }
    return count == 0 ? g_strdup(g_checksum_get_string(sum)) : NULL;
}

/* What `path` is now; NULL when it is no file that can be read. `has_hash` false: as far as stat()
   tells. */
static SeenFile *look_at(const char *path, bool has_hash)
{
    g_auto(Fd) fd = -1;
    struct stat info;
    if (!tool_file_open(path, path, &fd, &info, NULL))
        return NULL;
    SeenFile *file = g_new0(SeenFile, 1);
    *file = (SeenFile) {
        .device = info.st_dev,
        .inode = info.st_ino,
        .size = info.st_size,
        .changed = info.st_mtim,
        .hash = has_hash ? hash_of(fd, info.st_size) : NULL,
    };
    return file;
}

static bool has_same_metadata(const SeenFile *a, const SeenFile *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Takes `file`, which may be NULL. */
static void seen_files_remember(SeenFiles *self, const char *real, SeenFile *file)
{
    if (!file)
        return;
    pthread_mutex_lock(&self->lock);
    if (g_hash_table_size(self->files) >= MAX_FILES)
        g_hash_table_remove_all(self->files);
    g_hash_table_replace(self->files, g_strdup(real), file);
    pthread_mutex_unlock(&self->lock);
}

void seen_files_note(ToolCall *call, const char *path)
{
    g_autofree char *real = path_real(path);
    if (real)
        seen_files_remember(seen_files_of(call), real, look_at(real, true));
}

/* `is_replaced`: what was never seen does not pass either. */
static bool seen_files_compare(ToolCall *call, const char *path, const char *shown,
                               bool is_replaced, GError **error)
{
    SeenFiles *self = seen_files_of(call);
    g_autofree char *real = path_real(path);
    SeenFile *now = real ? look_at(real, false) : NULL;
    if (!now)
        return true;

    pthread_mutex_lock(&self->lock);
    const SeenFile *seen = g_hash_table_lookup(self->files, real);
    bool was_seen = seen != NULL;
    bool is_good = seen ? has_same_metadata(seen, now) : !is_replaced || now->size == 0;
    g_autofree char *seen_hash = seen ? g_strdup(seen->hash) : NULL;
    pthread_mutex_unlock(&self->lock);
    seen_file_free(now);
    if (is_good)
        return true;

    SeenFile *closer = look_at(real, true);
    bool has_same_bytes = closer && seen_hash && g_strcmp0(closer->hash, seen_hash) == 0;
    seen_files_remember(self, real, closer);
    if (!was_seen)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "Refused: %s is there, and you have not read it: all that it holds would "
                         "be replaced. Read it first; if that is meant, repeat the call.",
                         shown);
    return has_same_bytes ||
           fail_with(error, KEDGE_ERROR_FAILED,
                     "Refused: %s changed on disk since you last read or wrote it. Read it again, "
                     "then repeat the call.",
                     shown);
}

bool seen_files_check(ToolCall *call, const char *path, const char *shown, GError **error)
{
    return seen_files_compare(call, path, shown, false, error);
}

bool seen_files_check_replaced(ToolCall *call, const char *path, const char *shown, GError **error)
{
    return seen_files_compare(call, path, shown, model_view_has_answer(call), error);
}
