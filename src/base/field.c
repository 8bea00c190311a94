/*
 * Field tables, decoding: checks JSON arguments against a table, coerces what a model tends to get
 * wrong where the caller allows it, and fills the arguments struct.
 *
 * Checking builds a new object from what was accepted (values are shared, not copied), so the
 * caller's JSON is never changed; the struct then borrows from the new object.
 */
#include "base/field_private.h"

#include "base/str.h"
#include "base/utf8.h"

#define MAX_PROBLEMS 50 // shown; the rest is counted
#define MAX_UNWRAPS  5  // JSON in a string in JSON … (agent-core §3.3)

typedef struct Check {
    FieldMode mode;
    GString *problems;
    size_t problem_count;
} Check;

G_GNUC_PRINTF(3, 4)
static void add_problem(Check *self, const char *path, const char *format, ...)
{
    if (self->problem_count++ >= MAX_PROBLEMS)
        return;
    va_list ap;
    va_start(ap, format);
    g_string_append_printf(self->problems, "  - %s: ", path);
    g_string_append_vprintf(self->problems, format, ap);
    g_string_append_c(self->problems, '\n');
    va_end(ap);
}

static bool is_null_text(const json_t *value)
{
    return json_is_string(value) && strcmp(json_string_value(value), "null") == 0;
}

static const char *type_name(FieldType type)
{
    switch (type) {
    case FIELD_STRING:
    case FIELD_ENUM:
        return "string";
    case FIELD_INTEGER:
        return "integer";
    case FIELD_NUMBER:
        return "number";
    case FIELD_BOOLEAN:
        return "boolean";
    case FIELD_STRING_LIST:
    case FIELD_OBJECT_LIST:
    case FIELD_INTEGER_LIST:
        return "array";
    case FIELD_STRING_OR_LIST:
        return "string or array";
    case FIELD_OBJECT:
    case FIELD_STRING_MAP:
        return "object";
    case FIELD_JSON:
        break;
    }
    g_assert_not_reached();
}

// The value of type `type` that the string `value` spells as JSON, or NULL.
static json_t *unwrap(FieldType type, const json_t *value)
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

// A value of type `type` made from one that is not, or NULL when nothing sensible can be made.
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
        json_t *list = unwrap(type, value);
        bool is_item = type == FIELD_OBJECT_LIST ? json_is_object(value) || json_is_string(value)
                                                 : is_scalar || json_is_string(value);
        return list == NULL && is_item ? wrap_in_list(value) : list;
    }
    case FIELD_STRING_OR_LIST:
        return is_scalar ? wrap_in_list(value) : NULL;
    default:
        return unwrap(type, value);
    }
}

static json_t *check_object(Check *self, const FieldDef *fields, const json_t *object,
                            const char *prefix);

static json_t *check_string_item(Check *self, const json_t *item, const char *path)
{
    json_t *text = NULL;
    if (json_is_string(item))
        text = json_incref((json_t *)item);
    else if (self->mode == FIELD_LENIENT)
        text = field_coerce(FIELD_STRING, item);
    if (text == NULL)
        add_problem(self, path, "must be string");
    return text;
}

static json_t *check_object_item(Check *self, const FieldDef *field, const json_t *item,
                                 const char *path)
{
    g_autoptr(json_t) object = json_incref((json_t *)item);
    if (!json_is_object(object) && self->mode == FIELD_LENIENT) {
        json_decref(object);
        object = unwrap(FIELD_STRING_MAP, item);
    }
    if (!json_is_object(object)) {
        add_problem(self, path, "must be object");
        return NULL;
    }
    if (field->item_fields == NULL)
        return g_steal_pointer(&object);
    g_autofree char *prefix = g_strconcat(path, ".", NULL);
    return check_object(self, field->item_fields, object, prefix);
}

static json_t *check_item(Check *self, const FieldDef *field, const json_t *item, const char *path)
{
    if (field->type == FIELD_OBJECT_LIST)
        return check_object_item(self, field, item, path);
    if (field->type != FIELD_INTEGER_LIST)
        return check_string_item(self, item, path);
    json_t *number = self->mode == FIELD_LENIENT && !field_fits_item(field, item)
                         ? unwrap(FIELD_INTEGER, item)
                         : json_incref((json_t *)item);
    if (number != NULL && field_fits_item(field, number))
        return number;
    json_decref(number);
    g_autofree char *what = field_describe_item(field);
    add_problem(self, path, "must be %s", what);
    return NULL;
}

