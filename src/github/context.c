/*
 * The repository of the working directory, as gh sees it (github-tool §0.4).
 *
 * The memo lives as long as the process. The first caller for a directory asks gh; others who come
 * meanwhile wait for its answer on a descriptor, together with their own cancel token. A caller
 * whose leader was cancelled starts over and may become the leader.
 */
#include "base/fd.h"
#include "github/gh.h"
#include "github/repo_ref.h"

#include <pthread.h>
#include <sys/eventfd.h>

#define MEMO_MAX_ENTRIES 256 // directories; beyond, the memo is emptied

/* One lookup. Everything but `done_fd` is guarded by memo_lock; a finished lookup does not change.
 */
typedef struct Lookup {
    unsigned refs;
    Fd done_fd; // readable once finished; -1: there was no descriptor, look now and then
    bool is_done;
    char *repo;    // the answer, or
    GError *error; // why there is none
} Lookup;

static pthread_mutex_t memo_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *memo; // absolute directory → Lookup; guarded by memo_lock

bool repo_default_fresh(ToolCall *call, char **ret_repo, GError **error)
{
    const GhSpec spec = {
        .argv = (const char *const[]) { "repo", "view", "--json", "nameWithOwner", "-q",
                                        ".nameWithOwner", NULL },
    };
    g_autofree char *repo = NULL;
    if (!gh_text(call, &spec, &repo, error))
        return false;
    if (*repo == '\0')
        return fail_with(error, KEDGE_ERROR_FAILED, "repo must not be empty");
    *ret_repo = g_steal_pointer(&repo);
    return true;
}

static Lookup *lookup_new(void)
{
    Lookup *self = g_new0(Lookup, 1);
    self->refs = 1;
    self->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return self;
}

static void lookup_unref_locked(void *data)
{
    Lookup *self = data;
    if (--self->refs > 0)
        return;
    fd_close(self->done_fd);
    g_free(self->repo);
    g_clear_error(&self->error);
    g_free(self);
}

/* The lookup of a directory, referenced. `ret_is_leader`: the caller must make it and call
 * memo_finish(). */
static Lookup *memo_enter(const char *cwd, bool *ret_is_leader)
{
    pthread_mutex_lock(&memo_lock);
    if (memo == NULL)
        memo = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, lookup_unref_locked);
    Lookup *lookup = g_hash_table_lookup(memo, cwd);
    *ret_is_leader = lookup == NULL;
    if (lookup == NULL) {
        if (g_hash_table_size(memo) >= MEMO_MAX_ENTRIES)
            g_hash_table_remove_all(memo);
        lookup = lookup_new();
        g_hash_table_insert(memo, g_strdup(cwd), lookup);
    }
    lookup->refs++;
    pthread_mutex_unlock(&memo_lock);
    return lookup;
}

static void memo_leave(Lookup *lookup)
{
    pthread_mutex_lock(&memo_lock);
    lookup_unref_locked(lookup);
    pthread_mutex_unlock(&memo_lock);
}

/* Takes ownership of `repo` or `error`. A failure is told to those who wait, and not remembered. */
static void memo_finish(Lookup *lookup, const char *cwd, char *repo, GError *error)
{
    pthread_mutex_lock(&memo_lock);
    lookup->is_done = true;
    lookup->repo = repo;
    lookup->error = error;
    if (error != NULL && g_hash_table_lookup(memo, cwd) == lookup)
        g_hash_table_remove(memo, cwd);
    if (lookup->done_fd >= 0)
        eventfd_write(lookup->done_fd, 1);
    pthread_mutex_unlock(&memo_lock);
}

static bool lookup_is_done(Lookup *lookup)
{
    pthread_mutex_lock(&memo_lock);
    bool is_done = lookup->is_done;
    pthread_mutex_unlock(&memo_lock);
    return is_done;
}

/* The leader's gh has a deadline, so this ends without one of its own. */
static bool lookup_wait(Lookup *lookup, Cancel *cancel, GError **error)
{
    struct pollfd done = { .fd = lookup->done_fd, .events = POLLIN };
    while (!lookup_is_done(lookup)) {
        if (!cancel_check(cancel, error))
            return false;
        cancel_poll(cancel, &done, 1, done.fd >= 0 ? -1 : CANCEL_SLICE_MS);
    }
    return true;
}

/* Copies the answer of a finished lookup. */
static bool lookup_read(Lookup *lookup, char **ret_repo, GError **error)
{
    pthread_mutex_lock(&memo_lock);
    g_assert(lookup->is_done);
    bool is_found = lookup->repo != NULL;
    if (is_found)
        *ret_repo = g_strdup(lookup->repo);
    else
        g_propagate_error(error, g_error_copy(lookup->error));
    pthread_mutex_unlock(&memo_lock);
    return is_found;
}

static bool lookup_attempt(ToolCall *call, const char *cwd, bool *ret_is_leader, char **ret_repo,
                           GError **error)
{
    Lookup *lookup = memo_enter(cwd, ret_is_leader);
    bool is_done = true;
    if (*ret_is_leader) {
        char *repo = NULL;
        GError *failure = NULL;
        repo_default_fresh(call, &repo, &failure);
        memo_finish(lookup, cwd, repo, failure);
    } else {
        is_done = lookup_wait(lookup, tool_call_cancel(call), error);
    }
    bool is_found = is_done && lookup_read(lookup, ret_repo, error);
    memo_leave(lookup);
    return is_found;
}

bool repo_default_memoised(ToolCall *call, char **ret_repo, GError **error)
{
    g_autofree char *cwd = g_canonicalize_filename(tool_call_cwd(call), NULL);
    for (;;) {
        bool is_leader;
        g_autoptr(GError) failure = NULL;
        if (lookup_attempt(call, cwd, &is_leader, ret_repo, &failure))
            return true;
        // another caller's cancel is not ours
        bool is_foreign_cancel = !is_leader && error_is(failure, KEDGE_ERROR_CANCELLED) &&
                                 !cancel_has_fired(tool_call_cancel(call));
        if (!is_foreign_cancel) {
            g_propagate_error(error, g_steal_pointer(&failure));
            return false;
        }
    }
}
