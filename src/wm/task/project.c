/*
 * A repository with tasks (project.h): which files they are, and loading them. Files are read and
 * parsed by several threads, each by one; what came of them is looked at in their order.
 */
#include "wm/task/project.h"

#include "base/file.h"
#include "base/git_dir.h"
#include "base/path.h"
#include "base/special_files.h"
#include "base/str.h"
#include "base/worker.h"
#include "wm/task/task_imports.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#define GH_AW_DIR        ".github/workflows"
#define MAX_THREADS      4
#define FILES_PER_THREAD 32 // fewer are not worth starting one

typedef struct TaskFile {
    const char *dir;  // WM_TASKS_DIR or GH_AW_DIR
    char *id;         // the path below the root
    const char *file; // its last part
    char *name;       // of its task
    bool is_misnamed;
    bool is_regular; // the directory said so; false: it is to be found out
    // what came of it: a task, a problem, or neither when the file is none of ours
    WmTask *task;
    bool is_left_out; // it has a task, which no one wants
    GError *problem;
    GPtrArray *warnings; // NULL: none
} TaskFile;

typedef struct Loader {
    WmProject *project;
    const char *only; // NULL: any task may not be bad
    bool keeps_bad;
    const WmWanted *wanted; // NULL: all are
    const GPtrArray *fresh; // files that are not on disk yet; NULL: none
    GPtrArray *warnings;    // NULL: no one wants them
    GHashTable *names;      // of the tasks so far; the keys are the files'
} Loader;

typedef struct Reading { // of all files, shared by the threads
    const WmProject *project;
    const WmWanted *wanted; // NULL: all are
    const GPtrArray *fresh;
    GPtrArray *files; // of TaskFile *, each changed by the thread that took it
    int next;         // atomic
} Reading;

static void close_dir(DIR *dir)
{
    closedir(dir);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DIR, close_dir)

static TaskFile *file_new(const char *dir, const char *name, bool is_regular)
{
    TaskFile *file = g_new0(TaskFile, 1);
    file->dir = dir;
    file->id = g_strconcat(dir, "/", name, NULL);
    file->file = file->id + strlen(dir) + 1;
    file->name = g_strndup(name, strlen(name) - strlen(".md"));
    file->is_misnamed = !wm_task_name_is_valid(file->name);
    file->is_regular = is_regular;
    return file;
}

static void free_file(void *file_)
{
    TaskFile *file = file_;
    g_free(file->id);
    g_free(file->name);
    wm_task_free(file->task);
    g_clear_error(&file->problem);
    g_clear_pointer(&file->warnings, g_ptr_array_unref);
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

/* Tasks that are further up: this is a directory inside of the repository, and no place to begin
   with others. */
static bool fail_no_tasks(const char *root, GError **error)
{
    g_autofree char *top = git_dir_work_tree(root);
    g_autofree char *tasks = top ? g_build_filename(top, WM_TASKS_DIR, NULL) : NULL;
    if (tasks && file_is_directory(tasks))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "%s: no such directory in %s (it is in %s: run kedge wm there)",
                         WM_TASKS_DIR, root, top);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s: no such directory (run kedge wm init)",
                     WM_TASKS_DIR);
}

static bool list_files(const WmProject *project, const char *dir, GPtrArray *files, GError **error)
{
    g_autofree char *path = g_build_filename(project->root, dir, NULL);
    g_autoptr(DIR) listing = opendir(path);
    if (!listing && strcmp(dir, GH_AW_DIR) == 0)
        return true;
    if (!listing && !file_is_directory(path))
        return fail_no_tasks(project->root, error);
    if (!listing)
        return fail_with(error, KEDGE_ERROR_IO, "%s: cannot be read", dir);
    guint count = 0;
    const struct dirent *entry;
    while ((entry = readdir(listing))) {
        if (!g_str_has_suffix(entry->d_name, ".md"))
            continue;
        if (++count > WM_MAX_TASKS)
            return fail_with(error, KEDGE_ERROR_LIMIT, "%s: more than %d files", dir, WM_MAX_TASKS);
        g_ptr_array_add(files, file_new(dir, entry->d_name, entry->d_type == DT_REG));
    }
    return true;
}

