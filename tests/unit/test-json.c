/*
 * base/json.c: what is accepted, mended and refused; building; readers.
 */
#include "base/str.h"
#include "unit.h"

#include "base/json.h"
#include "base/limits.h"

#include <glib/gstdio.h>

#define FFFD "\xef\xbf\xbd"

static void test_round_trip(void **state)
{
    static const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "order of keys is kept", "{\"b\":1,\"a\":[true,null]}", "{\"b\":1,\"a\":[true,null]}" },
        { "white space goes", " [ 1 , 2 ]\n", "[1,2]" },
        { "scalar at top level", "\"x\"", "\"x\"" },
        { "last of duplicate keys wins", "{\"a\":1,\"a\":2}", "{\"a\":2}" },
        { "64 bits are exact", "[9223372036854775807,-9223372036854775808]",
          "[9223372036854775807,-9223372036854775808]" },
        { "beyond 64 bits", "[9223372036854775808]", "[9.223372036854776e18]" },
        { "far beyond", "{\"a\":123456789012345678901234567890}", "{\"a\":1.2345678901234568e29}" },
        { "negative beyond", "[-9223372036854775809,1]", "[-9.223372036854776e18,1]" },
        { "digits in a string are text", "[\"99999999999999999999\"]",
          "[\"99999999999999999999\"]" },
        { "long double stays", "[12345678901234567890.5]", "[1.2345678901234567e19]" },
        { "doubles as short as they read back", "[0.1,1.5,0.0125]", "[0.1,1.5,0.0125]" },
        { "17 digits where they count", "[0.30000000000000004]", "[0.30000000000000004]" },
        { "whole double", "[7.0]", "[7.0]" },
        { "surrogate pair", "[\"\\ud83d\\ude00\"]", "[\"\xf0\x9f\x98\x80\"]" },
        { "lone high surrogate", "[\"a\\ud83dz\"]", "[\"a" FFFD "z\"]" },
        { "lone low surrogate", "[\"\\ude00\"]", "[\"" FFFD "\"]" },
        { "two high, one low", "[\"\\ud83d\\ud83d\\ude00\"]", "[\"" FFFD "\xf0\x9f\x98\x80\"]" },
        { "high before another escape", "[\"\\ud83d\\n\"]", "[\"" FFFD "\\n\"]" },
        { "escaped NUL", "[\"a\\u0000b\"]", "[\"a" FFFD "b\"]" },
        { "in a key", "{\"\\u0000\":\"\\udfff\"}", "{\"" FFFD "\":\"" FFFD "\"}" },
        { "an escaped backslash before u0000", "[\"\\\\u0000\"]", "[\"\\\\u0000\"]" },
        { "invalid bytes", "[\"a\xff\"]", "[\"a" FFFD "\"]" },
        { "BOM", "\xef\xbb\xbf[1]", "[1]" },
        { "control characters are escaped", "[\"\\u001b\\t\"]", "[\"\\u001B\\t\"]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) value = NULL;
        g_autoptr(GError) error = NULL;
        if (!json_parse_text(cases[i].in, &value, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        g_autofree char *got = json_to_text(value);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].name, got);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *in, *message;
    } cases[] = {
        { "", "line 1 column 1: " },         { "{\"a\":}", "line 1 column 6: " },
        { "[1]\n[2]", "line 2 column 1: " }, { "[1,\n2,\n,]", "line 3 column 1: " },
        { "nope", "line 1 column 4: " },     { "[\"a\nb\"]", "line 1 column " },
        { "{\"a\"", "line 1 column " },      { "\"\\ud83", "line 1 column " },
        { "[1e999]", "line 1 column " },     { "\"\\", "line 1 column " },
        { "[-]", "line 1 column " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        json_t *value = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(json_parse_text(cases[i].in, &value, &error));
        assert_null(value);
        assert_true(error_is(error, KEDGE_ERROR_PROTOCOL));
        if (!str_has_prefix(error->message, cases[i].message))
            fail_msg("'%s': %s", cases[i].in, error->message);
        assert_true(g_utf8_validate(error->message, -1, NULL));
    }
}

