/*
 * docs://: the documents of this program (agent-tools §4.2), which a model can read wherever it is
 * installed.
 */
#include "tools/tools.h"
#include "tools/url/docs.h"
#include "tools/url/url_file.h"

enum { MAX_SUGGESTIONS = 5 };

static void show_list(UrlResource *ret_resource)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const Document *file = document_files; file->name; file++)
        g_ptr_array_add(names, (void *)file->name);
    GString *text = g_string_new("# Documentation\n\n");
    url_file_append_list(text, "docs", names);
    url_resource_set_text(ret_resource, g_string_free(text, FALSE), "text/markdown");
}

/* "a.md, b.md": the names that hold what was asked for, or are held by it. Caller frees. */
static char *suggestions(const char *asked)
{
    g_autofree char *lower = g_ascii_strdown(asked, -1);
    GString *list = g_string_new(NULL);
    int count = 0;
    for (const Document *file = document_files; file->name && count < MAX_SUGGESTIONS; file++) {
        g_autofree char *name = g_ascii_strdown(file->name, -1);
        g_autofree char *stem = g_strndup(name, strlen(name) - strlen(".md"));
        if (!strstr(name, lower) && !strstr(lower, stem))
            continue;
        g_string_append_printf(list, "%s%s", count++ > 0 ? ", " : "", file->name);
    }
    return g_string_free(list, FALSE);
}

static bool fail_not_found(const char *asked, GError **error)
{
    g_autofree char *similar = suggestions(asked);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Documentation file not found: %s\n%s%s", asked,
                     *similar ? "Did you mean: " : "Use docs:// to list available files.", similar);
}

static bool resolve(ToolCall *call G_GNUC_UNUSED, const InternalUrl *url, UrlResource *ret_resource,
                    GError **error)
{
    g_autofree char *name = NULL;
    if (!internal_url_whole_path(url, &name, error))
        return false;
    if (*name == '\0') {
        show_list(ret_resource);
        return true;
    }
    for (const Document *file = document_files; file->name; file++) {
        if (strcmp(file->name, name) != 0)
            continue;
        url_resource_set_text(ret_resource, g_strndup((const char *)file->data, file->size),
                              "text/markdown");
        return true;
    }
    return fail_not_found(name, error);
}

static const char *const aliases[] = { "kedge", "pi", "omp", NULL };

const UrlScheme url_docs = {
    .name = "docs",
    .aliases = aliases,
    .is_immutable = true,
    .resolve = resolve,
};