static json_t *check_list(Check *self, const FieldDef *field, const json_t *list, const char *path)
{
    if (json_array_size(list) < field->min_items)
        add_problem(self, path, "must NOT have fewer than %zu items", field->min_items);

    json_t *checked = json_array();
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item) {
        g_autofree char *item_path = g_strdup_printf("%s.%zu", path, index);
        json_append_take(checked, check_item(self, field, item, item_path));
    }
    return checked;
}

static json_t *check_map(Check *self, const json_t *map, const char *path)
{
    json_t *checked = json_object();
    const char *key;
    json_t *item;
    json_object_foreach ((json_t *)map, key, item) {
        g_autofree char *name = utf8_ellipsize(key, FIELD_MAX_NAME_CHARS);
        g_autofree char *item_path = g_strconcat(path, ".", name, NULL);
        json_set_take(checked, key, check_string_item(self, item, item_path));
    }
    return checked;
}

static json_t *check_enum(Check *self, const FieldDef *field, const json_t *value, const char *path)
{
    if (json_is_string(value) && g_strv_contains(field->values, json_string_value(value)))
        return json_incref((json_t *)value);
    g_autofree char *values = g_strjoinv(", ", (char **)field->values);
    add_problem(self, path, "must be one of: %s", values);
    return NULL;
}

static json_t *check_fits(Check *self, const FieldDef *field, const json_t *value, const char *path)
{
    if (field_fits(field, value))
        return json_incref((json_t *)value);
    g_autofree char *what = field_describe(field);
    add_problem(self, path, "must be %s", what);
    return NULL;
}

// The accepted value (new reference), or NULL with a problem added.
static json_t *check_value(Check *self, const FieldDef *field, const json_t *value_,
                           const char *path)
{
    g_autoptr(json_t) value = json_incref((json_t *)value_);
    if (!field_is_of_type(field->type, value) && self->mode == FIELD_LENIENT) {
        json_t *coerced = field_coerce(field->type, value);
        if (coerced != NULL) {
            json_decref(value);
            value = coerced;
        }
    }
    if (field->type == FIELD_ENUM)
        return check_enum(self, field, value, path);
    if (!field_is_of_type(field->type, value)) {
        add_problem(self, path, "must be %s", type_name(field->type));
        return NULL;
    }

    switch (field->type) {
    case FIELD_STRING_OR_LIST:
        if (json_is_string(value)) {
            json_t *list = wrap_in_list(value);
            json_decref(value);
            value = list;
        }
        return check_list(self, field, value, path);
    case FIELD_STRING_LIST:
    case FIELD_OBJECT_LIST:
    case FIELD_INTEGER_LIST:
        return check_list(self, field, value, path);
    case FIELD_OBJECT:
        return check_object_item(self, field, value, path);
    case FIELD_STRING_MAP:
        return check_map(self, value, path);
    default:
        return check_fits(self, field, value, path);
    }
}

static void check_unknown(Check *self, const FieldDef *fields, const json_t *object,
                          const char *prefix)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        if (json_is_null(value) || field_find(fields, key) != NULL)
            continue;
        if (self->problem_count >= MAX_PROBLEMS) {
            self->problem_count++;
            continue;
        }
        g_autofree char *name = utf8_ellipsize(key, FIELD_MAX_NAME_CHARS);
        g_autofree char *path = g_strconcat(prefix, name, NULL);
        const char *nearest = field_nearest(fields, key);
        if (nearest != NULL)
            add_problem(self, path, "unknown field; did you mean \"%s\"?", nearest);
        else
            add_problem(self, path, "unknown field");
    }
}

// Null, and for a model the word "null", leaves an optional field out.
static bool is_absent(const Check *self, const FieldDef *field, const json_t *value)
{
    if (value == NULL)
        return true;
    if (field->is_required)
        return false;
    return json_is_null(value) || (self->mode == FIELD_LENIENT && is_null_text(value));
}

