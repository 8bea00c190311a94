/* See push_place.h. */
#include "wm/workspace/push_place.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>

#define COPY_MS    ((int64_t)15 * 60 * 1000)
#define HEADS      "refs/heads/"
#define REMOTE     "refs/remotes/origin/"
#define FROM_AGENT "refs/kedge/head" // of a HEAD that is on no branch

void wm_push_place_clear(WmPushPlace *self)
{
    if (self->dir)
        file_remove_tree(self->dir, NULL);
    g_clear_pointer(&self->root, g_free);
    g_clear_pointer(&self->url, g_free);
    g_clear_pointer(&self->branch, g_free);
    g_clear_pointer(&self->base, g_free);
    g_clear_pointer(&self->dir, g_free);
    g_clear_pointer(&self->clone, g_free);
}

// ---- before ----

/* What git prints, NULL when it says no. Caller frees. */
static char *push_place_ask(const WmGit *git, const char *const *args, Cancel *cancel)
{
    g_autofree char *output = NULL;
    int status = 1;
    bool is_known = wm_git_ask(git, args, 0, cancel, &status, &output, NULL, NULL);
    return is_known && status == 0 && *output != '\0' ? g_steal_pointer(&output) : NULL;
}

static void note_base(WmPushPlace *self, const WmGit *git, Cancel *cancel)
{
    g_autofree char *ref = g_strconcat(REMOTE, self->branch, "^{commit}", NULL);
    const char *const verify[] = { "rev-parse", "--verify", "--quiet", ref, NULL };
    self->base = push_place_ask(git, verify, cancel);
    if (!self->base)
        return;
    const char *const is_older[] = { "merge-base", "--is-ancestor", self->base, "HEAD", NULL };
    int status = 1;
    self->is_short = wm_git_ask(git, is_older, 0, cancel, &status, NULL, NULL, NULL) && status == 0;
}

bool wm_push_place_note(const WmGit *git, const char *of_payload, Cancel *cancel,
                        WmPushPlace *ret_place, GError **error)
{
    static const char *const push_url[] = { "remote", "get-url", "--push", "origin", NULL };
    g_auto(WmPushPlace) self = { .root = g_strdup(git->root) };
    self.branch = wm_git_default_branch(git, of_payload, cancel);
    self.url = push_place_ask(git, push_url, cancel);
    note_base(&self, git, cancel);
    if (!cancel_check(cancel, error))
        return false;
    *ret_place = self;
    self = (WmPushPlace) { 0 };
    return true;
}

bool wm_push_place_note_late(const WmGit *git, const char *url, const char *of_payload,
                             Cancel *cancel, WmPushPlace *ret_place, GError **error)
{
    static const char *const raw_url[] = { "config", "--get", "remote.origin.url", NULL };
    g_auto(WmPushPlace) self = { .root = g_strdup(git->root) };
    self.branch = wm_git_default_branch(git, of_payload, cancel);
    self.url = url ? g_strdup(url) : push_place_ask(git, raw_url, cancel);
    if (!cancel_check(cancel, error))
        return false;
    *ret_place = self;
    self = (WmPushPlace) { 0 };
    return true;
}

// ---- after ----

static bool git_in_clone(const WmPushPlace *self, Cancel *cancel, GError **error, const char *first,
                         ...) G_GNUC_NULL_TERMINATED;

static bool git_in_clone(const WmPushPlace *self, Cancel *cancel, GError **error, const char *first,
                         ...)
{
    g_autoptr(GPtrArray) args = g_ptr_array_new();
    va_list rest;
    va_start(rest, first);
    for (const char *arg = first; arg; arg = va_arg(rest, const char *))
        g_ptr_array_add(args, (char *)arg);
    va_end(rest);
    g_ptr_array_add(args, NULL);
    const WmGit git = { .root = self->clone, .is_quarantined = true, .is_local = true };
    return wm_git(&git, (const char *const *)args->pdata, COPY_MS, cancel, NULL, error);
}

static bool make_dir(WmPushPlace *self, GError **error)
{
    g_autofree char *dir = g_build_filename(dirs_temp(), "kedge-push-XXXXXX", NULL);
    if (!g_mkdtemp_full(dir, 0700))
        return fail_with_errno(error, errno, "cannot make a directory in %s", dirs_temp());
    self->dir = g_steal_pointer(&dir);
    self->clone = g_build_filename(self->dir, "clone", NULL);
    return file_make_dirs(self->clone, 0700, error);
}

