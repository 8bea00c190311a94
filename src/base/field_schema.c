/*
 * Field tables, the JSON Schema (draft-07 subset of agent-tools §1.1) that models and MCP clients
 * see.
 *
 * The order of keys is fixed: schemas are part of a prompt, and a prompt is cached by its bytes.
 */
#include "base/field.h"

static json_t *schema_of_type(const char *type)
{
    return json_make("type:%s", type);
}

// Takes the reference `items`.
static json_t *schema_of_list(const FieldDef *field, json_t *items)
{
    json_t *schema = schema_of_type("array");
    json_set_take(schema, "items", items);
    if (field->min_items > 0)
        json_set_int(schema, "minItems", (gint64)field->min_items);
    if (field->max_items > 0)
        json_set_int(schema, "maxItems", (gint64)field->max_items);
    return schema;
}

static json_t *schema_of_integer(const FieldDef *field)
{
    json_t *schema = schema_of_type("integer");
    if (field->min != 0 || field->max != 0)
        json_set_int(schema, "minimum", field->min);
    if (field->max > field->min)
        json_set_int(schema, "maximum", field->max);
    return schema;
}

static json_t *schema_of_string(const FieldDef *field)
{
    json_t *schema = schema_of_type("string");
    if (field->refuses_blank)
        json_set_text(schema, "pattern", "\\S");
    if (field->max_chars > 0)
        json_set_int(schema, "maxLength", (gint64)field->max_chars);
    return schema;
}

static json_t *schema_of_enum(const FieldDef *field)
{
    json_t *values = json_array();
    for (const char *const *value = field->values; *value; value++)
        json_append_take(values, json_text(*value));
    json_t *schema = schema_of_type("string");
    json_set_take(schema, "enum", values);
    return schema;
}

static json_t *schema_of_string_or_list(const FieldDef *field)
{
    json_t *choices = json_array();
    json_append_take(choices, schema_of_type("string"));
    json_append_take(choices, schema_of_list(field, schema_of_string(field)));
    return json_make("anyOf:%p", choices);
}

typedef json_t *(*SchemaFunc)(const FieldDef *fields);

static json_t *schema_of_object(const FieldDef *fields, SchemaFunc nested)
{
    return fields != NULL ? nested(fields) : schema_of_type("object");
}

static json_t *schema_of_field(const FieldDef *field, SchemaFunc nested)
{
    switch (field->type) {
    case FIELD_STRING:
        return schema_of_string(field);
    case FIELD_INTEGER:
        return schema_of_integer(field);
    case FIELD_NUMBER:
        return schema_of_type("number");
    case FIELD_BOOLEAN:
        return schema_of_type("boolean");
    case FIELD_ENUM:
        return schema_of_enum(field);
    case FIELD_STRING_LIST:
        return schema_of_list(field, schema_of_string(field));
    case FIELD_STRING_OR_LIST:
        return schema_of_string_or_list(field);
    case FIELD_INTEGER_LIST:
        return schema_of_list(field, schema_of_integer(field));
    case FIELD_OBJECT_LIST:
        return schema_of_list(field, schema_of_object(field->item_fields, nested));
    case FIELD_OBJECT:
        return schema_of_object(field->item_fields, nested);
    case FIELD_STRING_MAP: {
        json_t *schema = schema_of_type("object");
        json_set_take(schema, "additionalProperties", schema_of_type("string"));
        return schema;
    }
    case FIELD_JSON:
        return json_object();
    }
    g_assert_not_reached();
}

static json_t *required_names(const FieldDef *fields)
{
    json_t *required = json_array();
    for (const FieldDef *field = fields; field->name; field++)
        if (field->is_required && !field->is_hidden)
            json_append_take(required, json_text(field->name));
    return required;
}

// Takes the references.
static json_t *schema_with(json_t *schema, json_t *required, json_t *properties)
{
    // Draft 4 validators refuse an empty list.
    if (json_array_size(required) > 0)
        json_set_take(schema, "required", required);
    else
        json_decref(required);
    json_set_take(schema, "properties", properties);
    return schema;
}

json_t *field_schema(const FieldDef *fields)
{
    json_t *properties = json_object();
    for (const FieldDef *field = fields; field->name; field++) {
        if (field->is_hidden)
            continue;
        json_t *property = schema_of_field(field, field_schema);
        json_set_text(property, "description", field->help);
        json_t *value = NULL;
        if (field->default_text && json_parse_text(field->default_text, &value, NULL))
            json_set_take(property, "default", value);
        json_set_take(properties, field->name, property);
    }
    json_t *schema = schema_of_type("object");
    json_set_bool(schema, "additionalProperties", false);
    return schema_with(schema, required_names(fields), properties);
}

// {"type": "string"} → {"type": ["string", "null"]}; what has no type allows null already.
static void allow_null(json_t *schema)
{
    json_t *type = json_object_get(schema, "type");
    if (!json_is_string(type))
        return;
    json_t *types = json_array();
    json_array_append(types, type);
    json_append_take(types, json_text("null"));
    json_set_take(schema, "type", types);
    json_t *values = json_get_array(schema, "enum");
    if (values)
        json_append_take(values, json_null());
}

json_t *field_output_schema(const FieldDef *fields)
{
    json_t *properties = json_object();
    for (const FieldDef *field = fields; field->name; field++) {
        json_t *property = schema_of_field(field, field_output_schema);
        if (!field->is_required)
            allow_null(property);
        json_set_text(property, "description", field->help);
        json_set_take(properties, field->name, property);
    }
    return schema_with(schema_of_type("object"), required_names(fields), properties);
}
