/*
 * Field tables on the command line: reads flags into the JSON that field_decode() takes.
 *
 * Words are strict here, with messages that name the flag: a shell word has no type, so "12" for a
 * number is read as one and anything else is a usage error.
 */
#include "base/field.h"

#include "base/str.h"

#include <math.h>

typedef struct ArgvReader {
    const FieldDef *fields;
    int argc;
    char *const *argv;
    int next;
    json_t *arguments;
    GPtrArray *words;
    GPtrArray *unknown;
    bool is_raw; // what does not fit is handed on
} ArgvReader;

// `name` is the flag's whole word without its value: "--limit", "-n".
static const FieldDef *find_flag(const FieldDef *fields, const char *name)
{
    for (const FieldDef *field = fields; field->name; field++) {
        g_autofree char *flag = field_flag(field);
        bool is_short = field->short_flag != 0 && name[0] == '-' && name[1] == field->short_flag &&
                        name[2] == '\0';
        g_autofree char *kebab = field->flag != NULL ? str_to_kebab(field->name) : NULL;
        bool is_long_form =
            str_has_prefix(name, "--") && g_strcmp0(kebab, name + strlen("--")) == 0;
        if (is_short || is_long_form || strcmp(flag, name) == 0)
            return field;
    }
    return NULL;
}

// The boolean field that "--no-draft" denies.
static const FieldDef *find_denied(const FieldDef *fields, const char *name)
{
    if (!str_has_prefix(name, "--no-"))
        return NULL;
    g_autofree char *flag = g_strconcat("--", name + strlen("--no-"), NULL);
    const FieldDef *field = find_flag(fields, flag);
    return field != NULL && field->type == FIELD_BOOLEAN ? field : NULL;
}

static bool fail_unknown(const FieldDef *fields, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const FieldDef *field = fields; field->name; field++) {
        if (!field->is_hidden)
            g_ptr_array_add(names, field->flag != NULL ? g_strdup(field->flag)
                                                       : str_to_kebab(field->name));
    }
    g_ptr_array_add(names, NULL);
    const char *nearest = NULL;
    if (str_has_prefix(name, "--"))
        nearest = str_nearest(name + 2, (const char *const *)names->pdata);
    if (!nearest)
        return fail_with(error, KEDGE_ERROR_USAGE, "unknown option %s", name);
    return fail_with(error, KEDGE_ERROR_USAGE, "unknown option %s; did you mean --%s?", name,
                     nearest);
}

static bool fail_expected(const char *flag, const char *what, const char *text, GError **error)
{
    return fail_with(error, KEDGE_ERROR_USAGE, "%s: expected %s, got \"%s\"", flag, what, text);
}

static bool read_number(const char *flag, const char *text, bool is_integer, json_t **ret_value,
                        GError **error)
{
    int64_t integer;
    if (str_parse_int(text, &integer)) {
        *ret_value = json_integer(integer);
        return true;
    }
    // Only digits, sign, point and exponent: g_ascii_strtod() also reads hex, inf and nan.
    char *end;
    double number = g_ascii_strtod(text, &end);
    bool is_number = *text != '\0' && *end == '\0' && isfinite(number) &&
                     strspn(text, "+-.0123456789eE") == strlen(text);
    if (is_integer || !is_number)
        return fail_expected(flag, "a number", text, error);
    *ret_value = json_real(number);
    return true;
}

static bool read_enum(const FieldDef *field, const char *flag, const char *text, json_t **ret_value,
                      GError **error)
{
    if (g_strv_contains(field->values, text)) {
        *ret_value = json_text(text);
        return true;
    }
    g_autofree char *values = g_strjoinv(", ", (char **)field->values);
    return fail_with(error, KEDGE_ERROR_USAGE, "Expected %s to be one of: %s; got \"%s\"", flag,
                     values, text);
}

static bool read_json(const char *flag, const char *text, json_t **ret_value, GError **error)
{
    g_autoptr(GError) reason = NULL;
    if (json_parse_text(text, ret_value, &reason))
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE, "%s: expected JSON: %s", flag, reason->message);
}

// Adds to the list that earlier uses of the flag began. Takes the reference `item`.
static void append_item(ArgvReader *self, const FieldDef *field, json_t *item)
{
    json_t *list = json_get_array(self->arguments, field->name);
    if (!list) {
        list = json_array();
        json_set_take(self->arguments, field->name, list);
    }
    json_append_take(list, item);
}

