/* See todo.h. */
#include "tool/todo.h"

#include "base/file.h"
#include "base/lock.h"
#include "base/mask.h"
#include "base/timefmt.h"

#include <inttypes.h>

#define FILE_NAME  "todos.json"
#define FLAT_PHASE "Todos"

struct TodoList {
    pthread_mutex_t lock; // guards the rest
    char *dir;            // NULL: in memory only
    json_t *phases;       // never changed, only replaced
    int64_t changed_at;   // 0: before this list was opened
};

static bool is_status(const char *text)
{
    static const char *const statuses[] = { "pending", "in_progress", "completed", "abandoned",
                                            NULL };
    return text && g_strv_contains(statuses, text);
}

static json_t *usable_notes(const json_t *task)
{
    const json_t *notes = json_get_array(task, "notes");
    json_t *usable = json_array();
    json_each (notes, i, note) {
        if (json_is_string(note) && json_array_size(usable) < TODO_MAX_NOTES)
            json_append_take(usable, json_deep_copy(note));
    }
    if (json_array_size(usable) > 0)
        return usable;
    json_decref(usable);
    return NULL;
}

/* Appends the tasks that can be used; returns how many the list has now. */
static size_t take_tasks(json_t *out, const json_t *tasks, size_t count)
{
    json_each (tasks, i, task) {
        const char *content = json_get_text(task, "content");
        const char *status = json_get_text(task, "status");
        if (!content || !*content || count >= TODO_MAX_TASKS)
            continue;
        json_append_take(out,
                         json_make("content:%s status:%s notes:%p", content,
                                   is_status(status) ? status : "pending", usable_notes(task)));
        count++;
    }
    return count;
}

static size_t take_phase(json_t *phases, const char *name, const json_t *tasks, size_t count)
{
    json_t *phase = json_object();
    json_t *own = json_array();
    count = take_tasks(own, tasks, count);
    json_add(phase, "name:%s tasks:%p", name ? name : FLAT_PHASE, own);
    json_append_take(phases, phase);
    return count;
}

static json_t *todo_normalise(const json_t *list)
{
    json_t *phases = json_array();
    const json_t *first = json_array_get(list, 0);
    size_t count = 0;
    if (json_get_text(first, "content")) {
        take_phase(phases, FLAT_PHASE, list, count);
        return phases;
    }
    json_each (list, i, phase) {
        const json_t *tasks = json_get_array(phase, "tasks");
        if (tasks)
            count = take_phase(phases, json_get_text(phase, "name"), tasks, count);
    }
    return phases;
}

