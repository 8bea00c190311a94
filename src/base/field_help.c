/*
 * Field tables as text: the parts of a flag's description, and --help made of them.
 */
#include "base/field.h"

#include "base/str.h"
#include "base/utf8.h"

#define HELP_COLUMNS  80
#define HELP_LEFT_MAX 30 // a longer left column puts its help on the next line
#define HELP_ENUM_MAX 24 // longer lists of values go into the help text
#define HELP_LEFT_MIN 20

char *field_flag(const FieldDef *field)
{
    if (field->flag)
        return g_strconcat("--", field->flag, NULL);
    g_autofree char *kebab = str_to_kebab(field->name);
    return g_strconcat("--", kebab, NULL);
}

static const char *default_value_name(FieldType type)
{
    switch (type) {
    case FIELD_INTEGER:
    case FIELD_NUMBER:
        return "N";
    case FIELD_STRING_MAP:
        return "KEY=VALUE";
    case FIELD_OBJECT_LIST:
    case FIELD_OBJECT:
    case FIELD_JSON:
        return "JSON";
    case FIELD_INTEGER_LIST:
        return "N,N";
    case FIELD_ENUM:
        return "VALUE";
    default:
        return "TEXT";
    }
}

bool field_is_repeated(const FieldDef *field)
{
    return field->type == FIELD_STRING_LIST || field->type == FIELD_STRING_OR_LIST ||
           field->type == FIELD_OBJECT_LIST || field->type == FIELD_INTEGER_LIST ||
           field->type == FIELD_STRING_MAP;
}

char *field_value_name(const FieldDef *field)
{
    if (field->type == FIELD_BOOLEAN)
        return NULL;
    g_autofree char *values =
        field->type == FIELD_ENUM ? g_strjoinv("|", (char **)field->values) : NULL;
    const char *name = field->value_name;
    if (!name && values && utf8_length(values) <= HELP_ENUM_MAX)
        name = values;
    if (!name)
        name = default_value_name(field->type);
    return g_strdup(name);
}

static char *help_left(const FieldDef *field, bool has_short_flags)
{
    GString *left = g_string_new("  ");
    if (field->short_flag != 0)
        g_string_append_printf(left, "-%c, ", field->short_flag);
    else if (has_short_flags)
        g_string_append(left, "    ");
    g_autofree char *flag = field_flag(field);
    g_string_append(left, flag);
    g_autofree char *value = field_value_name(field);
    if (value)
        g_string_append_printf(left, field->is_value_optional ? " [%s]" : " %s", value);
    if (field_is_repeated(field))
        g_string_append(left, "...");
    return g_string_free(left, FALSE);
}

char *field_help(const FieldDef *field)
{
    GString *right = g_string_new(field->help);
    if (field->type == FIELD_ENUM) {
        g_autofree char *shown = field_value_name(field);
        g_autofree char *values = g_strjoinv("|", (char **)field->values);
        if (strcmp(shown, values) != 0) {
            g_autofree char *list = g_strjoinv(", ", (char **)field->values);
            g_string_append_printf(right, "%sone of: %s", right->len > 0 ? "; " : "", list);
        }
    }
    if (field->default_text) {
        g_autofree char *text = g_strdup(field->default_text);
        json_t *value = NULL;
        if (json_parse_text(text, &value, NULL) && json_is_string(value)) {
            g_free(text);
            text = g_strdup(json_string_value(value));
        }
        json_decref(value);
        g_string_append_printf(right, "%s(default: %s)", right->len > 0 ? " " : "", text);
    }
    return g_string_free(right, FALSE);
}

static void append_spaces(GString *out, size_t count)
{
    g_string_append_printf(out, "%*s", (int)count, "");
}

// Words of `text` from column `indent` on; the cursor already is there.
static void append_wrapped(const char *text, size_t indent, GString *out)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    size_t column = indent;
    for (size_t i = 0; words[i]; i++) {
        if (*words[i] == '\0')
            continue;
        size_t width = utf8_length(words[i]);
        if (column > indent && column + 1 + width > HELP_COLUMNS) {
            g_string_append_c(out, '\n');
            append_spaces(out, indent);
            column = indent;
        } else if (column > indent) {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append(out, words[i]);
        column += width;
    }
}

void field_append_help(const FieldDef *fields, GString *out)
{
    bool has_short_flags = false;
    for (const FieldDef *field = fields; field->name; field++)
        has_short_flags |= field->short_flag != 0 && !field->is_hidden;

    size_t indent = 0;
    for (const FieldDef *field = fields; field->name; field++) {
        g_autofree char *left = help_left(field, has_short_flags);
        size_t width = utf8_length(left);
        if (!field->is_hidden && width <= HELP_LEFT_MAX)
            indent = MAX(indent, width);
    }
    indent = MAX(indent, HELP_LEFT_MIN) + 2;

    for (const FieldDef *field = fields; field->name; field++) {
        if (field->is_hidden)
            continue;
        g_autofree char *left = help_left(field, has_short_flags);
        g_autofree char *right = field_help(field);
        g_string_append(out, left);
        if (*right != '\0') {
            size_t width = utf8_length(left);
            if (width + 2 > indent) {
                g_string_append_c(out, '\n');
                width = 0;
            }
            append_spaces(out, indent - width);
            append_wrapped(right, indent, out);
        }
        g_string_append_c(out, '\n');
    }
}
