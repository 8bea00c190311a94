/*
 * Notebooks as text (agent-tools §3.1.10).
 */
#include "tool_fixture.h"

#include "tools/file/notebook.h"
#include "tools/tools.h"

static const char notebook[] =
    "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"metadata\": {},\n   \"source\": "
    "[\n    \"# Title\\n\",\n    \"text\"\n   ]\n  },\n  {\n   \"cell_type\": \"code\",\n   "
    "\"execution_count\": 3,\n   \"metadata\": {\n    \"tags\": [\n     \"a\"\n    ]\n   },\n   "
    "\"outputs\": [\n    {\n     \"output_type\": \"stream\"\n    }\n   ],\n   \"source\": "
    "\"x = 1\\nprint(x)\"\n  },\n  {\n   \"cell_type\": \"raw\",\n   \"metadata\": {},\n   "
    "\"source\": []\n  }\n ],\n \"metadata\": {\n  \"k\": 0.1\n },\n \"nbformat\": 4,\n "
    "\"nbformat_minor\": 4\n}\n";

static const char text[] = "# %% [markdown] cell:0\n# Title\ntext\n# %% [code] cell:1\nx = 1\n"
                           "print(x)\n# %% [raw] cell:2";

static void test_round_trip(void **state G_GNUC_UNUSED)
{
    g_autofree char *shown = NULL, *back = NULL;
    assert_true(notebook_to_text(notebook, strlen(notebook), "n.ipynb", &shown, NULL));
    assert_text("text", shown, text);
    assert_true(notebook_from_text(notebook, strlen(notebook), "n.ipynb", shown, &back, NULL));
    assert_text("unchanged", back, notebook);
}

/* Lines that an edit does not name are as they were, however deep they are indented. */
static void test_indent(void **state G_GNUC_UNUSED)
{
    for (int width = 1; width <= 4; width++) {
        g_autoptr(GString) wide = g_string_new(NULL);
        for (const char *p = notebook; *p; p++)
            for (int i = *p == ' ' && (p[-1] == '\n' || p[-1] == ' ') ? width : 1; i > 0; i--)
                g_string_append_c(wide, *p);
        g_autofree char *shown = NULL, *back = NULL;
        assert_true(notebook_to_text(wide->str, wide->len, "n.ipynb", &shown, NULL));
        assert_true(notebook_from_text(wide->str, wide->len, "n.ipynb", shown, &back, NULL));
        assert_text("unchanged", back, wide->str);
    }
}

static json_t *cells_after(const char *json, const char *edited)
{
    g_autofree char *back = NULL;
    g_autoptr(json_t) value = NULL;
    assert_true(notebook_from_text(json, json ? strlen(json) : 0, "n.ipynb", edited, &back, NULL));
    assert_true(json_parse_text(back, &value, NULL));
    return json_incref(json_get_array(value, "cells"));
}

