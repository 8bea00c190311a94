/*
 * The order of gh-policy §1.2. A step whose host is not known yields nothing: an owner from an
 * unknown host is never put together with a known one.
 */
#include "github/safe/gh_context.h"

#include "base/env.h"
#include "base/str.h"
#include "github/classify/gh_kind.h"
#include "github/remote_url.h"

#define SHOWN_MAX_BYTES 200

const char *gh_source_name(GhSource source)
{
    static const char *const names[] = { "explicit-repo", "explicit-host", "env-repo", "env-host",
                                         "resolved",      "upstream",      "origin",   "default" };
    return names[source];
}

void gh_context_clear(GhContext *self)
{
    g_clear_pointer(&self->host, g_free);
    g_clear_pointer(&self->repo, g_free);
}

void gh_repo_name_clear(GhRepoName *self)
{
    g_clear_pointer(&self->host, g_free);
    g_clear_pointer(&self->repo, g_free);
}

/* Sets a policy-blocked error about a host that is not known; returns false. */
static bool gh_fail_unknown_host(const char *host, GError **error)
{
    g_autofree char *shown = str_truncate(host, SHOWN_MAX_BYTES);
    g_autofree char *reason =
        g_strdup_printf("host \"%s\" is not a known host; add it to gh.knownHosts", shown);
    return fail_with_kind(error, GH_KIND_POLICY_BLOCKED, &(GhFacts) { .reason = reason });
}

static bool fail_invalid_repo(const char *text, GError **error)
{
    g_autofree char *shown = str_truncate(text, SHOWN_MAX_BYTES);
    g_autofree char *reason = g_strdup_printf("invalid repository \"%s\"", shown);
    return fail_with_kind(error, GH_KIND_INVALID_ARGS, &(GhFacts) { .reason = reason });
}

/* The normal form of a host that calls may name; NULL: it is not. Caller frees. */
static char *known_host(const char *text, const char *const *known_hosts)
{
    g_autofree char *host = text != NULL ? remote_host_normalise(text) : NULL;
    return host != NULL && g_strv_contains(known_hosts, host) ? g_steal_pointer(&host) : NULL;
}

static bool parse_url(const char *text, const char *const *known_hosts, GhRepoName *ret_name,
                      GError **error)
{
    g_auto(RemoteUrl) url = { 0 };
    if (!remote_url_parse(text, &url))
        return fail_invalid_repo(text, error);
    if (!g_strv_contains(known_hosts, url.host))
        return gh_fail_unknown_host(url.host, error);
    ret_name->repo = g_strconcat(url.owner, "/", url.repo, NULL);
    ret_name->host = g_steal_pointer(&url.host);
    return true;
}

bool gh_repo_name_parse(const char *text, const char *const *known_hosts, GhRepoName *ret_name,
                        GError **error)
{
    if (strstr(text, "://") || g_str_has_prefix(text, "git@"))
        return parse_url(text, known_hosts, ret_name, error);
    g_auto(GStrv) parts = g_strsplit(text, "/", 4);
    guint count = g_strv_length(parts);
    if (count < 2 || count > 3)
        return fail_invalid_repo(text, error);
    char **name = parts + count - 2;
    if (!remote_owner_is_valid(name[0]) || !remote_repo_is_valid(name[1]))
        return fail_invalid_repo(text, error);
    g_autofree char *host = count == 3 ? known_host(parts[0], known_hosts) : NULL;
    if (count == 3 && !host)
        return gh_fail_unknown_host(parts[0], error);
    ret_name->host = g_steal_pointer(&host);
    ret_name->repo = g_strconcat(name[0], "/", name[1], NULL);
    return true;
}

typedef struct Step { // what one of steps 5 to 7 yields; borrowed
    const char *host, *repo;
    GhSource source;
} Step;

static void add_step(Step *steps, unsigned *count, const GhRemote *remote, const char *repo,
                     GhSource source)
{
    if (remote && remote->is_known)
        steps[(*count)++] = (Step) { remote->host, repo != NULL ? repo : remote->repo, source };
}

enum { MAX_STEPS = 3 };

