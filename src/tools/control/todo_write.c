/*
 * todo_write: the model's list of what is to be done, in phases (agent-tools §3.19). Operations are
 * applied one after the other; what is wrong with one is told beside what the others made of the
 * list.
 */
#include "tool/context.h"
#include "tools/tools.h"

#define MAX_OPS        100
#define MAX_TASK_CHARS 1000
#define MAX_NAME_CHARS 200
#define MAX_NOTE_CHARS 4000

typedef struct TodoArgs {
    const json_t *ops;
} TodoArgs;

static const char *const ops[] = { "init", "start", "done", "drop", "rm", "append", "note", NULL };

// how long a text may be is checked where it is used: a model is told of every word here
static const FieldDef phase_fields[] = {
    { "phase", FIELD_STRING, .is_required = true },
    { "items", FIELD_STRING_LIST, .is_required = true, .min_items = 1 },
    { 0 },
};

static const FieldDef op_fields[] = {
    { "op", FIELD_ENUM, .is_required = true, .values = ops },
    { "list", FIELD_OBJECT_LIST, .item_fields = phase_fields },
    { "task", FIELD_STRING },
    { "phase", FIELD_STRING },
    { "items", FIELD_STRING_LIST },
    { "text", FIELD_STRING },
    { 0 },
};

static const FieldDef todo_fields[] = {
    { "ops", FIELD_OBJECT_LIST, offsetof(TodoArgs, ops), .is_required = true,
      .item_fields = op_fields, .min_items = 1, .max_items = MAX_OPS },
    { 0 },
};

static const char description[] =
    "Todo list, for work of several steps. init: list; append: items; note: text; done, drop, rm: "
    "a task, a phase or all. The next task starts by itself.";

typedef struct Edit {
    json_t *phases;
    const json_t *ops;
    GPtrArray *problems; // of char *
} Edit;

