/*
 * artifact://ID: the whole output of an earlier call (agent-tools §2.8, §4.2), of any size.
 */
#include "tool/context.h"
#include "tools/tools.h"

static bool locate(ToolContext *context, const InternalUrl *url, char **ret_path, GError **error)
{
    g_autofree char *id = g_strconcat(url->raw_host, url->raw_path, NULL);
    return artifacts_find(tool_context_artifacts(context), id, ret_path, error);
}

const UrlScheme url_artifact = { .name = "artifact", .is_immutable = true, .locate = locate };
