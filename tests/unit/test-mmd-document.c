/*
 * Tests of finding the diagrams of a document (agent-tools-cli §8.2).
 */
#include "mmd_fixture.h"

#include "agenttools/mermaid/mmd_document.h"

static GPtrArray *blocks_of(const char *text, const char *path)
{
    return mmd_document_blocks(text, strlen(text), path, MMD_FORMAT_AUTO);
}

/* One diagram of expected.json. */
static void check_block(const char *name, const MmdBlock *block, const json_t *want)
{
    g_auto(MmdVerdict) verdict = { 0 };
    mmd_check_text(block->text, &verdict);
    bool is_valid = verdict.errors->len == 0 && !block->is_unclosed;
    const char *type = json_string_value(json_object_get(want, "diagramType"));
    if (block->start_line != (size_t)json_get_int(want, "startLine", -1) ||
        block->end_line != (size_t)json_get_int(want, "endLine", -1) ||
        is_valid != json_get_bool(want, "valid", !is_valid) || g_strcmp0(verdict.type, type) != 0)
        fail_msg("%s: lines %zu to %zu, %s, %s", name, block->start_line, block->end_line,
                 verdict.type, is_valid ? "valid" : "invalid");
    if (is_valid)
        return;

    const MmdError *error = mmd_first_error(&verdict);
    size_t line = block->is_unclosed ? block->fence_line : block->start_line + error->line - 1;
    const char *class = mmd_class_name(block->is_unclosed ? MMD_UNCLOSED_FENCE : error->class);
    assert_int_equal(line, json_get_int(want, "errorLine", -1));
    assert_string_equal(class, json_get_text(want, "errorClass"));
}

static void test_corpus(void **state G_GNUC_UNUSED)
{
    g_autofree char *expected_text = mmd_data_text("markdown/expected.json");
    g_autoptr(json_t) expected = NULL;
    assert_true(json_parse_text(expected_text, &expected, NULL));
    assert_int_equal(json_object_size(expected), 5);
    const char *name;
    json_t *want;
    json_object_foreach (expected, name, want) {
        g_autofree char *file = g_build_filename("markdown", name, NULL);
        g_autofree char *text = mmd_data_text(file);
        g_autoptr(GPtrArray) blocks = blocks_of(text, name);
        const json_t *diagrams = json_get_array(want, "diagrams");
        if (blocks->len != json_array_size(diagrams))
            fail_msg("%s: %u blocks", name, blocks->len);
        for (unsigned i = 0; i < blocks->len; i++)
            check_block(name, g_ptr_array_index(blocks, i), json_array_get(diagrams, i));
    }
}

static void test_fences(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text;
        size_t start_line, end_line; // 0: no block
        const char *content;
        bool is_unclosed;
    } cases[] = {
        { "plain", "```mermaid\npie\n```\n", 2, 2, "pie\n", false },
        { "any case", "```MerMaid\npie\n```", 2, 2, "pie\n", false },
        { "braces", "```{mermaid}\npie\n```\n", 2, 2, "pie\n", false },
        { "class", "~~~ {.mermaid #id}\npie\n~~~\n", 2, 2, "pie\n", false },
        { "attributes", "``` mermaid title=\"x\"\npie\n```\n", 2, 2, "pie\n", false },
        { "another word", "```mermaidx\npie\n```\n", 0, 0, NULL, false },
        { "second word", "```text mermaid\npie\n```\n", 0, 0, NULL, false },
        { "two marks", "``mermaid\npie\n``\n", 0, 0, NULL, false },
        { "code in a line", "```mermaid``` is code\npie\n", 0, 0, NULL, false },
        { "longer closing fence", "```mermaid\npie\n`````  \nx", 2, 2, "pie\n", false },
        { "shorter fence is text", "````mermaid\npie\n```\n````\n", 2, 3, "pie\n```\n", false },
        { "the other mark is text", "```mermaid\npie\n~~~\n```\n", 2, 3, "pie\n~~~\n", false },
        { "a fence with a word does not close", "```mermaid\npie\n```js\n```\n", 2, 3,
          "pie\n```js\n", false },
        { "indentation is removed", "- x\n\n    ```mermaid\n    mindmap\n      a\n  b\n    ```\n",
          4, 6, "mindmap\n  a\nb\n", false },
        { "quote marks are removed", "> ```mermaid\n> pie\n>   \"A\" : 1\n>\n> ```\n", 2, 4,
          "pie\n  \"A\" : 1\n\n", false },
        { "nested quotes", "> > ```mermaid\n> > pie\n>> ```\n", 2, 2, "pie\n", false },
        { "the end of the quote ends it", "> ```mermaid\n> pie\n\ntext\n", 2, 2, "pie\n", true },
        { "never closed", "x\n```mermaid\npie\n\n", 3, 4, "pie\n\n", true },
        { "nothing in it", "```mermaid\n```\n", 2, 2, "", false },
        { "nothing after it", "x\n```mermaid", 2, 2, "", true },
        { "nothing after it but a line end", "x\n```mermaid\n", 2, 2, "", true },
        { "inside a longer fence", "````md\n```mermaid\npie\n```\n````\n", 0, 0, NULL, false },
        { "inside an unclosed fence", "```js\n```mermaid\npie\n", 0, 0, NULL, false },
        { "CRLF", "a\r\n```mermaid\r\npie\r\n  x\r\n```\r\n", 3, 4, "pie\n  x\n", false },
        { "CR", "a\r```mermaid\rpie\r```\r", 3, 3, "pie\n", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) blocks = blocks_of(cases[i].text, "x.md");
        if (blocks->len != (cases[i].content != NULL))
            fail_msg("%s: %u blocks", cases[i].name, blocks->len);
        if (blocks->len == 0)
            continue;
        const MmdBlock *block = g_ptr_array_index(blocks, 0);
        if (strcmp(block->text, cases[i].content) != 0 ||
            block->start_line != cases[i].start_line || block->end_line != cases[i].end_line ||
            block->is_unclosed != cases[i].is_unclosed)
            fail_msg("%s: lines %zu to %zu, %s:\n%s", cases[i].name, block->start_line,
                     block->end_line, block->is_unclosed ? "not closed" : "closed", block->text);
    }
}

