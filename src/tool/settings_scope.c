/*
 * Lists that hold in some folders (settings_scope.h).
 */
#include "tool/settings_scope.h"

#include "base/path.h"

/* Both as they are written and with symbolic links followed. */
static bool is_in(const char *cwd, const char *written)
{
    g_autofree char *expanded = path_expand_home(written);
    g_autofree char *dir = path_absolute(expanded, cwd);
    g_autofree char *real_dir = path_real(dir);
    g_autofree char *real_cwd = path_real(cwd);
    return path_is_inside(cwd, dir) || (real_dir && real_cwd && path_is_inside(real_cwd, real_dir));
}

/* Is one of the texts of `value`, a text or a list, a folder that `cwd` is in? */
static bool names_folder(const json_t *value, const char *cwd)
{
    if (json_is_string(value))
        return *json_string_value(value) && is_in(cwd, json_string_value(value));
    json_each (value, i, item) {
        if (json_is_string(item) && names_folder(item, cwd))
            return true;
    }
    return false;
}

static bool holds_in(const json_t *item, const char *cwd)
{
    static const char *const keys[] = { "path", "paths", "pathPrefix", "pathPrefixes" };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        if (names_folder(json_object_get(item, keys[i]), cwd))
            return true;
    }
    return false;
}

static void add_texts(json_t *out, const json_t *list)
{
    json_each (list, i, item) {
        if (json_is_string(item))
            json_array_append(out, item);
    }
}

json_t *settings_list_in(const json_t *list, const char *cwd)
{
    static const char *const keys[] = { "models", "providers", "values", "items" };
    json_t *out = json_array();
    json_each (list, i, item) {
        if (json_is_string(item))
            json_array_append(out, item);
        else if (json_is_object(item) && holds_in(item, cwd))
            for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
                add_texts(out, json_object_get(item, keys[k]));
    }
    return out;
}
