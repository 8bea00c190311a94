/*
 * Tests of agent-tools mmd-validate: what it reads, and its answer (agent-tools-cli §8.1, §8.3).
 */
#include "mmd_fixture.h"
#include "operation_fixture.h"

#include "agenttools/agenttools.h"

#include <sys/stat.h>

static const char design[] = "# Design\n"
                             "\n"
                             "```mermaid\n"
                             "flowchart TD\n"
                             "    A --> B\n"
                             "```\n"
                             "\n"
                             "> ```mermaid\n"
                             "> flowchart TD\n"
                             ">     é -->|x B\n"
                             "> ```\n";

static ToolFixture *fixture_new(void)
{
    ToolFixture *self = tool_fixture_new(NULL, false);
    tool_fixture_put(self, "design.md", design);
    tool_fixture_put(self, "docs/a.mmd", "pie\n\"A\" : 1\n");
    g_unsetenv("KEDGE_MERMAID_DIR");
    return self;
}

/* The envelope for `arguments` as json_of(). New reference. */
static json_t *validate(const ToolFixture *self, const char *arguments)
{
    return operation_call(self, &operation_mmd_validate, json_of(arguments));
}

/* The same for a document, and an engine (may be NULL). */
static json_t *validate_text(const ToolFixture *self, const char *content, const char *engine)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "content", content);
    json_set_text(arguments, "engine", engine);
    return operation_call(self, &operation_mmd_validate, arguments);
}

static const json_t *diagram_of(const json_t *envelope, size_t index)
{
    return json_array_get(json_get_array(json_object_get(envelope, "data"), "diagrams"), index);
}

static const json_t *error_of(const json_t *envelope, size_t diagram, size_t index)
{
    return json_array_get(json_get_array(diagram_of(envelope, diagram), "errors"), index);
}

static gint64 summary_of(const json_t *envelope, const char *key)
{
    return json_get_int(json_get_path(json_object_get(envelope, "data"), "summary"), key, -1);
}

static const char *text_of(const json_t *envelope, const char *list, size_t index)
{
    return json_string_value(json_array_get(json_get_array(envelope, list), index));
}

static void test_envelope(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = fixture_new();
    g_autoptr(json_t) envelope = validate(self, "{'files':['design.md']}");
    g_autofree char *got = json_to_pretty(envelope);
    g_autofree char *want = g_strdelimit(
        g_strdup("{`success`:false,`tool`:`mmd-validate`,`data`:{`diagrams`:["
                 "{`index`:0,`valid`:true,`diagramType`:`flowchart-v2`,`startLine`:4,`endLine`:5,"
                 "`checked`:`full`},"
                 "{`index`:1,`valid`:false,`diagramType`:`flowchart-v2`,`startLine`:9,`endLine`:10,"
                 "`checked`:`full`,`errors`:[{`diagramIndex`:1,`class`:`syntax`,`message`:"
                 "`expected '|' to close the label, found the end of the diagram`,"
                 "`line`:10,`column`:16,`context`:`>     é -->|x B`,"
                 "`hint`:`close it with '|'`,"
                 "`related`:[{`line`:10,`column`:12,`message`:`opened here`}]}]}],"
                 "`summary`:{`total`:2,`valid`:1,`invalid`:1,`unchecked`:0},`engine`:`native`},"
                 "`errors`:[`design.md:10:16: expected '|' to close the label, found the end of "
                 "the diagram`],"
                 "`error_details`:[{`code`:`diagram_invalid`,`message`:`design.md:10:16: expected "
                 "'|' to close the label, found the end of the diagram`,`line`:10,`column`:16,"
                 "`context`:`>     é -->|x B`}]}"),
        "`", '"');
    g_autoptr(json_t) expected = NULL;
    assert_true(json_parse_text(want, &expected, NULL));
    g_autofree char *expected_text = json_to_pretty(expected);
    assert_text("whole", got, expected_text);
}

