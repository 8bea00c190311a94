/*
 * Settings' values from and to text (settings_value.h).
 */
#include "tool/settings_value.h"

#include "base/str.h"

#include <math.h>

const char *setting_type_name(SettingType type)
{
    switch (type) {
    case SETTING_BOOLEAN:
        return "boolean";
    case SETTING_NUMBER:
        return "number";
    case SETTING_STRING:
        return "string";
    case SETTING_ENUM:
        return "enum";
    case SETTING_ARRAY:
        return "array";
    case SETTING_RECORD:
        break;
    }
    return "record";
}

bool setting_value_fits(const SettingKey *key, const json_t *value)
{
    switch (key->type) {
    case SETTING_BOOLEAN:
        return json_is_boolean(value);
    case SETTING_NUMBER:
        return json_is_number(value);
    case SETTING_STRING:
        return json_is_string(value);
    case SETTING_ENUM:
        return json_is_string(value) && g_strv_contains(key->values, json_string_value(value));
    case SETTING_ARRAY:
        return json_is_array(value);
    case SETTING_RECORD:
        return json_is_object(value);
    }
    return false;
}

char *setting_wanted(const SettingKey *key)
{
    if (key->type == SETTING_ENUM) {
        g_autofree char *values = g_strjoinv(", ", (char **)key->values);
        return g_strdup_printf("must be one of %s", values);
    }
    static const char *const texts[] = {
        [SETTING_BOOLEAN] = "must be true or false", [SETTING_NUMBER] = "must be a number",
        [SETTING_STRING] = "must be text",           [SETTING_ARRAY] = "must be a list",
        [SETTING_RECORD] = "must be a map",
    };
    return g_strdup(texts[key->type]);
}

static bool fail_invalid(const SettingKey *key, const char *text, GError **error)
{
    switch (key->type) {
    case SETTING_BOOLEAN:
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "Invalid boolean value: %s. Use true/false, yes/no, on/off, or 1/0", text);
    case SETTING_NUMBER:
        return fail_with(error, KEDGE_ERROR_FAILED, "Invalid number: %s", text);
    case SETTING_ARRAY:
        return fail_with(error, KEDGE_ERROR_FAILED, "Invalid array JSON: %s", text);
    case SETTING_RECORD:
        return fail_with(error, KEDGE_ERROR_FAILED, "Invalid record JSON: %s", text);
    case SETTING_STRING:
    case SETTING_ENUM:
        break;
    }
    g_autofree char *values = key->values ? g_strjoinv(", ", (char **)key->values) : g_strdup("");
    return fail_with(error, KEDGE_ERROR_FAILED, "Invalid value: %s. Valid values: %s", text,
                     values);
}

static json_t *parse_number(const char *text)
{
    char *end = NULL;
    int64_t integer = 0;
    if (str_parse_int(text, &integer))
        return json_integer(integer);
    double number = g_ascii_strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number))
        return NULL;
    bool is_whole = floor(number) == number && fabs(number) < 1e15;
    return is_whole ? json_integer((json_int_t)number) : json_real(number);
}

static bool is_json_like(const char *text)
{
    return *text == '\0' || strchr("[{\"", *text) != NULL;
}

/* A list as a person types it: "a.example, b.example". */
static json_t *parse_words(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    json_t *list = json_array();
    for (char **word = words; *word; word++) {
        g_strstrip(*word);
        if (**word != '\0')
            json_append_take(list, json_text(*word));
    }
    return list;
}

bool setting_value_parse(const SettingKey *key, const char *text, json_t **ret_value,
                         GError **error)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    g_autoptr(json_t) value = NULL;
    bool is_true = false;
    switch (key->type) {
    case SETTING_BOOLEAN:
        if (str_parse_bool(trimmed, &is_true))
            value = json_boolean(is_true);
        break;
    case SETTING_NUMBER:
        value = parse_number(trimmed);
        break;
    case SETTING_STRING:
    case SETTING_ENUM:
        value = json_text(trimmed);
        break;
    case SETTING_ARRAY:
        value = is_json_like(trimmed) ? NULL : parse_words(trimmed);
        if (value)
            break;
        G_GNUC_FALLTHROUGH;
    case SETTING_RECORD:
        json_parse_text(trimmed, &value, NULL);
        break;
    }
    if (!setting_value_fits(key, value))
        return fail_invalid(key, trimmed, error);
    *ret_value = g_steal_pointer(&value);
    return true;
}

char *setting_value_text(const json_t *value)
{
    if (!value || json_is_null(value))
        return g_strdup("");
    return json_is_string(value) ? g_strdup(json_string_value(value)) : json_to_text(value);
}
