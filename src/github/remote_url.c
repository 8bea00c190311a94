/*
 * One strict parser for every form of remote URL that git takes over a network. Whoever writes the
 * URL may be hostile, so what is not clearly one of the accepted forms is nothing; there is no
 * prefix or suffix matching of hosts.
 */
#include "github/remote_url.h"

#include "base/str.h"

#define URL_MAX_BYTES  2048
#define NAME_MAX_BYTES 100
#define LOWER_DIGITS   "abcdefghijklmnopqrstuvwxyz0123456789"
#define LETTERS_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" LOWER_DIGITS

/* The pieces of a URL, as written. */
typedef struct UrlParts {
    char *host;
    char *path;
    bool is_ssh;
} UrlParts;

static void url_parts_clear(UrlParts *self)
{
    g_free(self->host);
    g_free(self->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(UrlParts, url_parts_clear)

void remote_url_clear(RemoteUrl *self)
{
    g_free(self->host);
    g_free(self->owner);
    g_free(self->repo);
    *self = (RemoteUrl) { 0 };
}

/* Printable ASCII without what other parsers read in ways of their own. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] < 0x21 || text[i] > 0x7e || text[i] == '\\' || text[i] == '%')
            return false;
    }
    return true;
}

/* [a-z0-9]([a-z0-9-]*[a-z0-9])? */
static bool is_label(const char *label)
{
    size_t length = strlen(label);
    return length > 0 && strspn(label, LOWER_DIGITS "-") == length && label[0] != '-' &&
           label[length - 1] != '-';
}

char *remote_host_normalise(const char *host)
{
    g_autofree char *lower = g_ascii_strdown(host, -1);
    const char *name = str_has_prefix(lower, "www.") ? lower + strlen("www.") : lower;
    g_auto(GStrv) labels = g_strsplit(name, ".", -1);
    if (!labels[0])
        return NULL;
    for (char **label = labels; *label; label++) {
        if (!is_label(*label))
            return NULL;
    }
    return g_strdup(strcmp(name, "ssh.github.com") == 0 ? "github.com" : name);
}

bool remote_owner_is_valid(const char *owner)
{
    size_t length = strlen(owner);
    return length > 0 && length <= NAME_MAX_BYTES && g_ascii_isalnum(*owner) &&
           strspn(owner, LETTERS_DIGITS "_-") == length;
}

bool remote_repo_is_valid(const char *repo)
{
    size_t length = strlen(repo);
    return length > 0 && length <= NAME_MAX_BYTES && strcmp(repo, ".") != 0 &&
           strcmp(repo, "..") != 0 && strspn(repo, LETTERS_DIGITS "._-") == length;
}

/* What follows the host: nothing, or a port. */
static bool is_port(const char *text)
{
    if (*text == '\0')
        return true;
    size_t length = strspn(text + 1, "0123456789");
    int64_t port;
    return *text == ':' && text[1 + length] == '\0' && str_parse_int(text + 1, &port) && port > 0 &&
           port <= 65535;
}

/* user@host:port → host. User information ends at the last "@". */
static char *host_of_authority(const char *authority)
{
    const char *at = strrchr(authority, '@');
    const char *host = at != NULL ? at + 1 : authority;
    size_t length = strcspn(host, ":");
    return is_port(host + length) ? g_strndup(host, length) : NULL;
}

static bool split_scheme_url(const char *url, const char *authority, UrlParts *ret_parts)
{
    static const char *const schemes[] = { "ssh",  "git+ssh", "https", "git+https",
                                           "http", "git",     NULL };
    g_autofree char *scheme = g_strndup(url, (size_t)(authority - url) - strlen("://"));
    size_t length = strcspn(authority, "/?#");
    if (!g_strv_contains(schemes, scheme) || !is_plain(authority, length))
        return false;
    g_autofree char *text = g_strndup(authority, length);
    char *host = host_of_authority(text);
    if (!host)
        return false;
    *ret_parts = (UrlParts) {
        .host = host,
        .path = g_strdup(authority + length),
        .is_ssh = g_str_has_suffix(scheme, "ssh"),
    };
    return true;
}

/* [user@]host:path; a colon behind the first slash belongs to a local path, two are a transport
 * helper. */
static bool split_scp(const char *url, UrlParts *ret_parts)
{
    size_t length = strcspn(url, ":/");
    if (url[length] != ':' || url[length + 1] == ':' || !is_plain(url, length))
        return false;
    g_autofree char *authority = g_strndup(url, length);
    *ret_parts = (UrlParts) {
        .host = host_of_authority(authority),
        .path = g_strdup(url + length + 1),
        .is_ssh = true,
    };
    return true;
}

static bool split_url(const char *url, UrlParts *ret_parts)
{
    if (str_is_empty(url) || strlen(url) > URL_MAX_BYTES)
        return false;
    size_t colon = strcspn(url, ":/");
    if (str_has_prefix(url + colon, "://"))
        return split_scheme_url(url, url + colon + strlen("://"), ret_parts);
    return split_scp(url, ret_parts);
}

static bool split_path(char *path, RemoteUrl *ret_url)
{
    while (*path == '/')
        path++;
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        path[--length] = '\0';
    char *slash = strchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    char *repo = slash + 1;
    if (g_str_has_suffix(repo, ".git"))
        repo[strlen(repo) - strlen(".git")] = '\0';
    if (!remote_owner_is_valid(path) || !remote_repo_is_valid(repo))
        return false;
    ret_url->owner = g_strdup(path);
    ret_url->repo = g_strdup(repo);
    return true;
}

bool remote_url_parse(const char *url, RemoteUrl *ret_url)
{
    g_auto(UrlParts) parts = { 0 };
    if (!split_url(url, &parts) || !is_plain(url, strlen(url)))
        return false;
    g_autofree char *host = remote_host_normalise(parts.host);
    if (!host || !split_path(parts.path, ret_url))
        return false;
    ret_url->host = g_steal_pointer(&host);
    return true;
}

bool remote_url_parse_alias(const char *url, RemoteUrl *ret_url)
{
    g_auto(UrlParts) parts = { 0 };
    if (!split_url(url, &parts) || !is_plain(url, strlen(url)) || !parts.is_ssh)
        return false;
    size_t length = strlen(parts.host);
    if (!g_ascii_isalnum(parts.host[0]) || strspn(parts.host, LETTERS_DIGITS "._-") != length ||
        !split_path(parts.path, ret_url))
        return false;
    ret_url->host = g_steal_pointer(&parts.host);
    return true;
}

char *remote_url_host(const char *url)
{
    g_auto(UrlParts) parts = { 0 };
    return split_url(url, &parts) ? remote_host_normalise(parts.host) : NULL;
}
