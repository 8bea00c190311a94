/*
 * gh.policy and gh.hostPolicy for requests without gh (common §4.2): whoever sends one, a tool, a
 * command that a person typed, or a task, what the settings refuse is not sent.
 */
#include "base/str.h"
#include "github/rest/rest_private.h"

#include "tool/policy.h"

#define REPOS_PATH "/repos/"

/* OWNER/REPO of a path such as "/repos/o/r/pulls/1". Caller frees; NULL: it names none. */
static char *repo_of_path(const char *path)
{
    if (!str_has_prefix(path, REPOS_PATH))
        return NULL;
    g_auto(GStrv) parts = g_strsplit_set(path + strlen(REPOS_PATH), "/?", 3);
    if (g_strv_length(parts) < 2)
        return NULL;
    g_autofree char *owner = g_uri_unescape_string(parts[0], NULL);
    g_autofree char *repo = g_uri_unescape_string(parts[1], NULL);
    return owner && repo ? g_strconcat(owner, "/", repo, NULL) : NULL;
}

static char *repo_of(const Rest *self, const RestRequest *request)
{
    const char *base = self->place.base_url;
    char *named =
        str_has_prefix(request->url, base) ? repo_of_path(request->url + strlen(base)) : NULL;
    return named ? named : g_strdup(self->repo);
}

static Effect effect_of(const RestRequest *request)
{
    bool reads = strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0 ||
                 (request->is_graphql && request->is_repeatable);
    return reads ? EFFECT_READ : EFFECT_WRITE;
}

bool rest_policy_check(const Rest *self, const RestRequest *request, GError **error)
{
    if (!self->settings)
        return true;
    g_autofree char *repo = repo_of(self, request);
    g_autofree char *reason = NULL;
    return policy_lets_pass(self->settings, effect_of(request), self->policy_host, repo, &reason) ||
           fail_with(error, KEDGE_ERROR_DENIED, "refused: %s: %s",
                     request->operation ? request->operation : request->method, reason);
}