static void test_sources(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = fixture_new();
    g_autoptr(json_t) raw = validate_text(self, "pie\n\"A\" : x\n", NULL);
    assert_string_equal(text_of(raw, "errors", 0), "<stdin>:2:7: expected a number, found 'x'");

    g_autoptr(json_t) markdown = validate_text(self, design, NULL);
    assert_int_equal(summary_of(markdown, "total"), 2);
    assert_null(json_object_get(diagram_of(markdown, 0), "file"));

    g_autoptr(json_t) named =
        validate(self, "{'content':'text\\nno diagram','path':'notes/x.mmd'}");
    assert_string_equal(
        text_of(named, "errors", 0),
        "notes/x.mmd:1:1: expected a diagram type, such as 'flowchart', not 'text'");

    g_autoptr(json_t) forced = validate(self, "{'content':'text','format':'mermaid'}");
    assert_int_equal(summary_of(forced, "invalid"), 1);
    g_autoptr(json_t) none = validate(self, "{'content':'pie','format':'markdown'}");
    assert_int_equal(summary_of(none, "total"), 0);
    assert_true(json_get_bool(none, "success", false));

    g_autoptr(json_t) two = validate(self, "{'files':['design.md','docs/a.mmd']}");
    assert_int_equal(summary_of(two, "total"), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(json_get_int(diagram_of(two, i), "index", -1), i);
        assert_string_equal(json_get_text(diagram_of(two, i), "file"),
                            i < 2 ? "design.md" : "docs/a.mmd");
    }
}

static void test_refusals(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *arguments, *message, *code;
    } cases[] = {
        { "{'files':['x.md']}", "File not found: x.md", "not_found" },
        { "{'content':''}", "No input provided", "no_input" },
        { "{'content':' \\n\\t'}", "No input provided", "no_input" },
        { "{}", "No input provided", "no_input" },
        { "{'files':[]}", "No input provided", "no_input" },
        { "{'files':['large.md']}", "File is too large: large.md (limit 8388608 bytes)",
          "validation" },
        { "{'files':['design.md'],'content':'pie'}",
          "Validation failed: files and content exclude each other", "validation" },
        { "{'content':'pie','engine':'browser'}",
          "Validation failed: engine must be one of: native, mermaid, auto", "validation" },
        { "{'content':'pie','format':'html'}",
          "Validation failed: format must be one of: auto, markdown, mermaid", "validation" },
        { "{'content':'pie','engine':'mermaid'}",
          "The mermaid engine needs Node.js 20 or newer and KEDGE_MERMAID_DIR with mermaid and "
          "jsdom installed",
          "unavailable" },
    };
    g_autoptr(ToolFixture) self = fixture_new();
    g_autofree char *large = g_strnfill(8388609, 'x');
    tool_fixture_put(self, "large.md", large);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *message =
            operation_error(self, &operation_mmd_validate, cases[i].arguments, cases[i].code);
        assert_text(cases[i].arguments, message, cases[i].message);
    }

    // the other files are checked all the same
    g_autoptr(json_t) envelope = validate(self, "{'files':['x.md','docs/a.mmd']}");
    assert_string_equal(text_of(envelope, "errors", 0), "File not found: x.md");
    assert_int_equal(summary_of(envelope, "valid"), 1);
}

static void test_warnings(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = fixture_new();
    g_autoptr(json_t) header = validate_text(self, "C4Context\ntitle x\n", "auto");
    assert_true(json_get_bool(header, "success", false));
    assert_string_equal(text_of(header, "warnings", 0),
                        "Diagram 0 (c4): only the header was checked");
    assert_string_equal(json_get_text(diagram_of(header, 0), "checked"), "header");
    assert_int_equal(summary_of(header, "unchecked"), 1);
    assert_int_equal(summary_of(header, "valid"), 1);
    assert_string_equal(json_get_text(json_object_get(header, "data"), "engine"), "native");

    g_autoptr(GString) text = g_string_new("flowchart TD\n");
    while (text->len < 50500)
        g_string_append(text, "A[some text]\n");
    g_autoptr(json_t) large = validate_text(self, text->str, NULL);
    assert_true(json_get_bool(large, "success", false));
    assert_contains("large", text_of(large, "warnings", 0), "too_large");
}

static void test_unclosed_fence(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = fixture_new();
    g_autoptr(json_t) envelope = validate_text(self, "x\n```mermaid\npie\n\"A\" : x\n", NULL);
    const json_t *fence = error_of(envelope, 0, 0), *content = error_of(envelope, 0, 1);
    assert_string_equal(json_get_text(fence, "class"), "unclosed_fence");
    assert_int_equal(json_get_int(fence, "line", 0), 2);
    assert_string_equal(json_get_text(fence, "context"), "```mermaid");
    assert_string_equal(json_get_text(content, "class"), "syntax");
    assert_int_equal(json_get_int(content, "line", 0), 4);
    assert_int_equal(json_array_size(json_get_array(envelope, "errors")), 2);
}

