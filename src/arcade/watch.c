/* See watch.h. */
#include "arcade/watch.h"

#include "agenttools/answer.h"
#include "agenttools/emit/run_artifact.h"
#include "agenttools/feedback/edits.h"
#include "arcade/feed.h"
#include "base/fd.h"
#include "base/timefmt.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#define MAX_DIRECTORIES 2000
#define MAX_LOOK_BYTES  ((size_t)32 * 1024 * 1024) // read in one look; the rest waits for the next
#define FILE_EVENTS                                                                                \
    (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF |       \
     IN_MOVE_SELF | IN_ONLYDIR)

typedef struct Signature { // the same: the content is, too
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
} Signature;

typedef struct WatchedFile {
    RunArtifact *artifact;
    char *path;
    bool was_read; // when it had this signature
    Signature signature;
} WatchedFile;

struct Watch {
    Fd inotify;
    GHashTable *directories; // a set of paths that inotify watches
    GHashTable *files;       // doc id → WatchedFile
    GHashTable *shas;        // doc id → what the feed last said
    GHashTable *wanted;      // a set of doc ids
    int64_t feed_position;   // artifact rows up to here are in `shas`
    bool is_stale;           // `files` must be listed again
};

static void file_free(void *file_)
{
    WatchedFile *file = file_;
    run_artifact_free(file->artifact);
    g_free(file->path);
    g_free(file);
}

Watch *watch_new(void)
{
    Watch *self = g_new0(Watch, 1);
    self->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    self->directories = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    self->files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, file_free);
    self->shas = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    self->is_stale = true;
    return self;
}

void watch_free(Watch *self)
{
    if (!self)
        return;
    fd_close(self->inotify);
    g_hash_table_unref(self->directories);
    g_hash_table_unref(self->files);
    g_hash_table_unref(self->shas);
    g_hash_table_unref(self->wanted);
    g_free(self);
}

int watch_fd(const Watch *self)
{
    return self->inotify;
}

void watch_add(Watch *self, const char *doc_id)
{
    if (g_hash_table_size(self->wanted) >= WATCH_MAX_ARTIFACTS)
        g_hash_table_remove_all(self->wanted);
    self->is_stale |= g_hash_table_add(self->wanted, g_strdup(doc_id));
}

static void watch_directory(Watch *self, const char *path)
{
    if (self->inotify < 0 || g_hash_table_size(self->directories) >= MAX_DIRECTORIES)
        return;
    g_autofree char *directory = g_path_get_dirname(path);
    if (!g_hash_table_contains(self->directories, directory) &&
        inotify_add_watch(self->inotify, directory, FILE_EVENTS) >= 0)
        g_hash_table_add(self->directories, g_steal_pointer(&directory));
}

/* Takes the artifact. What was known of its file stays known. */
static void watch_file(Watch *self, GHashTable *known, RunArtifact *artifact)
{
    WatchedFile *file = g_new0(WatchedFile, 1);
    const WatchedFile *before = g_hash_table_lookup(known, artifact->doc_id);
    file->path = run_artifact_file(artifact);
    if (before && strcmp(before->path, file->path) == 0) {
        file->was_read = before->was_read;
        file->signature = before->signature;
    }
    file->artifact = artifact;
    watch_directory(self, file->path);
    g_hash_table_replace(self->files, artifact->doc_id, file);
}

static bool list_files(Watch *self, Db *db, GError **error)
{
    g_autoptr(GPtrArray) artifacts = NULL;
    if (!run_artifact_list(db, NULL, &artifacts, error))
        return false;
    g_autoptr(GHashTable) known = self->files;
    self->files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, file_free);
    unsigned first = artifacts->len - MIN(artifacts->len, WATCH_MAX_ARTIFACTS);
    for (unsigned i = 0; i < artifacts->len; i++) {
        RunArtifact *artifact = artifacts->pdata[i];
        if (i < first && !g_hash_table_contains(self->wanted, artifact->doc_id))
            continue;
        artifacts->pdata[i] = NULL;
        watch_file(self, known, artifact);
    }
    self->is_stale = false;
    return true;
}

