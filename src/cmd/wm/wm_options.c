/*
 * Flags and words of the commands of `kedge wm`, and what is said when they fail (wm.h), with the
 * wording of task-engine §3.1: the one that users of gh-wm know.
 */
#include "cmd/wm/wm.h"

#include "base/log.h"
#include "base/str.h"
#include "wm/task/wm_log.h"

#include <string.h>

#define MAX_LIST_ITEMS 1000 // of one flag

int wm_fail(const char *command, const GError *error)
{
    int code = cmd_exit_code(error->code);
    wm_say_as(WM_ERROR, "error: %s", error->message); // words of others, on one line
    if (error->domain == KEDGE_ERROR && error_is(error, KEDGE_ERROR_USAGE))
        log_text("Run 'kedge %s --help' for usage.", command);
    return error->domain == KEDGE_ERROR ? code : EXIT_FAILED;
}

static bool fail_value(const FieldDef *field, const char *text, const char *reason, GError **error)
{
    g_autofree char *flag = field_flag(field);
    return fail_with(error, KEDGE_ERROR_USAGE, "invalid argument \"%s\" for \"%s\" flag: %s", text,
                     flag, reason);
}

/* One item at *at: as it is up to a comma, or in double quotes, where "" is a quote. False: quotes
   that do not end, or do not stand around the whole item. */
static bool take_item(const char **at, GString *out)
{
    *at += strspn(*at, " ");
    bool is_quoted = **at == '"';
    *at += is_quoted;
    for (; **at && (is_quoted || **at != ','); (*at)++) {
        if (is_quoted && **at == '"' && (*at)[1] != '"')
            break;
        *at += is_quoted && **at == '"';
        g_string_append_c(out, **at);
    }
    if (!is_quoted) {
        g_strchomp(out->str);
        return true;
    }
    if (**at != '"')
        return false;
    *at += 1 + strspn(*at + 1, " ");
    return **at == '\0' || **at == ',';
}

static bool split_items(const FieldDef *field, const char *text, json_t *items, GError **error)
{
    const char *at = text;
    for (;;) {
        g_autoptr(GString) item = g_string_new(NULL);
        if (!take_item(&at, item))
            return fail_value(field, text, "quotes do not fit", error);
        if (item->str[0] != '\0')
            json_append_take(items, json_text(item->str));
        if (json_array_size(items) > MAX_LIST_ITEMS)
            return fail_value(field, text, "too many values", error);
        if (*at == '\0')
            return true;
        at++;
    }
}

// What was typed for a list, several times perhaps, item by item.
static bool read_list(const FieldDef *field, json_t *given, GError **error)
{
    g_autoptr(json_t) items = json_array();
    json_each (json_object_get(given, field->name), index, item)
        if (!split_items(field, json_string_value(item), items, error))
            return false;
    json_set_take(given, field->name, g_steal_pointer(&items));
    return true;
}

static bool read_number(const FieldDef *field, const char *text, json_t *given, GError **error)
{
    g_autoptr(json_t) number = NULL;
    if (!json_parse_text(text, &number, NULL) || !json_is_number(number))
        return fail_value(field, text, "not a number", error);
    json_set_take(given, field->name, g_steal_pointer(&number));
    return true;
}

// What does not fit its field was handed on as text.
static bool read_value(const FieldDef *field, json_t *given, GError **error)
{
    const char *text = json_get_text(given, field->name);
    switch (field->type) {
    case FIELD_STRING_LIST:
    case FIELD_STRING_OR_LIST:
        return !json_object_get(given, field->name) || read_list(field, given, error);
    case FIELD_INTEGER:
        return !text || fail_value(field, text, "not an integer", error);
    case FIELD_BOOLEAN:
        return !text || fail_value(field, text, "not true or false", error);
    case FIELD_NUMBER:
        return !text || read_number(field, text, given, error);
    case FIELD_ENUM: {
        if (!text || g_strv_contains(field->values, text))
            return true;
        g_autofree char *values = g_strjoinv(", ", (char **)field->values);
        g_autofree char *reason = g_strdup_printf("not one of %s", values);
        return fail_value(field, text, reason, error);
    }
    default:
        return true;
    }
}

