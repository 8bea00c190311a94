/*
 * base/yaml.c: the YAML level of task-engine §2.1.
 */
#include "base/str.h"
#include "unit.h"

#include "base/limits.h"
#include "base/yaml.h"

#include <glib/gstdio.h>

static void test_accepted(void **state)
{
    static const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "empty", "", "null" },
        { "only a comment", "# x\n", "null" },
        { "only a document start", "---\n", "null" },
        { "document start and end", "---\na: 1\n...\n", "{\"a\":1}" },
        { "scalar", "hello world", "\"hello world\"" },
        { "task-C15: on and yes are text", "on: push\nb: [yes, off, No, y]\n",
          "{\"on\":\"push\",\"b\":[\"yes\",\"off\",\"No\",\"y\"]}" },
        { "task-C15: hex, null, quoted", "[0x10, ~, \"1\", '2']", "[16,null,\"1\",\"2\"]" },
        { "booleans", "[true, True, TRUE, false, False, FALSE, tRue]",
          "[true,true,true,false,false,false,\"tRue\"]" },
        { "nulls", "[null, Null, NULL, ~, nUll, ]", "[null,null,null,null,\"nUll\"]" },
        { "empty values", "a:\nb: \n", "{\"a\":null,\"b\":null}" },
        { "integers", "[0, -7, +7, 007, 0o17, 0xfF, -0x1, 0o8]",
          "[0,-7,7,7,15,255,\"-0x1\",\"0o8\"]" },
        { "64 bits", "[9223372036854775807, 9223372036854775808, 0x8000000000000000]",
          "[9223372036854775807,9.223372036854776e18,9.223372036854776e18]" },
        { "floats", "[1.5, .5, 5., 1e3, -1.5E-2, 1e, ., +.5, 1.2.3]",
          "[1.5,0.5,5.0,1000.0,-0.015,\"1e\",\".\",0.5,\"1.2.3\"]" },
        { "not in JSON", "[.inf, -.INF, .nan, 1e999]", "[\".inf\",\"-.INF\",\".nan\",\"1e999\"]" },
        { "times and versions are text", "[2024-01-02, 1:30, 3.12.1]",
          "[\"2024-01-02\",\"1:30\",\"3.12.1\"]" },
        { "block styles", "a: |\n  x\n  y\nb: >-\n  x\n  y\nc: |+\n  z\n\nd: |2-\n    w\n",
          "{\"a\":\"x\\ny\\n\",\"b\":\"x y\",\"c\":\"z\\n\\n\",\"d\":\"  w\"}" },
        { "quoted over lines", "a: \"x\n  y\"\nb: 'it''s'\n", "{\"a\":\"x y\",\"b\":\"it's\"}" },
        { "plain over lines", "a: x\n  y\nb: 1\n", "{\"a\":\"x y\",\"b\":1}" },
        { "flow and block", "a: {b: [1, {c: d}], e: }\nf:\n- g: 1\n  h: 2\n- - i\n",
          "{\"a\":{\"b\":[1,{\"c\":\"d\"}],\"e\":null},\"f\":[{\"g\":1,\"h\":2},[\"i\"]]}" },
        { "keys become their text", "1: a\ntrue: b\n~: c\n1.50: d\n",
          "{\"1\":\"a\",\"true\":\"b\",\"~\":\"c\",\"1.50\":\"d\"}" },
        { "CRLF", "a: 1\r\nb:\r\n  - x\r\n", "{\"a\":1,\"b\":[\"x\"]}" },
        { "BOM",
          "\xef\xbb\xbf"
          "a: 1\nb: 2\n",
          "{\"a\":1,\"b\":2}" },
        { "invalid bytes", "a: x\xff\n", "{\"a\":\"x\xef\xbf\xbd\"}" },
        { "escaped NUL", "a: \"x\\0\"\n", "{\"a\":\"x\xef\xbf\xbd\"}" },
        { "alias", "a: &x {k: [1]}\nb: *x\nc: &s text\nd: *s\n",
          "{\"a\":{\"k\":[1]},\"b\":{\"k\":[1]},\"c\":\"text\",\"d\":\"text\"}" },
        { "anchor set again", "a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}" },
        { "alias as a key", "a: &x k\n*x : 1\n", "{\"a\":\"k\",\"k\":1}" },
        { "merge: own keys win", "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  k: 3\n",
          "{\"a\":{\"k\":1,\"l\":2},\"b\":{\"k\":3,\"l\":2}}" },
        { "merge after the own key", "a: &x {k: 1}\nb:\n  k: 3\n  <<: *x\n",
          "{\"a\":{\"k\":1},\"b\":{\"k\":3}}" },
        { "merge list: the first wins", "{<<: [{k: 1}, {k: 2, l: 3}]}", "{\"k\":1,\"l\":3}" },
        { "a merged mapping merged again", "a: &a {k: 1}\nb: &b\n  <<: *a\n  l: 2\nc:\n  <<: *b\n",
          "{\"a\":{\"k\":1},\"b\":{\"l\":2,\"k\":1},\"c\":{\"l\":2,\"k\":1}}" },
        { "quoted << is a key", "\"<<\": 3\n", "{\"<<\":3}" },
        { "tags", "[!!str 12, !!int \"5\", !x 5, ! 12, !x \"7\", !!bool 'true']",
          "[\"12\",5,5,\"12\",\"7\",true]" },
        { "same key in different maps", "a: {k: 1}\nb: {k: 1}\n",
          "{\"a\":{\"k\":1},\"b\":{\"k\":1}}" },
        { "a directive changes nothing", "%YAML 1.1\n---\na: yes\n", "{\"a\":\"yes\"}" },
        { "explicit keys and tabs", "a:\tb\n? c\n: d\t# x\n", "{\"a\":\"b\",\"c\":\"d\"}" },
        { "empty block text", "a: |\nb: >\n", "{\"a\":\"\",\"b\":\"\"}" },
        { "tag and anchor of a block text", "a: !!str |\n  [x\nb: &b >\n  \"y\nc: *b\n",
          "{\"a\":\"[x\\n\",\"b\":\"\\\"y\\n\",\"c\":\"\\\"y\\n\"}" },
        { "an item with nothing in it", "a:\n- \nb:\n  -", "{\"a\":[null],\"b\":[null]}" },
        { "any character", "a: \xf0\x9f\x98\x80 \xe4\xb8\xad\nb: \"\\L\\N\\x7f\\U0001F600\"\n",
          "{\"a\":\"\xf0\x9f\x98\x80 "
          "\xe4\xb8\xad\",\"b\":\"\xe2\x80\xa8\xc2\x85\x7f\xf0\x9f\x98\x80\"}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) value = NULL;
        g_autoptr(GError) error = NULL;
        if (!yaml_parse(cases[i].in, strlen(cases[i].in), "x.yml", &value, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        g_autofree char *got = json_to_text(value);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].name, got);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "? a:\t: B\n", "x.yml: yaml: line 1: a mapping key must be a scalar" },
        { "- ? a\n  ? b:\t:\n", "x.yml: yaml: line 2: " },
        // what looks like one line would be two
        { "a: 1\nb: x\xe2\x80\xa8on: y\n",
          "x.yml: yaml: line 2: the line separator U+2028 cannot be used here (as \\L in double "
          "quotes it can)" },
        { "a: \"\xc2\x85\"\n",
          "x.yml: yaml: line 1: the line separator U+0085 cannot be used here (as \\N in double "
          "quotes it can)" },
        { "a: b\nc: \x07\n", "x.yml: yaml: line 2: control characters are not allowed (U+0007)" },
        { "%X y\n---\na: 1\n", "x.yml: yaml: line 1: " },
        { "a: 1\nb: 2\n\na: 3\n",
          "x.yml: yaml: line 4: mapping key \"a\" already defined at line 1" },
        { "{a: 1, \"a\": 2}", "x.yml: yaml: line 1: mapping key \"a\" already defined at line 1" },
        { "1: a\n\"1\": b\n", "x.yml: yaml: line 2: mapping key \"1\" already defined at line 1" },
        { "a:\n  <<: {b: 1}\n  <<: {c: 1}\n",
          "x.yml: yaml: line 3: mapping key \"<<\" already defined at line 2" },
        { "a:\n  <<: {b: 1}\n  \"<<\": 1\n",
          "x.yml: yaml: line 3: mapping key \"<<\" already defined at line 2" },
        { "a:\n  \"<<\": 1\n  <<: {b: 1}\n",
          "x.yml: yaml: line 3: mapping key \"<<\" already defined at line 2" },
        { "a:\n  x: 1\n  y: {b: 1, c: 2}\nb:\n  - x: 1\n    y: 2\nd:\nb: 3\n",
          "x.yml: yaml: line 8: mapping key \"b\" already defined at line 4" },
        { "a:\n  <<: {k: 1}\n  x: {k: 1}\n  <: 1\n  y:\n  z: 1\n  y: 2\n",
          "x.yml: yaml: line 7: mapping key \"y\" already defined at line 5" },
        { "a:\nb: &x b\n*x : 1\n",
          "x.yml: yaml: line 3: mapping key \"b\" already defined at line 2" },
        { "a: 1\nb: *nope\n", "x.yml: yaml: line 2: unknown anchor \"nope\"" },
        { "a: &x [*x]\n", "x.yml: yaml: line 1: unknown anchor \"x\"" },
        { "a: 1\n? [b]\n: c\n", "x.yml: yaml: line 2: a mapping key must be a scalar" },
        { "a: &x [1]\n*x : c\n", "x.yml: yaml: line 2: a mapping key must be a scalar" },
        { "a: 1\n<<: 3\n",
          "x.yml: yaml: line 2: a merge key needs a mapping or a list of mappings" },
        { "<<: [{a: 1}, 3]\n",
          "x.yml: yaml: line 1: a merge key needs a mapping or a list of mappings" },
        { "a: 1\n---\nb: 2\n", "x.yml: yaml: line 2: a second document" },
        { "a: 1\nb: @x\n", "x.yml: yaml: line 2: " },
        { "a: [1\n", "x.yml: yaml: line 2: did not find expected ',' or ']', while parsing a flow "
                     "sequence from line 1 on" },
        { "a:\n\t- b\n", "x.yml: yaml: line " },
        { "a: \"x\n", "x.yml: yaml: line " },
        { "a: b: c\n", "x.yml: yaml: line 1: " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        json_t *value = NULL;
        g_autoptr(GError) error = NULL;
        if (yaml_parse(cases[i].in, strlen(cases[i].in), "x.yml", &value, &error))
            fail_msg("accepted: %s", cases[i].in);
        assert_null(value);
        assert_true(error_is(error, KEDGE_ERROR_PROTOCOL));
        bool is_prefix = g_str_has_suffix(cases[i].want, " ");
        if (is_prefix ? !str_has_prefix(error->message, cases[i].want)
                      : strcmp(error->message, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].in, error->message);
        assert_null(strchr(error->message, '\n'));
    }
    g_autoptr(GError) error = NULL;
    json_t *value = NULL;
    assert_false(yaml_parse("a: *b", 5, NULL, &value, &error));
    assert_string_equal(error->message, "yaml: line 1: unknown anchor \"b\"");
}

