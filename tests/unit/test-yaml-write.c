/*
 * base/yaml_write.c: what is written is read back as the same, whatever is in it, and looks as a
 * person would have written it.
 */
#include "unit.h"

#include "base/yaml.h"
#include "base/yaml_write.h"

static char *write_items(const char *json)
{
    g_autoptr(json_t) list = NULL;
    assert_true(json_parse_text(json, &list, NULL));
    GString *out = g_string_new(NULL);
    yaml_write_items(list, 2, out);
    return g_string_free(out, FALSE);
}

static void test_looks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        { "[\"a\",1,2.5,true,null,{},[]]",
          "  - a\n  - 1\n  - 2.5\n  - true\n  - null\n  - {}\n  - []\n" },
        { "[{\"uses\":\"x/y@v1\",\"with\":{\"a\":[1,2]}}]",
          "  - uses: x/y@v1\n    with:\n      a: [1, 2]\n" },
        { "[{\"run\":\"a\\n\\n  b\\n\"}]", "  - run: |\n      a\n\n        b\n" },
        { "[{\"run\":\"a\\nb\"}]", "  - run: |-\n      a\n      b\n" },
        { "[{\"run\":\" a\\nb\\n\"}]", "  - run: \" a\\nb\\n\"\n" },
        { "[{\"run\":\"a\\n\\n\"}]", "  - run: \"a\\n\\n\"\n" },
        { "[{\"N\":\"yes\",\"on\":\"off\"}]", "  - \"N\": \"yes\"\n    \"on\": \"off\"\n" },
        { "[[{\"a\":[{\"b\":\"c\"}]}]]", "  -\n    - a:\n        - b: c\n" },
        { "[\"a: b\",\"a #b\",\"- a\",\"1e3\",\"\"]",
          "  - \"a: b\"\n  - \"a #b\"\n  - \"- a\"\n  - \"1e3\"\n  - \"\"\n" },
        { "[\"\\u0085\\u2028\\ufeff\\u007f\\ufffe\"]",
          "  - \"\\u0085\\u2028\\ufeff\\u007f\\ufffe\"\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = write_items(cases[i].json);
        assert_string_equal(got, cases[i].want);
    }
}

/* Texts of random pieces that mean something to a reader of YAML; `?` is left out, which our own
   refuses beside a tab. */
static char *random_text(GRand *dice)
{
    static const char *const pieces[] = { "a",
                                          " ",
                                          "\n",
                                          "\t",
                                          ":",
                                          "#",
                                          "-",
                                          "'",
                                          "\"",
                                          "|",
                                          ">",
                                          "{",
                                          "]",
                                          ",",
                                          "&x",
                                          "*x",
                                          "!",
                                          "%",
                                          "@",
                                          "`",
                                          "...",
                                          "\r",
                                          "~",
                                          "=",
                                          "\\",
                                          "\xc2\x85",
                                          "\xe2\x80\xa8",
                                          "1",
                                          "${{ x }}",
                                          "\xef\xbb\xbf",
                                          "\xf0\x9f\x98\x80" };
    GString *text = g_string_new(NULL);
    for (int left = g_rand_int_range(dice, 0, 8); left > 0; left--)
        g_string_append(text, pieces[g_rand_int_range(dice, 0, G_N_ELEMENTS(pieces))]);
    return g_string_free(text, FALSE);
}

static json_t *random_value(GRand *dice, int depth)
{
    int kind = g_rand_int_range(dice, 0, depth > 0 ? 6 : 4);
    if (kind == 0)
        return json_integer(g_rand_int(dice));
    if (kind < 4) {
        g_autofree char *text = random_text(dice);
        return json_text(text);
    }
    json_t *all = kind == 4 ? json_array() : json_object();
    for (int left = g_rand_int_range(dice, 0, 4); left > 0; left--) {
        g_autofree char *key = random_text(dice);
        if (kind == 4)
            json_append_take(all, random_value(dice, depth - 1));
        else
            json_set_take(all, key, random_value(dice, depth - 1));
    }
    return all;
}

static void test_is_read_back(void **state G_GNUC_UNUSED)
{
    g_autoptr(GRand) dice = g_rand_new_with_seed(4);
    for (int i = 0; i < 3000; i++) {
        g_autoptr(json_t) list = json_array(), got = NULL;
        g_autoptr(GString) out = g_string_new("steps:\n");
        g_autoptr(GError) error = NULL;
        json_append_take(list, random_value(dice, 4));
        json_append_take(list, random_value(dice, 4));
        yaml_write_items(list, 6, out);
        if (!yaml_parse(out->str, out->len, "x", &got, &error) ||
            !json_equal(list, json_object_get(got, "steps"))) {
            g_autofree char *want = json_to_text(list);
            fail_msg("%d: %s\n%s\nfor %s", i, error ? error->message : "another value", out->str,
                     want);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
