/*
 * Repository, revisions and lists of files (comment_git.h).
 */
#include "agenttools/comments/comment_git.h"

#include "agenttools/answer.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/str.h"
#include "github/git.h"

/* The command as a person would type it: up to where revisions and paths begin. */
static char *command_text(const char *const *args)
{
    GString *text = g_string_new("git");
    for (; *args && strcmp(*args, "--") != 0; args++) {
        if (strcmp(*args, "--literal-pathspecs") != 0 && strcmp(*args, "--end-of-options") != 0)
            g_string_append_printf(text, " %s", *args);
    }
    return g_string_free(text, FALSE);
}

/* Words git's failure. Takes `cause`. */
static bool fail_with_git(const char *const *args, GError *cause, GError **error)
{
    g_autoptr(GError) owned = cause;
    g_autofree char *program = proc_find_program("git");
    if (!program)
        return answer_error(error, ANSWER_GIT, NULL,
                            "Git command failed: git is not installed or not on PATH");
    g_autofree char *command = command_text(args);
    if (error_is(owned, KEDGE_ERROR_LIMIT))
        return answer_error(error, ANSWER_GIT, NULL,
                            "Git command failed: %s: more than %zu MiB of output", command,
                            LIMIT_GIT_OUTPUT_BYTES / MIB);
    if (!error_is(owned, KEDGE_ERROR_FAILED))
        return pass_error(error, &owned);
    g_autofree char *line = g_strndup(owned->message, strcspn(owned->message, "\n"));
    return answer_error(error, ANSWER_GIT, NULL, "Git command failed: %s: %s", command, line);
}

bool comment_git(const char *dir, const char *const *args, Cancel *cancel, char **ret_data,
                 size_t *ret_size, bool *ret_is_too_large, GError **error)
{
    GError *cause = NULL;
    if (git_must_bytes(dir, args, cancel, ret_data, ret_size, &cause))
        return true;
    if (ret_is_too_large)
        *ret_is_too_large = error_is(cause, KEDGE_ERROR_LIMIT);
    return fail_with_git(args, cause, error);
}

// ---- the repository ----

void comment_repo_clear(CommentRepo *self)
{
    g_clear_pointer(&self->root, g_free);
}

bool comment_repo_find(const char *cwd, Cancel *cancel, CommentRepo *ret_repo, bool *ret_is_repo,
                       GError **error)
{
    const char *const dir_args[] = { "rev-parse", "--git-dir", NULL };
    g_autofree char *git_dir = NULL, *root = NULL;
    size_t size = 0;
    GError *cause = NULL;
    if (!git_must_bytes(cwd, dir_args, cancel, &git_dir, &size, &cause)) {
        if (!error_is(cause, KEDGE_ERROR_FAILED) || !strstr(cause->message, "not a git repository"))
            return fail_with_git(dir_args, cause, error);
        g_error_free(cause);
        *ret_is_repo = false;
        return true;
    }
    const char *const bare_args[] = { "rev-parse", "--is-inside-work-tree", NULL };
    g_autofree char *answer = NULL;
    if (!comment_git(cwd, bare_args, cancel, &answer, &size, NULL, error))
        return false;
    bool is_bare = strcmp(answer, "true\n") != 0;
    const char *const root_args[] = { "rev-parse", "--show-toplevel", NULL };
    if (!is_bare && !comment_git(cwd, root_args, cancel, &root, &size, NULL, error))
        return false;
    if (root && size > 0 && root[size - 1] == '\n')
        root[size - 1] = '\0';
    *ret_repo = (CommentRepo) {
        .root = is_bare ? g_strdup(cwd) : g_steal_pointer(&root),
        .is_bare = is_bare,
    };
    *ret_is_repo = true;
    return true;
}

// ---- revisions ----

/* A branch or tag that somebody may have meant. Caller frees; NULL: none. */
static char *nearest_revision(const char *root, const char *revision, Cancel *cancel)
{
    const char *const args[] = { "for-each-ref", "--format=%(refname:short)",
                                 "refs/heads",   "refs/remotes",
                                 "refs/tags",    NULL };
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!comment_git(root, args, cancel, &data, &size, NULL, NULL))
        return NULL;
    g_auto(GStrv) names = g_strsplit(data, "\n", -1);
    g_autofree char *suffix = g_strconcat("/", revision, NULL);
    for (char **name = names; *name; name++) { // only the remote's branch is here
        if (g_str_has_suffix(*name, suffix))
            return g_strdup(*name);
    }
    return g_strdup(str_nearest(revision, (const char *const *)names));
}

bool comment_git_commit(const char *root, const char *revision, const char *what, Cancel *cancel,
                        char **ret_id, GError **error)
{
    const char *field = strcmp(what, "base") == 0 ? "base" : "scope";
    if (revision[0] == '-')
        return answer_error_field(
            error, field, "Invalid %s \"%s\": a revision cannot begin with \"-\"", what, revision);
    g_autofree char *commit = g_strconcat(revision, "^{commit}", NULL);
    const char *const args[] = { "rev-parse",        "--verify", "--quiet",
                                 "--end-of-options", commit,     NULL };
    g_auto(GitResult) result = { 0 };
    GError *cause = NULL;
    if (!git_run(root, args, 0, cancel, &result, &cause))
        return fail_with_git(args, cause, error);
    // `^main` is understood too, as something else
    if (result.exit_status != 0 || !g_ascii_isxdigit(*result.output)) {
        g_autofree char *nearest = nearest_revision(root, revision, cancel);
        g_autofree char *hint =
            nearest != NULL ? g_strdup_printf("; did you mean \"%s\"?", nearest) : g_strdup("");
        return answer_error(error, ANSWER_NOT_FOUND, answer_field(field), "Unknown %s \"%s\"%s",
                            what, revision, hint);
    }
    *ret_id = g_steal_pointer(&result.output);
    return true;
}

bool comment_git_merge_base(const char *root, const char *a, const char *a_name, const char *b,
                            const char *b_name, Cancel *cancel, char **ret_id, GError **error)
{
    const char *const args[] = { "merge-base", a, b, NULL };
    g_auto(GitResult) result = { 0 };
    GError *cause = NULL;
    if (!git_run(root, args, 0, cancel, &result, &cause))
        return fail_with_git(args, cause, error);
    if (result.exit_status != 0 || *result.output == '\0')
        return answer_error(error, ANSWER_GIT, NULL, "No common ancestor of %s and %s", a_name,
                            b_name);
    *ret_id = g_steal_pointer(&result.output);
    return true;
}

// ---- lists ----

void scope_file_free(ScopeFile *self)
{
    if (!self)
        return;
    g_free(self->path);
    g_free(self->old_path);
    g_free(self->blob);
    g_clear_pointer(&self->changed, g_array_unref);
    g_free(self);
}

ScopeFile *scope_file_new(const char *path)
{
    ScopeFile *self = g_new0(ScopeFile, 1);
    self->path = g_strdup(path);
    return self;
}

bool comment_git_list(const char *root, const char *const *words, Cancel *cancel, GPtrArray *files,
                      GError **error)
{
    g_autoptr(GPtrArray) args = g_ptr_array_new();
    g_ptr_array_add(args, (char *)"ls-files");
    g_ptr_array_add(args, (char *)"-z");
    for (; *words; words++)
        g_ptr_array_add(args, (char *)*words);
    g_ptr_array_add(args, NULL);
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!comment_git(root, (const char *const *)args->pdata, cancel, &data, &size, NULL, error))
        return false;
    for (const char *path = data; path < data + size; path += strlen(path) + 1)
        g_ptr_array_add(files, scope_file_new(path));
    return true;
}
