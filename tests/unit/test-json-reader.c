/*
 * base/json_reader.c: plain texts against json_parse() (the same value, or none), partial ones, and
 * JSON5.
 */
#include "base/str.h"
#include "unit.h"

#include "base/json_reader.h"
#include "base/limits.h"

static void test_against_json_parse(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_plain; // the fast reader takes it
    } cases[] = {
        { "{}", true },
        { "[]", true },
        { " { \"a\" : [ 1 , -2 , 0 , -0 ] , \"b\" : { } }\r", true },
        { "[true,false,null]", true },
        { "[1.5,-0.25,1e3,1E-2,2.5e+10,0.1,1772600000000]", true },
        { "[123456789012345678,-123456789012345678]", true },
        { "[9223372036854775807]", false },
        { "[99999999999999999999]", false },
        { "[1e999]", false },
        { "[01]", false },
        { "[1.]", false },
        { "[1.e5]", false },
        { "[-]", false },
        { "[1e]", false },
        { "[+1]", false },
        { "\"plain\"", true },
        { "\"tab\\tline\\nquote\\\"back\\\\slash\\/\\b\\f\\r\"", true },
        { "[\"a\\u00e9b\\u20ac\",\"\xc3\xa9\"]", true },
        { "\"pair \\ud83d\\ude00\"", false },
        { "\"lone \\ud83d\"", false },
        { "\"nul \\u0000\"", false },
        { "\"bad \\x\"", false },
        { "\"bad \\u12\"", false },
        { "\"raw \x01\"", false },
        { "\"raw \xff\"", false },
        { "\"open", false },
        { "\"open\\", false },
        { "{\"a\":1,\"a\":2}", true },
        { "{\"k\\n\":\"v\\n\",\"\":0}", true },
        { "{\"a-key-that-is-longer-than-what-fits-on-the-stack-of-the-reader-which-is-64-bytes\":"
          "1}",
          true },
        { "{\"a\"}", false },
        { "{\"a\":}", false },
        { "{\"a\":1,}", false },
        { "{1:2}", false },
        { "[1,]", false },
        { "[1 2]", false },
        { "[1]x", false },
        { "[1", false },
        { "tru", false },
        { "nulll", false },
        { "", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *text = cases[i].text;
        g_autoptr(json_t) fast = json_parse_plain(text, strlen(text));
        g_autoptr(json_t) slow = NULL;
        bool is_valid = json_parse(text, strlen(text), &slow, NULL);
        if ((fast != NULL) != cases[i].is_plain)
            fail_msg("%s: %s", text, fast ? "taken" : "not taken");
        if (fast && (!is_valid || !json_equal(fast, slow)))
            fail_msg("%s: another value", text);
    }
}

static void test_depth(void **state G_GNUC_UNUSED)
{
    for (int depth = 127; depth <= 129; depth++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int i = 0; i < depth; i++)
            g_string_append_c(text, '[');
        for (int i = 0; i < depth; i++)
            g_string_append_c(text, ']');
        g_autoptr(json_t) value = json_parse_plain(text->str, text->len);
        assert_int_equal(value != NULL, depth <= 128);
    }
}

