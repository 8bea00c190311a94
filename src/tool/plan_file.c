/* See plan_file.h. */
#include "tool/plan_file.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/context.h"

bool plan_file_is_url(const char *url)
{
    static const char scheme[] = "local://";
    if (!url || !str_has_prefix(url, scheme) || !g_str_has_suffix(url, ".md"))
        return false;
    const char *name = url + strlen(scheme);
    size_t length = strlen(name) - strlen(".md");
    for (size_t i = 0; i < length; i++)
        if (!g_ascii_isalnum(name[i]) && name[i] != '_' && name[i] != '-')
            return false;
    return length > 0 && length <= 100;
}

bool plan_file_locate(const ToolContext *context, const char *url, char **ret_path, GError **error)
{
    g_autoptr(InternalUrl) parsed = NULL;
    const UrlScheme *scheme = NULL;
    return internal_url_open(context, url, &parsed, &scheme, error) &&
           scheme->locate((ToolContext *)context, parsed, ret_path, error);
}

bool plan_file_read(const ToolContext *context, const char *url, char **ret_text, GError **error)
{
    g_autofree char *path = NULL;
    g_autofree char *text = NULL;
    size_t size = 0;
    if (!plan_file_locate(context, url, &path, error) ||
        !file_read(path, LIMIT_PLAN_BYTES, &text, &size, error))
        return false;
    if (!g_utf8_validate(text, (gssize)size, NULL))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s is not text in UTF-8", url);
    *ret_text = g_steal_pointer(&text);
    return true;
}

bool plan_file_write(const ToolContext *context, const char *url, const char *text, GError **error)
{
    g_autofree char *path = NULL;
    if (!plan_file_locate(context, url, &path, error))
        return false;
    g_autofree char *dir = g_path_get_dirname(path);
    return file_make_dirs(dir, 0700, error) &&
           file_write_atomic(path, text, strlen(text), 0600, error);
}
