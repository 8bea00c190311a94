/*
 * What of the environment children get (env.h).
 */
#include "base/env.h"

#include "base/secrets.h"
#include "base/str.h"

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
    return g_strv_contains(names, name) || str_has_prefix(name, "LC_");
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
    for (char **entry = environ; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        if (!equals)
            continue;
        g_autofree char *name = g_strndup(*entry, (gsize)(equals - *entry));
        if (!secrets_holds(name) && child_gets(name, equals + 1, pass, is_safe))
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

char **env_for_helper(void)
{
    char **env = env_for_child(NULL);
    env_drop_secrets(env);
    return env;
}

char **env_for_safe_child(const char *const *pass)
{
    return child_environment(pass, true);
}

char **env_for_agent(void)
{
    GPtrArray *kept = g_ptr_array_new();
    for (char **entry = environ; entry && *entry; entry++) {
        g_autofree char *name = g_strndup(*entry, strcspn(*entry, "="));
        if (!secrets_holds(name) && secret_kind(name) != SECRET_ACTIONS)
            g_ptr_array_add(kept, g_strdup(*entry));
    }
    secrets_add_for_agent(kept);
    g_ptr_array_add(kept, NULL);
    return (char **)g_ptr_array_free(kept, FALSE);
}

void env_drop_secrets(char **env)
{
    char **to = env;
    for (char **entry = env; *entry; entry++) {
        g_autofree char *name = g_strndup(*entry, strcspn(*entry, "="));
        if (secret_kind(name) == SECRET_NONE)
            *to++ = *entry;
        else
            g_free(*entry);
    }
    *to = NULL;
}