static void expect_too_complex(const char *name, const char *text)
{
    json_t *value = NULL;
    g_autoptr(GError) error = NULL;
    if (yaml_parse(text, strlen(text), NULL, &value, &error))
        fail_msg("%s: accepted", name);
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    assert_string_equal(error->message, "yaml: document too complex");
}

static char *nested(int depth)
{
    g_autofree char *open = g_strnfill((size_t)depth, '[');
    g_autofree char *close = g_strnfill((size_t)depth, ']');
    return g_strconcat(open, close, NULL);
}

static void test_limits(void **state)
{
    g_autofree char *deep = nested(LIMIT_YAML_DEPTH);
    g_autoptr(json_t) value = NULL;
    assert_true(yaml_parse(deep, strlen(deep), NULL, &value, NULL));
    g_autofree char *deeper = nested(LIMIT_YAML_DEPTH + 1);
    expect_too_complex("depth", deeper);
    g_autofree char *unclosed = g_strnfill(100000, '[');
    expect_too_complex("unclosed", unclosed);

    g_autoptr(GString) blocks = g_string_new(NULL);
    for (int i = 0; i < 150; i++)
        g_string_append_printf(blocks, "%*sa:\n", i, "");
    expect_too_complex("block depth", blocks->str);

    g_autoptr(GString) nodes = g_string_new(NULL);
    for (int i = 0; i <= LIMIT_YAML_NODES; i++)
        g_string_append(nodes, "- a\n");
    expect_too_complex("nodes", nodes->str);

    static const char *const breaks[] = { "\n", "\r", "\r\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(breaks); i++) {
        g_autoptr(GString) tags = g_string_new(NULL);
        for (int j = 0; tags->len < LIMIT_CONFIG_FILE_BYTES / 2; j++)
            g_string_append_printf(tags, "%%TAG !%d! x%s", j, breaks[i]);
        expect_too_complex("tag directives", tags->str);
    }

    g_autofree char *large = g_strnfill(LIMIT_CONFIG_FILE_BYTES + 1, '#');
    expect_too_complex("size", large);
}