static void test_partial(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "nothing", "", "{}" },
        { "blank", "  ", "{}" },
        { "whole", "{\"a\":1}", "{\"a\":1}" },
        { "unfinished string", "{\"path\":\"src/ma", "{\"path\":\"src/ma\"}" },
        { "unfinished key", "{\"a\":1,\"pa", "{\"a\":1}" },
        { "no value yet", "{\"a\":1,\"b\":", "{\"a\":1}" },
        { "no colon yet", "{\"a\":1,\"b\"", "{\"a\":1}" },
        { "unfinished number", "{\"a\":1,\"b\":12", "{\"a\":1}" },
        { "number", "{\"a\":1,\"b\":12,", "{\"a\":1,\"b\":12}" },
        { "unfinished word", "{\"a\":tru", "{}" },
        { "words", "{\"a\":true,\"b\":null,\"c\":fal", "{\"a\":true,\"b\":null}" },
        { "nested", "{\"a\":[1,{\"b\":\"x", "{\"a\":[1,{\"b\":\"x\"}]}" },
        { "empty containers", "{\"a\":[],\"b\":{},\"c\":[", "{\"a\":[],\"b\":{},\"c\":[]}" },
        { "bad escape", "{\"re\":\"\\d+\\.c\"}", "{\"re\":\"\\\\d+\\\\.c\"}" },
        { "raw control characters", "{\"a\":\"x\ny\tz\"}", "{\"a\":\"x\\ny\\tz\"}" },
        { "escapes", "{\"a\":\"\\n\\\"\\u00e9\\ud83d\\udd0d\\", "{\"a\":\"\\n\\\"é🔍\"}" },
        { "cut unicode escape", "{\"a\":\"x\\u00", "{\"a\":\"x\"}" },
        { "lone surrogate", "{\"a\":\"\\ud83d!\",", "{\"a\":\"\xef\xbf\xbd!\"}" },
        { "rubbish after a prefix", "{\"a\":1,\"b\":@}", "{\"a\":1}" },
        { "trailing text", "{\"a\":1} and more", "{\"a\":1}" },
        { "single quotes", "{'a':1}", "{}" },
        { "no object", "[1,2]", "{}" },
        { "a scalar", "null", "{}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) got = json_parse_partial(cases[i].in, strlen(cases[i].in), NULL);
        g_autofree char *text = json_to_text(got);
        g_autoptr(json_t) want = NULL;
        assert_true(json_parse_text(cases[i].want, &want, NULL));
        if (!json_equal(got, want))
            fail_msg("%s: got %s, want %s", cases[i].name, text, cases[i].want);
    }
}

/* core-111: what may be acted on. */
static void test_partial_complete(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *in;
        bool is_complete;
    } cases[] = {
        { "nothing", "", true },
        { "blank", " \n", true },
        { "null", "null", true },
        { "whole", "{\"a\":1}", true },
        { "whole, blanks around", " {\"a\":1}\n", true },
        { "raw newline and a bad escape", "{\"a\":\"x\ny\",\"re\":\"\\d\\'\"}", true },
        { "string cut", "{\"command\":\"rm -rf build", false },
        { "string cut behind a bad escape", "{\"command\":\"grep \\d", false },
        { "string cut behind a raw newline", "{\"command\":\"a\nb", false },
        { "object not closed", "{\"command\":\"rm -rf build\"", false },
        { "object not closed, repaired", "{\"re\":\"\\d\"", false },
        { "array not closed", "{\"a\":[1", false },
        { "inner object not closed", "{\"a\":{\"b\":1}", false },
        { "number cut", "{\"a\":12", false },
        { "word cut", "{\"a\":tru}", false },
        { "value missing", "{\"a\":}", false },
        { "comma before the end", "{\"a\":1,}", false },
        { "rubbish behind", "{\"a\":1}}", false },
        { "rubbish behind, repaired", "{\"a\":\"\\d\"} x", false },
        { "two objects", "{\"a\":1}{\"b\":2}", false },
        { "no object", "[1]", false },
        { "a string", "\"rm\"", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool is_complete = !cases[i].is_complete;
        g_autoptr(json_t) got = json_parse_partial(cases[i].in, strlen(cases[i].in), &is_complete);
        assert_true(json_is_object(got));
        if (is_complete != cases[i].is_complete)
            fail_msg("%s: complete %d", cases[i].name, is_complete);
    }
}

/* Every prefix of a real call gives an object whose fields are prefixes of the real ones. */
static void test_partial_prefixes(void **state G_GNUC_UNUSED)
{
    static const char whole[] =
        "{\"path\":\"a\\\"b\\u00e9\\\\.c\",\"edits\":[{\"old\":\"x\\n\",\"n\":-1.5e3},"
        "[true,false,null]],\"last\":{}}";
    for (size_t size = 0; size <= strlen(whole); size++) {
        bool is_complete = false;
        g_autoptr(json_t) got = json_parse_partial(whole, size, &is_complete);
        assert_true(json_is_object(got));
        assert_true(is_complete == (size == 0 || size == strlen(whole)));
        const char *path = json_get_text(got, "path");
        if (path && !str_has_prefix("a\"bé\\.c", path))
            fail_msg("%zu bytes: path is '%s'", size, path);
    }
}

