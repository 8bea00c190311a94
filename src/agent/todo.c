/*
 * Todo lists (todo.h).
 */
#include "agent/todo.h"

#include "base/file.h"

#include <inttypes.h>

#define FILE_NAME  "todos.json"
#define TASKS_MAX  1000 // of the whole list
#define FLAT_PHASE "Todos"

static bool is_status(const char *text)
{
    static const char *const statuses[] = { "pending", "in_progress", "completed", "abandoned",
                                            NULL };
    return text && g_strv_contains(statuses, text);
}

/* Appends the tasks that can be used; returns how many the list has now. */
static size_t take_tasks(json_t *out, const json_t *tasks, size_t count)
{
    size_t i;
    json_t *task;
    json_array_foreach (tasks, i, task) {
        const char *content = json_get_text(task, "content");
        const char *status = json_get_text(task, "status");
        if (!content || !*content || count >= TASKS_MAX)
            continue;
        json_t *copy = json_object();
        json_set_text(copy, "content", content);
        json_set_text(copy, "status", is_status(status) ? status : "pending");
        json_append_take(out, copy);
        count++;
    }
    return count;
}

static size_t take_phase(json_t *phases, const char *name, const json_t *tasks, size_t count)
{
    json_t *phase = json_object();
    json_t *own = json_array();
    count = take_tasks(own, tasks, count);
    json_set_text(phase, "name", name ? name : FLAT_PHASE);
    json_set_take(phase, "tasks", own);
    json_append_take(phases, phase);
    return count;
}

static json_t *normalise(const json_t *list)
{
    json_t *phases = json_array();
    const json_t *first = json_array_get(list, 0);
    size_t count = 0, i;
    json_t *phase;
    if (json_get_text(first, "content")) {
        take_phase(phases, FLAT_PHASE, list, count);
        return phases;
    }
    json_array_foreach (list, i, phase) {
        const json_t *tasks = json_get_array(phase, "tasks");
        if (tasks)
            count = take_phase(phases, json_get_text(phase, "name"), tasks, count);
    }
    return phases;
}

static bool check_tasks(const json_t *tasks, GError **error)
{
    size_t i;
    json_t *task;
    json_array_foreach (tasks, i, task) {
        if (!json_get_text(task, "content"))
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "item %zu of \"tasks\" must be an object with the text \"content\"",
                             i + 1);
    }
    return true;
}

bool todo_check(const json_t *list, GError **error)
{
    if (!json_is_array(list))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "\"phases\" must be an array of {name, tasks}, or of tasks");
    bool is_flat = json_get_text(json_array_get(list, 0), "content") != NULL;
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item) {
        const json_t *tasks = json_get_array(item, "tasks");
        if (is_flat ? !json_get_text(item, "content") : !tasks)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "item %zu of \"phases\" must be an object with \"%s\"", i + 1,
                             is_flat ? "content" : "tasks");
        if (tasks && !check_tasks(tasks, error))
            return false;
    }
    return true;
}

json_t *todo_load(const char *dir)
{
    g_autofree char *path = dir ? g_build_filename(dir, FILE_NAME, NULL) : NULL;
    g_autoptr(json_t) list = NULL;
    if (path)
        json_read_file(path, &list, NULL); // there is none, or a broken one: nothing is to be done
    return normalise(list);
}

json_t *todo_save(const char *dir, const json_t *phases, GError **error)
{
    g_autoptr(json_t) list = normalise(phases);
    g_autofree char *text = json_to_text(list);
    g_autofree char *path = dir ? g_build_filename(dir, FILE_NAME, NULL) : NULL;
    if (path && (!file_make_dirs(dir, 0700, error) ||
                 !file_write_atomic(path, text, strlen(text), 0600, error)))
        return NULL;
    return g_steal_pointer(&list);
}

static bool is_open(const json_t *task)
{
    const char *status = json_get_text(task, "status");
    return g_strcmp0(status, "pending") == 0 || g_strcmp0(status, "in_progress") == 0;
}

json_t *todo_open_tasks(const json_t *phases)
{
    json_t *open = json_array();
    size_t i, j;
    json_t *phase, *task;
    json_array_foreach (phases, i, phase) {
        json_array_foreach (json_get_array(phase, "tasks"), j, task) {
            if (is_open(task))
                json_array_append(open, task);
        }
    }
    return open;
}

static void append_phase(GString *text, const json_t *phase)
{
    bool has_name = false;
    size_t i;
    json_t *task;
    json_array_foreach (json_get_array(phase, "tasks"), i, task) {
        if (!is_open(task))
            continue;
        if (!has_name)
            g_string_append_printf(text, "- %s\n", json_get_text(phase, "name"));
        has_name = true;
        g_string_append_printf(text, "  - %s\n", json_get_text(task, "content"));
    }
}

char *todo_reminder(const json_t *phases, int64_t attempt, int64_t max_attempts)
{
    g_autoptr(json_t) open = todo_open_tasks(phases);
    GString *text = g_string_new("<system-reminder>\n");
    g_string_append_printf(text, "You stopped with %zu incomplete todo item(s):\n",
                           json_array_size(open));
    size_t i;
    json_t *phase;
    json_array_foreach (phases, i, phase)
        append_phase(text, phase);
    g_string_append_printf(text,
                           "\nPlease continue working on these tasks or mark them complete if "
                           "finished.\n(Reminder %" PRId64 "/%" PRId64 ")\n</system-reminder>",
                           attempt, max_attempts);
    return g_string_free(text, FALSE);
}
