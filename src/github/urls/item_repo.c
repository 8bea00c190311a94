/*
 * The repository of an address that names none.
 */
#include "github/urls/item_repo.h"
#include "github/repo_ref.h"
#include "github/safe/gh_call_context.h"

bool item_default_repo(ToolCall *call, const char *what, const char *instead, char **ret_repo,
                       GError **error)
{
    g_autoptr(GError) failure = NULL;
    if (gh_call_here_name(call, ret_repo, &failure))
        return true;
    if (error_is(failure, KEDGE_ERROR_CANCELLED))
        return pass_error(error, &failure);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "%s could not resolve a default repo from the current checkout: %s\nUse %s",
                     what, failure->message, instead);
}

void item_set_github(ToolCall *call, const char *repo, GithubKind kind, int64_t number,
                     UrlResource *resource)
{
    g_auto(RepoRef) ref = { 0 };
    if (!repo || !repo_ref_parse(repo, &ref))
        return;
    g_autofree char *host = repo_default_host(tool_call_settings(call));
    const GithubMark mark = {
        .host = ref.host ? ref.host : host,
        .repo = ref.slug,
        .kind = kind,
        .number = number,
    };
    json_decref(resource->github);
    resource->github = github_mark_to_json(&mark);
    origin_set_github(&resource->origin, &mark);
}