/* Regular files, and links to such inside the repository. */
static bool is_readable(const WmProject *project, TaskFile *file, const char *path)
{
    if (file->is_regular)
        return true;
    struct stat info;
    if (stat(path, &info) == 0 && special_file_is(&info)) {
        wm_note(file->warnings, WM_FILE, "skipped (it is no regular file)");
        return false;
    }
    if (lstat(path, &info) != 0)
        return false;
    if (!S_ISLNK(info.st_mode))
        return S_ISREG(info.st_mode);
    g_autofree char *target = path_real(path), *root = path_real(project->root);
    if (!target || stat(target, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    bool is_inside = root && path_is_inside(target, root);
    if (!is_inside)
        wm_note(file->warnings, WM_FILE, "skipped (the link leads out of the repository)");
    return is_inside;
}

/* Those that are on disk, too, are there already. */
static void add_fresh(const GPtrArray *fresh, GPtrArray *files)
{
    guint on_disk = files->len;
    for (guint i = 0; fresh && i < fresh->len; i++) {
        const char *path = ((WmFreshFile *)fresh->pdata[i])->path;
        const char *name = path + strlen(WM_TASKS_DIR "/");
        if (!str_has_prefix(path, WM_TASKS_DIR "/") || strchr(name, '/'))
            continue;
        bool is_known = false;
        for (guint k = 0; !is_known && k < on_disk; k++)
            is_known = strcmp(((TaskFile *)files->pdata[k])->id, path) == 0;
        if (!is_known)
            g_ptr_array_add(files, file_new(WM_TASKS_DIR, name, true));
    }
}

// gh-aw's rule of task-engine §1.5: is this file compiled, and so none of ours?
static bool is_compiled(const WmProject *project, TaskFile *file)
{
    g_autofree char *lock = g_strconcat(file->name, ".lock.yml", NULL);
    g_autofree char *path = g_build_filename(project->root, file->dir, lock, NULL);
    if (project->config->gh_aw == WM_GH_AW_FORCE || !file_exists(path))
        return false;
    wm_note(file->warnings, WM_FILE, "skipped (compiled gh-aw workflow %s present)", lock);
    return true;
}

static bool has_frontmatter(const char *data, size_t size)
{
    g_autofree char *yaml = NULL, *body = NULL;
    return wm_task_split(data, size, &yaml, &body, NULL);
}

static bool read_text(const TaskFile *file, const char *path, const GPtrArray *fresh,
                      char **ret_text, size_t *ret_size, GError **error)
{
    *ret_text = g_strdup(wm_fresh_find(fresh, file->id));
    if (*ret_text)
        *ret_size = strlen(*ret_text);
    return *ret_text || file_read(path, WM_MAX_TASK_BYTES, ret_text, ret_size, error);
}

// The task of `file`, or its problem, or neither.
static void read_task(const Reading *reading, TaskFile *file)
{
    const WmProject *project = reading->project;
    bool is_gh_aw = strcmp(file->dir, GH_AW_DIR) == 0;
    g_autofree char *path = g_strconcat(project->root, "/", file->id, NULL);
    if (!is_readable(project, file, path) || (is_gh_aw && is_compiled(project, file)))
        return;
    if (file->is_misnamed) {
        fail_with(&file->problem, KEDGE_ERROR_PROTOCOL, "%s: not a task name (%s)", file->id,
                  WM_NAME_RULE);
        return;
    }
    g_autofree char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) problem = NULL;
    if (!read_text(file, path, reading->fresh, &data, &size, &problem)) {
        bool is_large = error_is(problem, KEDGE_ERROR_LIMIT);
        fail_with(&file->problem, problem->code, "%s: %s", file->file,
                  is_large ? "file too large" : problem->message);
        return;
    }
    if (is_gh_aw && !has_frontmatter(data, size))
        return;
    g_autoptr(WmTask) task = NULL;
    if (wm_task_parse(data, size, file->id, file->warnings, &task, &file->problem) &&
        (!is_gh_aw || json_object_get(task->front, "on")) &&
        wm_task_import(task, data, size, project->root, reading->fresh, &file->problem))
        file->task = g_steal_pointer(&task);
}

/* What is freed at once by the thread that made it leaves warm memory for the next. */
static void leave_out(const WmWanted *wanted, TaskFile *file)
{
    if (!wanted || !file->task || wanted->is_wanted(file->task, wanted->user_data))
        return;
    g_clear_pointer(&file->task, wm_task_free);
    file->is_left_out = true;
}

static void read_some(void *data)
{
    Reading *self = data;
    for (;;) {
        int index = g_atomic_int_add(&self->next, 1);
        if (index >= (int)self->files->len)
            return;
        TaskFile *file = self->files->pdata[index];
        file->warnings = wm_notes_new();
        read_task(self, file);
        wm_notes_set_path(file->warnings, 0, file->id);
        leave_out(self->wanted, file);
        if (file->warnings->len == 0)
            g_clear_pointer(&file->warnings, g_ptr_array_unref);
    }
}

// One thread is this one: where no other can be started, it reads all.
static void read_all(const Loader *self, GPtrArray *files)
{
    Reading reading = {
        .project = self->project,
        .wanted = self->wanted,
        .fresh = self->fresh,
        .files = files,
    };
    Worker *workers[MAX_THREADS - 1] = { NULL };
    guint processors = g_get_num_processors();
    guint threads = MIN(MIN(processors, MAX_THREADS), files->len / FILES_PER_THREAD);
    for (guint i = 0; i + 1 < threads; i++)
        workers[i] = worker_start("wm-tasks", read_some, &reading);
    read_some(&reading);
    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++)
        worker_join(workers[i]);
}

