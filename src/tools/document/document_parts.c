/* See document_parts.h. */
#include "tools/document/document_parts.h"

#include "base/archive.h"
#include "base/path.h"

#include <string.h>

static void part_free(void *part)
{
    g_string_free(part, TRUE);
}

static bool is_xml_name(const char *name)
{
    static const char *const ends[] = { ".xml", ".rels", ".opf", ".xhtml", ".html", ".htm" };
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++)
        if (g_str_has_suffix(name, ends[i]))
            return true;
    return false;
}

bool document_load(const char *path, Cancel *cancel, GHashTable **ret_parts, GError **error)
{
    g_autoptr(Archive) archive = NULL;
    g_autoptr(GHashTable) parts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, part_free);
    g_autofree char *shown = g_path_get_basename(path);
    size_t bytes = 0;
    bool has_member = false;
    if (!archive_open(path, shown, cancel, &archive, error))
        return false;
    for (;;) {
        if (!archive_next(archive, &has_member, error))
            return false;
        if (!has_member)
            break;
        g_autofree char *name = archive_clean_name(archive_member(archive)->name, false);
        if (!name || !is_xml_name(name) || archive_member(archive)->kind != ARCHIVE_MEMBER_FILE)
            continue;
        GString *part = g_string_new(NULL);
        g_hash_table_replace(parts, g_steal_pointer(&name), part);
        if (!archive_read_member(archive, part, error))
            return false;
        bytes += part->len;
        if (bytes > LIMIT_DOCUMENT_XML_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "more than %zu MiB of XML",
                             LIMIT_DOCUMENT_XML_BYTES / MIB);
    }
    *ret_parts = g_steal_pointer(&parts);
    return true;
}

bool document_parse(GHashTable *parts, const char *name, const XmlHandler *handler, void *data,
                    Cancel *cancel, GError **error)
{
    const GString *part = g_hash_table_lookup(parts, name);
    if (!part)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s is missing", name);
    if (xml_parse(part->str, part->len, handler, data, cancel, error))
        return true;
    g_prefix_error(error, "%s: ", name);
    return false;
}

char *document_resolve(const char *from, const char *target)
{
    g_autofree char *dir = g_path_get_dirname(from);
    g_autofree char *base = g_strconcat("/", strcmp(dir, ".") == 0 ? "" : dir, NULL);
    g_autofree char *absolute = path_absolute(target, base);
    return g_strdup(absolute + strspn(absolute, "/"));
}
