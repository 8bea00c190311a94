/* Stale anchors: carried over where it is certain where they belong, refused where it is not. */
#include "tool_fixture.h"

#include "tools/edit/edit_mode.h"
#include "tools/file/hashline.h"
#include "tools/file/read_cache.h"
#include "tools/tools.h"

#define REFUSED "changed on disk"
#define TWIN    "int f(void)\n{\n    start();\n    step();\n    stop();\n}\n"

static char *file_text(const ToolFixture *fixture)
{
    g_autofree char *path = g_build_filename(fixture->cwd, "f.txt", NULL);
    char *text = NULL;
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

/* `12|text` of a template becomes the anchor of that line. */
static char *anchored(const char *template)
{
    g_auto(GStrv) parts = g_strsplit(template, "`", -1); // odd ones are lines
    GString *out = g_string_new(NULL);
    for (size_t i = 0; parts[i]; i++) {
        const char *bar = i % 2 == 1 ? strchr(parts[i], '|') : NULL;
        if (!bar) {
            g_string_append(out, parts[i]);
            continue;
        }
        char letters[HASHLINE_LETTERS + 1];
        size_t number = (size_t)g_ascii_strtoull(parts[i], NULL, 10);
        hashline_letters(number, bar + 1, strlen(bar + 1), letters);
        g_string_append_printf(out, "%zu%s", number, letters);
    }
    return g_string_free(out, FALSE);
}

static json_t *argument(const char *key, const char *value)
{
    json_t *arguments = json_object();
    json_set_text(arguments, key, value);
    return arguments;
}

static const struct {
    const char *name, *before, *read, *now, *ops;
    const char *after; // NULL: refused
    const char *error; // what it says then; NULL: that one line has changed
} cases[] = {
    { "lines above", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "f.txt",
      "top\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "= `8|8`..`8|8`\n~EIGHT",
      "top\n1\n2\n3\n4\n5\n6\n7\nEIGHT\n9\n10\n" },
    { "lines that went, and the number with them", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "f.txt",
      "4\n5\n6\n7\n8\n9\n10\n", "+ `9|9`\n~x", "4\n5\n6\n7\n8\n9\nx\n10\n" },
    { "two places, each by itself", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n", "f.txt",
      "0\n1\n2\n3\n4\n5\n6\n7\nx\n8\n9\n10\n11\n12\n13\n14\n15\n",
      "- `3|3`..`3|3`\n= `13|13`..`13|13`\n~y",
      "0\n1\n2\n4\n5\n6\n7\nx\n8\n9\n10\n11\n12\ny\n14\n15\n" },
    { "white space that changed stays", "a\nb\nc\nd\ne\n", "f.txt", "new\n  a\nb \nc\nd\ne\n",
      "= `3|c`..`3|c`\n~C", "new\n  a\nb \nC\nd\ne\n" },
    { "a part that was read is not enough: what was not may hold twins",
      "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n", "f.txt:8-12",
      "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n",
      "= `10|10`..`10|10`\n~TEN", NULL },
    { "the line is another", "1\n2\n3\n4\n5\n6\n7\n", "f.txt", "0\n1\n2\n3\nfour\n5\n6\n7\n",
      "= `4|4`..`4|4`\n~x", NULL },
    { "a line beside it is another", "1\n2\n3\n4\n5\n6\n7\n", "f.txt",
      "0\n1\n2\nthree\n4\n5\n6\n7\n", "= `4|4`..`4|4`\n~x", NULL },
    { "anchors of nobody", "1\n2\n3\n4\n5\n6\n7\n", "f.txt", "0\n1\n2\n3\n4\n5\n6\n7\n",
      "= 4zz..4zz\n~x", NULL },
    { "lines that were not read",
      "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n", "f.txt:8-12",
      "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n",
      "= `6|6`..`6|6`\n~x", NULL },
    { "a twin that came", "top\n" TWIN "end\n", "f.txt", "x\ntop\n" TWIN TWIN "end\n",
      "= `5|    step();`..`5|    step();`\n~    leap();", NULL },
    { "twins, of which the first went", TWIN "middle\n" TWIN, "f.txt", "middle\n" TWIN,
      "= `4|    step();`..`4|    step();`\n~    leap();", NULL },
    { "twins, of which the other went", TWIN "middle\n" TWIN, "f.txt", TWIN "middle\n",
      "= `11|    step();`..`11|    step();`\n~    leap();", NULL },
    { "a twin that was never read, when the one that was is gone",
      "top\n" TWIN "one\ntwo\nthree\nfour\nfive\nsix\n" TWIN "end\n", "f.txt:4-6",
      "top\none\ntwo\nthree\nfour\nfive\nsix\n" TWIN "end\n",
      "= `5|    step();`..`5|    step();`\n~    leap();", NULL },
    { "the same, with a line above that is still there",
      "top\n" TWIN "one\ntwo\nthree\nfour\nfive\nsix\n" TWIN "end\n", "f.txt:1-6",
      "top\nsix\n" TWIN "end\n", "= `5|    step();`..`5|    step();`\n~    leap();", NULL },
    { "a range of several lines", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "f.txt",
      "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", "= `3|3`..`6|6`\n~x", "0\n1\n2\nx\n7\n8\n9\n" },
    { "what is replaced stands deeper", "a\nb\nc\nd\ne\n", "f.txt", "new\na\nb\n  c\nd\ne\n",
      "= `3|c`..`3|c`\n~C", NULL },
    { "it stands less deep", "a\nb\n    c\nd\ne\n", "f.txt", "new\na\nb\n  c\nd\ne\n",
      "= `3|    c`..`3|    c`\n~    C", NULL },
    { "tabs for blanks", "a\nb\n    c\nd\ne\n", "f.txt", "new\na\nb\n\tc\nd\ne\n",
      "= `3|    c`..`3|    c`\n~    C", NULL },
    { "one of several lines stands deeper", "a\nb\nc\nd\ne\nf\n", "f.txt",
      "new\na\nb\nc\n  d\ne\nf\n", "= `3|c`..`5|e`\n~x\n~y", NULL,
      "Edit rejected: 3 lines have changed" },
    { "all of the block stands deeper", "a\nb\nc\nd\ne\n", "f.txt", "if\n  a\n  b\n  c\n  d\n  e\n",
      "+ `3|c`\n~x", NULL },
    { "what an insertion follows stands deeper", "a\nb\nc\nd\ne\n", "f.txt",
      "new\na\nb\n  c\nd\ne\n", "+ `3|c`\n~x", NULL },
    { "what an insertion precedes stands deeper", "a\nb\nc\nd\ne\n", "f.txt",
      "new\na\nb\nc\n  d\ne\n", "+ `3|c`\n~x", NULL },
    { "behind an empty line", "a\nb\nc\n\nd\ne\n", "f.txt", "new\na\nb\nc\n\n  d\ne\n",
      "+ `3|c`\n~x", NULL },
    { "a line that goes may stand deeper", "a\nb\nc\nd\ne\n", "f.txt", "new\na\nb\n  c\nd\ne\n",
      "- `3|c`..`3|c`", "new\na\nb\nd\ne\n" },
    { "the newline at the end goes", "1\n2\n3\n4\n5\n6\n", "f.txt", "0\n1\n2\n3\n4\n5\n6\n",
      "- `7|`..`7|`", NULL },
};

static void test_recovery(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const table[] = { &tool_read, &tool_edit_hashline, NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        fixture->tools = tool_set_new(table);
        tool_fixture_put(fixture, "f.txt", cases[i].before);
        g_autofree char *read G_GNUC_UNUSED =
            tool_fixture_text(fixture, &tool_read, argument("path", cases[i].read));
        tool_fixture_put(fixture, "f.txt", cases[i].now);
        g_autofree char *ops = anchored(cases[i].ops);
        g_autofree char *input = g_strconcat("@@ f.txt\n", ops, NULL);
        g_autofree char *first =
            tool_fixture_error(fixture, &tool_edit_hashline, argument("input", input));
        assert_contains(cases[i].name, first, REFUSED); // once, whatever the anchors
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_edit_hashline, argument("input", input), &result);
        g_autofree char *text = tool_result_text(&result);
        g_autofree char *after = file_text(fixture);
        assert_text(cases[i].name, after, cases[i].after ? cases[i].after : cases[i].now);
        if (cases[i].after)
            assert_contains(
                cases[i].name, text,
                "Warnings:\nRecovered from stale anchors using a previous read snapshot "
                "(file changed externally between read and edit).");
        else if (!strstr(text, "does not exist"))
            assert_contains(cases[i].name, text,
                            cases[i].error ? cases[i].error : "Edit rejected: 1 line has changed");
        assert_int_equal(result.is_error, cases[i].after == NULL);
    }
}

