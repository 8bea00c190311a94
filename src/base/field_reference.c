/* See field_reference.h. */
#include "base/field_reference.h"

static void append_type(GString *out, const json_t *property)
{
    const json_t *values = json_get_array(property, "enum"),
                 *forms = json_get_array(property, "anyOf");
    const json_t *items = json_get_object(property, "items");
    const char *type = json_get_text(property, "type");
    json_each (values, i, value)
        g_string_append_printf(out, "%s`%s`", i > 0 ? ", " : "", json_string_value(value));
    json_each (forms, i, value) {
        g_string_append(out, i > 0 ? " or " : "");
        append_type(out, value);
    }
    if (values || forms)
        return;
    g_string_append(out, items ? "list of " : type ? type : "any");
    if (items)
        append_type(out, items);
}

static bool is_required(const json_t *schema, const char *name)
{
    json_each (json_get_array(schema, "required"), i, value)
        if (g_strcmp0(json_string_value(value), name) == 0)
            return true;
    return false;
}

/* Text of a cell: in one line, without the bar that would end it. */
static void append_cell(GString *out, const char *text)
{
    for (; text && *text; text++)
        if (*text == '|')
            g_string_append(out, "\\|");
        else
            g_string_append_c(out, *text == '\n' ? ' ' : *text);
}

static void append_rows(GString *out, const char *prefix, const json_t *schema)
{
    json_each_member (json_get_object(schema, "properties"), name, property) {
        const json_t *items = json_get_object(property, "items");
        const json_t *fallback = json_object_get(property, "default");
        g_string_append_printf(out, "| `%s%s`%s | ", prefix, name,
                               is_required(schema, name) ? "" : " (optional)");
        append_type(out, property);
        g_string_append(out, " | ");
        const char *help = json_get_text(property, "description");
        append_cell(out, help);
        if (fallback) {
            g_autofree char *text = json_to_text(fallback);
            g_string_append_printf(out, "%sDefault: `%s`", help ? ". " : "", text);
        }
        g_string_append(out, " |\n");
        g_autofree char *deeper = g_strconcat(prefix, name, items ? "[]." : ".", NULL);
        append_rows(out, deeper, items ? items : property);
    }
}

void field_reference_append(GString *out, const FieldDef *fields)
{
    g_autoptr(json_t) schema = field_schema(fields);
    if (json_object_size(json_get_object(schema, "properties")) == 0)
        return;
    g_string_append(out, "\n| field | is | |\n|---|---|---|\n");
    append_rows(out, "", schema);
}
