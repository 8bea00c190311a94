/*
 * Reading a clone for gh's context (gh_context_git.h). git runs with the environment that gh will
 * get, so that both see the same configuration.
 */
#include "github/safe/gh_context_git.h"

#include "base/git.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/url_secrets.h"
#include "github/gh_env.h"

#include <pthread.h>
#include <sys/stat.h>

#define GIT_TIMEOUT_MS       (2 * 1000)
#define GIT_MAX_BYTES        ((size_t)256 * 1024)
#define MAX_REMOTES          64 // read, but for those with a name of their own in gh's order
#define CACHE_MAX_AGE_MS     (5 * 1000)
#define CACHE_MAX_DIRS       64
#define STAMPED_FILES        2
#define RESOLVED_KEY_PATTERN "^remote\\..*\\.gh-resolved$"

typedef struct Reader {
    const char *dir;
    Cancel *cancel;
} Reader;

/* git's trimmed answer, NULL when it failed or has none. */
static char *ask_git(const Reader *self, const char *const *args)
{
    g_auto(GStrv) env = gh_env_new_for(NULL, NULL);
    const GitSpec spec = {
        .dir = self->dir,
        .args = args,
        .env = (const char *const *)env,
        .timeout_ms = GIT_TIMEOUT_MS,
        .max_output_bytes = GIT_MAX_BYTES,
    };
    g_auto(GitResult) result = { 0 };
    if (!git_start(&spec, self->cancel, &result, NULL) || result.exit_status != 0 ||
        *result.output == '\0')
        return NULL;
    return g_steal_pointer(&result.output);
}

typedef struct Stamp { // of the files that change when the answer would
    struct timespec modified[STAMPED_FILES];
    off_t size[STAMPED_FILES];
} Stamp;

typedef struct Place {          // where a clone keeps its files
    char *files[STAMPED_FILES]; // config, HEAD
} Place;