static void test_partial_depth(void **state G_GNUC_UNUSED)
{
    g_autofree char *brackets = g_strnfill(100 * 1000, '[');
    g_autofree char *text = g_strconcat("{\"a\":", brackets, NULL);
    g_autoptr(json_t) got = json_parse_partial(text, strlen(text), NULL);
    size_t depth = 0;
    for (const json_t *at = json_object_get(got, "a"); at; at = json_array_get(at, 0))
        depth++;
    assert_true(depth < LIMIT_JSON_DEPTH);
}

/* What JSON5 has and JSON has not, and where it is refused. */
static void test_json5(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want; // JSON, or "line …"
    } cases[] = {
        { "{a: 'x', $b_1: [1, 2,], \"c\": true, é: null,}",
          "{\"a\":\"x\",\"$b_1\":[1,2],\"c\":true,\"é\":null}" },
        { "// one\n[ /* two */ 1,\f\xc2\xa0 2 /* three */ ] // four", "[1,2]" },
        { "[.5, 5., +1, -.5, 0x1F, -0xff, 1e3, 1.5E-1, +0]",
          "[0.5,5,1,-0.5,31,-255,1000.0,0.15,0]" },
        { "'it\\'s \"here\"\\\n\\x41\\u00e9\\ud83d\\ude00\\v\\a'",
          "\"it's \\\"here\\\"Aé😀\\u000ba\"" },
        { "'\\0\\u0000\\ud83d!'", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!\"" },
        { "[9223372036854775808]", "[9223372036854775808.0]" },
        { "{a 1}", "line 1 column 4: expected ':' after a key" },
        { "{1: 2}", "line 1 column 2: expected a key" },
        { "{a: 1 b: 2}", "line 1 column 7: expected ',' or '}'" },
        { "[1,\n é]", "line 2 column 2: expected a value" },
        { "[,]", "line 1 column 2: expected a value" },
        { "[1 2]", "line 1 column 4: expected ',' or ']'" },
        { "'a\nb'", "line 1 column 3: a string does not end" },
        { "['a", "line 1 column 4: a string does not end" },
        { "[1 /* x", "line 1 column 4: a comment does not end" },
        { "'\\x4g'", "line 1 column 3: \\x needs two hexadecimal digits" },
        { "'\\u12'", "line 1 column 3: \\u needs four hexadecimal digits" },
        { "0x", "line 1 column 1: a hexadecimal number that cannot be held" },
        { "007", "line 1 column 1: a number that JSON has not" },
        { "Infinity", "line 1 column 1: expected a value" },
        { "1 2", "line 1 column 3: expected nothing after the value" },
        { "", "line 1 column 1: expected a value" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) got = NULL;
        g_autoptr(json_t) want = NULL;
        g_autoptr(GError) error = NULL;
        bool is_read = json_parse_json5(cases[i].text, &got, &error);
        if (str_has_prefix(cases[i].want, "line ")) {
            if (is_read || strcmp(error->message, cases[i].want) != 0)
                fail_msg("%s: %s", cases[i].text, is_read ? "taken" : error->message);
            continue;
        }
        if (!is_read)
            fail_msg("%s: %s", cases[i].text, error->message);
        assert_true(json_parse_text(cases[i].want, &want, NULL));
        g_autofree char *shown = json_to_text(got);
        if (!json_equal(got, want))
            fail_msg("%s: got %s", cases[i].text, shown);
    }
    g_autofree char *deep = g_strnfill(LIMIT_JSON_DEPTH + 1, '[');
    g_autoptr(GError) error = NULL;
    json_t *value = NULL;
    assert_false(json_parse_json5(deep, &value, &error));
    assert_non_null(strstr(error->message, "nested too deeply"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_json_parse),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_partial),
        cmocka_unit_test(test_partial_complete),
        cmocka_unit_test(test_partial_prefixes),
        cmocka_unit_test(test_partial_depth),
        cmocka_unit_test(test_json5),
    };
    return cmocka_run_group_tests_name("json-reader", tests, NULL, NULL);
}
