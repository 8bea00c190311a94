/*
 * Field tables, the one checker behind field_decode() and field_check(): walks a table over JSON,
 * coerces what a model tends to get wrong where the caller allows it, and reports each fault with
 * its field, path and value. How a fault is worded is the caller's (FieldWording).
 *
 * Checking builds a new object from what was accepted (values are shared, not copied), so the
 * caller's JSON is never changed.
 */
#include "base/field_private.h"
#include "base/utf8.h"

#define MAX_UNWRAPS 5 // JSON in a string in JSON … (agent-core §3.3)

json_t *field_default(const FieldDef *field)
{
    json_t *value = NULL;
    if (field->default_text && !json_parse_text(field->default_text, &value, NULL))
        g_error("field %s: the default is not JSON: %s", field->name, field->default_text);
    return value;
}

static void field_checker_report(const FieldChecker *self, FieldFault fault, const FieldDef *field,
                                 const char *path, const json_t *value)
{
    self->wording->report(self->report, fault, field, path, value);
}

// The value of type `type` that the string `value` spells as JSON, or NULL.
static json_t *field_check_unwrap(FieldType type, const json_t *value)
{
    g_autoptr(json_t) current = json_incref((json_t *)value);
    for (int i = 0; i < MAX_UNWRAPS && json_is_string(current); i++) {
        json_t *inner = NULL;
        if (!json_parse(json_string_value(current), json_string_length(current), &inner, NULL))
            return NULL;
        json_decref(current);
        current = inner;
        if (field_is_of_type(type, current))
            return g_steal_pointer(&current);
    }
    return NULL;
}

static json_t *wrap_in_list(const json_t *item)
{
    json_t *list = json_array();
    json_array_append(list, (json_t *)item);
    return list;
}

json_t *field_coerce(FieldType type, const json_t *value)
{
    bool is_scalar = json_is_number(value) || json_is_boolean(value);
    switch (type) {
    case FIELD_STRING:
    case FIELD_ENUM: {
        g_autofree char *text = is_scalar ? json_to_text(value) : NULL;
        return text != NULL ? json_text(text) : NULL;
    }
    case FIELD_STRING_LIST:
    case FIELD_OBJECT_LIST: {
        json_t *list = field_check_unwrap(type, value);
        bool is_item = type == FIELD_OBJECT_LIST ? json_is_object(value) || json_is_string(value)
                                                 : is_scalar || json_is_string(value);
        return list == NULL && is_item ? wrap_in_list(value) : list;
    }
    case FIELD_STRING_OR_LIST:
        return is_scalar ? wrap_in_list(value) : NULL;
    default:
        return field_check_unwrap(type, value);
    }
}

// The value itself or, where that is allowed and helps, what was made of it. New reference.
static json_t *as_type(const FieldChecker *self, FieldType type, const json_t *value)
{
    json_t *made =
        self->coerces && !field_is_of_type(type, value) ? field_coerce(type, value) : NULL;
    return made != NULL ? made : json_incref((json_t *)value);
}

static json_t *check_object(const FieldChecker *self, const FieldDef *fields, const json_t *object,
                            const char *prefix);

static bool is_too_long(const FieldDef *field, const json_t *value)
{
    return json_is_string(value) && field->max_chars > 0 &&
           utf8_length(json_string_value(value)) > field->max_chars;
}

// An object of a list, or the one of a FIELD_OBJECT. New reference; NULL after a fault.
static json_t *check_object_value(const FieldChecker *self, const FieldDef *field,
                                  const json_t *value, const char *path)
{
    g_autoptr(json_t) object = as_type(self, FIELD_OBJECT, value);
    if (!json_is_object(object)) {
        field_checker_report(self, FIELD_WRONG_ITEM, field, path, value);
        return NULL;
    }
    if (!field->item_fields)
        return g_steal_pointer(&object);
    g_autofree char *prefix = g_strconcat(path, ".", NULL);
    return check_object(self, field->item_fields, object, prefix);
}

static json_t *check_item(const FieldChecker *self, const FieldDef *field, const json_t *given,
                          const char *path)
{
    if (field->type == FIELD_OBJECT_LIST)
        return check_object_value(self, field, given, path);
    FieldType type = field->type == FIELD_INTEGER_LIST ? FIELD_INTEGER : FIELD_STRING;
    g_autoptr(json_t) item = as_type(self, type, given);
    if (field_fits_item(field, item))
        return g_steal_pointer(&item);
    field_checker_report(self, is_too_long(field, item) ? FIELD_TOO_LONG : FIELD_WRONG_ITEM, field,
                         path, given);
    return NULL;
}

static json_t *check_list(const FieldChecker *self, const FieldDef *field, const json_t *list,
                          const char *path)
{
    if (json_array_size(list) < field->min_items)
        field_checker_report(self, FIELD_TOO_FEW, field, path, list);
    if (field->max_items > 0 && json_array_size(list) > field->max_items) {
        field_checker_report(self, FIELD_TOO_MANY, field, path, list);
        return NULL;
    }
    json_t *checked = json_array();
    json_each (list, index, item) {
        g_autofree char *item_path = self->wording->has_brackets
                                         ? g_strdup_printf("%s[%zu]", path, index)
                                         : g_strdup_printf("%s.%zu", path, index);
        json_append_take(checked, check_item(self, field, item, item_path));
    }
    return checked;
}

