/*
 * Files in a repository (repo_file.h). Each step of the way is looked at before it is taken; who
 * can exchange directories meanwhile works as the same user and needs no link.
 */
#include "wm/task/repo_file.h"

#include "base/file.h"
#include "base/path.h"

#include <string.h>

#define FILE_MODE 0644
#define DIR_MODE  0755

static bool is_within(const char *real_root, const char *path)
{
    g_autofree char *real = path_real(path);
    return real && path_is_inside(real, real_root);
}

static bool fail_outside(const char *path, GError **error)
{
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "%s: neither read nor written, a symlink leads out of the repository", path);
}

/* The directories above `path`; with `makes` those that are absent are made. *ret_is_there: all
   are. */
static bool walk(const char *real_root, const char *path, bool makes, bool *ret_is_there,
                 GError **error)
{
    g_auto(GStrv) names = g_strsplit(path, "/", -1);
    g_autofree char *at = g_strdup(real_root);
    for (char **name = names; name[0] && name[1]; name++) {
        g_autofree char *next = g_build_filename(at, *name, NULL);
        if (!file_exists(next)) {
            if (!makes) {
                *ret_is_there = false;
                return true;
            }
            if (!file_make_dirs(next, DIR_MODE, error))
                return false;
        }
        if (!is_within(real_root, next))
            return fail_outside(path, error);
        g_free(at);
        at = g_steal_pointer(&next);
    }
    *ret_is_there = true;
    return true;
}

static bool find(const char *root, const char *path, bool makes, char **ret_file,
                 bool *ret_is_there, GError **error)
{
    g_autofree char *real_root = path_real(root);
    if (!real_root)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "no such directory: %s", root);
    bool has_dir = false;
    if (!walk(real_root, path, makes, &has_dir, error))
        return false;
    g_autofree char *file = g_build_filename(real_root, path, NULL);
    bool is_there = has_dir && file_exists(file);
    if (is_there && !is_within(real_root, file))
        return fail_outside(path, error);
    *ret_file = g_steal_pointer(&file);
    *ret_is_there = is_there;
    return true;
}

bool wm_repo_file_read(const char *root, const char *path, size_t max_bytes, char **ret_text,
                       GError **error)
{
    g_autofree char *file = NULL, *text = NULL;
    bool is_there = false;
    if (!find(root, path, false, &file, &is_there, error) ||
        (is_there && !file_read(file, max_bytes, &text, NULL, error)))
        return false;
    *ret_text = g_steal_pointer(&text);
    return true;
}

bool wm_repo_file_write(const char *root, const char *path, const char *text, bool *ret_changed,
                        GError **error)
{
    g_autofree char *file = NULL, *old = NULL;
    bool is_there = false;
    size_t size = strlen(text);
    if (!find(root, path, true, &file, &is_there, error))
        return false;
    // one that cannot be read, or is larger, is another one
    bool is_same =
        is_there && file_read(file, MAX(size, 1), &old, NULL, NULL) && strcmp(old, text) == 0;
    if (!is_same && !file_write_atomic(file, text, size, FILE_MODE, error))
        return false;
    if (ret_changed)
        *ret_changed = !is_same;
    return true;
}