// True: the others go on without it.
static bool loader_bear(const Loader *self, TaskFile *file, GError **error)
{
    bool is_other = self->only && strcmp(self->only, file->name) != 0;
    if (!self->keeps_bad && !is_other)
        return pass_error(error, &file->problem);
    if (!self->keeps_bad) {
        wm_note(self->warnings, WM_FILE, "%s", file->problem->message);
        return true;
    }
    WmBadFile *bad = g_new0(WmBadFile, 1);
    bad->name = g_strdup(file->name);
    bad->reason = g_strdup(file->problem->message);
    bad->is_misnamed = file->is_misnamed;
    g_ptr_array_add(self->project->bad, bad);
    return true;
}

static bool take_file(const Loader *self, TaskFile *file, GError **error)
{
    if (g_hash_table_contains(self->names, file->name)) {
        guint first = wm_notes_count(self->warnings);
        wm_note(self->warnings, WM_FILE, "skipped (%s has a task of that name)", WM_TASKS_DIR);
        wm_notes_set_path(self->warnings, first, file->id);
        return true;
    }
    if (file->warnings && self->warnings)
        g_ptr_array_extend_and_steal(self->warnings, g_steal_pointer(&file->warnings));
    if (file->problem)
        return loader_bear(self, file, error);
    if (file->task || file->is_left_out)
        g_hash_table_add(self->names, file->name);
    if (file->task)
        g_ptr_array_add(self->project->tasks, g_steal_pointer(&file->task));
    self->project->left_out += file->is_left_out;
    return true;
}

static bool load_all(Loader *self, GError **error)
{
    const WmProject *project = self->project;
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(free_file);
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    self->names = names;
    g_autofree char *tasks = g_build_filename(project->root, WM_TASKS_DIR, NULL);
    bool is_first = self->fresh && !file_is_directory(tasks); // `add` begins with it
    if ((!is_first && !list_files(project, WM_TASKS_DIR, files, error)) ||
        (project->config->gh_aw != WM_GH_AW_OFF && !list_files(project, GH_AW_DIR, files, error)))
        return false;
    add_fresh(self->fresh, files);
    g_ptr_array_sort(files, by_file);
    read_all(self, files);
    for (guint i = 0; i < files->len; i++)
        if (!take_file(self, files->pdata[i], error))
            return false;
    return true;
}

static bool project_load(const char *root, Loader *self, WmProject **ret_project, GError **error)
{
    g_autofree char *here = g_get_current_dir();
    g_autoptr(WmProject) project = g_new0(WmProject, 1);
    project->root = path_absolute(root, here);
    project->tasks = g_ptr_array_new_with_free_func(free_task);
    project->bad = g_ptr_array_new_with_free_func(free_bad);
    if (!wm_config_read(project->root, self->warnings, &project->config, error))
        return false;
    self->project = project;
    if (!load_all(self, error))
        return false;
    *ret_project = g_steal_pointer(&project);
    return true;
}

bool wm_project_load(const char *root, const char *only, GPtrArray *warnings,
                     WmProject **ret_project, GError **error)
{
    Loader loader = { .only = only, .warnings = warnings };
    return project_load(root, &loader, ret_project, error);
}

bool wm_project_load_fresh(const char *root, const GPtrArray *fresh, GPtrArray *warnings,
                           WmProject **ret_project, GError **error)
{
    Loader loader = { .fresh = fresh, .warnings = warnings };
    return project_load(root, &loader, ret_project, error);
}

bool wm_project_load_good(const char *root, GPtrArray *warnings, WmProject **ret_project,
                          GError **error)
{
    return wm_project_load_wanted(root, NULL, warnings, ret_project, error);
}

bool wm_project_load_wanted(const char *root, const WmWanted *wanted, GPtrArray *warnings,
                            WmProject **ret_project, GError **error)
{
    Loader loader = { .keeps_bad = true, .wanted = wanted, .warnings = warnings };
    return project_load(root, &loader, ret_project, error);
}

char *wm_project_did_you_mean(const WmProject *self, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < self->tasks->len; i++)
        g_ptr_array_add(names, ((WmTask *)self->tasks->pdata[i])->name);
    g_ptr_array_add(names, NULL);
    return str_did_you_mean(name, (const char *const *)names->pdata);
}

const WmTask *wm_project_find(const WmProject *self, const char *name, GError **error)
{
    for (guint i = 0; i < self->tasks->len; i++) {
        const WmTask *task = self->tasks->pdata[i];
        if (strcmp(task->name, name) == 0)
            return task;
    }
    g_autofree char *hint = wm_project_did_you_mean(self, name);
    fail_with(error, KEDGE_ERROR_NOT_FOUND, "task not found: %s%s", name, hint);
    return NULL;
}
