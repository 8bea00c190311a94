/*
 * skill://, memory:// and mcp://, of which this program has none: they say so, as they say it
 * when there are none (agent-tools §4.2), so that a model does not look for another way to them.
 */
#include "tools/tools.h"

static bool locate_skill(ToolContext *context G_GNUC_UNUSED, const InternalUrl *url,
                         char **ret_path G_GNUC_UNUSED, GError **error)
{
    g_autofree char *path = NULL;
    if (*url->raw_host == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "skill:// URL requires a skill name: skill://<name>");
    if (!internal_url_relative_path(url, url->raw_path, &path, error))
        return false;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Unknown skill: %s\nAvailable: none",
                     url->raw_host);
}

static bool locate_memory(ToolContext *context G_GNUC_UNUSED, const InternalUrl *url,
                          char **ret_path G_GNUC_UNUSED, GError **error)
{
    g_autofree char *path = NULL;
    if (*url->raw_host == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "memory:// URL requires a namespace: memory://root");
    if (strcmp(url->raw_host, "root") != 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "Unknown memory namespace: %s. Supported: root",
                         url->raw_host);
    if (!internal_url_relative_path(url, url->raw_path, &path, error))
        return false;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "Memory artifacts are not available for this project yet. Run a session with "
                     "memories enabled first.");
}

static bool resolve_mcp(ToolCall *call G_GNUC_UNUSED, const InternalUrl *url,
                        UrlResource *ret_resource G_GNUC_UNUSED, GError **error)
{
    if (*url->raw_host == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "mcp:// URL requires a resource URI: mcp://<resource-uri>");
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "No MCP manager available. MCP servers may not be configured.");
}

const UrlScheme url_skill = { .name = "skill", .is_immutable = true, .locate = locate_skill };
const UrlScheme url_memory = { .name = "memory", .locate = locate_memory };
const UrlScheme url_mcp = { .name = "mcp", .resolve = resolve_mcp };
