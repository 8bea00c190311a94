/*
 * JSON Type Definition to JSON Schema (jtd.h).
 */
#include "tools/control/jtd.h"

#include <string.h>

#define MAX_DEPTH 32
#define MAX_FORMS 10000 // that are made: references can double what they name at every level

typedef struct Conversion {
    const json_t *definitions; // NULL: none
    unsigned depth, forms;
} Conversion;

static json_t *conversion_convert(Conversion *self, const json_t *form);

static const struct {
    const char *name, *type;
} types[] = {
    { "boolean", "boolean" }, { "float32", "number" },   { "float64", "number" },
    { "int8", "integer" },    { "uint8", "integer" },    { "int16", "integer" },
    { "uint16", "integer" },  { "int32", "integer" },    { "uint32", "integer" },
    { "string", "string" },   { "timestamp", "string" },
};

static const char *type_of(const char *name)
{
    for (size_t i = 0; name && i < G_N_ELEMENTS(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    return NULL;
}

bool jtd_is(const json_t *schema)
{
    static const char *const words[] = { "elements",      "properties", "optionalProperties",
                                         "values",        "enum",       "ref",
                                         "discriminator", "mapping",    "definitions" };
    const json_t *type = json_object_get(schema, "type");
    if (type)
        return type_of(json_string_value(type)) != NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (json_object_get(schema, words[i]))
            return true;
    return json_object_size(schema) == 0 && json_is_object(schema);
}

/* Adds the members of `forms` to `properties`, and to `required` when that is given. */
static bool add_properties(Conversion *self, const json_t *forms, json_t *properties,
                           json_t *required)
{
    if (forms && !json_is_object(forms))
        return false;
    json_each_member (forms, name, form) {
        json_t *made = conversion_convert(self, form);
        if (!made)
            return false;
        json_set_take(properties, name, made);
        if (required)
            json_append_take(required, json_text(name));
    }
    return true;
}

/* `tag` (may be NULL) is a member that is always `value`. */
static json_t *object_schema(Conversion *self, const json_t *form, const char *tag,
                             const char *value)
{
    g_autoptr(json_t) properties = json_object();
    g_autoptr(json_t) required = json_array();
    if (tag) {
        json_set_take(properties, tag, json_pack("{s:s}", "const", value));
        json_append_take(required, json_text(tag));
    }
    if (!add_properties(self, json_object_get(form, "properties"), properties, required) ||
        !add_properties(self, json_object_get(form, "optionalProperties"), properties, NULL))
        return NULL;
    return json_pack("{s:s, s:O, s:O, s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties",
                     json_get_bool(form, "additionalProperties", false));
}

static json_t *union_schema(Conversion *self, const char *tag, const json_t *mapping)
{
    if (json_object_size(mapping) == 0)
        return NULL;
    g_autoptr(json_t) forms = json_array();
    json_each_member (mapping, value, form) {
        json_t *made = object_schema(self, form, tag, value);
        if (!made)
            return NULL;
        json_append_take(forms, made);
    }
    return json_pack("{s:O}", "anyOf", forms);
}

/* {outer: the schema of a form} in an object of this type. */
static json_t *nested_schema(Conversion *self, const char *type, const char *outer,
                             const json_t *form)
{
    json_t *inner = conversion_convert(self, form);
    return inner ? json_pack("{s:s, s:o}", "type", type, outer, inner) : NULL;
}

static json_t *bare_schema(Conversion *self, const json_t *form)
{
    const char *ref = json_get_text(form, "ref");
    if (ref)
        return conversion_convert(self, json_object_get(self->definitions, ref));
    const char *name = json_get_text(form, "type");
    if (name && !type_of(name))
        return NULL;
    if (name && strcmp(name, "timestamp") == 0)
        return json_pack("{s:s, s:s}", "type", "string", "format", "date-time");
    if (name)
        return json_pack("{s:s}", "type", type_of(name));
    json_t *values = json_object_get(form, "enum");
    if (values)
        return json_is_array(values) ? json_pack("{s:O}", "enum", values) : NULL;
    if (json_object_get(form, "elements"))
        return nested_schema(self, "array", "items", json_object_get(form, "elements"));
    if (json_object_get(form, "values"))
        return nested_schema(self, "object", "additionalProperties",
                             json_object_get(form, "values"));
    const char *tag = json_get_text(form, "discriminator");
    if (tag)
        return union_schema(self, tag, json_object_get(form, "mapping"));
    if (json_object_get(form, "properties") || json_object_get(form, "optionalProperties"))
        return object_schema(self, form, NULL, NULL);
    return json_object(); // the empty form: anything
}

static void allow_null(json_t *schema)
{
    json_t *type = json_object_get(schema, "type");
    json_t *values = json_object_get(schema, "enum");
    json_t *forms = json_object_get(schema, "anyOf");
    if (json_is_string(type))
        json_set_take(schema, "type", json_pack("[O, s]", type, "null"));
    if (values) {
        json_t *more = json_copy(values);
        json_append_take(more, json_null());
        json_set_take(schema, "enum", more);
    }
    if (forms)
        json_append_take(forms, json_pack("{s:s}", "type", "null"));
}

static json_t *conversion_convert(Conversion *self, const json_t *form)
{
    if (!json_is_object(form) || self->depth >= MAX_DEPTH || self->forms >= MAX_FORMS)
        return NULL;
    self->forms++;
    self->depth++;
    json_t *schema = bare_schema(self, form);
    self->depth--;
    if (schema && json_get_bool(form, "nullable", false))
        allow_null(schema);
    const json_t *description = json_get_path(form, "metadata.description");
    if (schema && json_is_string(description))
        json_set_text(schema, "description", json_string_value(description));
    return schema;
}

json_t *jtd_to_schema(const json_t *definition)
{
    Conversion self = { .definitions = json_object_get(definition, "definitions") };
    return jtd_is(definition) ? conversion_convert(&self, definition) : NULL;
}
