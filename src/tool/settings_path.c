/* See settings_path.h. */
#include "tool/settings_path.h"

#include "tool/settings_value.h"

#include <string.h>

void setting_path_clear(SettingPath *self)
{
    g_clear_pointer(&self->entry, g_free);
    g_clear_pointer(&self->parts, g_strfreev);
}

static const SettingKey *find_map(const char *name)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(keys[i].key);
        if (keys[i].type == SETTING_RECORD && strncmp(name, keys[i].key, size) == 0 &&
            name[size] == '.' && name[size + 1] != '\0')
            return &keys[i];
    }
    return NULL;
}

bool setting_path_parse(const char *name, SettingPath *ret_path, GError **error)
{
    const SettingKey *key = setting_key_find(name);
    const SettingKey *map = key ? NULL : find_map(name);
    if (!key && !map)
        return fail_with(error, KEDGE_ERROR_FAILED, "Unknown setting: %s", name);
    g_auto(GStrv) parts = g_strsplit(key ? name : map->key, ".", -1);
    ret_path->key = key ? key : map;
    ret_path->entry = map ? g_strdup(name + strlen(map->key) + 1) : NULL;
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();
    g_strv_builder_addv(all, (const char **)parts);
    if (map)
        g_strv_builder_add(all, ret_path->entry);
    ret_path->parts = g_strv_builder_end(all);
    return true;
}

bool setting_path_parse_value(const SettingPath *self, const char *text, json_t **ret_value,
                              GError **error)
{
    if (!self->entry)
        return setting_value_parse(self->key, text, ret_value, error);
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    g_autoptr(json_t) value = NULL;
    if (!json_parse_text(trimmed, &value, NULL))
        value = json_text(trimmed);
    *ret_value = g_steal_pointer(&value);
    return true;
}

bool setting_path_remove(json_t *object, const char *dotted)
{
    g_auto(GStrv) parts = g_strsplit(dotted, ".", -1);
    size_t last = g_strv_length(parts) - 1;
    for (size_t i = 0; i < last; i++) {
        object = json_object_get(object, parts[i]);
        if (!json_is_object(object))
            return false;
    }
    return json_object_del(object, parts[last]) == 0;
}
