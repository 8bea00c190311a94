/* See run_place.h. */
#include "wm/workspace/run_place.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "wm/task/wm_log.h"
#include "wm/workspace/quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FETCH_MS      (10 * 60 * 1000)
#define DIR_PREFIX    "kedge-run-"
#define KEPT_S        (24 * 60 * 60) // longer than any run
#define LOCK_NAME     ".fetch.lock"
#define LOCK_PAUSE_MS 50
#define FROM_AGENT    "refs/kedge/head" // in the second clone

static void remove_dir(const char *path)
{
    g_autoptr(GError) error = NULL;
    if (path && !file_remove_tree(path, &error))
        wm_log(WM_WARN, "wm worker: a directory is left", "path", path, "reason", error->message,
               NULL);
}

void wm_place_clear(WmPlace *self)
{
    remove_dir(self->dir);
    remove_dir(self->apart);
    g_clear_pointer(&self->dir, g_free);
    g_clear_pointer(&self->work, g_free);
    g_clear_pointer(&self->branch, g_free);
    g_clear_pointer(&self->commit, g_free);
    g_clear_pointer(&self->url, g_free);
    g_clear_pointer(&self->apart, g_free);
    g_clear_pointer(&self->policy, g_free);
    g_clear_pointer(&self->trusted, g_free);
}

void wm_place_prune(void)
{
    g_autoptr(GDir) dir = g_dir_open(g_get_tmp_dir(), 0, NULL);
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
        struct stat status;
        g_autofree char *path = g_build_filename(g_get_tmp_dir(), name, NULL);
        if (str_has_prefix(name, DIR_PREFIX) && lstat(path, &status) == 0 &&
            S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
            time_now_ms() / 1000 - (int64_t)status.st_mtime > KEPT_S)
            file_remove_tree(path, NULL);
    }
}

static bool run_place_git(const char *dir, Cancel *cancel, GError **error, const char *first,
                          ...) G_GNUC_NULL_TERMINATED;

static bool run_place_git(const char *dir, Cancel *cancel, GError **error, const char *first, ...)
{
    g_autoptr(GPtrArray) args = g_ptr_array_new();
    va_list rest;
    va_start(rest, first);
    for (const char *arg = first; arg; arg = va_arg(rest, const char *))
        g_ptr_array_add(args, (char *)arg);
    va_end(rest);
    g_ptr_array_add(args, NULL);
    // agents know where it all is; what is fetched is here already, and needs no token
    const WmGit spec = { .root = dir, .is_quarantined = true, .is_local = true };
    return wm_git(&spec, (const char *const *)args->pdata, FETCH_MS, cancel, NULL, error);
}

/* A clone of `ref` of `from`, as the branch that origin has; it shares nothing with `from`. */
static bool clone_of(const char *from, const char *ref, const char *dir, const char *branch,
                     const char *url, Cancel *cancel, GError **error)
{
    g_autofree char *source = g_strconcat("file://", from, NULL);
    g_autofree char *tracking = g_strconcat("refs/remotes/origin/", branch, NULL);
    g_autofree char *refspec = g_strconcat("+", ref, ":", tracking, NULL);
    g_autofree char *local = g_strconcat("refs/heads/", branch, NULL);
    return file_make_dirs(dir, 0700, error) &&
           run_place_git(dir, cancel, error, "init", "-q", NULL) &&
           run_place_git(dir, cancel, error, "fetch", "-q", "--no-tags", "--depth=1", source,
                         refspec, NULL) &&
           run_place_git(dir, cancel, error, "remote", "add", "origin", url, NULL) &&
           run_place_git(dir, cancel, error, "update-ref", local, tracking, NULL) &&
           run_place_git(dir, cancel, error, "symbolic-ref", "HEAD", local, NULL) &&
           run_place_git(dir, cancel, error, "symbolic-ref", "refs/remotes/origin/HEAD", tracking,
                         NULL) &&
           run_place_git(dir, cancel, error, "reset", "-q", "--hard", NULL);
}

/* Of the fetches into one checkout: git refuses all but one of those that come at the same time.
   Held until *ret_lock is closed. */
static bool lock_fetch(const char *root, Cancel *cancel, Fd *ret_lock, GError **error)
{
    g_autofree char *path = g_build_filename(root, ".wm", "runs", LOCK_NAME, NULL);
    g_auto(Fd) fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot open %s", path);
    int64_t until_ms = time_monotonic_ms() + FETCH_MS;
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            break; // a file system without locks: git says what it thinks of it
        if (time_monotonic_ms() >= until_ms)
            return fail_with(error, KEDGE_ERROR_TIMEOUT,
                             "another fetch into %s has %s locked for 10 minutes", root, path);
        if (!cancel_sleep(cancel, LOCK_PAUSE_MS, error))
            return false;
    }
    *ret_lock = fd_steal(&fd);
    return true;
}

static bool run_place_fetch(const char *root, const char *refspec, Cancel *cancel, GError **error)
{
    g_auto(Fd) lock = -1;
    const WmGit spec = { .root = root, .is_quarantined = true };
    const char *const args[] = { "fetch", "-q", "--no-tags", "origin", refspec, NULL };
    return lock_fetch(root, cancel, &lock, error) &&
           wm_git(&spec, args, FETCH_MS, cancel, NULL, error);
}

