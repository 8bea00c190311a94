/*
 * Checking JSON against a schema from outside (json_schema.h).
 *
 * The schema is a stranger's: a part of the wrong shape says nothing, and is no reason to crash.
 */
#include "base/json_schema.h"

#include "base/field_private.h"
#include "base/utf8.h"

typedef struct Check {
    FieldMode mode;
    GPtrArray *problems;
    size_t problem_count; // with those that are not named
} Check;

G_GNUC_PRINTF(3, 4)
static void add_problem(Check *self, const char *path, const char *format, ...)
{
    if (self->problem_count++ >= FIELD_MAX_PROBLEMS)
        return;
    va_list ap;
    va_start(ap, format);
    field_problem_add_line(self->problems, FIELD_WRONG_VALUE, path, g_strdup_vprintf(format, ap));
    va_end(ap);
}

static const struct {
    const char *name;
    FieldType type;
} types[] = {
    { "string", FIELD_STRING },   { "integer", FIELD_INTEGER },   { "number", FIELD_NUMBER },
    { "boolean", FIELD_BOOLEAN }, { "array", FIELD_OBJECT_LIST }, { "object", FIELD_STRING_MAP },
};

static bool is_of_type(const char *name, const json_t *value)
{
    if (strcmp(name, "null") == 0)
        return json_is_null(value);
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return field_is_of_type(types[i].type, value);
    return true; // no type that we know
}

/* `wanted` is a schema's "type": a name, a list of names, or nothing. */
static bool fits_type(const json_t *wanted, const json_t *value)
{
    if (json_is_string(wanted))
        return is_of_type(json_string_value(wanted), value);
    json_each (wanted, i, name)
        if (!json_is_string(name) || is_of_type(json_string_value(name), value))
            return true;
    return json_array_size(wanted) == 0;
}

/* The first wanted type that the value can be made into. New reference, or NULL. */
static json_t *coerce_to(const json_t *wanted, const json_t *value)
{
    if (json_is_array(wanted)) {
        json_t *made = NULL;
        for (size_t i = 0; i < json_array_size(wanted) && !made; i++)
            made = coerce_to(json_array_get(wanted, i), value);
        return made;
    }
    json_t *made = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(types) && !made; i++)
        if (g_strcmp0(json_string_value(wanted), types[i].name) == 0)
            made = field_coerce(types[i].type, value);
    bool is_bare_item = !made && g_strcmp0(json_string_value(wanted), "array") == 0;
    return is_bare_item ? field_coerce(FIELD_STRING_LIST, value) : made;
}

static char *describe_type(const json_t *wanted)
{
    if (json_is_string(wanted))
        return g_strdup(json_string_value(wanted));
    GString *out = g_string_new(NULL);
    json_each (wanted, i, name)
        g_string_append_printf(out, "%s%s", i > 0 ? " or " : "", json_string_value(name));
    return g_string_free(out, FALSE);
}

static bool is_required(const json_t *schema, const char *name)
{
    json_each (json_get_array(schema, "required"), i, each)
        if (g_strcmp0(json_string_value(each), name) == 0)
            return true;
    return false;
}

bool json_schema_refuses(const json_t *schema, const char *name)
{
    return json_is_false(json_object_get(schema, "additionalProperties")) &&
           !json_object_get(json_get_object(schema, "properties"), name);
}

static json_t *check_value(Check *self, const json_t *schema, const json_t *value,
                           const char *path);

static bool is_left_out(const Check *self, const json_t *schema, const json_t *property,
                        const char *name, const json_t *value)
{
    bool is_null_text = self->mode == FIELD_LENIENT &&
                        g_strcmp0(json_string_value(value), "null") == 0 &&
                        !fits_type(json_object_get(property, "type"), value);
    if (!json_is_null(value) && !is_null_text)
        return false;
    if (!property)
        return json_schema_refuses(schema, name);
    g_autoptr(json_t) null = json_null();
    return !is_required(schema, name) && !fits_type(json_object_get(property, "type"), null);
}

