/*
 * Internal URLs: parsing them, the paths and queries in them, and finding them in a command. What
 * comes out has no way up, and a command without URLs comes out as it went in.
 */
#include "tool/context.h"
#include "tools/tools.h"
#include "tools/url/url_paths.h"
#include "tools/url/url_query.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_url(const char *text)
{
    g_autoptr(InternalUrl) url = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *path = NULL;
    if (!internal_url_parse(text, &url, &error)) {
        if (!error_is(error, KEDGE_ERROR_USAGE))
            abort();
        return;
    }
    if (strchr(url->host, '/') || (*url->raw_path && *url->raw_path != '/') ||
        !g_utf8_validate(url->raw_host, -1, NULL))
        abort();
    if (!internal_url_whole_path(url, &path, NULL))
        return;
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    if (*path == '/' || g_strv_contains((const char *const *)parts, ".."))
        abort();
}

/* What a path becomes can be understood again. */
static void check_query(const char *text)
{
    g_autoptr(GPtrArray) tokens = NULL, again = NULL;
    g_autoptr(json_t) value = json_pack("{s:[i, {s:s}]}", "a", 1, "b", "c");
    if (url_query_parse(text, &tokens, NULL))
        url_query_apply(value, tokens);
    g_autofree char *query = url_query_of_path(text);
    if (!url_query_parse(query, &again, NULL))
        abort();
}

static void check_command(const char *text)
{
    static const UrlScheme *const schemes[] = { &url_docs, &url_artifact, &url_skill, NULL };
    static ToolContext *context; // looks at the disk when it is made
    if (!context) {
        g_autoptr(Settings) settings = settings_new(NULL);
        context = tool_context_new("/", settings, NULL);
        tool_context_add_schemes(context, schemes);
    }
    g_autofree char *command = NULL;
    // none of these has a file here: whatever is understood stays as it is, or is refused
    if (url_paths_in_command(context, text, &command, NULL) && strcmp(command, text) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    if (!g_utf8_validate(text, -1, NULL))
        return 0;
    check_url(text);
    check_query(text);
    check_command(text);
    return 0;
}