static bool wm_place_fill(WmPlace *self, const char *root, Cancel *cancel, GError **error)
{
    const WmGit spec = { .root = root };
    static const char *const ask_url[] = { "remote", "get-url", "origin", NULL };
    self->branch = wm_git_default_branch(&spec, NULL, cancel);
    g_autofree char *ref = g_strconcat("refs/remotes/origin/", self->branch, NULL);
    g_autofree char *refspec = g_strdup_printf("+refs/heads/%s:%s", self->branch, ref);
    const char *const ask_commit[] = { "rev-parse", "--verify", ref, NULL };
    return wm_git(&spec, ask_url, 0, cancel, &self->url, error) &&
           run_place_fetch(root, refspec, cancel, error) &&
           wm_git(&spec, ask_commit, 0, cancel, &self->commit, error) &&
           clone_of(root, self->commit, self->work, self->branch, self->url, cancel, error);
}

/* A new one, which no one else knows. NULL: *error says why. */
static char *make_dir(GError **error)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), DIR_PREFIX "XXXXXX", NULL);
    if (mkdtemp(path))
        return g_steal_pointer(&path);
    fail_with_errno(error, errno, "cannot make the directory %s of a run", path);
    return NULL;
}

static bool make_work(WmPlace *self, GError **error)
{
    self->dir = make_dir(error);
    if (self->dir)
        self->work = g_build_filename(self->dir, "work", NULL);
    return self->dir != NULL;
}

bool wm_place_make(const char *root, Cancel *cancel, WmPlace *ret_place, GError **error)
{
    g_auto(WmPlace) self = { 0 };
    if (!make_work(&self, error) || !wm_place_fill(&self, root, cancel, error))
        return false;
    *ret_place = self;
    self = (WmPlace) { 0 };
    return true;
}

/* The commit that the directory makes of its index is what origin seems to have. */
static bool commit_files(const WmPlace *self, Cancel *cancel, GError **error)
{
    const char *dir = self->work;
    g_autofree char *tracking = g_strconcat("refs/remotes/origin/", self->branch, NULL);
    return run_place_git(dir, cancel, error, "config", "user.name", "Rehearsal", NULL) &&
           run_place_git(dir, cancel, error, "config", "user.email", "rehearsal@localhost", NULL) &&
           run_place_git(dir, cancel, error, "config", "commit.gpgSign", "false", NULL) &&
           run_place_git(dir, cancel, error, "add", "-A", "--force", "--", ".wm", NULL) &&
           run_place_git(dir, cancel, error, "commit", "-q", "--allow-empty", "--no-verify", "-m",
                         "Tasks as they are in the work tree", NULL) &&
           run_place_git(dir, cancel, error, "update-ref", tracking, "HEAD", NULL);
}

bool wm_place_make_here(const char *root, WmPlaceFill add_files, void *user_data, Cancel *cancel,
                        WmPlace *ret_place, GError **error)
{
    const WmGit spec = { .root = root };
    g_auto(WmPlace) self = { 0 };
    if (!make_work(&self, error))
        return false;
    self.branch = wm_git_default_branch(&spec, NULL, cancel);
    if (!clone_of(root, "HEAD", self.work, self.branch, "file:///dev/null/closed", cancel, error) ||
        !add_files(self.work, user_data, error) || !commit_files(&self, cancel, error))
        return false;
    *ret_place = self;
    self = (WmPlace) { 0 };
    return true;
}

bool wm_place_set_apart(WmPlace *self, const char *root, Cancel *cancel, GError **error)
{
    self->apart = make_dir(error);
    if (!self->apart)
        return false;
    self->policy = g_build_filename(self->apart, "policy", NULL);
    self->trusted = g_build_filename(self->apart, "trusted", NULL);
    g_autofree char *prefix = g_strdup_printf("--prefix=%s/", self->trusted);
    return clone_of(root, self->commit, self->policy, self->branch, self->url, cancel, error) &&
           file_make_dirs(self->trusted, 0700, error) &&
           run_place_git(self->policy, cancel, error, "checkout-index", "-q", "-a", prefix, NULL);
}

bool wm_place_take_branch(const WmPlace *self, Cancel *cancel, GError **error)
{
    const WmGit theirs = { .root = self->work };
    const WmGit ours = { .root = self->policy };
    g_autofree char *branch = NULL;
    if (!wm_git_branch(&theirs, cancel, &branch, error))
        return false;
    bool is_on_none = strcmp(branch, "HEAD") == 0;
    if (!is_on_none && !wm_git_branch_name_is_valid(&ours, branch, cancel))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "the agent left no branch but \"%s\"",
                         branch);
    g_autofree char *source = g_strconcat("file://", self->work, NULL);
    return run_place_git(self->policy, cancel, error, "fetch", "-q", "--no-tags",
                         "--update-shallow", source, "+HEAD:" FROM_AGENT, NULL) &&
           (is_on_none ? run_place_git(self->policy, cancel, error, "checkout", "-q", "--detach",
                                       FROM_AGENT, "--", NULL)
                       : run_place_git(self->policy, cancel, error, "checkout", "-q", "--no-track",
                                       "-B", branch, FROM_AGENT, "--", NULL));
}