static void place_clear(Place *self)
{
    for (size_t i = 0; i < STAMPED_FILES; i++)
        g_clear_pointer(&self->files[i], g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Place, place_clear)

static Stamp stamp_of(const Place *place)
{
    Stamp stamp = { 0 };
    for (size_t i = 0; i < STAMPED_FILES; i++) {
        struct stat info;
        if (stat(place->files[i], &info) != 0)
            continue;
        stamp.modified[i] = info.st_mtim;
        stamp.size[i] = info.st_size;
    }
    return stamp;
}

static bool stamp_equal(const Stamp *a, const Stamp *b)
{
    for (size_t i = 0; i < STAMPED_FILES; i++) {
        if (a->modified[i].tv_sec != b->modified[i].tv_sec ||
            a->modified[i].tv_nsec != b->modified[i].tv_nsec || a->size[i] != b->size[i])
            return false;
    }
    return true;
}

/* False: no clone. A worktree has a HEAD of its own, and the config of its clone. */
static bool find_place(const Reader *self, Place *ret_place)
{
    const char *const args[] = { "rev-parse", "--is-inside-work-tree", "--absolute-git-dir",
                                 "--git-common-dir", NULL };
    g_autofree char *answer = ask_git(self, args);
    g_auto(GStrv) lines = g_strsplit(answer != NULL ? answer : "", "\n", 3);
    if (g_strv_length(lines) != 3)
        return false;
    g_autofree char *common = g_canonicalize_filename(lines[2], self->dir);
    ret_place->files[0] = g_build_filename(common, "config", NULL);
    ret_place->files[1] = g_build_filename(lines[1], "HEAD", NULL);
    return true;
}

void gh_clone_unref(GhClone *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    g_ptr_array_unref(self->remotes);
    g_free(self->branch);
    g_free(self);
}

static GhClone *clone_ref(GhClone *self)
{
    g_atomic_int_inc(&self->ref_count);
    return self;
}

static void free_remote(void *data)
{
    gh_remote_free(data);
}

static GhClone *clone_new(bool is_clone)
{
    GhClone *self = g_new0(GhClone, 1);
    self->ref_count = 1;
    self->is_clone = is_clone;
    self->remotes = g_ptr_array_new_with_free_func(free_remote);
    return self;
}

static GhRemote *find_remote(const GhClone *self, const char *name)
{
    for (unsigned i = 0; i < self->remotes->len; i++) {
        GhRemote *remote = self->remotes->pdata[i];
        if (strcmp(remote->name, name) == 0)
            return remote;
    }
    return NULL;
}

static const char *const first_names[] = { "upstream", "github", "origin" };

static int name_rank(const char *name)
{
    int rank = 0;
    while (rank < (int)G_N_ELEMENTS(first_names) && !str_equal_nocase(name, first_names[rank]))
        rank++;
    return rank;
}

/* gh's order, in which the first one is a fork's parent. */
static int compare_remotes(gconstpointer a, gconstpointer b)
{
    const GhRemote *left = *(const GhRemote *const *)a, *right = *(const GhRemote *const *)b;
    return name_rank(left->name) - name_rank(right->name);
}

/* `remote -v` applies url.*.insteadOf, as get-url does, and answers for all at once: lines of
   "NAME<TAB>URL (fetch)". Of a clone with a remote for each of many forks, origin is not left out.
 */
static void read_remotes(GhClone *self, const Reader *reader, const Settings *settings)
{
    const char *const args[] = { "remote", "-v", NULL };
    g_autofree char *answer = ask_git(reader, args);
    g_auto(GStrv) lines = g_strsplit(answer != NULL ? answer : "", "\n", -1);
    url_secrets_register(answer != NULL ? answer : "");
    for (char **line = lines; *line; line++) {
        char *url = strchr(*line, '\t');
        char *purpose = url != NULL ? strstr(url, " (fetch)") : NULL;
        if (!purpose)
            continue;
        *url++ = *purpose = '\0';
        bool is_wanted =
            self->remotes->len < MAX_REMOTES || name_rank(*line) < (int)G_N_ELEMENTS(first_names);
        if (is_wanted && !find_remote(self, *line))
            g_ptr_array_add(self->remotes, gh_remote_new(*line, url, settings, reader->cancel));
    }
    g_ptr_array_sort(self->remotes, compare_remotes); // stable
}

/* Lines of "remote.NAME.gh-resolved VALUE"; a name may hold dots. As for git and gh, the last value
   of a remote counts: that of the clone comes after that of the person. */
static void read_resolved(GhClone *self, const Reader *reader)
{
    const char *const args[] = { "config", "--get-regexp", RESOLVED_KEY_PATTERN, NULL };
    g_autofree char *answer = ask_git(reader, args);
    g_auto(GStrv) lines = g_strsplit(answer != NULL ? answer : "", "\n", -1);
    for (char **line = lines; *line; line++) {
        char *end = strstr(*line, ".gh-resolved ");
        if (!end || !str_has_prefix(*line, "remote."))
            continue;
        *end = '\0';
        GhRemote *remote = find_remote(self, *line + strlen("remote."));
        const char *value = end + strlen(".gh-resolved ");
        if (!remote)
            continue;
        g_free(remote->resolved);
        remote->resolved = gh_remote_resolve(remote, value);
    }
}

typedef struct Entry {
    GhClone *clone;
    Stamp stamp;
    Place place;
    gint64 read_at; // monotonic milliseconds
} Entry;

struct GhCloneCache {
    pthread_mutex_t lock;
    GHashTable *entries; // directory → Entry
};

static void entry_free(void *data)
{
    Entry *entry = data;
    gh_clone_unref(entry->clone);
    place_clear(&entry->place);
    g_free(entry);
}

GhCloneCache *gh_clone_cache_new(void)
{
    GhCloneCache *self = g_new0(GhCloneCache, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, entry_free);
    return self;
}

void gh_clone_cache_free(GhCloneCache *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->entries);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static GhClone *cache_get(GhCloneCache *self, const char *dir)
{
    if (!self)
        return NULL;
    pthread_mutex_lock(&self->lock);
    GhClone *found = NULL;
    const Entry *entry = g_hash_table_lookup(self->entries, dir);
    if (entry && time_monotonic_ms() - entry->read_at <= CACHE_MAX_AGE_MS) {
        Stamp now = stamp_of(&entry->place);
        if (stamp_equal(&now, &entry->stamp))
            found = clone_ref(entry->clone);
    }
    pthread_mutex_unlock(&self->lock);
    return found;
}

/* Takes over what `place` holds. `stamp` was taken before git was asked, so a change in between is
 * seen. */
static void cache_put(GhCloneCache *self, const char *dir, GhClone *clone, Place *place,
                      const Stamp *stamp)
{
    if (!self)
        return;
    Entry *entry = g_new0(Entry, 1);
    entry->clone = clone_ref(clone);
    entry->stamp = *stamp;
    entry->place = *place;
    *place = (Place) { 0 };
    entry->read_at = time_monotonic_ms();
    pthread_mutex_lock(&self->lock);
    if (g_hash_table_size(self->entries) >= CACHE_MAX_DIRS)
        g_hash_table_remove_all(self->entries);
    g_hash_table_replace(self->entries, g_strdup(dir), entry);
    pthread_mutex_unlock(&self->lock);
}

bool gh_clone_read(GhCloneCache *cache, const char *dir, const Settings *settings, Cancel *cancel,
                   GhClone **ret_clone, GError **error)
{
    g_autoptr(GhClone) clone = cache_get(cache, dir);
    if (clone) {
        *ret_clone = g_steal_pointer(&clone);
        return true;
    }
    const Reader reader = { .dir = dir, .cancel = cancel };
    g_auto(Place) place = { 0 };
    clone = clone_new(find_place(&reader, &place));
    if (clone->is_clone) {
        Stamp stamp = stamp_of(&place);
        read_remotes(clone, &reader, settings);
        const char *const head[] = { "symbolic-ref", "--short", "-q", "HEAD", NULL };
        clone->branch = ask_git(&reader, head);
        read_resolved(clone, &reader);
        if (!cancel_has_fired(cancel)) // a stopped git has told nothing
            cache_put(cache, dir, clone, &place, &stamp);
    }
    if (!cancel_check(cancel, error))
        return false;
    *ret_clone = g_steal_pointer(&clone);
    return true;
}
