/*
 * Text of XLSX (document.h): each sheet a table.
 */
#include "base/str.h"
#include "tools/document/document_parts.h"

#include <string.h>

enum { MAX_COLUMNS = 256 };

typedef struct Sheet {
    char *name, *id; // of the relation
} Sheet;

static void sheet_free(void *sheet_)
{
    Sheet *sheet = sheet_;
    g_free(sheet->name);
    g_free(sheet->id);
    g_free(sheet);
}

static void start_workbook(void *sheets, const char *name, const char **attributes)
{
    if (strcmp(name, "sheet") != 0)
        return;
    Sheet *sheet = g_new0(Sheet, 1);
    sheet->name = g_strdup(xml_attribute(attributes, "name"));
    sheet->id = g_strdup(xml_attribute(attributes, "id"));
    g_ptr_array_add(sheets, sheet);
}

static void start_relations(void *targets, const char *name, const char **attributes)
{
    const char *id = xml_attribute(attributes, "Id"), *target = xml_attribute(attributes, "Target");
    if (strcmp(name, "Relationship") == 0 && id && target)
        g_hash_table_replace(targets, g_strdup(id), document_resolve("xl/workbook.xml", target));
}

typedef struct Strings { // xl/sharedStrings.xml
    GPtrArray *all;      // of char *
    GString *current;
    bool is_text;
} Strings;

static void start_strings(void *strings_, const char *name, const char **attributes G_GNUC_UNUSED)
{
    Strings *strings = strings_;
    if (strcmp(name, "si") == 0)
        g_string_truncate(strings->current, 0);
    strings->is_text = strings->is_text || strcmp(name, "t") == 0;
}

static void end_strings(void *strings_, const char *name)
{
    Strings *strings = strings_;
    if (strcmp(name, "t") == 0)
        strings->is_text = false;
    else if (strcmp(name, "si") == 0)
        g_ptr_array_add(strings->all, g_strdup(strings->current->str));
}

static void take_strings(void *strings_, const char *text, size_t size)
{
    Strings *strings = strings_;
    if (strings->is_text)
        g_string_append_len(strings->current, text, (gssize)size);
}

typedef struct Rows {
    GString *out;
    const GPtrArray *strings;
    GString *value;
    bool is_value;  // inside <v> or <t>
    bool is_shared; // the value is the number of a string
    unsigned column, next_column, rows;
} Rows;

/* "BC7" is column 54, from 0. */
static unsigned column_of(const char *reference, unsigned fallback)
{
    unsigned column = 0;
    if (!reference || !g_ascii_isupper(*reference))
        return fallback;
    for (; g_ascii_isupper(*reference) && column <= MAX_COLUMNS; reference++)
        column = column * 26 + (unsigned)(*reference - 'A') + 1;
    return column - 1;
}

static void start_rows(void *rows_, const char *name, const char **attributes)
{
    Rows *rows = rows_;
    if (document_is_full(rows->out))
        return;
    if (strcmp(name, "row") == 0) {
        rows->next_column = 0;
        g_string_append_c(rows->out, '|');
    } else if (strcmp(name, "c") == 0) {
        const char *type = xml_attribute(attributes, "t");
        rows->is_shared = type && strcmp(type, "s") == 0;
        rows->column = column_of(xml_attribute(attributes, "r"), rows->next_column);
        g_string_truncate(rows->value, 0);
    } else if (strcmp(name, "v") == 0 || strcmp(name, "t") == 0) {
        rows->is_value = true;
    }
}

static void end_cell(Rows *rows)
{
    int64_t index = -1;
    const char *value = rows->value->str;
    if (rows->is_shared && str_parse_int(value, &index))
        value =
            index >= 0 && (uint64_t)index < rows->strings->len ? rows->strings->pdata[index] : "";
    if (rows->column >= MAX_COLUMNS || rows->column < rows->next_column)
        return;
    for (; rows->next_column < rows->column; rows->next_column++)
        g_string_append(rows->out, "  |");
    g_autofree char *line = g_strdelimit(g_strdup(value), "\r\n|", ' ');
    g_string_append_printf(rows->out, " %s |", line);
    rows->next_column++;
}

static void end_rows(void *rows_, const char *name)
{
    Rows *rows = rows_;
    if (strcmp(name, "v") == 0 || strcmp(name, "t") == 0)
        rows->is_value = false;
    if (document_is_full(rows->out))
        return;
    if (strcmp(name, "c") == 0) {
        end_cell(rows);
    } else if (strcmp(name, "row") == 0) {
        g_string_append_c(rows->out, '\n');
        for (unsigned i = 0; rows->rows == 0 && i < rows->next_column; i++)
            g_string_append(rows->out, i + 1 < rows->next_column ? "| --- " : "| --- |\n");
        rows->rows++;
    }
}

static void take_rows(void *rows_, const char *text, size_t size)
{
    Rows *rows = rows_;
    if (rows->is_value)
        g_string_append_len(rows->value, text, (gssize)size);
}

static bool read_strings(GHashTable *parts, Cancel *cancel, GPtrArray *all, GError **error)
{
    static const XmlHandler handler = { start_strings, end_strings, take_strings };
    g_autoptr(GString) current = g_string_new(NULL);
    Strings strings = { .all = all, .current = current };
    return !g_hash_table_contains(parts, "xl/sharedStrings.xml") ||
           document_parse(parts, "xl/sharedStrings.xml", &handler, &strings, cancel, error);
}

static bool read_sheet(GHashTable *parts, const char *name, const GPtrArray *strings,
                       Cancel *cancel, GString *out, GError **error)
{
    static const XmlHandler handler = { start_rows, end_rows, take_rows };
    g_autoptr(GString) value = g_string_new(NULL);
    Rows rows = { .out = out, .strings = strings, .value = value };
    return document_parse(parts, name, &handler, &rows, cancel, error);
}

bool document_read_xlsx(const char *path, Cancel *cancel, GString *out, GError **error)
{
    static const XmlHandler workbook = { .start = start_workbook };
    static const XmlHandler relations = { .start = start_relations };
    g_autoptr(GHashTable) parts = NULL;
    g_autoptr(GPtrArray) sheets = g_ptr_array_new_with_free_func(sheet_free);
    g_autoptr(GPtrArray) strings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) targets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    if (!document_load(path, cancel, &parts, error) ||
        !document_parse(parts, "xl/workbook.xml", &workbook, sheets, cancel, error) ||
        !document_parse(parts, "xl/_rels/workbook.xml.rels", &relations, targets, cancel, error) ||
        !read_strings(parts, cancel, strings, error))
        return false;
    for (guint i = 0; i < sheets->len && !document_is_full(out); i++) {
        const Sheet *sheet = sheets->pdata[i];
        const char *target = sheet->id ? g_hash_table_lookup(targets, sheet->id) : NULL;
        if (!target)
            continue;
        g_string_append_printf(out, "## %s\n\n", sheet->name ? sheet->name : "");
        if (!read_sheet(parts, target, strings, cancel, out, error))
            return false;
        g_string_append_c(out, '\n');
    }
    return true;
}