/* Our own edits are known: anchors from before them fit nothing. */
static void test_own_edit(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const table[] = { &tool_read, &tool_edit_hashline, NULL };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    fixture->tools = tool_set_new(table);
    tool_fixture_put(fixture, "f.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    g_autofree char *read G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_read, argument("path", "f.txt"));
    g_autofree char *edited G_GNUC_UNUSED =
        tool_fixture_text(fixture, &tool_edit_hashline, argument("input", "@@ f.txt\n+ BOF\n~new"));
    g_autofree char *ops = anchored("@@ f.txt\n= `5|5`..`5|5`\n~x");
    g_autofree char *text =
        tool_fixture_error(fixture, &tool_edit_hashline, argument("input", ops));
    assert_contains("old anchors", text, "Edit rejected: 1 line has changed");
}

/* A call of a tool that only looks at the cache. */
static bool look(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                 GError **error G_GNUC_UNUSED)
{
    const ToolFixture *fixture = tool_call_tool(call)->user_data;
    for (int i = 0; i < 31; i++) {
        g_autofree char *path = g_strdup_printf("%s/%d", fixture->cwd, i);
        assert_true(g_file_set_contents(path, "x", -1, NULL));
        ReadSnapshot *shown = read_snapshot_new();
        read_snapshot_add(shown, 1, "x", 1);
        read_cache_note(call, path, shown);
        if (i == 0)
            continue;
        g_autofree char *zero = g_build_filename(fixture->cwd, "0", NULL);
        g_autoptr(ReadSnapshot) used = read_cache_get(call, zero);
        assert_non_null(used); // the latest stay
    }
    g_autofree char *first = g_build_filename(fixture->cwd, "1", NULL);
    g_autoptr(ReadSnapshot) gone = read_cache_get(call, first);
    assert_null(gone);

    g_autofree char *path = g_build_filename(fixture->cwd, "2", NULL);
    ReadSnapshot *more = read_snapshot_new();
    read_snapshot_add(more, 2, "y", 1);
    more->total = 9;
    read_cache_note(call, path, more);
    g_autoptr(ReadSnapshot) both = read_cache_get(call, path);
    assert_int_equal(g_hash_table_size(both->lines), 2);
    assert_int_equal(both->total, 9);
    ReadSnapshot *other = read_snapshot_new();
    read_snapshot_add(other, 2, "z", 1);
    read_cache_note(call, path, other);
    g_autoptr(ReadSnapshot) anew = read_cache_get(call, path);
    assert_int_equal(g_hash_table_size(anew->lines), 1);
    read_cache_forget(call, path);
    g_autoptr(ReadSnapshot) none = read_cache_get(call, path);
    assert_null(none);
    tool_result_add_text(result, "ok");
    return true;
}

static void test_cache(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    static const FieldDef no_fields[] = { { 0 } };
    const ToolDef looker = {
        .name = "look", .summary = "Looks", .fields = no_fields, .run = look, .user_data = fixture
    };
    g_autofree char *text = tool_fixture_text(fixture, &looker, json_object());
    assert_string_equal(text, "ok");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_own_edit),
        cmocka_unit_test(test_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
