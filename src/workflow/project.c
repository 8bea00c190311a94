/*
 * A repository with tasks (project.h): which files they are, and loading them.
 */
#include "workflow/project.h"

#include "base/file.h"
#include "base/path.h"

#include <string.h>
#include <sys/stat.h>

#define GH_AW_DIR ".github/workflows"

typedef struct TaskFile {
    const char *dir; // WM_TASKS_DIR or GH_AW_DIR
    char *file;
} TaskFile;

typedef struct Loader {
    WmProject *project;
    const char *only; // NULL: all are wanted
    bool keeps_bad;
    GPtrArray *warnings; // NULL: nobody wants them
    GHashTable *names;   // of the tasks that are loaded; borrowed keys
} Loader;

static void warn(const Loader *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void warn(const Loader *self, const char *format, ...)
{
    if (!self->warnings)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(self->warnings, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

static void free_file(void *file_)
{
    TaskFile *file = file_;
    g_free(file->file);
    g_free(file);
}

static void free_bad(void *bad_)
{
    WmBadFile *bad = bad_;
    g_free(bad->name);
    g_free(bad->reason);
    g_free(bad);
}

static void free_task(void *task)
{
    wm_task_free(task);
}

void wm_project_free(WmProject *self)
{
    if (!self)
        return;
    g_free(self->root);
    wm_config_free(self->config);
    g_ptr_array_unref(self->tasks);
    g_ptr_array_unref(self->bad);
    g_free(self);
}

// Byte-wise by file name; what stands in .wm/tasks comes first.
static int by_file(const void *a_, const void *b_)
{
    const TaskFile *a = *(TaskFile *const *)a_, *b = *(TaskFile *const *)b_;
    int order = strcmp(a->file, b->file);
    return order != 0 ? order : strcmp(b->dir, a->dir);
}

static bool list_files(const WmProject *project, const char *dir, GPtrArray *files, GError **error)
{
    g_autofree char *path = g_build_filename(project->root, dir, NULL);
    g_autoptr(GDir) listing = g_dir_open(path, 0, NULL);
    if (!listing && strcmp(dir, GH_AW_DIR) == 0)
        return true;
    if (!listing && !file_is_directory(path))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s: no such directory (run kedge wm init)",
                         dir);
    if (!listing)
        return fail_with(error, KEDGE_ERROR_IO, "%s: cannot be read", dir);
    guint count = 0;
    const char *name;
    while ((name = g_dir_read_name(listing))) {
        if (!g_str_has_suffix(name, ".md"))
            continue;
        if (++count > WM_MAX_TASKS)
            return fail_with(error, KEDGE_ERROR_LIMIT, "%s: more than %d files", dir, WM_MAX_TASKS);
        TaskFile *file = g_new0(TaskFile, 1);
        file->dir = dir;
        file->file = g_strdup(name);
        g_ptr_array_add(files, file);
    }
    return true;
}

/* Regular files, and links to such inside the repository. */
static bool is_readable(const Loader *self, const char *id, const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return false;
    if (!S_ISLNK(info.st_mode))
        return S_ISREG(info.st_mode);
    g_autofree char *target = path_real(path), *root = path_real(self->project->root);
    if (!target || stat(target, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    bool is_inside = root && path_is_inside(target, root);
    if (!is_inside)
        warn(self, "%s: skipped (the link leads out of the repository)", id);
    return is_inside;
}

// gh-aw's rules of §1.5: is this file none of ours, before and after it is read?
static bool is_compiled(const Loader *self, const char *id, const char *path)
{
    g_autofree char *stem = g_strndup(path, strlen(path) - strlen(".md"));
    g_autofree char *lock = g_strconcat(stem, ".lock.yml", NULL);
    if (self->project->config->gh_aw == WM_GH_AW_FORCE || !file_exists(lock))
        return false;
    g_autofree char *name = g_path_get_basename(lock);
    warn(self, "%s: skipped (compiled gh-aw workflow %s present)", id, name);
    return true;
}

static bool has_frontmatter(const char *data, size_t size)
{
    g_autofree char *yaml = NULL, *body = NULL;
    return wm_task_split(data, size, &yaml, &body, NULL);
}

// NULL in *ret_task: no task, and nothing is wrong.
static bool read_task(const Loader *self, const TaskFile *file, const char *id, WmTask **ret_task,
                      GError **error)
{
    bool is_gh_aw = strcmp(file->dir, GH_AW_DIR) == 0;
    g_autofree char *path = g_build_filename(self->project->root, id, NULL);
    if (!is_readable(self, id, path) || (is_gh_aw && is_compiled(self, id, path)))
        return true;
    g_autofree char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) problem = NULL;
    if (!file_read(path, WM_MAX_TASK_BYTES, &data, &size, &problem)) {
        bool is_large = error_is(problem, KEDGE_ERROR_LIMIT);
        return fail_with(error, problem->code, "%s: %s", file->file,
                         is_large ? "file too large" : problem->message);
    }
    if (is_gh_aw && !has_frontmatter(data, size))
        return true;
    g_autoptr(WmTask) task = NULL;
    if (!wm_task_parse(data, size, id, self->warnings, &task, error))
        return false;
    if (!is_gh_aw || json_object_get(task->front, "on"))
        *ret_task = g_steal_pointer(&task);
    return true;
}

// True: the others go on without it.
static bool bear(const Loader *self, const char *name, GError *problem_, bool is_misnamed,
                 GError **error)
{
    g_autoptr(GError) problem = problem_;
    bool is_other = self->only && strcmp(self->only, name) != 0;
    if (!self->keeps_bad && !is_other) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return false;
    }
    if (!self->keeps_bad) {
        warn(self, "%s", problem->message);
        return true;
    }
    WmBadFile *bad = g_new0(WmBadFile, 1);
    bad->name = g_strdup(name);
    bad->reason = g_strdup(problem->message);
    bad->is_misnamed = is_misnamed;
    g_ptr_array_add(self->project->bad, bad);
    return true;
}

static bool load_file(const Loader *self, const TaskFile *file, GError **error)
{
    g_autofree char *id = g_strconcat(file->dir, "/", file->file, NULL);
    g_autofree char *name = g_strndup(file->file, strlen(file->file) - strlen(".md"));
    if (!wm_task_name_is_valid(name)) {
        GError *problem = NULL;
        fail_with(&problem, KEDGE_ERROR_PROTOCOL, "%s: not a task name (%s)", id, WM_NAME_RULE);
        return bear(self, name, problem, true, error);
    }
    if (g_hash_table_contains(self->names, name)) {
        warn(self, "%s: skipped (%s has a task of that name)", id, WM_TASKS_DIR);
        return true;
    }
    g_autoptr(WmTask) task = NULL;
    GError *problem = NULL;
    if (!read_task(self, file, id, &task, &problem))
        return bear(self, name, problem, false, error);
    if (task) {
        g_hash_table_add(self->names, task->name);
        g_ptr_array_add(self->project->tasks, g_steal_pointer(&task));
    }
    return true;
}

static bool load_all(const Loader *self, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(free_file);
    if (!list_files(self->project, WM_TASKS_DIR, files, error) ||
        (self->project->config->gh_aw != WM_GH_AW_OFF &&
         !list_files(self->project, GH_AW_DIR, files, error)))
        return false;
    g_ptr_array_sort(files, by_file);
    for (guint i = 0; i < files->len; i++)
        if (!load_file(self, files->pdata[i], error))
            return false;
    return true;
}

static bool load(const char *root, Loader *self, WmProject **ret_project, GError **error)
{
    g_autofree char *here = g_get_current_dir();
    g_autoptr(WmProject) project = g_new0(WmProject, 1);
    project->root = path_absolute(root, here);
    project->tasks = g_ptr_array_new_with_free_func(free_task);
    project->bad = g_ptr_array_new_with_free_func(free_bad);
    if (!wm_config_read(project->root, self->warnings, &project->config, error))
        return false;
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    self->project = project;
    self->names = names;
    if (!load_all(self, error))
        return false;
    *ret_project = g_steal_pointer(&project);
    return true;
}

bool wm_project_load(const char *root, const char *only, GPtrArray *warnings,
                     WmProject **ret_project, GError **error)
{
    Loader loader = { .only = only, .warnings = warnings };
    return load(root, &loader, ret_project, error);
}

bool wm_project_load_good(const char *root, GPtrArray *warnings, WmProject **ret_project,
                          GError **error)
{
    Loader loader = { .keeps_bad = true, .warnings = warnings };
    return load(root, &loader, ret_project, error);
}

const WmTask *wm_project_find(const WmProject *self, const char *name, GError **error)
{
    for (guint i = 0; i < self->tasks->len; i++) {
        const WmTask *task = self->tasks->pdata[i];
        if (strcmp(task->name, name) == 0)
            return task;
    }
    fail_with(error, KEDGE_ERROR_NOT_FOUND, "task not found: %s", name);
    return NULL;
}
