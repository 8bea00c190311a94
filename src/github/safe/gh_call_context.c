/* See gh_call_context.h. */
#include "github/safe/gh_call_context.h"

#include "base/str.h"
#include "github/classify/gh_kind.h"
#include "github/remote_url.h"
#include "github/repo_ref.h"
#include "tool/context.h"

#define CLONES_KEY  "gh-clones"
#define GITHUB_HOST "github.com"

static void *create_clones(void)
{
    return gh_clone_cache_new();
}

static void free_clones(void *data)
{
    gh_clone_cache_free(data);
}

char *gh_call_default_host(const Settings *settings)
{
    const char *configured = settings_get_text(settings, "gh.defaultHost");
    char *host = configured != NULL ? remote_host_normalise(configured) : NULL;
    return host != NULL ? host : g_strdup(GITHUB_HOST);
}

bool gh_call_clone(ToolCall *call, const char *dir, GhClone **ret_clone, GError **error)
{
    GhCloneCache *cache =
        tool_context_state(tool_call_context(call), CLONES_KEY, create_clones, free_clones);
    return gh_clone_read(cache, dir, tool_call_settings(call), tool_call_cancel(call), ret_clone,
                         error);
}

static bool resolve_repo(ToolCall *call, const char *dir, const char *repo,
                         const char *const *known_hosts, const char *default_host,
                         GhContext *ret_context, GError **error)
{
    g_autoptr(GhClone) clone = NULL;
    if (!gh_call_clone(call, dir, &clone, error))
        return false;
    const GhContextSpec spec = {
        .known_hosts = known_hosts,
        .default_host = default_host,
        .repo = repo,
        .clone = clone,
    };
    g_auto(GhContext) context = { 0 };
    if (!gh_context_resolve(&spec, &context, error))
        return false;
    if (!context.repo)
        return fail_with_kind(error, GH_KIND_NO_REPO, &(GhFacts) { 0 });
    *ret_context = context;
    context = (GhContext) { 0 };
    return true;
}

bool gh_call_repo(ToolCall *call, const char *repo, GhContext *ret_context, GError **error)
{
    const Settings *settings = tool_call_settings(call);
    g_auto(GStrv) known_hosts = repo_known_hosts(settings);
    g_autofree char *default_host = gh_call_default_host(settings);
    return resolve_repo(call, tool_call_cwd(call), repo, (const char *const *)known_hosts,
                        default_host, ret_context, error);
}

bool gh_call_here(ToolCall *call, GhContext *ret_context, GError **error)
{
    return gh_call_at(call, tool_call_cwd(call), ret_context, error);
}

bool gh_call_at(ToolCall *call, const char *dir, GhContext *ret_context, GError **error)
{
    const Settings *settings = tool_call_settings(call);
    g_auto(GStrv) listed = repo_known_hosts(settings);
    g_autofree char *default_host = repo_default_host(settings);
    g_autofree char *name = remote_host_normalise(default_host);
    g_autoptr(GStrvBuilder) hosts = g_strv_builder_new();
    g_strv_builder_addv(hosts, (const char **)listed);
    if (name)
        g_strv_builder_add(hosts, name);
    g_auto(GStrv) known_hosts = g_strv_builder_end(hosts);
    return resolve_repo(call, dir, NULL, (const char *const *)known_hosts,
                        name ? name : GITHUB_HOST, ret_context, error);
}

bool gh_call_here_name(ToolCall *call, char **ret_repo, GError **error)
{
    g_auto(GhContext) context = { 0 };
    if (!gh_call_here(call, &context, error))
        return false;
    g_autofree char *default_host = repo_default_host(tool_call_settings(call));
    *ret_repo = str_equal_nocase(context.host, default_host)
                    ? g_steal_pointer(&context.repo)
                    : g_strconcat(context.host, "/", context.repo, NULL);
    return true;
}
