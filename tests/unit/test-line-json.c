/*
 * The fast JSON reader against json_parse(): the same value, or none.
 */
#include "unit.h"

#include "session/line_json.h"

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
        g_autoptr(json_t) fast = line_json_parse(text, strlen(text));
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
        g_autoptr(json_t) value = line_json_parse(text->str, text->len);
        assert_int_equal(value != NULL, depth <= 128);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_json_parse),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests_name("line-json", tests, NULL, NULL);
}