static json_t *check_map(const FieldChecker *self, const FieldDef *field, const json_t *map,
                         const char *path)
{
    json_t *checked = json_object();
    json_each_member (map, key, given) {
        g_autofree char *name = utf8_ellipsize(key, FIELD_MAX_NAME_CHARS);
        g_autofree char *item_path = g_strconcat(path, ".", name, NULL);
        g_autoptr(json_t) item = as_type(self, FIELD_STRING, given);
        if (json_is_string(item))
            json_set_take(checked, key, g_steal_pointer(&item));
        else
            field_checker_report(self, FIELD_WRONG_ITEM, field, item_path, given);
    }
    return checked;
}

// The accepted value (new reference), or NULL after a fault.
static json_t *check_value(const FieldChecker *self, const FieldDef *field, const json_t *given,
                           const char *path)
{
    g_autoptr(json_t) value = as_type(self, field->type, given);
    if (field->type != FIELD_ENUM && !field_is_of_type(field->type, value)) {
        field_checker_report(self, FIELD_WRONG_TYPE, field, path, given);
        return NULL;
    }
    switch (field->type) {
    case FIELD_STRING_OR_LIST: {
        g_autoptr(json_t) list = json_is_array(value) ? json_incref(value) : wrap_in_list(value);
        return check_list(self, field, list, path);
    }
    case FIELD_STRING_LIST:
    case FIELD_OBJECT_LIST:
    case FIELD_INTEGER_LIST:
        return check_list(self, field, value, path);
    case FIELD_OBJECT:
        return check_object_value(self, field, value, path);
    case FIELD_STRING_MAP:
        return check_map(self, field, value, path);
    default:
        break;
    }
    if (field_fits(field, value))
        return g_steal_pointer(&value);
    bool is_long = field->type == FIELD_STRING && is_too_long(field, value);
    field_checker_report(self, is_long ? FIELD_TOO_LONG : FIELD_WRONG_VALUE, field, path, given);
    return NULL;
}

static void check_unknown(const FieldChecker *self, const FieldDef *fields, const json_t *object,
                          const char *prefix)
{
    json_each_member (object, key, value) {
        if (json_is_null(value) || field_find(fields, key))
            continue;
        g_autofree char *name = utf8_ellipsize(key, FIELD_MAX_NAME_CHARS);
        g_autofree char *path = g_strconcat(prefix, name, NULL);
        const char *nearest = field_nearest(fields, key);
        self->wording->report_unknown(self->report, path, name, nearest);
    }
}

static bool is_missing(const FieldChecker *self, const FieldDef *field, const json_t *value)
{
    return field->is_required &&
           (value == NULL || (json_is_null(value) && !self->wording->is_like_schema));
}

// Null, and for a model the word "null", leaves an optional field out.
static bool is_absent(const FieldChecker *self, const FieldDef *field, const json_t *value)
{
    if (!value || field->is_required)
        return value == NULL || is_missing(self, field, value);
    return json_is_null(value) || (self->coerces && json_is_string(value) &&
                                   strcmp(json_string_value(value), "null") == 0);
}

static json_t *check_given(const FieldChecker *self, const FieldDef *fields, const json_t *object,
                           const char *prefix)
{
    json_t *checked = json_object();
    for (int round = self->wording->is_like_schema ? 0 : 1; round < 2; round++) {
        for (const FieldDef *field = fields; field->name; field++) {
            const json_t *value = json_object_get(object, field->name);
            g_autofree char *path = g_strconcat(prefix, field->name, NULL);
            bool tells_missing = round == 0 || !self->wording->is_like_schema;
            if (tells_missing && is_missing(self, field, value))
                field_checker_report(self, FIELD_MISSING, field, path, value);
            if (round == 1 && !is_absent(self, field, value))
                json_set_take(checked, field->name, check_value(self, field, value, path));
        }
    }
    check_unknown(self, fields, object, prefix);
    return checked;
}

// As check_given(), with defaults: one item of an object list.
static json_t *check_object(const FieldChecker *self, const FieldDef *fields, const json_t *object,
                            const char *prefix)
{
    json_t *checked = check_given(self, fields, object, prefix);
    for (const FieldDef *field = fields; field->name; field++) {
        if (!json_object_get(checked, field->name))
            json_set_take(checked, field->name, field_default(field));
    }
    return checked;
}

json_t *field_check_input(const FieldChecker *self, const FieldDef *fields, const json_t *arguments)
{
    bool is_empty = arguments == NULL || json_is_null(arguments);
    g_autoptr(json_t) given = is_empty ? json_object() : as_type(self, FIELD_OBJECT, arguments);
    if (!json_is_object(given)) {
        field_checker_report(self, FIELD_NO_OBJECT, NULL, "", arguments);
        if (self->wording->is_like_schema)
            return NULL;
        json_decref(given);
        given = json_object(); // what is missing is told as well
    }
    return check_given(self, fields, given, "");
}
