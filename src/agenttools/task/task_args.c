/*
 * Arguments that several operations of the queue share (task_args.h).
 */
#include "agenttools/task/task_args.h"

#include "agenttools/root_dir.h"
#include "base/path.h"

#include <sys/stat.h>

const char *const task_id_words[] = { "id", NULL };

/* A linked worktree has a .git file, other repositories a directory: git need not be asked about
   those. */
static bool may_be_linked(const char *path)
{
    g_autofree char *dir = g_strdup(path);
    for (;;) {
        g_autofree char *mark = g_build_filename(dir, ".git", NULL);
        struct stat st;
        if (lstat(mark, &st) == 0)
            return !S_ISDIR(st.st_mode);
        if (strcmp(dir, "/") == 0)
            return false;
        char *parent = g_path_get_dirname(dir);
        g_free(dir);
        dir = parent;
    }
}

bool task_project_path(const char *given, Cancel *cancel, char **ret_path, GError **error)
{
    if (!given) {
        *ret_path = NULL;
        return true;
    }
    if (*given != '/')
        return answer_error_field(error, "projectPath", "Project path must be an absolute path");
    g_autofree char *path = path_absolute(given, "/");
    *ret_path = may_be_linked(path) ? root_dir_main(path, cancel) : g_steal_pointer(&path);
    return true;
}

bool task_check_size(const char *field, const char *text, GError **error)
{
    size_t size = text ? strlen(text) : 0;
    if (size <= TASK_MAX_JSON_BYTES)
        return true;
    return answer_error_field(error, field,
                              "Validation failed: %s is too long: %zu bytes (limit %zu)", field,
                              size, TASK_MAX_JSON_BYTES);
}

bool task_json_text(const char *field, const json_t *value, char **ret_text, GError **error)
{
    g_autofree char *text = value ? json_to_text(value) : NULL;
    if (!task_check_size(field, text, error))
        return false;
    *ret_text = g_steal_pointer(&text);
    return true;
}

static bool add_statuses(const char *names, unsigned *mask, GError **error)
{
    g_auto(GStrv) words = g_strsplit(names, ",", -1);
    for (char **word = words; *word; word++) {
        TaskStatus status = task_status_of(g_strstrip(*word));
        if (status == TASK_NO_STATUS)
            return answer_error_field(error, "status",
                                      "Invalid status filter '%s'. Valid values: " TASK_STATUS_LIST,
                                      *word);
        *mask |= 1u << status;
    }
    return true;
}

bool task_status_mask(const json_t *names, unsigned otherwise, unsigned *ret_mask, GError **error)
{
    unsigned mask = 0;
    json_each (names, index, name)
        if (!add_statuses(json_string_value(name), &mask, error))
            return false;
    *ret_mask = mask ? mask : otherwise;
    return true;
}

bool task_fail_state(const Task *task, const char *only, const char *done, GError **error)
{
    return answer_error(error, ANSWER_INVALID_STATE,
                        json_make("id:%jd status:%s", task->id, task_status_name(task->status)),
                        "Task %" G_GINT64_FORMAT " is %s; only %s tasks can be %s", task->id,
                        task_status_name(task->status), only, done);
}

bool task_check_token(const Task *task, const char *token, GError **error)
{
    if (!token || g_strcmp0(task->lease_token, token) == 0)
        return true;
    return answer_error(error, ANSWER_LEASE_LOST, json_make("id:%jd", task->id),
                        "Lease lost: task %" G_GINT64_FORMAT " is held by another worker",
                        task->id);
}

void task_filter_init(TaskFilter *self)
{
    self->where = g_string_new(NULL);
    self->values = task_values_new();
}

void task_filter_clear(TaskFilter *self)
{
    if (self->where)
        g_string_free(self->where, TRUE);
    g_clear_pointer(&self->values, g_array_unref);
    self->where = NULL;
}

void task_filter_add_text(TaskFilter *self, const char *condition, const char *value)
{
    if (!value)
        return;
    g_string_append(self->where, condition);
    task_values_add_text(self->values, value);
}

void task_filter_add_int(TaskFilter *self, const char *condition, int64_t value)
{
    g_string_append(self->where, condition);
    task_values_add_int(self->values, value);
}

/* "?, ?)" for so many. */
static void append_marks(GString *where, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g_string_append(where, i + 1 < count ? "?, " : "?)");
}

void task_filter_add_statuses(TaskFilter *self, unsigned mask)
{
    size_t count = 0;
    for (TaskStatus status = TASK_PENDING; status < TASK_NO_STATUS; status++)
        if (mask & (1u << status)) {
            task_values_add_text(self->values, task_status_name(status));
            count++;
        }
    g_string_append(self->where, " AND status IN (");
    append_marks(self->where, count);
}

void task_filter_add_types(TaskFilter *self, const json_t *types)
{
    size_t count = json_array_size(types);
    if (count == 0)
        return;
    // coalesce() keeps the planner from fetching all of several types in order to sort them
    g_string_append(self->where, count == 1 ? " AND type IN (" : " AND coalesce(type, '') IN (");
    append_marks(self->where, count);
    for (size_t i = 0; i < count; i++)
        task_values_add_text(self->values, json_string_value(json_array_get(types, i)));
}
