/*
 * model/partial_json.c.
 */
#include "model_fixture.h"

#include "base/limits.h"
#include "model/partial_json.h"

static void test_texts(void **state G_GNUC_UNUSED)
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
        g_autoptr(json_t) got = partial_json_parse(cases[i].in, strlen(cases[i].in), NULL);
        g_autofree char *text = json_to_text(got);
        g_autoptr(json_t) want = NULL;
        assert_true(json_parse_text(cases[i].want, &want, NULL));
        if (!json_equal(got, want))
            fail_msg("%s: got %s, want %s", cases[i].name, text, cases[i].want);
    }
}

/* core-111: what may be acted on. */
static void test_complete(void **state G_GNUC_UNUSED)
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
        g_autoptr(json_t) got = partial_json_parse(cases[i].in, strlen(cases[i].in), &is_complete);
        assert_true(json_is_object(got));
        if (is_complete != cases[i].is_complete)
            fail_msg("%s: complete %d", cases[i].name, is_complete);
    }
}

/* Every prefix of a real call gives an object whose fields are prefixes of the real ones. */
static void test_prefixes(void **state G_GNUC_UNUSED)
{
    static const char whole[] =
        "{\"path\":\"a\\\"b\\u00e9\\\\.c\",\"edits\":[{\"old\":\"x\\n\",\"n\":-1.5e3},"
        "[true,false,null]],\"last\":{}}";
    for (size_t size = 0; size <= strlen(whole); size++) {
        bool is_complete = false;
        g_autoptr(json_t) got = partial_json_parse(whole, size, &is_complete);
        assert_true(json_is_object(got));
        assert_true(is_complete == (size == 0 || size == strlen(whole)));
        const char *path = json_get_text(got, "path");
        if (path && !g_str_has_prefix("a\"bé\\.c", path))
            fail_msg("%zu bytes: path is '%s'", size, path);
    }
}

static void test_depth(void **state G_GNUC_UNUSED)
{
    g_autofree char *brackets = g_strnfill(100 * 1000, '[');
    g_autofree char *text = g_strconcat("{\"a\":", brackets, NULL);
    g_autoptr(json_t) got = partial_json_parse(text, strlen(text), NULL);
    size_t depth = 0;
    for (const json_t *at = json_object_get(got, "a"); at; at = json_array_get(at, 0))
        depth++;
    assert_true(depth < LIMIT_JSON_DEPTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
