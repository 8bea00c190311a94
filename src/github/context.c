/*
 * The repository of the working directory, as gh sees it (github-tool §0.4).
 *
 * The memo belongs to the ToolContext, as the directory and the settings do that the answer depends
 * on. The first caller asks gh; others who come meanwhile wait for its answer on a descriptor,
 * together with their own cancel token. A caller whose leader was cancelled starts over and may
 * become the leader.
 */
#include "tool/context.h"
#include "base/fd.h"
#include "base/lock.h"
#include "github/gh.h"
#include "github/repo_ref.h"

#include <sys/eventfd.h>

#define STATE_KEY "default repository"

typedef struct Memo {
    pthread_mutex_t lock;
    struct Lookup *lookup; // the last one; NULL: none yet, or it failed
} Memo;

/* One lookup. Everything but `done_fd` is guarded by the memo's lock; a finished one does not
   change. */
typedef struct Lookup {
    unsigned refs;
    Settings *settings; // that gh was asked with: others may name another gh, or host
    Fd done_fd;         // readable once finished; -1: there was no descriptor, look now and then
    bool is_done;
    char *repo;    // the answer, or
    GError *error; // why there is none
} Lookup;

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
    g_auto(RepoRef) reference = { 0 };
    if (!repo_ref_parse(repo, &reference)) // whatever gh is, what it prints may be anything
        return fail_with(error, KEDGE_ERROR_FAILED, "gh repo view named no repository: %.100s",
                         repo);
    *ret_repo = g_steal_pointer(&repo);
    return true;
}

static Lookup *lookup_new(const Settings *settings)
{
    Lookup *self = g_new0(Lookup, 1);
    self->refs = 1;
    self->settings = settings_ref((Settings *)settings);
    self->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return self;
}

static void lookup_unref_locked(Lookup *self)
{
    if (!self || --self->refs > 0)
        return;
    fd_close(self->done_fd);
    settings_unref(self->settings);
    g_free(self->repo);
    g_clear_error(&self->error);
    g_free(self);
}

static void *memo_new(void)
{
    Memo *self = g_new0(Memo, 1);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void memo_free(void *memo)
{
    Memo *self = memo;
    lookup_unref_locked(self->lookup); // no call is running any more
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

/* The lookup with these settings, referenced. `ret_is_leader`: the caller must make it and call
   memo_finish(). */
static Lookup *memo_enter(Memo *self, const Settings *settings, bool *ret_is_leader)
{
    HOLD_LOCK(&self->lock);
    *ret_is_leader = !self->lookup || self->lookup->settings != settings;
    if (*ret_is_leader) {
        lookup_unref_locked(self->lookup);
        self->lookup = lookup_new(settings);
    }
    Lookup *lookup = self->lookup;
    lookup->refs++;
    return lookup;
}

static void memo_leave(Memo *self, Lookup *lookup)
{
    HOLD_LOCK(&self->lock);
    lookup_unref_locked(lookup);
}

/* Takes ownership of `repo` or `error`. A failure is told to those who wait, and not remembered. */
static void memo_finish(Memo *self, Lookup *lookup, char *repo, GError *error)
{
    HOLD_LOCK(&self->lock);
    lookup->is_done = true;
    lookup->repo = repo;
    lookup->error = error;
    if (error && self->lookup == lookup) {
        self->lookup = NULL;
        lookup_unref_locked(lookup);
    }
    if (lookup->done_fd >= 0)
        eventfd_write(lookup->done_fd, 1);
}

static bool memo_is_done(Memo *self, const Lookup *lookup)
{
    HOLD_LOCK(&self->lock);
    return lookup->is_done;
}

/* The leader's gh has a deadline, so this ends without one of its own. */
static bool memo_wait(Memo *self, const Lookup *lookup, Cancel *cancel, GError **error)
{
    struct pollfd done = { .fd = lookup->done_fd, .events = POLLIN };
    while (!memo_is_done(self, lookup)) {
        if (!cancel_check(cancel, error))
            return false;
        cancel_poll(cancel, &done, 1, done.fd >= 0 ? -1 : CANCEL_SLICE_MS);
    }
    return true;
}

/* Copies the answer of a finished lookup. */
static bool memo_read(Memo *self, const Lookup *lookup, char **ret_repo, GError **error)
{
    HOLD_LOCK(&self->lock);
    g_assert(lookup->is_done);
    bool is_found = lookup->repo != NULL;
    if (is_found)
        *ret_repo = g_strdup(lookup->repo);
    else
        g_propagate_error(error, g_error_copy(lookup->error));
    return is_found;
}

static bool lookup_attempt(ToolCall *call, Memo *memo, bool *ret_is_leader, char **ret_repo,
                           GError **error)
{
    Lookup *lookup = memo_enter(memo, tool_call_settings(call), ret_is_leader);
    bool is_done = true;
    if (*ret_is_leader) {
        char *repo = NULL;
        GError *failure = NULL;
        repo_default_fresh(call, &repo, &failure);
        memo_finish(memo, lookup, repo, failure);
    } else {
        is_done = memo_wait(memo, lookup, tool_call_cancel(call), error);
    }
    bool is_found = is_done && memo_read(memo, lookup, ret_repo, error);
    memo_leave(memo, lookup);
    return is_found;
}

bool repo_default_memoised(ToolCall *call, char **ret_repo, GError **error)
{
    Memo *memo = tool_context_state(tool_call_context(call), STATE_KEY, memo_new, memo_free);
    for (;;) {
        bool is_leader;
        g_autoptr(GError) failure = NULL;
        if (lookup_attempt(call, memo, &is_leader, ret_repo, &failure))
            return true;
        // another caller's cancel is not ours
        bool is_foreign_cancel = !is_leader && error_is(failure, KEDGE_ERROR_CANCELLED) &&
                                 !cancel_has_fired(tool_call_cancel(call));
        if (!is_foreign_cancel)
            return pass_error(error, &failure);
    }
}
