/*
 * Field tables: the wording for models (field_decode()), one line a problem in the words of JSON
 * Schema checkers, and filling the arguments struct from what was accepted.
 *
 * The struct borrows from the object that the checker has built (field_check.c).
 */
#include "base/field_private.h"

#define MAX_PROBLEMS 50 // shown; the rest is counted

typedef struct Lines {
    GString *text;
    size_t count;
} Lines;

G_GNUC_PRINTF(3, 4)
static void add_line(Lines *self, const char *path, const char *format, ...)
{
    if (self->count++ >= MAX_PROBLEMS)
        return;
    va_list ap;
    va_start(ap, format);
    g_string_append_printf(self->text, "  - %s: ", path);
    g_string_append_vprintf(self->text, format, ap);
    g_string_append_c(self->text, '\n');
    va_end(ap);
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

static void report_line(void *self_, FieldFault fault, const FieldDef *field, const char *path,
                        const json_t *value G_GNUC_UNUSED)
{
    Lines *self = self_;
    g_autofree char *what = NULL;
    switch (fault) {
    case FIELD_NO_OBJECT:
        add_line(self, "(arguments)", "must be object");
        return;
    case FIELD_MISSING:
        add_line(self, path, "must have required property '%s'", field->name);
        return;
    case FIELD_WRONG_TYPE:
        add_line(self, path, "must be %s", type_name(field->type));
        return;
    case FIELD_WRONG_VALUE:
        what = field_describe(field);
        add_line(self, path, "must be %s", what);
        return;
    case FIELD_WRONG_ITEM:
        what = field->type == FIELD_INTEGER_LIST ? field_describe_item(field) : NULL;
        add_line(self, path, "must be %s",
                 what != NULL
                     ? what
                     : type_name(field->type == FIELD_OBJECT_LIST ? FIELD_OBJECT : FIELD_STRING));
        return;
    case FIELD_TOO_LONG:
        add_line(self, path, "must NOT have more than %zu characters", field->max_chars);
        return;
    case FIELD_TOO_FEW:
        add_line(self, path, "must NOT have fewer than %zu items", field->min_items);
        return;
    case FIELD_TOO_MANY:
        add_line(self, path, "must NOT have more than %zu items", field->max_items);
        return;
    }
}

static void report_unknown_line(void *self, const char *path, const char *name G_GNUC_UNUSED,
                                const char *nearest)
{
    if (nearest)
        add_line(self, path, "unknown field; did you mean \"%s\"?", nearest);
    else
        add_line(self, path, "unknown field");
}

static const FieldWording lines = {
    .is_like_schema = true,
    .report = report_line,
    .report_unknown = report_unknown_line,
};

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
    for (const FieldDef *field = fields; field->name; field++) {
        bool is_given = json_object_get(checked, field->name) != NULL;
        if (!is_given)
            json_set_take(checked, field->name, field_default(field));
        const json_t *value = json_object_get(checked, field->name);
        if (value)
            store_value(field, value, args + field->offset);
        if (is_given && field->has_offset != 0)
            *(bool *)(args + field->has_offset) = true;
    }
}

bool field_decode(const FieldDef *fields, const json_t *arguments, FieldMode mode, void *args,
                  json_t **ret_arguments, char **ret_problems)
{
    Lines into = { .text = g_string_new(NULL) };
    const FieldChecker checker = {
        .wording = &lines,
        .report = &into,
        .coerces = mode == FIELD_LENIENT,
    };
    g_autoptr(json_t) checked = field_check_input(&checker, fields, arguments);
    if (into.count > 0) {
        if (into.count > MAX_PROBLEMS)
            g_string_append_printf(into.text, "  - …: %zu more problems\n",
                                   into.count - MAX_PROBLEMS);
        *ret_problems = g_string_free(into.text, FALSE);
        return false;
    }
    g_string_free(into.text, TRUE);
    field_store_all(fields, checked, args);
    *ret_arguments = g_steal_pointer(&checked);
    return true;
}