static void G_GNUC_PRINTF(2, 3) add_problem(Edit *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(self->problems, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

// ---- finding ----

static json_t *tasks_of(const json_t *phase)
{
    return json_get_array(phase, "tasks");
}

static size_t count_tasks(const json_t *phases)
{
    size_t count = 0;
    json_each (phases, i, phase)
        count += json_array_size(tasks_of(phase));
    return count;
}

/* Where several have the same text, the first one that is open. `ret_phase` may be NULL. */
static json_t *find_task(const json_t *phases, const char *content, json_t **ret_phase)
{
    json_t *found = NULL;
    json_each (phases, i, phase) {
        json_each (tasks_of(phase), j, task) {
            bool is_named = g_strcmp0(json_get_text(task, "content"), content) == 0;
            if (!is_named || (found && !todo_is_open(task)))
                continue;
            found = task;
            if (ret_phase)
                *ret_phase = phase;
            if (todo_is_open(task))
                return task;
        }
    }
    return found;
}

static json_t *find_phase(const json_t *phases, const char *name)
{
    json_each (phases, i, phase) {
        if (g_strcmp0(json_get_text(phase, "name"), name) == 0)
            return phase;
    }
    return NULL;
}

/* The task that an operation names; NULL after a problem. */
static json_t *named_task(Edit *self, const json_t *op, json_t **ret_phase)
{
    const char *content = json_get_text(op, "task");
    if (!content || !*content) {
        add_problem(self, "Missing task content");
        return NULL;
    }
    json_t *task = find_task(self->phases, content, ret_phase);
    if (!task)
        add_problem(self, "Task \"%s\" not found%s", content,
                    count_tasks(self->phases) > 0
                        ? ""
                        : " (todo list is empty — was it replaced or not yet created?)");
    return task;
}

/* The same for a phase. */
static json_t *named_phase(Edit *self, const char *name)
{
    json_t *phase = *name ? find_phase(self->phases, name) : NULL;
    if (!*name)
        add_problem(self, "Missing phase name");
    else if (!phase)
        add_problem(self, "Phase \"%s\" not found", name);
    return phase;
}

// ---- the operations ----

static void set_status(json_t *task, const char *status)
{
    json_set_text(task, "status", status);
}

/* False after a problem. */
static bool is_short(Edit *self, const char *what, const char *text, glong max_chars)
{
    if (g_utf8_strlen(text, -1) <= max_chars)
        return true;
    g_autofree char *beginning = g_utf8_substring(text, 0, 60);
    add_problem(self, "%s \"%s…\" is longer than %ld characters", what, beginning, max_chars);
    return false;
}

static void add_task(Edit *self, const json_t *phase, const char *content)
{
    if (!is_short(self, "Task", content, MAX_TASK_CHARS))
        return;
    json_t *task = json_make("content:%s", content);
    set_status(task, "pending");
    json_append_take(tasks_of(phase), task);
}

/* There is no room for `content`, nor for what comes behind it. */
static bool is_full(Edit *self, const char *content)
{
    if (count_tasks(self->phases) < TODO_MAX_TASKS)
        return false;
    g_autofree char *beginning = g_utf8_substring(content, 0, MIN(60, g_utf8_strlen(content, -1)));
    add_problem(self, "No room from task \"%s\" on: the list has %d already", beginning,
                TODO_MAX_TASKS);
    return true;
}

/* NULL after a problem. */
static json_t *add_phase(Edit *self, const char *name)
{
    if (!is_short(self, "Phase", name, MAX_NAME_CHARS))
        return NULL;
    json_t *phase = json_make("name:%s tasks:%p", name, json_array());
    json_append_take(self->phases, phase);
    return phase;
}

/* Tasks of `init` may look alike, those that are appended may not. */
static void add_tasks(Edit *self, const json_t *phase, const json_t *items, bool are_new)
{
    json_each (items, i, item) {
        const char *content = json_string_value(item);
        if (is_full(self, content))
            return;
        if (are_new && find_task(self->phases, content, NULL))
            add_problem(self, "Task \"%s\" already exists", content);
        else
            add_task(self, phase, content);
    }
}

static void op_init(Edit *self, const json_t *op)
{
    const json_t *list = json_get_array(op, "list");
    if (json_array_size(list) == 0) { // what there is stays
        add_problem(self, "Missing list for init operation");
        return;
    }
    json_array_clear(self->phases);
    json_each (list, i, given) {
        const json_t *phase = add_phase(self, json_get_text(given, "phase"));
        if (phase)
            add_tasks(self, phase, json_get_array(given, "items"), false);
    }
}

/* The task in progress, if it is not `but`, waits again. */
static void pause_others(const json_t *phases, const json_t *but)
{
    json_each (phases, i, phase) {
        json_each (tasks_of(phase), j, task) {
            if (task != but && g_strcmp0(json_get_text(task, "status"), "in_progress") == 0)
                set_status(task, "pending");
        }
    }
}

static void op_start(Edit *self, const json_t *op)
{
    json_t *task = named_task(self, op, NULL);
    if (!task)
        return;
    pause_others(self->phases, task);
    set_status(task, "in_progress");
}

/* What is closed already stays as it was closed. */
static void close_phase(const json_t *phase, const char *status)
{
    json_each (tasks_of(phase), i, task) {
        if (todo_is_open(task))
            set_status(task, status);
    }
}

static void op_close(Edit *self, const json_t *op, const char *status)
{
    const char *name = json_get_text(op, "phase");
    if (json_get_text(op, "task")) {
        json_t *task = named_task(self, op, NULL);
        if (task)
            set_status(task, status);
        return;
    }
    size_t i;
    json_t *phase;
    if (name) {
        phase = named_phase(self, name);
        if (phase)
            close_phase(phase, status);
        return;
    }
    json_array_foreach (self->phases, i, phase)
        close_phase(phase, status);
}

static void op_done(Edit *self, const json_t *op)
{
    op_close(self, op, "completed");
}

static void op_drop(Edit *self, const json_t *op)
{
    op_close(self, op, "abandoned");
}

static void remove_task(Edit *self, const json_t *op)
{
    json_t *phase = NULL;
    const json_t *task = named_task(self, op, &phase);
    json_t *tasks = tasks_of(phase);
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        if (json_array_get(tasks, i) == task) {
            json_array_remove(tasks, i);
            return;
        }
    }
}

static void op_rm(Edit *self, const json_t *op)
{
    const char *name = json_get_text(op, "phase");
    if (json_get_text(op, "task")) {
        remove_task(self, op);
        return;
    }
    if (name) {
        json_array_clear(tasks_of(named_phase(self, name)));
        return;
    }
    json_each (self->phases, i, phase)
        json_array_clear(tasks_of(phase));
}

static void op_append(Edit *self, const json_t *op)
{
    const char *name = json_get_text(op, "phase");
    const json_t *items = json_get_array(op, "items");
    if (!name || !*name) {
        add_problem(self, "Missing phase name for append operation");
        return;
    }
    if (json_array_size(items) == 0) {
        add_problem(self, "Missing items for append operation");
        return;
    }
    const json_t *old_phase = find_phase(self->phases, name);
    const json_t *phase = old_phase ? old_phase : add_phase(self, name);
    if (!phase)
        return;
    add_tasks(self, phase, items, true);
    if (!old_phase && json_array_size(tasks_of(phase)) == 0) // nothing of it was new
        json_array_remove(self->phases, json_array_size(self->phases) - 1);
}

static void op_note(Edit *self, const json_t *op)
{
    json_t *task = named_task(self, op, NULL);
    const char *given = json_get_text(op, "text");
    g_autofree char *text = g_strchomp(g_strdup(given ? given : ""));
    if (!task)
        return;
    if (!*text) {
        add_problem(self, "Missing text for note operation");
        return;
    }
    if (!is_short(self, "Note", text, MAX_NOTE_CHARS))
        return;
    json_t *notes = json_get_array(task, "notes");
    if (json_array_size(notes) >= TODO_MAX_NOTES) {
        add_problem(self, "Task \"%s\" has %d notes already", json_get_text(task, "content"),
                    TODO_MAX_NOTES);
        return;
    }
    if (!notes) {
        notes = json_array();
        json_set_take(task, "notes", notes);
    }
    json_append_take(notes, json_text(text));
}

/* One task is in progress while any is open: the first that is, else the next one. */
static void todo_write_settle(const json_t *phases)
{
    json_t *active = NULL, *next = NULL;
    json_each (phases, i, phase) {
        json_each (tasks_of(phase), j, task) {
            const char *status = json_get_text(task, "status");
            if (!active && g_strcmp0(status, "in_progress") == 0)
                active = task;
            if (!next && g_strcmp0(status, "pending") == 0)
                next = task;
        }
    }
    active = active ? active : next;
    if (active)
        set_status(active, "in_progress");
    pause_others(phases, active);
}

static void todo_write_apply(json_t *phases, void *edit_)
{
    static void (*const appliers[])(Edit *, const json_t *) = {
        op_init, op_start, op_done, op_drop, op_rm, op_append, op_note, // as in `ops`
    };
    Edit *self = edit_;
    self->phases = phases;
    json_each (self->ops, i, op) {
        for (size_t each = 0; ops[each]; each++)
            if (g_strcmp0(json_get_text(op, "op"), ops[each]) == 0)
                appliers[each](self, op);
    }
    todo_write_settle(phases);
}

// ---- what the model is told ----

static void append_remaining(GString *text, const json_t *phases)
{
    g_autoptr(json_t) open = todo_open_tasks(phases);
    if (json_array_size(open) == 0) {
        g_string_append(text, "Remaining items: none.\n");
        return;
    }
    g_string_append_printf(text, "Remaining items (%zu):\n", json_array_size(open));
    json_each (phases, i, phase) {
        json_each (tasks_of(phase), j, task) {
            if (todo_is_open(task))
                g_string_append_printf(text, "  - %s [%s] (%s)\n", json_get_text(task, "content"),
                                       json_get_text(task, "status"), json_get_text(phase, "name"));
        }
    }
}

static size_t count_open(const json_t *phase)
{
    size_t count = 0;
    json_each (tasks_of(phase), i, task)
        count += todo_is_open(task);
    return count;
}

static void append_current(GString *text, const json_t *phases)
{
    size_t count = json_array_size(phases), at = 0;
    while (at + 1 < count && count_open(json_array_get(phases, at)) == 0)
        at++;
    const json_t *phase = json_array_get(phases, at);
    size_t total = json_array_size(tasks_of(phase));
    g_string_append_printf(text, "Phase %zu/%zu \"%s\" — %zu/%zu tasks complete\n", at + 1, count,
                           json_get_text(phase, "name"), total - count_open(phase), total);
}

static const char *mark_of(const char *status)
{
    static const char *const marks[][2] = { { "completed", "✓" },
                                            { "in_progress", "→" },
                                            { "abandoned", "✗" } };
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        if (g_strcmp0(status, marks[i][0]) == 0)
            return marks[i][1];
    return "○";
}

static void append_notes(GString *text, const json_t *notes)
{
    json_each (notes, i, note) {
        g_auto(GStrv) lines = g_strsplit(json_string_value(note), "\n", -1);
        if (i > 0)
            g_string_append(text, "        ---\n");
        for (char **line = lines; *line; line++)
            g_string_append_printf(text, "%s%s\n", **line ? "        " : "", *line);
    }
}

static void append_task(GString *text, const json_t *task)
{
    const char *status = json_get_text(task, "status");
    const json_t *notes = json_get_array(task, "notes");
    size_t count = json_array_size(notes);
    g_string_append_printf(text, "    %s %s", mark_of(status), json_get_text(task, "content"));
    if (count > 0)
        g_string_append_printf(text, " (+%zu %s)", count, count == 1 ? "note" : "notes");
    g_string_append_c(text, '\n');
    if (g_strcmp0(status, "in_progress") == 0)
        append_notes(text, notes);
}

static void append_list(GString *text, const json_t *phases)
{
    append_remaining(text, phases);
    append_current(text, phases);
    json_each (phases, i, phase) {
        g_string_append_printf(text, "  %s:\n", json_get_text(phase, "name"));
        json_each (tasks_of(phase), j, task)
            append_task(text, task);
    }
}

static char *describe_list(const json_t *phases, GPtrArray *problems)
{
    GString *text = g_string_new(NULL);
    if (problems->len > 0) {
        g_ptr_array_add(problems, NULL);
        g_autofree char *all = g_strjoinv("; ", (char **)problems->pdata);
        g_string_append_printf(text, "Errors: %s\n", all);
    }
    if (count_tasks(phases) > 0)
        append_list(text, phases);
    else if (text->len == 0)
        g_string_append(text, "Todo list cleared.\n");
    g_string_truncate(text, text->len - 1);
    return g_string_free(text, FALSE);
}

static bool todo_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const TodoArgs *args = args_;
    TodoList *list = tool_context_todos(tool_call_context(call));
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    Edit edit = { .ops = args->ops, .problems = problems };
    json_t *phases = NULL;
    if (!todo_list_edit(list, todo_write_apply, &edit, &phases, error))
        return false;
    g_autofree char *text = describe_list(phases, problems);
    tool_result_add_text(result, text);
    json_t *details = tool_result_details(result);
    json_add(details, "phases:%p storage:%s", phases,
             todo_list_is_stored(list) ? "session" : "memory");
    return true;
}

const ToolDef tool_todo_write = {
    .name = TODO_TOOL,
    .label = "Todo",
    .summary = "Keep a todo list",
    .description = description,
    .effect = EFFECT_READ, // of the machine: the list is a record of the conversation
    .flags = TOOL_EXCLUSIVE | TOOL_CHANGES_RECORDS | TOOL_OF_CONVERSATION,
    .fields = todo_fields,
    .args_size = sizeof(TodoArgs),
    .setting = "todo.enabled",
    .run = todo_run,
};
