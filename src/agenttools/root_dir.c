/*
 * The rules of agent-tools-cli §6.2, in order: RP1_ROOT, the repository that git sees, a .rp1
 * directory above. git is asked one fact per call, since any byte but NUL may be in a path.
 */
#include "agenttools/root_dir.h"

#include "agenttools/answer.h"
#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/str.h"
#include "github/git.h"

#define ROOT_NAME          ".rp1"
#define MAX_SUPERPROJECTS  16 // nested submodules that are looked through
#define NO_REPOSITORY_TEXT "not a git repository"

typedef enum { GIT_SEES_REPO, GIT_SEES_NONE, GIT_ABSENT } GitSight;

typedef struct Repo { // as git sees it from a directory; all paths absolute and real
    char *top;        // of the work tree; NULL: a bare repository, or inside of a git directory
    char *common;
    bool is_linked; // a linked worktree
} Repo;

static void repo_clear(Repo *self)
{
    g_clear_pointer(&self->top, g_free);
    g_clear_pointer(&self->common, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Repo, repo_clear)

void root_dir_clear(RootDir *self)
{
    g_free(self->root);
    g_free(self->worktree_name);
    g_free(self->project_root);
    g_free(self->code_root);
    g_free(self->kb_root);
    g_free(self->work_root);
    g_free(self->warning);
    *self = (RootDir) { 0 };
}

// ---- what git says ----

/* `git rev-parse <question>`, one line. FAILED when git says no. */
static bool ask_git(const char *dir, const char *question, Cancel *cancel, char **ret_line,
                    GError **error)
{
    const char *const args[] = { "rev-parse", "--path-format=absolute", question, NULL };
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!git_must_bytes(dir, args, cancel, &data, &size, error))
        return false;
    if (size > 0 && data[size - 1] == '\n')
        data[size - 1] = '\0';
    *ret_line = g_steal_pointer(&data);
    return true;
}

/* Words a refusal of git for a person; other errors (cancelled, out of time) pass as they are. */
static bool fail_with_git(GError **error, const char *question, GError *cause)
{
    g_autoptr(GError) owned = cause;
    if (!error_is(owned, KEDGE_ERROR_FAILED))
        return pass_error(error, &owned);
    g_autofree char *line = g_strndup(owned->message, strcspn(owned->message, "\n"));
    return answer_error(error, ANSWER_GIT, NULL, "Git command failed: git rev-parse %s: %s",
                        question, line);
}

static bool repo_find(const char *dir, Cancel *cancel, Repo *ret_repo, GitSight *ret_sight,
                      GError **error)
{
    g_autofree char *program = proc_find_program("git");
    if (!program) {
        *ret_sight = GIT_ABSENT;
        return true;
    }
    g_auto(Repo) repo = { 0 };
    g_autofree char *git_dir = NULL;
    GError *cause = NULL;
    if (!ask_git(dir, "--git-dir", cancel, &git_dir, &cause)) {
        if (!error_is(cause, KEDGE_ERROR_FAILED) || !strstr(cause->message, NO_REPOSITORY_TEXT))
            return fail_with_git(error, "--git-dir", cause);
        g_error_free(cause);
        *ret_sight = GIT_SEES_NONE;
        return true;
    }
    if (!ask_git(dir, "--git-common-dir", cancel, &repo.common, &cause))
        return fail_with_git(error, "--git-common-dir", cause);
    if (!ask_git(dir, "--show-toplevel", cancel, &repo.top, &cause)) {
        if (!error_is(cause, KEDGE_ERROR_FAILED))
            return fail_with_git(error, "--show-toplevel", cause);
        g_error_free(cause);
    }
    repo.is_linked = repo.top != NULL && strcmp(git_dir, repo.common) != 0;
    *ret_repo = repo;
    repo = (Repo) { 0 };
    *ret_sight = GIT_SEES_REPO;
    return true;
}

/* Where the main repository lives, from its common directory; NULL when git does not know. */
static bool repo_main_root(const Repo *repo, Cancel *cancel, char **ret_root, GError **error)
{
    g_autofree char *name = g_path_get_basename(repo->common);
    if (strcmp(name, ".git") == 0) {
        *ret_root = g_path_get_dirname(repo->common);
        return true;
    }
    // not by discovery, which safe.bareRepository may forbid
    const char *const args[] = { "--git-dir", repo->common, "rev-parse", "--is-bare-repository",
                                 NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(repo->common, args, 0, cancel, &result, error))
        return false;
    if (result.exit_status != 0 || strcmp(result.output, "true") != 0)
        *ret_root = NULL;
    else if (strcmp(name, ".bare") == 0)
        *ret_root = g_path_get_dirname(repo->common);
    else
        *ret_root = g_strdup(repo->common);
    return true;
}