static void test_places(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *context;
        gint64 line, column;
    } cases[] = {
        { "indented fence", "- x\n\n\t```mermaid\n\tpie\n\t  \"A\" : x\n\t```\n", "\t  \"A\" : x",
          5, 10 },
        { "CRLF", "a\r\n> ```mermaid\r\n> pie\r\n> \"A\" : x\r\n> ```\r\n", "> \"A\" : x", 4, 9 },
        { "byte order mark", "\xef\xbb\xbfpie\n\"A\" : x\n", "\"A\" : x", 2, 7 },
        { "past the end", "```mermaid\nflowchart TD\nA -->\n\n```\n", "A -->", 3, 6 },
        { "empty block", "a\n```mermaid\n```\n", "```", 3, 1 },
    };
    g_autoptr(ToolFixture) self = fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) envelope = validate_text(self, cases[i].text, NULL);
        const json_t *error = error_of(envelope, 0, 0);
        if (json_get_int(error, "line", 0) != cases[i].line ||
            json_get_int(error, "column", 0) != cases[i].column ||
            g_strcmp0(json_get_text(error, "context"), cases[i].context) != 0) {
            g_autofree char *got = json_to_pretty(error);
            fail_msg("%s: %s", cases[i].name, got);
        }
    }

    g_autofree char *wide = g_strnfill(300, 'x');
    g_autofree char *text = g_strconcat("flowchart TD\nA ", wide, "\n", NULL);
    g_autoptr(json_t) envelope = validate_text(self, text, NULL);
    assert_int_equal(g_utf8_strlen(json_get_text(error_of(envelope, 0, 0), "context"), -1), 200);
}

/* One document of many diagrams: the work grows with its length, and with nothing more. */
static void test_many(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) self = fixture_new();
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 1000; i++)
        g_string_append(text,
                        "```mermaid\nflowchart TD\n    A[x] --> B{y}\n    B -->|z| C\n```\n\n");
    g_string_append(text, "```mermaid\nflowchart TD\n    A -> B\n```\n");
    g_autoptr(json_t) envelope = validate_text(self, text->str, NULL);
    assert_int_equal(summary_of(envelope, "valid"), 1000);
    assert_int_equal(summary_of(envelope, "invalid"), 1);
    assert_int_equal(json_get_int(error_of(envelope, 1000, 0), "line", 0), 6003);
}

// ---- the mermaid engine ----

/* A `node` that notes its environment and answers with `answers` (JSON with ` for "). */
static void fake_node(const ToolFixture *self, const char *answers)
{
    g_autofree char *json = g_strdelimit(g_strdup(answers), "`", '"');
    g_autofree char *text =
        g_strdup_printf("#!/bin/sh\nenv >\"${0%%/*}/env\"\ncp \"$3\" \"${0%%/*}/input\"\n"
                        "printf '%%s' '%s'\n",
                        json);
    tool_fixture_put(self, "bin/node", text);
    g_autofree char *node = g_build_filename(self->cwd, "bin", "node", NULL);
    assert_int_equal(chmod(node, 0700), 0);
    g_autofree char *bin = g_build_filename(self->cwd, "bin", NULL);
    g_autofree char *path = g_strconcat(bin, ":/usr/bin:/bin", NULL);
    g_autofree char *temp = g_build_filename(self->root, "temp", NULL);
    assert_true(file_make_dirs(temp, 0700, NULL));
    g_setenv("PATH", path, TRUE);
    g_setenv("TMPDIR", temp, TRUE);
    g_setenv("KEDGE_MERMAID_DIR", self->cwd, TRUE);
}

