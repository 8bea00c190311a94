/* See settings_unknown.h. */
#include "tool/settings_unknown.h"

#include "base/str.h"

static bool is_above_key(const char *below)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        if (str_has_prefix(keys[i].key, below))
            return true;
    }
    return false;
}

const SettingKey *settings_unknown_meant(const char *name)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    g_autofree const char **names = g_new0(const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = keys[i].key;
    const char *nearest = str_nearest(name, names);
    return nearest ? setting_key_find(nearest) : NULL;
}

/* A map with a name that is like none may hold names that are: `ghh: {policy: …}`. */
static bool holds_meant(const json_t *object, const char *below)
{
    json_each_member (object, key, value) {
        g_autofree char *name = g_strconcat(below, key, NULL);
        if (settings_unknown_meant(name))
            return true;
    }
    return false;
}

static void add_unknown(const json_t *object, const char *prefix, GPtrArray *names)
{
    json_each_member (object, key, value) {
        g_autofree char *name = g_strconcat(prefix, key, NULL);
        g_autofree char *below = g_strconcat(name, ".", NULL);
        if (setting_key_find(name))
            continue;
        bool is_inside =
            is_above_key(below) || (!settings_unknown_meant(name) && holds_meant(value, below));
        if (is_inside && json_is_object(value))
            add_unknown(value, below, names);
        else
            g_ptr_array_add(names, g_steal_pointer(&name));
    }
}

GPtrArray *settings_unknown_names(const json_t *layer)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    add_unknown(layer, "", names);
    return names;
}

char *settings_unknown_text(const char *name)
{
    const SettingKey *meant = settings_unknown_meant(name);
    return g_strdup_printf("no setting is called %s%s%s%s", name, meant ? "; did you mean " : "",
                           meant ? meant->key : "", meant ? "?" : "");
}

/* What a project may only make stricter is what guards the person. */
char *settings_unknown_guard(const json_t *layer)
{
    g_autoptr(GPtrArray) names = settings_unknown_names(layer);
    for (guint i = 0; i < names->len; i++) {
        const SettingKey *meant = settings_unknown_meant(names->pdata[i]);
        if (meant && meant->scope == SETTING_MAY_TIGHTEN)
            return settings_unknown_text(names->pdata[i]);
    }
    return NULL;
}
