/*
 * A workflow task (task.h): its text, split and parsed. What its keys mean is in task_keys.c.
 */
#include "wm/task/task.h"

#include "base/utf8.h"
#include "base/yaml.h"
#include "wm/task/schedule.h"
#include "wm/task/triggers.h"

#include <string.h>

#define MAX_NAME_BYTES 100

void wm_task_free(WmTask *self)
{
    if (!self)
        return;
    g_free(self->name);
    g_free(self->path);
    g_free(self->body);
    json_decref(self->front);
    json_decref(self->on);
    json_decref(self->inlined);
    g_clear_pointer(&self->imported, g_ptr_array_unref);
    g_clear_pointer(&self->import_notes, g_ptr_array_unref);
    g_free(self);
}

bool wm_task_name_is_valid(const char *name)
{
    size_t size = strlen(name);
    if (size == 0 || size > MAX_NAME_BYTES || *name == '.' || *name == '-' ||
        strpbrk(name, "/\\\":<>|*?") || !g_utf8_validate(name, -1, NULL))
        return false;
    for (const char *at = name; *at; at = g_utf8_next_char(at))
        if (g_unichar_iscntrl(g_utf8_get_char(at)))
            return false;
    return true;
}

// Does the line at `at`, trimmed, say `---`? *ret_next is behind its end, NULL at the last line.
static bool is_fence(const char *at, const char **ret_next)
{
    const char *end = strchr(at, '\n');
    size_t size = end ? (size_t)(end - at) : strlen(at);
    while (size > 0 && g_ascii_isspace(*at))
        at++, size--;
    while (size > 0 && g_ascii_isspace(at[size - 1]))
        size--;
    *ret_next = end ? end + 1 : NULL;
    return size == 3 && memcmp(at, "---", 3) == 0;
}

// Where YAML and body are in `text`; the YAML ends before the line at *ret_yaml_end.
static bool find_parts(const char *text, const char **ret_yaml, const char **ret_yaml_end,
                       const char **ret_body, GError **error)
{
    const char *start = NULL;
    if (!is_fence(text, &start) || !start)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "missing opening ---");
    const char *next = NULL;
    for (const char *line = start; line; line = next) {
        if (is_fence(line, &next)) {
            *ret_yaml = start;
            *ret_yaml_end = line;
            *ret_body = next ? next : "";
            return true;
        }
    }
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "unclosed frontmatter");
}

// Valid text without a byte order mark. Caller frees.
static char *plain_text(const char *text, size_t size)
{
    size_t mark = utf8_bom_size(text, size);
    return utf8_from_bytes(text + mark, size - mark);
}

bool wm_task_split(const char *text, size_t size, char **ret_yaml, char **ret_body, GError **error)
{
    g_autofree char *plain = plain_text(text, size);
    const char *yaml, *yaml_end, *body;
    if (!find_parts(plain, &yaml, &yaml_end, &body, error))
        return false;
    *ret_yaml = g_strstrip(g_strndup(yaml, (size_t)(yaml_end - yaml)));
    *ret_body = g_strstrip(g_strdup(body));
    return true;
}

/* The YAML from `yaml` to `end` as an object. The line break before it, of the opening line, stands
   for that line, so that messages have the lines of the file. */
static bool parse_front(const char *yaml, const char *end, json_t **ret_front, GError **error)
{
    g_autoptr(json_t) front = NULL;
    g_autoptr(GError) problem = NULL;
    int line = 0;
    if (!yaml_parse_at(yaml - 1, (size_t)(end - yaml) + 1, &front, &line, &problem))
        return line > 0 ? fail_with(error, problem->code, "yaml frontmatter: line %d: %s", line,
                                    problem->message)
                        : fail_with(error, problem->code, "yaml: %s", problem->message);
    if (!json_is_object(front) && !json_is_null(front))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml frontmatter: expected a map");
    *ret_front = json_is_null(front) ? json_object() : g_steal_pointer(&front);
    return true;
}

static bool parse_text(const char *text, size_t size, WmTask *self, GError **error)
{
    if (size > WM_MAX_TASK_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "file too large");
    g_autofree char *plain = plain_text(text, size);
    const char *yaml, *yaml_end, *body;
    if (!find_parts(plain, &yaml, &yaml_end, &body, error) ||
        !parse_front(yaml, yaml_end, &self->front, error))
        return false;
    memmove(plain, body, strlen(body) + 1);
    self->body = g_strstrip(g_steal_pointer(&plain));
    return true;
}

bool wm_task_parse(const char *text, size_t size, const char *path, GPtrArray *warnings,
                   WmTask **ret_task, GError **error)
{
    g_autofree char *file = g_path_get_basename(path);
    g_autoptr(WmTask) self = g_new0(WmTask, 1);
    self->path = g_strdup(path);
    const char *dot = strrchr(file, '.');
    self->name = dot ? g_strndup(file, (size_t)(dot - file)) : g_strdup(file);
    if (!parse_text(text, size, self, error)) {
        g_prefix_error(error, "%s: ", file);
        return false;
    }
    guint first = wm_notes_count(warnings);
    self->on = wm_triggers_normal(json_object_get(self->front, "on"), path, warnings);
    wm_notes_set_path(warnings, first, path);
    *ret_task = g_steal_pointer(&self);
    return true;
}

GPtrArray *wm_task_crons(const WmTask *self, GPtrArray *warnings, bool *ret_any)
{
    GPtrArray *crons = g_ptr_array_new_with_free_func(g_free);
    guint first = wm_notes_count(warnings);
    const json_t *schedule = json_get_object(self->on, "schedule");
    const json_t *entries = json_get_array(schedule, "entries");
    json_each (entries, index, item) {
        const char *entry = json_string_value(item);
        g_autofree char *cron = wm_schedule_normalize(entry, self->path);
        if (wm_schedule_is_cron(cron))
            g_ptr_array_add(crons, wm_schedule_collapse(cron));
        else
            wm_note(warnings, WM_KEY("on", "schedule"),
                    "on.schedule \"%s\" is not a schedule kedge understands; not added to "
                    "wm-agent.yml",
                    entry);
    }
    wm_notes_set_path(warnings, first, self->path);
    if (ret_any)
        *ret_any = schedule && json_array_size(entries) == 0;
    return crons;
}
