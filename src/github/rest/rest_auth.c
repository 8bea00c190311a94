/*
 * Which token goes to a host (common §8.2). A token for GitHub never goes to another company's
 * server, unless the environment itself names that server.
 */
#include "github/rest/rest_private.h"

#include "base/env.h"
#include "base/secrets.h"
#include "base/str.h"

/* Of the environment, trimmed; NULL when it is blank. Caller frees. */
static char *variable(const char *name)
{
    const char *value = secrets_get(name);
    g_autofree char *trimmed = value ? g_strstrip(g_strdup(value)) : NULL;
    return str_is_empty(trimmed) ? NULL : g_steal_pointer(&trimmed);
}

static char *first_of(const char *a, const char *b)
{
    char *value = variable(a);
    return value ? value : variable(b);
}

static bool is_githubs(const RestPlace *place)
{
    return place->is_loopback || strcmp(place->token_host, "github.com") == 0 ||
           g_str_has_suffix(place->token_host, ".ghe.com");
}

static bool leads_to(const RestOptions *options, const RestPlace *place)
{
    g_auto(RestPlace) other = { 0 };
    return rest_place_find(options, &other, NULL) && strcmp(other.host, place->host) == 0;
}

/* Does the environment of `kedge agent-tools` lead to this very host? */
static bool is_named_by_environment(const RestPlace *place)
{
    const RestOptions by_url = { .api_url = env_get_raw("GITHUB_API_URL") };
    const RestOptions by_host = { .host = env_get_raw("GH_HOST") };
    return (by_url.api_url && leads_to(&by_url, place)) ||
           (by_host.host && leads_to(&by_host, place));
}

static char *github_token(bool prefers_github_token)
{
    return prefers_github_token ? first_of("GITHUB_TOKEN", "GH_TOKEN")
                                : first_of("GH_TOKEN", "GITHUB_TOKEN");
}

/* NULL: none is set for that host. */
static char *token_of_environment(const RestOptions *options, const RestPlace *place)
{
    if (is_githubs(place))
        return github_token(options->prefers_github_token);
    char *own = first_of("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN");
    if (own)
        return own;
    bool is_actions = g_strcmp0(env_get_raw("GITHUB_ACTIONS"), "true") == 0;
    if (is_actions || (options->prefers_github_token && is_named_by_environment(place)))
        return github_token(options->prefers_github_token);
    return NULL;
}

bool rest_auth_find(const RestOptions *options, const RestPlace *place, RestHosts *hosts,
                    Cancel *cancel, char **ret_token, GError **error)
{
    g_autofree char *token = token_of_environment(options, place);
    g_autoptr(GError) failed = NULL;
    if (!token && options->uses_login)
        token = rest_login_find(options, place->token_host, hosts, cancel, &failed);
    if (failed)
        return pass_error(error, &failed);
    if (!token && options->may_be_anonymous)
        token = g_strdup("");
    if (!token)
        return rest_fail(error, REST_ERROR_AUTH, NULL, "no token for %s is set", place->token_host);
    *ret_token = g_steal_pointer(&token);
    return true;
}

char *rest_seal(const Rest *self, const char *text)
{
    return g_compute_hmac_for_string(G_CHECKSUM_SHA256, (const guchar *)self->token,
                                     strlen(self->token), text, -1);
}

char *rest_server_token(const char *server_url)
{
    const RestOptions options = { .api_url = server_url };
    g_auto(RestPlace) place = { 0 };
    return rest_place_find(&options, &place, NULL) ? token_of_environment(&options, &place) : NULL;
}

char *rest_environment_host(void)
{
    const RestOptions options = { 0 };
    g_auto(RestPlace) place = { 0 };
    return rest_place_find(&options, &place, NULL) ? g_strdup(place.token_host) : NULL;
}