static void test_alias_bombs(void **state)
{
    // task-C19: ten levels of ten aliases, 10^10 nodes when expanded.
    g_autoptr(GString) bomb = g_string_new("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 10; i++) {
        g_string_append_printf(bomb, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            g_string_append_printf(bomb, "*a%d,", i - 1);
        g_string_append(bomb, "]\n");
    }
    expect_too_complex("task-C19", bomb->str);

    g_autoptr(GString) merges = g_string_new("a0: &a0 {k0: [1,2,3,4,5,6,7,8,9]}\n");
    for (int i = 1; i < 30; i++)
        g_string_append_printf(merges, "a%d: &a%d {k%d: [*a%d, *a%d], <<: *a%d}\n", i, i, i, i - 1,
                               i - 1, i - 1);
    expect_too_complex("merges", merges->str);

    // Each alias adds a level that its text does not show.
    g_autoptr(GString) tower = g_string_new("a0: &a0 [x]\n");
    for (int i = 1; i < 120; i++)
        g_string_append_printf(tower, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    expect_too_complex("tower", tower->str);
}

static void test_values_are_independent(void **state)
{
    const char *text = "a: &x {k: 1}\nb: *x\nc: {<<: *x}\n";
    g_autoptr(json_t) value = NULL;
    assert_true(yaml_parse(text, strlen(text), NULL, &value, NULL));
    json_set_int(json_get_object(value, "a"), "k", 2);
    assert_int_equal(json_get_int(json_get_object(value, "b"), "k", 0), 1);
    assert_int_equal(json_get_int(json_get_object(value, "c"), "k", 0), 1);
}

static void test_read_file(void **state)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-yaml-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "config.yml", NULL);
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(yaml_read_file(path, &value, &error));
    assert_true(error_is(error, KEDGE_ERROR_NOT_FOUND));
    g_clear_error(&error);

    assert_true(g_file_set_contents(path, "a: 1\na: 2\n", -1, NULL));
    assert_false(yaml_read_file(path, &value, &error));
    g_autofree char *want =
        g_strconcat(path, ": yaml: line 2: mapping key \"a\" already defined at line 1", NULL);
    assert_string_equal(error->message, want);

    assert_true(g_file_set_contents(path, "retry:\n  enabled: true\n", -1, NULL));
    assert_true(yaml_read_file(path, &value, NULL));
    assert_true(json_is_true(json_get_path(value, "retry.enabled")));
    g_unlink(path);
    g_rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_alias_bombs),
        cmocka_unit_test(test_read_file), cmocka_unit_test(test_values_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
