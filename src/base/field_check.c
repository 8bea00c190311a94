/*
 * Field tables, checking by single problems (field_check()): nothing is coerced, every problem is a
 * sentence for a person with the path of its value, unknown fields are told apart.
 */
#include "base/field_private.h"
#include "base/utf8.h"

#define MAX_PROBLEMS    50  // enough to mend an input by
#define MAX_VALUE_CHARS 200 // of a value that a sentence quotes

typedef struct Check {
    GPtrArray *problems, *unknown;
} Check;

void field_problem_free(FieldProblem *self)
{
    g_free(self->path);
    g_free(self->text);
    g_free(self);
}

// Takes the text.
static void add(GPtrArray *problems, const char *path, char *text, bool is_made)
{
    if (problems->len >= MAX_PROBLEMS) {
        g_free(text);
        return;
    }
    FieldProblem *problem = g_new0(FieldProblem, 1);
    problem->path = g_strdup(path);
    problem->text = text;
    problem->is_made = is_made;
    g_ptr_array_add(problems, problem);
}

// The field's own sentence with the value put in, as a person would type it.
static char *fill_in(const char *sentence, const json_t *value)
{
    g_auto(GStrv) pieces = g_strsplit(sentence, "{value}", -1);
    g_autofree char *text =
        json_is_string(value) ? g_strdup(json_string_value(value)) : json_to_text(value);
    g_autofree char *shown = utf8_ellipsize(text, MAX_VALUE_CHARS);
    return g_strjoinv(shown, pieces);
}

static void add_wrong(Check *self, const FieldDef *field, const char *path, const json_t *value)
{
    if (field->problem != NULL) {
        add(self->problems, path, fill_in(field->problem, value), false);
        return;
    }
    g_autofree char *what = field_describe(field);
    bool says_required = field->is_required && field->type != FIELD_ENUM;
    add(self->problems, path,
        g_strdup_printf("%s %smust be %s", path, says_required ? "is required and " : "", what),
        true);
}

static void add_missing(Check *self, const FieldDef *field, const char *path)
{
    const char *own = field->missing != NULL ? field->missing : field->problem;
    if (own != NULL)
        add(self->problems, path, fill_in(own, json_null()), false);
    else
        add_wrong(self, field, path, json_null());
}

static bool is_too_long(const FieldDef *field, const json_t *value)
{
    return json_is_string(value) && field->max_chars > 0 &&
           utf8_length(json_string_value(value)) > field->max_chars;
}

static void add_too_long(Check *self, const FieldDef *field, const char *path, const json_t *value)
{
    add(self->problems, path,
        g_strdup_printf("%s is too long: %zu characters (limit %zu)", path,
                        utf8_length(json_string_value(value)), field->max_chars),
        true);
}

static json_t *check_object(Check *self, const FieldDef *fields, const json_t *object,
                            const char *prefix);

// New reference; NULL after a problem.
static json_t *check_item(Check *self, const FieldDef *field, const json_t *item, const char *path)
{
    bool is_object = field->type == FIELD_OBJECT_LIST;
    if (is_object && json_is_object(item) && field->item_fields != NULL) {
        g_autofree char *prefix = g_strconcat(path, ".", NULL);
        return check_object(self, field->item_fields, item, prefix);
    }
    if (is_object ? json_is_object(item) : field_fits_item(field, item))
        return json_incref((json_t *)item);
    if (!is_object && is_too_long(field, item)) {
        add_too_long(self, field, path, item);
    } else if (field->problem != NULL) {
        add(self->problems, path, fill_in(field->problem, item), false);
    } else {
        g_autofree char *what = field_describe_item(field);
        add(self->problems, path, g_strdup_printf("%s must be %s", path, what), true);
    }
    return NULL;
}

static json_t *check_list(Check *self, const FieldDef *field, const json_t *list, const char *path)
{
    size_t count = json_array_size(list);
    if (count < field->min_items)
        add(self->problems, path,
            g_strdup_printf("%s must have at least %zu items", path, field->min_items), true);
    if (field->max_items > 0 && count > field->max_items) {
        add(self->problems, path,
            g_strdup_printf("%s has too many items: %zu (limit %zu)", path, count,
                            field->max_items),
            true);
        return NULL;
    }
    json_t *checked = json_array();
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item) {
        g_autofree char *item_path = g_strdup_printf("%s[%zu]", path, index);
        json_append_take(checked, check_item(self, field, item, item_path));
    }
    return checked;
}