// ---- directories ----

static char *rp1_of(const char *dir)
{
    return g_build_filename(dir, ROOT_NAME, NULL);
}

/* The nearest directory with .rp1, from `dir` up to `last` (NULL: to the file system's root) and
   never `skipped` (may be NULL). NULL when there is none. */
static char *nearest_with_rp1(const char *dir, const char *last, const char *skipped)
{
    g_autofree char *at = g_strdup(dir);
    for (;;) {
        g_autofree char *candidate = rp1_of(at);
        if ((!skipped || strcmp(at, skipped) != 0) && file_is_directory(candidate))
            return g_steal_pointer(&at);
        if (strcmp(at, "/") == 0 || (last && strcmp(at, last) == 0))
            return NULL;
        char *parent = g_path_get_dirname(at);
        g_free(at);
        at = parent;
    }
}

static void set_project(RootDir *self, const char *project_root, const char *code_root)
{
    self->root = rp1_of(project_root);
    self->project_root = g_strdup(project_root);
    self->code_root = g_strdup(code_root);
}

static char *root_from_env(const char *variable, const char *cwd, const char *root,
                           const char *fallback)
{
    const char *given = env_get_raw(variable);
    return given ? path_absolute(given, cwd) : g_build_filename(root, fallback, NULL);
}

static void fill_rest(RootDir *self, const char *cwd)
{
    self->kb_root = root_from_env("RP1_KB_ROOT", cwd, self->root, "context");
    self->work_root = root_from_env("RP1_WORK_ROOT", cwd, self->root, "work");
    self->exists = file_is_directory(self->root);
}

// ---- the rules ----

static bool find_in_repo(const char *cwd, unsigned depth, Cancel *cancel, RootDir *ret_root,
                         GitSight *ret_sight, GError **error);

/* agent-tools-cli §6.2 rule 1. git only tells the top level; without it the parent of the root
 * does. */
static bool find_by_env(const char *given, const char *cwd, Cancel *cancel, RootDir *ret_root,
                        GError **error)
{
    g_autofree char *top = NULL;
    g_autoptr(GError) cause = NULL;
    if (!git_repo_root(cwd, cancel, &top, &cause) && error_is(cause, KEDGE_ERROR_CANCELLED))
        return pass_error(error, &cause);
    ret_root->source = ROOT_ENV;
    ret_root->root = path_absolute(given, cwd);
    ret_root->project_root = top ? g_strdup(top) : g_path_get_dirname(ret_root->root);
    ret_root->code_root = g_strdup(ret_root->project_root);
    return true;
}

/* agent-tools-cli §6.2 rule 2. */
static bool find_in_linked(const char *cwd, const Repo *repo, Cancel *cancel, RootDir *ret_root,
                           GError **error)
{
    g_autofree char *main_root = NULL;
    if (!repo_main_root(repo, cancel, &main_root, error))
        return false;
    g_autoptr(GError) cause = NULL;
    g_autofree char *branch = NULL;
    if (!git_current_branch(cwd, cancel, &branch, &cause) &&
        !error_is(cause, KEDGE_ERROR_NOT_FOUND)) { // NOT_FOUND: detached
        return pass_error(error, &cause);
    }
    ret_root->source = ROOT_GIT_COMMON_DIR;
    ret_root->is_worktree = true;
    ret_root->worktree_name = g_steal_pointer(&branch);
    if (!main_root)
        ret_root->warning = g_strdup(
            "The main worktree cannot be found (separate git directory); using this worktree");
    set_project(ret_root, main_root ? main_root : repo->top, repo->top);
    return true;
}

/* agent-tools-cli §6.2 rule 3, for a submodule without a .rp1 of its own: that of the superproject,
 * if there is one. */
static bool find_in_superproject(const Repo *repo, unsigned depth, Cancel *cancel,
                                 RootDir *ret_root, bool *ret_is_found, GError **error)
{
    *ret_is_found = false;
    g_autofree char *superproject = NULL;
    GError *cause = NULL;
    if (!ask_git(repo->top, "--show-superproject-working-tree", cancel, &superproject, &cause))
        return fail_with_git(error, "--show-superproject-working-tree", cause);
    if (str_is_empty(superproject) || depth == MAX_SUPERPROJECTS)
        return true;

    g_auto(RootDir) outer = { 0 };
    GitSight sight = GIT_SEES_NONE;
    if (!find_in_repo(superproject, depth + 1, cancel, &outer, &sight, error))
        return false;
    if (sight != GIT_SEES_REPO || !file_is_directory(outer.root))
        return true;
    *ret_is_found = true;
    ret_root->source = ROOT_CWD;
    set_project(ret_root, outer.project_root, repo->top);
    return true;
}

