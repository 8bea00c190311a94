/* See settings_project.h. */
#include "tool/settings_project.h"

#include "tool/settings_path.h"
#include "tool/settings_value.h"

const char *settings_project_refusal(SettingScope scope)
{
    switch (scope) {
    case SETTING_USER_ONLY:
    case SETTING_USER_COSTS:
        return "only the user's own config.yml may set it";
    case SETTING_WITH_TRUST:
        return "the repository is not trusted";
    case SETTING_ANYWHERE:
    case SETTING_MAY_TIGHTEN:
    case SETTING_MAY_LOWER:
    case SETTING_MAY_CAP:
    case SETTING_MAY_TURN_ON:
    case SETTING_MAY_TURN_OFF:
        break;
    }
    return NULL;
}

bool setting_is_guard(SettingScope scope)
{
    return scope == SETTING_USER_ONLY || scope == SETTING_WITH_TRUST ||
           scope == SETTING_MAY_TIGHTEN;
}

static int place_among(const char *const *values, const char *value)
{
    int place = 0;
    while (values[place] && strcmp(values[place], value) != 0)
        place++;
    return place;
}

static bool is_lower(const SettingKey *key, const json_t *value, const json_t *users)
{
    if (key->type == SETTING_ENUM)
        return place_among(key->values, json_string_value(value)) <=
               place_among(key->values, json_string_value(users));
    return json_number_value(value) <= json_number_value(users);
}

/* Both are of the key's type. */
static bool is_within(const SettingKey *key, const json_t *value, const json_t *users)
{
    switch (key->scope) {
    case SETTING_MAY_LOWER:
        return is_lower(key, value, users);
    case SETTING_MAY_CAP:
        return json_number_value(value) > 0 &&
               (json_number_value(users) <= 0 || is_lower(key, value, users));
    case SETTING_MAY_TURN_ON:
        return json_is_true(value) || json_equal((json_t *)value, (json_t *)users);
    case SETTING_MAY_TURN_OFF:
        return json_is_false(value) || json_equal((json_t *)value, (json_t *)users);
    case SETTING_ANYWHERE:
    case SETTING_USER_ONLY:
    case SETTING_USER_COSTS:
    case SETTING_WITH_TRUST:
    case SETTING_MAY_TIGHTEN:
        break;
    }
    return true;
}

static bool is_compared(SettingScope scope)
{
    return scope == SETTING_MAY_LOWER || scope == SETTING_MAY_CAP || scope == SETTING_MAY_TURN_ON ||
           scope == SETTING_MAY_TURN_OFF;
}

/* Why the project's value of this key does not count; NULL: it does. One of the wrong type (null,
   too) would hide the user's, and was already warned of: "". */
static const char *mistake_of(const SettingKey *key, const json_t *value, const json_t *user)
{
    const char *refusal = settings_project_refusal(key->scope);
    if (refusal || !is_compared(key->scope))
        return refusal;
    if (!setting_value_fits(key, value))
        return "";
    g_autoptr(json_t) fallback = NULL;
    json_parse_text(key->default_json, &fallback, NULL);
    const json_t *own = json_get_path(user, key->key);
    const json_t *users = own && setting_value_fits(key, own) ? own : fallback;
    return is_within(key, value, users)
               ? NULL
               : "a project can only make it stricter than the user has it";
}

void settings_project_restrict(json_t *project, const json_t *user, const char *path,
                               GPtrArray *warnings)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_get_path(project, keys[i].key);
        const char *mistake = value ? mistake_of(&keys[i], value, user) : NULL;
        if (!mistake)
            continue;
        setting_path_remove(project, keys[i].key);
        if (warnings && *mistake)
            g_ptr_array_add(warnings, g_strdup_printf("%s: ignored setting %s: %s", path,
                                                      keys[i].key, mistake));
    }
}
