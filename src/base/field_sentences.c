/*
 * Field tables, the wording for programs (field_check()): every problem is a sentence for a person
 * with the path of its value; unknown fields are told apart. Nothing is coerced.
 */
#include "base/field_private.h"
#include "base/utf8.h"

#define MAX_VALUE_CHARS 200 // of a value that a sentence quotes

typedef struct Sentences {
    GPtrArray *problems, *unknown; // of FieldProblem
} Sentences;

// The field's own sentence with the value put in, as a person would type it.
static char *fill_in(const char *sentence, const json_t *value)
{
    g_auto(GStrv) pieces = g_strsplit(sentence, "{value}", -1);
    g_autofree char *text = json_is_string(value) ? g_strdup(json_string_value(value))
                                                  : json_to_text(value ? value : json_null());
    g_autofree char *shown = utf8_ellipsize(text, MAX_VALUE_CHARS);
    return g_strjoinv(shown, pieces);
}

static char *made_claim(FieldFault fault, const FieldDef *field, const json_t *value)
{
    g_autofree char *what =
        fault == FIELD_WRONG_ITEM ? field_describe_item(field) : field_describe(field);
    switch (fault) {
    case FIELD_TOO_LONG:
        return g_strdup_printf("is too long: %zu characters (limit %zu)",
                               utf8_length(json_string_value(value)), field->max_chars);
    case FIELD_TOO_FEW:
        return g_strdup_printf("must have at least %zu items", field->min_items);
    case FIELD_TOO_MANY:
        return g_strdup_printf("has too many items: %zu (limit %zu)", json_array_size(value),
                               field->max_items);
    default:
        return g_strconcat("must be ", what, NULL);
    }
}

static void add_made(GPtrArray *problems, FieldFault fault, const FieldDef *field, const char *path,
                     const json_t *value)
{
    bool is_of_size = fault == FIELD_TOO_LONG || fault == FIELD_TOO_FEW || fault == FIELD_TOO_MANY;
    bool says_required =
        !is_of_size && fault != FIELD_WRONG_ITEM && field->is_required && field->type != FIELD_ENUM;
    char *claim = made_claim(fault, field, value);
    char *text = g_strconcat(path, says_required ? " is required and " : " ", claim, NULL);
    field_problem_add(problems, fault, path, text, claim);
}

static void add_own(GPtrArray *problems, FieldFault fault, const char *path, char *text)
{
    guint count = problems->len;
    field_problem_add(problems, fault, path, text, NULL);
    if (problems->len > count)
        ((FieldProblem *)problems->pdata[count])->is_made = false;
}

static void report_sentence(void *self_, FieldFault fault, const FieldDef *field, const char *path,
                            const json_t *value)
{
    Sentences *self = self_;
    if (fault == FIELD_NO_OBJECT) {
        field_problem_add(self->problems, fault, "", g_strdup("the input must be an object"), NULL);
        return;
    }
    const char *own =
        field->type == FIELD_STRING_MAP && fault == FIELD_WRONG_ITEM ? NULL : field->problem;
    if (fault == FIELD_MISSING && field->missing)
        own = field->missing;
    if (fault == FIELD_TOO_LONG || fault == FIELD_TOO_FEW || fault == FIELD_TOO_MANY)
        own = NULL; // a number says more
    if (own)
        add_own(self->problems, fault, path, fill_in(own, value));
    else
        add_made(self->problems, fault, field, path, value);
}

static void report_unknown_sentence(void *self_, const char *path, const char *name,
                                    const char *nearest)
{
    Sentences *self = self_;
    field_problem_add(
        self->unknown, FIELD_UNKNOWN, path,
        nearest != NULL
            ? g_strdup_printf("Unknown field \"%s\" ignored (did you mean \"%s\"?)", name, nearest)
            : g_strdup_printf("Unknown field \"%s\" ignored", name),
        NULL);
}

static const FieldWording sentences = {
    .has_brackets = true,
    .report = report_sentence,
    .report_unknown = report_unknown_sentence,
};

bool field_check(const FieldDef *fields, const json_t *arguments, void *args,
                 json_t **ret_arguments, GPtrArray *problems, GPtrArray *unknown)
{
    Sentences into = { .problems = problems, .unknown = unknown };
    const FieldChecker checker = { .wording = &sentences, .report = &into };
    g_autoptr(json_t) checked = field_check_input(&checker, fields, arguments);
    if (problems->len > 0)
        return false;
    field_store_all(fields, checked, args);
    *ret_arguments = g_steal_pointer(&checked);
    return true;
}