static bool parse_nested(int depth, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < depth; i++)
        g_string_append(text, i % 2 == 0 ? "[" : "{\"k\":");
    g_string_append(text, "0");
    for (int i = depth - 1; i >= 0; i--)
        g_string_append(text, i % 2 == 0 ? "]" : "}");
    g_autoptr(json_t) value = NULL;
    return json_parse_text(text->str, &value, error);
}

static void test_limits(void **state)
{
    g_autoptr(GError) error = NULL;
    assert_true(parse_nested(LIMIT_JSON_DEPTH, NULL));
    assert_false(parse_nested(LIMIT_JSON_DEPTH + 1, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    g_clear_error(&error);

    // Side by side is not deep; brackets in strings do not count.
    g_autoptr(GString) text = g_string_new("[");
    for (int i = 0; i < 1000; i++)
        g_string_append(text, "[],{},\"[[[[\\\"[[\",");
    g_string_append(text, "1]");
    g_autoptr(json_t) value = NULL;
    assert_true(json_parse(text->str, text->len, &value, NULL));
    assert_int_equal(json_array_size(value), 3001);

    g_autofree char *huge = g_malloc0(LIMIT_JSON_BYTES + 1);
    json_t *none = NULL;
    assert_false(json_parse(huge, LIMIT_JSON_BYTES + 1, &none, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
}

// The text ends where the size says: no NUL is needed, and none is looked for.
static void test_size_counts(void **state)
{
    static const char *const texts[] = { "12345", "\"\\ud83d\\ude00\"", "1234567890123456789012",
                                         "[1,{\"a\":\"\\u0000\"}]" };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        for (size_t size = 0; size <= strlen(texts[i]); size++) {
            g_autofree char *exact = g_malloc(MAX(size, 1)); // a read beyond is found by ASan
            if (size > 0)
                memcpy(exact, texts[i], size);
            g_autoptr(json_t) value = NULL;
            bool is_good = json_parse(exact, size, &value, NULL);
            assert_int_equal(is_good, value != NULL);
            if (size == strlen(texts[i]))
                assert_true(is_good);
        }
    }
}

static void test_read_file(void **state)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-json-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "a.json", NULL);
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(json_read_file(path, &value, &error));
    assert_true(error_is(error, KEDGE_ERROR_NOT_FOUND));
    g_clear_error(&error);

    assert_true(g_file_set_contents(path, "{\n \"a\": tru }", -1, NULL));
    assert_false(json_read_file(path, &value, &error));
    g_autofree char *prefix = g_strconcat(path, ": line 2 column ", NULL);
    assert_true(str_has_prefix(error->message, prefix));

    assert_true(g_file_set_contents(path, "{\"a\": 3}", -1, NULL));
    assert_true(json_read_file(path, &value, NULL));
    assert_int_equal(json_get_int(value, "a", 0), 3);
    g_unlink(path);
    g_rmdir(dir);
}

static void test_build(void **state)
{
    g_autoptr(json_t) object = json_object();
    json_set_text(object, "text", "a\xff");
    json_set_text(object, "none", NULL);
    json_set_int(object, "int", INT64_MIN);
    json_set_bool(object, "bool", true);
    json_set_take(object, "nothing", NULL);
    json_set_take(object, "null", json_text(NULL));
    json_set_take(object, "nul", json_text_n("a\0b", 3));
    json_set_take(object, "key\xff", json_text(""));
    json_t *list = json_array();
    json_append_take(list, json_integer(1));
    json_append_take(list, NULL);
    json_set_take(object, "list", list);
    g_autofree char *text = json_to_text(object);
    assert_string_equal(text, "{\"text\":\"a" FFFD "\",\"int\":-9223372036854775808,\"bool\":true,"
                              "\"null\":null,\"nul\":\"a" FFFD "b\",\"key" FFFD "\":\"\","
                              "\"list\":[1]}");
    g_autofree char *pretty = json_to_pretty(json_get_array(object, "list"));
    assert_string_equal(pretty, "[\n  1\n]");
    g_autofree char *none = json_to_text(NULL);
    assert_string_equal(none, "null");
}

static void test_make(void **state)
{
    const char *none = NULL;
    g_autoptr(json_t) object =
        json_make("text:%s none:%s null:%s? int:%d far:%jd size:%zu count:%u is_so:%i list:%p "
                  "nothing:%p no_size:%zu? no_flag:%i? flag:%i? far_size:%jd?",
                  "a\xff: %s", none, none, -1, INT64_MIN, SIZE_MAX / 2, 7U, true, json_array(),
                  NULL, (size_t)0, false, true, (intmax_t)3);
    g_autofree char *text = json_to_text(object);
    assert_string_equal(text,
                        "{\"text\":\"a" FFFD ": %s\",\"null\":null,\"int\":-1,"
                        "\"far\":-9223372036854775808,\"size\":9223372036854775807,"
                        "\"count\":7,\"is_so\":true,\"list\":[],\"flag\":true,\"far_size\":3}");

    g_autoptr(json_t) more = json_make("a:%d", 1);
    json_add(more, "b:%s a:%d none:%s", "x", 2, none);
    g_autofree char *more_text = json_to_text(more);
    assert_string_equal(more_text, "{\"a\":2,\"b\":\"x\"}");
}

static void test_each(void **state)
{
    g_autoptr(json_t) list = json_pack("[iiii]", 1, 2, 3, 4);
    json_int_t sum = 0;
    json_each (list, i, item) {
        if (i == 0)
            continue;
        if (i == 3)
            break;
        sum += json_integer_value(item);
    }
    assert_int_equal(sum, 5);
    json_each (NULL, i, item)
        fail_msg("%zu: %p", i, (void *)item);

    g_autoptr(json_t) object = json_make("a:%d b:%d c:%d", 1, 2, 4);
    sum = 0;
    json_each_member (object, key, value) {
        if (*key == 'a')
            continue;
        sum += json_integer_value(value);
        if (*key == 'b')
            break;
    }
    assert_int_equal(sum, 2);
    json_each_member (NULL, key, value)
        fail_msg("%s: %p", key, (void *)value);
}

static void test_readers(void **state)
{
    g_autoptr(json_t) v = NULL;
    assert_true(json_parse_text("{\"s\":\"x\",\"i\":3,\"w\":4.0,\"f\":4.5,\"big\":1e300,\"t\":true,"
                                "\"a\":[1],\"o\":{\"p\":{\"q\":\"deep\"}},\"n\":null}",
                                &v, NULL));
    assert_string_equal(json_get_text(v, "s"), "x");
    assert_null(json_get_text(v, "i"));
    assert_null(json_get_text(v, "gone"));
    assert_null(json_get_text(NULL, "s"));
    assert_null(json_get_text(json_get_array(v, "a"), "s"));
    assert_int_equal(json_get_int(v, "i", -1), 3);
    assert_int_equal(json_get_int(v, "w", -1), 4);
    assert_int_equal(json_get_int(v, "f", -1), -1);
    assert_int_equal(json_get_int(v, "big", -1), -1);
    assert_int_equal(json_get_int(v, "s", -1), -1);
    assert_true(json_get_number(v, "f", 0) == 4.5);
    assert_true(json_get_number(v, "i", 0) == 3.0);
    assert_true(json_get_number(v, "s", 2.5) == 2.5);
    assert_true(json_get_bool(v, "t", false));
    assert_true(json_get_bool(v, "n", true));
    assert_non_null(json_get_array(v, "a"));
    assert_null(json_get_array(v, "o"));
    assert_non_null(json_get_object(v, "o"));
    assert_null(json_get_object(v, "a"));
    assert_string_equal(json_string_value(json_get_path(v, "o.p.q")), "deep");
    assert_null(json_get_path(v, "o.x.q"));
    assert_null(json_get_path(v, "s.p"));
    assert_null(json_get_path(NULL, "o"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_size_counts),
        cmocka_unit_test(test_read_file),  cmocka_unit_test(test_build),
        cmocka_unit_test(test_make),       cmocka_unit_test(test_each),
        cmocka_unit_test(test_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
