/*
 * rule://NAME: the text of one of the person's rules (agent-tools §4.2), which are the
 * files NAME.md and NAME.mdc in AGENT_DIR/rules; the first of a name counts.
 */
#include "base/dirs.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/context.h"
#include "tools/tools.h"
#include "tools/url/url_file.h"

static const char *const suffixes[] = { ".md", ".mdc" };

static char *rules_dir(const ToolContext *context)
{
    const char *known = tool_context_agent_dir(context);
    g_autofree char *agent_dir = known ? g_strdup(known) : dirs_agent();
    return g_build_filename(agent_dir, "rules", NULL);
}

static bool fail_unknown(const char *name, const char *dir, GError **error)
{
    g_autoptr(GPtrArray) names = url_file_names(dir, suffixes[0]);
    g_autoptr(GPtrArray) others = url_file_names(dir, suffixes[1]);
    for (unsigned i = 0; i < others->len; i++)
        if (!g_ptr_array_find_with_equal_func(names, others->pdata[i], g_str_equal, NULL))
            g_ptr_array_add(names, g_strdup(others->pdata[i]));
    g_autofree char *available = url_file_join(names);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Unknown rule: %s\nAvailable: %s", name,
                     available);
}

/* NULL: there is none. Caller frees. */
static char *find_file(const char *dir, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes) && !strchr(name, '/'); i++) {
        g_autofree char *file = g_strconcat(name, suffixes[i], NULL);
        g_autofree char *path = g_build_filename(dir, file, NULL);
        if (file_exists(path) && !file_is_directory(path))
            return g_steal_pointer(&path);
    }
    return NULL;
}

static bool locate(ToolContext *context, const InternalUrl *url, char **ret_path, GError **error)
{
    const char *name = url->raw_host;
    if (*name == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "rule:// URL requires a rule name: rule://<name>");
    g_autofree char *dir = rules_dir(context);
    g_autofree char *path = strlen(url->raw_path) <= 1 ? find_file(dir, name) : NULL;
    if (!path)
        return fail_unknown(name, dir, error);
    *ret_path = g_steal_pointer(&path);
    return true;
}

/* What comes behind the front matter. */
static const char *body_of(const char *text)
{
    if (!str_has_prefix(text, "---\n"))
        return text;
    const char *end = strstr(text + 3, "\n---\n");
    return end ? end + strlen("\n---\n") : text;
}

static bool resolve(ToolCall *call, const InternalUrl *url, UrlResource *ret_resource,
                    GError **error)
{
    g_autofree char *path = NULL;
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!locate(tool_call_context(call), url, &path, error) ||
        !file_read(path, LIMIT_URL_RULE_BYTES, &data, &size, error))
        return false;
    url_resource_set_text(ret_resource, g_strdup(body_of(data)), "text/markdown");
    ret_resource->source_path = g_steal_pointer(&path);
    return true;
}

const UrlScheme url_rule = {
    .name = "rule",
    .is_immutable = true,
    .resolve = resolve,
    .locate = locate,
};