static void test_engine_answers(void **state G_GNUC_UNUSED)
{
    static const char text[] = "---\ntitle: x\n---\nflowchart TD\n%% c\nA-->B\nB-->C\n";
    g_autofree char *path_before = g_strdup(g_getenv("PATH"));
    g_autoptr(ToolFixture) self = fixture_new();
    g_setenv("SOME_SECRET", "s3cret", TRUE);
    fake_node(self, "[{`message`:`Parse error on line 3:\\nx\\n---^\\nExpecting SEMI, got TEXT`}]");
    g_autoptr(json_t) refused = validate_text(self, text, "mermaid");
    const json_t *error = error_of(refused, 0, 0);
    assert_string_equal(json_get_text(error, "message"), "Expecting SEMI, got TEXT");
    assert_string_equal(json_get_text(error, "class"), "syntax");
    assert_int_equal(json_get_int(error, "line", 0), 7);
    assert_string_equal(json_get_text(json_object_get(refused, "data"), "engine"), "mermaid");

    // nothing of ours leaks into the child, and nothing stays behind
    g_autofree char *env_path = g_build_filename(self->cwd, "bin", "env", NULL);
    g_autofree char *input_path = g_build_filename(self->cwd, "bin", "input", NULL);
    g_autofree char *env = NULL, *input = NULL;
    assert_true(file_read(env_path, 1 * MIB, &env, NULL, NULL));
    assert_true(file_read(input_path, 1 * MIB, &input, NULL, NULL));
    assert_null(strstr(env, "SECRET"));
    assert_null(strstr(env, "HOME="));
    assert_contains("input", input, "flowchart TD\\n%% c\\n");
    g_autoptr(GDir) temp = g_dir_open(g_getenv("TMPDIR"), 0, NULL);
    assert_null(g_dir_read_name(temp));

    fake_node(self, "[null]");
    g_autoptr(json_t) accepted = validate_text(self, "flowchart TD\nA -> B\n", "mermaid");
    assert_true(json_get_bool(accepted, "success", false));
    g_autoptr(json_t) header = validate_text(self, "C4Context\nx\n", "auto");
    assert_string_equal(json_get_text(diagram_of(header, 0), "checked"), "full");
    assert_string_equal(json_get_text(json_object_get(header, "data"), "engine"), "auto");

    static const char wanted[] = "{'content':'pie','engine':'mermaid'}";
    g_setenv("KEDGE_MERMAID_DIR", "/nowhere/at/all", TRUE);
    g_autofree char *no_folder =
        operation_error(self, &operation_mmd_validate, wanted, "unavailable");
    assert_contains("no folder", no_folder, "The mermaid engine needs Node.js");

    fake_node(self, "nonsense");
    g_autofree char *failure = operation_error(self, &operation_mmd_validate, wanted, NULL);
    assert_contains("failure", failure, "The mermaid engine failed");
    g_setenv("PATH", path_before, TRUE);
    g_unsetenv("TMPDIR");
    g_unsetenv("SOME_SECRET");
}

/* With the real parser, where KEDGE_TEST_MERMAID_DIR has it: the verdicts of the corpora. */
static void test_real_engine(void **state G_GNUC_UNUSED)
{
    static const char *const kinds[] = { "valid", "invalid" };
    const char *dir = g_getenv("KEDGE_TEST_MERMAID_DIR");
    if (!dir)
        skip();
    g_autoptr(ToolFixture) self = fixture_new();
    g_setenv("KEDGE_MERMAID_DIR", dir, TRUE);
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(GPtrArray) rows = mmd_corpus(kinds[k]);
        json_t *arguments = json_object(), *files = json_array();
        for (unsigned i = 0; i < rows->len; i++) {
            const MmdRow *row = g_ptr_array_index(rows, i);
            tool_fixture_put(self, row->fields[0], row->text);
            json_append_take(files, json_text(row->fields[0]));
        }
        json_set_take(arguments, "files", files);
        json_set_text(arguments, "engine", "mermaid");
        g_autoptr(json_t) envelope = operation_call(self, &operation_mmd_validate, arguments);
        assert_int_equal(summary_of(envelope, kinds[k]), rows->len);
        for (unsigned i = 0; k == 1 && i < rows->len; i++) {
            const MmdRow *row = g_ptr_array_index(rows, i);
            gint64 line = json_get_int(error_of(envelope, i, 0), "line", 0);
            if (line < g_ascii_strtoll(row->fields[4], NULL, 10) ||
                line > g_ascii_strtoll(row->fields[5], NULL, 10))
                fail_msg("%s: line %" G_GINT64_FORMAT, row->fields[0], line);
        }
    }
    g_unsetenv("KEDGE_MERMAID_DIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "cli-8.3: envelope", test_envelope, NULL, NULL, NULL },
        { "cli-H-05", test_sources, NULL, NULL, NULL },
        { "cli-H-06", test_refusals, NULL, NULL, NULL },
        { "cli-H-10", test_warnings, NULL, NULL, NULL },
        { "cli-8.2: a fence that is not closed", test_unclosed_fence, NULL, NULL, NULL },
        { "cli-8.3: places in the document", test_places, NULL, NULL, NULL },
        { "cli-H-11", test_many, NULL, NULL, NULL },
        { "cli-H-12: answers of the engine", test_engine_answers, NULL, NULL, NULL },
        { "cli-H-12: the real parser", test_real_engine, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
