/*
 * Plan, trees, commits, and the way back (commit_split.h).
 *
 * Each commit is made by `git commit` with an index of ours, so hooks and signing are git's, and
 * the repository's index holds the whole change all the while: one who is killed in between finds
 * in it what is not committed yet. A commit that is not the planned tree on the planned parent
 * undoes them all.
 */
#include "changes/commit_split.h"

#include "base/visible.h"
#include "changes/commit_plan.h"
#include "changes/commit_trees.h"
#include "changes/diff_digest.h"
#include "changes/diff_question.h"
#include "github/git.h"

#define DIFF_BYTES     ((size_t)160 * 1024) // that the model gets
#define ANSWER_TOKENS  8000
#define RESERVE_TOKENS 16000
#define HOOKS_MS       (30 * 60 * 1000) // that a commit may take with its hooks

typedef struct Work {
    const CommitSplit *split;
    Cancel *cancel;
    CommitTrees *trees;
    GPtrArray *commits; // PlannedCommit
    char **planned;     // their trees
    char *at;           // the last commit of ours; NULL: none
    bool is_mixed;      // with commits of others
    GString *said;
} Work;

static void work_clear(Work *self)
{
    commit_trees_free(self->trees);
    g_clear_pointer(&self->commits, g_ptr_array_unref);
    g_strfreev(self->planned);
    g_free(self->at);
    g_string_free(self->said, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Work, work_clear)

// ---- the plan ----

/* One whose trees can be built. */
static bool take_plan(void *work, const char *answer, GError **error)
{
    Work *self = work;
    const CommitParts *parts = commit_trees_parts(self->trees);
    g_clear_pointer(&self->commits, g_ptr_array_unref);
    return commit_plan_read(answer, parts->parts->len, &self->commits, error) &&
           commit_trees_build(self->trees, self->commits, self->cancel, &self->planned, error);
}

static bool make_plan(Work *self, GError **error)
{
    const CommitSplit *split = self->split;
    g_autofree char *text = commit_parts_text(commit_trees_parts(self->trees));
    g_autofree char *digest = diff_digest(text, DIFF_BYTES), *problem = NULL;
    const DiffQuestion question = {
        .model = split->model,
        .system = commit_plan_system,
        .diff = digest,
        .recent = split->recent,
        .context = split->context,
        .task = "Divide this change. Answer with the JSON object alone.",
        .answer_tokens = ANSWER_TOKENS,
        .reserve_tokens = RESERVE_TOKENS,
        .take = take_plan,
        .data = self,
    };
    if (!diff_question_ask(&question, self->cancel, &problem, error))
        return false;
    return !problem ||
           fail_with(error, KEDGE_ERROR_PROTOCOL,
                     "the model's plan cannot be used, after %d tries; nothing was committed:\n%s",
                     DIFF_ATTEMPTS, problem);
}

static void describe_plan(Work *self)
{
    const CommitParts *parts = commit_trees_parts(self->trees);
    for (unsigned i = 0; i < self->commits->len; i++) {
        const PlannedCommit *commit = self->commits->pdata[i];
        g_string_append_printf(self->said, "%s[%u/%u] %s\n\n", i > 0 ? "\n" : "", i + 1,
                               self->commits->len, commit->message);
        for (unsigned file = 0; file < parts->files->len; file++) {
            g_autofree char *line = commit_parts_describe(parts, file, commit->parts);
            if (!line)
                continue;
            g_string_append(self->said, "    ");
            visible_append(self->said, line);
            g_string_append_c(self->said, '\n');
        }
    }
}

// ---- the commits ----

/* The commit that HEAD is; NULL: none. */
static bool read_head(const Work *self, Cancel *cancel, char **ret_head, GError **error)
{
    static const char *const args[] = { "rev-parse", "-q", "--verify", "HEAD^{commit}", NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(self->split->root, args, 0, cancel, &result, error))
        return false;
    *ret_head = result.exit_status == 0 ? g_strdup(result.output) : NULL;
    return true;
}

/* The commit that HEAD is now is the planned one, or what a hook has made of it. `is_sure`: git
   says that it made one. */
static bool take_commit(Work *self, unsigned which, const char *parent, bool is_sure,
                        GError **error)
{
    static const char *const args[] = { "log", "-1", "--format=%H %T %P", NULL };
    g_autofree char *text = NULL;
    if (!git_must(self->split->root, args, 0, NULL, &text, error)) // obeys no cancel: it must know
        return false;
    g_auto(GStrv) words = g_strsplit(text, " ", 3);
    bool has_parent = g_strcmp0(words[2], parent) == 0;
    bool has_tree = g_strcmp0(words[1], self->planned[which]) == 0;
    if (has_parent && (is_sure || has_tree)) {
        g_free(self->at);
        self->at = g_strdup(words[0]);
    }
    self->is_mixed = is_sure && !has_parent;
    if (has_parent && has_tree)
        return true;
    return fail_with(error, KEDGE_ERROR_FAILED,
                     has_parent ? "commit %u does not hold what was planned: a hook has changed it"
                                : "another program has committed, too, at commit %u",
                     which + 1);
}

static bool make_commit(Work *self, unsigned which, const char *parent, GError **error)
{
    const PlannedCommit *commit = self->commits->pdata[which];
    const char *const args[] = { "commit", "--cleanup=whitespace", "-m", commit->message, NULL };
    g_autofree char *now = NULL, *said = NULL;
    const char *index = NULL;
    if (!read_head(self, self->cancel, &now, error))
        return false;
    if (g_strcmp0(now, parent) != 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "another program has committed meanwhile");
    if (!commit_trees_use_index(self->trees, self->planned[which], self->cancel, &index, error))
        return false;
    const GitSpec spec = {
        .dir = self->split->root,
        .args = args,
        .timeout_ms = HOOKS_MS,
        .index_file = index,
        .is_own = !self->split->is_foreign,
    };
    bool is_made = git_must_spec(&spec, self->cancel, &said, error);
    if (!is_made) { // which it may be all the same, when git was stopped
        take_commit(self, which, parent, false, NULL);
        return false;
    }
    g_string_append_printf(self->said, "%s\n", said);
    return take_commit(self, which, parent, true, error);
}

/* To where we began, unless HEAD is no longer our last commit. */
static bool work_undo(const Work *self, GError **error)
{
    const char *head = commit_trees_head(self->trees);
    const char *const back[] = { "update-ref", "-m", "kedge commit --split: undone", "HEAD", head,
                                 self->at,     NULL };
    const char *const unborn[] = { "update-ref", "-d", "HEAD", self->at, NULL };
    return git_must(self->split->root, head ? back : unborn, 0, NULL, NULL, error);
}

/* Says in *error what came of it. */
static void take_back(const Work *self, GError **error)
{
    g_autoptr(GError) problem = NULL, kept = NULL;
    bool is_back = !self->is_mixed && (!self->at || work_undo(self, &problem));
    if (is_back && !commit_trees_restore(self->trees, &kept))
        g_prefix_error(error, "the index still holds the whole change (%s): ", kept->message);
    if (self->is_mixed)
        g_prefix_error(error, "the commits made so far stay, and the index holds the rest: ");
    else if (!self->at)
        g_prefix_error(error, "nothing was committed: ");
    else if (is_back)
        g_prefix_error(error, "the commits made so far were taken back: ");
    else
        g_prefix_error(error,
                       "the commits up to %s stay, since they cannot be taken back (%s), and the "
                       "index holds the rest: ",
                       self->at, problem->message);
}

static bool make_commits(Work *self, GError **error)
{
    if (!commit_trees_begin(self->trees, error)) {
        g_prefix_error(error, "nothing was committed: ");
        return false;
    }
    for (unsigned i = 0; i < self->commits->len; i++) {
        g_autofree char *parent = g_strdup(i > 0 ? self->at : commit_trees_head(self->trees));
        if (make_commit(self, i, parent, error))
            continue;
        g_string_truncate(self->said, 0);
        take_back(self, error);
        return false;
    }
    return true;
}

bool commit_split(const CommitSplit *split, Cancel *cancel, char **ret_said, GError **error)
{
    g_auto(Work) work = { .split = split, .cancel = cancel, .said = g_string_new(NULL) };
    if (!commit_trees_open(split->root, split->wants_all, split->is_dry_run, cancel, &work.trees,
                           error))
        return false;
    if (commit_trees_parts(work.trees)->parts->len == 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "there is nothing to commit");
    if (!make_plan(&work, error))
        return false;
    if (split->is_dry_run)
        describe_plan(&work);
    bool is_done = split->is_dry_run || make_commits(&work, error);
    *ret_said = g_strchomp(g_strdup(work.said->str));
    return is_done;
}