/* agent-tools-cli §6.2 rule 3. */
static bool find_in_main(const char *cwd, const Repo *repo, unsigned depth, Cancel *cancel,
                         RootDir *ret_root, GError **error)
{
    g_autofree char *real = path_real(cwd);
    bool is_below = real != NULL && path_is_inside(real, repo->top);
    g_autofree char *project = nearest_with_rp1(is_below ? real : repo->top, repo->top, NULL);
    bool is_found = false;
    if (!project && !find_in_superproject(repo, depth, cancel, ret_root, &is_found, error))
        return false;
    if (is_found)
        return true;
    ret_root->source = ROOT_CWD;
    const char *own = project ? project : repo->top;
    set_project(ret_root, own, own);
    return true;
}

/* agent-tools-cli §6.2 rule 4; also inside of a .git directory. GIT_SEES_NONE for a git directory
 * of its own kind. */
static bool find_without_work_tree(const Repo *repo, Cancel *cancel, RootDir *ret_root,
                                   GitSight *ret_sight, GError **error)
{
    g_autofree char *main_root = NULL;
    if (!repo_main_root(repo, cancel, &main_root, error))
        return false;
    if (!main_root) {
        *ret_sight = GIT_SEES_NONE;
        return true;
    }
    ret_root->source = ROOT_GIT_COMMON_DIR;
    set_project(ret_root, main_root, main_root);
    return true;
}

/* agent-tools-cli §6.2 rules 2 to 4; fills `ret_root` when *ret_sight becomes GIT_SEES_REPO. */
static bool find_in_repo(const char *cwd, unsigned depth, Cancel *cancel, RootDir *ret_root,
                         GitSight *ret_sight, GError **error)
{
    g_auto(Repo) repo = { 0 };
    if (!repo_find(cwd, cancel, &repo, ret_sight, error))
        return false;
    if (*ret_sight != GIT_SEES_REPO)
        return true;
    if (!repo.top)
        return find_without_work_tree(&repo, cancel, ret_root, ret_sight, error);
    if (repo.is_linked)
        return find_in_linked(cwd, &repo, cancel, ret_root, error);
    return find_in_main(cwd, &repo, depth, cancel, ret_root, error);
}

/* agent-tools-cli §6.2 rules 5 and 6. */
static bool find_outside(const char *cwd, GitSight sight, RootDir *ret_root, GError **error)
{
    g_autofree char *real = path_real(cwd);
    g_autofree char *home = dirs_home();
    g_autofree char *real_home = path_real(home);
    g_autofree char *project = nearest_with_rp1(real ? real : cwd, NULL, real_home);
    if (!project)
        return answer_error(error, ANSWER_GIT, NULL, "%s",
                            sight == GIT_ABSENT
                                ? "Git command failed: git is not installed or not on PATH"
                                : "Not a git repository; initialize git or set RP1_ROOT");
    ret_root->source = ROOT_CWD;
    set_project(ret_root, project, project);
    return true;
}

bool root_dir_find(const char *cwd, Cancel *cancel, RootDir *ret_root, GError **error)
{
    g_auto(RootDir) found = { 0 };
    const char *given = env_get_raw("RP1_ROOT");
    if (given) {
        if (!find_by_env(given, cwd, cancel, &found, error))
            return false;
    } else {
        GitSight sight = GIT_SEES_NONE;
        if (!find_in_repo(cwd, 0, cancel, &found, &sight, error))
            return false;
        if (sight != GIT_SEES_REPO && !find_outside(cwd, sight, &found, error))
            return false;
    }
    fill_rest(&found, cwd);
    *ret_root = found;
    found = (RootDir) { 0 };
    return true;
}

char *root_dir_main(const char *path, Cancel *cancel)
{
    g_auto(Repo) repo = { 0 };
    GitSight sight = GIT_SEES_NONE;
    g_autofree char *main_root = NULL;
    if (file_is_directory(path) && repo_find(path, cancel, &repo, &sight, NULL) &&
        sight == GIT_SEES_REPO && repo.is_linked &&
        repo_main_root(&repo, cancel, &main_root, NULL) && main_root)
        return g_steal_pointer(&main_root);
    return g_strdup(path);
}
