/*
 * Field tables: the wording for models (field_decode()), one line a problem in the words of JSON
 * Schema checkers, and filling the arguments struct from what was accepted.
 *
 * The struct borrows from the object that the checker has built (field_check.c).
 */
#include "base/field_private.h"

typedef struct Lines {
    GPtrArray *problems;
    size_t count; // with those that are not named
} Lines;

void field_problem_free(FieldProblem *self)
{
    g_free(self->path);
    g_free(self->text);
    g_free(self->claim);
    g_free(self);
}

GPtrArray *field_problems_new(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)field_problem_free);
}

void field_problem_add(GPtrArray *problems, FieldFault fault, const char *path, char *text,
                       char *claim)
{
    FieldProblem *problem = g_new0(FieldProblem, 1);
    *problem = (FieldProblem) { fault, g_strdup(path), text, claim, true };
    if (problems->len < FIELD_MAX_PROBLEMS || fault == FIELD_MORE)
        g_ptr_array_add(problems, problem);
    else
        field_problem_free(problem);
}

static char *problems_join(const GPtrArray *problems, const char *before, const char *between,
                           const char *after)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < problems->len; i++)
        g_string_append_printf(text, "%s%s%s%s", i > 0 ? between : "", before,
                               ((FieldProblem *)problems->pdata[i])->text, after);
    return g_string_free(text, FALSE);
}

char *field_problems_text(const GPtrArray *problems)
{
    return problems_join(problems, "  - ", "", "\n");
}

char *field_problems_joined(const GPtrArray *problems)
{
    return problems_join(problems, "", "; ", "");
}

void field_problem_add_line(GPtrArray *problems, FieldFault fault, const char *path, char *claim)
{
    field_problem_add(problems, fault, path, g_strdup_printf("%s: %s", path, claim), claim);
}

void field_problems_end(GPtrArray *problems, size_t count)
{
    if (count > problems->len)
        field_problem_add_line(problems, FIELD_MORE, "…",
                               g_strdup_printf("%zu more problems", count - problems->len));
}

G_GNUC_PRINTF(4, 5)
static void add_line(Lines *self, FieldFault fault, const char *path, const char *format, ...)
{
    if (self->count++ >= FIELD_MAX_PROBLEMS)
        return;
    va_list ap;
    va_start(ap, format);
    field_problem_add_line(self->problems, fault, path, g_strdup_vprintf(format, ap));
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
        add_line(self, fault, "(arguments)", "must be object");
        return;
    case FIELD_MISSING:
        add_line(self, fault, path, "must have required property '%s'", field->name);
        return;
    case FIELD_WRONG_TYPE:
        add_line(self, fault, path, "must be %s", type_name(field->type));
        return;
    case FIELD_WRONG_VALUE:
        what = field_describe(field);
        add_line(self, fault, path, "must be %s", what);
        return;
    case FIELD_WRONG_ITEM:
        what = field->type == FIELD_INTEGER_LIST ? field_describe_item(field) : NULL;
        add_line(self, fault, path, "must be %s",
                 what != NULL
                     ? what
                     : type_name(field->type == FIELD_OBJECT_LIST ? FIELD_OBJECT : FIELD_STRING));
        return;
    case FIELD_TOO_LONG:
        add_line(self, fault, path, "must NOT have more than %zu characters", field->max_chars);
        return;
    case FIELD_TOO_FEW:
        add_line(self, fault, path, "must NOT have fewer than %zu items", field->min_items);
        return;
    case FIELD_TOO_MANY:
        add_line(self, fault, path, "must NOT have more than %zu items", field->max_items);
        return;
    case FIELD_UNKNOWN:
    case FIELD_MORE:
        g_assert_not_reached(); // these are reported in other ways
    }
}

static void report_unknown_line(void *self, const char *path, const char *name G_GNUC_UNUSED,
                                const char *nearest)
{
    if (nearest)
        add_line(self, FIELD_UNKNOWN, path, "unknown field; did you mean \"%s\"?", nearest);
    else
        add_line(self, FIELD_UNKNOWN, path, "unknown field");
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
                  json_t **ret_arguments, GPtrArray *problems)
{
    Lines into = { .problems = problems };
    const FieldChecker checker = {
        .wording = &lines,
        .report = &into,
        .coerces = mode == FIELD_LENIENT,
    };
    g_autoptr(json_t) checked = field_check_input(&checker, fields, arguments);
    field_problems_end(problems, into.count);
    if (into.count > 0)
        return false;
    field_store_all(fields, checked, args);
    *ret_arguments = g_steal_pointer(&checked);
    return true;
}