static json_t *check_object(Check *self, const json_t *schema, const json_t *object,
                            const char *prefix)
{
    json_each (json_get_array(schema, "required"), i, required) {
        const char *name = json_string_value(required);
        if (name && !json_object_get(object, name)) {
            g_autofree char *path = g_strconcat(prefix, name, NULL);
            add_problem(self, path, "must have required property '%s'", name);
        }
    }
    const json_t *properties = json_get_object(schema, "properties");
    json_t *checked = json_object();
    json_each_member (object, key, value) {
        const json_t *property = json_object_get(properties, key);
        if (is_left_out(self, schema, property, key, value))
            continue;
        g_autofree char *name = utf8_ellipsize(key, FIELD_MAX_NAME_CHARS);
        g_autofree char *path = g_strconcat(prefix, name, NULL);
        if (json_schema_refuses(schema, key))
            add_problem(self, path, "unknown field");
        else
            json_set_take(checked, key, check_value(self, property, value, path));
    }
    return checked;
}

static json_t *check_list(Check *self, const json_t *schema, const json_t *list, const char *path)
{
    json_t *checked = json_array();
    json_each (list, i, item) {
        g_autofree char *item_path = g_strdup_printf("%s.%zu", path, i);
        json_append_take(checked,
                         check_value(self, json_get_object(schema, "items"), item, item_path));
    }
    return checked;
}

static bool check_enum(Check *self, const json_t *schema, const json_t *value, const char *path)
{
    const json_t *allowed = json_get_array(schema, "enum");
    if (!allowed)
        return true;
    json_each (allowed, i, each)
        if (json_equal(each, value))
            return true;
    g_autofree char *text = json_to_text(allowed);
    g_autofree char *shown = utf8_ellipsize(text, 10 * FIELD_MAX_NAME_CHARS);
    add_problem(self, path, "must be one of: %s", shown);
    return false;
}

/* The accepted value (new reference), or NULL with a problem added. `schema` may be anything. */
static json_t *check_value(Check *self, const json_t *schema, const json_t *value_,
                           const char *path)
{
    g_autoptr(json_t) value = json_incref((json_t *)value_);
    const json_t *wanted = json_object_get(schema, "type");
    if (!fits_type(wanted, value) && self->mode == FIELD_LENIENT) {
        json_t *made = coerce_to(wanted, value);
        if (made) {
            json_decref(value);
            value = made;
        }
    }
    if (!fits_type(wanted, value)) {
        g_autofree char *what = describe_type(wanted);
        add_problem(self, path, "must be %s", what);
        return NULL;
    }
    if (!check_enum(self, schema, value, path))
        return NULL;
    if (json_is_object(value)) {
        g_autofree char *prefix = g_strconcat(path, ".", NULL);
        return check_object(self, schema, value, prefix);
    }
    return json_is_array(value) ? check_list(self, schema, value, path) : g_steal_pointer(&value);
}

bool json_schema_is_of_object(const json_t *schema, GError **error)
{
    if (!json_is_object(schema))
        return fail_with(error, KEDGE_ERROR_USAGE, "the schema of its arguments is no object");
    if (g_strcmp0(json_get_text(schema, "type"), "object") != 0)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "the schema of its arguments has not the type \"object\"");
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *required = json_object_get(schema, "required");
    if (properties && !json_is_object(properties))
        return fail_with(error, KEDGE_ERROR_USAGE, "\"properties\" of its schema is no object");
    if (required && !json_is_array(required))
        return fail_with(error, KEDGE_ERROR_USAGE, "\"required\" of its schema is no array");
    return true;
}

bool json_schema_check(const json_t *schema, const json_t *arguments, FieldMode mode,
                       json_t **ret_checked, GPtrArray *problems)
{
    Check check = { .mode = mode, .problems = problems };
    bool is_empty = !arguments || json_is_null(arguments);
    g_autoptr(json_t) given = is_empty ? json_object() : json_incref((json_t *)arguments);
    g_autoptr(json_t) checked = NULL;
    if (json_is_object(given))
        checked = check_object(&check, schema, given, "");
    else
        add_problem(&check, "(arguments)", "must be object");
    field_problems_end(problems, check.problem_count);
    if (check.problem_count > 0)
        return false;
    *ret_checked = g_steal_pointer(&checked);
    return true;
}