json_t *field_default(const FieldDef *field)
{
    json_t *value = NULL;
    if (field->default_text != NULL && !json_parse_text(field->default_text, &value, NULL))
        g_error("field %s: the default is not JSON: %s", field->name, field->default_text);
    return value;
}

// A new object of the accepted values, without defaults. Problems: required first, in table order.
static json_t *check_given(Check *self, const FieldDef *fields, const json_t *object,
                           const char *prefix)
{
    for (const FieldDef *field = fields; field->name != NULL; field++) {
        if (!field->is_required || json_object_get(object, field->name) != NULL)
            continue;
        g_autofree char *path = g_strconcat(prefix, field->name, NULL);
        add_problem(self, path, "must have required property '%s'", field->name);
    }

    json_t *checked = json_object();
    for (const FieldDef *field = fields; field->name != NULL; field++) {
        const json_t *value = json_object_get(object, field->name);
        if (is_absent(self, field, value))
            continue;
        g_autofree char *path = g_strconcat(prefix, field->name, NULL);
        json_set_take(checked, field->name, check_value(self, field, value, path));
    }
    check_unknown(self, fields, object, prefix);
    return checked;
}

// As check_given(), with defaults: one item of an object list.
static json_t *check_object(Check *self, const FieldDef *fields, const json_t *object,
                            const char *prefix)
{
    json_t *checked = check_given(self, fields, object, prefix);
    for (const FieldDef *field = fields; field->name != NULL; field++) {
        if (json_object_get(checked, field->name) == NULL)
            json_set_take(checked, field->name, field_default(field));
    }
    return checked;
}

static void store_value(const FieldDef *field, const json_t *value, char *slot)
{
    switch (field->type) {
    case FIELD_STRING:
    case FIELD_ENUM:
        *(const char **)(void *)slot = json_string_value(value);
        break;
    case FIELD_INTEGER:
        *(int64_t *)(void *)slot =
            json_is_integer(value) ? json_integer_value(value) : (int64_t)json_real_value(value);
        break;
    case FIELD_NUMBER:
        *(double *)(void *)slot = json_number_value(value);
        break;
    case FIELD_BOOLEAN:
        *(bool *)slot = json_is_true(value);
        break;
    case FIELD_STRING_LIST:
    case FIELD_STRING_OR_LIST:
    case FIELD_OBJECT_LIST:
    case FIELD_INTEGER_LIST:
    case FIELD_OBJECT:
    case FIELD_STRING_MAP:
    case FIELD_JSON:
        *(const json_t **)(void *)slot = value;
        break;
    }
}

void field_store_all(const FieldDef *fields, json_t *checked, char *args)
{
    for (const FieldDef *field = fields; field->name != NULL; field++) {
        bool is_given = json_object_get(checked, field->name) != NULL;
        if (!is_given)
            json_set_take(checked, field->name, field_default(field));
        const json_t *value = json_object_get(checked, field->name);
        if (value != NULL)
            store_value(field, value, args + field->offset);
        if (is_given && field->has_offset != 0)
            *(bool *)(args + field->has_offset) = true;
    }
}

bool field_decode(const FieldDef *fields, const json_t *arguments, FieldMode mode, void *args,
                  json_t **ret_arguments, char **ret_problems)
{
    Check check = { .mode = mode, .problems = g_string_new(NULL) };
    bool is_empty = arguments == NULL || json_is_null(arguments);
    g_autoptr(json_t) given = is_empty ? json_object() : json_incref((json_t *)arguments);
    if (!json_is_object(given) && mode == FIELD_LENIENT) {
        json_t *object = unwrap(FIELD_STRING_MAP, given);
        if (object != NULL) {
            json_decref(given);
            given = object;
        }
    }

    g_autoptr(json_t) checked = NULL;
    if (json_is_object(given))
        checked = check_given(&check, fields, given, "");
    else
        add_problem(&check, "(arguments)", "must be object");

    if (check.problem_count > 0) {
        if (check.problem_count > MAX_PROBLEMS)
            g_string_append_printf(check.problems, "  - …: %zu more problems\n",
                                   check.problem_count - MAX_PROBLEMS);
        *ret_problems = g_string_free(check.problems, FALSE);
        return false;
    }
    g_string_free(check.problems, TRUE);
    field_store_all(fields, checked, args);
    *ret_arguments = g_steal_pointer(&checked);
    return true;
}
