/* See gh_login.h. */
#include "github/gh_login.h"

#include "base/secrets.h"

#include <string.h>

const char *gh_login_variable(const char *host)
{
    static const char *const names[][2] = { { "GH_TOKEN", "GITHUB_TOKEN" },
                                            { "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN" } };
    bool is_githubs = strcmp(host, "github.com") == 0 || strcmp(host, "github.localhost") == 0 ||
                      g_str_has_suffix(host, ".ghe.com");
    const char *const *of_host = names[is_githubs ? 0 : 1];
    if (secrets_get(of_host[0]))
        return of_host[0];
    return secrets_get(of_host[1]) ? of_host[1] : NULL;
}

char *gh_login_advice(const char *host)
{
    const char *variable = gh_login_variable(host);
    return variable ? g_strdup_printf("set a valid token in %s, or unset it", variable)
                    : g_strdup_printf("gh auth login --hostname %s", host);
}
