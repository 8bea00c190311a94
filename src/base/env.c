/* See env.h. */
#include "base/env.h"

#include "base/str.h"

const char *env_get_raw(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *env_get(const char *name)
{
    g_autofree char *own = g_strconcat("KEDGE_", name, NULL);
    const char *value = env_get_raw(own);
    if (value)
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
    for (size_t i = 0; value && i < G_N_ELEMENTS(words); i++) {
        if (g_ascii_strcasecmp(value, words[i]) == 0)
            return true;
    }
    return false;
}

gint64 env_int(const char *name, gint64 fallback)
{
    const char *value = env_get(name);
    guint64 number = 0;
    if (!value || !g_ascii_string_to_unsigned(value, 10, 0, G_MAXINT64, &number, NULL))
        return fallback;
    return (gint64)number;
}

/* What "${…}" at `text` stands for, and where it ends; NULL: nothing that could be replaced. */
static char *expand_one(const char *text, const char **ret_end)
{
    const char *end = strchr(text, '}');
    if (!end)
        return NULL;
    g_autofree char *inside = g_strndup(text + 2, (size_t)(end - text - 2));
    char *fallback = strstr(inside, ":-");
    if (fallback) {
        *fallback = '\0';
        fallback += 2;
    }
    const char *value = env_is_name(inside) ? env_get_raw(inside) : NULL;
    if (!value && env_is_name(inside))
        value = fallback;
    if (!value)
        return NULL;
    *ret_end = end + 1;
    return g_strdup(value);
}

char *env_expand(const char *text)
{
    g_autoptr(GString) out = g_string_new(NULL);
    while (*text != '\0') {
        const char *end = NULL;
        g_autofree char *value = str_has_prefix(text, "${") ? expand_one(text, &end) : NULL;
        if (!value) {
            g_string_append_c(out, *text++);
            continue;
        }
        g_string_append(out, value);
        text = end;
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}
