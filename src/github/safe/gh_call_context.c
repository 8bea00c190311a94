/* See gh_call_context.h. */
#include "github/safe/gh_call_context.h"

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

bool gh_call_repo(ToolCall *call, const char *repo, GhContext *ret_context, GError **error)
{
    const Settings *settings = tool_call_settings(call);
    g_auto(GStrv) known_hosts = repo_known_hosts(settings);
    g_autofree char *default_host = gh_call_default_host(settings);
    g_autoptr(GhClone) clone = NULL;
    if (!gh_call_clone(call, tool_call_cwd(call), &clone, error))
        return false;
    const GhContextSpec spec = {
        .known_hosts = (const char *const *)known_hosts,
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
