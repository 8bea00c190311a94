/*
 * Settings: layers of JSON trees, merged once when loaded (settings.h).
 */
#include "tool/settings.h"

#include "base/limits.h"
#include "base/own_file.h"
#include "base/yaml.h"
#include "tool/settings_migrate.h"
#include "tool/settings_path.h"
#include "tool/settings_project.h"
#include "tool/settings_unknown.h"
#include "tool/settings_value.h"

#include <inttypes.h>
#include <sys/stat.h>

#define UNKNOWN_SHOWN 5 // names in a warning

struct Settings {
    int ref_count;
    json_t *user;          // global file, or the overrides of settings_new(); `overrides` over it
    json_t *project;       // what a project may set; user-only keys are taken out
    json_t *overrides;     // of settings_with()
    json_t *merged;        // overrides over project over user
    json_t *defaults;      // key → value, flat
    char *agent_dir, *cwd; // of the files; NULL: of none
    char *mark;            // of the files as they were
    char *guard_mistake;   // settings_unknown_guard() of the user's; NULL: none
};

static json_t *defaults_build(void)
{
    json_t *defaults = json_object();
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        json_t *value = NULL;
        if (!json_parse_text(keys[i].default_json, &value, NULL))
            g_error("bad default of setting %s", keys[i].key);
        json_set_take(defaults, keys[i].key, value);
    }
    return defaults;
}

/* Objects merge key by key; arrays and scalars replace. */
static void merge_into(json_t *target, const json_t *source)
{
    json_each_member (source, key, value) {
        json_t *existing = json_object_get(target, key);
        if (json_is_object(value) && json_is_object(existing))
            merge_into(existing, value);
        else
            json_set_take(target, key, json_deep_copy(value));
    }
}

/* `gh: 3` would hide every setting below `gh`, the user's own too: what should be a map and is none
   is taken out. */
static void drop_misplaced(json_t *layer, const char *path, GPtrArray *warnings)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        g_auto(GStrv) parts = g_strsplit(keys[i].key, ".", -1);
        json_t *object = layer;
        for (size_t depth = 0; parts[depth + 1]; depth++) {
            json_t *inner = json_object_get(object, parts[depth]);
            if (inner && !json_is_object(inner)) {
                if (warnings && !json_is_null(inner))
                    g_ptr_array_add(warnings,
                                    g_strdup_printf("%s: ignored setting %s: must be a map", path,
                                                    parts[depth]));
                json_object_del(object, parts[depth]);
                break;
            }
            object = inner;
        }
    }
}

/* A value of the wrong type is as if it were not there: said, so that no one wonders. */
static void warn_of_misfits(const json_t *layer, const char *path, GPtrArray *warnings)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count && warnings; i++) {
        const json_t *value = json_get_path(layer, keys[i].key);
        bool is_profile = json_is_string(value) && strcmp(keys[i].key, "gh.policy") == 0;
        if (!value || json_is_null(value) || setting_value_fits(&keys[i], value) || is_profile)
            continue; // a profile's name counts: policy_mistake() knows which there are
        g_autofree char *wanted = setting_wanted(&keys[i]);
        g_ptr_array_add(warnings,
                        g_strdup_printf("%s: ignored setting %s: %s", path, keys[i].key, wanted));
    }
}

static bool parse_json(const char *data, size_t size, const char *path, json_t **ret_value,
                       GError **error)
{
    if (json_parse(data, size, ret_value, error))
        return true;
    g_prefix_error(error, "%s: ", path);
    return false;
}

/* A missing file is an empty layer. One that cannot be used is, too; it says so, and gives false.
 */
static bool layer_read(const char *path, GPtrArray *warnings, json_t **ret_layer)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) value = NULL;
    bool is_yaml = g_str_has_suffix(path, ".yml");
    g_autofree char *data = NULL;
    size_t size = 0;
    bool is_read = own_file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, &size, &error) &&
                   (is_yaml ? yaml_parse(data, size, path, &value, &error)
                            : parse_json(data, size, path, &value, &error));
    if (is_read && json_is_object(value)) {
        settings_migrate_fields(value);
        drop_misplaced(value, path, warnings);
        warn_of_misfits(value, path, warnings);
        *ret_layer = g_steal_pointer(&value);
        return true;
    }
    *ret_layer = json_object();
    if ((is_read && json_is_null(value)) || error_is(error, KEDGE_ERROR_NOT_FOUND))
        return true;
    if (warnings)
        g_ptr_array_add(warnings, error ? g_strdup(error->message)
                                        : g_strdup_printf("%s: settings must be a map", path));
    return false;
}

