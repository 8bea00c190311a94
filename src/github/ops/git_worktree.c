/*
 * Listing worktrees (`worktree list --porcelain -z`) and naming their directories.
 */
#include "github/ops/git_worktree.h"

#include "base/dirs.h"
#include "base/path.h"
#include "base/str.h"
#include "github/git.h"

static void worktree_free(GitWorktree *self)
{
    if (!self)
        return;
    g_free(self->path);
    g_free(self->ref);
    g_free(self);
}

bool git_worktree_list(const char *root, Cancel *cancel, GPtrArray **ret_worktrees, GError **error)
{
    const char *const args[] = { "worktree", "list", "--porcelain", "-z", NULL };
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!git_must_bytes(root, args, cancel, &data, &size, error))
        return false;

    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func((GDestroyNotify)worktree_free);
    GitWorktree *last = NULL;
    const char *line = data;
    for (const char *end = data + size; line < end; line += strlen(line) + 1) {
        if (str_has_prefix(line, "worktree ")) {
            last = g_new0(GitWorktree, 1);
            last->path = g_strdup(line + strlen("worktree "));
            g_ptr_array_add(list, last);
        } else if (last && !last->ref && str_has_prefix(line, "branch ")) {
            last->ref = g_strdup(line + strlen("branch "));
        }
    }
    *ret_worktrees = g_steal_pointer(&list);
    return true;
}

char *git_worktree_encode(const char *path)
{
    g_autofree char *cwd = g_get_current_dir();
    g_autofree char *absolute = path_absolute(path, cwd);
    g_autofree char *real = path_real(absolute);
    const char *name = real != NULL ? real : absolute;
    if (*name == '/' || *name == '\\')
        name++;
    char *encoded = g_strdup(*name != '\0' ? name : "root");
    return g_strdelimit(encoded, "/\\:", '-');
}

char *git_worktree_path(const char *primary_root, int64_t number)
{
    g_autofree char *dir = dirs_worktrees();
    g_autofree char *encoded = git_worktree_encode(primary_root);
    return g_strdup_printf("%s/%s/pr-%" G_GINT64_FORMAT, dir, encoded, number);
}
