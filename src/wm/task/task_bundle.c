/* See task_bundle.h. */
#include "wm/task/task_bundle.h"

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "wm/task/task_fetch.h"
#include "wm/task/task_imports.h"
#include "wm/task/wm_log.h"

#include <string.h>

#define VIRTUAL_ROOT "/root"

typedef struct Bundle {
    const WmSource *from; // of the task
    char *place;          // of the task there; of a file its absolute path
    const char *root;
    bool is_forced;
    Cancel *cancel;
    GPtrArray *files;
    GPtrArray *looked_at; // paths; owned
} Bundle;

/* Nothing that starts by being there: no task, no workflow, no configuration. */
static bool may_write(const char *path)
{
    static const char *const dirs[] = { ".wm/tasks/", ".github/workflows/", ".wm/" };
    bool is_below = false;
    for (size_t i = 0; !is_below && i < G_N_ELEMENTS(dirs); i++) {
        if (!str_has_prefix(path, dirs[i]))
            continue;
        const char *rest = path + strlen(dirs[i]);
        if (i < 2 && !strchr(rest, '/'))
            return false;
        is_below = true;
    }
    return is_below && g_str_has_suffix(path, ".md");
}

/* `import`, as the file at `place` there says it. Caller frees; NULL: it leads out. */
static char *place_of(const char *place, const char *import)
{
    bool is_from_root = str_has_prefix(import, ".wm/") || str_has_prefix(import, ".github/");
    g_autofree char *dir = g_path_get_dirname(place);
    g_autofree char *base = g_build_filename(VIRTUAL_ROOT, is_from_root ? NULL : dir, NULL);
    g_autofree char *whole = path_absolute(import, base);
    return str_has_prefix(whole, VIRTUAL_ROOT "/") ? g_strdup(whole + strlen(VIRTUAL_ROOT "/"))
                                                   : NULL;
}

/* Beside the task, or one directory up: not whatever a link there leads to. */
static bool read_beside(const Bundle *self, const char *place, WmFetched *ret_fetched)
{
    g_autofree char *dir = g_path_get_dirname(self->place);
    g_autofree char *around = g_build_filename(dir, "..", NULL);
    g_autofree char *real_around = path_real(around), *real = path_real(place);
    ret_fetched->status = 404;
    if (real && real_around && path_is_inside(real, real_around) &&
        file_read(real, WM_MAX_TASK_BYTES, &ret_fetched->text, &ret_fetched->size, NULL))
        ret_fetched->status = 200;
    return true;
}

/* `place` is a path in the repository, a path here, or an address. */
static bool bundle_fetch(const Bundle *self, const char *place, WmFetched *ret_fetched,
                         GError **error)
{
    if (self->from->kind == WM_FROM_FILE)
        return read_beside(self, place, ret_fetched);
    WmSource source = *self->from;
    source.text = (char *)place;
    const char *const paths[] = { place, NULL };
    g_autofree char *cwd = g_get_current_dir();
    return wm_fetch(&source, paths, cwd, self->cancel, ret_fetched, error);
}

/* Where `import` is, seen from `place`. Caller frees; NULL: nowhere. */
static char *next_place(const Bundle *self, const char *place, const char *import)
{
    if (self->from->kind == WM_FROM_REPOSITORY)
        return place_of(place, import);
    if (self->from->kind == WM_FROM_URL)
        return g_uri_resolve_relative(place, import, G_URI_FLAGS_ENCODED, NULL);
    g_autofree char *dir = g_path_get_dirname(place);
    return path_absolute(import, dir);
}

static bool bundle_take(Bundle *self, const char *text, const char *path, const char *place,
                        GError **error);

/* One import of the file at `path` here and at `place` there. */
static bool take_import(Bundle *self, const char *import, const char *path, const char *place,
                        GError **error)
{
    g_autofree char *target = NULL, *there = NULL, *on_disk = NULL;
    if (!wm_import_path(path, import, &target, NULL) || !may_write(target) ||
        g_ptr_array_find_with_equal_func(self->looked_at, target, g_str_equal, NULL) ||
        self->looked_at->len >= WM_MAX_IMPORTS)
        return true;
    g_ptr_array_add(self->looked_at, g_strdup(target));
    on_disk = g_build_filename(self->root, target, NULL);
    if (!self->is_forced && file_exists(on_disk)) {
        wm_say("kept existing %s", target);
        return true;
    }
    g_auto(WmFetched) fetched = { 0 };
    there = next_place(self, place, import);
    if (there && !bundle_fetch(self, there, &fetched, error))
        return false;
    if (fetched.status != 200 || memchr(fetched.text, '\0', fetched.size))
        return true;
    wm_fresh_add_first(self->files, target, fetched.text);
    return bundle_take(self, fetched.text, target, there, error);
}

static bool bundle_take(Bundle *self, const char *text, const char *path, const char *place,
                        GError **error)
{
    g_autoptr(GPtrArray) names = wm_import_names(text, strlen(text), path);
    for (guint i = 0; i < names->len; i++)
        if (!take_import(self, names->pdata[i], path, place, error))
            return false;
    return true;
}

bool wm_bundle(const WmSource *from, const char *root, const char *path, bool is_forced,
               Cancel *cancel, GPtrArray *files, GError **error)
{
    g_autoptr(GPtrArray) looked_at = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *cwd = g_get_current_dir();
    g_autofree char *place = from->kind == WM_FROM_FILE         ? path_absolute(from->text, cwd)
                             : from->kind == WM_FROM_REPOSITORY ? g_strdup(from->path)
                                                                : g_strdup(from->text);
    Bundle self = {
        .from = from,
        .place = place,
        .root = root,
        .is_forced = is_forced,
        .cancel = cancel,
        .files = files,
        .looked_at = looked_at,
    };
    g_autofree char *text = g_strdup(wm_fresh_find(files, path));
    return bundle_take(&self, text, path, place, error);
}