static bool add_pair(ArgvReader *self, const FieldDef *field, const char *flag, const char *text,
                     GError **error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return fail_expected(flag, "KEY=VALUE", text, error);
    json_t *map = json_get_object(self->arguments, field->name);
    if (!map) {
        map = json_object();
        json_set_take(self->arguments, field->name, map);
    }
    g_autofree char *key = g_strndup(text, (size_t)(equals - text));
    json_set_text(map, key, equals + 1);
    return true;
}

// An item as an object, or several in an array.
static bool add_objects(ArgvReader *self, const FieldDef *field, const char *flag, const char *text,
                        GError **error)
{
    g_autoptr(json_t) value = NULL;
    if (!read_json(flag, text, &value, error))
        return false;
    if (!json_is_array(value)) {
        append_item(self, field, json_incref(value));
        return true;
    }
    json_each (value, index, item)
        append_item(self, field, json_incref(item));
    return true;
}

static json_t *integer_or_text(const char *text)
{
    int64_t number;
    return str_parse_int(text, &number) ? json_integer(number) : json_text(text);
}

static void add_integers(ArgvReader *self, const FieldDef *field, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    for (char **word = words; *word; word++)
        append_item(self, field, integer_or_text(g_strstrip(*word)));
}

// A shell word for a field of any JSON: an object or an array is read as that.
static bool add_json(ArgvReader *self, const FieldDef *field, const char *flag, const char *text,
                     GError **error)
{
    json_t *value = NULL;
    bool is_json = json_parse_text(text, &value, NULL);
    bool is_structure = is_json && (json_is_object(value) || json_is_array(value));
    if (field->is_json_or_text && !is_structure) {
        json_decref(value);
        value = json_text(text);
    } else if (!is_json && self->is_raw) {
        bool has_own = field->type == FIELD_JSON && field->problem != NULL;
        return has_own ? fail_with(error, KEDGE_ERROR_USAGE, "%s", field->problem)
                       : fail_with(error, KEDGE_ERROR_USAGE, "%s must be valid JSON", flag);
    } else if (!is_json) {
        return read_json(flag, text, &value, error);
    }
    json_set_take(self->arguments, field->name, value);
    return true;
}

json_t *field_value_of_word(const FieldDef *field, const char *word)
{
    bool is_set;
    switch (field->type) {
    case FIELD_INTEGER:
    case FIELD_INTEGER_LIST: // of one item
        return integer_or_text(word);
    case FIELD_BOOLEAN:
        return str_parse_bool(word, &is_set) ? json_boolean(is_set) : json_text(word);
    default:
        return json_text(word);
    }
}

static bool add_raw(ArgvReader *self, const FieldDef *field, const char *flag, const char *text,
                    GError **error)
{
    switch (field->type) {
    case FIELD_STRING_LIST:
    case FIELD_STRING_OR_LIST:
        append_item(self, field, json_text(text));
        return true;
    case FIELD_INTEGER_LIST:
        add_integers(self, field, text);
        return true;
    case FIELD_OBJECT_LIST:
        return add_objects(self, field, flag, text, error);
    case FIELD_STRING_MAP:
        return add_pair(self, field, flag, text, error);
    case FIELD_JSON:
    case FIELD_OBJECT:
        return add_json(self, field, flag, text, error);
    default:
        json_set_take(self->arguments, field->name, field_value_of_word(field, text));
        return true;
    }
}

static bool add_value(ArgvReader *self, const FieldDef *field, const char *flag, const char *text,
                      GError **error)
{
    json_t *value = NULL;
    if (self->is_raw)
        return add_raw(self, field, flag, text, error);
    switch (field->type) {
    case FIELD_STRING:
        value = json_text(text);
        break;
    case FIELD_INTEGER:
    case FIELD_NUMBER:
        if (!read_number(flag, text, field->type == FIELD_INTEGER, &value, error))
            return false;
        break;
    case FIELD_BOOLEAN: {
        bool is_set;
        if (!str_parse_bool(text, &is_set))
            return fail_expected(flag, "true or false", text, error);
        value = json_boolean(is_set);
        break;
    }
    case FIELD_ENUM:
        if (!read_enum(field, flag, text, &value, error))
            return false;
        break;
    case FIELD_STRING_LIST:
    case FIELD_STRING_OR_LIST:
        append_item(self, field, json_text(text));
        return true;
    case FIELD_OBJECT_LIST:
        return add_objects(self, field, flag, text, error);
    case FIELD_STRING_MAP:
        return add_pair(self, field, flag, text, error);
    case FIELD_INTEGER_LIST:
        add_integers(self, field, text);
        return true;
    case FIELD_JSON:
    case FIELD_OBJECT:
        return add_json(self, field, flag, text, error);
    }
    json_set_take(self->arguments, field->name, value);
    return true;
}