/* A directory that went away is watched again when it comes back. */
static void take_events(Watch *self)
{
    union {
        struct inotify_event first;
        char bytes[16 * 1024];
    } buffer;
    for (;;) {
        ssize_t got = self->inotify < 0 ? -1 : read(self->inotify, &buffer, sizeof(buffer));
        if (got <= 0)
            return;
        for (ssize_t at = 0; at < got;) {
            struct inotify_event event;
            memcpy(&event, buffer.bytes + at, sizeof(event));
            if (event.mask & (IN_IGNORED | IN_MOVE_SELF | IN_Q_OVERFLOW)) {
                g_hash_table_remove_all(self->directories);
                self->is_stale = true;
            }
            at += (ssize_t)(sizeof(event) + event.len);
        }
    }
}

/* False for a file that is not there. */
static bool watch_sign(const char *path, Signature *ret_signature)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    *ret_signature = (Signature) { .device = st.st_dev,
                                   .inode = st.st_ino,
                                   .size = st.st_size,
                                   .modified = st.st_mtim,
                                   .changed = st.st_ctim };
    return true;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_same(const Signature *a, const Signature *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           is_same_time(a->modified, b->modified) && is_same_time(a->changed, b->changed);
}

typedef struct Saying {
    const char *doc_id, *sha256; // sha256 "": gone
} Saying;

static bool append_row(Db *db, void *saying_, GError **error)
{
    const Saying *saying = saying_;
    g_autoptr(json_t) data = json_make("docId:%s sha256:%p", saying->doc_id,
                                       saying->sha256[0] ? json_text(saying->sha256) : json_null());
    return feed_append(db, "artifact", NULL, saying->doc_id, data, time_now_ms(), error);
}

static bool watch_say(Watch *self, Db *db, const RunArtifact *artifact, const char *sha256,
                      bool *ret_has_said, GError **error)
{
    const char *said = g_hash_table_lookup(self->shas, artifact->doc_id);
    if (!said)
        said = artifact->sha256 ? artifact->sha256 : "";
    if (strcmp(said, sha256) == 0)
        return true;
    Saying saying = { artifact->doc_id, sha256 };
    if (!db_transaction(db, append_row, &saying, error))
        return false;
    g_hash_table_replace(self->shas, g_strdup(artifact->doc_id), g_strdup(sha256));
    *ret_has_said = true;
    return true;
}

/* A file that cannot be read (too large, a link that leaves its root) has nothing to say. */
static bool look_at(Watch *self, Db *db, WatchedFile *file, size_t *bytes, bool *ret_has_said,
                    GError **error)
{
    Signature now = { 0 };
    bool is_there = watch_sign(file->path, &now);
    if (file->was_read && is_same(&now, &file->signature))
        return true;
    g_autofree char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) problem = NULL;
    g_autofree char *sha = NULL;
    if (is_there && run_artifact_read(file->artifact, LIMIT_EDIT_BYTES, &data, &size, &problem))
        sha = content_sha256(data, size);
    else if (!is_there || answer_error_is(problem, ANSWER_NOT_FOUND))
        sha = g_strdup("");
    *bytes += size;
    if (sha && !watch_say(self, db, file->artifact, sha, ret_has_said, error))
        return false;
    file->was_read = true;
    file->signature = now;
    return true;
}

bool watch_look(Watch *self, Db *db, bool *ret_has_said, GError **error)
{
    take_events(self);
    int64_t position = self->feed_position;
    if (!feed_read_shas(db, position, self->shas, &self->feed_position, error))
        return false;
    self->is_stale |= self->feed_position != position; // perhaps a new artifact
    if (self->is_stale && !list_files(self, db, error))
        return false;

    size_t bytes = 0;
    bool has_said = false;
    GHashTableIter iter;
    void *file;
    g_hash_table_iter_init(&iter, self->files);
    while (bytes < MAX_LOOK_BYTES && g_hash_table_iter_next(&iter, NULL, &file))
        if (!look_at(self, db, file, &bytes, &has_said, error))
            return false;
    *ret_has_said = has_said;
    return true;
}
