/*
 * What the gate asks before a conversation that has read one repository writes to another
 * (tool/repo_flow.h).
 */
#include "github/github.h"
#include "github/rest/rest.h"
#include "github/safe/gh_call_context.h"

#define LOOK_MS (10 * 1000)

static bool home(ToolCall *call, char **ret_host, char **ret_repo)
{
    g_auto(GhContext) context = { 0 };
    if (!gh_call_here(call, &context, NULL))
        return false;
    *ret_host = g_steal_pointer(&context.host);
    *ret_repo = g_steal_pointer(&context.repo);
    return true;
}

/* What only some may read is not public, whatever GitHub calls it. */
static bool is_public(const json_t *body)
{
    const char *visibility = json_get_text(body, "visibility");
    return json_is_false(json_object_get(body, "private")) &&
           (!visibility || strcmp(visibility, "public") == 0);
}

static RepoVisibility look(ToolCall *call, const char *host, const char *repo)
{
    const RestOptions options = {
        .host = host,
        .honours_api_url = true,
        .uses_login = true,
        .cwd = tool_call_cwd(call),
        .max_wait_s = 0,
        .timeout_ms = LOOK_MS,
        .settings = tool_call_settings(call),
        .context = tool_call_context(call),
    };
    g_auto(GStrv) parts = g_strsplit(repo, "/", 2);
    if (g_strv_length(parts) != 2)
        return REPO_NOT_KNOWN;
    g_autofree char *path = rest_repo_path(parts[0], parts[1], "%s", "");
    const RestCall get = { .method = "GET", .path = path, .operation = "repository" };
    g_autoptr(Rest) rest = NULL;
    g_auto(RestAnswer) answer = { 0 };
    Cancel *cancel = tool_call_cancel(call);
    if (!rest_new(&options, cancel, &rest, NULL) || !rest_call(rest, &get, cancel, &answer, NULL))
        return REPO_NOT_KNOWN;
    return is_public(answer.body) ? REPO_PUBLIC : REPO_PRIVATE;
}

const RepoLookup github_repo_lookup = { .home = home, .look = look };
