/*
 * The environment and the executable of gh. Both come from lists, so that no colour, pager, trace,
 * foreign secret or planted program gets in.
 */
#include "github/gh_env.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/git_dir.h"
#include "base/path.h"
#include "base/secrets.h"
#include "base/str.h"

#include <sys/stat.h>

static const char *const fixed[] = {
    "GH_PROMPT_DISABLED=1",
    "GH_PAGER=cat",
    "PAGER=cat",
    "NO_COLOR=1",
    "GH_NO_UPDATE_NOTIFIER=1",
    "GH_NO_EXTENSION_UPDATE_NOTIFIER=1",
    "GH_SPINNER_DISABLED=1",
    "GH_TELEMETRY=0", // since 2.91 gh starts a detached process to send it
    "DO_NOT_TRACK=1",
    "CLICOLOR=0",
    "TERM=dumb",
    "GIT_TERMINAL_PROMPT=0",
    "GIT_PAGER=cat",
    "GIT_OPTIONAL_LOCKS=0",
    "SSH_ASKPASS_REQUIRE=never",
    "LC_ALL=C.UTF-8",
    "GIT_CONFIG_COUNT=3", // gh_process.c adds the filters of the place
    "GIT_CONFIG_KEY_0=core.fsmonitor",
    "GIT_CONFIG_VALUE_0=false",
    "GIT_CONFIG_KEY_1=core.hooksPath",
    "GIT_CONFIG_VALUE_1=/dev/null",
    "GIT_CONFIG_KEY_2=protocol.ext.allow",
    "GIT_CONFIG_VALUE_2=never",
};

static const char *const passed[] = {
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GNOME_KEYRING_CONTROL",
    "SSH_AUTH_SOCK",
    "GH_CONFIG_DIR",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "CODESPACES",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
};

static void gh_env_add(GStrvBuilder *list, const char *name, const char *value)
{
    g_autofree char *entry = g_strconcat(name, "=", value, NULL);
    g_strv_builder_add(list, entry);
}

/* PATH without relative and empty entries, which mean the project's directory. */
static char **path_entries(void)
{
    const char *path = env_get_raw("PATH");
    g_auto(GStrv) entries = g_strsplit(path != NULL ? path : "", ":", -1);
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    for (char **entry = entries; *entry; entry++) {
        if (g_path_is_absolute(*entry))
            g_strv_builder_add(list, *entry);
    }
    return g_strv_builder_end(list);
}

static GStrvBuilder *common_variables(void)
{
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        g_strv_builder_add(list, fixed[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(passed); i++) {
        const char *value = secrets_get(passed[i]);
        if (value)
            gh_env_add(list, passed[i], value);
    }
    g_auto(GStrv) entries = path_entries();
    g_autofree char *path = g_strjoinv(":", entries);
    gh_env_add(list, "PATH", path);
    return g_steal_pointer(&list);
}

char **gh_env_new_for(const char *host, const char *repo)
{
    g_autoptr(GStrvBuilder) list = common_variables();
    if (host)
        gh_env_add(list, "GH_HOST", host);
    if (repo)
        gh_env_add(list, "GH_REPO", repo);
    return g_strv_builder_end(list);
}

char **gh_env_new(const Settings *settings)
{
    const char *host = env_get_raw("GH_HOST");
    if (!host) {
        const char *configured = settings_get_text(settings, "gh.defaultHost");
        if (!str_is_empty(configured) && !str_equal_nocase(configured, "github.com"))
            host = configured;
    }
    return gh_env_new_for(host, env_get_raw("GH_REPO"));
}

char *gh_env_hosts_file(void)
{
    const char *dir = env_get_raw("GH_CONFIG_DIR");
    if (dir)
        return g_build_filename(dir, "hosts.yml", NULL);
    const char *config = env_get_raw("XDG_CONFIG_HOME");
    if (config)
        return g_build_filename(config, "gh", "hosts.yml", NULL);
    g_autofree char *home = dirs_home();
    return g_build_filename(home, ".config", "gh", "hosts.yml", NULL);
}

/* Is the file below a project's directory? `/` and the home directory are no projects: everything
   that the user installed is below them, and programs are often started there. */
static bool is_planted(const char *real_file, const char *root)
{
    g_autofree char *real_root = root != NULL ? path_real(root) : NULL;
    if (!real_root || strcmp(real_root, "/") == 0)
        return false;
    g_autofree char *home = dirs_home();
    g_autofree char *real_home = home != NULL ? path_real(home) : NULL;
    return g_strcmp0(real_root, real_home) != 0 && path_is_inside(real_file, real_root);
}

/* Regular and executable, after links. Caller frees the real path. */
static char *real_executable(const char *file)
{
    struct stat info;
    g_autofree char *real = path_real(file);
    if (!real || stat(real, &info) != 0 || !S_ISREG(info.st_mode) || access(real, X_OK) != 0)
        return NULL;
    return g_steal_pointer(&real);
}

char *gh_env_find_executable(const Settings *settings, const char *cwd, const char *workspace)
{
    const char *name = settings_get_text(settings, "gh.executable");
    if (str_is_empty(name))
        name = "gh";
    if (strchr(name, '/')) { // the user named exactly this file
        g_autofree char *real = g_path_is_absolute(name) ? real_executable(name) : NULL;
        return real != NULL ? g_strdup(name) : NULL;
    }

    g_autofree char *repository = cwd != NULL ? git_dir_marked(cwd) : NULL;
    g_auto(GStrv) entries = path_entries();
    for (char **entry = entries; *entry; entry++) {
        g_autofree char *file = g_build_filename(*entry, name, NULL);
        g_autofree char *real = real_executable(file);
        if (!real || is_planted(real, workspace) || is_planted(real, repository))
            continue;
        // not the real path: version managers link all names to one program and look at the name
        return g_steal_pointer(&file);
    }
    return NULL;
}