static void test_two_in_quotes(void **state G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) blocks =
        blocks_of("> ```mermaid\n> pie\n```mermaid\ngantt\n```\n", "x.md");
    assert_int_equal(blocks->len, 2);
    const MmdBlock *first = g_ptr_array_index(blocks, 0), *second = g_ptr_array_index(blocks, 1);
    assert_true(first->is_unclosed);
    assert_int_equal(first->end_line, 2);
    assert_false(second->is_unclosed);
    assert_int_equal(second->fence_line, 3);
    assert_string_equal(second->text, "gantt\n");
}

static void test_format(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *text;
        MmdFormat format;
        unsigned count;
        bool is_document; // the diagram is the whole text
    } cases[] = {
        { "a.mmd", "nonsense\n", MMD_FORMAT_AUTO, 1, true },
        { "a.mermaid", "```mermaid\npie\n```\n", MMD_FORMAT_AUTO, 1, true },
        { "a.MMD", "", MMD_FORMAT_AUTO, 1, true },
        { "a.md", "pie\n", MMD_FORMAT_AUTO, 0, false },
        { "a.markdown", "pie\n", MMD_FORMAT_AUTO, 0, false },
        { "a.mdx", "```mermaid\npie\n```\n", MMD_FORMAT_AUTO, 1, false },
        { "a.txt", "pie\n", MMD_FORMAT_AUTO, 1, true },
        { NULL, "pie\n", MMD_FORMAT_AUTO, 1, true },
        { NULL, "text\n```mermaid\npie\n```\n", MMD_FORMAT_AUTO, 1, false },
        { NULL, "pie\n```mermaid\npie\n```\n", MMD_FORMAT_AUTO, 1, false },
        { NULL, "text\npie\n", MMD_FORMAT_AUTO, 0, false },
        { NULL, "\n%% c\n\n---\ntitle: x\n---\n%%{init: {\n}}%%\n  pie\n", MMD_FORMAT_AUTO, 1,
          true },
        { NULL, "---\ntitle: x\n", MMD_FORMAT_AUTO, 0, false },
        { NULL, "%% c\n", MMD_FORMAT_AUTO, 0, false },
        { NULL, "text\n", MMD_FORMAT_MERMAID, 1, true },
        { "a.mmd", "pie\n", MMD_FORMAT_MARKDOWN, 0, false },
        { "a.md", "pie\n", MMD_FORMAT_MERMAID, 1, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) blocks = mmd_document_blocks(cases[i].text, strlen(cases[i].text),
                                                          cases[i].path, cases[i].format);
        const MmdBlock *first = blocks->len > 0 ? g_ptr_array_index(blocks, 0) : NULL;
        bool is_document = first != NULL && first->fence_line == 0;
        if (blocks->len != cases[i].count || is_document != cases[i].is_document)
            fail_msg("%s: %s: %u blocks", cases[i].path, cases[i].text, blocks->len);
        if (is_document)
            assert_int_equal(first->start_line, 1);
    }
}

static void test_whole_document(void **state G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) blocks = blocks_of("pie\r\n\"A\" : 1\r\n\r\n", "x.mmd");
    const MmdBlock *block = g_ptr_array_index(blocks, 0);
    assert_int_equal(block->end_line, 3);
    assert_string_equal(block->text, "pie\n\"A\" : 1\n\n");
}

static void test_lines(void **state G_GNUC_UNUSED)
{
    static const char text[] = "one\r\ntwo\n\nfour";
    static const struct {
        size_t number;
        const char *line;
    } cases[] = { { 1, "one" }, { 4, "four" }, { 2, "two" }, { 2, "two" }, { 3, "" }, { 9, "" } };
    MmdLines lines;
    mmd_lines_init(&lines, text, strlen(text));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t size;
        const char *line = mmd_lines_seek(&lines, cases[i].number, &size);
        g_autofree char *got = g_strndup(line, size);
        assert_string_equal(got, cases[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "cli-H-04", test_corpus, NULL, NULL, NULL },
        { "cli-8.2: fences", test_fences, NULL, NULL, NULL },
        { "cli-8.2: a fence behind a quote", test_two_in_quotes, NULL, NULL, NULL },
        { "cli-8.2: format", test_format, NULL, NULL, NULL },
        { "cli-8.2: one diagram", test_whole_document, NULL, NULL, NULL },
        { "cli-8.2: lines", test_lines, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
