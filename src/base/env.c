/*
 * Reading the environment.
 */
#include "base/env.h"

const char *env_get_raw(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *env_get(const char *name)
{
    g_autofree char *own = g_strconcat("KEDGE_", name, NULL);
    const char *value = env_get_raw(own);
    if (value != NULL)
        return value;
    g_autofree char *older = g_strconcat("PI_", name, NULL);
    return env_get_raw(older);
}

bool env_is_name(const char *name)
{
    if (!g_ascii_isalpha(*name) && *name != '_')
        return false;
    while (g_ascii_isalnum(*name) || *name == '_')
        name++;
    return *name == '\0';
}

bool env_flag(const char *name)
{
    static const char *const words[] = { "1", "y", "yes", "true", "on" };
    const char *value = env_get(name);
    for (size_t i = 0; value != NULL && i < G_N_ELEMENTS(words); i++) {
        if (g_ascii_strcasecmp(value, words[i]) == 0)
            return true;
    }
    return false;
}

gint64 env_int(const char *name, gint64 fallback)
{
    const char *value = env_get(name);
    guint64 number = 0;
    if (value == NULL || !g_ascii_string_to_unsigned(value, 10, 0, G_MAXINT64, &number, NULL))
        return fallback;
    return (gint64)number;
}
