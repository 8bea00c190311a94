/*
 * Text of EPUB (document.h): the chapters in their order.
 */
#include "tools/document/document_parts.h"

#include <string.h>

typedef struct Package { // META-INF/container.xml and the file that it names
    char *path;          // of that file
    GHashTable *items;   // id → path
    GPtrArray *order;    // of ids; char *
} Package;

static void package_clear(Package *self)
{
    g_free(self->path);
    g_hash_table_unref(self->items);
    g_ptr_array_unref(self->order);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Package, package_clear)

static void start_container(void *package_, const char *name, const char **attributes)
{
    Package *package = package_;
    if (strcmp(name, "rootfile") == 0 && !package->path)
        package->path = g_strdup(xml_attribute(attributes, "full-path"));
}

static void start_package(void *package_, const char *name, const char **attributes)
{
    Package *package = package_;
    const char *id = xml_attribute(attributes, "id"), *href = xml_attribute(attributes, "href");
    const char *idref = xml_attribute(attributes, "idref");
    if (strcmp(name, "item") == 0 && id && href) {
        g_autofree char *decoded = g_uri_unescape_string(href, NULL);
        g_hash_table_replace(package->items, g_strdup(id),
                             document_resolve(package->path, decoded ? decoded : href));
    } else if (strcmp(name, "itemref") == 0 && idref) {
        g_ptr_array_add(package->order, g_strdup(idref));
    }
}

typedef struct Chapter {
    GString *out;
    unsigned hidden; // depth inside what is not shown
    unsigned kept;   // depth inside <pre>
} Chapter;

static bool is_hidden_tag(const char *name)
{
    return strcmp(name, "head") == 0 || strcmp(name, "style") == 0 || strcmp(name, "script") == 0;
}

static bool is_block(const char *name)
{
    static const char *const names[] = { "p",  "div", "section", "article", "ul",         "ol",
                                         "li", "tr",  "table",   "pre",     "blockquote", "h1",
                                         "h2", "h3",  "h4",      "h5",      "h6",         NULL };
    return g_strv_contains(names, name);
}

/* An empty line, but never two, and none at the beginning. */
static void break_block(GString *out)
{
    while (out->len > 0 && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
    if (out->len > 0 && !g_str_has_suffix(out->str, "\n\n"))
        g_string_append(out, g_str_has_suffix(out->str, "\n") ? "\n" : "\n\n");
}

static void start_chapter(void *chapter_, const char *name, const char **attributes G_GNUC_UNUSED)
{
    Chapter *chapter = chapter_;
    chapter->hidden += is_hidden_tag(name);
    chapter->kept += strcmp(name, "pre") == 0;
    if (is_block(name))
        break_block(chapter->out);
    if (name[0] == 'h' && name[1] >= '1' && name[1] <= '6' && name[2] == '\0')
        g_string_append_printf(chapter->out, "%.*s ", name[1] - '0', "######");
    else if (strcmp(name, "li") == 0)
        g_string_append(chapter->out, "- ");
    else if (strcmp(name, "br") == 0)
        g_string_append_c(chapter->out, '\n');
}

static void end_chapter(void *chapter_, const char *name)
{
    Chapter *chapter = chapter_;
    chapter->hidden -= is_hidden_tag(name);
    chapter->kept -= strcmp(name, "pre") == 0;
    if (is_block(name))
        break_block(chapter->out);
}

static void take_chapter(void *chapter_, const char *text, size_t size)
{
    const Chapter *chapter = chapter_;
    GString *out = chapter->out;
    if (chapter->hidden > 0 || document_is_full(out))
        return;
    for (size_t i = 0; i < size; i++) {
        bool is_blank = !chapter->kept && g_ascii_isspace(text[i]);
        if (!is_blank)
            g_string_append_c(out, text[i]);
        else if (out->len > 0 && !strchr(" \n", out->str[out->len - 1]))
            g_string_append_c(out, ' ');
    }
}

bool document_read_epub(const char *path, Cancel *cancel, GString *out, GError **error)
{
    static const XmlHandler container = { .start = start_container };
    static const XmlHandler content = { .start = start_package };
    static const XmlHandler text = { start_chapter, end_chapter, take_chapter };
    g_autoptr(GHashTable) parts = NULL;
    g_auto(Package) package = {
        .items = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .order = g_ptr_array_new_with_free_func(g_free),
    };
    if (!document_load(path, cancel, &parts, error) ||
        !document_parse(parts, "META-INF/container.xml", &container, &package, cancel, error))
        return false;
    if (!package.path)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "it names no content");
    if (!document_parse(parts, package.path, &content, &package, cancel, error))
        return false;
    for (guint i = 0; i < package.order->len && !document_is_full(out); i++) {
        const char *name = g_hash_table_lookup(package.items, package.order->pdata[i]);
        Chapter chapter = { .out = out };
        if (name && !document_parse(parts, name, &text, &chapter, cancel, error))
            return false;
        break_block(out);
    }
    return true;
}
