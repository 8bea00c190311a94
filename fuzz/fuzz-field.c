/*
 * Fuzz target: field tables. The first byte chooses the door; the rest is the JSON of a call, or
 * the words of a command line separated by NUL. What a decoder accepts, the exact decoder accepts
 * again unchanged.
 */
#include "base/field.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Args {
    const char *text;
    int64_t integer;
    double number;
    bool is_set;
    const char *choice;
    const json_t *list;
    const json_t *string_or_list;
    const json_t *objects;
    const json_t *map;
    const json_t *any;
    const char *hidden;
    bool has_integer;
} Args;

static const char *const choices[] = { "one", "two", NULL };

static const FieldDef item_fields[] = {
    { "old_text", FIELD_STRING, .is_required = true },
    { "count", FIELD_INTEGER, .default_text = "1" },
    { "tags", FIELD_STRING_LIST, .min_items = 1 },
    { 0 },
};

static const FieldDef fields[] = {
    { "text", FIELD_STRING, offsetof(Args, text), .is_required = true, .short_flag = 't' },
    { "integer", FIELD_INTEGER, offsetof(Args, integer), .default_text = "7",
      .has_offset = offsetof(Args, has_integer) },
    { "number", FIELD_NUMBER, offsetof(Args, number), .short_flag = 'n' },
    { "isSet", FIELD_BOOLEAN, offsetof(Args, is_set), .short_flag = 's' },
    { "choice", FIELD_ENUM, offsetof(Args, choice), .values = choices, .default_text = "\"two\"" },
    { "list", FIELD_STRING_LIST, offsetof(Args, list) },
    { "stringOrList", FIELD_STRING_OR_LIST, offsetof(Args, string_or_list) },
    { "objects", FIELD_OBJECT_LIST, offsetof(Args, objects), .item_fields = item_fields,
      .min_items = 1 },
    { "map", FIELD_STRING_MAP, offsetof(Args, map) },
    { "any", FIELD_JSON, offsetof(Args, any), .is_value_optional = true },
    { "hidden", FIELD_STRING, offsetof(Args, hidden), .is_hidden = true },
    { 0 },
};

static void check_args(const Args *args)
{
    g_assert_nonnull(args->text);
    g_assert_true(g_utf8_validate(args->text, -1, NULL));
    g_assert_true(args->has_integer || args->integer == 7);
    g_assert_true(g_strv_contains(choices, args->choice));
    g_assert_true(args->list == NULL || json_is_array(args->list));
    g_assert_true(args->string_or_list == NULL || json_is_array(args->string_or_list));
    g_assert_true(args->map == NULL || json_is_object(args->map));
    size_t index;
    json_t *item;
    json_array_foreach (args->list, index, item)
        g_assert_true(json_is_string(item));
    json_array_foreach (args->objects, index, item) {
        g_assert_nonnull(json_get_text(item, "old_text"));
        g_assert_nonnull(json_object_get(item, "count"));
    }
}

static void check_decode(const json_t *value, FieldMode mode)
{
    Args args = { 0 };
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (!field_decode(fields, value, mode, &args, &arguments, problems)) {
        g_assert_null(arguments);
        g_autofree char *text = field_problems_text(problems);
        g_assert_true(problems->len > 0 && g_utf8_validate(text, -1, NULL));
        return;
    }
    g_assert_true(problems->len == 0);
    check_args(&args);

    Args args_again = { 0 };
    g_autoptr(json_t) again = NULL;
    g_assert_true(field_decode(fields, arguments, FIELD_EXACT, &args_again, &again, problems));
    g_assert_true(json_equal(arguments, again));
    check_args(&args_again);
}

static void check_json(const char *text, size_t size, FieldMode mode)
{
    g_autoptr(json_t) value = NULL;
    if (!json_parse(text, size, &value, NULL))
        return;
    g_autoptr(json_t) before = json_deep_copy(value);
    check_decode(value, mode);
    g_assert_true(json_equal(value, before));
}

static void check_argv(const char *text, size_t size, bool has_unknown)
{
    g_autofree char *copy = g_strndup("", size); // zeroed, one longer than `size`
    memcpy(copy, text, size);
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    for (size_t at = 0; at < size; at += strlen(copy + at) + 1)
        g_ptr_array_add(argv, copy + at);

    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(GPtrArray) unknown = g_ptr_array_new();
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL;
    if (field_from_argv(fields, (int)argv->len, (char *const *)argv->pdata, &value, words,
                        has_unknown ? unknown : NULL, &error)) {
        check_decode(value, FIELD_EXACT);
        return;
    }
    g_assert_null(value);
    g_assert_true(error_is(error, KEDGE_ERROR_USAGE));
}

static void check_descriptions(void)
{
    g_autoptr(json_t) schema = field_schema(fields);
    g_assert_cmpuint(json_object_size(json_get_object(schema, "properties")), ==,
                     G_N_ELEMENTS(fields) - 2); // not the hidden one, not the end
    g_autofree char *text = json_to_text(schema);
    g_autoptr(json_t) again = NULL;
    g_assert_true(json_parse_text(text, &again, NULL) && json_equal(schema, again));
    g_autoptr(GString) help = g_string_new(NULL);
    field_append_help(fields, help);
    g_assert_null(strstr(help->str, "hidden"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    switch (data[0] % 4) {
    case 0:
        check_json(text, size - 1, FIELD_LENIENT);
        break;
    case 1:
        check_json(text, size - 1, FIELD_EXACT);
        break;
    default:
        check_argv(text, size - 1, data[0] % 4 == 3);
        break;
    }
    if (size == 1)
        check_descriptions();
    return 0;
}