static unsigned clone_steps(const GhClone *clone, Step *steps)
{
    const GhRemote *origin = NULL;
    for (unsigned i = 0; i < clone->remotes->len && !origin; i++) {
        const GhRemote *remote = clone->remotes->pdata[i];
        origin = strcmp(remote->name, "origin") == 0 ? remote : NULL;
    }
    unsigned count = 0;
    add_step(steps, &count, clone->resolved, clone->resolved_repo, GH_SOURCE_RESOLVED);
    add_step(steps, &count, clone->tracked, NULL, GH_SOURCE_UPSTREAM);
    add_step(steps, &count, origin, NULL, GH_SOURCE_ORIGIN);
    return count;
}

/* GH_HOST of a host that is not known: what is meant for that host goes to no other. */
static bool refuse_env_host(const GhContextSpec *spec, GError **error)
{
    const char *host = env_get_raw("GH_HOST");
    g_autofree char *known = known_host(host, spec->known_hosts);
    return str_is_empty(host) || known || gh_fail_unknown_host(host, error);
}

/* A repository without a host: the host comes from the steps that are left. */
static bool set_repo(const GhContextSpec *spec, const GhRepoName *name, const char *explicit_host,
                     GhSource source, GhContext *ret_context, GError **error)
{
    Step steps[MAX_STEPS];
    unsigned count = clone_steps(spec->clone, steps);
    g_autofree char *env_host = known_host(env_get_raw("GH_HOST"), spec->known_hosts);
    if (!name->host && !explicit_host && !refuse_env_host(spec, error))
        return false;
    const char *host = name->host;
    if (!host)
        host = explicit_host;
    if (!host)
        host = env_host;
    if (!host)
        host = count > 0 ? steps[0].host : spec->default_host;
    *ret_context = (GhContext) {
        .host = g_strdup(host),
        .repo = g_strdup(name->repo),
        .source = source,
    };
    return true;
}

/* A host, and the first remote on it. */
static void set_host(const GhContextSpec *spec, const char *host, GhSource source,
                     GhContext *ret_context)
{
    Step steps[MAX_STEPS];
    unsigned count = clone_steps(spec->clone, steps);
    unsigned i = 0;
    while (i < count && strcmp(steps[i].host, host) != 0)
        i++;
    *ret_context = (GhContext) {
        .host = g_strdup(host),
        .repo = i < count ? g_strdup(steps[i].repo) : NULL,
        .source = source,
    };
}

/* Steps 3 to 8: nothing was named in the call. What the environment names adds no host; where no
   remote says another, it is refused. */
static bool resolve_implicit(const GhContextSpec *spec, GhContext *ret_context, GError **error)
{
    const char *env_repo = env_get_raw("GH_REPO");
    g_auto(GhRepoName) name = { 0 };
    if (env_repo && gh_repo_name_parse(env_repo, spec->known_hosts, &name, NULL))
        return set_repo(spec, &name, NULL, GH_SOURCE_ENV_REPO, ret_context, error);
    g_autofree char *env_host = known_host(env_get_raw("GH_HOST"), spec->known_hosts);
    if (env_host) {
        set_host(spec, env_host, GH_SOURCE_ENV_HOST, ret_context);
        return true;
    }
    Step steps[MAX_STEPS];
    Step found = { .host = spec->default_host, .source = GH_SOURCE_DEFAULT };
    if (clone_steps(spec->clone, steps) > 0)
        found = steps[0];
    else if (!refuse_env_host(spec, error))
        return false;
    *ret_context = (GhContext) {
        .host = g_strdup(found.host),
        .repo = g_strdup(found.repo),
        .source = found.source,
    };
    return true;
}

bool gh_context_resolve(const GhContextSpec *spec, GhContext *ret_context, GError **error)
{
    g_autofree char *hostname = known_host(spec->hostname, spec->known_hosts);
    if (spec->hostname && !hostname)
        return gh_fail_unknown_host(spec->hostname, error);
    g_auto(GhRepoName) name = { 0 };
    if (spec->repo) {
        if (!gh_repo_name_parse(spec->repo, spec->known_hosts, &name, error))
            return false;
        return set_repo(spec, &name, hostname, GH_SOURCE_EXPLICIT_REPO, ret_context, error);
    }
    if (!hostname)
        return resolve_implicit(spec, ret_context, error);
    set_host(spec, hostname, GH_SOURCE_EXPLICIT_HOST, ret_context);
    return true;
}
