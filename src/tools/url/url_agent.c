/*
 * agent://ID: what another agent of this conversation answered, whole or a part of its JSON
 * (agent-tools §4.2).
 */
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/context.h"
#include "tools/tools.h"
#include "tools/url/url_file.h"
#include "tools/url/url_query.h"

#define SUFFIX ".md"

static bool find_output(ToolContext *context, const InternalUrl *url, char **ret_path,
                        GError **error)
{
    const char *id = url->raw_host;
    if (*id == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "agent:// URL requires an output ID: agent://<id>");
    Artifacts *artifacts = tool_context_artifacts(context);
    if (!artifacts)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No session - agent outputs unavailable");
    const char *dir = artifacts_dir(artifacts);
    if (!file_is_directory(dir))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No artifacts directory found");
    g_autofree char *name = g_strconcat(id, SUFFIX, NULL);
    g_autofree char *path = g_build_filename(dir, name, NULL);
    if (strchr(id, '/') || !file_exists(path)) {
        g_autoptr(GPtrArray) ids = url_file_names(dir, SUFFIX);
        g_autofree char *available = url_file_join(ids);
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Not found: %s\nAvailable: %s", id,
                         available);
    }
    *ret_path = g_steal_pointer(&path);
    return true;
}

static bool locate(ToolContext *context, const InternalUrl *url, char **ret_path, GError **error)
{
    if (url->query || strlen(url->raw_path) > 1)
        return fail_with(error, KEDGE_ERROR_USAGE, "A part of an output has no file: %s",
                         url->text);
    return find_output(context, url, ret_path, error);
}

/* Of ?q=…; NULL: there is none. Caller frees. */
static char *query_parameter(const InternalUrl *url)
{
    g_auto(GStrv) parts = g_strsplit(url->query ? url->query : "", "&", -1);
    for (char **part = parts; *part; part++) {
        if (!str_has_prefix(*part, "q="))
            continue;
        char *decoded = g_uri_unescape_string(*part + 2, NULL);
        return decoded ? decoded : g_strdup(*part + 2);
    }
    return NULL;
}

static bool extract(const char *id, const char *path, const char *query, UrlResource *ret_resource,
                    GError **error)
{
    g_autoptr(GPtrArray) tokens = NULL;
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) problem = NULL;
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!url_query_parse(query, &tokens, error) ||
        !file_read(path, LIMIT_URL_JSON_BYTES, &data, &size, error))
        return false;
    if (!json_parse_text(data, &value, &problem))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "Output %s is not valid JSON: %s", id,
                         problem->message);
    const json_t *part = url_query_apply(value, tokens);
    g_autofree char *note = g_strdup_printf("Extracted: %s", query);
    url_resource_set_text(ret_resource, part ? json_to_pretty(part) : g_strdup("null"),
                          "application/json");
    url_resource_add_note(ret_resource, note);
    ret_resource->is_extract = true;
    return true;
}

static bool resolve(ToolCall *call, const InternalUrl *url, UrlResource *ret_resource,
                    GError **error)
{
    g_autofree char *asked = query_parameter(url);
    g_autofree char *by_path = url_query_of_path(url->raw_path);
    if (asked && *by_path)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "agent:// URL cannot combine path extraction with ?q=");
    g_autofree char *path = NULL;
    if (!find_output(tool_call_context(call), url, &path, error))
        return false;
    if ((asked || *by_path) &&
        !extract(url->raw_host, path, asked ? asked : by_path, ret_resource, error))
        return false;
    ret_resource->source_path = g_steal_pointer(&path);
    return true;
}

const UrlScheme url_agent = {
    .name = "agent",
    .is_immutable = true,
    .resolve = resolve,
    .locate = locate,
};