static json_t *check_map(Check *self, const json_t *map, const char *path)
{
    const char *key;
    json_t *item;
    json_object_foreach ((json_t *)map, key, item) {
        if (json_is_string(item))
            continue;
        g_autofree char *name = utf8_ellipsize(key, FIELD_MAX_NAME_CHARS);
        g_autofree char *item_path = g_strconcat(path, ".", name, NULL);
        add(self->problems, item_path, g_strdup_printf("%s must be a string", item_path), true);
    }
    return json_incref((json_t *)map);
}

// New reference; NULL after a problem.
static json_t *check_value(Check *self, const FieldDef *field, const json_t *value,
                           const char *path)
{
    if (field->type == FIELD_STRING && is_too_long(field, value)) {
        add_too_long(self, field, path, value);
        return NULL;
    }
    if (!field_is_of_type(field->type, value)) {
        add_wrong(self, field, path, value);
        return NULL;
    }
    switch (field->type) {
    case FIELD_STRING_LIST:
    case FIELD_OBJECT_LIST:
    case FIELD_INTEGER_LIST:
        return check_list(self, field, value, path);
    case FIELD_STRING_OR_LIST: {
        if (json_is_array(value))
            return check_list(self, field, value, path);
        g_autoptr(json_t) list = json_array();
        json_array_append(list, (json_t *)value);
        return check_list(self, field, list, path);
    }
    case FIELD_OBJECT: {
        g_autofree char *prefix = g_strconcat(path, ".", NULL);
        return field->item_fields != NULL ? check_object(self, field->item_fields, value, prefix)
                                          : json_incref((json_t *)value);
    }
    case FIELD_STRING_MAP:
        return check_map(self, value, path);
    default:
        if (field_fits(field, value))
            return json_incref((json_t *)value);
        add_wrong(self, field, path, value);
        return NULL;
    }
}

static void note_unknown(Check *self, const FieldDef *fields, const json_t *object,
                         const char *prefix)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        if (json_is_null(value) || field_find(fields, key) != NULL)
            continue;
        g_autofree char *name = utf8_ellipsize(key, FIELD_MAX_NAME_CHARS);
        g_autofree char *path = g_strconcat(prefix, name, NULL);
        const char *nearest = field_nearest(fields, key);
        add(self->unknown, path,
            nearest != NULL ? g_strdup_printf("Unknown field \"%s\" ignored (did you mean \"%s\"?)",
                                              name, nearest)
                            : g_strdup_printf("Unknown field \"%s\" ignored", name),
            true);
    }
}

// A new object of the accepted values; items of lists get their defaults.
static json_t *check_object(Check *self, const FieldDef *fields, const json_t *object,
                            const char *prefix)
{
    json_t *checked = json_object();
    for (const FieldDef *field = fields; field->name != NULL; field++) {
        const json_t *value = json_object_get(object, field->name);
        g_autofree char *path = g_strconcat(prefix, field->name, NULL);
        if (value != NULL && !json_is_null(value))
            json_set_take(checked, field->name, check_value(self, field, value, path));
        else if (field->is_required)
            add_missing(self, field, path);
        else if (*prefix != '\0')
            json_set_take(checked, field->name, field_default(field));
    }
    note_unknown(self, fields, object, prefix);
    return checked;
}

bool field_check(const FieldDef *fields, const json_t *arguments, void *args,
                 json_t **ret_arguments, GPtrArray *problems, GPtrArray *unknown)
{
    Check check = { .problems = problems, .unknown = unknown };
    g_autoptr(json_t) given =
        json_is_object(arguments) ? json_incref((json_t *)arguments) : json_object();
    if (arguments != NULL && !json_is_object(arguments) && !json_is_null(arguments))
        add(problems, "", g_strdup("the input must be an object"), true);
    g_autoptr(json_t) checked = check_object(&check, fields, given, "");
    if (problems->len > 0)
        return false;
    field_store_all(fields, checked, args);
    *ret_arguments = g_steal_pointer(&checked);
    return true;
}
