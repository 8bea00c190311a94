/*
 * What the items that push share (apply_private.h): what origin has, whether the objects here can
 * be believed, and the push itself.
 */
#include "wm/apply/apply_private.h"

#define FETCH_MS ((int64_t)10 * 60 * 1000)

bool apply_default_branch(Applier *self, char **ret_branch, GError **error)
{
    const char *name = wm_event_default_branch(self->spec->event);
    g_autoptr(json_t) repository = NULL;
    if (!name && self->git.is_quarantined && self->spec->api) {
        g_autofree char *path = apply_path(self, "%s", "");
        if (!wm_api_get(self->spec->api, path, self->cancel, &repository, error)) {
            g_prefix_error(error, "cannot tell the default branch: ");
            return false;
        }
        name = json_get_text(repository, "default_branch");
        if (!wm_git_branch_name_is_valid(&self->git, name, self->cancel))
            return fail_with(error, KEDGE_ERROR_PROTOCOL,
                             "cannot tell the default branch: GitHub's answer is \"%s\"",
                             name ? name : "");
    }
    *ret_branch = wm_git_default_branch(&self->git, name, self->cancel);
    return true;
}

bool apply_fetch(Applier *self, const char *branch, GError **error)
{
    g_autofree char *refspec =
        g_strdup_printf("+refs/heads/%s:refs/remotes/origin/%s", branch, branch);
    const char *const args[] = {
        "fetch", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--", "origin",
        refspec, NULL
    };
    return wm_git(&self->git, args, FETCH_MS, self->cancel, NULL, error);
}

/* An agent's prompt, its event and its transcript, of this run and of others: the directory is kept
   out of git, and can be added all the same. */
bool apply_check_run_files(Applier *self, const char *base, GError **error)
{
    g_autofree char *id = g_path_get_basename(self->spec->run_dir);
    g_autofree char *of_run = g_strdup_printf(":(glob)**/%s/**", id);
    g_autofree char *known = base ? g_strconcat("refs/remotes/origin/", base, NULL) : NULL;
    const char *const args[] = { "log",
                                 "--full-history",
                                 "--cc",
                                 "--no-renames",
                                 "--format=",
                                 "--name-only",
                                 "--diff-filter=d",
                                 "HEAD",
                                 "--not",
                                 base ? known : "--remotes",
                                 "--",
                                 ":(glob)**/.wm/runs/**",
                                 of_run,
                                 NULL };
    g_autofree char *text = NULL;
    if (!wm_git(&self->git, args, 0, self->cancel, &text, error)) {
        g_prefix_error(error, "cannot tell which files the commits have: ");
        return false;
    }
    text[strcspn(text, "\n")] = '\0';
    return *text == '\0' ||
           fail_with(error, KEDGE_ERROR_DENIED,
                     "a commit has files of a run (%s); take them out of the history", text);
}

bool apply_check_objects(Applier *self, GError **error)
{
    const char *const args[] = { "fsck",         "--full",        "--no-dangling",
                                 "--no-reflogs", "--no-progress", NULL };
    // not its status: it also says what is merely odd in an old history
    static const char *const words[] = { "mismatch", "corrupt", "missing ", "cannot " };
    g_autofree char *output = NULL, *errors = NULL;
    if (!self->git.is_quarantined)
        return true;
    if (!wm_git_ask(&self->git, args, FETCH_MS, self->cancel, NULL, &output, &errors, error))
        return false;
    g_autofree char *both = g_strconcat(output, "\n", errors, NULL);
    g_auto(GStrv) lines = g_strsplit(both, "\n", -1);
    for (char **line = lines; *line; line++)
        for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
            if (strstr(*line, words[i]))
                return fail_with(error, KEDGE_ERROR_DENIED,
                                 "the objects of this repository cannot be believed: %s", *line);
    return true;
}

static bool has_uncommitted(Applier *self)
{
    const char *const args[] = { "status", "--porcelain", "--untracked-files=normal", NULL };
    const WmGit theirs = { .root = self->spec->root, .is_quarantined = self->git.is_quarantined };
    g_autofree char *changes = NULL;
    return wm_git(&theirs, args, 0, self->cancel, &changes, NULL) && *changes != '\0';
}

bool apply_no_changes(Applier *self, const char *base, const char *text, GError **error)
{
    const char *policy = wm_handler_text(self->handler, "if-no-changes");
    const char *rest = has_uncommitted(self) ? " (uncommitted changes are not included)" : "";
    if (g_strcmp0(policy, "error") == 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "no commits ahead of origin/%s%s", base, rest);
    if (g_strcmp0(policy, "ignore") != 0)
        apply_warn(self, "no commits ahead of origin/%s; %s%s", base, text, rest);
    apply_skip(self, "no commits ahead of origin/%s%s", base, rest);
    return true;
}

/* The hook that uploads LFS objects does not run after an agent. */
static void warn_about_lfs(Applier *self, const char *branch)
{
    const char *const args[] = {
        "grep", "--quiet", "-e", "filter=lfs", "HEAD", "--", ":(glob)**/.gitattributes", NULL
    };
    int status = 1;
    if (wm_git_ask(&self->git, args, 0, self->cancel, &status, NULL, NULL, NULL) && status == 0)
        apply_warn(self,
                   "this repository uses Git LFS (filter=lfs in .gitattributes), and hooks do not "
                   "run here: LFS objects of the commits are not uploaded. If GitHub refuses them, "
                   "run git lfs push origin %s where they are",
                   branch);
}

bool apply_push(Applier *self, const char *branch, bool sets_upstream, bool *ret_has_changed,
                GError **error)
{
    g_autofree char *refspec = g_strdup_printf("HEAD:refs/heads/%s", branch);
    *ret_has_changed = true;
    if (self->is_staged) {
        g_autofree char *place = g_strconcat("origin ", refspec, NULL);
        return apply_call(self, "git push", place, NULL, NULL, error);
    }
    warn_about_lfs(self, branch);
    g_autofree char *output = NULL;
    if (!wm_git_push(&self->git, refspec, sets_upstream, self->cancel, &output, error))
        return false;
    *ret_has_changed = !strstr(output, "Everything up-to-date");
    if (self->spec->push)
        wm_push_place_tell(self->spec->push, branch, sets_upstream, self->cancel);
    return true;
}
