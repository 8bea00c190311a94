/*
 * Fuzz target: json_parse() on any bytes. What is accepted is within the limits and reads back the
 * same; what is refused has an error of one of two codes and a message of valid text.
 */
#include "base/json.h"
#include "base/limits.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A function: MAX() would evaluate its arguments twice, and the recursion with them. */
static size_t deeper(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t depth_of(const json_t *value)
{
    size_t deepest = 0;
    size_t index;
    json_t *item;
    const char *key;
    if (json_is_array(value)) {
        json_array_foreach (value, index, item)
            deepest = deeper(deepest, depth_of(item));
    } else if (json_is_object(value)) {
        json_object_foreach ((json_t *)value, key, item)
            deepest = deeper(deepest, depth_of(item));
    } else {
        return 0;
    }
    return deepest + 1;
}

static void check_reads_back(const json_t *value, char *(*print)(const json_t *value))
{
    g_autofree char *text = print(value);
    g_assert_true(g_utf8_validate(text, -1, NULL));
    g_autoptr(json_t) again = NULL;
    g_assert_true(json_parse_text(text, &again, NULL));
    g_assert_true(json_equal(value, again));
    g_autofree char *text_again = print(again);
    g_assert_cmpstr(text, ==, text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse((const char *)data, size, &value, &error)) {
        g_assert_null(value);
        g_assert_true(error_is(error, KEDGE_ERROR_PROTOCOL) || error_is(error, KEDGE_ERROR_LIMIT));
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
        return 0;
    }
    g_assert_null(error);
    g_assert_cmpuint(depth_of(value), <=, LIMIT_JSON_DEPTH);
    check_reads_back(value, json_to_text);
    check_reads_back(value, json_to_pretty);
    return 0;
}
