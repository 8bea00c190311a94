/*
 * Reading the environment, and what of it children get.
 */
#include "base/env.h"

#include "base/secrets.h"

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

/* What a sandboxed or cautious child keeps (safety §7.5, `env.inherit: safe`). */
static bool is_safe_name(const char *name)
{
    static const char *const names[] = {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "TZ",
        "TERM",
        "COLORTERM",
        "COLUMNS",
        "LINES",
        "TMPDIR",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "GOPATH",
        "GOROOT",
        "GOFLAGS",
        "JAVA_HOME",
        "NODE_PATH",
        "NVM_DIR",
        "PYENV_ROOT",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "CC",
        "CXX",
        "CFLAGS",
        "CXXFLAGS",
        "LDFLAGS",
        "PKG_CONFIG_PATH",
        "MAKEFLAGS",
        "CI",
        "GITHUB_ACTIONS",
        "GITHUB_WORKSPACE",
        "GITHUB_REPOSITORY",
        "GITHUB_REF",
        "GITHUB_SHA",
        "GITHUB_RUN_ID",
        "GITHUB_EVENT_NAME",
        "no_proxy",
        "NO_PROXY",
        NULL,
    };
    return g_strv_contains(names, name) || g_str_has_prefix(name, "LC_");
}

/* A proxy is needed to reach anything; one with a password is a secret. */
static bool is_safe_proxy(const char *name, const char *value)
{
    static const char *const names[] = { "http_proxy",  "https_proxy", "all_proxy", "HTTP_PROXY",
                                         "HTTPS_PROXY", "ALL_PROXY",   NULL };
    return g_strv_contains(names, name) && strchr(value, '@') == NULL;
}

static bool child_gets(const char *name, const char *value, const char *const *pass, bool is_safe)
{
    bool is_passed = pass != NULL && g_strv_contains(pass, name);
    switch (secret_kind(name)) {
    case SECRET_ACTIONS:
        return false;
    case SECRET_KEY:
        return is_passed;
    case SECRET_TOKEN:
        return !is_safe;
    case SECRET_NONE:
        break;
    }
    return !is_safe || is_passed || is_safe_name(name) || is_safe_proxy(name, value);
}

static char **child_environment(const char *const *pass, bool is_safe)
{
    GPtrArray *kept = g_ptr_array_new();
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *equals = strchr(*entry, '=');
        if (equals == NULL)
            continue;
        g_autofree char *name = g_strndup(*entry, (gsize)(equals - *entry));
        if (child_gets(name, equals + 1, pass, is_safe))
            g_ptr_array_add(kept, g_strdup(*entry));
    }
    secrets_add_for_child(kept, pass, is_safe);
    g_ptr_array_add(kept, NULL);
    return (char **)g_ptr_array_free(kept, FALSE);
}

char **env_for_child(const char *const *pass)
{
    return child_environment(pass, false);
}

char **env_for_safe_child(const char *const *pass)
{
    return child_environment(pass, true);
}
