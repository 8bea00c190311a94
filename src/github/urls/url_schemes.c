/*
 * issue://, pr:// and run:// as schemes of internal URLs.
 */
#include "github/github.h"
#include "github/repo_ref.h"
#include "github/safe/gh_call_context.h"
#include "github/urls/item_images.h"
#include "github/urls/item_read.h"

/* A read on the host and of the repository that the address names, else of the working directory's.
   What is no address of ours is told by resolve(). */
static bool judge(ToolCall *call, const InternalUrl *url, Judgement *ret_judgement,
                  GError **error G_GNUC_UNUSED)
{
    g_auto(ItemUrl) item = { 0 };
    g_auto(RepoRef) ref = { 0 };
    g_auto(GhContext) here = { 0 };
    ret_judgement->effect = EFFECT_READ;
    ret_judgement->is_github = true;
    if (!item_url_parse(url->text, tool_call_settings(call), &item, NULL))
        return true;
    if (item.repo && repo_ref_parse(item.repo, &ref)) {
        ret_judgement->host = g_steal_pointer(&ref.host);
        ret_judgement->repo = g_steal_pointer(&ref.slug);
    } else if (!item.repo && gh_call_here(call, &here, NULL)) {
        ret_judgement->host = g_steal_pointer(&here.host);
        ret_judgement->repo = g_steal_pointer(&here.repo);
    }
    return true;
}

static bool resolve(ToolCall *call, const InternalUrl *url, UrlResource *ret_resource,
                    GError **error)
{
    g_auto(ItemUrl) item = { 0 };
    return item_url_parse(url->text, tool_call_settings(call), &item, error) &&
           item_read(call, &item, ret_resource, error);
}

/* Only what people write has images. */
static bool illustrate(ToolCall *call, const InternalUrl *url, const UrlResource *resource,
                       ToolResult *result, GError **error)
{
    g_auto(ItemUrl) item = { 0 };
    bool is_single = item_url_parse(url->text, tool_call_settings(call), &item, NULL) &&
                     item.view == ITEM_SINGLE;
    return !is_single || item_images_show(call, resource, result, error);
}

#define GITHUB_SCHEME(scheme)                                                                      \
    {                                                                                              \
        .name = scheme, .is_immutable = true, .is_remote = true, .judge = judge,                   \
        .resolve = resolve, .illustrate = illustrate,                                              \
    }

const UrlScheme url_issue = GITHUB_SCHEME("issue");
const UrlScheme url_pr = GITHUB_SCHEME("pr");
const UrlScheme url_run = GITHUB_SCHEME("run");
