/* See session_remove.h. */
#include "session/session_remove.h"

#include "base/file.h"
#include "base/timefmt.h"
#include "session/session_load.h"
#include "session/store.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define TRASH_DIR     ".trash"
#define TRASH_SECONDS ((int64_t)SESSION_TRASH_DAYS * 24 * 60 * 60)

// ---- removing ----

/* Locks the session, so that no process is in it; the lock is the caller's. */
static bool lock_session(const char *path, Store **ret_store, GError **error)
{
    g_autoptr(json_t) header = session_file_header(path);
    if (!header)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Not a session file: %s", path);
    StoreState state = STORE_BUSY;
    if (!store_open(path, ret_store, &state, error))
        return false;
    return state == STORE_LOCKED ||
           fail_with(error, KEDGE_ERROR_DENIED, "%s: %s", path,
                     state == STORE_BUSY ? "another process is in this session"
                                         : "no permission to write");
}

/* NULL: a file without the usual ending has none of its own. Caller frees. */
static char *artifacts_of(const char *path)
{
    bool has_suffix = g_str_has_suffix(path, ".jsonl");
    return has_suffix ? g_strndup(path, strlen(path) - strlen(".jsonl")) : NULL;
}

bool session_remove_for_good(const char *path, GError **error)
{
    g_autoptr(Store) store = NULL;
    if (!lock_session(path, &store, error))
        return false;
    // artifacts first: what a crash leaves is a session, which can be removed again
    g_autofree char *artifacts = artifacts_of(path);
    if (artifacts && !file_remove_tree(artifacts, error))
        return false;
    return unlink(path) == 0 || fail_with_errno(error, errno, "cannot remove %s", path);
}

/* Moves the session file, and then its artifacts, into another directory. */
static bool move_session(const char *path, const char *to_dir, GError **error)
{
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *target = g_build_filename(to_dir, name, NULL);
    if (file_exists(target))
        return fail_with(error, KEDGE_ERROR_USAGE, "%s is there already", target);
    if (rename(path, target) != 0)
        return fail_with_errno(error, errno, "cannot move %s to %s", path, to_dir);
    g_autofree char *artifacts = artifacts_of(path);
    g_autofree char *target_artifacts = artifacts_of(target);
    if (artifacts && rename(artifacts, target_artifacts) != 0 && errno != ENOENT)
        return fail_with_errno(error, errno, "cannot move %s to %s", artifacts, to_dir);
    return true;
}

/* When that was removed, of a name in the trash; 0: it is none of ours. */
static int64_t removed_at(const char *name)
{
    char *end = NULL;
    int64_t seconds = g_ascii_strtoll(name, &end, 10);
    return end > name && *end == '-' ? seconds : 0;
}

static void empty_old_trash(const char *trash)
{
    int64_t oldest = time_now_ms() / 1000 - TRASH_SECONDS;
    g_autoptr(GDir) dir = g_dir_open(trash, 0, NULL);
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
        int64_t at = removed_at(name);
        g_autofree char *path = g_build_filename(trash, name, NULL);
        if (at > 0 && at < oldest)
            file_remove_tree(path, NULL); // else the next time
    }
}

bool session_remove(const char *path, GError **error)
{
    g_autoptr(Store) store = NULL;
    if (!lock_session(path, &store, error))
        return false;
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *trash = g_build_filename(dir, TRASH_DIR, NULL);
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *stem = artifacts_of(name);
    g_autofree char *place =
        g_strdup_printf("%s/%lld-%s", trash, (long long)(time_now_ms() / 1000), stem ? stem : name);
    empty_old_trash(trash);
    return file_make_dirs(place, 0700, error) && move_session(path, place, error);
}

// ---- the trash ----

/* Adds the session of one folder in the trash, if there is one. */
static void add_trashed(json_t *list, const char *trash, const char *name)
{
    int64_t at = removed_at(name);
    g_autofree char *folder = g_build_filename(trash, name, NULL);
    g_autoptr(GDir) dir = at > 0 ? g_dir_open(folder, 0, NULL) : NULL;
    const char *file = NULL;
    while (dir && (file = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, file, NULL);
        g_autoptr(json_t) header = strchr(file, '.') ? session_file_header(path) : NULL;
        if (!header)
            continue;
        g_autofree char *home = g_path_get_dirname(trash);
        g_autofree char *was = g_build_filename(home, file, NULL);
        json_append_take(list, json_pack("{s:s*, s:s*, s:s*, s:s, s:I, s:s}", "id",
                                         json_get_text(header, "id"), "title",
                                         json_get_text(header, "title"), "cwd",
                                         json_get_text(header, "cwd"), "path", was, "deletedAt",
                                         (json_int_t)at, "trash", path));
    }
}

static void add_trash_of(json_t *list, const char *session_dir)
{
    g_autofree char *trash = g_build_filename(session_dir, TRASH_DIR, NULL);
    empty_old_trash(trash);
    g_autoptr(GDir) dir = g_dir_open(trash, 0, NULL);
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir)))
        add_trashed(list, trash, name);
}

static int compare_deleted(const void *a, const void *b)
{
    int64_t left = json_get_int(*(json_t *const *)a, "deletedAt", 0);
    int64_t right = json_get_int(*(json_t *const *)b, "deletedAt", 0);
    return (left < right) - (left > right);
}

/* Of all projects, with the key "trash": where the file is now. */
static json_t *find_trashed(const SessionPlace *place)
{
    g_autoptr(json_t) found = json_array();
    g_autofree char *here = session_place_dir(place);
    g_autofree char *root = g_path_get_dirname(here);
    g_autoptr(GDir) dir = place->session_dir ? NULL : g_dir_open(root, 0, NULL);
    if (place->session_dir)
        add_trash_of(found, here);
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *project = g_build_filename(root, name, NULL);
        add_trash_of(found, project);
    }
    g_autoptr(GPtrArray) sorted = g_ptr_array_new();
    json_each (found, i, each)
        g_ptr_array_add(sorted, each);
    g_ptr_array_sort(sorted, compare_deleted);
    json_t *list = json_array();
    for (guint k = 0; k < sorted->len; k++)
        json_array_append(list, sorted->pdata[k]);
    return list;
}

json_t *session_trash_list(const SessionPlace *place)
{
    json_t *list = find_trashed(place);
    json_each (list, i, each)
        json_object_del(each, "trash");
    return list;
}

bool session_restore(const SessionPlace *place, const char *id, char **ret_path, GError **error)
{
    g_autoptr(json_t) list = find_trashed(place);
    const json_t *found = NULL;
    json_each (list, i, each) {
        const char *its = json_get_text(each, "id");
        if (!its || !*id || g_ascii_strncasecmp(its, id, strlen(id)) != 0)
            continue;
        if (found)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "%s is the beginning of several ids in the trash: %s and %s", id,
                             json_get_text(found, "id"), its);
        found = each;
    }
    if (!found)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "No removed session has an id that begins with %s; "
                         "`kedge sessions restore` lists those there are",
                         id);
    const char *path = json_get_text(found, "path");
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *folder = g_path_get_dirname(json_get_text(found, "trash"));
    if (!move_session(json_get_text(found, "trash"), dir, error))
        return false;
    rmdir(folder); // what is left in it is not ours
    *ret_path = g_strdup(path);
    return true;
}
