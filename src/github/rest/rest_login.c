/*
 * gh's login as a token (common §8.2, step 3): what gh says, else what its file of logins holds.
 */
#include "github/rest/rest_private.h"

#include "base/secrets.h"
#include "base/str.h"
#include "base/yaml.h"
#include "github/credential_key.h"
#include "github/gh_env.h"
#include "github/gh_process.h"

/* False on failure; NULL when gh has no login for the host. */
static bool ask_token(const char *path, const char *host, Cancel *cancel, char **ret_token,
                      GError **error)
{
    g_auto(ProcResult) result = { 0 };
    if (!gh_process_ask_token(path, host, cancel, &result, error))
        return false;
    g_strstrip(result.output);
    bool has_token = result.exit_status == 0 && *result.output != '\0';
    *ret_token = has_token ? g_strdup(result.output) : NULL;
    return true;
}

/* `oauth_token` of the host in hosts.yml. Caller frees. */
static char *stored_token(const char *host)
{
    g_autofree char *path = gh_env_hosts_file();
    g_autoptr(json_t) hosts = NULL;
    if (!yaml_read_file(path, &hosts, NULL))
        return NULL;
    const char *token = json_get_text(json_get_object(hosts, host), "oauth_token");
    return str_is_empty(token) ? NULL : g_strstrip(g_strdup(token));
}

char *rest_login_find(const RestOptions *options, const char *host, RestHosts *hosts,
                      Cancel *cancel, GError **error)
{
    bool is_login = false;
    g_autofree char *key = credential_key(host, &is_login); // of before gh is asked
    char *known = rest_hosts_token(hosts, host, key);
    if (known)
        return known;
    g_autofree char *path = gh_env_find_executable(options->settings, options->cwd, NULL);
    g_autofree char *token = NULL;
    g_autoptr(GError) failed = NULL;
    if (path && !ask_token(path, host, cancel, &token, &failed) &&
        error_is(failed, KEDGE_ERROR_CANCELLED)) {
        g_propagate_error(error, g_steal_pointer(&failed));
        return NULL;
    }
    if (!token)
        token = stored_token(host);
    if (token) {
        secrets_register(token);
        rest_hosts_keep_token(hosts, host, key, token);
    }
    return g_steal_pointer(&token);
}