// `required flag(s) "task" not set`
static bool check_required(const FieldDef *fields, const json_t *given, GError **error)
{
    g_autoptr(GString) missing = g_string_new(NULL);
    for (const FieldDef *field = fields; field && field->name; field++) {
        g_autofree char *flag = field_flag(field);
        if (field->is_required && !json_object_get(given, field->name))
            g_string_append_printf(missing, "%s\"%s\"", missing->len > 0 ? ", " : "",
                                   flag + strlen("--"));
    }
    return missing->len == 0 ||
           fail_with(error, KEDGE_ERROR_USAGE, "required flag(s) %s not set", missing->str);
}

static bool check_unknown(const FieldDef *fields, const GPtrArray *unknown, GError **error)
{
    if (unknown->len == 0)
        return true;
    const char *word = unknown->pdata[0];
    g_autofree char *flag = g_strndup(word, strcspn(word, "="));
    bool is_long = str_has_prefix(flag, "--");
    g_autoptr(GPtrArray) known = g_ptr_array_new_with_free_func(g_free);
    for (const FieldDef *field = fields; field->name; field++)
        g_ptr_array_add(known, field_flag(field));
    g_ptr_array_add(known, NULL);
    g_autofree char *hint = str_did_you_mean(flag, (const char *const *)known->pdata);
    return is_long ? fail_with(error, KEDGE_ERROR_USAGE, "unknown flag: %s%s", flag, hint)
                   : fail_with(error, KEDGE_ERROR_USAGE, "unknown shorthand flag: %s", flag);
}

static bool check_words(const GPtrArray *words, size_t min_words, size_t max_words, GError **error)
{
    if (words->len >= min_words && words->len <= max_words)
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE, "accepts %zu arg(s), received %u",
                     words->len < min_words ? min_words : max_words, words->len);
}

/* The field of the flag `word`, of which the value follows; NULL: none. */
static const FieldDef *valued_flag(const FieldDef *fields, const char *word)
{
    for (const FieldDef *field = fields; field->name; field++) {
        g_autofree char *flag = field_flag(field);
        if (field->type != FIELD_BOOLEAN && strcmp(flag, word) == 0)
            return field;
    }
    return NULL;
}

static bool is_known_flag(const FieldDef *fields, const char *word)
{
    g_autofree char *name = g_strndup(word, strcspn(word, "="));
    for (const FieldDef *field = fields; field->name; field++) {
        g_autofree char *flag = field_flag(field);
        if (strcmp(flag, name) == 0)
            return true;
    }
    return false;
}

/* A value may begin with dashes, as a body in Markdown does: --body and it become one word. The
   array borrows from `argv` and from `joined`, which owns. */
static GPtrArray *join_values(const FieldDef *fields, int argc, char *const *argv,
                              GPtrArray *joined)
{
    GPtrArray *words = g_ptr_array_new();
    bool is_rest = false;
    for (int i = 0; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";
        is_rest = is_rest || strcmp(argv[i], "--") == 0;
        bool is_value = !is_rest && str_has_prefix(next, "--") && strcmp(next, "--") != 0 &&
                        valued_flag(fields, argv[i]) && !is_known_flag(fields, next);
        if (is_value) {
            g_ptr_array_add(joined, g_strconcat(argv[i], "=", next, NULL));
            i++;
        }
        g_ptr_array_add(words, is_value ? joined->pdata[joined->len - 1] : argv[i]);
    }
    return words;
}

bool wm_decode(const Command *command, int argc, char *const *argv, void *options,
               json_t **ret_kept, GPtrArray *words, size_t min_words, size_t max_words,
               GError **error)
{
    static const FieldDef none[] = { { 0 } };
    const FieldDef *fields = command->options ? command->options : none;
    g_autoptr(GPtrArray) taken = g_ptr_array_new(), unknown = g_ptr_array_new();
    g_autoptr(GPtrArray) joined = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) line = join_values(fields, argc, argv, joined);
    g_autoptr(json_t) given = NULL;
    if (!field_from_argv_raw(fields, (int)line->len, (char *const *)line->pdata, &given, taken,
                             unknown, error) ||
        !check_unknown(fields, unknown, error))
        return false;
    for (const FieldDef *field = fields; field->name; field++)
        if (!read_value(field, given, error))
            return false;
    if (!check_required(fields, given, error) || !check_words(taken, min_words, max_words, error))
        return false;
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (!field_decode(fields, given, FIELD_EXACT, options, ret_kept, problems)) {
        const FieldProblem *first = problems->pdata[0];
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", first->text);
    }
    for (unsigned i = 0; words && i < taken->len; i++)
        g_ptr_array_add(words, g_ptr_array_index(taken, i));
    return true;
}