static bool check_tasks(const json_t *tasks, GError **error)
{
    json_each (tasks, i, task) {
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
    json_each (list, i, item) {
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

bool todo_is_open(const json_t *task)
{
    const char *status = json_get_text(task, "status");
    return g_strcmp0(status, "pending") == 0 || g_strcmp0(status, "in_progress") == 0;
}

json_t *todo_open_tasks(const json_t *phases)
{
    json_t *open = json_array();
    json_each (phases, i, phase) {
        json_each (json_get_array(phase, "tasks"), j, task) {
            if (!todo_is_open(task))
                continue;
            json_append_take(open, json_make("content:%s status:%s", json_get_text(task, "content"),
                                             json_get_text(task, "status")));
        }
    }
    return open;
}

json_t *todo_of_entry(const json_t *entry)
{
    const json_t *message = json_get_object(entry, "message");
    const json_t *phases = json_get_array(json_get_object(message, "details"), "phases");
    bool is_result = g_strcmp0(json_get_text(message, "role"), "toolResult") == 0 &&
                     g_strcmp0(json_get_text(message, "toolName"), TODO_TOOL) == 0;
    return phases && is_result ? todo_normalise(phases) : NULL;
}

// ---- the list of a conversation ----

static json_t *todo_load(const char *dir)
{
    g_autofree char *path = dir ? g_build_filename(dir, FILE_NAME, NULL) : NULL;
    g_autoptr(json_t) list = NULL;
    if (path)
        json_read_file(path, &list, NULL); // there is none, or a broken one: nothing is to be done
    return todo_normalise(list);
}

static bool todo_save(const char *dir, const json_t *phases, GError **error)
{
    if (!dir)
        return true;
    g_autofree char *text = json_to_text(phases);
    g_autofree char *path = g_build_filename(dir, FILE_NAME, NULL);
    return file_make_dirs(dir, 0700, error) &&
           file_write_atomic(path, text, strlen(text), 0600, error);
}

TodoList *todo_list_new(const char *dir)
{
    TodoList *self = g_new0(TodoList, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->dir = g_strdup(dir);
    self->phases = todo_load(dir);
    return self;
}

void todo_list_free(TodoList *self)
{
    if (!self)
        return;
    pthread_mutex_destroy(&self->lock);
    json_decref(self->phases);
    g_free(self->dir);
    g_free(self);
}

void todo_list_open(TodoList *self, const char *dir)
{
    json_t *phases = todo_load(dir);
    pthread_mutex_lock(&self->lock);
    json_decref(self->phases);
    self->phases = phases;
    self->changed_at = 0;
    pthread_mutex_unlock(&self->lock);
    todo_list_move(self, dir);
}

void todo_list_move(TodoList *self, const char *dir)
{
    HOLD_LOCK(&self->lock);
    g_free(self->dir);
    self->dir = g_strdup(dir);
}

bool todo_list_is_stored(TodoList *self)
{
    HOLD_LOCK(&self->lock);
    return self->dir != NULL;
}

json_t *todo_list_phases(TodoList *self)
{
    HOLD_LOCK(&self->lock);
    return json_deep_copy(self->phases);
}

static bool replace_locked(TodoList *self, const json_t *list, json_t **ret_phases, GError **error)
{
    g_autoptr(json_t) usable = todo_normalise(list);
    g_autoptr(json_t) phases = mask_json(usable);
    if (!todo_save(self->dir, phases, error))
        return false;
    if (ret_phases)
        *ret_phases = json_deep_copy(phases);
    json_decref(self->phases);
    self->phases = g_steal_pointer(&phases);
    self->changed_at = time_now_ms();
    return true;
}

bool todo_list_set(TodoList *self, const json_t *list, json_t **ret_phases, GError **error)
{
    HOLD_LOCK(&self->lock);
    return replace_locked(self, list, ret_phases, error);
}

bool todo_list_edit(TodoList *self, void (*edit)(json_t *phases, void *user_data), void *user_data,
                    json_t **ret_phases, GError **error)
{
    HOLD_LOCK(&self->lock);
    g_autoptr(json_t) phases = json_deep_copy(self->phases);
    edit(phases, user_data);
    return replace_locked(self, phases, ret_phases, error);
}

bool todo_list_clear_finished(TodoList *self, int64_t age_ms, int64_t now_ms)
{
    HOLD_LOCK(&self->lock);
    g_autoptr(json_t) open = todo_open_tasks(self->phases);
    bool is_due = json_array_size(self->phases) > 0 && json_array_size(open) == 0 &&
                  now_ms - self->changed_at >= age_ms;
    return is_due && replace_locked(self, NULL, NULL, NULL);
}

// ---- the reminder ----

static void append_phase(GString *text, const json_t *phase)
{
    bool has_name = false;
    json_each (json_get_array(phase, "tasks"), i, task) {
        if (!todo_is_open(task))
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
    json_each (phases, i, phase)
        append_phase(text, phase);
    g_string_append_printf(text,
                           "\nPlease continue working on these tasks or mark them complete if "
                           "finished.\n(Reminder %" PRId64 "/%" PRId64 ")\n</system-reminder>",
                           attempt, max_attempts);
    return g_string_free(text, FALSE);
}
