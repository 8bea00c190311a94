/*
 * Known hosts (gh-policy §1.4): the hosts that a call may name. gh sends a token to whichever host
 * it is given, so a host from a model or a web page must have been chosen by the user before.
 */
#include "base/env.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "github/gh_env.h"
#include "github/repo_ref.h"

#define GITHUB_HOST "github.com"

char *repo_default_host(const Settings *settings)
{
    const char *host = env_get_raw("GH_HOST");
    if (!host)
        host = settings_get_text(settings, "gh.defaultHost");
    return g_ascii_strdown(str_is_empty(host) ? GITHUB_HOST : host, -1);
}

/* Lower case, without port and leading www.; GitHub's host for ssh over port 443 is GitHub. */
static char *normalise(const char *host)
{
    g_autofree char *lower = g_ascii_strdown(host, -1);
    lower[strcspn(lower, ":")] = '\0';
    const char *name = str_has_prefix(lower, "www.") ? lower + strlen("www.") : lower;
    return g_strdup(strcmp(name, "ssh.github.com") == 0 ? GITHUB_HOST : name);
}

static bool matches(const char *host, const char *known)
{
    if (str_is_empty(known))
        return false;
    g_autofree char *other = normalise(known);
    return strcmp(host, other) == 0;
}

/* Appends the normal form, once. */
static void add_host(GPtrArray *hosts, const char *host)
{
    if (str_is_empty(host))
        return;
    g_autofree char *name = normalise(host);
    if (!g_ptr_array_find_with_equal_func(hosts, name, g_str_equal, NULL))
        g_ptr_array_add(hosts, g_steal_pointer(&name));
}

/* The top-level keys of hosts.yml: lines of a name, a colon and nothing else. */
static void add_gh_logins(GPtrArray *hosts)
{
    g_autofree char *path = gh_env_hosts_file();
    g_autofree char *data = NULL;
    if (!file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(data, "\n", -1);
    for (char **line = lines; *line; line++) {
        size_t length = strspn(*line, "abcdefghijklmnopqrstuvwxyz0123456789.-");
        const char *rest = *line + length;
        if (length == 0 || *rest != ':' || rest[1 + strspn(rest + 1, " \t\r")] != '\0')
            continue;
        (*line)[length] = '\0';
        add_host(hosts, *line);
    }
}

char **repo_known_hosts(const Settings *settings)
{
    GPtrArray *hosts = g_ptr_array_new();
    add_host(hosts, GITHUB_HOST);
    add_host(hosts, settings_get_text(settings, "gh.defaultHost"));
    json_each (settings_get_json(settings, "gh.knownHosts"), i, known)
        add_host(hosts, json_string_value(known));
    if (settings_get_bool(settings, "gh.trustGhLogins"))
        add_gh_logins(hosts);
    g_ptr_array_add(hosts, NULL);
    return (char **)g_ptr_array_free(hosts, false);
}

bool repo_host_is_listed(const char *host, const Settings *settings)
{
    g_autofree char *name = normalise(host);
    g_auto(GStrv) hosts = repo_known_hosts(settings);
    return g_strv_contains((const char *const *)hosts, name);
}

bool repo_host_is_known(const char *host, const Settings *settings)
{
    g_autofree char *name = normalise(host);
    g_autofree char *default_host = repo_default_host(settings);
    return matches(name, default_host) || repo_host_is_listed(host, settings);
}