/* Takes the references; `overrides` may be NULL. */
static Settings *settings_make(json_t *user, json_t *project, json_t *overrides)
{
    Settings *self = g_new0(Settings, 1);
    self->ref_count = 1;
    self->user = user;
    self->project = project;
    self->overrides = overrides ? overrides : json_object();
    merge_into(self->user, self->overrides);
    self->merged = json_deep_copy(user);
    merge_into(self->merged, project);
    merge_into(self->merged, self->overrides); // over the project's, too
    self->defaults = defaults_build();
    self->guard_mistake = settings_unknown_guard(self->user);
    return self;
}

static const char *const project_files[] = { "settings.json", "config.yml" };

static char *project_path(const char *cwd, size_t which)
{
    return g_build_filename(cwd, ".kedge", project_files[which], NULL);
}

static void append_mark(GString *mark, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0)
        g_string_append_printf(mark, "%ju:%ju:%jd:%jd.%ld;", (uintmax_t)info.st_dev,
                               (uintmax_t)info.st_ino, (intmax_t)info.st_size,
                               (intmax_t)info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
    else
        g_string_append(mark, "-;");
}

/* Tells whether one of the files is another now. Caller frees. */
static char *mark_files(const char *agent_dir, const char *cwd)
{
    g_autofree char *user = g_build_filename(agent_dir, "config.yml", NULL);
    GString *mark = g_string_new(NULL);
    append_mark(mark, user);
    for (size_t i = 0; i < G_N_ELEMENTS(project_files); i++) {
        g_autofree char *path = project_path(cwd, i);
        append_mark(mark, path);
    }
    return g_string_free(mark, FALSE);
}

/* False: one of them cannot be used. */
static bool read_layers(const char *agent_dir, const char *cwd, GPtrArray *warnings,
                        json_t **ret_user, json_t **ret_project)
{
    g_autofree char *user_path = g_build_filename(agent_dir, "config.yml", NULL);
    bool is_whole = layer_read(user_path, warnings, ret_user);
    *ret_project = json_object();
    for (size_t i = 0; i < G_N_ELEMENTS(project_files); i++) {
        g_autofree char *path = project_path(cwd, i);
        g_autoptr(json_t) layer = NULL;
        is_whole = layer_read(path, warnings, &layer) && is_whole;
        settings_project_restrict(layer, *ret_user, path, warnings);
        merge_into(*ret_project, layer);
    }
    return is_whole;
}

Settings *settings_load(const char *agent_dir, const char *cwd, GPtrArray *warnings)
{
    g_autoptr(GError) error = NULL;
    if (!settings_migrate_files(agent_dir, &error) && warnings)
        g_ptr_array_add(warnings, g_strdup(error->message));
    json_t *user = NULL, *project = NULL;
    g_autofree char *mark = mark_files(agent_dir, cwd); // before: what comes later is a change
    read_layers(agent_dir, cwd, warnings, &user, &project);
    Settings *self = settings_make(user, project, NULL);
    self->agent_dir = g_strdup(agent_dir);
    self->cwd = g_strdup(cwd);
    self->mark = g_steal_pointer(&mark);
    return self;
}

Settings *settings_new(const json_t *overrides)
{
    return settings_make(overrides ? json_deep_copy(overrides) : json_object(), json_object(),
                         NULL);
}

static Settings *with_files_of(const Settings *other, Settings *self)
{
    self->agent_dir = g_strdup(other->agent_dir);
    self->cwd = g_strdup(other->cwd);
    self->mark = g_strdup(other->mark);
    return self;
}

Settings *settings_with(const Settings *self, const json_t *changes)
{
    json_t *overrides = json_deep_copy(self->overrides);
    merge_into(overrides, changes);
    Settings *changed =
        settings_make(json_deep_copy(self->user), json_deep_copy(self->project), overrides);
    return with_files_of(self, changed);
}

const char *settings_cwd(const Settings *self)
{
    return self->cwd;
}

bool settings_have_changed(const Settings *self)
{
    if (!self->mark)
        return false;
    g_autofree char *mark = mark_files(self->agent_dir, self->cwd);
    return strcmp(mark, self->mark) != 0;
}

/* A map on the way that is none has been taken out by drop_misplaced(). */
static void put_path(json_t *object, const char *dotted, const json_t *value)
{
    g_auto(GStrv) parts = g_strsplit(dotted, ".", -1);
    size_t last = g_strv_length(parts) - 1;
    for (size_t i = 0; i < last; i++) {
        json_t *inner = json_object_get(object, parts[i]);
        if (!inner) {
            inner = json_object();
            json_set_take(object, parts[i], inner);
        }
        object = inner;
    }
    json_set_take(object, parts[last], json_deep_copy(value));
}