/* Each edit of the text, and the cells that come of it. */
static void test_edits(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "changed source keeps outputs", "# %% [code] cell:1\ny\nz",
          "[{'cell_type':'code','execution_count':3,'metadata':{'tags':['a']},'outputs':"
          "[{'output_type':'stream'}],'source':['y\\n','z']}]" },
        { "no code, no outputs", "# %% [markdown] cell:1\ny",
          "[{'cell_type':'markdown','metadata':{'tags':['a']},'source':['y']}]" },
        { "new cells", "# %% [code]\na\n# %% [raw] cell:9\n# %% [markdown] cell:x\nb\n",
          "[{'cell_type':'code','metadata':{},'outputs':[],'execution_count':null,'source':['a']},"
          "{'cell_type':'raw','metadata':{},'source':[]},"
          "{'cell_type':'markdown','metadata':{},'source':['b\\n']}]" },
        { "the first use counts", "# %% [raw] cell:2\nq\n# %% [raw] cell:2\nr",
          "[{'cell_type':'raw','metadata':{},'source':['q']},"
          "{'cell_type':'raw','metadata':{},'source':['r']}]" },
        { "moved", "# %% [raw] cell:2\n# %% [markdown] cell:0\n# Title\ntext",
          "[{'cell_type':'raw','metadata':{},'source':[]},"
          "{'cell_type':'markdown','metadata':{},'source':['# Title\\n','text']}]" },
        { "a comment that is no marker", "# %% [code]\n# %% [other] cell:0\n# %% x",
          "[{'cell_type':'code','metadata':{},'outputs':[],'execution_count':null,"
          "'source':['# %% [other] cell:0\\n','# %% x']}]" },
        { "nothing", "", "[]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) got = cells_after(notebook, cases[i].text);
        g_autoptr(json_t) want = json_of(cases[i].want);
        g_autofree char *shown = json_to_text(got);
        if (!json_equal(got, want))
            fail_msg("%s: %s", cases[i].name, shown);
    }
    g_autoptr(json_t) made = cells_after(NULL, "# %% [markdown] cell:0\nhi");
    assert_non_null(json_get_text(json_array_get(made, 0), "id")); // nbformat 4.5 asks for one
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        { "{ not json", "Invalid JSON in notebook: n.ipynb" },
        { "[]", "Invalid notebook structure (missing cells array): n.ipynb" },
        { "{\"cells\":[{\"cell_type\":\"code\",\"source\":\"\"},{}]}",
          "Invalid notebook cell 1 in n.ipynb" },
        { "{\"cells\":[{\"cell_type\":\"code\",\"source\":[1]}]}",
          "Invalid notebook cell 0 in n.ipynb" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "n.ipynb", cases[i].json);
        g_autofree char *error =
            tool_fixture_error(fixture, &tool_read, json_pack("{s:s}", "path", "n.ipynb"));
        assert_text(cases[i].json, error, cases[i].want);
        g_autofree char *raw =
            tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", "n.ipynb:raw"));
        assert_text("raw", raw, cases[i].json);
    }
}

/* What is like a marker inside of a cell would split it, or take another's outputs. */
static void test_markers_in_cells(void **state G_GNUC_UNUSED)
{
    static const char *const sources[] = {
        "\"a\\n# %% [markdown]\\nb\"",
        "[\"a\\n\", \"# %% [code] cell:7\\n\"]",
        "\"# %% [raw]\\r\\nb\"",
        "[\"# %%\", \" [code]\"]",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
        g_autofree char *json =
            g_strdup_printf("{\"cells\":[{\"cell_type\":\"raw\",\"source\":\"x\"},"
                            "{\"cell_type\":\"code\",\"source\":%s}]}",
                            sources[i]);
        g_autofree char *shown = NULL;
        g_autofree char *back = NULL;
        g_autoptr(GError) error = NULL;
        assert_true(notebook_to_text(json, strlen(json), "n.ipynb", &shown, NULL));
        if (notebook_from_text(json, strlen(json), "n.ipynb", shown, &back, &error))
            fail_msg("%s becomes %s", sources[i], back);
        assert_text(sources[i], error->message,
                    "Cell 1 of n.ipynb holds a line that looks like a cell marker; change the file "
                    "with a program");
    }
}

/* tools-T33, with write in place of edit. */
static void test_tools(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "n.ipynb", notebook);
    g_autofree char *range =
        tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", "n.ipynb:4-4"));
    assert_contains("range", range, "# %% [code] cell:1\nx = 1\nprint(x)");
    g_autofree char *error = tool_fixture_error(
        fixture, &tool_write, json_pack("{s:s, s:s}", "path", "n.ipynb", "content", "plain"));
    assert_contains("no marker", error,
                    "Invalid notebook editable representation for n.ipynb: expected first line to "
                    "be \"# %% [code] cell:0\"");
    g_autofree char *edited = g_strconcat(text, "\nmore", NULL);
    g_free(tool_fixture_text(fixture, &tool_write,
                             json_pack("{s:s, s:s}", "path", "n.ipynb", "content", edited)));
    g_autofree char *again =
        tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", "n.ipynb"));
    assert_text("again", again, edited);
    g_autofree char *raw =
        tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", "n.ipynb:raw"));
    assert_contains("outputs", raw, "\"output_type\": \"stream\"");
    g_free(tool_fixture_text(fixture, &tool_write,
                             json_pack("{s:s, s:s}", "path", "m.ipynb", "content", notebook)));
    g_autofree char *copy =
        tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", "m.ipynb"));
    assert_text("a notebook as JSON", copy, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_indent),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_markers_in_cells),
        cmocka_unit_test(test_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
