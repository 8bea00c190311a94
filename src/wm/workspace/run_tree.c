/* See run_tree.h. */
#include "wm/workspace/run_tree.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "wm/workspace/feature_branch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILL_MS    ((int64_t)10 * 60 * 1000) // large repositories, and filters that fetch
#define DIR_NAME   "wm"                      // below that of all worktrees
#define HEADS      "refs/heads/"
#define NS_PER_S   ((int64_t)1000000000)
#define MAX_PRUNED 64 // worktrees of killed runs that are looked at

void wm_run_tree_clear(WmRunTree *self)
{
    g_clear_pointer(&self->top, g_free);
    g_clear_pointer(&self->root, g_free);
    g_clear_pointer(&self->branch, g_free);
    g_clear_pointer(&self->start, g_free);
    fd_close(self->lock);
    self->lock = -1;
}

// ---- where it is ----

static char *tree_home(void)
{
    g_autofree char *dir = dirs_worktrees();
    return g_build_filename(dir, DIR_NAME, NULL);
}

/* What git prints; NULL: it says no. Caller frees. */
static char *tree_ask(const WmGit *git, Cancel *cancel, const char *const *args)
{
    g_autofree char *output = NULL;
    int status = 1;
    bool is_told = wm_git_ask(git, args, 0, cancel, &status, &output, NULL, NULL);
    return is_told && status == 0 ? g_steal_pointer(&output) : NULL;
}

bool wm_run_tree_is_possible(const WmGit *git, Cancel *cancel)
{
    static const char *const ask_commit[] = { "rev-parse", "--verify", "--quiet", "HEAD^{commit}",
                                              NULL };
    static const char *const ask_inside[] = { "rev-parse", "--is-inside-work-tree", NULL };
    g_autofree char *commit = tree_ask(git, cancel, ask_commit);
    g_autofree char *inside = commit ? tree_ask(git, cancel, ask_inside) : NULL;
    return g_strcmp0(inside, "true") == 0;
}

/* The same directory of the worktree: the root may be a directory in its repository. */
static bool tree_set_root(WmRunTree *self, const WmGit *git, Cancel *cancel, GError **error)
{
    static const char *const ask[] = { "rev-parse", "--show-prefix", NULL };
    g_autofree char *prefix = NULL;
    if (!wm_git(git, ask, 0, cancel, &prefix, error))
        return false;
    size_t size = strlen(prefix);
    if (size > 0 && prefix[size - 1] == '/')
        prefix[size - 1] = '\0';
    self->root = g_build_filename(self->top, *prefix != '\0' ? prefix : NULL, NULL);
    return true;
}

/* Held while the run lives, however it ends. False: it is gone, or another process holds it. */
static bool tree_lock(WmRunTree *self)
{
    g_auto(Fd) fd = open(self->top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool is_locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd < 0 || (!is_locked && errno == EWOULDBLOCK))
        return false;
    if (is_locked) // a file system without locks has none to offer
        self->lock = fd_steal(&fd);
    return true;
}

// ---- its beginning ----

/* Empty at first: what the configuration includes by condition may be other there, so that git asks
   it there for its filters before a file is written. */