/* What guards the user is in `layer` as it is in `before`. */
static void keep_guards(json_t *layer, const json_t *before)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_get_path(before, keys[i].key);
        if (!setting_is_guard(keys[i].scope))
            continue;
        setting_path_remove(layer, keys[i].key);
        if (value)
            put_path(layer, keys[i].key, value);
    }
}

Settings *settings_reload(const Settings *self, GPtrArray *warnings)
{
    g_autofree char *mark = mark_files(self->agent_dir, self->cwd);
    json_t *user = NULL, *project = NULL;
    if (read_layers(self->agent_dir, self->cwd, warnings, &user, &project)) {
        keep_guards(user, self->user);
        keep_guards(project, self->project);
    } else {
        json_decref(user);
        json_decref(project);
        user = json_deep_copy(self->user);
        project = json_deep_copy(self->project);
    }
    Settings *now =
        with_files_of(self, settings_make(user, project, json_deep_copy(self->overrides)));
    g_free(now->mark);
    now->mark = g_steal_pointer(&mark);
    return now;
}

Settings *settings_ref(Settings *self)
{
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void settings_unref(Settings *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    json_decref(self->user);
    json_decref(self->project);
    json_decref(self->overrides);
    json_decref(self->merged);
    json_decref(self->defaults);
    g_free(self->agent_dir);
    g_free(self->cwd);
    g_free(self->mark);
    g_free(self->guard_mistake);
    g_free(self);
}

static const json_t *settings_effective(const Settings *self, const char *name)
{
    const SettingKey *key = setting_key_find(name);
    g_assert(key != NULL);
    // a project that makes the parent of a user's key a scalar must not undo what the user set
    const json_t *layer = settings_project_refusal(key->scope) ? self->user : self->merged;
    const json_t *value = json_get_path(layer, name);
    return value && setting_value_fits(key, value) ? value : json_object_get(self->defaults, name);
}

bool settings_get_bool(const Settings *self, const char *key)
{
    return json_is_true(settings_effective(self, key));
}

double settings_get_number(const Settings *self, const char *key)
{
    return json_number_value(settings_effective(self, key));
}

int64_t settings_get_int(const Settings *self, const char *key)
{
    const json_t *value = settings_effective(self, key);
    if (json_is_integer(value))
        return json_integer_value(value);
    return (int64_t)CLAMP(json_number_value(value), -9e15, 9e15);
}

const char *settings_get_text(const Settings *self, const char *key)
{
    return json_string_value(settings_effective(self, key));
}

const json_t *settings_get_json(const Settings *self, const char *key)
{
    const json_t *value = settings_effective(self, key);
    return json_is_null(value) ? NULL : value;
}

const json_t *settings_user_json(const Settings *self, const char *key)
{
    return json_get_path(self->user, key);
}

const json_t *settings_project_json(const Settings *self, const char *key)
{
    return json_get_path(self->project, key);
}

SettingOrigin settings_origin(const Settings *self, const char *name)
{
    const SettingKey *key = setting_key_find(name);
    g_assert(key != NULL);
    const json_t *project =
        settings_project_refusal(key->scope) ? NULL : json_get_path(self->project, name);
    if (project && setting_value_fits(key, project))
        return SETTING_FROM_PROJECT;
    const json_t *user = json_get_path(self->user, name);
    bool is_hidden = project && !json_is_null(project); // by a project's value of the wrong type
    return user && !is_hidden && setting_value_fits(key, user) ? SETTING_FROM_USER
                                                               : SETTING_FROM_DEFAULT;
}

GPtrArray *settings_unknown_keys(const Settings *self)
{
    return settings_unknown_names(self->user);
}

const char *settings_guard_mistake(const Settings *self)
{
    return self->guard_mistake;
}

bool settings_check_guards(const Settings *self, GError **error)
{
    return !self->guard_mistake ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "config.yml: %s It is a guard, and nothing runs without it",
                     self->guard_mistake);
}

void settings_warn_unknown(const Settings *self, GPtrArray *warnings)
{
    g_autoptr(GPtrArray) names = settings_unknown_keys(self);
    g_autoptr(GString) list = g_string_new(NULL);
    for (guint i = 0; i < MIN(names->len, UNKNOWN_SHOWN); i++) {
        const SettingKey *meant = settings_unknown_meant(names->pdata[i]);
        g_string_append_printf(list, "%s%s", i > 0 ? ", " : "", (char *)names->pdata[i]);
        if (meant)
            g_string_append_printf(list, " (did you mean %s?)", meant->key);
    }
    if (names->len > UNKNOWN_SHOWN)
        g_string_append_printf(list, " and %u more; `kedge doctor` lists them",
                               names->len - UNKNOWN_SHOWN);
    if (names->len > 0)
        g_ptr_array_add(warnings, g_strdup_printf("config.yml: no such setting: %s", list->str));
}