static bool take_base(const WmPushPlace *self, const char *source, Cancel *cancel, GError **error)
{
    g_autofree char *tracking = g_strconcat(REMOTE, self->branch, NULL);
    g_autofree char *refspec = g_strconcat("+", self->base, ":", tracking, NULL);
    return git_in_clone(self, cancel, error, "fetch", "-q", "--no-tags",
                        self->is_short ? "--depth=1" : "--update-shallow", source, refspec, NULL);
}

/* Which branch is the default one, also where none of its commits is here. */
static bool set_default(const WmPushPlace *self, Cancel *cancel, GError **error)
{
    g_autofree char *tracking = g_strconcat(REMOTE, self->branch, NULL);
    return git_in_clone(self, cancel, error, "symbolic-ref", REMOTE "HEAD", tracking, NULL);
}

/* Before it is used as a name: an agent chose it. */
static bool take_head(const WmPushPlace *self, const char *source, Cancel *cancel, GError **error)
{
    static const char *const ask_commit[] = { "rev-parse", "--verify", "HEAD^{commit}", NULL };
    const WmGit theirs = { .root = self->root };
    const WmGit ours = { .root = self->clone };
    g_autofree char *branch = NULL, *commit = NULL;
    if (!wm_git_branch(&theirs, cancel, &branch, error) ||
        !wm_git(&theirs, ask_commit, 0, cancel, &commit, error))
        return false;
    bool is_on_none = strcmp(branch, "HEAD") == 0;
    if (!is_on_none && !wm_git_branch_name_is_valid(&ours, branch, cancel))
        return fail_with(error, KEDGE_ERROR_DENIED, "the agent left no branch but \"%s\"", branch);
    g_autofree char *ref = is_on_none ? g_strdup(FROM_AGENT) : g_strconcat(HEADS, branch, NULL);
    g_autofree char *refspec = g_strconcat("+", commit, ":", ref, NULL);
    return git_in_clone(self, cancel, error, "fetch", "-q", "--no-tags", "--update-shallow",
                        "--update-head-ok", source, refspec, NULL) &&
           (is_on_none ? git_in_clone(self, cancel, error, "update-ref", "--no-deref", "HEAD",
                                      commit, NULL)
                       : git_in_clone(self, cancel, error, "symbolic-ref", "HEAD", ref, NULL));
}

bool wm_push_place_make(WmPushPlace *self, Cancel *cancel, GError **error)
{
    g_autofree char *source = g_strconcat("file://", self->root, NULL);
    bool is_made = make_dir(self, error) &&
                   git_in_clone(self, cancel, error, "init", "-q", "--template=", NULL) &&
                   (!self->url || git_in_clone(self, cancel, error, "remote", "add", "--", "origin",
                                               self->url, NULL)) &&
                   (!self->base || take_base(self, source, cancel, error)) &&
                   set_default(self, cancel, error) && take_head(self, source, cancel, error);
    if (!is_made)
        g_prefix_error(error, "cannot take what the agent committed into a clone of our own: ");
    return is_made;
}

void wm_push_place_tell(const WmPushPlace *self, const char *remote_branch, bool is_upstream,
                        Cancel *cancel)
{
    static const char *const ask_head[] = { "rev-parse", "HEAD", NULL };
    const WmGit theirs = { .root = self->root };
    const WmGit ours = { .root = self->clone };
    g_autofree char *branch = NULL, *commit = push_place_ask(&ours, ask_head, cancel);
    if (!commit || !wm_git_branch(&ours, cancel, &branch, NULL))
        return;
    g_autofree char *tracking = g_strconcat(REMOTE, remote_branch, NULL);
    g_autofree char *upstream = g_strconcat("--set-upstream-to=origin/", remote_branch, NULL);
    const char *const update[] = { "update-ref", tracking, commit, NULL };
    const char *const follow[] = { "branch", "-q", upstream, branch, NULL };
    bool follows = is_upstream && strcmp(branch, "HEAD") != 0;
    if (wm_git(&theirs, update, 0, cancel, NULL, NULL) && follows)
        wm_git(&theirs, follow, 0, cancel, NULL, NULL);
}
