/*
 * base/yaml_edit.c: one change, and every other byte as it was.
 */
#include "unit.h"

#include "base/yaml.h"
#include "base/yaml_edit.h"

/* "a.b" → value as JSON; NULL removes. */
static bool edit(const char *text, const char *dotted, const char *json, char **ret_text,
                 GError **error)
{
    g_auto(GStrv) path = g_strsplit(dotted, ".", -1);
    g_autoptr(json_t) value = NULL;
    if (json)
        assert_true(json_parse_text(json, &value, NULL));
    return yaml_edit(text, strlen(text), "f.yml", (const char *const *)path, value, ret_text,
                     error);
}

static void test_changes(void **state)
{
    static const struct {
        const char *name, *in, *path, *json, *want;
    } cases[] = {
        { "empty file", "", "a", "1", "a: 1\n" },
        { "core-4 nested", "", "retry.maxRetries", "7", "retry:\n  maxRetries: 7\n" },
        { "only a comment", "# mine\n", "a", "true", "# mine\na: true\n" },
        { "comment without an end of line", "# mine", "a", "true", "# mine\na: true\n" },
        { "only a document start", "---\n", "a", "1", "---\na: 1\n" },
        { "replaced, comments stay", "# head\na: 1  # one\nb: 2 # two\n", "a", "5",
          "# head\na: 5  # one\nb: 2 # two\n" },
        { "quotes around the key", "\"a\"  :  'x y'   # c\n", "a", "\"z\"", "\"a\"  : z   # c\n" },
        { "no end of line", "a: 1", "a", "2", "a: 2" },
        { "added behind the last", "a: 1\nb:\n  c: 2 # c\n\n# end\n", "d", "3",
          "a: 1\nb:\n  c: 2 # c\nd: 3\n\n# end\n" },
        { "added without an end of line", "a: 1", "d", "3", "a: 1\nd: 3\n" },
        { "added in a map, its indent", "r:\n    x: 1 # x\n    # in\nz: 1\n", "r.w", "2",
          "r:\n    x: 1 # x\n    w: 2\n    # in\nz: 1\n" },
        { "added below a key without a value", "r: # here\nz: 1\n", "r.w", "2",
          "r: # here\n  w: 2\nz: 1\n" },
        { "null is no obstacle", "r: ~\n", "r.w", "2", "r: {w: 2}\n" },
        { "flow", "r: {x: 1, # x\n  y: 2}\n", "r.z", "[1, \"a\"]",
          "r: {x: 1, # x\n  y: 2, z: [1, a]}\n" },
        { "flow, empty", "r: {}\n", "r.z.k", "1", "r: {z: {k: 1}}\n" },
        { "flow, the whole file", "{\"a\": 1}\n", "b", "\"x\"", "{\"a\": 1, b: x}\n" },
        { "flow, replaced", "{\"a\": 1, \"b\": [1]}\n", "b", "\"x\"", "{\"a\": 1, \"b\": x}\n" },
        { "CRLF stays", "a: 1\r\nb: 2\r\n", "c.d", "3", "a: 1\r\nb: 2\r\nc:\r\n  d: 3\r\n" },
        { "list in place of a block list", "a:\n  - x\n  - y\nb: 1\n", "a", "[\"z\"]",
          "a: [z]\nb: 1\n" },
        { "behind a block text", "a: |\n  one\n\n# c\nb: 1\n", "c", "1",
          "a: |\n  one\n\n# c\nb: 1\nc: 1\n" },
        { "behind a block text at the end", "a: |\n  one\n", "c", "1", "a: |\n  one\nc: 1\n" },
        { "map in place of a block map", "m:\n  a: x\n  b: y # why\n", "m", "{\"c\":{\"d\":1}}",
          "m:\n  c:\n    d: 1 # why\n" },
        { "beside an alias", "x: &x 1\ny: *x\n", "z", "1", "x: &x 1\ny: *x\nz: 1\n" },
        { "over a merged key", "x: &x {k: 1}\ny:\n  <<: *x\n", "y.k", "2",
          "x: &x {k: 1}\ny:\n  <<: *x\n  k: 2\n" },
        { "unknown things stay", "!!map\nzz: [1,\n 2]   \n\n\na: 'it''s'\n", "a", "\"b: c\"",
          "!!map\nzz: [1,\n 2]   \n\n\na: \"b: c\"\n" },
        { "a directive stays", "%YAML 1.1\n---\na: 1\n", "a", "2", "%YAML 1.1\n---\na: 2\n" },
        { "behind many bytes a character", "é: \"\xe4\xb8\xad\" # é\na: 1 # é\nb: {é: é, c: 1}\n",
          "b.c", "2", "é: \"\xe4\xb8\xad\" # é\na: 1 # é\nb: {é: é, c: 2}\n" },
        { "behind a byte order mark",
          "\xef\xbb\xbf"
          "a: 1\nb: 2\n",
          "b", "3",
          "\xef\xbb\xbf"
          "a: 1\nb: 3\n" },
        { "an anchor that nobody needs", "a: &x 1\nb: 2\n", "a", "3", "a: 3\nb: 2\n" },
        { "behind a tag and an anchor", "a: !!map &x # c\n  k: [1]\nb: &y\n  - &z q\n", "a.k", "2",
          "a: !!map &x # c\n  k: 2\nb: &y\n  - &z q\n" },
        { "into a map with an anchor", "a: &x {k: 1}\n", "a.l", "2", "a: &x {k: 1, l: 2}\n" },
        { "a list at the indent of its key", "a:\n- x\n- y: [1, 2]\nb: 1\n", "c", "2",
          "a:\n- x\n- y: [1, 2]\nb: 1\nc: 2\n" },
        { "removed list at the indent of its key", "a:\n- x\n- y: {z: 1}\nb: 1\n", "a", NULL,
          "b: 1\n" },
        { "a # in text is no comment", "a: 'x # y'\n", "a", "1", "a: 1\n" },
        { "equal value", "a:   1 # c\n", "a", "1", "a: 1 # c\n" },

        { "removed with its comment", "a: 1\nb: 2 # c\nc: 3\n", "b", NULL, "a: 1\nc: 3\n" },
        { "the empty map goes too", "a: 1\nr:\n  x: 1\nc: 3\n", "r.x", NULL, "a: 1\nc: 3\n" },
        { "comments keep the map", "r: # why\n  x: 1\n  # in\nc: 3\n", "r.x", NULL,
          "r: # why\n  # in\nc: 3\n" },
        { "flow, first", "r: {x: 1, y: 2}\n", "r.x", NULL, "r: {y: 2}\n" },
        { "flow, last", "r: {x: 1, y: 2}\n", "r.y", NULL, "r: {x: 1}\n" },
        { "flow, only", "r: {x: 1}\nb: 1\n", "r.x", NULL, "b: 1\n" },
        { "the only key of the file", "# c\na: 1\n", "a", NULL, "# c\n" },
        { "not there", "a: 1 #c\n", "b.c", NULL, "a: 1 #c\n" },
        { "removed block list", "a:\n  - x\n\n  - y\nb: 1\n", "a", NULL, "b: 1\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        if (!edit(cases[i].in, cases[i].path, cases[i].json, &got, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got\n%s\nwant\n%s", cases[i].name, got, cases[i].want);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *name, *in, *path, *json, *want;
    } cases[] = {
        { "broken", "a: [1\n", "b", "1", "f.yml: yaml: line " },
        { "a comment inside", "x: 1\na:\n  - x # why\n  - y\n", "a", "[1]",
          "f.yml: line 2: the value of a has a comment inside, which would be lost" },
        { "also when removed", "a: # c\n  - x\nb: 1\n", "a", NULL, "line 1: the value of a" },
        { "below an alias", "x: &x {k: 1}\ny: *x\n", "y.k", "2", "line 2: the value is an alias" },
        { "an alias itself", "x: &x {k: 1}\ny: *x\n", "y", "2", "line 2: the value is an alias" },
        { "an anchor others need", "x: &x 1\ny: *x\n", "x", "2", "cannot be changed in place" },
        { "below a scalar", "gh: 3\n", "gh.policy", "{}", "line 1: gh must be a map" },
        { "below a list", "a: 1\ngh: [3]\n", "gh.policy", "{}", "line 2: gh must be a map" },
        { "the file is a list", "- a\n", "b", "1", "the whole file must be a map" },
        { "a comment behind the sign of a block text", "a: | # c\n  x\n", "a", "1",
          "f.yml: line 1: the value of a has a comment inside" },
        { "explicit key", "? a\n: 1\n", "a", "2", "cannot be changed in place" },
        { "behind the end of the document", "a: 1\n...\n# x\n", "zz", "1", NULL },
        { "removed from a merge", "x: &x {k: 1}\ny:\n  <<: *x\n", "y.k", NULL, "merge key" },
        { "no UTF-8", "a: \xff\n", "a", "1", "holds bytes that are no UTF-8" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        bool is_done = edit(cases[i].in, cases[i].path, cases[i].json, &got, &error);
        if (is_done != (cases[i].want == NULL))
            fail_msg("%s: got\n%s", cases[i].name, is_done ? got : error->message);
        if (!is_done && !strstr(error->message, cases[i].want))
            fail_msg("%s: %s", cases[i].name, error->message);
    }
}

/* Every text that is set can be read back, whatever YAML thinks of it. */
static void test_values_read_back(void **state)
{
    static const char *const values[] = {
        "\"\"",
        "\"yes\"",
        "\"NO\"",
        "\"1\"",
        "\"0x10\"",
        "\"~\"",
        "\"a b\"",
        "\"a: b\"",
        "\"a #b\"",
        "\"a:\"",
        "\"- a\"",
        "\"[x\"",
        "\"é\\n\\t\"",
        "\"\\u007f\"",
        "\"a\\\\b\\\"\"",
        "\"1e3\"",
        "1.5",
        "-7",
        "null",
        "[\"a,b\", {}]",
        "{\"a b\":[]}",
        "{\"\": 1}",
        "\"!x\"",
        "\"&x\"",
        "\"a  b\"",
        "\" a\"",
        "\"a \"",
        "\".5\"",
        "\"/x/y\"",
        "\"---\"",
        "\"https://h:8080/x\"",
        "{\"on\":\"off\",\"<<\":1}",
        "\"2026-01-01\"",
        "\"\\u2028\"",
    };
    static const char *const texts[] = { "", "k: 0 # c\n", "{k: [1]}\n", "k: {a: 1}\nz: 1\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(values) * G_N_ELEMENTS(texts); i++) {
        const char *value = values[i / G_N_ELEMENTS(texts)];
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        if (!edit(texts[i % G_N_ELEMENTS(texts)], "k", value, &got, &error))
            fail_msg("%s in %s: %s", value, texts[i % G_N_ELEMENTS(texts)], error->message);
        g_autoptr(json_t) want = NULL;
        g_autoptr(json_t) read = NULL;
        assert_true(json_parse_text(value, &want, NULL));
        assert_true(yaml_parse(got, strlen(got), NULL, &read, &error));
        if (!json_equal(json_object_get(read, "k"), want))
            fail_msg("%s became %s", value, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_values_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
