/*
 * What find and grep say about paths that do not exist (missing.h).
 */
#include "tools/file/missing.h"

static char *join(const GPtrArray *paths)
{
    GString *out = g_string_new(NULL);
    for (unsigned i = 0; i < paths->len; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", (char *)paths->pdata[i]);
    return g_string_free(out, FALSE);
}

bool missing_fail(const GPtrArray *missing, const SearchNotes *notes, GError **error)
{
    g_autofree char *paths = join(missing);
    g_autoptr(GString) more = g_string_new(NULL);
    search_notes_append(notes, true, more);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Path not found: %s%s", paths, more->str);
}

void missing_append_line(const GPtrArray *missing, const SearchNotes *notes, bool is_empty_result,
                         GString *out)
{
    g_autofree char *paths = join(missing);
    if (missing->len > 0)
        g_string_append_printf(out, "%sSkipped missing paths: %s", is_empty_result ? "\n" : "\n\n",
                               paths);
    search_notes_append(notes, is_empty_result, out);
}

void missing_set_details(const GPtrArray *missing, json_t *details)
{
    if (missing->len == 0)
        return;
    json_t *paths = json_array();
    for (unsigned i = 0; i < missing->len; i++)
        json_append_take(paths, json_text(missing->pdata[i]));
    json_set_take(details, "missingPaths", paths);
}