static bool tree_fill(WmRunTree *self, const WmGit *git, Cancel *cancel, GError **error)
{
    const WmGit ours = { .root = self->top };
    const char *const add[] = { "worktree",   "add", "--no-checkout", "--end-of-options", self->top,
                                self->branch, NULL };
    static const char *const fill[] = { "reset", "-q", "--hard", NULL };
    struct timespec now;
    if (!wm_git(git, add, FILL_MS, cancel, NULL, error) ||
        !wm_git(&ours, fill, FILL_MS, cancel, NULL, error))
        return false;
    clock_gettime(CLOCK_REALTIME, &now); // not before the time of any of the files
    self->filled_at_ns = (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
    return true;
}

static void tree_remove(const WmRunTree *self, const WmGit *git, Cancel *cancel)
{
    // git would look at its state first, with what an agent made of its configuration
    const char *const forget[] = { "worktree",         "remove",  "--force", "--force",
                                   "--end-of-options", self->top, NULL };
    const char *const drop[] = { "branch", "-q", "-D", "--end-of-options", self->branch, NULL };
    if (!file_remove_tree(self->top, NULL))
        return;
    wm_git(git, forget, 0, cancel, NULL, NULL);
    if (self->branch && str_has_prefix(self->branch, WM_BRANCH_PREFIX))
        wm_git(git, drop, 0, cancel, NULL, NULL);
}

static bool tree_make_dir(WmRunTree *self, const char *run_id, GError **error)
{
    g_autofree char *home = tree_home();
    if (!file_make_dirs(home, 0700, error))
        return false;
    self->top = g_build_filename(home, run_id, NULL);
    if (mkdir(self->top, 0700) < 0) {
        fail_with_errno(error, errno, "cannot make directory %s", self->top);
        g_clear_pointer(&self->top, g_free); // it is another's
        return false;
    }
    tree_lock(self); // before git knows of it: another run may look for those that were killed
    return true;
}

bool wm_run_tree_make(const WmGit *git, const char *run_id, const char *task_name,
                      const char *commit, Cancel *cancel, WmRunTree *ret_tree, GError **error)
{
    g_auto(WmRunTree) self = WM_RUN_TREE_NONE;
    self.start = g_strdup(commit);
    bool is_made =
        tree_make_dir(&self, run_id, error) && tree_set_root(&self, git, cancel, error) &&
        wm_branch_make(git, task_name, time_now_ms(), commit, cancel, &self.branch, error) &&
        tree_fill(&self, git, cancel, error);
    if (is_made && !file_is_directory(self.root))
        is_made = file_make_dirs(self.root, 0700, error); // the commit may have nothing of it
    if (!is_made) {
        g_prefix_error(error, "cannot make a worktree for the run: ");
        if (self.top)
            tree_remove(&self, git, NULL);
        return false;
    }
    *ret_tree = self;
    self = WM_RUN_TREE_NONE;
    return true;
}

void wm_run_tree_note(const WmRunTree *self, json_t *note)
{
    json_set_text(note, "worktree", self->root);
    json_set_text(note, "start", self->start);
    json_set_int(note, "filled_at_ns", self->filled_at_ns);
}

bool wm_run_tree_find(const WmGit *git, const WmRunDir *dir, Cancel *cancel, WmRunTree *ret_tree)
{
    g_autofree char *home = tree_home();
    g_autoptr(json_t) note = NULL;
    g_auto(WmRunTree) self = WM_RUN_TREE_NONE;
    if (*dir->id == '.')
        return false;
    wm_run_dir_read_json(dir, "activation.json", &note, NULL);
    self.top = g_build_filename(home, dir->id, NULL);
    if (!tree_lock(&self) || !tree_set_root(&self, git, cancel, NULL))
        return false;
    const char *branch = json_get_text(note, "branch");
    bool is_name = wm_git_branch_name_is_valid(git, branch, cancel);
    self.branch = is_name ? g_strdup(branch) : NULL;
    self.start = g_strdup(json_get_text(note, "start"));
    self.filled_at_ns = json_get_int(note, "filled_at_ns", 0);
    *ret_tree = self;
    self = WM_RUN_TREE_NONE;
    return true;
}

// ---- its end ----

/* Where a filter (git-lfs) writes the files, git takes those of the index's own second for changed:
   no filter runs in what an agent left, and their content is not what was committed. A file that
   nobody has touched since is not changed. `line`: " M file", whose first blank may be gone. */
static bool is_untouched(const WmRunTree *self, const char *line)
{
    struct stat info;
    line += *line == ' ';
    if (!str_has_prefix(line, "M ") || line[2] == ' ' || line[2] == '"')
        return false;
    g_autofree char *path = g_build_filename(self->top, line + 2, NULL);
    return lstat(path, &info) == 0 &&
           (int64_t)info.st_ctim.tv_sec * NS_PER_S + info.st_ctim.tv_nsec <= self->filled_at_ns;
}

static unsigned count_changes(const WmRunTree *self, const char *status)
{
    g_auto(GStrv) lines = g_strsplit(status, "\n", -1);
    unsigned count = 0;
    for (char **line = lines; *line; line++)
        count += **line != '\0' && !is_untouched(self, *line);
    return count;
}

/* Commits of `head` that no other branch and nothing of a remote has. -1: git does not tell. */
static int64_t count_own(const WmRunTree *self, const WmGit *ours, const char *head,
                         const char *current, Cancel *cancel)
{
    g_autofree char *not_here = g_strconcat("--exclude=" HEADS, current, NULL);
    g_autofree char *not_own =
        g_strconcat("--exclude=" HEADS, self->branch ? self->branch : current, NULL);
    g_autofree char *not_start = self->start ? g_strconcat("^", self->start, NULL) : NULL;
    const char *const args[] = { "rev-list", "--count",           head,        "--not", not_here,
                                 not_own,    "--glob=" HEADS "*", "--remotes", "--not", not_start,
                                 NULL };
    g_autofree char *text = tree_ask(ours, cancel, args);
    int64_t count = -1;
    return text && str_parse_int(text, &count) ? count : -1;
}

static void append_part(GString *out, int64_t count, const char *one, const char *many)
{
    if (count <= 0)
        return;
    g_string_append(out, out->len > 0 ? ", " : "");
    g_string_append_printf(out, "%" G_GINT64_FORMAT " %s", count, count == 1 ? one : many);
}

/* What would be lost with it; NULL: nothing. Caller frees. */
static char *tree_left(const WmRunTree *self, Cancel *cancel)
{
    static const char *const status[] = { "status", "--porcelain", "--untracked-files=normal",
                                          NULL };
    const WmGit ours = { .root = self->top };
    g_autofree char *own = self->branch ? g_strconcat(HEADS, self->branch, NULL) : NULL;
    g_autofree char *mark = g_build_filename(self->top, ".git", NULL), *current = NULL;
    bool is_checkout = file_exists(mark); // without, git would look for a repository above it
    g_autofree char *changes = is_checkout ? tree_ask(&ours, cancel, status) : NULL;
    if (!changes || !wm_git_branch(&ours, cancel, &current, NULL))
        return g_strdup("git cannot tell what is in it");
    int64_t commits = count_own(self, &ours, "HEAD", current, cancel);
    if (commits == 0 && own && strcmp(current, self->branch) != 0)
        commits = count_own(self, &ours, own, current, cancel);
    if (commits < 0)
        return g_strdup("git cannot tell what is in it");
    g_autoptr(GString) left = g_string_new(NULL);
    append_part(left, commits, "commit that is not on GitHub", "commits that are not on GitHub");
    append_part(left, count_changes(self, changes), "file that is not committed",
                "files that are not committed");
    return left->len > 0 ? g_strdup(left->str) : NULL;
}

void wm_run_tree_end(WmRunTree *self, const WmGit *git, Cancel *cancel, char **ret_left)
{
    g_autofree char *left = tree_left(self, cancel);
    if (!left)
        tree_remove(self, git, cancel);
    *ret_left = g_steal_pointer(&left);
}

// ---- those of killed runs ----

/* Adds its path to `left` where something is in it. Its run's directory has to be there, and to say
   that the run did not come to its end. One that is half made has had no agent in it, nor a person:
   only the phase says so, since the note of one that had may be gone. */
static void tree_prune(const WmGit *git, const char *runs, const char *run_id, Cancel *cancel,
                       GPtrArray *left)
{
    g_auto(WmRunDir) dir = { 0 };
    g_autoptr(json_t) meta = NULL;
    g_auto(WmRunTree) self = WM_RUN_TREE_NONE;
    g_autofree char *path = g_build_filename(runs, run_id, NULL), *text = NULL;
    if (!wm_run_dir_open(path, &dir, NULL) ||
        !wm_run_dir_read_json(&dir, "meta.json", &meta, NULL) ||
        json_get_bool(meta, "success", true) ||
        g_strcmp0(json_get_text(meta, "phase"), "conclusion") == 0 ||
        !wm_run_tree_find(git, &dir, cancel, &self) || self.lock < 0)
        return;
    const WmGit ours = { .root = self.top };
    if (!self.branch)
        wm_git_branch(&ours, cancel, &self.branch, NULL);
    if (self.filled_at_ns > 0 || g_strcmp0(json_get_text(meta, "phase"), "activation") != 0)
        wm_run_tree_end(&self, git, cancel, &text);
    else if (self.branch)
        tree_remove(&self, git, cancel);
    if (text)
        g_ptr_array_add(left, g_strdup(self.top));
}

void wm_run_tree_prune(const WmGit *git, const char *runs, Cancel *cancel, GPtrArray **ret_left)
{
    static const char *const list[] = { "worktree", "list", "--porcelain", NULL };
    g_autofree char *text = tree_ask(git, cancel, list), *home = tree_home();
    g_autofree char *start = g_strconcat("worktree ", home, "/", NULL);
    *ret_left = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    unsigned count = 0;
    for (char **line = lines; *line && count < MAX_PRUNED; line++) {
        if (!str_has_prefix(*line, start) || strchr(*line + strlen(start), '/'))
            continue;
        tree_prune(git, runs, *line + strlen(start), cancel, *ret_left);
        count++;
    }
}
