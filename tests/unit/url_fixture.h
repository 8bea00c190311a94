/*
 * Scaffolding for tests of tools that take internal URLs: a context that knows the schemes of this
 * machine, and three that stand for those of other rooms.
 */
#pragma once

#include "tool_fixture.h"

#include "tools/tools.h"

static inline bool url_fixture_resolve(ToolCall *call, const InternalUrl *url,
                                       UrlResource *ret_resource, GError **error)
{
    if (!tool_call_permit(call))
        return fail_with(error, KEDGE_ERROR_FAILED, "no permit");
    url_resource_set_text(ret_resource, g_strdup_printf("content of %s\n", url->text), NULL);
    return true;
}

static inline bool url_fixture_judge(ToolCall *call G_GNUC_UNUSED, const InternalUrl *url,
                                     Judgement *ret_judgement, GError **error G_GNUC_UNUSED)
{
    ret_judgement->is_github = true;
    ret_judgement->host = g_strdup(strchr(url->host, '.') ? url->host : "github.com");
    return true;
}

static const UrlScheme url_fixture_issue = {
    .name = "issue", .is_remote = true, .judge = url_fixture_judge, .resolve = url_fixture_resolve
};
static const UrlScheme url_fixture_pr = { .name = "pr", .resolve = url_fixture_resolve };

static const UrlScheme *const url_fixture_schemes[] = {
    &url_docs,          &url_agent,      &url_artifact, &url_memory, &url_local,
    &url_plan,          &url_skill,      &url_rule,     &url_mcp,    &url_jobs,
    &url_fixture_issue, &url_fixture_pr, NULL,
};

#define URL_FIXTURE_SUPPORTED                                                                      \
    "docs://, agent://, artifact://, memory://, local://, plan://, skill://, rule://, mcp://, "    \
    "jobs://, "                                                                                    \
    "issue://, pr://"

static inline ToolFixture *url_fixture_new(const char *settings, bool has_artifacts)
{
    ToolFixture *self = tool_fixture_new(settings, has_artifacts);
    tool_context_add_schemes(self->context, url_fixture_schemes);
    return self;
}
