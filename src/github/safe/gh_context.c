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
#define GITHUB_HOST     "github.com"

const char *gh_source_name(GhSource source)
{
    static const char *const names[] = { "explicit-repo", "explicit-host", "env-repo",
                                         "env-host",      "resolved",      "upstream",
                                         "origin",        "remote",        "default" };
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
    if (strstr(text, "://") || str_has_prefix(text, "git@"))
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

typedef struct Step { // which remote, and what it yields; borrowed
    const char *host, *repo;
    GhSource source;
} Step;

static GhSource source_of(const GhRemote *remote)
{
    if (str_equal_nocase(remote->name, "upstream"))
        return GH_SOURCE_UPSTREAM;
    return str_equal_nocase(remote->name, "origin") ? GH_SOURCE_ORIGIN : GH_SOURCE_REMOTE;
}

/* Steps 5 and 6, on `host` where it is not NULL: a remote that gh was told to use, else the first
   in gh's order. */
static bool find_on(const GhContextSpec *spec, const char *host, Step *ret_step)
{
    const GhRemote *found = NULL;
    for (unsigned i = 0; i < spec->clone->remotes->len; i++) {
        const GhRemote *remote = spec->clone->remotes->pdata[i];
        if (!remote->repo || !g_strv_contains(spec->known_hosts, remote->host) ||
            (host && strcmp(remote->host, host) != 0))
            continue;
        if (!found || (remote->resolved && !found->resolved))
            found = remote;
    }
    if (found)
        *ret_step = (Step) {
            .host = found->host,
            .repo = found->resolved ? found->resolved : found->repo,
            .source = found->resolved ? GH_SOURCE_RESOLVED : source_of(found),
        };
    return found != NULL;
}

/* Like gh, which is given a default host of the settings as GH_HOST. */
static bool find_step(const GhContextSpec *spec, Step *ret_step)
{
    bool prefers = strcmp(spec->default_host, GITHUB_HOST) != 0;
    return (prefers && find_on(spec, spec->default_host, ret_step)) ||
           find_on(spec, NULL, ret_step);
}

static GhContextEnv env_of(const GhContextSpec *spec)
{
    if (spec->env)
        return *spec->env;
    return (GhContextEnv) { env_get_raw("GH_HOST"), env_get_raw("GH_REPO") };
}

/* GH_HOST of a host that is not known: what is meant for that host goes to no other. */
static bool refuse_env_host(const GhContextSpec *spec, GError **error)
{
    const char *host = env_of(spec).host;
    g_autofree char *known = known_host(host, spec->known_hosts);
    return str_is_empty(host) || known || gh_fail_unknown_host(host, error);
}

/* A repository without a host: the host comes from the steps that are left. */
static bool set_repo(const GhContextSpec *spec, const GhRepoName *name, const char *explicit_host,
                     GhSource source, GhContext *ret_context, GError **error)
{
    Step step = { .host = spec->default_host };
    g_autofree char *env_host = known_host(env_of(spec).host, spec->known_hosts);
    if (!name->host && !explicit_host && !refuse_env_host(spec, error))
        return false;
    const char *host = name->host;
    if (!host)
        host = explicit_host;
    if (!host)
        host = env_host;
    if (!host) {
        find_step(spec, &step);
        host = step.host;
    }
    *ret_context = (GhContext) {
        .host = g_strdup(host),
        .repo = g_strdup(name->repo),
        .source = source,
    };
    return true;
}

/* A host, and what step 5 or 6 yields on it. */
static void set_host(const GhContextSpec *spec, const char *host, GhSource source,
                     GhContext *ret_context)
{
    Step step = { 0 };
    find_on(spec, host, &step);
    *ret_context = (GhContext) {
        .host = g_strdup(host),
        .repo = g_strdup(step.repo),
        .source = source,
    };
}

/* Steps 3 to 7: nothing was named in the call. What the environment names adds no host; where no
   remote says another, it is refused. */
static bool resolve_implicit(const GhContextSpec *spec, GhContext *ret_context, GError **error)
{
    const char *env_repo = env_of(spec).repo;
    g_auto(GhRepoName) name = { 0 };
    if (env_repo && gh_repo_name_parse(env_repo, spec->known_hosts, &name, NULL))
        return set_repo(spec, &name, NULL, GH_SOURCE_ENV_REPO, ret_context, error);
    g_autofree char *env_host = known_host(env_of(spec).host, spec->known_hosts);
    if (env_host) {
        set_host(spec, env_host, GH_SOURCE_ENV_HOST, ret_context);
        return true;
    }
    Step found = { .host = spec->default_host, .source = GH_SOURCE_DEFAULT };
    if (!find_step(spec, &found) && !refuse_env_host(spec, error))
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
