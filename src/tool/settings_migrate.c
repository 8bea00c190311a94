/* See settings_migrate.h. */
#include "tool/settings_migrate.h"

#include "base/dir_lock.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/own_file.h"
#include "base/yaml.h"
#include "base/yaml_write.h"

#include <errno.h>

/* A value that moves from one key to another, changed on the way. */
typedef struct Migration {
    const char *from, *to;
    json_t *(*convert)(const json_t *value); // NULL result: it stays as it is
} Migration;

static json_t *keep_text(const json_t *value)
{
    return json_is_string(value) ? json_deep_copy(value) : NULL;
}

/* Milliseconds of earlier releases; no one waits a quarter of an hour in seconds. */
static json_t *ms_to_seconds(const json_t *value)
{
    double number = json_number_value(value);
    return number > 1000 ? json_integer((json_int_t)(number / 1000)) : NULL;
}

static json_t *keep_boolean(const json_t *value)
{
    return json_is_boolean(value) ? json_deep_copy(value) : NULL;
}

static json_t *isolation_mode(const json_t *value)
{
    return json_is_boolean(value) ? json_text(json_is_true(value) ? "worktree" : "none") : NULL;
}

static json_t *rename_segment(const json_t *value)
{
    if (!json_is_array(value))
        return NULL;
    json_t *copy = json_array();
    json_each (value, index, item) {
        bool is_old = g_strcmp0(json_string_value(item), "plan_mode") == 0;
        json_append_take(copy, is_old ? json_text("mode") : json_incref(item));
    }
    return copy;
}

static const Migration migrations[] = {
    { "queueMode", "steeringMode", keep_text },
    { "ask.timeout", "ask.timeout", ms_to_seconds },
    { "todo.reminders", "todo.reminders.enabled", keep_boolean }, // it is a map, too
    { "task.isolation.enabled", "task.isolation.mode", isolation_mode },
    { "statusLine.leftSegments", "statusLine.leftSegments", rename_segment },
    { "statusLine.rightSegments", "statusLine.rightSegments", rename_segment },
};

/* The object that holds the last key of a dotted path; `makes` those on the way. NULL: none. */
static json_t *settings_migrate_holder(json_t *root, const char *dotted, bool makes,
                                       const char **ret_key)
{
    json_t *object = root;
    const char *dot = NULL;
    while (object && (dot = strchr(dotted, '.'))) {
        g_autofree char *part = g_strndup(dotted, (size_t)(dot - dotted));
        json_t *inner = json_object_get(object, part);
        if (!inner && makes) {
            inner = json_object();
            json_set_take(object, part, inner);
        }
        object = json_is_object(inner) ? inner : NULL;
        dotted = dot + 1;
    }
    *ret_key = dotted;
    return object;
}

static void settings_migrate_run(json_t *layer, const Migration *migration)
{
    const char *key = NULL;
    json_t *from = settings_migrate_holder(layer, migration->from, false, &key);
    const json_t *old = from ? json_object_get(from, key) : NULL;
    g_autoptr(json_t) value = old ? migration->convert(old) : NULL;
    if (!value)
        return;
    json_object_del(from, key);
    json_t *to = settings_migrate_holder(layer, migration->to, true, &key);
    if (to && !json_object_get(to, key))
        json_set_take(to, key, g_steal_pointer(&value));
}

void settings_migrate_fields(json_t *layer)
{
    for (size_t i = 0; i < G_N_ELEMENTS(migrations); i++)
        settings_migrate_run(layer, &migrations[i]);
}

static char *settings_migrate_render(const json_t *settings)
{
    g_autoptr(GString) text = g_string_new(NULL);
    json_each_member (settings, key, value)
        yaml_write_pair(key, value, 0, "\n", text);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static bool settings_migrate_import(const char *from, const char *to, GError **error)
{
    g_autoptr(DirLock) lock = NULL;
    if (!dir_lock_acquire(to, NULL, &lock, error))
        return false;
    if (file_exists(to) || !file_exists(from))
        return true; // another process was faster
    g_autofree char *data = NULL;
    g_autoptr(json_t) settings = NULL;
    size_t size = 0;
    if (!own_file_read(from, LIMIT_CONFIG_FILE_BYTES, &data, &size, error))
        return false;
    if (!json_parse(data, size, &settings, error)) {
        g_prefix_error(error, "%s: ", from);
        return false;
    }
    if (!json_is_object(settings))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: settings must be a map", from);
    settings_migrate_fields(settings);
    g_autofree char *text = settings_migrate_render(settings);
    g_autofree char *backup = g_strconcat(from, ".bak", NULL);
    g_autoptr(json_t) read = NULL;
    if (!yaml_parse(text, strlen(text), to, &read, error))
        return false;
    if (json_object_size(settings) > 0 && !json_equal(read, settings))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s cannot be written as YAML", from);
    if (!file_write_atomic(to, text, strlen(text), 0600, error))
        return false;
    return rename(from, backup) == 0 || fail_with_errno(error, errno, "cannot rename %s", from);
}

bool settings_migrate_files(const char *agent_dir, GError **error)
{
    g_autofree char *from = g_build_filename(agent_dir, "settings.json", NULL);
    g_autofree char *to = g_build_filename(agent_dir, "config.yml", NULL);
    if (file_exists(to) || !file_exists(from) || settings_migrate_import(from, to, error))
        return true;
    g_prefix_error(error, "settings.json was not taken over: ");
    return false;
}