// True for a word that can only be meant as the next flag.
static bool is_flag_word(const ArgvReader *self, const char *word)
{
    if (word[0] != '-')
        return false;
    return word[1] == '-' || find_flag(self->fields, word) != NULL;
}

// The value after a flag that has no "=value".
static bool take_value(ArgvReader *self, const FieldDef *field, const char *flag,
                       const char **ret_text, GError **error)
{
    const char *word = self->next < self->argc ? self->argv[self->next] : NULL;
    if (field->is_value_optional && (!word || word[0] == '-')) {
        *ret_text = "";
        return true;
    }
    if (!word || is_flag_word(self, word))
        return fail_with(error, KEDGE_ERROR_USAGE, "%s needs a value", flag);
    self->next++;
    *ret_text = word;
    return true;
}

static bool read_flag(ArgvReader *self, const char *word, GError **error)
{
    const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    g_autofree char *name =
        equals != NULL ? g_strndup(word, (size_t)(equals - word)) : g_strdup(word);
    const FieldDef *field = find_flag(self->fields, name);
    if (!field) {
        const FieldDef *denied = equals == NULL ? find_denied(self->fields, name) : NULL;
        if (denied) {
            json_set_bool(self->arguments, denied->name, false);
            return true;
        }
        if (!self->unknown)
            return fail_unknown(self->fields, name, error);
        g_ptr_array_add(self->unknown, (char *)word);
        return true;
    }

    if (!equals && field->type == FIELD_BOOLEAN) {
        json_set_bool(self->arguments, field->name, true);
        return true;
    }
    const char *text = equals != NULL ? equals + 1 : NULL;
    if (!text && !take_value(self, field, name, &text, error))
        return false;
    return add_value(self, field, name, text, error);
}

static bool read_word(ArgvReader *self, const char *word, GError **error)
{
    if (!self->words)
        return fail_with(error, KEDGE_ERROR_USAGE, "unexpected argument \"%s\"", word);
    g_ptr_array_add(self->words, (char *)word);
    return true;
}

static bool read_all(ArgvReader *self, GError **error)
{
    bool is_rest = false;
    while (self->next < self->argc) {
        const char *word = self->argv[self->next++];
        if (!is_rest && strcmp(word, "--") == 0) {
            is_rest = true;
            continue;
        }
        // "-" is standard input, "-5" a number; neither is a flag.
        bool is_flag = !is_rest && word[0] == '-' && word[1] != '\0' && !g_ascii_isdigit(word[1]);
        if (is_flag ? !read_flag(self, word, error) : !read_word(self, word, error))
            return false;
    }
    return true;
}

// Reads with what `reader` was given; it gets an object of its own.
static bool read_into(ArgvReader reader, json_t **ret_arguments, GError **error)
{
    g_autoptr(json_t) arguments = json_object();
    reader.arguments = arguments;
    if (!read_all(&reader, error))
        return false;
    *ret_arguments = g_steal_pointer(&arguments);
    return true;
}

bool field_from_argv(const FieldDef *fields, int argc, char *const *argv, json_t **ret_arguments,
                     GPtrArray *words, GPtrArray *unknown, GError **error)
{
    ArgvReader reader = {
        .fields = fields,
        .argc = argc,
        .argv = argv,
        .words = words,
        .unknown = unknown,
    };
    return read_into(reader, ret_arguments, error);
}

bool field_from_argv_raw(const FieldDef *fields, int argc, char *const *argv,
                         json_t **ret_arguments, GPtrArray *words, GPtrArray *unknown,
                         GError **error)
{
    ArgvReader reader = {
        .fields = fields,
        .argc = argc,
        .argv = argv,
        .words = words,
        .unknown = unknown,
        .is_raw = true,
    };
    return read_into(reader, ret_arguments, error);
}
