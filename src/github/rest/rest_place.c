/*
 * Where requests go (common §8.1): the base URLs, and which of them may be given a token.
 *
 * A base URL is taken apart by GLib and put together again, so that libcurl cannot read another
 * host out of it than the one that was checked.
 */
#include "github/rest/rest_private.h"

#include "base/env.h"
#include "base/str.h"
#include "github/repo_ref.h"

#define GITHUB_HOST        "github.com"
#define GITHUB_API         "https://api.github.com"
#define TENANT_SUFFIX      ".ghe.com"
#define ENTERPRISE_API     "/api/v3"
#define ENTERPRISE_GRAPHQL "/api/graphql"
#define MAX_URL_BYTES      8192

void rest_place_clear(RestPlace *self)
{
    g_free(self->base_url);
    g_free(self->graphql_url);
    g_free(self->host);
    g_free(self->token_host);
    *self = (RestPlace) { 0 };
}

static bool is_host_name(const char *host)
{
    return *host != '\0' && *host != '.' && *host != '-' &&
           host[strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789.-")] == '\0';
}

/* "host[:port]" of a parsed URL, in lower case; caller frees. */
static char *authority_of(GUri *uri)
{
    const char *host = g_uri_get_host(uri);
    g_autofree char *lower = g_ascii_strdown(host, -1);
    g_autofree char *shown = strchr(lower, ':') ? g_strdup_printf("[%s]", lower) : g_strdup(lower);
    int port = g_uri_get_port(uri);
    return port > 0 ? g_strdup_printf("%s:%d", shown, port) : g_steal_pointer(&shown);
}

static bool is_plain_url(GUri *uri)
{
    const char *scheme = g_uri_get_scheme(uri);
    const char *host = g_uri_get_host(uri);
    return (strcmp(scheme, "https") == 0 || strcmp(scheme, "http") == 0) && !str_is_empty(host) &&
           (is_host_name(host) || strcmp(host, "::1") == 0) && !g_uri_get_userinfo(uri) &&
           !g_uri_get_fragment(uri);
}

/* NULL when the text is no http or https URL with a host and without user information. */
static GUri *parse_url(const char *text)
{
    if (strlen(text) > MAX_URL_BYTES)
        return NULL;
    g_autoptr(GUri) uri = g_uri_parse(text, G_URI_FLAGS_ENCODED, NULL);
    return uri && is_plain_url(uri) ? g_steal_pointer(&uri) : NULL;
}

static char *url_text(GUri *uri)
{
    g_autofree char *authority = authority_of(uri);
    const char *query = g_uri_get_query(uri);
    return g_strconcat(g_uri_get_scheme(uri), "://", authority, g_uri_get_path(uri),
                       query ? "?" : "", query, NULL);
}

/* "" and "443" of https are one port. */
static int port_of(GUri *uri)
{
    int port = g_uri_get_port(uri);
    if (port > 0)
        return port;
    return strcmp(g_uri_get_scheme(uri), "https") == 0 ? 443 : 80;
}

static bool is_same_origin(GUri *a, GUri *b)
{
    return strcmp(g_uri_get_scheme(a), g_uri_get_scheme(b)) == 0 && port_of(a) == port_of(b) &&
           str_equal_nocase(g_uri_get_host(a), g_uri_get_host(b));
}

bool rest_place_resolve(const char *url, const char *location, char **ret_url)
{
    g_autoptr(GUri) from = parse_url(url);
    g_autoptr(GUri) to = NULL;
    if (from && strlen(location) <= MAX_URL_BYTES)
        to = g_uri_parse_relative(from, location, G_URI_FLAGS_ENCODED, NULL);
    if (!to || !is_plain_url(to) || !is_same_origin(from, to))
        return false;
    *ret_url = url_text(to);
    return true;
}

bool rest_place_follow(const RestPlace *self, const char *url, const char *location, char **ret_url,
                       bool *ret_is_same)
{
    g_autoptr(GUri) from = parse_url(url);
    g_autoptr(GUri) to = NULL;
    if (from && strlen(location) <= MAX_URL_BYTES)
        to = g_uri_parse_relative(from, location, G_URI_FLAGS_ENCODED, NULL);
    if (!to || !is_plain_url(to))
        return false;
    bool is_here = http_is_loopback(g_uri_get_host(to));
    bool is_https = strcmp(g_uri_get_scheme(to), "https") == 0;
    if (is_here ? !self->is_loopback : !is_https)
        return false;
    *ret_url = url_text(to);
    *ret_is_same = is_same_origin(from, to);
    return true;
}

/* The host that a token belongs to, as the known hosts write it. Caller frees. */
static char *token_host_of(GUri *uri)
{
    g_autofree char *host = g_ascii_strdown(g_uri_get_host(uri), -1);
    bool is_api = str_has_prefix(host, "api.") &&
                  (strcmp(host, "api." GITHUB_HOST) == 0 || g_str_has_suffix(host, TENANT_SUFFIX));
    return g_strdup(is_api ? host + strlen("api.") : host);
}

/* Caller frees; NULL for what is no host. */
static char *url_of_host(const char *host)
{
    if (strpbrk(host, "/?#@"))
        return NULL;
    if (str_equal_nocase(host, GITHUB_HOST))
        return g_strdup(GITHUB_API);
    g_autofree char *lower = g_ascii_strdown(host, -1);
    if (g_str_has_suffix(lower, TENANT_SUFFIX))
        return g_strconcat("https://api.", lower, NULL);
    return g_strconcat("https://", lower, ENTERPRISE_API, NULL);
}

/* Does GITHUB_API_URL lead to `host`, or to a server on this machine? */
static bool is_api_url_of(const char *api_url, const char *host)
{
    g_autoptr(GUri) uri = api_url ? parse_url(api_url) : NULL;
    if (!uri)
        return false;
    g_autofree char *token_host = token_host_of(uri);
    return http_is_loopback(g_uri_get_host(uri)) || str_equal_nocase(token_host, host);
}

bool rest_place_open(const RestPlace *self, const char *url, char **ret_url, bool *ret_is_own)
{
    g_autoptr(GUri) uri = parse_url(url);
    g_autoptr(GUri) base = parse_url(self->base_url);
    bool is_https = uri && strcmp(g_uri_get_scheme(uri), "https") == 0;
    bool is_local = uri && self->is_loopback && is_same_origin(base, uri);
    if (!is_https && !is_local)
        return false;
    *ret_url = url_text(uri);
    *ret_is_own = is_local || (port_of(uri) == 443 && !self->is_loopback &&
                               str_equal_nocase(g_uri_get_host(uri), self->token_host));
    return true;
}

char *rest_local_origin(void)
{
    const char *api_url = env_get_raw("GITHUB_API_URL");
    g_autoptr(GUri) uri = api_url ? parse_url(api_url) : NULL;
    if (!uri || !http_is_loopback(g_uri_get_host(uri)))
        return NULL;
    g_autofree char *authority = authority_of(uri);
    return g_strconcat(g_uri_get_scheme(uri), "://", authority, NULL);
}

/* The base URL as it was given, and what gave it, for messages. Caller frees; may be NULL. */
static char *choose_url(const RestOptions *options, const char **ret_name)
{
    const char *environment = env_get_raw("GITHUB_API_URL");
    const char *host = env_get_raw("GH_HOST");
    if (!str_is_empty(options->api_url)) {
        *ret_name = "api_url";
        return g_strdup(options->api_url);
    }
    bool is_environments =
        options->honours_api_url && options->host && is_api_url_of(environment, options->host);
    if (!str_is_empty(options->host) && !is_environments) {
        *ret_name = "host";
        return url_of_host(options->host);
    }
    if (environment) {
        *ret_name = "GITHUB_API_URL";
        return g_strdup(environment);
    }
    *ret_name = "GH_HOST";
    return host ? url_of_host(host) : g_strdup(GITHUB_API);
}

/* GITHUB_GRAPHQL_URL counts for the host that it names only: the token is this base's. */
static char *graphql_url_of(GUri *base, const char *base_url)
{
    const char *environment = env_get_raw("GITHUB_GRAPHQL_URL");
    g_autoptr(GUri) own = environment ? parse_url(environment) : NULL;
    if (own && is_same_origin(base, own))
        return url_text(own);
    if (g_str_has_suffix(base_url, ENTERPRISE_API)) {
        size_t length = strlen(base_url) - strlen(ENTERPRISE_API);
        return g_strdup_printf("%.*s%s", (int)length, base_url, ENTERPRISE_GRAPHQL);
    }
    return g_strconcat(base_url, "/graphql", NULL);
}

/* Does `text`, a URL or HOST[:PORT], name the address and port of `uri`? */
static bool names_address(const char *text, GUri *uri)
{
    if (str_is_empty(text))
        return false;
    g_autofree char *url = strstr(text, "://") != NULL
                               ? g_strdup(text)
                               : g_strconcat(g_uri_get_scheme(uri), "://", text, NULL);
    g_autoptr(GUri) named = parse_url(url);
    return named && is_same_origin(named, uri);
}

/* Something of the user's on this machine, rather than whatever listens there. */
static bool is_named_by_user(GUri *uri, const Settings *settings)
{
    if (names_address(env_get_raw("GITHUB_API_URL"), uri) ||
        names_address(env_get_raw("GH_HOST"), uri))
        return true;
    json_each (settings_user_json(settings, "gh.knownHosts"), i, known) {
        if (names_address(json_string_value(known), uri))
            return true;
    }
    return false;
}

bool rest_place_find(const RestOptions *options, RestPlace *ret_place, GError **error)
{
    const char *name = NULL;
    g_autofree char *text = choose_url(options, &name);
    g_autoptr(GUri) uri = text ? parse_url(text) : NULL;
    if (!uri || g_uri_get_query(uri))
        return rest_fail(error, REST_ERROR_USAGE, NULL,
                         "%s must be a plain http or https address, or a host name", name);

    g_auto(RestPlace) place = {
        .host = authority_of(uri),
        .token_host = token_host_of(uri),
        .is_loopback = http_is_loopback(g_uri_get_host(uri)),
    };
    if (!place.is_loopback && strcmp(g_uri_get_scheme(uri), "http") == 0)
        return rest_fail(error, REST_ERROR_USAGE, NULL, "refusing to send a token over http");
    if (options->is_from_argument && !place.is_loopback &&
        !repo_host_is_listed(place.token_host, options->settings))
        return rest_fail(error, REST_ERROR_USAGE, NULL,
                         "host \"%s\" is not a known host; add it to gh.knownHosts",
                         place.token_host);
    if (options->is_from_argument && options->is_from_model && place.is_loopback &&
        !is_named_by_user(uri, options->settings))
        return rest_fail(error, REST_ERROR_USAGE, NULL,
                         "\"%s\" is an address of this machine that no one named; set "
                         "GITHUB_API_URL to it, or add it with its port to gh.knownHosts",
                         place.host);

    g_autofree char *base_url = url_text(uri);
    while (g_str_has_suffix(base_url, "/"))
        base_url[strlen(base_url) - 1] = '\0';
    place.graphql_url = graphql_url_of(uri, base_url);
    place.base_url = g_steal_pointer(&base_url);
    *ret_place = place;
    place = (RestPlace) { 0 };
    return true;
}
