/*
 * What a field table says of a value beyond its type, and how that is worded (field_private.h).
 */
#include "base/field_private.h"
#include "base/str.h"
#include "base/utf8.h"

#include <math.h>

static bool is_whole(double number)
{
    return floor(number) == number && number >= -0x1p63 && number < 0x1p63;
}

static bool is_integer(const json_t *value)
{
    return json_is_integer(value) || (json_is_real(value) && is_whole(json_real_value(value)));
}

bool field_is_of_type(FieldType type, const json_t *value)
{
    switch (type) {
    case FIELD_STRING:
    case FIELD_ENUM:
        return json_is_string(value);
    case FIELD_INTEGER:
        return is_integer(value);
    case FIELD_NUMBER:
        return json_is_number(value);
    case FIELD_BOOLEAN:
        return json_is_boolean(value);
    case FIELD_STRING_LIST:
    case FIELD_OBJECT_LIST:
    case FIELD_INTEGER_LIST:
        return json_is_array(value);
    case FIELD_STRING_OR_LIST:
        return json_is_array(value) || json_is_string(value);
    case FIELD_OBJECT:
    case FIELD_STRING_MAP:
        return json_is_object(value);
    case FIELD_JSON:
        return true;
    }
    g_assert_not_reached();
}

static bool is_bounded(const FieldDef *field)
{
    return field->min != 0 || field->max != 0;
}

static bool is_in_range(const FieldDef *field, const json_t *value)
{
    if (!is_integer(value))
        return false;
    int64_t number =
        json_is_integer(value) ? json_integer_value(value) : (int64_t)json_real_value(value);
    return !is_bounded(field) ||
           (number >= field->min && (field->max < field->min || number <= field->max));
}

bool field_fits_item(const FieldDef *field, const json_t *item)
{
    if (field->type == FIELD_INTEGER_LIST)
        return is_in_range(field, item);
    return json_is_string(item) &&
           !(field->refuses_blank && utf8_is_blank(json_string_value(item))) &&
           !(field->max_chars > 0 && utf8_length(json_string_value(item)) > field->max_chars);
}

bool field_fits(const FieldDef *field, const json_t *value)
{
    switch (field->type) {
    case FIELD_STRING:
        return field_fits_item(field, value);
    case FIELD_INTEGER:
        return is_in_range(field, value);
    case FIELD_ENUM:
        return json_is_string(value) && g_strv_contains(field->values, json_string_value(value));
    case FIELD_STRING_LIST:
    case FIELD_OBJECT_LIST:
    case FIELD_INTEGER_LIST:
        return field->max_items == 0 || json_array_size(value) <= field->max_items;
    default:
        return true;
    }
}

static char *describe_integer(const FieldDef *field)
{
    if (!is_bounded(field))
        return g_strdup("an integer");
    if (field->max >= field->min)
        return g_strdup_printf("an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                               field->min, field->max);
    if (field->min == 1)
        return g_strdup("a positive integer");
    return g_strdup_printf("an integer of at least %" G_GINT64_FORMAT, field->min);
}

char *field_describe_item(const FieldDef *field)
{
    if (field->type == FIELD_INTEGER_LIST)
        return describe_integer(field);
    if (field->type == FIELD_OBJECT_LIST)
        return g_strdup("an object");
    return g_strdup(field->refuses_blank ? "a non-empty string" : "a string");
}

char *field_describe(const FieldDef *field)
{
    switch (field->type) {
    case FIELD_STRING:
        return field_describe_item(field);
    case FIELD_INTEGER:
        return describe_integer(field);
    case FIELD_NUMBER:
        return g_strdup("a number");
    case FIELD_BOOLEAN:
        return g_strdup("a boolean");
    case FIELD_ENUM: {
        g_autofree char *values = g_strjoinv(", ", (char **)field->values);
        return g_strdup_printf("one of: %s", values);
    }
    case FIELD_STRING_LIST:
    case FIELD_OBJECT_LIST:
    case FIELD_INTEGER_LIST:
        return g_strdup("an array");
    case FIELD_STRING_OR_LIST:
        return g_strdup("a string or an array of strings");
    case FIELD_OBJECT:
    case FIELD_STRING_MAP:
        return g_strdup("an object");
    case FIELD_JSON:
        return g_strdup("JSON");
    }
    g_assert_not_reached();
}

const FieldDef *field_find(const FieldDef *fields, const char *name)
{
    for (; fields->name; fields++) {
        if (strcmp(fields->name, name) == 0)
            return fields;
    }
    return NULL;
}

const char *field_nearest(const FieldDef *fields, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const FieldDef *field = fields; field->name; field++) {
        if (!field->is_hidden)
            g_ptr_array_add(names, (void *)field->name);
    }
    g_ptr_array_add(names, NULL);
    return str_nearest(name, (const char *const *)names->pdata);
}
