/*
 * local:// and plan://: files of the conversation itself, which a model writes and reads
 * (agent-tools §4.2).
 *
 * They are in `local` beside the session's artifacts. A conversation without a file has a folder
 * of its own below the temporary one, which goes when it ends.
 */
#include "base/dirs.h"
#include "base/file.h"
#include "tool/context.h"
#include "tools/tools.h"
#include "tools/url/url_file.h"

static const char explanation[] =
    "# Local\n\nSession-scoped scratch space for large intermediate data, subagent handoffs, and "
    "reusable planning artifacts.\n\n";

static void *make_temporary_root(void)
{
    g_autofree char *path = g_build_filename(dirs_temp(), "kedge-local-XXXXXX", NULL);
    return g_mkdtemp(path) ? g_steal_pointer(&path) : NULL; // 0700
}

static void remove_temporary_root(void *path)
{
    if (path)
        file_remove_tree(path, NULL);
    g_free(path);
}

/* Caller frees. It need not exist. */
static bool find_root(ToolContext *context, const char *scheme, char **ret_root, GError **error)
{
    Artifacts *artifacts = tool_context_artifacts(context);
    if (artifacts) {
        *ret_root = g_build_filename(artifacts_dir(artifacts), "local", NULL);
        return true;
    }
    if (!tool_context_is_conversation(context))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No session - %s:// unavailable", scheme);
    const char *path =
        tool_context_state(context, "local root", make_temporary_root, remove_temporary_root);
    if (!path)
        return fail_with(error, KEDGE_ERROR_FAILED, "cannot make a folder for %s:// in %s", scheme,
                         dirs_temp());
    *ret_root = g_strdup(path);
    return true;
}

static bool locate(ToolContext *context, const InternalUrl *url, char **ret_path, GError **error)
{
    g_autofree char *relative = NULL;
    g_autofree char *root = NULL;
    if (!internal_url_whole_path(url, &relative, error) ||
        !find_root(context, url->scheme, &root, error))
        return false;
    if (*relative == '\0' && !file_make_dirs(root, 0700, error)) // the folder, never a file
        return false;
    return url_file_below(url->scheme, "local root", root, relative, ret_path, error);
}

static void show_list(const char *root, UrlResource *ret_resource)
{
    g_autoptr(GPtrArray) names = url_file_list(root);
    GString *text = g_string_new(explanation);
    g_string_append_printf(text, "Root: %s\n\n", root);
    url_file_append_list(text, "local", names);
    url_resource_set_text(ret_resource, g_string_free(text, FALSE), "text/markdown");
}

static bool resolve(ToolCall *call, const InternalUrl *url, UrlResource *ret_resource,
                    GError **error)
{
    g_autofree char *path = NULL;
    if (!locate(tool_call_context(call), url, &path, error))
        return false;
    bool is_directory = file_is_directory(path);
    if (is_directory && strspn(url->raw_path, "/") == strlen(url->raw_path) && *url->host == '\0')
        show_list(path, ret_resource);
    else if (is_directory)
        return fail_with(error, KEDGE_ERROR_USAGE, "local:// URL must resolve to a file: %s",
                         url->text);
    else if (!file_exists(path))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Local file not found: %s", url->text);
    ret_resource->source_path = g_steal_pointer(&path);
    return true;
}

const UrlScheme url_local = {
    .name = "local",
    .is_writable = true,
    .resolve = resolve,
    .locate = locate,
};

/* Without a name it is the plan that the conversation is about, while it plans. */
static bool locate_current(ToolContext *context, char **ret_path, GError **error)
{
    g_autofree char *file = plan_mode_file(tool_context_plan_mode(context));
    if (!file)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No active plan.");
    g_autoptr(InternalUrl) url = NULL;
    return internal_url_parse(file, &url, error) && locate(context, url, ret_path, error);
}

static bool locate_plan(ToolContext *context, const InternalUrl *url, char **ret_path,
                        GError **error)
{
    bool has_name = *url->host != '\0' || strlen(url->raw_path) > 1;
    return has_name ? locate(context, url, ret_path, error)
                    : locate_current(context, ret_path, error);
}

static bool resolve_plan(ToolCall *call, const InternalUrl *url, UrlResource *ret_resource,
                         GError **error)
{
    g_autofree char *path = NULL;
    if (!locate_plan(tool_call_context(call), url, &path, error))
        return false;
    if (!file_exists(path) || file_is_directory(path))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Plan file not found: %s", url->text);
    ret_resource->source_path = g_steal_pointer(&path);
    return true;
}

const UrlScheme url_plan = {
    .name = "plan",
    .is_writable = true,
    .resolve = resolve_plan,
    .locate = locate_plan,
};
